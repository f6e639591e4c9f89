import assert from 'node:assert/strict';
import { it } from 'node:test';

import { outputOf } from '../client.ts';
import { Incidents, TRIGGER } from './incidents.ts';
import type { Lab } from './lab.ts';

/**
 * The trigger in a published workflow: n8n's own scheduler polls, and a receiver at the workflow's end gets the items.
 * What was done to the stand-in's stations and what the receiver got must match, whatever happened in between.
 */
export function triggerTests(lab: () => Lab): void {
	let incidents: Incidents;

	it('once published, a station that goes offline and comes back gives one item each, with its name', async () => {
		const { platform } = lab();
		incidents = await Incidents.publish(lab());
		const [station = 0] = incidents.stations;
		incidents.set(station, 'offline');
		await incidents.agree();
		incidents.set(station, 'backOnline');
		const [offline] = await incidents.agree();
		const { Name } = platform.db.prepare('SELECT Name FROM stations WHERE Id = ?').get(station) ?? {};
		assert.partialDeepStrictEqual(offline, { stationId: station, stationName: Name, from: 'online', to: 'offline' });
	});

	it('stopping, killing and starting n8n with open incidents loses nothing', async () => {
		const { n8n } = lab();
		const [, first, second, third] = incidents.stations;
		incidents.set(first, 'offline');
		await incidents.agree();
		await n8n.stop();
		incidents.set(first, 'backOnline');
		incidents.set(second, 'offline');
		await n8n.start();
		await incidents.agree();
		await incidents.kill(n8n);
		incidents.set(second, 'backOnline');
		incidents.set(third, 'offline');
		await n8n.start();
		await incidents.agree();
	});

	it('an n8n that starts while the platform does not answer goes on where it was', async () => {
		const { n8n, platform } = lab();
		const [, , , third, fourth] = incidents.stations;
		await n8n.stop();
		platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		incidents.set(third, 'backOnline');
		incidents.set(fourth, 'offline');
		await n8n.start();
		// A trigger whose first poll fails five times is given up by n8n 2. A poll asks three times.
		await incidents.furtherPolls(6 * 3);
		platform.faults.clear();
		await incidents.agree();
	});

	it('the executions n8n keeps succeeded and hold exactly the events received', async () => {
		const executions = await lab().n8n.executions(incidents.workflowId);
		assert.deepEqual(new Set(executions.map(({ status }) => status)), new Set(['success']));
		const items = executions.flatMap((execution) => outputOf(execution, TRIGGER));
		const ids = (list: typeof items) => list.map(({ eventId }) => JSON.stringify(eventId)).sort();
		assert.deepEqual(ids(items.filter(({ eventId }) => eventId !== undefined)), ids(incidents.receiver.received));
	});
}
