import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { INodeParameters } from 'n8n-workflow';

import { outputOf } from '../client.ts';
import { CREDENTIAL_TYPE } from '../showcase.ts';
import { until } from '../tools.ts';
import { every, EVERY_FIVE_SECONDS, furtherPolls, Incidents, TRIGGER, watching } from './incidents.ts';
import type { Lab } from './lab.ts';
import { startReceiver } from './receiver.ts';

/**
 * The trigger in a published workflow: n8n's own scheduler polls, and a receiver at the workflow's end gets the items.
 * What was done to the stand-in's stations and what the receiver got must match, whatever happened in between.
 */
export function triggerTests(lab: () => Lab): void {
	let incidents: Incidents;

	it('once published, a station that goes offline and comes back gives one item each, with its name', async () => {
		const { n8n, platform } = lab();
		incidents = await Incidents.prepare(lab(), 'trigger');
		await n8n.publish(incidents.workflowId);
		await incidents.furtherPolls(3);
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

	it('the executions n8n keeps succeeded and hold exactly the events received', async () => {
		const executions = await lab().n8n.executions(incidents.workflowId);
		assert.deepEqual(new Set(executions.map(({ status }) => status)), new Set(['success']));
		const items = executions.flatMap((execution) => outputOf(execution, TRIGGER));
		const ids = (list: typeof items) => list.map(({ eventId }) => JSON.stringify(eventId)).sort();
		assert.deepEqual(ids(items.filter(({ eventId }) => eventId !== undefined)), ids(incidents.receiver.received));
	});

	it('an unstable station, a status held for too long, and a digest for each value of a field arrive as they should', async () => {
		const { n8n, platform, later } = lab();
		const online = platform.db.prepare('SELECT Id FROM stations WHERE NetworkStatus = 1 ORDER BY Id LIMIT 2 OFFSET 20');
		const [one = 0, two = 0] = online.all().map(({ Id }) => Number(Id));
		const setStation = (status: number, ...ids: number[]) =>
			platform.db.exec(`UPDATE stations SET NetworkStatus = ${status} WHERE Id IN (${ids.join()})`);
		const setPoint = (status: number) =>
			platform.db.exec(`UPDATE stations SET EVSEs = '[{"Id":7,"Status":${status}}]' WHERE Id = ${one}`);
		setPoint(1);
		const follow = async (keyName: string, type: string, parameters: INodeParameters) => {
			const receiver = await startReceiver();
			later(() => receiver.close());
			const { secret } = platform.createKey({ name: keyName });
			const data = { environment: 'test', testUrl: platform.baseUrl, apiKey: secret };
			const credential = { id: await n8n.createCredential(keyName, CREDENTIAL_TYPE, data), name: keyName };
			const all = { ...parameters, ...every(EVERY_FIVE_SECONDS) };
			await n8n.publish(await n8n.importWorkflow(watching(type, all, credential, receiver.url)));
			return receiver.received;
		};
		const station = 'chargingStationStatusTrigger';
		const unstable = await follow('unstable', station, { event: 'unstable', outages: 2, withinHours: 1 });
		const digests = await follow('digests', station, { output: 'digest', digestField: 'Id' });
		const held = { event: 'inStatus', statusField: 'Status', heldStatuses: ['3'], minutesInState: 1 };
		const ofOne = { id: [{ operator: 'Equal', value: String(one) }] };
		const points = await follow('held', 'chargePointTrigger', { ...held, filters: ofOne });

		// Each trigger polls for itself: what one has told, another may not have seen yet.
		const stationTriggers = () => Promise.all(['unstable', 'digests'].map((name) => furtherPolls(platform, name, 2)));
		const looks = () =>
			platform.requests.filter(({ keyName, path }) => keyName === 'held' && path.endsWith(`/v1/${one}`)).length;
		await stationTriggers();
		await until('the charge point trigger has noted how things are', () => looks() > 1);
		setPoint(3);
		setStation(2, one, two);
		await until('a digest for each station', () => digests.length >= 2);
		await stationTriggers();
		setStation(1, one, two);
		await until('both are back', () => digests.length >= 4);
		await stationTriggers();
		setStation(2, one);
		await until('the second outage is reported', () => unstable.length > 0);
		assert.deepEqual(
			unstable.map(({ event, stationId, outages }) => [event, stationId, outages]),
			[['unstable', one, 2]],
		);
		assert.deepEqual(
			new Map(digests.slice(0, 2).map(({ digestValue, eventCount }) => [digestValue, eventCount])),
			new Map([
				[one, 1],
				[two, 1],
			]),
		);
		await until('the status is held for a minute', () => points.length > 0);
		setPoint(1);
		await until('it is over', () => points.length > 1);
		assert.deepEqual(
			points.map(({ event, chargePointId, cause }) => [event, chargePointId, cause]),
			[
				['inStatus', '7', 'inStatus'],
				['leftStatus', '7', 'inStatus'],
			],
		);
		setStation(1, one);
	});
}
