import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';

import { Incidents } from '../e2e/incidents.ts';
import { versionOf } from '../e2e/lab.ts';
import { connect, CREDENTIAL_TYPE, workflowOf } from '../showcase.ts';
import { cleanUpOnSignals } from '../tools.ts';
import { takenByWorker, useCluster, type Cluster } from './cluster.ts';

/** n8n's durable scheduler, which also runs polls, and keeps the state of a trigger in a table of its own. */
const DURABLE = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

/** The trigger: main polls and hands its items to a worker. */
function triggerTests(cluster: () => Cluster): void {
	let incidents: Incidents;

	before(async () => {
		incidents = await Incidents.publish(cluster());
	});

	it('main polls, a worker runs what follows, and each incident is reported once', async () => {
		for (const station of incidents.stations.slice(0, 3)) incidents.set(station, 'offline');
		await incidents.agree();
		incidents.set(incidents.stations[0], 'backOnline');
		await incidents.agree();
		const executions = await cluster().n8n.executionIds(incidents.workflowId);
		assert.notEqual(executions.length, 0);
		for (const execution of executions) await takenByWorker(cluster(), execution);
	});

	it('polls continue without a worker, and what they find waits for one', async () => {
		const { worker } = cluster();
		await worker.stop();
		incidents.set(incidents.stations[3], 'offline');
		await incidents.furtherPolls(2);
		await worker.start();
		await incidents.agree();
	});

	it('stopping, killing and starting main during incidents loses nothing', async () => {
		const { n8n } = cluster();
		await n8n.stop();
		incidents.set(incidents.stations[1], 'backOnline');
		incidents.set(incidents.stations[4], 'offline');
		await n8n.start();
		await incidents.agree();
		n8n.kill();
		incidents.set(incidents.stations[4], 'backOnline');
		await n8n.start();
		await incidents.agree();
	});
}

/** The file is made by a worker, and downloaded in the editor, which main serves. */
function exportTests(cluster: () => Cluster): void {
	it('a CSV file that a worker made is downloaded from main, byte for byte', async () => {
		const { n8n, platform } = cluster();
		const data = { environment: 'test', testUrl: platform.baseUrl, apiKey: platform.key };
		const credential = { id: await n8n.createCredential('export', CREDENTIAL_TYPE, data), name: 'export' };
		const node = 'chargingSessionsCsvExport';
		const workflow = workflowOf(node, { operation: 'exportByIds', sessionIds: '3, 1, 2' });
		const id = await n8n.startExecution(await n8n.importWorkflow(connect(workflow, credential, platform.baseUrl)));
		const execution = await n8n.executionEnd(id);
		assert.equal(execution.status, 'success', JSON.stringify(execution.data.resultData.error));
		await takenByWorker(cluster(), id);
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

/** npm run test:queue: tries the packed package in n8n's queue mode, with main, a worker, PostgreSQL and Redis. */
function main(): void {
	cleanUpOnSignals();
	// Much of it is waiting for the next poll, so both run side by side.
	void describe(`n8n ${versionOf('2')}, queue mode`, { concurrency: true }, () => {
		void describe("n8n's default", { concurrency: false }, () => {
			const cluster = useCluster();
			exportTests(cluster);
			triggerTests(cluster);
		});
		void describe('the durable scheduler with cursors', { concurrency: false }, () => {
			const cluster = useCluster(DURABLE);
			triggerTests(cluster);
			it('it has polled, and keeps the state in its table', async () => {
				const { count } = cluster().services;
				assert.notEqual(await count('scheduled_job WHERE "lastFiredAt" IS NOT NULL'), 0);
				assert.equal(await count('poller_state WHERE cursor IS NOT NULL'), 1);
			});
		});
	});
}

main();
