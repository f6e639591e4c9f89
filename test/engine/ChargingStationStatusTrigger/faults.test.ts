import type { INodeParameters } from 'n8n-workflow';

import type { Fault } from '../../platform/index.ts';
import { Bench, short, statusFilter } from '../../support/stationTrigger/support.ts';
import { TriggerRig, type Engine } from '../../support/trigger/rig.ts';

const bench = new Bench({ stations: 6 });
const set = bench.set.bind(bench);
const minutes = bench.minutes.bind(bench);
/** What the engines save differently is the subject of everyNode/triggers.test.ts and of the random histories. */
const engine = 'memory';

async function start(engine: Engine, parameters: INodeParameters, credential = bench.credential()) {
	const rig = new TriggerRig(engine, parameters, credential);
	await rig.activate();
	return rig;
}

/** Matches requests for the detail of these stations; without ids, of any station. */
const detailOf =
	(...ids: Array<number | string>) =>
	({ path }: { path: string }) => {
		const id = /\/v1\/([^/]+)$/.exec(path)?.[1];
		return id !== undefined && (ids.length === 0 || ids.map(String).includes(id));
	};
const list = { path: '/api/charging-stations/v1' };
const emptyPage = { kind: 'reply', status: 200, body: { Items: [], TotalCount: 0 } } as const;

const DETAIL_FAULTS: Array<[string, Omit<Fault, 'match' | 'times'>]> = [
	['500', { kind: 'status', status: 500 }],
	['half an answer', { kind: 'truncate' }],
	['403', { kind: 'status', status: 403 }],
	['404', { kind: 'status', status: 404 }],
	['429', { kind: 'status', status: 429, headers: { 'retry-after': '5' } }],
	['a web page', { kind: 'html', status: 200 }],
];

describe('Fetch Full Detail', () => {
	const parameters = { event: 'availability', options: { fetchDetail: true } };

	it.each(DETAIL_FAULTS)('stations whose detail keeps answering %s hold up no alert', async (_, fault) => {
		const rig = await start(engine, parameters);
		bench.platform.faults.add({ ...fault, match: detailOf(1, 2, 3, 4), times: Infinity });
		set({ NetworkStatus: 2 });
		await minutes(rig, 3);
		expect(short(rig.items).sort()).toEqual([1, 2, 3, 4, 5, 6].map((id) => `offline ${id}`));
		const missing = rig.items.filter(({ detailMissing }) => detailMissing !== undefined);
		expect(missing.map(({ stationId }) => stationId)).toEqual(expect.arrayContaining([1, 2, 3, 4]));
		for (const { detailMissing, station, stationId } of missing) {
			expect(detailMissing).toMatch(/\w+ \w+/);
			expect(station).toMatchObject({ Id: stationId });
		}
		set({ NetworkStatus: 1 }, 5);
		await minutes(rig, 2);
		expect(short(rig.items).at(-1)).toBe('backOnline 5');
		expect(rig.errors).toEqual([]);
	});
});

describe('Removed', () => {
	const modes: INodeParameters[] = [
		{ event: 'availability' },
		{ event: 'statusChange' },
		{ event: 'filterMatch', filters: statusFilter('hardwareStatus', '3') },
	];
	const removal = (parameters: INodeParameters) => ({ ...parameters, options: { stationChanges: ['removed'] } });
	const happen = () => set({ NetworkStatus: 2, HardwareStatus: 3 }, 5);

	describe.each(modes)('%j', (parameters) => {
		it('a deleted station whose detail answers 403 is not reported until the platform says that there is none', async () => {
			const rig = await start(engine, removal(parameters));
			await minutes(rig, 1);
			bench.remove(2);
			bench.platform.faults.add({ kind: 'status', status: 403, match: detailOf(2), times: Infinity });
			await minutes(rig, 2);
			happen();
			await minutes(rig, 2);
			expect(short(rig.items)).toEqual([expect.stringMatching(/ 5/)]);
			bench.platform.faults.clear();
			await minutes(rig, 2);
			expect(short(rig.items).slice(1)).toEqual(['removed 2']);
			expect(rig.errors).toEqual([]);
		});

		it('a deleted station whose detail fails for now holds up no other event and is reported later', async () => {
			const rig = await start(engine, removal(parameters));
			await minutes(rig, 1);
			bench.remove(2, 3);
			bench.platform.faults.add({ kind: 'status', status: 500, match: detailOf(2), times: Infinity });
			happen();
			await minutes(rig, 2);
			expect(rig.errors).toEqual([]);
			expect(short(rig.items)).toHaveLength(2);
			expect(short(rig.items)).toEqual(expect.arrayContaining(['removed 3', expect.stringMatching(/ 5/)]));
			bench.platform.faults.clear();
			await minutes(rig, 2);
			expect(short(rig.items).at(-1)).toBe('removed 2');
		});
	});

	it('a removal reported again because n8n was killed keeps its id', async () => {
		const rig = await start(engine, removal({ event: 'availability' }));
		await minutes(rig, 1);
		bench.remove(2);
		await minutes(rig, 1);
		rig.loseSaves = true;
		await minutes(rig, 1);
		rig.loseSaves = false;
		await rig.restart();
		await minutes(rig, 2);
		expect(short(rig.items)).toEqual(['removed 2', 'removed 2']);
		expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(1);
	});

	it('nothing is reported as removed when lists are empty and details are forbidden', async () => {
		const rig = await start(engine, removal({ event: 'availability' }));
		bench.platform.faults.add({ kind: 'status', status: 403, match: detailOf(), times: Infinity });
		bench.platform.faults.add({ ...emptyPage, match: list, times: 2 });
		await minutes(rig, 3);
		expect(rig.items).toEqual([]);
	});

	it('stations that lists leave out, but whose details are there, are not reported as removed', async () => {
		const rig = await start(engine, removal({ event: 'availability' }));
		bench.platform.faults.add({ ...emptyPage, match: ({ path }) => path === list.path, times: Infinity });
		await minutes(rig, 3);
		expect(rig.items).toEqual([]);
		expect(rig.errors).toEqual([]);
	});

	it('Added and Removed are reported with the filter event when the fleet does not fit into one poll', async () => {
		for (let id = 7; id <= 60; id++) bench.add(id, `Station ${id}`);
		const rig = new TriggerRig(
			engine,
			{
				...{ event: 'filterMatch', filters: statusFilter('hardwareStatus', '3') },
				options: { stationChanges: ['added', 'removed'], pageSize: 5 },
			},
			bench.credential(),
		);
		rig.budgetMs = 10_000;
		bench.slow(480);
		await rig.activate();
		await minutes(rig, 8);
		expect(rig.items).toEqual([]);
		bench.add(61, 'New one');
		bench.remove(2, 33);
		await minutes(rig, 8);
		expect(short(rig.items).sort()).toEqual(['added 61', 'removed 2', 'removed 33']);
		expect(rig.errors).toEqual([]);
	});
});

describe('a platform that shows no station for one poll', () => {
	const changes = { stationChanges: ['added', 'removed'] };
	it.each([
		{ event: 'availability', options: changes },
		{ event: 'statusChange', options: changes },
		{ event: 'filterMatch', filters: statusFilter('networkStatus', '2'), options: changes },
	] satisfies INodeParameters[])('reports nothing twice and nothing as removed: %j', async (parameters) => {
		const rig = await start(engine, parameters);
		await minutes(rig, 1);
		set({ NetworkStatus: 2 }, 2, 3);
		await minutes(rig, 1);
		expect(rig.take()).toHaveLength(2);
		for (let time = 0; time < 2; time++) {
			bench.platform.faults.add({ ...emptyPage, match: ({ path }) => path === list.path, times: Infinity });
			bench.platform.faults.add({ kind: 'status', status: 404, match: detailOf(), times: Infinity });
			await minutes(rig, 1);
			bench.platform.faults.clear();
			await minutes(rig, 2);
		}
		expect(short(rig.take())).toEqual([]);
		set({ NetworkStatus: 1 }, 2, 3);
		await minutes(rig, 1);
		expect(rig.take()).toHaveLength(2);
		expect(rig.errors).toEqual([]);
	});
});

describe('one station among many', () => {
	it('or four that cannot be looked up hold up no other, and cost less once known', async () => {
		for (let id = 7; id <= 24; id++) bench.add(id, `Station ${id}`);
		const rig = await start(engine, { event: 'availability' });
		set({ NetworkStatus: 2 });
		await minutes(rig, 1);
		rig.take();
		const unreadable = [3, 9, 15, 21];
		const ids = ({ query = '' }: { query?: string }) => /"In","Value":"([^"]*)"/.exec(query)?.[1]?.split(',') ?? [];
		const looksUp = (request: { query?: string }) => ids(request).some((id) => unreadable.includes(Number(id)));
		bench.platform.faults.add({ kind: 'status', status: 500, match: looksUp, times: Infinity });
		set({ NetworkStatus: 1 });
		await minutes(rig, 4);
		const others = Array.from({ length: 24 }, (_, index) => index + 1).filter((id) => !unreadable.includes(id));
		expect(short(rig.take()).sort()).toEqual(others.map((id) => `backOnline ${id}`).sort());
		// The list, and three tries for each of the four.
		expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBe(1 + 4 * 3);
		bench.platform.faults.clear();
		await minutes(rig, 1);
		expect(short(rig.take())).toEqual(unreadable.map((id) => `backOnline ${id}`));
		expect(rig.errors).toEqual([]);
	});
});

describe('a list that may be incomplete', () => {
	const parameters = { event: 'statusChange', dimensions: ['NetworkStatus'] };

	it('raises nothing, is logged, and is later reported as a refusal', async () => {
		const rig = await start(engine, parameters);
		bench.platform.faults.add({
			...{ match: list, times: Infinity, kind: 'reply', status: 200 },
			body: { Items: [], TotalCount: 6 },
		});
		await minutes(rig, 5);
		expect(rig.errors).toEqual([]);
		expect(rig.items).toEqual([]);
		expect(rig.logs.length).toBeGreaterThanOrEqual(1);
		await minutes(rig, 25);
		expect(rig.errors).toHaveLength(1);
		bench.platform.faults.clear();
		set({ NetworkStatus: 2 }, 3);
		await minutes(rig, 16);
		expect(short(rig.items)).toEqual(['statusChanged 3 NetworkStatus 1>2']);
	});
});

describe('a refusal while the filter changes with each poll', () => {
	it.each([
		['a value', '={{ "x" + $now.toMillis() }}', () => (bench.platform.license.active = false)],
		['a message', '={{ "x".repeat($now.toMillis() % 7) + "," + $now.toMillis() }}', () => undefined],
	])('%s that differs in each poll counts as one outage', async (what, value, refuse) => {
		const filters = { name: [{ operator: 'Neq', value: '={{ "x" + $now.toMillis() }}' }] };
		const rig = await start(engine, { event: 'availability', filters });
		await minutes(rig, 2);
		if (what === 'a message') {
			const id = [{ operator: 'In', values: value }];
			const refused = { status: [{ operator: 'Eq', value }], id };
			await rig.republish({ parameters: { event: 'availability', filters: refused } }).catch(() => undefined);
		}
		refuse();
		const sent = await bench.requestsOf(async () => await minutes(rig, 60));
		expect(sent).toBeLessThanOrEqual(8);
		expect(rig.errors.length).toBeGreaterThanOrEqual(1);
		expect(rig.errors.length).toBeLessThanOrEqual(2);
	});
});

// What a gateway answers while the platform behind it is away.
describe.each([
	['404', { kind: 'status', status: 404 }],
	['204', { kind: 'reply', status: 204 }],
	['an empty body', { kind: 'empty' }],
] as Array<[string, Fault]>)('%s in the middle of a poll', (_, fault) => {
	it('ends no outage of a station that is looked up by its Id', async () => {
		const rig = await start(engine, { event: 'availability' });
		set({ NetworkStatus: 2 }, 5);
		await minutes(rig, 1);
		// The list does not show it any more: the look-up decides, and is not answered.
		set({ NetworkStatus: 2, Name: 'moved' }, 5);
		bench.platform.faults.add({
			...emptyPage,
			match: ({ path, query = '' }) => path === list.path && !query.includes('"In"'),
			times: Infinity,
		});
		bench.platform.faults.add({ ...fault, match: ({ query = '' }) => query.includes('"In"'), times: Infinity });
		await minutes(rig, 4);
		expect(short(rig.items)).toEqual(['offline 5']);
		bench.platform.faults.clear();
		await minutes(rig, 2);
		expect(short(rig.items)).toEqual(['offline 5']);
		set({ NetworkStatus: 1 }, 5);
		await minutes(rig, 1);
		expect(short(rig.items)).toEqual(['offline 5', 'backOnline 5']);
	});

	it('neither removes nor brings back stations of later pages', async () => {
		const parameters = {
			event: 'statusChange',
			options: { stationChanges: ['added', 'removed'], pageSize: 2, parallelRequests: 1 },
		};
		const rig = await start(engine, parameters);
		await minutes(rig, 1);
		const isLater = ({ path, query = '' }: { path: string; query?: string }) =>
			path === list.path && /"Gt"|"In"|"Skip":[1-9]/.test(query);
		bench.platform.faults.add({ ...fault, match: isLater, times: Infinity });
		await minutes(rig, 5);
		expect(short(rig.items)).toEqual([]);
		bench.platform.faults.clear();
		set({ NetworkStatus: 2 }, 6);
		await minutes(rig, 2);
		expect(short(rig.items)).toEqual(['statusChanged 6 NetworkStatus 1>2']);
	});
});
