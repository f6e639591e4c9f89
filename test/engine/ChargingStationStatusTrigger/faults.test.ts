import range from 'lodash/range.js';
import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../platform/index.ts';
import { Bench, MINUTE, nothing, short, statusFilter } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const bench = new Bench({ stations: 6 });
const set = bench.set.bind(bench);
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);

async function start(parameters: INodeParameters) {
	const rig = new TriggerRig('memory', parameters, bench.credential());
	await rig.activate();
	return rig;
}

type Request = { path: string; query?: string };
const isList = ({ path }: Request) => path === '/api/charging-stations/v1';
const isLookUp = ({ query = '' }: Request) => query.includes('"In"');
/** Matches requests for the detail of these stations; without ids, of any station. */
const isDetailOf =
	(...ids: number[]) =>
	({ path }: Request) => {
		const id = /\/v1\/([^/]+)$/.exec(path)?.[1];
		return id !== undefined && (ids.length === 0 || ids.includes(Number(id)));
	};
/** From now on, until `clear`. */
const fails = (match: (request: Request) => boolean, fault: Omit<Fault, 'match' | 'times'>) =>
	bench.platform.faults.add({ ...fault, match, times: Infinity });
const clear = () => bench.platform.faults.clear();
const empty = (count: number) => ({ kind: 'reply', status: 200, body: { Items: [], TotalCount: count } }) as const;

it.each<[string, Omit<Fault, 'match' | 'times'>]>([
	['500', { kind: 'status', status: 500 }],
	['half an answer', { kind: 'truncate' }],
	['404', { kind: 'status', status: 404 }],
	['429', { kind: 'status', status: 429, headers: { 'retry-after': '5' } }],
	['a web page', { kind: 'html', status: 200 }],
])('stations whose detail keeps answering %s hold up no alert', async (_, fault) => {
	const rig = await start({ event: 'availability', options: { fetchDetail: true } });
	fails(isDetailOf(1, 2, 3, 4), fault);
	const all = [1, 2, 3, 4, 5, 6].map((id) => `offline ${id}`);
	await plays(rig, [() => set({ NetworkStatus: 2 }), 3, all]);
	const missing = rig.items.filter(({ detailMissing }) => detailMissing !== undefined);
	expect(missing.map(({ stationId }) => stationId)).toEqual(expect.arrayContaining([1, 2, 3, 4]));
	for (const { detailMissing, station, stationId } of missing) {
		expect(detailMissing).toMatch(/\w+ \w+/);
		expect(station).toMatchObject({ Id: stationId });
	}
	await plays(rig, [() => set({ NetworkStatus: 1 }, 5), 2, ['backOnline 5']]);
});

it('stations that cannot be looked up hold up no other, cost little, and are said in time', async () => {
	for (let id = 7; id <= 24; id++) bench.add(id, `Station ${id}`);
	const rig = await start({ event: 'availability' });
	const all = range(1, 25);
	const cannotBe = [3, 9, 15, 21];
	const others = all.filter((id) => !cannotBe.includes(id));
	await plays(rig, [() => set({ NetworkStatus: 2 }), 1, all.map((id) => `offline ${id}`)]);
	const idsIn = ({ query = '' }: Request) => /"In","Value":"([^"]*)"/.exec(query)?.[1]?.split(',') ?? [];
	fails((request) => idsIn(request).some((id) => cannotBe.includes(Number(id))), { kind: 'status', status: 500 });
	await plays(rig, [() => set({ NetworkStatus: 1 }), 4, others.map((id) => `backOnline ${id}`)]);
	// The list, and three tries for each of the four.
	expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBe(1 + 4 * 3);
	expect(rig.errors).toEqual([]);
	await bench.polls(rig, 4, 10 * MINUTE);
	expect(rig.errors.map(({ message }) => message)).toEqual([
		expect.stringMatching(/^The charging stations could not be read since/),
	]);
	clear();
	await minutes(rig, 1);
	expect(short(rig.take())).toEqual(cannotBe.map((id) => `backOnline ${id}`));
	// From now on, they are looked up with all others.
	set({ NetworkStatus: 2 });
	await minutes(rig, 1);
	set({ NetworkStatus: 1 });
	expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBe(2);
});

const stationChanges = ['added', 'removed'];
const EVENTS = [
	[{ event: 'availability' }, 'offline 5'],
	[{ event: 'statusChange' }, 'statusChanged 5 NetworkStatus 1>2'],
	[{ event: 'filterMatch', filters: statusFilter('networkStatus', '2') }, 'startedMatching 5'],
] as const;

it.each(EVENTS.flatMap((event, index) => [[...event, index % 2 ? 403 : 500] as const]))(
	'%j: what happens is reported (%s), and a removal only once the platform says that there is no such station (%d)',
	async (parameters, told, status) => {
		const rig = await start({ ...parameters, options: { stationChanges } });
		await minutes(rig, 1);
		fails(isDetailOf(2), { kind: 'status', status });
		await plays(
			rig,
			[() => bench.remove(2, 3), 2, ['removed 3']],
			[() => set({ NetworkStatus: 2 }, 5), 2, [told]],
			[clear, 2, ['removed 2']],
		);
	},
);

it('a removal that comes again because n8n was killed keeps its id', async () => {
	const rig = await start({ event: 'availability', options: { stationChanges } });
	await plays(rig, [() => bench.remove(2), 1, []]);
	await rig.unsaved(() => plays(rig, [nothing, 1, ['removed 2']]));
	await plays(rig, [() => rig.restart(), 2, ['removed 2']]);
	expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(1);
});

it('Added and Removed are reported with the filter event when the fleet does not fit into one poll', async () => {
	for (let id = 7; id <= 60; id++) bench.add(id, `Station ${id}`);
	const filters = statusFilter('hardwareStatus', '3');
	const parameters = { event: 'filterMatch', filters, options: { stationChanges, pageSize: 5 } };
	const rig = new TriggerRig('memory', parameters, bench.credential());
	rig.budgetMs = 10_000;
	bench.slow(480);
	await rig.activate();
	await plays(rig, [nothing, 8, []]);
	bench.add(61, 'New one');
	await plays(rig, [() => bench.remove(2, 33), 8, ['added 61', 'removed 2', 'removed 33']]);
});

it.each(EVENTS)(
	'%j: a platform that shows no station for one poll: nothing twice, nothing removed',
	async (...event) => {
		const [parameters, told] = event;
		const rig = await start({ ...parameters, options: { stationChanges } });
		await plays(rig, [() => set({ NetworkStatus: 2 }, 5), 1, [told]]);
		for (let time = 0; time < 2; time++) {
			fails(isList, empty(0));
			fails(isDetailOf(), { kind: 'status', status: 404 });
			await plays(rig, [nothing, 1, []], [clear, 2, []]);
		}
		set({ NetworkStatus: 1 }, 5);
		await minutes(rig, 1);
		expect(rig.take()).toHaveLength(1);
	},
);

it('a list that shows nothing, but counts some, ends no outage', async () => {
	const rig = await start({ event: 'availability' });
	await plays(rig, [() => set({ NetworkStatus: 2 }, 3), 1, ['offline 3']]);
	fails(isList, empty(1));
	await plays(rig, [nothing, 2, []], [clear, 2, []]);
});

it('a damaged list raises nothing, is logged, and is later reported as a refusal', async () => {
	const rig = await start({ event: 'statusChange' });
	fails(isList, { kind: 'reply', status: 200, body: { Items: [{ Id: 1 }, null], TotalCount: 6 } });
	await plays(rig, [nothing, 5, []]);
	expect(rig.logs.length).toBeGreaterThanOrEqual(1);
	await minutes(rig, 25);
	expect(rig.errors).toHaveLength(1);
	clear();
	set({ NetworkStatus: 2 }, 3);
	await minutes(rig, 16);
	expect(short(rig.items)).toEqual(['statusChanged 3 NetworkStatus 1>2']);
});

describe('a refusal while the filter changes with each poll', () => {
	const changing = { name: [{ operator: 'Neq', value: '={{ "x" + $now.toMillis() }}' }] };
	const odd = '={{ "x".repeat($now.toMillis() % 7) + "," + $now.toMillis() }}';
	const refused = { status: [{ operator: 'Eq', value: odd }], id: [{ operator: 'In', values: odd }] };

	it.each<[string, (rig: TriggerRig) => unknown]>([
		['the license is inactive', () => (bench.platform.license.active = false)],
		[
			'a message that differs',
			async (rig) => {
				const parameters = { event: 'availability', filters: refused };
				await rig.republish({ parameters }).catch(() => undefined);
			},
		],
	])('counts as one outage: %s', async (_, refuse) => {
		const rig = await start({ event: 'availability', filters: changing });
		await minutes(rig, 2);
		await refuse(rig);
		const sent = await bench.requestsOf(async () => await minutes(rig, 60));
		expect(sent).toBeLessThanOrEqual(8);
		expect(rig.errors.length).toBeGreaterThanOrEqual(1);
		expect(rig.errors.length).toBeLessThanOrEqual(2);
	});
});

// What a gateway answers while the platform behind it is away.
describe.each<[string, Fault]>([
	['404', { kind: 'status', status: 404 }],
	['204', { kind: 'reply', status: 204 }],
	['an empty body', { kind: 'reply' }],
])('%s in the middle of a poll', (_, fault) => {
	it('ends no outage of a station that is looked up by its Id', async () => {
		const rig = await start({ event: 'availability' });
		await plays(rig, [() => set({ NetworkStatus: 2 }, 5), 1, ['offline 5']]);
		// The list does not show it any more: the look-up decides, and is not answered.
		fails((request) => isList(request) && !isLookUp(request), empty(0));
		fails(isLookUp, fault);
		await plays(rig, [nothing, 4, []], [clear, 2, []], [() => set({ NetworkStatus: 1 }, 5), 1, ['backOnline 5']]);
	});

	it('neither removes nor brings back stations of later pages', async () => {
		const options = { stationChanges, pageSize: 2, parallelRequests: 1 };
		const rig = await start({ event: 'statusChange', options });
		await minutes(rig, 1);
		fails((request) => isList(request) && /"Gt"|"In"|"Skip":[1-9]/.test(request.query ?? ''), fault);
		await minutes(rig, 5);
		clear();
		set({ NetworkStatus: 2 }, 6);
		await minutes(rig, 2);
		expect(rig.told()).toEqual(['statusChanged 6 NetworkStatus 1>2']);
	});
});
