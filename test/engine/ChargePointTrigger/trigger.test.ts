import type { IDataObject } from 'n8n-workflow';

import {
	CHARGE_POINT_TRIGGER,
	ChargePointBench,
	IN_STATUS,
	OUT_OF_ORDER,
	short,
	STATUS_CHANGE,
} from '../../support/chargePointTrigger/support.ts';
import { aboutMinutes } from '../../support/clock.ts';
import { statusFilter } from '../../support/stationTrigger/support.ts';
import { ENGINES, testManually, TriggerRig } from '../../support/trigger/rig.ts';

const bench = new ChargePointBench({ stations: 6 });
const minutes = bench.minutes.bind(bench);
const told = (rig: TriggerRig) => short(rig.take());
const name = (id: number) => String(bench.platform.db.prepare('SELECT Name FROM stations WHERE Id = ?').get(id)?.Name);

describe.each(ENGINES)('engine %s', (engine) => {
	it('a change of the status of one charge point is reported once, with the station and the entry', async () => {
		const rig = await bench.rig(engine, STATUS_CHANGE);
		await minutes(rig, 2);
		bench.points(3, 1, 2);
		await minutes(rig, 3);
		const [item, ...more] = rig.items;
		const { text, since, eventId, detectedAt, station, ...rest } = item ?? {};
		expect(more).toEqual([]);
		expect(text).toMatch(new RegExp(`^Charge point 32 of ${name(3)} changed from 1 to 2 at \\d\\d:\\d\\d\\.$`));
		expect([since, typeof eventId]).toEqual([detectedAt, 'string']);
		expect(station).toMatchObject({ Id: 3, Firmware: {} });
		expect(rest).toEqual({
			...{ stationName: name(3), stationId: 3, chargePointId: '32', knownBy: 'id' },
			...{ event: 'statusChanged', statusField: 'Status', from: 1, to: 2, until: null, durationMinutes: 0 },
			...{ cause: null, incidentId: null, environment: 'production', chargePoint: { Id: 32, Status: 2 } },
		});
	});

	it('a charge point that goes out of order is an incident with an end', async () => {
		const rig = await bench.rig(engine, OUT_OF_ORDER);
		bench.points(3, 1, 4);
		await minutes(rig, 2);
		bench.points(3, 1, 3);
		await minutes(rig, 2);
		bench.points(3, 1, 2);
		await minutes(rig, 2);
		const [begin, end] = rig.items;
		expect(short(rig.items)).toEqual(['outOfOrder 32', 'backInOrder 32']);
		expect(begin).toMatchObject({ cause: 'chargePoint', until: null, to: 4, incidentId: begin?.eventId });
		expect(end).toMatchObject({ cause: 'chargePoint', since: begin?.since, to: 2, incidentId: begin?.eventId });
		expect(end).toMatchObject({ durationMinutes: aboutMinutes(4), until: end?.detectedAt });
		expect(end?.text).toMatch(
			/^Charge point 32 of .* is no longer out of order\. It was from .* to .*, for 4 minutes\.$/,
		);
	});

	it('the end is reported although a new filter leaves the station out', async () => {
		const rig = await bench.rig(engine, OUT_OF_ORDER);
		bench.points(3, 1, 4);
		bench.set({ Status: 2 }, 3);
		await minutes(rig, 1);
		const filters = { status: [{ operator: 'Eq', value: '1' }] };
		await rig.republish({ parameters: { ...OUT_OF_ORDER, filters } });
		await minutes(rig, 4);
		expect(short(rig.items)).toEqual(['outOfOrder 32']);
		bench.points(3, 1, 1);
		await minutes(rig, 1);
		expect(short(rig.items)).toEqual(['outOfOrder 32', 'backInOrder 32']);
		expect(rig.items[1]?.removed).toBeUndefined();
		bench.points(3, 1, 4);
		await minutes(rig, 4);
		expect(rig.items).toHaveLength(2);
	});

	it.each([
		['its station', () => bench.remove(3)],
		['the charge point', () => bench.points(3, 1)],
	])('the incident of what is gone ends with the second poll that does not find %s', async (what, remove) => {
		const rig = await bench.rig(engine, OUT_OF_ORDER);
		bench.points(3, 1, 4);
		await minutes(rig, 2);
		remove();
		await minutes(rig, 1);
		expect(short(rig.items)).toEqual(['outOfOrder 32']);
		await minutes(rig, 3);
		const [begin, end] = rig.items;
		expect(short(rig.items)).toEqual(['outOfOrder 32', 'backInOrder 32']);
		expect(end).toMatchObject({ removed: true, incidentId: begin?.incidentId, chargePoint: null });
		expect(end?.stationName).toBe(begin?.stationName);
		expect(end?.station === null).toBe(what === 'its station');
		expect(end?.text).toMatch(/^Charge point 32 of .* no longer exists\. It was out of order from .* to .*\.$/);
		expect(rig.errors).toEqual([]);
	});

	it('what lasts less than Alert Only After is not reported, and its end is reported at once', async () => {
		const rig = await bench.rig(engine, { ...OUT_OF_ORDER, minutesInState: 5 });
		bench.points(3, 3, 1);
		await minutes(rig, 3);
		bench.points(3, 1, 1);
		await minutes(rig, 3);
		expect(told(rig)).toEqual([]);
		bench.points(3, 3, 1);
		await minutes(rig, 6);
		expect(told(rig)).toEqual(['outOfOrder 31']);
		expect(rig.items[0]).toMatchObject({ durationMinutes: aboutMinutes(5) });
		bench.points(3, 1, 1);
		await minutes(rig, 1);
		expect(told(rig)).toEqual(['backInOrder 31']);
	});

	it('a charge point that has been occupied for four hours is told once, with its end; one code or another of those', async () => {
		const rig = await bench.rig(engine, { ...IN_STATUS, minutesInState: 240 });
		bench.points(3, 1, 4);
		await bench.polls(rig, 30);
		bench.points(3, 1, 3);
		await bench.polls(rig, 18);
		expect(told(rig)).toEqual([]);
		await rig.restart();
		await bench.polls(rig, 60);
		bench.points(3, 1, 1);
		await bench.polls(rig, 2);
		const [begin, end] = rig.items;
		expect(short(rig.items)).toEqual(['inStatus 32', 'leftStatus 32']);
		expect(begin).toMatchObject({ cause: 'inStatus', until: null, to: 3, incidentId: begin?.eventId });
		expect(begin?.text).toMatch(
			/^Charge point 32 of .* has been in one of the chosen statuses \(now 3\) since .*, for 4 hours\.$/,
		);
		expect(end).toMatchObject({ cause: 'inStatus', to: 1, incidentId: begin?.eventId, since: begin?.since });
		expect(end?.text).toMatch(
			/^Charge point 32 of .* is no longer in one of the chosen statuses\. It was from .* to .*, for .*\.$/,
		);
	});

	it('stations take turns: each poll goes on behind the last, over restarts, and nothing is lost or invented', async () => {
		const rig = await bench.rig(engine, { ...STATUS_CHANGE, options: { mostStations: 4 } });
		expect(bench.looks().sort()).toEqual([1, 2, 3, 4]);
		await minutes(rig, 1);
		expect(bench.looks()).toEqual([5, 6]);
		bench.points(2, 1, 3);
		bench.points(6, 1, 3);
		await minutes(rig, 1);
		expect(bench.looks().sort()).toEqual([1, 2, 3, 4]);
		expect(told(rig)).toEqual(['statusChanged 22 1>3']);
		await rig.restart();
		await minutes(rig, 3);
		expect(told(rig)).toEqual(['statusChanged 62 1>3']);
		expect(rig.errors).toEqual([]);
	});
});

it('only changes from and to chosen statuses are reported', async () => {
	const rig = await bench.rig('memory', { ...STATUS_CHANGE, fromValues: ['1'], toValues: ['3', '4'] });
	for (const status of [2, 3, 1, 4, 3, 1]) {
		bench.points(5, status);
		await minutes(rig, 1);
	}
	expect(told(rig)).toEqual(['statusChanged 51 1>4']);
});

it('the first turn is a quiet baseline; with Report Initial State it is reported', async () => {
	bench.points(2, 3, 1);
	const quiet = await bench.rig('memory', OUT_OF_ORDER);
	await minutes(quiet, 2);
	expect(quiet.items).toEqual([]);
	const rig = await bench.rig('memory', { ...OUT_OF_ORDER, options: { emitInitialState: true, mostStations: 1 } });
	await minutes(rig, 8);
	expect(told(rig)).toEqual(['outOfOrder 21']);
	const all = await bench.rig('memory', { ...STATUS_CHANGE, options: { emitInitialState: true } });
	expect(told(all)).toHaveLength(12);
	expect(all.items[0]?.text).toMatch(/has the status 1\.$/);
});

it('with an old status chosen, Report Initial State has nothing to report: there is no old status', async () => {
	const rig = await bench.rig('memory', { ...STATUS_CHANGE, fromValues: ['1'], options: { emitInitialState: true } });
	bench.points(5, 3, 1);
	await minutes(rig, 1);
	expect(told(rig)).toEqual(['statusChanged 51 1>3']);
});

describe('a charge point that is new', () => {
	const added = { Id: 39, Status: 3 };

	it('is reported if it is out of order, and so is one at a new station', async () => {
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		bench.entries(3, { Id: 31, Status: 1 }, { Id: 32, Status: 1 }, added);
		bench.add(8, 'New');
		bench.entries(8, { Status: 3 });
		await minutes(rig, 2);
		expect(told(rig)).toEqual(['outOfOrder 39', 'outOfOrder 8#1']);
		bench.remove(8);
	});

	it('is not reported before a first turn was whole, nor by a status change', async () => {
		const rig = await bench.rig('memory', { ...OUT_OF_ORDER, options: { mostStations: 4 } });
		bench.points(6, 3, 1);
		await minutes(rig, 3);
		expect(told(rig)).toEqual([]);
		const changes = await bench.rig('memory', STATUS_CHANGE);
		bench.entries(3, { Id: 31, Status: 1 }, { Id: 32, Status: 1 }, added);
		await minutes(changes, 2);
		expect(told(changes)).toEqual([]);
	});
});

it('a status that cannot be read is no change, and waiting goes on', async () => {
	const rig = await bench.rig('memory', { ...STATUS_CHANGE, minutesInState: 3 });
	bench.points(3, 2, 1);
	await minutes(rig, 2);
	bench.points(3, [], 1);
	await minutes(rig, 1);
	bench.points(3, 2, 1);
	await minutes(rig, 1);
	expect(rig.take()).toMatchObject([{ event: 'statusChanged', from: 1, to: 2, durationMinutes: aboutMinutes(3) }]);
	const none = await bench.rig('memory', { ...STATUS_CHANGE, toValues: ['none'] });
	bench.points(4, null, 1);
	await minutes(none, 1);
	expect(told(none)).toEqual(['statusChanged 41 1>null']);
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
		bench.platform.behaviour.idType = 'text';
		const rig = await bench.rig('memory', { ...OUT_OF_ORDER, options: { mostStations: 2 } });
		expect(lists()).toBe(2);
		await minutes(rig, 2);
		expect(lists()).toBe(2);
		await minutes(rig, 1);
		expect(lists()).toBe(4);
		await rig.restart();
		expect(lists()).toBe(6);
	});
});

it('a charge point that one look misses is still known; one that two looks miss is forgotten', async () => {
	const rig = await bench.rig('memory', OUT_OF_ORDER);
	bench.points(2, 3, 1);
	await minutes(rig, 1);
	expect(told(rig)).toEqual(['outOfOrder 21']);
	bench.entries(2);
	await minutes(rig, 1);
	bench.points(2, 3, 1);
	await minutes(rig, 1);
	bench.entries(2, { Id: 22, Status: 1 });
	await minutes(rig, 1);
	bench.points(2, 1, 1);
	await minutes(rig, 1);
	expect(told(rig)).toEqual(['backInOrder 21']);
	bench.points(2, 3, 1);
	await minutes(rig, 1);
	bench.entries(2);
	await minutes(rig, 2);
	bench.points(2, 1, 1);
	await minutes(rig, 2);
	expect(told(rig)).toEqual(['outOfOrder 21', 'backInOrder 21']);
});

describe('without Ids', () => {
	const unnamed = (...statuses: unknown[]) => statuses.map((Status) => ({ Status }) as IDataObject);

	it('a charge point is known by its place, and the event says so', async () => {
		bench.entries(4, ...unnamed(1, 1, 1));
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		bench.entries(4, ...unnamed(1, 3, 1));
		await minutes(rig, 2);
		bench.entries(4, ...unnamed(1, 1, 1));
		await minutes(rig, 2);
		expect(short(rig.items)).toEqual(['outOfOrder 4#2', 'backInOrder 4#2']);
		expect(rig.items[0]).toMatchObject({ chargePointId: '#2', knownBy: 'place' });
		expect(rig.items[0]?.text).toMatch(/^Charge point #2 of .* It has no ID and is known by its place/);
	});

	it('a place is another charge point, even if their number is the same again a look later', async () => {
		bench.entries(4, ...unnamed(1, 1));
		const rig = await bench.rig('memory', STATUS_CHANGE);
		for (const statuses of [[1], [3, 3]]) {
			bench.entries(4, ...unnamed(...statuses));
			await minutes(rig, 1);
		}
		expect(told(rig)).toEqual([]);
	});

	it('an empty list is no other number: a look later, they are the same', async () => {
		bench.entries(4, ...unnamed(1, 1));
		const rig = await bench.rig('memory', STATUS_CHANGE);
		bench.entries(4);
		await minutes(rig, 1);
		bench.entries(4, ...unnamed(1, 3));
		await minutes(rig, 1);
		expect(told(rig)).toEqual(['statusChanged 4#2 1>3']);
	});
});

it.each<[string, (code: number) => unknown, string]>([
	['numbers as text', (code) => String(code), '3'],
	['true and false', (code) => code === 3, 'true'],
])('statuses may be %s, and field names of any case', async (_, write, chosen) => {
	const set = (code: number) => bench.entries(1, { id: 'A*1', STATUS: write(code) as string });
	set(1);
	const rig = await bench.rig('memory', { ...OUT_OF_ORDER, statusField: 'status', outOfOrderValues: [chosen] });
	set(3);
	await minutes(rig, 1);
	set(2);
	await minutes(rig, 1);
	expect(told(rig)).toEqual(['outOfOrder A*1', 'backInOrder A*1']);
});

it.each([
	['names', { status: 'name' }, 'Faulted', ['outOfOrder 12', 'backInOrder 12']],
	['objects', { status: 'object' }, '3', ['outOfOrder 12', 'backInOrder 12']],
	['names, without Ids', { status: 'name', ids: 'none' }, 'Faulted', ['outOfOrder 1#2', 'backInOrder 1#2']],
] as const)('a platform that writes charge points with %s', async (_, chargePoints, chosen, expected) => {
	Object.assign(bench.platform.behaviour.chargePoints, chargePoints);
	const rig = await bench.rig('memory', { ...OUT_OF_ORDER, outOfOrderValues: [chosen] });
	bench.points(1, 1, 3);
	await minutes(rig, 1);
	bench.points(1, 1, 2);
	await minutes(rig, 1);
	expect(told(rig)).toEqual(expected);
});

it.each<[string, unknown]>([
	['null', null],
	['text', 'none'],
	['an object', {}],
	['more than 1,000', Array.from({ length: 1_001 }, (_, Id) => ({ Id, Status: 1 }))],
])('a list of charge points that is %s says nothing about them', async (_, list) => {
	const rig = await bench.rig('memory', OUT_OF_ORDER);
	bench.points(3, 3, 1);
	await minutes(rig, 1);
	bench.platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = 3').run(JSON.stringify(list));
	await minutes(rig, 4);
	bench.points(3, 3, 1);
	await minutes(rig, 1);
	bench.points(3, 1, 1);
	await minutes(rig, 1);
	expect(told(rig)).toEqual(['outOfOrder 31', 'backInOrder 31']);
});

it('of a long status only the beginning and a hash are kept', async () => {
	const rig = await bench.rig('memory', STATUS_CHANGE);
	for (const end of ['a', 'b', 'b']) {
		bench.points(3, 'x'.repeat(100_000) + end, 1);
		await minutes(rig, 1);
	}
	expect(rig.items).toHaveLength(2);
	expect(rig.stateSize).toBeLessThan(5_000);
});

it('a rate limit ends the looks of a poll, and the next one goes on there', async () => {
	const rig = await bench.rig('memory', { ...STATUS_CHANGE, options: { maxRateLimitWait: 1, parallelRequests: 1 } });
	for (const id of bench.stations()) bench.points(id, 2, 1);
	bench.looks();
	const isLate = ({ path }: { path: string }) => path.endsWith('/4');
	bench.platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '30' }, match: isLate, times: 1 });
	await minutes(rig, 1);
	expect(told(rig)).toEqual([1, 2, 3].map((id) => `statusChanged ${id}1 1>2`));
	bench.looks();
	await minutes(rig, 1);
	expect(bench.looks()).toEqual([4, 5, 6]);
	expect(told(rig)).toEqual([4, 5, 6].map((id) => `statusChanged ${id}1 1>2`));
});

it('if no detail can be read, the workflow does not go live; later it is said once an hour', async () => {
	const refuse = () =>
		bench.platform.faults.add({
			kind: 'status',
			status: 403,
			match: ({ path }) => /\/\d+$/.test(path),
			times: Infinity,
		});
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

it('a station that leaves the filter is not watched, and one that comes is a baseline', async () => {
	const inService = { ...STATUS_CHANGE, filters: statusFilter('status', '1'), logic: 'And' };
	const rig = await bench.rig('memory', inService);
	bench.set({ Status: 2 }, 3);
	bench.points(3, 4, 4);
	await minutes(rig, 3);
	bench.looks();
	await minutes(rig, 1);
	expect(bench.looks().sort()).toEqual([1, 2, 4, 5, 6]);
	bench.set({ Status: 1 }, 3);
	await minutes(rig, 2);
	expect(told(rig)).toEqual([]);
	bench.remove(1);
	bench.points(3, 1, 4);
	await minutes(rig, 3);
	expect(told(rig)).toEqual(['statusChanged 31 4>1']);
	expect(rig.errors).toEqual([]);
});

it('stations with Ids that are texts take turns, too', async () => {
	bench.platform.behaviour.idType = 'text';
	const rig = await bench.rig('memory', { ...STATUS_CHANGE, options: { mostStations: 4 } });
	await minutes(rig, 1);
	for (const id of [1, 6]) bench.points(id, 2, 1);
	await minutes(rig, 2);
	expect(told(rig)).toEqual(['statusChanged 11 1>2', 'statusChanged 61 1>2']);
	expect(rig.items[0]).toMatchObject({ stationId: 'sta-000001' });
});

it.each([
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

it('a field that no charge point has is refused, with those that there are', async () => {
	const wrong = { ...OUT_OF_ORDER, statusField: 'Colour' };
	const refusal = 'None of the 12 charge points has a field "Colour"';
	await expect(bench.rig('memory', wrong)).rejects.toThrow(refusal);
	await expect(testManually(wrong, bench.credential(), CHARGE_POINT_TRIGGER)).rejects.toThrow(refusal);
});

it('a test shows charge points out of order first, and others', async () => {
	bench.points(5, 1, 3);
	const parameters = { ...OUT_OF_ORDER, options: { reportWatching: true } };
	const items = (await testManually(parameters, bench.credential(), CHARGE_POINT_TRIGGER)) ?? [];
	expect(short(items)).toEqual(['outOfOrder 52', 'backInOrder 11', 'backInOrder 12']);
	expect(items.at(-1)).toMatchObject({ event: 'watching', chargePoints: 12, stations: 6, sample: true });
	for (const id of bench.stations()) bench.entries(id);
	await expect(testManually(parameters, bench.credential(), CHARGE_POINT_TRIGGER)).rejects.toThrow(
		/have no charge points/,
	);
});

it('a test without samples says that capitals may matter', async () => {
	const typed = name(3).toUpperCase();
	const parameters = { ...OUT_OF_ORDER, filters: { name: [{ operator: 'Eq', value: typed }] } };
	const description = expect.stringContaining('In text, upper and lower case may count as different.') as string;
	const showing = testManually(parameters, bench.credential(), CHARGE_POINT_TRIGGER);
	await expect(showing).rejects.toMatchObject({ description });
});

it('after other codes, what was reported stays open until its end', async () => {
	const rig = await bench.rig('memory', OUT_OF_ORDER);
	bench.points(3, 3, 1);
	await minutes(rig, 1);
	expect(told(rig)).toEqual(['outOfOrder 31']);
	bench.points(4, 4, 1);
	await rig.republish({ parameters: { ...OUT_OF_ORDER, outOfOrderValues: ['3'] } });
	await minutes(rig, 1);
	bench.points(3, 1, 1);
	await minutes(rig, 1);
	expect(told(rig)).toEqual(['backInOrder 31']);
});
