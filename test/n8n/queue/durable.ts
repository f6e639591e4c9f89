import assert from 'node:assert/strict';
import { before, it } from 'node:test';

import { Incidents } from '../e2e/incidents.ts';
import { workerOf, type Cluster } from './cluster.ts';

/** n8n's durable scheduler, which also runs polls, and keeps the state of a trigger in a table of its own. */
export const DURABLE = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
};

export function durableTests(cluster: () => Cluster): void {
	let incidents: Incidents;

	before(async () => {
		incidents = await Incidents.prepare(cluster(), 'durable trigger');
		await cluster().n8n.publish(incidents.workflowId);
		await incidents.furtherPolls(3);
	});

	it("n8n polls with its durable scheduler, keeps the trigger's state in a table, and each incident is reported once", async () => {
		const { services } = cluster();
		for (const station of incidents.stations.slice(0, 2)) incidents.set(station, 'offline');
		await incidents.agree();
		incidents.set(incidents.stations[0], 'backOnline');
		await incidents.agree();
		const count = async (from: string) => Number((await services.query(`SELECT count(*) FROM ${from}`))[0]);
		const jobs = `scheduled_job WHERE "ownerId" = '${incidents.workflowId}' AND "lastFiredAt" IS NOT NULL`;
		assert.notEqual(await count(jobs), 0, 'the durable scheduler has not polled');
		const states = `poller_state WHERE "workflowId" = '${incidents.workflowId}' AND cursor IS NOT NULL`;
		assert.equal(await count(states), 1, 'the trigger has no durable cursor');
	});

	it('stopping and starting main during incidents loses nothing', async () => {
		const { n8n } = cluster();
		await n8n.stop();
		incidents.set(incidents.stations[1], 'backOnline');
		incidents.set(incidents.stations[2], 'offline');
		await n8n.start();
		await incidents.agree();
	});

	it('killing main between two polls loses nothing, and workers run what follows', async () => {
		const { n8n } = cluster();
		n8n.kill();
		incidents.set(incidents.stations[2], 'backOnline');
		incidents.set(incidents.stations[3], 'offline');
		await n8n.start();
		await incidents.agree();
		n8n.kill();
		await n8n.start();
		await incidents.agree();
		for (const execution of await n8n.executionIds(incidents.workflowId)) await workerOf(cluster(), execution);
	});
}
