import range from 'lodash/range.js';
import type { INodeParameters } from 'n8n-workflow';

import {
	CHARGE_POINT_TRIGGER,
	OUT_OF_ORDER,
	points,
	setPoints,
	STATUS_CHANGE,
} from '../../support/chargePointTrigger/support.ts';
import type { Fault } from '../../platform/index.ts';
import { list, ROWS_TRIGGER } from '../../support/rowsTrigger/support.ts';
import { Bench, MINUTE, nothing, statusFilter } from '../../support/stationTrigger/support.ts';
import type { TriggerName } from '../../support/trigger/rig.ts';

/** What counts as gone: what list and look-up by Id leave out, for how long, and what a detail says of it. */
const bench = new Bench({ stations: 22 });
const plays = bench.plays.bind(bench);
const STATIONS = 'chargingStationStatusTrigger';
const AVAILABILITY = { event: 'availability' };
const MATCHES = { event: 'filterMatch', filters: statusFilter('hardwareStatus', '3') };

beforeEach(() => range(1, 23).forEach((station) => setPoints(bench, station, points(station, 1))));

const start = async (type: TriggerName, parameters: INodeParameters) => await bench.live(parameters, type);

type Request = { path: string; query?: string };
const isDetail = ({ path }: Request) => /\/v1\/\d+$/.test(path);
const isLookUp = ({ query = '' }: Request) => query.includes('"In"');
const answers = (fault: Omit<Fault, 'match' | 'times'>, match: (request: Request) => boolean) => () =>
	bench.platform.faults.add({ ...fault, match, times: Infinity });
const clear = () => bench.platform.faults.clear();
const empty = { kind: 'reply', status: 200, body: { Items: [], TotalCount: 0 } } as const;

const fails =
	(...ids: number[]) =>
	() => {
		bench.set({ NetworkStatus: 2, HardwareStatus: 3 }, ...ids);
		for (const id of ids) setPoints(bench, id, points(id, 4));
	};
const returns =
	(...ids: number[]) =>
	() => {
		bench.set({ NetworkStatus: 1, HardwareStatus: 1 }, ...ids);
		for (const id of ids) setPoints(bench, id, points(id, 1));
	};

const GATEWAYS: Record<string, Omit<Fault, 'match' | 'times'>> = {
	'a 404': { kind: 'status', status: 404 },
	'a 204': { kind: 'reply', status: 204 },
	'an empty body': { kind: 'reply', status: 200, body: '' },
};

describe.each(Object.keys(GATEWAYS))('%s on details of stations that the list shows', (gateway) => {
	const breaks = answers(GATEWAYS[gateway] ?? { kind: 'stall' }, isDetail);

	it('is no end of what is out of order, and forgets no status', async () => {
		const rig = await start(CHARGE_POINT_TRIGGER, OUT_OF_ORDER);
		await plays(
			rig,
			[fails(3), 2, ['outOfOrder 31']],
			[breaks, 5, []],
			[clear, 3, []],
			[returns(3), 1, ['backInOrder 31']],
		);
		expect(rig.items[1]).not.toHaveProperty('removed');
		expect(rig.items[1]?.since).toBe(rig.items[0]?.since);
		const changes = await start(CHARGE_POINT_TRIGGER, STATUS_CHANGE);
		await plays(changes, [breaks, 5, []], [fails(3), 1, []], [clear, 1, ['statusChanged 31 1>4']]);
	});

	it('is said after half an hour', async () => {
		const rig = await start(CHARGE_POINT_TRIGGER, OUT_OF_ORDER);
		breaks();
		await bench.polls(rig, 3, 10 * MINUTE);
		expect(rig.errors).toEqual([]);
		await bench.polls(rig, 1, 10 * MINUTE);
		expect(rig.errors.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^The details of charging stations could not be read since/),
		]);
	});
});

it('the detail of another station is no end of what is out of order, and the others are looked at', async () => {
	const rig = await start(CHARGE_POINT_TRIGGER, OUT_OF_ORDER);
	const other = { kind: 'reply', status: 200, body: { Id: 4, EVSEs: points(4, 1) } } as const;
	await plays(
		rig,
		[fails(3), 2, ['outOfOrder 31']],
		[answers(other, ({ path }) => path.endsWith('/3')), 5, []],
		[fails(5), 1, ['outOfOrder 51']],
		[clear, 3, []],
		[returns(3), 1, ['backInOrder 31']],
	);
	expect(rig.items.at(-1)).not.toHaveProperty('removed');
});

describe('a station that is in no list and has a detail still', () => {
	const detailOf = (id: number, status: number) =>
		answers(
			{ kind: 'reply', status, body: { Id: id, Name: 'Moved', NetworkStatus: 2, EVSEs: points(id, 4) } },
			({ path }) => path.endsWith(`/v1/${id}`),
		);
	const KINDS: Array<[TriggerName, INodeParameters, string, string]> = [
		[STATIONS, AVAILABILITY, 'offline 3', 'backOnline 3'],
		[STATIONS, MATCHES, 'startedMatching 3', 'stoppedMatching 3'],
		[CHARGE_POINT_TRIGGER, OUT_OF_ORDER, 'outOfOrder 31', 'backInOrder 31'],
	];

	it.each(KINDS.flatMap((kind) => [403, 400, 200].map((status) => [...kind, status] as const)))(
		'%s, %j: what was open ends after an hour (%s, %s, detail %i)',
		async (type, parameters, begin, end, status) => {
			const rig = await start(type, parameters);
			await plays(rig, [fails(3), 2, [begin]], [() => [bench.remove(3), detailOf(3, status)()], 0, []]);
			await bench.polls(rig, 12);
			expect(rig.told()).toEqual([]);
			await bench.polls(rig, 3);
			expect([rig.told(), rig.errors]).toEqual([[end], []]);
			expect(rig.items[1]).toMatchObject({ removed: true, incidentId: rig.items[0]?.incidentId });
			expect(await bench.requestsOf(async () => await bench.minutes(rig, 1))).toBe(type === STATIONS ? 1 : 22);
		},
	);

	it('is removed after an hour, too', async () => {
		const rig = await start(STATIONS, { ...AVAILABILITY, options: { stationChanges: ['removed'] } });
		await plays(rig, [() => [bench.remove(3), detailOf(3, 200)()], 55, []], [nothing, 10, ['removed 3']]);
	});

	it('stays open where the same look-up does not find what the list shows', async () => {
		const rig = await start(STATIONS, AVAILABILITY);
		const hides = () => [bench.remove(3), answers(empty, isLookUp)()];
		await plays(rig, [fails(3, 5), 2, ['offline 3', 'offline 5']], [hides, 3, []]);
		await bench.polls(rig, 30);
		expect(rig.told()).toEqual([]);
		clear();
		await bench.minutes(rig, 2);
		expect(rig.told()).toEqual(['backOnline 3']);
	});
});

describe('more than ten, or all of at least two, missing at the same time', () => {
	const TWELVE = range(1, 13);
	const told = (event: string, ids: readonly number[]) => ids.map((id) => `${event} ${id}`).sort();

	it.each<[string, number[], number]>([
		['more than ten of them: after 15 minutes', TWELVE, 15],
		['all of them: after 15 minutes', [...TWELVE, 20], 15],
		['ten of them: with the second poll', range(1, 11), 2],
	])('outages of %s', async (_, gone, minutes) => {
		const rig = await start(STATIONS, AVAILABILITY);
		await plays(
			rig,
			[fails(...TWELVE, 20), 2, told('offline', [...TWELVE, 20])],
			[() => bench.remove(...gone), minutes - 1, []],
			[nothing, 2, told('backOnline', gone)],
		);
	});

	it('counted over all polls of a round: charge points of stations that take turns', async () => {
		const rig = await start(CHARGE_POINT_TRIGGER, { ...OUT_OF_ORDER, options: { mostStations: 7 } });
		await plays(
			rig,
			[nothing, 3, []],
			[
				fails(...TWELVE, 20, 21),
				3,
				told(
					'outOfOrder',
					[...TWELVE, 20, 21].map((id) => id * 10 + 1),
				),
			],
		);
		const emptied = [1, 2, 3, 4, 5, 11, 12, 20];
		// A part of the polls of a round sees eight of them, another three.
		const vanish = () => [...emptied, 6, 7, 8].forEach((id) => setPoints(bench, id, [{ Id: id, Status: 1 }]));
		await plays(
			rig,
			[vanish, 14, []],
			[
				nothing,
				6,
				told(
					'backInOrder',
					[...emptied, 6, 7, 8].map((id) => id * 10 + 1),
				),
			],
		);
	});

	it('and none of them is gone: an offline list that empties because all came back is no such thing', async () => {
		const rig = await start(STATIONS, AVAILABILITY);
		await plays(
			rig,
			[fails(...TWELVE), 2, told('offline', TWELVE)],
			[returns(...TWELVE), 1, told('backOnline', TWELVE)],
		);
	});

	it('a list and look-ups that show nothing for ten minutes end nothing, and remove none', async () => {
		const rig = await start(STATIONS, { ...AVAILABILITY, options: { stationChanges: ['removed'] } });
		const isStations = ({ path }: Request) => path.startsWith('/api/charging-stations');
		const notFound = answers({ kind: 'status', status: 404 }, isDetail);
		await plays(
			rig,
			[fails(3, 5), 2, ['offline 3', 'offline 5']],
			[() => [notFound(), answers(empty, isStations)()], 10, []],
			[clear, 3, []],
			[returns(3, 5), 2, ['backOnline 3', 'backOnline 5']],
		);
	});

	it('rows of a list', async () => {
		const rows = await start(ROWS_TRIGGER, { event: 'goneRow', ...list('/api/charging-stations/v1') });
		await plays(rows, [() => bench.remove(...TWELVE), 14, []], [nothing, 3, told('goneRow', TWELVE)]);
		await plays(rows, [() => bench.remove(20), 2, ['goneRow 20']]);
	});
});
