/** What triggers do where the platform does not apply their filter. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { OUT_OF_ORDER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { list, SESSION_LIST } from '../../support/rowsTrigger/support.ts';
import { HOUR, SessionBench } from '../../support/sessionTrigger/support.ts';
import { statusFilter, text } from '../../support/stationTrigger/support.ts';
import { ENGINES, testManually, TriggerRig, type Engine, type TriggerName } from '../../support/trigger/rig.ts';
import { OddPlatform } from '../../support/trigger/oddPlatform.ts';

const bench = new SessionBench({ stations: 6 });
const odd = new OddPlatform();
const minutes = bench.minutes.bind(bench);
const STATIONS = 'chargingStationStatusTrigger';
const SESSIONS = 'chargingSessionTrigger';
const FAULTED = { event: 'filterMatch', filters: statusFilter('hardwareStatus', '3'), logic: 'And' };
const AT_LEAST_5_KWH = { energyConsumed: [{ operator: 'Gte', value: '5' }] };
const OUT_OF_SERVICE = statusFilter('status', '2');
const ignoring = (fields: string[]) => (bench.platform.behaviour.lists.ignoredFields = fields);
const messages = ({ errors }: TriggerRig) => errors.map(({ message }) => message);

async function start(engine: Engine, type: TriggerName, parameters: INodeParameters, credential?: IDataObject) {
	const rig = new TriggerRig(engine, parameters, credential ?? bench.credential(), {}, type);
	await rig.activate();
	await minutes(rig, 1);
	return rig;
}

/** The events since the last call: `offline 3`. */
const told = (rig: TriggerRig) =>
	rig.take().map(({ event, stationId, sessionId, rowId }) => `${text(event)} ${text(stationId ?? sessionId ?? rowId)}`);

describe.each(ENGINES)('stations that match a filter which is not applied any more, engine %s', (engine) => {
	it('those that certainly match are reported, no end is, and after 15 minutes and each hour an execution says why', async () => {
		const rig = await start(engine, STATIONS, FAULTED);
		bench.set({ HardwareStatus: 3 }, 2);
		await minutes(rig, 1);
		expect(told(rig)).toEqual(['startedMatching 2']);
		ignoring(['HardwareStatus']);
		bench.set({ HardwareStatus: 1 }, 2);
		bench.set({ HardwareStatus: 3 }, 4);
		await minutes(rig, 1);
		expect(told(rig)).toEqual(['startedMatching 4']);
		await minutes(rig, 14);
		expect(rig.errors).toEqual([]);
		await minutes(rig, 2);
		expect(messages(rig)).toEqual([
			expect.stringMatching(
				/^Station \d has HardwareStatus 1, but 3 was asked for: the platform does not apply the condition on HardwareStatus$/,
			),
		]);
		await minutes(rig, 55);
		expect(rig.errors).toHaveLength(1);
		await minutes(rig, 6);
		expect(rig.errors).toHaveLength(2);
		expect(told(rig)).toEqual([]);
		ignoring([]);
		await minutes(rig, 2);
		expect(told(rig)).toEqual(['stoppedMatching 2']);
		expect(rig.errors).toHaveLength(2);
	});

	it('new sessions and rows that certainly match are reported, others are not', async () => {
		const rig = await start(engine, SESSIONS, { events: ['started'], filters: AT_LEAST_5_KWH, logic: 'And' });
		const rows = await start(engine, 'chargingNetworkRowsTrigger', {
			...list(SESSION_LIST),
			filters: { other: [{ field: 'EnergyConsumed|number', numberOperator: 'Gte', value: '5' }] },
			logic: 'And',
		});
		ignoring(['EnergyConsumed']);
		for (let id = 1; id <= 20; id++) {
			bench.start(id, { energy: id % 2 === 0 ? 7 : 3 });
			await minutes(rig, 1);
			await rows.tick();
		}
		const even = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20];
		expect(told(rig)).toEqual(even.map((id) => `started ${id}`));
		expect(told(rows)).toEqual(even.map((id) => `newRow ${id}`));
		for (const trigger of [rig, rows]) {
			expect(messages(trigger)).toEqual([
				expect.stringMatching(/has EnergyConsumed 3, but “[a-z ]+ 5” was asked for: the platform does not apply/),
			]);
		}
	});
});

it('offline stations outside of a filter that is not applied are not reported, and no station is back', async () => {
	const rig = await start('memory', STATIONS, { event: 'availability', filters: OUT_OF_SERVICE, logic: 'And' });
	bench.set({ Status: 2 }, 1, 2, 3);
	bench.set({ NetworkStatus: 2 }, 1);
	await minutes(rig, 1);
	expect(told(rig)).toEqual(['offline 1']);
	ignoring(['Status']);
	bench.set({ NetworkStatus: 2 }, 2, 5);
	bench.set({ NetworkStatus: 1 }, 1);
	await minutes(rig, 3);
	expect(told(rig)).toEqual(['offline 2']);
	ignoring([]);
	await minutes(rig, 2);
	expect(told(rig)).toEqual(['backOnline 1']);
});

it('charge points of stations that certainly match are watched on, and no others, while the filter is not applied', async () => {
	const set = (station: number, status: number) => setPoints(bench, station, points(station, status));
	for (const station of [1, 2, 3, 4, 5, 6]) set(station, 1);
	bench.set({ Status: 2 }, 1, 2);
	const rig = await start('memory', 'chargePointTrigger', { ...OUT_OF_ORDER, filters: OUT_OF_SERVICE, logic: 'And' });
	ignoring(['Status']);
	for (const station of [1, 4]) set(station, 3);
	await minutes(rig, 3);
	expect(told(rig)).toEqual(['outOfOrder 1']);
	for (const station of [1, 4]) set(station, 1);
	await minutes(rig, 14);
	expect(told(rig)).toEqual(['backInOrder 1']);
	expect(messages(rig)).toEqual([expect.stringMatching(/does not apply the condition on Status$/)]);
});

it('that a platform ignores which stations are not online changes nothing: the rows say which are', async () => {
	const rig = await start('memory', STATIONS, { event: 'availability' });
	ignoring(['NetworkStatus']);
	bench.set({ NetworkStatus: 2 }, 2);
	await minutes(rig, 1);
	bench.set({ NetworkStatus: 1 }, 2);
	await minutes(rig, 20);
	expect(told(rig)).toEqual(['offline 2', 'backOnline 2']);
	expect(rig.errors).toEqual([]);
});

it('sessions that do not run long are not reported where the platform ignores their start', async () => {
	const rig = await start('memory', SESSIONS, { events: ['runningLong'], runningHours: 2 });
	ignoring(['Status', 'StartedAtUtc']);
	bench.start(1, { ago: 3 * HOUR });
	bench.start(2, { ago: HOUR });
	bench.start(3, { ago: 3 * HOUR, status: 4 });
	await minutes(rig, 3);
	expect(told(rig)).toEqual(['runningLong 1']);
});

it('sessions that were over before the trigger went live are not reported as ended', async () => {
	ignoring(['Status']);
	bench.start(1, { ago: HOUR, status: 4 });
	const rig = await start('memory', SESSIONS, { events: ['ended'] });
	bench.start(2);
	await minutes(rig, 1);
	bench.become(4, 2);
	await minutes(rig, 18);
	expect(told(rig)).toEqual(['ended 2']);
	expect(messages(rig)).toEqual([expect.stringMatching(/does not apply the condition on Status$/)]);
});

it('a trigger does not begin with a filter that is not applied, and a test shows why', async () => {
	ignoring(['HardwareStatus']);
	const refusal = /the platform does not apply the condition on HardwareStatus/;
	await expect(start('memory', STATIONS, FAULTED)).rejects.toThrow(refusal);
	await expect(testManually(FAULTED, bench.credential())).rejects.toThrow(refusal);
});

it('of what cannot be told of a row, nothing is reported while others contradict the filter', async () => {
	odd.rows = [1, 2, 3].map((Id) => ({ Id, NetworkStatus: 1, Status: 1, HardwareStatus: 1, Name: 'A' }));
	const rig = await start('memory', STATIONS, FAULTED, odd.credential);
	odd.ignores = new Set(['filter']);
	odd.rows.push({ Id: 4, NetworkStatus: 1, Status: 1, HardwareStatus: 'Faulted', Name: 'B' });
	await minutes(rig, 3);
	expect(told(rig)).toEqual([]);
});

it('in a long list each page is looked through, and two requests a poll find out about the contradiction', async () => {
	odd.rows = Array.from({ length: 350 }, (_, index) => ({ Id: index + 1, HardwareStatus: 1, NetworkStatus: 1 }));
	const rig = await start('memory', STATIONS, FAULTED, odd.credential);
	odd.ignores = new Set(['filter']);
	Object.assign(odd.rows[340] ?? {}, { HardwareStatus: 3 });
	const before = odd.server.received.length;
	await minutes(rig, 1);
	expect(told(rig)).toEqual(['startedMatching 341']);
	expect(odd.server.received.length - before).toBeLessThan(14);
});
