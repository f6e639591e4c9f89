import assert from 'node:assert/strict';
import { before, it } from 'node:test';

import type { IDataObject } from 'n8n-workflow';

import { outputOf } from '../client.ts';
import { Incidents, textOf, TRIGGER } from './incidents.ts';
import type { Lab } from './lab.ts';

/**
 * The trigger in a published workflow: n8n's own scheduler polls, and a receiver at the workflow's end gets the items.
 * What was done to the stand-in's stations and what the receiver got must match, whatever happened in between.
 */
export function triggerTests(lab: () => Lab): void {
	let incidents: Incidents;

	before(async () => {
		incidents = await Incidents.prepare(lab(), 'trigger');
	});

	it('once published, n8n polls it, and stations that were already offline raise nothing', async () => {
		await lab().n8n.publish(incidents.workflowId);
		await incidents.furtherPolls(3);
		assert.deepEqual(incidents.receiver.received, []);
	});

	it('a station that goes offline and comes back gives one item each', async () => {
		const [station] = incidents.stations;
		incidents.set(station, 'offline');
		await incidents.agree();
		incidents.set(station, 'backOnline');
		const [offline, back] = await incidents.agree();
		const { Name } =
			lab()
				.platform.db.prepare('SELECT Name FROM stations WHERE Id = ?')
				.get(station ?? 0) ?? {};
		const common = { stationId: station, stationName: Name, dimension: 'NetworkStatus', environment: 'test' };
		assert.partialDeepStrictEqual(offline, { ...common, event: 'offline', from: 'online', to: 'offline' });
		assert.partialDeepStrictEqual(back, { ...common, event: 'backOnline', from: 'offline', to: 'online' });
		assert.equal(typeof back?.durationMinutes, 'number');
		assert.match(textOf(back?.detectedAt), /T.*[+-]\d\d:\d\d$/, 'times bear the zone of the workflow');
	});

	it('stopping and starting n8n during incidents loses nothing', async () => {
		const { n8n } = lab();
		incidents.set(incidents.stations[7], 'offline');
		await incidents.agree();
		await n8n.stop();
		incidents.set(incidents.stations[7], 'backOnline');
		incidents.set(incidents.stations[8], 'offline');
		await n8n.start();
		await incidents.agree();
	});

	it('killing n8n between two polls loses nothing', async () => {
		const { n8n } = lab();
		incidents.set(incidents.stations[9], 'offline');
		await incidents.agree();
		await incidents.kill(n8n);
		incidents.set(incidents.stations[9], 'backOnline');
		incidents.set(incidents.stations[10], 'offline');
		await n8n.start();
		await incidents.agree();
		await incidents.kill(n8n);
		await n8n.start();
		await incidents.agree();
	});

	it('the executions n8n keeps succeeded and hold exactly the events received', async () => {
		const executions = await lab().n8n.executions(incidents.workflowId);
		assert.deepEqual(new Set(executions.map(({ status }) => status)), new Set(['success']));
		const items = executions.flatMap((execution) => outputOf(execution, TRIGGER));
		const events = items.filter(({ eventId }) => eventId !== undefined);
		const idsOf = (list: IDataObject[]) => list.map(({ eventId }) => textOf(eventId)).sort();
		assert.deepEqual(idsOf(events), idsOf(incidents.receiver.received));
	});
}
