import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	CHARGE_POINT_TRIGGER,
	ChargePointBench,
	IN_STATUS,
	OUT_OF_ORDER,
	STATUS_CHANGE,
} from '../../support/chargePointTrigger/support.ts';
import { aboutMinutes } from '../../support/clock.ts';
import { MINUTE, nothing, short, statusFilter, text } from '../../support/stationTrigger/support.ts';
import { testManually, type TriggerRig } from '../../support/trigger/rig.ts';

/**
 * What is told of single charge points at any time is the subject of the random histories. What all triggers promise of
 * saved state, outages and watched time: everyNode/trigger*.test.ts and watchedTime.test.ts.
 */
const bench = new ChargePointBench({ stations: 6 });
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);
const name = (id: number) => String(bench.platform.db.prepare('SELECT Name FROM stations WHERE Id = ?').get(id)?.Name);
/** Two charge points of a station take these statuses, or more or fewer. */
const become =
	(station: number, ...statuses: unknown[]) =>
	() =>
		bench.points(station, ...statuses);

it.each([OUT_OF_ORDER, STATUS_CHANGE])(
	'a restart within the first round loses nothing that lasts: $event',
	async (parameters) => {
		const rig = await bench.rig('memory', { ...parameters, options: { mostStations: 1 } });
		await minutes(rig, 1);
		become(1, 1, 3)();
		await rig.restart();
		await minutes(rig, 12);
		expect(rig.told()).toHaveLength(1);
		expect(rig.errors).toEqual([]);
	},
);

describe('an item', () => {
	it('of a change has the station and the charge point', async () => {
		const rig = await bench.rig('memory', STATUS_CHANGE);
		await plays(rig, [nothing, 2, []], [become(3, 1, 2), 3, ['statusChanged 32 1>2']]);
		const { text: sentence, since, eventId, detectedAt, station, ...rest } = rig.items[0] ?? {};
		expect(sentence).toMatch(new RegExp(`^Charge point 32 of ${name(3)} changed from 1 to 2 at \\d\\d:\\d\\d\\.$`));
		expect([since, typeof eventId]).toEqual([detectedAt, 'string']);
		expect(station).toMatchObject({ Id: 3, Firmware: {} });
		expect(rest).toEqual({
			stationName: name(3),
			stationId: 3,
			chargePointId: '32',
			knownBy: 'id',
			event: 'statusChanged',
			statusField: 'Status',
			from: 1,
			to: 2,
			until: null,
			durationMinutes: 0,
			cause: null,
			incidentId: null,
			environment: 'production',
			chargePoint: { Id: 32, Status: 2 },
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
		await bench.polls(rig, 2);
		become(3, 1, 1)();
		await bench.polls(rig, 2);
		const [begin, end] = rig.items;
		expect(begin).toMatchObject({ event: 'inStatus', cause: 'inStatus', until: null, incidentId: begin?.eventId });
		expect(begin?.text).toMatch(/ has been in one of the chosen statuses \(now 3\) since .*, for 4 hours\.$/);
		expect(end).toMatchObject({ event: 'leftStatus', to: 1, incidentId: begin?.eventId, since: begin?.since });
		expect(end?.text).toMatch(/ is no longer in one of the chosen statuses\. It was from .* to .*, for .*\.$/);
	});
});

it('stations take turns: each poll goes on behind the last, over restarts', async () => {
	const rig = await bench.rig('memory', { ...STATUS_CHANGE, options: { mostStations: 4 } });
	expect(bench.looks().sort()).toEqual([1, 2, 3, 4]);
	await minutes(rig, 1);
	expect(bench.looks()).toEqual([5, 6]);
	become(2, 1, 3)();
	await plays(rig, [become(6, 1, 3), 1, ['statusChanged 22 1>3']]);
	expect(bench.looks().sort()).toEqual([1, 2, 3, 4]);
	await plays(rig, [() => rig.restart(), 3, ['statusChanged 62 1>3']]);
});

describe('settings', () => {
	it('only changes from and to chosen statuses are reported, and no status may be chosen as one', async () => {
		const rig = await bench.rig('memory', { ...STATUS_CHANGE, fromValues: ['1', 'none'], toValues: ['3', 'none'] });
		await plays(
			rig,
			[become(5, 2), 1, []],
			[become(5, 3), 1, []],
			[become(5, 1), 1, []],
			[become(5, null), 1, ['statusChanged 51 1>null']],
			[become(5, 3), 1, ['statusChanged 51 null>3']],
		);
	});

	it.each([3, '3', 'Code 3', 'code 3'])('a status that comes as %j is the one chosen as Code 3', async (status) => {
		const rig = await bench.rig('memory', { ...OUT_OF_ORDER, outOfOrderValues: ['Code 3'] });
		await plays(rig, [become(5, status), 1, ['outOfOrder 51']], [become(5, 1), 1, ['backInOrder 51']]);
	});

	it('Report Initial State reports a first turn of several polls; a change from an old status chosen has none', async () => {
		become(2, 3, 1)();
		const options = { emitInitialState: true };
		const turns = await bench.rig('memory', { ...OUT_OF_ORDER, options: { ...options, mostStations: 1 } });
		await plays(turns, [nothing, 8, ['outOfOrder 21']]);
		const all = await bench.rig('memory', { ...STATUS_CHANGE, options });
		expect(all.items).toHaveLength(12);
		expect(all.items[0]?.text).toMatch(/has the status 1\.$/);
		const some = await bench.rig('memory', { ...STATUS_CHANGE, fromValues: ['1'], options });
		expect(some.items).toEqual([]);
	});

	it.each<INodeParameters>([{ outOfOrderValues: ['3'] }, { filters: statusFilter('status', '1') }])(
		'what is out of order already when %j is no longer asked for is not reported, and what comes then is',
		async (narrower) => {
			bench.set({ Status: 2 }, 2);
			const rig = await bench.rig('memory', { ...OUT_OF_ORDER, ...narrower });
			await plays(
				rig,
				[become(2, 1, 4), 1, []],
				[() => rig.republish({ parameters: OUT_OF_ORDER }), 2, []],
				[become(3, 1, 4), 1, ['outOfOrder 32']],
			);
		},
	);

	it('after a filter that leaves the station out, what was reported stays open until its end', async () => {
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		bench.set({ Status: 2 }, 2);
		await plays(rig, [become(2, 1, 4), 1, ['outOfOrder 22']]);
		const parameters = { ...OUT_OF_ORDER, filters: statusFilter('status', '1') };
		await plays(
			rig,
			[() => rig.republish({ parameters }), 4, []],
			[become(2, 1, 1), 4, ['backInOrder 22']],
			[become(2, 1, 3), 4, []],
		);
		expect(rig.items[1]).not.toHaveProperty('removed');
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

	it('costs one request where one page is enough, whatever Parallel Requests are', async () => {
		const rig = await bench.rig('memory', { ...OUT_OF_ORDER, options: { mostStations: 2, parallelRequests: 8 } });
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

	it('a charge point is known by its EvseId, so that another order of them is no news', async () => {
		const broken = { EvseId: 'E*1', Status: 3 };
		const fine = { EvseId: 'E*2', Status: 1 };
		const become =
			(...entries: IDataObject[]) =>
			() =>
				bench.entries(4, ...entries);
		become(fine, fine)();
		become({ ...broken, Status: 1 }, fine)();
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		await plays(rig, [become(broken, fine), 2, ['outOfOrder E*1']], [become(fine, broken), 3, []]);
		await plays(rig, [become(fine, { ...broken, Status: 1 }), 2, ['backInOrder E*1']]);
		expect(rig.items[0]).toMatchObject({ chargePointId: 'E*1', knownBy: 'id' });
	});

	it('what was reported at a place ends where there is another number of them, as it is not there any more', async () => {
		unnamed(1, 1)();
		const rig = await bench.rig('memory', OUT_OF_ORDER);
		await plays(rig, [unnamed(1, 3), 2, ['outOfOrder 4#2']], [unnamed(1), 3, ['backInOrder 4#2']]);
		expect(rig.items[1]).toMatchObject({ removed: true, incidentId: rig.items[0]?.incidentId });
	});

	it.each(['in', 'outside'])(
		'where their number changes %s the filter, places begin anew, and no end is told for another one',
		async (where) => {
			const hardware = (code: number) => () =>
				bench.platform.db.exec(`UPDATE stations SET HardwareStatus = ${code} WHERE Id = 4`);
			hardware(1)();
			unnamed(1, 1, 1)();
			const filters = { hardwareStatus: [{ operator: 'Eq', value: '1' }] };
			const rig = await bench.rig('memory', { ...OUT_OF_ORDER, filters });
			await plays(rig, [unnamed(1, 3, 1), 2, ['outOfOrder 4#2']]);
			if (where === 'outside') hardware(3)();
			unnamed(1, 3)();
			await minutes(rig, 1);
			unnamed(1, 1, 3)();
			await minutes(rig, 3);
			const told = rig.items.slice(1).map(({ event, chargePointId, removed }) => [event, chargePointId, removed]);
			const ends = ['backInOrder', '#2', true];
			const all = [ends, ['outOfOrder', '#2', undefined], ends, ['outOfOrder', '#3', undefined]];
			expect(told).toEqual(where === 'in' ? all : [ends]);
			expect(rig.items[1]?.text).toMatch(
				/known by its place: the station now lists another number of charge points\.$/,
			);
			rig.told();
			await plays(rig, [hardware(1), 3, where === 'in' ? [] : ['outOfOrder 4#3']]);
		},
	);

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

it('the status may be inside an object, in any case, also where the first charge point has none', async () => {
	const set = (Code: number) => () => {
		bench.platform.db.exec("UPDATE stations SET EVSEs = '[]'");
		bench.entries(1, { Id: 'A*1', State: null }, { Id: 'A*2', State: { Code } });
	};
	set(1)();
	const rig = await bench.rig('memory', { ...OUT_OF_ORDER, statusField: 'state.code' });
	await plays(rig, [set(3), 1, ['outOfOrder A*2']], [set(1), 1, ['backInOrder A*2']]);
});

it('statuses may be names, and these and field names of any case', async () => {
	const set = (status: string) => () => bench.entries(1, { id: 'A*1', STATUS: status });
	set('Available')();
	const rig = await bench.rig('memory', { ...OUT_OF_ORDER, statusField: 'status', outOfOrderValues: ['faulted'] });
	await plays(rig, [set('Faulted'), 1, ['outOfOrder A*1']], [set('Charging'), 1, ['backInOrder A*1']]);
});

it.each<[string, unknown]>([
	['null', null],
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

it('polls that may look at nothing for 20 minutes begin Alert Only After again, as nobody looked', async () => {
	const parameters = { ...OUT_OF_ORDER, minutesInState: 25, options: { maxRateLimitWait: 1 } };
	const rig = await bench.rig('memory', parameters);
	become(3, 1, 4)();
	await bench.polls(rig, 2);
	const match = ({ path }: { path: string }) => /\/\d+$/.test(path);
	const headers = { 'retry-after': '30' };
	bench.platform.faults.add({ kind: 'status', status: 429, headers, match, times: Infinity });
	await bench.polls(rig, 4);
	bench.platform.faults.clear();
	await bench.polls(rig, 5);
	expect(rig.told()).toEqual([]);
	await bench.polls(rig, 1);
	expect(rig.told()).toEqual(['outOfOrder 32']);
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

describe('watched time', () => {
	const polls = bench.polls.bind(bench);
	const watchingIn = ({ items }: TriggerRig) => items.filter(({ event }) => event === 'watching');
	const messages = ({ errors }: TriggerRig) => errors.map(({ message }) => message);
	const time = (value: unknown) => Date.parse(text(value));
	const start = async (options: INodeParameters = {}) =>
		await bench.rig('memory', { ...OUT_OF_ORDER, options: { reportWatching: true, ...options } });

	it('with turns of several polls, reaches from the end of a turn to the beginning of a later one', async () => {
		const rig = await start({ mostStations: 2 });
		const began = bench.clock.now();
		await polls(rig, 3 * 12);
		const [first, second, ...more] = watchingIn(rig);
		// The first turn ends 10 minutes after the first poll; a turn has three polls.
		const edges = [first?.from, second?.from, second?.to].map((edge) => Math.round((time(edge) - began) / MINUTE));
		expect(edges.map((edge) => edge % 15)).toEqual([10, 0, 0]);
		expect(second?.from).toEqual(first?.to);
		expect(more).toEqual([]);
		expect(first).toMatchObject({ stations: 6, chargePoints: 12 });
		// Looks may be as far apart as two turns, a little late, and no further.
		bench.clock.forward(52 * MINUTE);
		await polls(rig, 3 * 7);
		const [before, after] = watchingIn(rig).slice(-2);
		expect(time(after?.from) - time(before?.to)).toBeGreaterThan(50 * MINUTE);
	});

	it('a station that cannot be read is named and said for itself, and the others are watched all the time', async () => {
		const rig = await start();
		await polls(rig, 16);
		const isFourth = ({ path }: { path: string }) => path.endsWith('/4');
		bench.platform.faults.add({ kind: 'status', status: 500, match: isFourth, times: Infinity });
		await polls(rig, 14);
		bench.platform.faults.clear();
		await polls(rig, 20);
		const watched = watchingIn(rig).map(({ from, to, unreadable }) => [
			Math.round((time(to) - time(from)) / MINUTE),
			unreadable,
		]);
		expect(watched).toEqual([
			[60, []],
			[60, [{ stationId: 4 }]],
			[60, [{ stationId: 4 }]],
			[60, []],
		]);
		expect(messages(rig)).toEqual(['The status of 1 station cannot be read, for an hour now']);
	});

	it('charge points that are back without the field are unreadable: the trigger is not set up wrongly', async () => {
		const rig = await start();
		await polls(rig, 2);
		const match = ({ path }: { path: string }) => path.endsWith('/v1');
		const body = { Items: [], TotalCount: 0 };
		bench.platform.faults.add({ kind: 'reply', status: 200, body, match, times: Infinity });
		await polls(rig, 2);
		bench.platform.faults.clear();
		for (const id of bench.stations()) bench.entries(id, { Id: id });
		await polls(rig, 14);
		expect(messages(rig)).toEqual(['The status of 6 charge points cannot be read, for an hour now']);
	});

	it('a time in which more than 200 charge points could not be read is not reported as watched', async () => {
		bench.points(3, ...Array.from({ length: 201 }, () => null));
		const rig = await start();
		await polls(rig, 14);
		expect(watchingIn(rig)).toEqual([]);
		expect(messages(rig)[0]).toMatch(/^The status of 201 charge points/);
	});
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
