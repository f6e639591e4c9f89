import assert from 'node:assert/strict';
import { afterEach, before, it } from 'node:test';

import { tell, textOf } from '../e2e/incidents.ts';
import { until } from '../tools.ts';
import { workerOf, type Cluster, type Worker } from './cluster.ts';
import { addCredential, listAndTell, node, publish, to, type Published } from './workflows.ts';

const FAILED = 6;
/** Slow enough that a list of some twenty pages is still under way while something is done to n8n. */
const SLOW_MS = 5000;

/** Programs that end in the middle of an execution. Only what n8n itself loses is lost then: see docs/scaling.md. */
export function workerTests(cluster: () => Cluster): void {
	let workflow: Published;

	before(async () => {
		const { n8n, receiver } = cluster();
		const report = '={{ JSON.stringify({ failed: $json.execution.id, because: $json.execution.error.message }) }}';
		const errorWorkflow = await n8n.importWorkflow({
			name: 'When an execution does not succeed',
			nodes: [node('Failure', 'n8n-nodes-base.errorTrigger', 1, {}), tell(receiver.url, report)],
			connections: { Failure: to('Tell') },
			settings: {},
		});
		await n8n.publish(errorWorkflow);
		const credential = await addCredential(cluster(), 'workers');
		const nodes = listAndTell(credential, FAILED, receiver.url);
		workflow = await publish(cluster(), 'workers', nodes, { settings: { errorWorkflow } });
	});

	afterEach(() => {
		cluster().platform.behaviour.latencyMs = 0;
	});

	/** Starts a list, and returns when a worker is reading it. */
	async function startSlowly(): Promise<{ execution: string; worker: Worker }> {
		const { platform } = cluster();
		platform.behaviour.latencyMs = SLOW_MS;
		const from = platform.requests.length;
		const execution = await workflow.start();
		const worker = await workerOf(cluster(), execution);
		await until('the list has begun', () => platform.requests.length > from);
		return { execution, worker };
	}

	const toldBy = (execution: string) => cluster().receiver.received.filter((body) => body.execution === execution);

	/** Waits for what an execution tells the receiver, and compares it with the stand-in's rows. */
	async function tellsEverything(execution: string): Promise<void> {
		await until(`execution ${execution} tells`, () => toldBy(execution).length > 0);
		const { db } = cluster().platform;
		const rows = db.prepare('SELECT Id FROM sessions WHERE Status = ? ORDER BY Id').all(FAILED);
		assert.deepEqual(
			toldBy(execution).map(({ ids }) => ids),
			[rows.map(({ Id }) => Id)],
		);
	}

	it('a worker that is asked to stop finishes what it is working on', async () => {
		const { platform } = cluster();
		const { execution, worker } = await startSlowly();
		const stopped = worker.stop();
		platform.behaviour.latencyMs = 0;
		await stopped;
		await worker.start();
		await tellsEverything(execution);
	});

	it('killing a worker fails and reports only its own execution; running and waiting ones complete', async () => {
		const { n8n, platform, receiver } = cluster();
		const { execution: lost, worker } = await startSlowly();
		const { execution: other } = await startSlowly();
		const waiting = await workflow.start();
		worker.kill();
		platform.behaviour.latencyMs = 0;
		await tellsEverything(other);
		await tellsEverything(waiting);
		const { status } = await n8n.executionEnd(lost);
		assert.equal(status, 'error');
		const report = await until('the error workflow runs', () =>
			receiver.received.find(({ failed }) => failed === lost),
		);
		assert.match(textOf(report.because), /failed to be processed/);
		assert.deepEqual(toldBy(lost), []);
		await worker.start();
		await tellsEverything(await workflow.start());
	});

	it('when main is killed, the worker finishes, and n8n shows the success afterwards', async () => {
		const { n8n, platform } = cluster();
		const { execution } = await startSlowly();
		n8n.kill();
		platform.behaviour.latencyMs = 0;
		await tellsEverything(execution);
		await n8n.start();
		assert.equal((await n8n.executionEnd(execution)).status, 'success');
		await tellsEverything(await workflow.start());
	});
}
