import partition from 'lodash/partition.js';
import type { INodeParameters } from 'n8n-workflow';

import { aboutMinutes, TIME_OF_DAY } from '../../support/clock.ts';
import { Bench, nothing, type Scene, short, statusFilter, text } from '../../support/stationTrigger/support.ts';
import { testManually, TriggerRig } from '../../support/trigger/rig.ts';

/**
 * What is told of single stations at any time is the subject of the random histories. What all triggers promise of saved
 * state, outages, partial answers and watched time: everyNode/trigger*.test.ts and watchedTime.test.ts.
 */
const bench = new Bench({ stations: 6 });
const set = bench.set.bind(bench);
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);

const AVAILABILITY = { event: 'availability' };
const MATCHES = { event: 'filterMatch', filters: statusFilter('networkStatus', '2') };
const CHANGES = { event: 'statusChange' };
const stationChanges = ['added', 'removed'];

const start = async (parameters: INodeParameters) => await bench.live(parameters);

/** Stations lose their connection, and are connected again. */
const fails =
	(...ids: number[]) =>
	() =>
		set({ NetworkStatus: 2 }, ...ids);
const returns =
	(...ids: number[]) =>
	() =>
		set({ NetworkStatus: 1 }, ...ids);

describe('an item', () => {
	it('of an outage has the incidentId of its begin, its times and a text', async () => {
		const rig = await start(AVAILABILITY);
		await plays(rig, [nothing, 2, []], [fails(3), 3, ['offline 3']], [returns(3), 2, ['backOnline 3']]);
		const [offline, back] = rig.items;
		const name = text(offline?.stationName);
		const first = ['stationName', 'text', 'event', 'since', 'until', 'durationMinutes'];
		expect(Object.keys(offline ?? {}).slice(0, 6)).toEqual(first);
		expect(Object.keys(offline ?? {}).at(-1)).toBe('station');
		expect(offline).toMatchObject({
			event: 'offline',
			stationId: 3,
			dimension: 'NetworkStatus',
			environment: 'production',
			cause: 'offline',
			incidentId: offline?.eventId,
			until: null,
			durationMinutes: 0,
			station: { Id: 3, Name: name, NetworkStatus: 2 },
		});
		const inSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/;
		for (const time of [offline?.since, offline?.detectedAt, back?.until]) expect(time).toMatch(inSeconds);
		expect(offline?.text).toMatch(new RegExp(`^${name} has been offline since \\d\\d:\\d\\d\\.$`));
		expect(back).toMatchObject({ incidentId: offline?.eventId, since: offline?.since });
		expect(back?.durationMinutes).toEqual(aboutMinutes(3));
		expect(back?.eventId).not.toBe(offline?.eventId);
		expect(back?.text).toMatch(
			new RegExp(`^${name} is back online\\. It was offline from ${TIME_OF_DAY} to ${TIME_OF_DAY}, for 3 minutes\\.$`),
		);
	});

	it('of a status change is no incident', async () => {
		const rig = await start(CHANGES);
		await plays(rig, [fails(3), 1, ['statusChanged 3 NetworkStatus 1>2']]);
		expect(rig.items[0]).toMatchObject({ cause: null, incidentId: null, until: null, to: 2, StatusName: 'Code 2' });
		expect(rig.items[0]?.text).toMatch(/^Network Status of .* changed from Online to Code 2 at \d\d:\d\d\.$/);
	});
});

it('a list that shows no station, but counts some, is not read: nothing is told until it is, and a failed execution says so', async () => {
	fails(3)();
	const empty = { kind: 'reply', status: 200, body: { Items: [], TotalCount: 1 }, times: Infinity } as const;
	const match = ({ query = '' }) => query.includes('NetworkStatus');
	const rig = await start(AVAILABILITY);
	bench.platform.faults.add({ ...empty, match });
	fails(4)();
	await minutes(rig, 40);
	expect(rig.told()).toEqual([]);
	expect(rig.errors.splice(0)).toMatchObject([
		{ message: expect.stringContaining('could not be read since') as string },
	]);
	bench.platform.faults.clear();
	await plays(rig, [returns(3), 2, ['offline 4']]);
});

it('a page that is cut once does not make later polls read the list in small pages', async () => {
	for (let id = 7; id <= 60; id++) bench.add(id, `Station ${id}`);
	const rig = await start(CHANGES);
	bench.platform.behaviour.takeClamp = 1;
	bench.platform.beforeList = () => (bench.platform.behaviour.takeClamp = undefined);
	await minutes(rig, 1);
	expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBeLessThanOrEqual(2);
});

describe('the full detail', () => {
	const parameters = { ...AVAILABILITY, options: { fetchDetail: true, parallelRequests: 1 } };

	it('is read as far as the time of a poll allows', async () => {
		for (let id = 7; id <= 40; id++) bench.add(id, `Station ${id}`);
		const rig = await start(parameters);
		rig.budgetMs = 4_000;
		bench.slow(200);
		await minutes(rig, 1);
		fails()();
		await minutes(rig, 3);
		expect(new Set(rig.items.map(({ stationId }) => stationId)).size).toBe(40);
		expect(rig.items).toHaveLength(40);
		const [read, missing] = partition(rig.items, ({ detailMissing }) => detailMissing === undefined);
		expect([read.length > 0, missing.length > 0]).toEqual([true, true]);
		for (const { station } of read) expect(station).toHaveProperty('EVSEs');
		for (const { station, stationId } of missing) expect(station).toMatchObject({ Id: stationId });
	});

	it('costs one request for each station with events, however many it has', async () => {
		const dimensions = ['NetworkStatus', 'HardwareStatus'];
		const rig = await start({ ...CHANGES, dimensions, options: { fetchDetail: true } });
		set({ NetworkStatus: 2, HardwareStatus: 3 }, 3, 5);
		// The list, and two details.
		expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBe(3);
		expect(rig.items.map(({ stationId }) => stationId)).toEqual([3, 3, 5, 5]);
		for (const { station } of rig.items) expect(station).toHaveProperty('EVSEs');
	});

	it('is added to the row of the list, which it does not replace', async () => {
		const rig = await start(parameters);
		const body = JSON.stringify({ Id: 3, EVSEs: [], Firmware: '1.2' });
		const isOfThird = ({ path }: { path: string }) => /\/v1\/3$/.test(path);
		bench.platform.faults.add({ kind: 'reply', status: 200, body, match: isOfThird, times: Infinity });
		await plays(rig, [fails(3), 1, ['offline 3']]);
		const row = { Id: 3, NetworkStatus: 2, LocationName: expect.any(String) as string };
		expect(rig.items).toMatchObject([{ station: { ...row, EVSEs: [], Firmware: '1.2' } }]);
	});

	it.each([
		['500', {}],
		['429', { 'retry-after': '5' }],
	])('that keeps answering %s holds up no alert', async (status, headers) => {
		const rig = await start(parameters);
		const isOfFirst = ({ path }: { path: string }) => /\/v1\/[1-4]$/.test(path);
		const fault = { kind: 'status', status: Number(status), headers } as const;
		bench.platform.faults.add({ ...fault, match: isOfFirst, times: Infinity });
		await plays(rig, [fails(), 3, [1, 2, 3, 4, 5, 6].map((id) => `offline ${id}`)]);
		const missing = rig.items.filter(({ detailMissing }) => detailMissing !== undefined);
		expect(missing.map(({ stationId }) => stationId)).toEqual(expect.arrayContaining([1, 2, 3, 4]));
		for (const { detailMissing } of missing) expect(detailMissing).toMatch(/\w+ \w+/);
		await plays(rig, [returns(5), 2, ['backOnline 5']]);
	});
});

describe('how long', () => {
	it('Alert Only After waits, also if polls come a little early, and the item says how long', async () => {
		const rig = await start({ ...AVAILABILITY, minutesInState: 10 });
		fails(3)();
		await bench.polls(rig, 10, 59_500);
		expect(rig.items).toEqual([]);
		await bench.polls(rig, 1, 59_500);
		expect(rig.items).toMatchObject([{ event: 'offline', stationId: 3, durationMinutes: aboutMinutes(10) }]);
		expect(rig.items[0]?.text).toMatch(new RegExp(`has been offline since ${TIME_OF_DAY}, for 10 minutes\\.$`));
	});

	it('another Alert Only After begins nothing anew: what happened before is reported', async () => {
		const rig = await start(AVAILABILITY);
		fails(3)();
		const republish = () => rig.republish({ parameters: { ...AVAILABILITY, minutesInState: 1 } });
		await plays(rig, [republish, 1, ['offline 3']]);
	});

	it('what nobody looked at for twenty minutes waits anew', async () => {
		const rig = await start({ ...AVAILABILITY, minutesInState: 10 });
		await plays(rig, [fails(3), 5, []]);
		bench.clock.forward(20 * 60_000);
		await plays(rig, [nothing, 10, []], [nothing, 1, ['offline 3']]);
	});

	it('it goes on where two polls every five minutes could not read anything, and the next one is a little late', async () => {
		const rig = await start({ ...AVAILABILITY, minutesInState: 20 });
		await bench.polls(rig, 3);
		fails(3)();
		await bench.polls(rig, 1);
		bench.platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		await bench.polls(rig, 2);
		bench.platform.faults.clear();
		bench.clock.forward(2_000);
		await bench.polls(rig, 1);
		expect(rig.told()).toEqual([]);
		await bench.polls(rig, 1);
		expect(rig.told()).toEqual(['offline 3']);
	});

	it('a status that does not last as long is no change', async () => {
		const rig = await start({ ...CHANGES, minutesInState: 3 });
		const flaps: Scene[] = [
			[fails(3), 2, []],
			[returns(3), 1, []],
		];
		await plays(rig, ...flaps, ...flaps, [fails(3), 4, ['statusChanged 3 NetworkStatus 1>2']]);
	});

	it('a return that is too short to be reported is part of the same outage', async () => {
		const rig = await start({ ...AVAILABILITY, options: { backAfterMinutes: 5 } });
		await plays(
			rig,
			[fails(3), 1, ['offline 3']],
			[returns(3), 3, []],
			[fails(3), 3, []],
			[returns(3), 5, []],
			[nothing, 1, ['backOnline 3']],
		);
		// The outage ended when the station was first seen back.
		expect(rig.items[1]?.durationMinutes).toEqual(aboutMinutes(7));
	});

	it.each([
		[{ ...AVAILABILITY, availabilityChanges: ['back'] }, 'backOnline 4'],
		[{ ...MATCHES, matchChanges: ['stops'] }, 'stoppedMatching 4'],
	])(
		'%j: an end is reported only of what lasted as long as Alert Only After, from the first poll on',
		async (parameters, told) => {
			fails(3, 4)();
			const rig = await start({ ...parameters, minutesInState: 10 });
			await plays(rig, [nothing, 5, []], [returns(3), 6, []], [() => rig.restart(), 0, []], [returns(4), 3, [told]]);
			expect(rig.items[0]?.durationMinutes).toEqual(aboutMinutes(12));
		},
	);
});

describe('availability', () => {
	it('is watched of a station whose name was pasted with a line end behind it', async () => {
		bench.add(7, 'Depot 3');
		const rig = await start({ ...AVAILABILITY, filters: { name: [{ operator: 'Eq', value: 'Depot 3\n' }] } });
		await plays(rig, [fails(7), 1, ['offline 7']]);
	});

	it('treats the chosen codes as online, and watches only stations that match the filter', async () => {
		const filters = { id: [{ operator: 'In', values: '1,2,3' }] };
		const rig = await start({ ...AVAILABILITY, filters, options: { onlineValues: ['1', '3'] } });
		set({ NetworkStatus: 3 }, 1);
		await plays(rig, [fails(2, 5), 2, ['offline 2']]);
	});

	it('the end of an outage that the first poll found is not reported, and the next outage is', async () => {
		fails(3)();
		const rig = await start(AVAILABILITY);
		await plays(rig, [nothing, 1, []], [returns(3), 2, []], [fails(3), 1, ['offline 3']]);
	});

	it('what is offline already when its status is no longer out of service is not reported', async () => {
		set({ Status: 2, NetworkStatus: 2 }, 3);
		const rig = await start({ ...AVAILABILITY, options: { outOfServiceValues: ['2'] } });
		await plays(rig, [() => rig.republish({ parameters: AVAILABILITY }), 2, []], [fails(4), 1, ['offline 4']]);
	});

	it('the end of an outage is reported although a new filter leaves the station out', async () => {
		const rig = await start(AVAILABILITY);
		set({ Status: 2 }, 3);
		const filtered = { ...AVAILABILITY, filters: statusFilter('status', '1') };
		await plays(
			rig,
			[fails(3, 5), 1, ['offline 3', 'offline 5']],
			[() => rig.republish({ parameters: filtered }), 4, []],
			[() => rig.restart(), 0, []],
			[returns(3, 5), 1, ['backOnline 3', 'backOnline 5']],
			// The next outage of one that the filter leaves out is not of interest.
			[fails(3), 3, []],
			// What a wider filter shows for the first time is no news.
			[() => rig.republish({ parameters: AVAILABILITY }), 2, []],
		);
		expect(rig.items.filter(({ removed }) => removed)).toEqual([]);
	});

	it.each([
		[AVAILABILITY, 'offline', 'backOnline', /^.+ no longer exists\. It was offline from .* to .*\.$/],
		[MATCHES, 'startedMatching', 'stoppedMatching', /^.+ no longer exists\. It matched the filter from .* to .*\.$/],
	])('%j: what was reported of a station that is gone ends', async (parameters, begin, end, words) => {
		const rig = await start(parameters);
		await plays(rig, [fails(3), 2, [`${begin} 3`]], [() => bench.remove(3), 1, []], [nothing, 4, [`${end} 3`]]);
		const [first, last] = rig.items;
		expect(last).toMatchObject({ removed: true, station: null, stationName: first?.stationName });
		expect(last).toMatchObject({ incidentId: first?.incidentId, since: first?.since, until: last?.detectedAt });
		expect(last?.text).toMatch(words);
		await plays(rig, [() => bench.add(3, 'Back', 2), 1, [`${begin} 3`]]);
	});
});

describe('status changes', () => {
	it('reports each watched status, and nothing twice', async () => {
		const rig = await start({ ...CHANGES, dimensions: ['NetworkStatus', 'HardwareStatus'] });
		set({ HardwareStatus: null }, 5);
		const both = ['statusChanged 3 HardwareStatus 1>3', 'statusChanged 3 NetworkStatus 1>2'];
		await plays(
			rig,
			[nothing, 1, ['statusChanged 5 HardwareStatus 1>null']],
			[() => set({ NetworkStatus: 2, HardwareStatus: 3, Status: 3 }, 3), 3, both],
			[() => set({ HardwareStatus: 1 }, 5), 1, ['statusChanged 5 HardwareStatus null>1']],
			[() => rig.restart(), 0, []],
			[returns(3), 2, ['statusChanged 3 NetworkStatus 2>1']],
		);
	});

	it('reports only changes from and to the chosen values, and remembers the others', async () => {
		const rig = await start({ ...CHANGES, fromValues: ['NetworkStatus=1'], toValues: ['NetworkStatus=2'] });
		await plays(
			rig,
			[() => set({ NetworkStatus: 3 }, 3), 1, []],
			[() => rig.restart(), 0, []],
			[fails(3), 1, []],
			[returns(3), 1, []],
			[fails(3), 1, ['statusChanged 3 NetworkStatus 1>2']],
		);
	});

	it.each(['NetworkStatus=2', '2', 'Code 2', 'NetworkStatus=Code 2'])(
		'a new status may be given as %s: as stored, its code, or as dropdowns name it',
		async (toValue) => {
			const rig = await start({ ...CHANGES, toValues: [toValue] });
			await plays(rig, [fails(3), 1, ['statusChanged 3 NetworkStatus 1>2']], [returns(3), 1, []]);
		},
	);

	it.each(['fromValues', 'toValues'])(
		'%s: a value of a status that is not watched is refused, as it never comes',
		async (name) => {
			const values = { [name]: ['NetworkStatus=2', 'HardwareStatus=3'] };
			await expect(start({ ...CHANGES, ...values })).rejects.toThrow('Statuses to Watch leaves HardwareStatus out');
			const rig = await start({ ...CHANGES, ...values, dimensions: ['HardwareStatus', 'NetworkStatus'] });
			await plays(rig, [nothing, 1, []]);
		},
	);

	it('an event in capitals is refused, as n8n would leave out New Status, and all changes would be reported', async () => {
		const given = { ...CHANGES, event: 'STATUSCHANGE', toValues: ['NetworkStatus=2'] };
		await expect(start(given)).rejects.toThrow(
			/^Trigger On: n8n does not know "STATUSCHANGE".* Write "statusChange"\./,
		);
	});

	it.each([
		['NetworkStatus=', '"NetworkStatus=" has no status after the equals sign'],
		['NetworkStatus= ', 'has no status after the equals sign'],
		['NetworkStatus=2=3', '"2=3" is no status'],
		['NetworkStatus=2;3', '"2;3" is no status'],
	])('%p is no old or new status, which is said before anything is sent', async (value, message) => {
		const sent = await bench.requestsOf(async () => {
			for (const name of ['fromValues', 'toValues']) {
				await expect(start({ ...CHANGES, [name]: ['NetworkStatus=1', value] })).rejects.toThrow(message);
			}
		});
		expect(sent).toBe(0);
	});

	it.each(['number', 'text', 'name', 'object'] as const)(
		'statuses as %s are the codes they stand for',
		async (codes) => {
			bench.platform.behaviour.codes = codes;
			const rig = await start(AVAILABILITY);
			await plays(rig, [fails(3), 2, ['offline 3']], [returns(3), 2, ['backOnline 3']]);
			for (const toValues of [['NetworkStatus=1'], ['Online']]) {
				fails(3)();
				const changes = await start({ ...CHANGES, toValues });
				await minutes(changes, 1);
				returns(3)();
				await minutes(changes, 1);
				expect(changes.items).toMatchObject([{ event: 'statusChanged', stationId: 3, to: 1, StatusName: 'Online' }]);
			}
		},
	);

	it('stations out of service raise nothing, and are watched again silently', async () => {
		const rig = await start({ ...CHANGES, options: { outOfServiceValues: ['2'] } });
		await plays(
			rig,
			[() => set({ Status: 2, NetworkStatus: 2 }, 3), 1, []],
			[() => set({ Status: 1, NetworkStatus: 1 }, 3), 1, []],
			[fails(3), 1, ['statusChanged 3 NetworkStatus 1>2']],
		);
	});

	it('stations that leave the filter cost no requests, and are watched again once they are back', async () => {
		const rig = await start({ ...CHANGES, filters: statusFilter('status', '1') });
		set({ Status: 2 }, 5, 6);
		expect(await bench.requestsOf(async () => await minutes(rig, 2))).toBe(2);
		const isBack: Scene = [() => set({ Status: 1 }, 5), 1, ['statusChanged 5 NetworkStatus 1>2']];
		await plays(rig, [fails(5), 1, []], isBack);
	});
});

it.each([
	[AVAILABILITY, 'offline sta-000002', 'backOnline sta-000002'],
	[CHANGES, 'statusChanged sta-000002 NetworkStatus 1>2', 'statusChanged sta-000002 NetworkStatus 2>1'],
	[MATCHES, 'startedMatching sta-000002', 'stoppedMatching sta-000002'],
])('stations whose Ids are texts are watched page by page: %j', async (parameters, begin, end) => {
	bench.platform.behaviour.ids.stations = 'text';
	const rig = await start({ ...parameters, options: { pageSize: 2, parallelRequests: 2, stationChanges } });
	const gone = ['removed sta-000005'];
	await plays(rig, [fails(2), 1, [begin]], [returns(2), 1, [end]], [() => bench.remove(5), 2, gone]);
});

describe('in a mass outage that takes all requests that the limit lets through', () => {
	it.each([
		[AVAILABILITY, 'offline', 'backOnline'],
		[MATCHES, 'startedMatching', 'stoppedMatching'],
	])('%j: an end is told although the list is not read to its end in any poll', async (parameters, begin, end) => {
		for (let id = 7; id <= 202; id++) bench.add(id, `Station ${id}`);
		const rig = await start({ ...parameters, options: { pageSize: 5, maxRateLimitWait: 1, parallelRequests: 1 } });
		bench.platform.behaviour.rateLimit = { limit: 10, windowMs: 59_000, retryAfter: 'seconds' };
		fails()();
		await minutes(rig, 20);
		expect(new Set(rig.told()).size).toBe(202);
		expect(rig.told().every((each) => each.startsWith(begin))).toBe(true);
		returns(3, 60, 150)();
		await minutes(rig, 25);
		expect(rig.told().sort()).toEqual([`${end} 150`, `${end} 3`, `${end} 60`]);
		expect(rig.errors).toEqual([]);
	});

	const tellsBothWays = async (rig: TriggerRig, stations: number, minutesBack: number) => {
		for (const [change, passed] of [
			[fails(), 20],
			[returns(), minutesBack],
		] as const) {
			change();
			await minutes(rig, passed);
			expect(new Set(rig.told()).size).toBe(stations);
		}
		expect(rig.errors).toEqual([]);
	};

	it('begins and ends are told where the platform cuts pages, and the limit does not let as many rows through as Page Size', async () => {
		for (let id = 7; id <= 100; id++) bench.add(id, `Station ${id}`);
		bench.platform.behaviour.takeClamp = 11;
		const rig = await start({ ...AVAILABILITY, options: { maxRateLimitWait: 1 } });
		bench.platform.behaviour.rateLimit = { limit: 6, windowMs: 59_000, retryAfter: 'seconds' };
		await tellsBothWays(rig, 100, 30);
	});

	it('all ends are told where pages are so small that a full look-up needs more requests than the limit lets through', async () => {
		for (let id = 7; id <= 130; id++) bench.add(id, `Station ${id}`);
		const rig = await start({ ...AVAILABILITY, options: { pageSize: 10, maxRateLimitWait: 1 } });
		bench.platform.behaviour.rateLimit = { limit: 10, windowMs: 59_000, retryAfter: 'seconds' };
		await tellsBothWays(rig, 130, 20);
	});

	it('all ends are told where the platform cuts pages, so that a look-up takes several requests', async () => {
		for (let id = 7; id <= 202; id++) bench.add(id, `Station ${id}`);
		bench.platform.behaviour.takeClamp = 10;
		const rig = await start({ ...AVAILABILITY, options: { maxRateLimitWait: 1, parallelRequests: 1 } });
		bench.platform.behaviour.rateLimit = { limit: 25, windowMs: 59_000, retryAfter: 'seconds' };
		fails()();
		await minutes(rig, 20);
		expect(new Set(rig.told()).size).toBe(202);
		returns()();
		await minutes(rig, 20);
		expect(new Set(rig.told()).size).toBe(202);
		expect(rig.errors).toEqual([]);
	});
});

describe('stations added and removed', () => {
	const withChanges = (parameters: INodeParameters) => ({
		...parameters,
		options: { ...(parameters.options as INodeParameters), stationChanges },
	});

	it.each([403, 500])(
		'says that one is new, and that one has gone once the platform says so, whose detail answered %i',
		async (status) => {
			const rig = await start(withChanges(AVAILABILITY));
			await plays(rig, [() => bench.add(7, 'New one'), 2, ['added 7']]);
			expect(rig.items[0]?.stationName).toBe('New one');
			const isOfSecond = ({ path }: { path: string }) => path.endsWith('/2');
			bench.platform.faults.add({ kind: 'status', status, match: isOfSecond, times: Infinity });
			await plays(
				rig,
				[() => bench.remove(2, 7), 2, ['removed 7']],
				[fails(5), 2, ['offline 5']],
				[() => bench.platform.faults.clear(), 2, ['removed 2']],
			);
		},
	);

	it('a removal that comes again because n8n was killed keeps its id', async () => {
		const rig = await start(withChanges(AVAILABILITY));
		await plays(rig, [() => bench.remove(2), 1, []]);
		await rig.unsaved(() => plays(rig, [nothing, 1, ['removed 2']]));
		await plays(rig, [() => rig.restart(), 2, ['removed 2']]);
		expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(1);
	});

	it('reports neither for a station that leaves the filter and returns', async () => {
		const rig = await start(withChanges({ ...AVAILABILITY, filters: statusFilter('status', '1') }));
		await plays(rig, [() => set({ Status: 3 }, 2), 3, []], [() => set({ Status: 1 }, 2), 3, []]);
	});

	it('reports both with the filter event when the fleet does not fit into one poll', async () => {
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

	it('what happens while the option is added, and while it goes, is reported', async () => {
		const rig = await start(AVAILABILITY);
		fails(3)();
		await plays(rig, [() => rig.republish({ parameters: withChanges(AVAILABILITY) }), 0, ['offline 3']]);
		returns(3)();
		await plays(rig, [() => rig.republish({ parameters: AVAILABILITY }), 0, ['backOnline 3']]);
	});

	it.each([
		[{ ...AVAILABILITY, options: { onlineValues: ['1', '3'] } }, AVAILABILITY],
		[MATCHES, { ...MATCHES, filters: statusFilter('networkStatus', '3') }],
	] as INodeParameters[][])('from %j to %j: what is new then is reported', async (before = {}, after = {}) => {
		const rig = await start(withChanges(before));
		bench.add(7, 'New one');
		await plays(rig, [() => rig.republish({ parameters: withChanges(after) }), 0, ['added 7']]);
	});

	it('another filter begins anew: what only it selects is not new', async () => {
		const parametersOf = (value: string) => withChanges({ ...AVAILABILITY, filters: statusFilter('status', value) });
		set({ Status: 2 }, 4);
		const rig = await start(parametersOf('1'));
		await plays(rig, [() => rig.republish({ parameters: parametersOf('2') }), 0, []]);
		bench.add(7, 'New one');
		await plays(rig, [() => set({ Status: 2 }, 7), 1, ['added 7']]);
	});
});

describe('a manual test', () => {
	const test = async (parameters: INodeParameters) => (await testManually(parameters, bench.credential())) ?? [];

	it('shows stations that are offline now, with times as if they had waited for Alert Only After', async () => {
		fails(4)();
		const items = await test({ ...AVAILABILITY, minutesInState: 10 });
		expect(short(items)).toEqual(['offline 4']);
		const [{ since, detectedAt, ...item } = {}] = items;
		expect(item).toMatchObject({ durationMinutes: 10, station: { Id: 4, NetworkStatus: 2 } });
		expect(Date.parse(text(detectedAt)) - Date.parse(text(since))).toBe(600_000);
	});

	it('shows an end with its times where none is offline, and the hourly item after it', async () => {
		const items = await test({ ...AVAILABILITY, options: { reportWatching: true } });
		expect(items.map(({ event }) => event)).toEqual(['backOnline', 'backOnline', 'backOnline', 'watching']);
		for (const { text, sample } of items) expect([text, sample]).toEqual([expect.stringMatching(/^Sample: /), true]);
		expect(items[1]).toMatchObject({ durationMinutes: aboutMinutes(10) });
		expect(items[1]?.until).not.toBeNull();
	});

	it('says so when there is nothing to show, and that capitals may matter in the text of a filter', async () => {
		const filters = { other: [{ field: 'LocationName|text', textOperator: 'Eq', value: 'nowhere' }] };
		await expect(test({ ...AVAILABILITY, filters })).rejects.toMatchObject({
			message: expect.stringContaining('There are no charging stations that match the filter') as string,
			description: expect.stringMatching(/upper and lower case may count as different\. Check the filter/) as string,
		});
	});
});
