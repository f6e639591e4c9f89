import assert from 'node:assert/strict';
import { before, it } from 'node:test';

import { Incidents } from '../e2e/incidents.ts';
import { workerOf, type Cluster } from './cluster.ts';

/** The trigger in queue mode: main polls and hands its items to a worker. */
export function triggerTests(cluster: () => Cluster): void {
	let incidents: Incidents;

	before(async () => {
		incidents = await Incidents.prepare(cluster(), 'trigger');
		await cluster().n8n.publish(incidents.workflowId);
		await incidents.furtherPolls(3);
	});

	it('main polls, a worker runs what follows, and each incident is reported once', async () => {
		const { n8n } = cluster();
		const { stations } = incidents;
		assert.deepEqual(incidents.receiver.received, []);
		for (const station of stations.slice(0, 3)) incidents.set(station, 'offline');
		await incidents.agree();
		incidents.set(stations[0], 'backOnline');
		await incidents.agree();
		const executions = await n8n.executionIds(incidents.workflowId);
		assert.notEqual(executions.length, 0);
		for (const execution of executions) await workerOf(cluster(), execution);
	});

	it('polls continue without a worker, and what they find waits for one', async () => {
		const { workers } = cluster();
		for (const worker of workers) await worker.stop();
		incidents.set(incidents.stations[3], 'offline');
		await incidents.furtherPolls(3);
		for (const worker of workers) await worker.start();
		await incidents.agree();
	});

	it('stopping and starting main during incidents loses nothing', async () => {
		const { n8n } = cluster();
		await n8n.stop();
		incidents.set(incidents.stations[3], 'backOnline');
		incidents.set(incidents.stations[4], 'offline');
		await n8n.start();
		await incidents.agree();
	});
}
