/** What triggers do where the platform does not apply their filter. */
import type { INodeParameters } from 'n8n-workflow';

import { OUT_OF_ORDER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { SessionBench } from '../../support/sessionTrigger/support.ts';
import { statusFilter, text } from '../../support/stationTrigger/support.ts';
import { testManually, TriggerRig, type Engine, type TriggerName } from '../../support/trigger/rig.ts';

const bench = new SessionBench({ stations: 6 });
const minutes = bench.minutes.bind(bench);
const STATIONS = 'chargingStationStatusTrigger';
const SESSIONS = 'chargingSessionTrigger';
const FAULTED = { event: 'filterMatch', filters: statusFilter('hardwareStatus', '3'), logic: 'And' };
const OUT_OF_SERVICE = statusFilter('status', '2');
const ignoring = (fields: string[]) => (bench.platform.behaviour.ignores = fields);

async function start(engine: Engine, type: TriggerName, parameters: INodeParameters) {
	const rig = new TriggerRig(engine, parameters, bench.credential(), {}, type);
	await rig.activate();
	await minutes(rig, 1);
	return rig;
}

/** The events since the last call: `offline 3`. */
const told = (rig: TriggerRig) =>
	rig.take().map(({ event, stationId, sessionId, rowId }) => `${text(event)} ${text(stationId ?? sessionId ?? rowId)}`);

/** Each trigger, and the parameter whose condition the platform ignores from some poll on. */
const WATCHED: ReadonlyArray<[TriggerName, string, INodeParameters, Engine]> = [
	[STATIONS, 'HardwareStatus', FAULTED, 'memory'],
	[STATIONS, 'Status', { event: 'availability', filters: OUT_OF_SERVICE, logic: 'And' }, 'scheduler'],
	['chargePointTrigger', 'Status', { ...OUT_OF_ORDER, filters: OUT_OF_SERVICE, logic: 'And' }, 'cursors'],
	[SESSIONS, 'Status', { events: ['runningLong'], runningHours: 2 }, 'scheduler'],
];

it.each(WATCHED)(
	'where a filter is ignored, one failed execution says so, and one each hour; nothing is reported: %s, %s',
	async (type, field, parameters, engine) => {
		for (const station of [1, 2, 3, 4, 5, 6]) setPoints(bench, station, points(station, 1));
		bench.set({ Status: 2 }, 1, 2);
		const rig = await start(engine, type, parameters);
		rig.take();
		ignoring([field, 'StartedAtUtc']);
		bench.set({ NetworkStatus: 2 }, 5);
		for (let id = 1; id <= 3; id++) bench.start(id, { energy: 3, status: id === 3 ? 4 : 1 });
		await minutes(rig, 10);
		expect(rig.errors.map(({ message }) => message)).toEqual([
			expect.stringMatching(/the platform (does not apply the condition on|ignored the filter)/),
		]);
		await minutes(rig, 70);
		expect(rig.errors).toHaveLength(2);
		expect(told(rig)).toEqual([]);
	},
);

it('once the filter is applied again, what is the case is reported', async () => {
	const rig = await start('memory', STATIONS, FAULTED);
	bench.set({ HardwareStatus: 3 }, 2);
	await minutes(rig, 1);
	expect(told(rig)).toEqual(['startedMatching 2']);
	ignoring(['HardwareStatus']);
	bench.set({ HardwareStatus: 1 }, 2);
	bench.set({ HardwareStatus: 3 }, 4);
	await minutes(rig, 5);
	expect(told(rig)).toEqual([]);
	ignoring([]);
	await minutes(rig, 20);
	expect(told(rig).sort()).toEqual(['startedMatching 4', 'stoppedMatching 2']);
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

it('a trigger does not begin with a filter that is not applied, and a test shows why', async () => {
	ignoring(['HardwareStatus']);
	const refusal = /the platform does not apply the condition on HardwareStatus/;
	await expect(start('memory', STATIONS, FAULTED)).rejects.toThrow(refusal);
	await expect(testManually(FAULTED, bench.credential())).rejects.toThrow(refusal);
});
