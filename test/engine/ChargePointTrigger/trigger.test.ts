import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	CHARGE_POINT_TRIGGER,
	ChargePointBench,
	IN_STATUS,
	OUT_OF_ORDER,
	STATUS_CHANGE,
} from '../../support/chargePointTrigger/support.ts';
import { aboutMinutes } from '../../support/clock.ts';
import { nothing, short, statusFilter } from '../../support/stationTrigger/support.ts';
import { ENGINES, testManually } from '../../support/trigger/rig.ts';

/** What is told of single charge points at any time is the subject of the random histories, and what n8n saves, too. */
const bench = new ChargePointBench({ stations: 6 });
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);
const name = (id: number) => String(bench.platform.db.prepare('SELECT Name FROM stations WHERE Id = ?').get(id)?.Name);
/** Two charge points of a station take these statuses, or more or fewer. */
const become =
	(station: number, ...statuses: unknown[]) =>
	() =>
		bench.points(station, ...statuses);

describe('an item', () => {
	it('of a change has the station and the charge point', async () => {
		const rig = await bench.rig('memory', STATUS_CHANGE);
		await plays(rig, [nothing, 2, []], [become(3, 1, 2), 3, ['statusChanged 32 1>2']]);
		const { text, since, eventId, detectedAt, station, ...rest } = rig.items[0] ?? {};
		expect(text).toMatch(new RegExp(`^Charge point 32 of ${name(3)} changed from 1 to 2 at \\d\\d:\\d\\d\\.$`));
		expect([since, typeof eventId]).toEqual([detectedAt, 'string']);
		expect(station).toMatchObject({ Id: 3, Firmware: {} });
		expect(rest).toEqual({
			...{ stationName: name(3), stationId: 3, chargePointId: '32', knownBy: 'id' },
			...{ event: 'statusChanged', statusField: 'Status', from: 1, to: 2, until: null, durationMinutes: 0 },
			...{ cause: null, incidentId: null, environment: 'production', chargePoint: { Id: 32, Status: 2 } },
		});
	});

	it('of what is out of order has the incident of its begin, whatever codes come in between', async () => {
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		await plays(
			rig,
			[become(3, 1, 4), 2, ['outOfOrder 32']],
			[become(3, 1, 3), 2, []],
			[become(3, 1, 2), 2, ['backInOrder 32']],
		);
		const [begin, end] = rig.items;
		expect(begin).toMatchObject({ cause: 'chargePoint', until: null, to: 4, incidentId: begin?.eventId });
		expect(end).toMatchObject({ cause: 'chargePoint', since: begin?.since, to: 2, incidentId: begin?.eventId });
		expect(end).toMatchObject({ durationMinutes: aboutMinutes(4), until: end?.detectedAt });
		expect(end?.text).toMatch(
			/^Charge point 32 of .* is no longer out of order\. It was from .* to .*, for 4 minutes\.$/,
		);
	});

	it.each([
		['its station', () => bench.remove(3), (called: string) => bench.add(3, called)],
		['the charge point', become(3, 1), nothing],
	])('of the end of what is gone says so, after two polls that do not find %s', async (what, remove, restore) => {
		const called = name(3);
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		await plays(
			rig,
			[become(3, 1, 4), 2, ['outOfOrder 32']],
			[remove, 1, []],
			[() => [restore(called), become(3, 1, 4)()], 1, []],
			[remove, 1, []],
			[nothing, 3, ['backInOrder 32']],
		);
		const [begin, end] = rig.items;
		expect(end).toMatchObject({ removed: true, incidentId: begin?.incidentId, chargePoint: null });
		expect(end?.stationName).toBe(begin?.stationName);
		expect(end?.station === null).toBe(what === 'its station');
		expect(end?.text).toMatch(/^Charge point 32 of .* no longer exists\. It was out of order from .* to .*\.$/);
	});

	it('of one that has been occupied for four hours has its end, too; one code or another of those', async () => {
		const rig = await bench.rig('memory', { ...IN_STATUS, minutesInState: 240 });
		become(3, 1, 4)();
		await bench.polls(rig, 30);
		become(3, 1, 3)();
		await bench.polls(rig, 18);
		expect(rig.items).toEqual([]);
		await rig.restart();
		await bench.polls(rig, 60);
		become(3, 1, 1)();
		await bench.polls(rig, 2);
		expect(short(rig.items)).toEqual(['inStatus 32', 'leftStatus 32']);
		const [begin, end] = rig.items;
		expect(begin).toMatchObject({ cause: 'inStatus', until: null, to: 3, incidentId: begin?.eventId });
		expect(begin?.text).toMatch(
			/^Charge point 32 of .* has been in one of the chosen statuses \(now 3\) since .*, for 4 hours\.$/,
		);
		expect(end).toMatchObject({ cause: 'inStatus', to: 1, incidentId: begin?.eventId, since: begin?.since });
		expect(end?.text).toMatch(
			/^Charge point 32 of .* is no longer in one of the chosen statuses\. It was from .* to .*, for .*\.$/,
		);
	});
});

it.each(ENGINES)('engine %s: stations take turns: each poll goes on behind the last, over restarts', async (engine) => {
	const rig = await bench.rig(engine, { ...STATUS_CHANGE, options: { mostStations: 4 } });
	expect(bench.looks().sort()).toEqual([1, 2, 3, 4]);
	await minutes(rig, 1);
	expect(bench.looks()).toEqual([5, 6]);
	become(2, 1, 3)();
	await plays(rig, [become(6, 1, 3), 1, ['statusChanged 22 1>3']]);
	expect(bench.looks().sort()).toEqual([1, 2, 3, 4]);
	await plays(rig, [() => rig.restart(), 3, ['statusChanged 62 1>3']]);
});

describe('settings', () => {
	it('only changes from and to chosen statuses are reported', async () => {
		const rig = await bench.rig('memory', { ...STATUS_CHANGE, fromValues: ['1'], toValues: ['3', '4'] });
		for (const status of [2, 3, 1, 4, 3, 1])
			await plays(rig, [become(5, status), 1, status === 4 ? ['statusChanged 51 1>4'] : []]);
	});

	it('no status may be chosen as one', async () => {
		const rig = await bench.rig('memory', { ...STATUS_CHANGE, toValues: ['none'] });
		await plays(rig, [become(4, null, 1), 1, ['statusChanged 41 1>null']]);
	});

	it('Report Initial State reports a first turn of several polls; a change from an old status chosen has none', async () => {
		become(2, 3, 1)();
		const options = { emitInitialState: true, mostStations: 1 };
		const rig = await bench.rig('memory', { ...OUT_OF_ORDER, options });
		await plays(rig, [nothing, 8, ['outOfOrder 21']]);
		const all = await bench.rig('memory', { ...STATUS_CHANGE, options: { emitInitialState: true } });
		expect(all.items).toHaveLength(12);
		expect(all.items[0]?.text).toMatch(/has the status 1\.$/);
		const changes = { ...STATUS_CHANGE, fromValues: ['1'], options: { emitInitialState: true } };
		await plays(await bench.rig('memory', changes), [become(5, 3, 1), 1, ['statusChanged 51 1>3']]);
	});

	it('after other codes, or a filter that leaves the station out, what was reported stays open until its end', async () => {
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		become(2, 1, 4)();
		bench.set({ Status: 2 }, 2);
		await plays(rig, [become(3, 3, 1), 1, ['outOfOrder 22', 'outOfOrder 31']]);
		become(4, 4, 1)();
		const parameters = { ...OUT_OF_ORDER, outOfOrderValues: ['3'], filters: statusFilter('status', '1') };
		await rig.republish({ parameters: { ...parameters, outOfOrderValues: ['3', '4'] } });
		await plays(
			rig,
			[() => rig.republish({ parameters }), 4, ['backInOrder 22']],
			[become(3, 1, 1), 1, ['backInOrder 31']],
			[become(2, 1, 3), 4, []],
		);
		expect(rig.items.filter(({ removed }) => removed)).toEqual([]);
	});

	it('a station that leaves the filter is not watched, and one that comes is a baseline', async () => {
		const rig = await bench.rig('memory', { ...STATUS_CHANGE, filters: statusFilter('status', '1') });
		bench.set({ Status: 2 }, 3);
		await plays(rig, [become(3, 4, 4), 3, []]);
		bench.looks();
		await minutes(rig, 1);
		expect(bench.looks().sort()).toEqual([1, 2, 4, 5, 6]);
		await plays(rig, [() => bench.set({ Status: 1 }, 3), 2, []], [become(3, 1, 4), 1, ['statusChanged 31 4>1']]);
	});
});

describe('a charge point that is new', () => {
	const appears = () => bench.entries(3, { Id: 31, Status: 1 }, { Id: 32, Status: 1 }, { Id: 39, Status: 3 });

	it('is reported if it is out of order, and so is one at a new station', async () => {
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		bench.add(8, 'New');
		bench.entries(8, { Status: 3 });
		await plays(rig, [appears, 2, ['outOfOrder 39', 'outOfOrder 8#1']]);
	});

	it('is not reported before a first turn was whole, nor by a status change', async () => {
		const rig = await bench.rig('memory', { ...OUT_OF_ORDER, options: { mostStations: 4 } });
		await plays(rig, [become(6, 3, 1), 3, []]);
		await plays(await bench.rig('memory', STATUS_CHANGE), [appears, 2, []]);
	});
});

describe('the list of stations', () => {
	const lists = () => bench.platform.requests.filter(({ path }) => path.endsWith('/v1')).length;

	it.each([1, 8])('costs one request where one page is enough, with %d Parallel Requests', async (parallelRequests) => {
		const rig = await bench.rig('memory', { ...OUT_OF_ORDER, options: { mostStations: 2, parallelRequests } });
		bench.platform.requests.length = 0;
		await minutes(rig, 1);
		expect(lists()).toBe(1);
		// The last page is full, so one row more is asked for.
		await minutes(rig, 1);
		expect(lists()).toBe(3);
	});

	it('is read once in a turn if its Ids are texts, in whole pages, and once more after a restart', async () => {
		bench.platform.behaviour.ids.stations = 'text';
		const rig = await bench.rig('memory', { ...STATUS_CHANGE, options: { mostStations: 2 } });
		expect(lists()).toBe(2);
		await plays(rig, [become(6, 2, 1), 2, []]);
		expect(lists()).toBe(2);
		await minutes(rig, 1);
		expect(lists()).toBe(4);
		await plays(rig, [() => rig.restart(), 0, []]);
		expect(lists()).toBe(6);
		await plays(rig, [become(1, 2, 1), 3, ['statusChanged 11 1>2']]);
		expect(rig.items[0]).toMatchObject({ stationId: 'sta-000001' });
	});
});

describe('without Ids', () => {
	const unnamed =
		(...statuses: unknown[]) =>
		() =>
			bench.entries(4, ...statuses.map((Status) => ({ Status }) as IDataObject));

	it('a charge point is known by its place, and the event says so', async () => {
		unnamed(1, 1, 1)();
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		await plays(rig, [unnamed(1, 3, 1), 2, ['outOfOrder 4#2']], [unnamed(1, 1, 1), 2, ['backInOrder 4#2']]);
		expect(rig.items[0]).toMatchObject({ chargePointId: '#2', knownBy: 'place' });
		expect(rig.items[0]?.text).toMatch(/^Charge point #2 of .* It has no ID and is known by its place/);
	});

	it('a place is another charge point where there is another number of them; none at all is no number', async () => {
		unnamed(1, 1)();
		const rig = await bench.rig('memory', STATUS_CHANGE);
		await plays(
			rig,
			[unnamed(1), 1, []],
			[unnamed(3, 3), 1, []],
			[unnamed(), 1, []],
			[unnamed(3, 1), 1, ['statusChanged 4#2 3>1']],
		);
	});
});

it.each<[string, (code: number) => unknown, string]>([
	['numbers as text', (code) => String(code), '3'],
	['names', (code) => (code === 3 ? 'Faulted' : 'Available'), 'Faulted'],
	['objects', (code) => ({ Id: code, Name: `Status ${code}` }), '3'],
	['true and false', (code) => code === 3, 'true'],
])('statuses may be %s, and field names of any case', async (_, write, chosen) => {
	const set = (code: number) => () => bench.entries(1, { id: 'A*1', STATUS: write(code) as string });
	set(1)();
	const rig = await bench.rig('memory', { ...OUT_OF_ORDER, statusField: 'status', outOfOrderValues: [chosen] });
	await plays(rig, [set(3), 1, ['outOfOrder A*1']], [set(2), 1, ['backInOrder A*1']]);
});

it.each<[string, unknown]>([
	['null', null],
	['text', 'none'],
	['an object', {}],
	['more than 1,000', Array.from({ length: 1_001 }, (_, Id) => ({ Id, Status: 1 }))],
])('a list of charge points that is %s says nothing about them', async (_, list) => {
	const rig = await bench.rig('memory', OUT_OF_ORDER);
	const odd = () => bench.platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = 3').run(JSON.stringify(list));
	await plays(
		rig,
		[become(3, 3, 1), 1, ['outOfOrder 31']],
		[odd, 4, []],
		[become(3, 3, 1), 1, []],
		[become(3, 1, 1), 1, ['backInOrder 31']],
	);
});

it('of a long status only the beginning and a hash are kept', async () => {
	const rig = await bench.rig('memory', STATUS_CHANGE);
	for (const end of ['a', 'b', 'b']) {
		become(3, 'x'.repeat(100_000) + end, 1)();
		await minutes(rig, 1);
	}
	expect(rig.items).toHaveLength(2);
	expect(rig.stateSize).toBeLessThan(5_000);
});

it('a rate limit ends the looks of a poll, and the next one goes on there', async () => {
	const rig = await bench.rig('memory', { ...STATUS_CHANGE, options: { maxRateLimitWait: 1, parallelRequests: 1 } });
	for (const id of bench.stations()) become(id, 2, 1)();
	const match = ({ path }: { path: string }) => path.endsWith('/4');
	bench.platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '30' }, match, times: 1 });
	const told = (...ids: number[]) => ids.map((id) => `statusChanged ${id}1 1>2`);
	await plays(rig, [nothing, 1, told(1, 2, 3)]);
	bench.looks();
	await plays(rig, [nothing, 1, told(4, 5, 6)]);
	expect(bench.looks()).toEqual([4, 5, 6]);
});

it('if no detail can be read, the workflow does not go live; later it is said once an hour', async () => {
	const match = ({ path }: { path: string }) => /\/\d+$/.test(path);
	const refuse = () => bench.platform.faults.add({ kind: 'status', status: 403, match, times: Infinity });
	refuse();
	await expect(bench.rig('memory', OUT_OF_ORDER)).rejects.toThrow(/\w+ \w+/);
	bench.platform.faults.clear();
	const rig = await bench.rig('memory', OUT_OF_ORDER);
	refuse();
	await minutes(rig, 59);
	expect(rig.errors).toHaveLength(1);
	await minutes(rig, 3);
	expect(rig.errors).toHaveLength(2);
});

it.each<[string, INodeParameters, RegExp]>([
	['no status field', { statusField: '' }, /Status Field.*nothing is chosen/],
	['several status fields', { statusField: 'A,B' }, /Status Field.*one field is needed/],
	['no codes', { outOfOrderValues: [] }, /Out of Order.*Choose the codes/],
	['too long without a time', { event: 'inStatus', heldStatuses: ['2'] }, /Alert Only After.*such as 240/],
	['too long in no status', { event: 'inStatus', minutesInState: 9 }, /Too Long in.*Choose/],
	['a wait of more than a week', { minutesInState: 10_081 }, /Alert Only After.*from 0 to 10080/],
	['no stations per poll', { options: { mostStations: 0 } }, /Most Stations per Poll/],
])('%s: refused before anything is sent', async (_, parameters, message) => {
	bench.looks();
	await expect(bench.rig('memory', { ...OUT_OF_ORDER, ...parameters })).rejects.toThrow(message);
	expect(bench.platform.requests).toEqual([]);
});

describe('a manual test', () => {
	const test = async (parameters: INodeParameters) =>
		(await testManually({ ...OUT_OF_ORDER, ...parameters }, bench.credential(), CHARGE_POINT_TRIGGER)) ?? [];

	it('shows charge points out of order first, and others', async () => {
		become(5, 1, 3)();
		const items = await test({ options: { reportWatching: true } });
		expect(short(items)).toEqual(['outOfOrder 52', 'backInOrder 11', 'backInOrder 12']);
		expect(items.at(-1)).toMatchObject({ event: 'watching', chargePoints: 12, stations: 6, sample: true });
		for (const id of bench.stations()) bench.entries(id);
		await expect(test({})).rejects.toThrow(/have no charge points/);
	});

	it('refuses a field that no charge point has, with those that there are, and so does a first poll', async () => {
		const refusal = 'None of the 12 charge points has a field "Colour"';
		await expect(bench.rig('memory', { ...OUT_OF_ORDER, statusField: 'Colour' })).rejects.toThrow(refusal);
		await expect(test({ statusField: 'Colour' })).rejects.toThrow(refusal);
	});
});
