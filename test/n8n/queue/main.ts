import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Incidents } from '../e2e/incidents.ts';
import { credentialOf, importFor, workflowOf } from '../showcase.ts';
import { until } from '../tools.ts';
import { startCluster, type Cluster } from './cluster.ts';

/** n8n's durable scheduler, which also runs polls. */
const DURABLE = { N8N_SCHEDULER_ENABLED: 'true', N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true' };
/** It keeps the state of a trigger in a table of its own, too. */
const WITH_CURSORS = { ...DURABLE, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' };

/** The trigger: main polls and hands its items to a worker. */
function triggerTests(cluster: Cluster): void {
	const { n8n, worker } = cluster;
	let incidents: Incidents;

	it('main polls, a worker runs what follows, and each incident is reported once', async () => {
		incidents = await Incidents.publish(cluster);
		for (const station of incidents.stations.slice(0, 3)) incidents.set(station, 'offline');
		await incidents.agree();
		incidents.set(incidents.stations[0], 'backOnline');
		await incidents.agree();
		for (const { id } of await n8n.executions(incidents.workflowId)) await takenBy(cluster, id);
	});

	it('polls continue without a worker, and what they find waits for one', async () => {
		await worker.stop();
		incidents.set(incidents.stations[3], 'offline');
		await incidents.furtherPolls(2);
		await worker.start();
		await incidents.agree();
	});

	it('stopping, killing and starting main during incidents loses nothing', async () => {
		await incidents.goThroughRestarts();
	});
}

/** The file is made by a worker, and downloaded in the editor, which main serves. */
function exportTests(cluster: Cluster): void {
	it('a CSV file that a worker made is downloaded from main, byte for byte', async () => {
		const { n8n, platform } = cluster;
		const credential = await credentialOf(cluster, 'export', platform.key);
		const node = 'chargingSessionsCsvExport';
		const workflow = workflowOf(node, { operation: 'exportByIds', sessionIds: '3, 1, 2' });
		const execution = await n8n.execute(await importFor(cluster, workflow, credential));
		assert.equal(execution.status, 'success', JSON.stringify(execution.data.resultData.error));
		await takenBy(cluster, execution.id);
		const binary = execution.data.resultData.runData[node]?.[0]?.data?.main?.[0]?.[0]?.binary?.data;
		assert.ok(binary, 'the execution keeps no file');
		const asked = await fetch(`${platform.baseUrl}/api/charging-sessions/v1/export-csv`, {
			method: 'POST',
			headers: { 'api-key': platform.key, 'content-type': 'application/json' },
			body: JSON.stringify({ Ids: [3, 1, 2] }),
		});
		assert.equal(await n8n.download(binary), await asked.text());
	});
}

/** Waits until the worker has taken up an execution. */
async function takenBy({ worker }: Cluster, id: string): Promise<void> {
	await until(`the worker takes up execution ${id}`, () => worker.log().includes(`Worker started execution ${id} (`));
}

// npm run test:queue: tries the packed package in n8n's queue mode, with main, a worker, PostgreSQL and Redis. Much of it is waiting for the next poll, so all run side by side.
void describe('n8n in queue mode', { concurrency: true }, () => {
	void describe("n8n's default", { concurrency: 1 }, async () => {
		const cluster = await startCluster();
		exportTests(cluster);
		triggerTests(cluster);
	});
	// What follows a restart is the same, with and without cursors.
	for (const [name, settings] of Object.entries({ 'with cursors': WITH_CURSORS, 'without cursors': DURABLE })) {
		void describe(`the durable scheduler ${name}`, { concurrency: 1 }, async () => {
			const cluster = await startCluster(settings);
			triggerTests(cluster);
			it('it has polled, and keeps the state in its table only with cursors', async () => {
				const { count } = cluster;
				assert.notEqual(await count('scheduled_job WHERE "lastFiredAt" IS NOT NULL'), 0);
				assert.equal(await count('poller_state WHERE cursor IS NOT NULL'), settings === WITH_CURSORS ? 1 : 0);
			});
		});
	}
});
