import range from 'lodash/range.js';
import type { INodeParameters } from 'n8n-workflow';

import { OUT_OF_ORDER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import type { Fault } from '../../platform/index.ts';
import { FINISHED, SESSION_TRIGGER, SessionBench } from '../../support/sessionTrigger/support.ts';
import { MINUTE, nothing, statusFilter } from '../../support/stationTrigger/support.ts';
import { OddPlatform } from '../../support/trigger/oddPlatform.ts';
import { testManually, TriggerRig, type Engine, type TriggerName } from '../../support/trigger/rig.ts';

/** What triggers do where a part of a poll is not answered, or wrongly. While nothing is answered: triggerOutages.test.ts. */
const bench = new SessionBench({ stations: 6 });
const odd = new OddPlatform();
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);
const STATIONS = 'chargingStationStatusTrigger';
const FAULTED = { event: 'filterMatch', filters: statusFilter('hardwareStatus', '3'), logic: 'And' };

async function start(type: TriggerName, parameters: INodeParameters, engine: Engine = 'memory') {
	const rig = await bench.live(parameters, type, engine);
	await minutes(rig, 1);
	return rig;
}

type Request = { path: string; query?: string };
const isList = ({ path }: Request) => path === '/api/charging-stations/v1';
const isFiltered = ({ query = '' }: Request) => query.includes('HardwareStatus');
const isLookUp = ({ query = '' }: Request) => query.includes('"In"');
/** From now on, until `clear`. */
const answers = (fault: Omit<Fault, 'match' | 'times'>, match: (request: Request) => boolean) =>
	bench.platform.faults.add({ ...fault, match, times: Infinity });
const clear = () => bench.platform.faults.clear();
const empty = (count: number) => ({ kind: 'reply', status: 200, body: { Items: [], TotalCount: count } }) as const;
const messages = (rig: TriggerRig) => rig.errors.map(({ message }) => message);

describe('a filter that the platform does not apply', () => {
	const ignoring = (...fields: string[]) => (bench.platform.behaviour.ignores = fields);
	const OUT_OF_SERVICE = { filters: statusFilter('status', '2'), logic: 'And' };

	it.each<[TriggerName, string, INodeParameters, Engine]>([
		[STATIONS, 'HardwareStatus', FAULTED, 'memory'],
		['chargePointTrigger', 'Status', { ...OUT_OF_ORDER, ...OUT_OF_SERVICE }, 'cursors'],
		[SESSION_TRIGGER, 'Status', { events: ['runningLong'], runningHours: 2 }, 'scheduler'],
	])('%s, %s: one failed execution says so, and one each hour; nothing is reported', async (...watched) => {
		const [type, field, parameters, engine] = watched;
		for (const station of range(1, 7)) setPoints(bench, station, points(station, 1));
		bench.set({ Status: 2 }, 1, 2);
		const rig = await start(type, parameters, engine);
		rig.take();
		ignoring(field, 'StartedAtUtc');
		bench.set({ NetworkStatus: 2 }, 5);
		for (const id of [1, 2, 3]) bench.start(id, { energy: 3, status: id === 3 ? FINISHED : 1 });
		await minutes(rig, 10);
		expect(messages(rig)).toEqual([
			expect.stringMatching(/the platform (does not apply the condition on|ignored the filter)/),
		]);
		await minutes(rig, 70);
		expect(rig.errors).toHaveLength(2);
		expect(rig.told()).toEqual([]);
	});

	it('is one that contradicts twice: a station that changed while a poll was answered is asked for once more', async () => {
		const rig = await start(STATIONS, FAULTED);
		const changed = { kind: 'reply', body: { Items: [{ Id: 1, HardwareStatus: 1 }], TotalCount: 1 } } as const;
		bench.platform.faults.add({ ...changed, match: isFiltered });
		await minutes(rig, 5);
		expect([rig.told(), messages(rig)]).toEqual([[], []]);
		answers(changed, isFiltered);
		await minutes(rig, 5);
		expect(messages(rig)).toEqual([expect.stringMatching(/does not apply the condition on HardwareStatus/)]);
	});

	it('on which stations are not online, changes nothing: the rows say which are', async () => {
		const rig = await start(STATIONS, { event: 'availability' });
		ignoring('NetworkStatus');
		await plays(
			rig,
			[() => bench.set({ NetworkStatus: 2 }, 2), 1, ['offline 2']],
			[() => bench.set({ NetworkStatus: 1 }, 2), 20, ['backOnline 2']],
		);
	});

	it('does not let a trigger begin, and a test shows why', async () => {
		ignoring('HardwareStatus');
		const refusal = /the platform does not apply the condition on HardwareStatus/;
		await expect(start(STATIONS, FAULTED)).rejects.toThrow(refusal);
		await expect(testManually(FAULTED, bench.credential())).rejects.toThrow(refusal);
	});
});

/** What a gateway answers while the platform behind it is away. */
const GATEWAY: Array<[string, Fault]> = [
	['404', { kind: 'status', status: 404 }],
	['204', { kind: 'reply', status: 204 }],
	['an empty body', { kind: 'reply' }],
];

describe('minutes that run while a gateway answers in place of the platform go on', () => {
	const offline = () => bench.set({ NetworkStatus: 2, HardwareStatus: 3 }, 3);
	const AFTER = { minutesInState: 7 };

	it.each<[string, TriggerName, INodeParameters, () => void, string]>([
		['Alert Only After', STATIONS, { event: 'availability', ...AFTER }, offline, 'offline 3'],
		['Alert Only After of a match', STATIONS, { ...FAULTED, ...AFTER }, offline, 'startedMatching 3'],
		['Alert Only After of outages', STATIONS, { event: 'unstable', outages: 2, ...AFTER }, offline, 'unstable 3'],
		['Stalled After', SESSION_TRIGGER, { events: ['stalled'], stalledMinutes: 7 }, () => bench.start(3), 'stalled 3'],
	])('%s', async (_, type, parameters, begin, told) => {
		for (const [, fault] of GATEWAY) {
			bench.set({ NetworkStatus: 1, HardwareStatus: 1 });
			bench.delete(3);
			const rig = await start(type, parameters);
			if (parameters.event === 'unstable') {
				offline();
				await minutes(rig, 9);
				bench.set({ NetworkStatus: 1 });
				await minutes(rig, 2);
			}
			begin();
			await minutes(rig, 3);
			answers(fault, () => true);
			await plays(rig, [nothing, 2, []], [clear, 2, []], [nothing, 1, [told]]);
		}
	});
});

/** Something has begun for 24 stations or sessions, and its end is found by looking them up. */
describe.each([
	{
		type: STATIONS as TriggerName,
		plural: 'charging stations',
		parameters: { event: 'availability' },
		begin: () => bench.set({ NetworkStatus: 2 }),
		end: (...ids: number[]) => bench.set({ NetworkStatus: 1 }, ...ids),
		event: 'backOnline',
	},
	{
		type: SESSION_TRIGGER as TriggerName,
		plural: 'charging sessions',
		parameters: { events: ['ended'] },
		begin: () => {
			bench.startAll(1, 24);
			bench.startAll(101, 160, { status: FINISHED });
		},
		end: (...ids: number[]) => bench.become(FINISHED, ...ids),
		event: 'ended',
	},
])('$type: what is looked up', ({ type, plural, parameters, begin, end, event }) => {
	const told = (ids: number[]) => ids.map((id) => `${event} ${id}`);

	async function begun(): Promise<TriggerRig> {
		for (const id of range(7, 25)) bench.add(id, `Station ${id}`);
		const rig = await start(type, parameters);
		begin();
		await minutes(rig, 2);
		rig.take();
		return rig;
	}

	it('and cannot be found out hides no other, costs little, and is said in time', async () => {
		const rig = await begun();
		const cannotBe = [3, 9];
		const idsIn = ({ query = '' }: Request) => /"In","Value":"([^"]*)"/.exec(query)?.[1]?.split(',') ?? [];
		answers({ kind: 'status', status: 500 }, (request) => idsIn(request).some((id) => cannotBe.includes(Number(id))));
		end(...range(1, 25));
		await minutes(rig, 1);
		expect(rig.told().sort()).toEqual(told(range(1, 25).filter((id) => !cannotBe.includes(id))).sort());
		// The lists, and three tries for each of the two.
		expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBeLessThanOrEqual(3 + 2 * 3);
		expect(rig.errors).toEqual([]);
		await bench.polls(rig, 4, 10 * MINUTE);
		expect(messages(rig)).toEqual([expect.stringContaining(`The ${plural} looked up by ID could not be read since`)]);
		clear();
		await minutes(rig, 1);
		expect(rig.told().sort()).toEqual(told(cannotBe).sort());
	});

	it('while the rate limit is used up is looked up at once afterwards', async () => {
		const rig = await begun();
		answers({ kind: 'status', status: 429, headers: { 'retry-after': '5' } }, isLookUp);
		await plays(rig, [() => end(3, 9, 15), 1, []]);
		clear();
		expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBeLessThanOrEqual(4);
		expect(rig.told().sort()).toEqual(told([3, 9, 15]).sort());
	});

	it.each(GATEWAY)('and answered by a gateway with %s ends nothing, and nothing is lost', async (_, fault) => {
		const rig = await begun();
		answers(fault, isLookUp);
		await plays(rig, [() => end(5), 4, []], [clear, 2, told([5])]);
	});
});

describe('behind a gateway that answers 404 where a URL is too long', () => {
	const guidOf = (id: number) => `3f2504e0-4f89-11d3-9a0c-${String(id).padStart(12, '0')}`;
	const are = (count: number, status: number) =>
		(odd.rows = range(count).map((id) => ({ Id: guidOf(id), Name: `Station ${id}`, NetworkStatus: status })));
	const filters = { name: range(12).map((nth) => ({ operator: 'Neq', value: `Site number ${nth}` })) };

	it.each<[string, INodeParameters, number, number]>([
		['2,048 characters, with 12 conditions', { filters }, 2_048, 450],
		['1,000 characters', {}, 1_000, 450],
	])('%s: stations with GUIDs that come back are told', async (_, parameters, longest, count) => {
		are(count, 1);
		const rig = new TriggerRig('memory', { event: 'availability', ...parameters }, odd.credential, {}, STATIONS);
		await rig.activate();
		are(count, 2);
		await minutes(rig, 2);
		expect(rig.take()).toHaveLength(count);
		odd.longestUrl = longest;
		are(count, 1);
		await minutes(rig, 8);
		expect(rig.take()).toHaveLength(count);
		expect(rig.errors).toEqual([]);
	});
});

it.each(GATEWAY)(
	'later pages of stations answered by a gateway with %s remove none, and bring none back',
	async (_, fault) => {
		const options = { stationChanges: ['added', 'removed'], pageSize: 2, parallelRequests: 1 };
		const rig = await start(STATIONS, { event: 'statusChange', options });
		answers(fault, (request) => isList(request) && /"Gt"|"In"|"Skip":[1-9]/.test(request.query ?? ''));
		await minutes(rig, 5);
		clear();
		bench.set({ NetworkStatus: 2 }, 6);
		await minutes(rig, 2);
		expect(rig.told()).toEqual(['statusChanged 6 NetworkStatus 1>2']);
	},
);

describe('a list of stations', () => {
	it.each<[INodeParameters, string]>([
		[{ event: 'availability' }, 'offline 5'],
		[{ event: 'statusChange' }, 'statusChanged 5 NetworkStatus 1>2'],
	])('that shows none for a poll, as do details, ends and removes nothing: %j', async (parameters, told) => {
		const rig = await start(STATIONS, { ...parameters, options: { stationChanges: ['added', 'removed'] } });
		await plays(rig, [() => bench.set({ NetworkStatus: 2 }, 5), 1, [told]]);
		const showsNone = () => {
			answers(empty(0), isList);
			answers({ kind: 'status', status: 404 }, ({ path }) => /\/v1\/\d+$/.test(path));
		};
		await plays(rig, [showsNone, 1, []], [clear, 2, []], [showsNone, 1, []], [clear, 2, []]);
	});

	it('that shows none, but counts some, ends no outage', async () => {
		const rig = await start(STATIONS, { event: 'availability' });
		await plays(rig, [() => bench.set({ NetworkStatus: 2 }, 3), 1, ['offline 3']]);
		answers(empty(1), isList);
		await plays(rig, [nothing, 2, []], [clear, 2, []]);
	});

	it('that is damaged raises nothing, is logged, and is a refusal after a quarter of an hour', async () => {
		const rig = await start(STATIONS, { event: 'statusChange' });
		answers({ kind: 'reply', status: 200, body: { Items: [{ Id: 1 }, null], TotalCount: 6 } }, isList);
		await plays(rig, [nothing, 5, []]);
		expect(rig.logs.length).toBeGreaterThanOrEqual(1);
		await minutes(rig, 25);
		expect(rig.errors).toHaveLength(1);
		clear();
		bench.set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 16);
		expect(rig.told()).toEqual(['statusChanged 3 NetworkStatus 1>2']);
	});
});

describe('a refusal while the filter is another one in each poll is one outage', () => {
	const odd = '={{ "x".repeat($now.toMillis() % 7) + "," + $now.toMillis() }}';
	const unusable = { status: [{ operator: 'Eq', value: odd }], id: [{ operator: 'In', values: odd }] };
	const AVAILABILITY = { event: 'availability', filters: { name: [{ operator: 'Neq', value: odd }] } };

	it.each<[string, (rig: TriggerRig) => unknown]>([
		['the license is not active', () => (bench.platform.license.active = false)],
		[
			'the filter cannot be used, for another reason each time',
			async (rig) => await rig.republish({ parameters: { ...AVAILABILITY, filters: unusable } }).catch(() => undefined),
		],
	])('%s', async (_, refuse) => {
		const rig = await start(STATIONS, AVAILABILITY);
		await refuse(rig);
		expect(await bench.requestsOf(async () => await minutes(rig, 60))).toBeLessThanOrEqual(8);
		expect(rig.errors.length).toBeGreaterThanOrEqual(1);
		expect(rig.errors.length).toBeLessThanOrEqual(2);
	});
});
