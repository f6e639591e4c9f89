import partition from 'lodash/partition.js';
import type { INodeParameters } from 'n8n-workflow';

import { aboutMinutes } from '../../support/clock.ts';
import { Bench, nothing, type Scene, short, statusFilter, text } from '../../support/stationTrigger/support.ts';
import { ENGINES, testManually, TriggerRig } from '../../support/trigger/rig.ts';

/** What is told of single stations at any time is the subject of the random histories, and what n8n saves, too. */
const bench = new Bench({ stations: 6 });
const set = bench.set.bind(bench);
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);

const AVAILABILITY = { event: 'availability' };
const MATCHES = { event: 'filterMatch', filters: statusFilter('networkStatus', '2') };
const CHANGES = { event: 'statusChange' };

async function start(parameters: INodeParameters, engine: TriggerRig['engine'] = 'memory') {
	const rig = new TriggerRig(engine, parameters, bench.credential());
	await rig.activate();
	return rig;
}

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
			...{ event: 'offline', stationId: 3, dimension: 'NetworkStatus', environment: 'production', cause: 'offline' },
			...{ incidentId: offline?.eventId, until: null, durationMinutes: 0 },
			station: { Id: 3, Name: name, NetworkStatus: 2 },
		});
		const inSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/;
		for (const time of [offline?.since, offline?.detectedAt, back?.until]) expect(time).toMatch(inSeconds);
		expect(offline?.text).toMatch(new RegExp(`^${name} has been offline since \\d\\d:\\d\\d\\.$`));
		expect(back).toMatchObject({ incidentId: offline?.eventId, since: offline?.since });
		expect(back?.durationMinutes).toEqual(aboutMinutes(3));
		expect(back?.eventId).not.toBe(offline?.eventId);
		expect(back?.text).toMatch(
			new RegExp(`^${name} is back online\\. It was offline from \\d\\d:\\d\\d to \\d\\d:\\d\\d, for 3 minutes\\.$`),
		);
	});

	it('of an outage that has lasted as long as Alert Only After says how long', async () => {
		const rig = await start({ ...AVAILABILITY, minutesInState: 10 });
		await plays(rig, [fails(3), 10, []], [nothing, 1, ['offline 3']]);
		expect(rig.items[0]?.durationMinutes).toEqual(aboutMinutes(10));
		expect(rig.items[0]?.text).toMatch(/has been offline since \d\d:\d\d, for 10 minutes\.$/);
	});

	it('of a status change is no incident', async () => {
		const rig = await start(CHANGES);
		await plays(rig, [fails(3), 1, ['statusChanged 3 NetworkStatus 1>2']]);
		expect(rig.items[0]).toMatchObject({ cause: null, incidentId: null, until: null, to: 2, StatusName: 'Code 2' });
		expect(rig.items[0]?.text).toMatch(/^Network Status of .* changed from Online to Code 2 at \d\d:\d\d\.$/);
	});

	it('has the full detail if asked for, as far as the time of a poll allows', async () => {
		for (let id = 7; id <= 40; id++) bench.add(id, `Station ${id}`);
		const rig = await start({ ...AVAILABILITY, options: { fetchDetail: true, parallelRequests: 1 } });
		rig.budgetMs = 4_000;
		bench.slow(200);
		await minutes(rig, 1);
		fails()();
		await minutes(rig, 1);
		expect(new Set(rig.items.map(({ stationId }) => stationId)).size).toBe(40);
		const [read, missing] = partition(rig.items, ({ detailMissing }) => detailMissing === undefined);
		expect([read.length > 0, missing.length > 0]).toEqual([true, true]);
		for (const { station } of read) expect(station).toHaveProperty('EVSEs');
		for (const { station, stationId } of missing) expect(station).toMatchObject({ Id: stationId });
		await minutes(rig, 2);
		expect(rig.items).toHaveLength(40);
	});
});

describe('availability', () => {
	it.each([
		[false, [], []],
		[true, ['offline 4'], ['backOnline 4']],
	])('of what was offline at first, begin and end, with Report Initial State %s', async (reports, begin, end) => {
		fails(4)();
		const rig = await start({ ...AVAILABILITY, options: { emitInitialState: reports } });
		await plays(rig, [nothing, 1, begin], [returns(4), 2, end], [fails(4), 1, ['offline 4']]);
	});

	it('alerts after one minute even if polls come a second early', async () => {
		const rig = await start({ ...AVAILABILITY, minutesInState: 1 });
		fails(3)();
		await minutes(rig, 1);
		await bench.polls(rig, 1, 59_000);
		expect(rig.take()).toMatchObject([{ event: 'offline', stationId: 3, durationMinutes: aboutMinutes(1) }]);
	});

	it('treats a short return as part of the same outage if asked to', async () => {
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

	it.each(ENGINES)('engine %s: Coming Back alone saves a begin, and reports an end with its start', async (engine) => {
		fails(5)();
		const rig = await start({ ...AVAILABILITY, availabilityChanges: ['back'] }, engine);
		const { length } = rig.batches;
		await plays(rig, [fails(3, 4), 15, []]);
		expect(rig.batches.slice(length)).toEqual([[]]);
		await plays(rig, [returns(3, 5), 1, ['backOnline 3', 'backOnline 5']]);
		expect(rig.items[0]?.durationMinutes).toEqual(aboutMinutes(15));
		await rig.restart();
		await plays(rig, [returns(4), 1, ['backOnline 4']]);
		expect(rig.items[2]?.since).toEqual(rig.items[0]?.since);
	});

	it.each([
		[{ ...AVAILABILITY, availabilityChanges: ['back'] }, 'backOnline 4'],
		[{ ...MATCHES, matchChanges: ['stops'] }, 'stoppedMatching 4'],
	])(
		'%j: an end is reported only of what lasted as long as Alert Only After, from the first poll on',
		async (parameters, told) => {
			fails(3, 4)();
			const rig = await start({ ...parameters, minutesInState: 10 });
			await plays(rig, [nothing, 5, []], [returns(3), 6, []], [returns(4), 3, [told]]);
			expect(rig.items[0]?.durationMinutes).toEqual(aboutMinutes(12));
		},
	);

	it('after another filter, too, the end of what was shorter than Alert Only After is not reported', async () => {
		const only = { ...AVAILABILITY, availabilityChanges: ['back'], minutesInState: 10 };
		const rig = await start({ ...only, filters: statusFilter('status', '2') });
		fails(3)();
		await plays(rig, [() => rig.republish({ parameters: only }), 5, []], [returns(3), 6, []]);
	});

	it('treats the chosen codes as online, and watches only stations that match the filter', async () => {
		const filters = { id: [{ operator: 'In', values: '1,2,3' }] };
		const rig = await start({ ...AVAILABILITY, filters, options: { onlineValues: ['1', '3'] } });
		set({ NetworkStatus: 3 }, 1);
		await plays(rig, [fails(2, 5), 2, ['offline 2']]);
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

	it('with an old status chosen, the initial state of that status has no old one to report', async () => {
		const dimensions = ['NetworkStatus', 'HardwareStatus'];
		const options = { emitInitialState: true };
		const rig = await start({ ...CHANGES, dimensions, fromValues: ['NetworkStatus=1'], options });
		expect(rig.take().map(({ dimension }) => dimension)).toEqual(Array(6).fill('HardwareStatus'));
		await plays(rig, [fails(4), 1, ['statusChanged 4 NetworkStatus 1>2']]);
	});

	it('new stations are no change, and are watched from then on', async () => {
		const rig = await start(CHANGES);
		await plays(rig, [() => bench.add(7, 'New'), 1, []], [fails(7), 1, ['statusChanged 7 NetworkStatus 1>2']]);
	});

	it('a status that is a list is no change', async () => {
		const rig = await start(CHANGES);
		await plays(
			rig,
			[() => set({ NetworkStatus: '[1]' }, 3, 4), 1, []],
			[returns(3), 1, []],
			[fails(4), 1, ['statusChanged 4 NetworkStatus 1>2']],
		);
	});

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
		await plays(
			rig,
			[fails(5), 1, []],
			[() => set({ Status: 1 }, 5, 6), 1, ['statusChanged 5 NetworkStatus 1>2']],
			[fails(6), 1, ['statusChanged 6 NetworkStatus 1>2']],
		);
	});

	it('sends a single request when the license is inactive', async () => {
		const rig = await start(CHANGES);
		bench.platform.license.active = false;
		expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBe(1);
	});
});

const stationChanges = ['added', 'removed'];

describe('text ids', () => {
	it.each([
		[AVAILABILITY, 'offline sta-000002', 'backOnline sta-000002'],
		[CHANGES, 'statusChanged sta-000002 NetworkStatus 1>2', 'statusChanged sta-000002 NetworkStatus 2>1'],
		[MATCHES, 'startedMatching sta-000002', 'stoppedMatching sta-000002'],
	])('are watched page by page: %j', async (parameters, begin, end) => {
		bench.platform.behaviour.ids.stations = 'text';
		const rig = await start({ ...parameters, options: { pageSize: 2, parallelRequests: 2, stationChanges } });
		const gone = ['removed sta-000005'];
		await plays(rig, [fails(2), 1, [begin]], [returns(2), 1, [end]], [() => bench.remove(5), 2, gone]);
	});
});

describe('stations added and removed', () => {
	it('says that one is new, and that one has gone once the platform knows it no more', async () => {
		const rig = await start({ ...AVAILABILITY, options: { stationChanges } });
		await plays(rig, [() => bench.add(7, 'New one'), 2, ['added 7']]);
		expect(rig.items[0]?.stationName).toBe('New one');
		await plays(rig, [() => bench.remove(7, 2), 2, ['removed 2', 'removed 7']]);
		const details = bench.platform.requests.filter(({ path }) => /\/v1\/\d+$/.test(path));
		expect(details.map(({ path, status }) => `${path.split('/').at(-1)} ${status}`).sort()).toEqual(['2 404', '7 404']);
	});

	it('reports neither for a station that leaves the filter and returns', async () => {
		const rig = await start({ ...AVAILABILITY, filters: statusFilter('status', '1'), options: { stationChanges } });
		await plays(rig, [() => set({ Status: 3 }, 2), 3, []], [() => set({ Status: 1 }, 2), 3, []]);
	});
});

describe('a change of one of the two, the event and Stations Added or Removed, leaves the other as it was', () => {
	const withChanges = (parameters: INodeParameters) => ({
		...parameters,
		options: { ...(parameters.options as INodeParameters), stationChanges },
	});

	it.each([
		[AVAILABILITY, 'offline 3', 'backOnline 3'],
		[MATCHES, 'startedMatching 3', 'stoppedMatching 3'],
		[CHANGES, 'statusChanged 3 NetworkStatus 1>2', 'statusChanged 3 NetworkStatus 2>1'],
	])('%j: what happens while the option is added, and while it goes, is reported', async (parameters, begin, end) => {
		const rig = await start(parameters);
		fails(3)();
		const added: Scene = [() => rig.republish({ parameters: withChanges(parameters) }), 0, [begin]];
		await plays(rig, added);
		bench.add(7, 'New one');
		returns(3)();
		await plays(rig, [() => rig.republish({ parameters }), 0, [end]]);
	});

	it.each([
		[{ ...AVAILABILITY, options: { onlineValues: ['1', '3'] } }, AVAILABILITY],
		[{ ...AVAILABILITY, options: { outOfServiceValues: ['2'] } }, AVAILABILITY],
		[{ ...CHANGES, dimensions: ['Status'] }, CHANGES],
		[AVAILABILITY, { event: 'unstable' }],
		[MATCHES, { ...MATCHES, filters: statusFilter('networkStatus', '3') }],
	] as INodeParameters[][])('from %j to %j: what is new then is reported', async (before = {}, after = {}) => {
		const rig = await start(withChanges(before));
		bench.add(7, 'New one');
		await plays(rig, [() => rig.republish({ parameters: withChanges(after) }), 0, ['added 7']]);
	});

	it('another filter begins both anew: what only it selects is not new', async () => {
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

	it.each([
		[AVAILABILITY, ['backOnline 1', 'backOnline 2', 'backOnline 3']],
		[{ ...CHANGES, dimensions: ['Status'] }, [1, 2, 3].map((id) => `statusChanged ${id} Status null>1`)],
		[
			{ ...MATCHES, filters: statusFilter('status', '1') },
			['startedMatching 1', 'startedMatching 2', 'startedMatching 3'],
		],
	] satisfies Array<[INodeParameters, string[]]>)('shows what %j would give of real stations', async (...shown) => {
		const [parameters, expected] = shown;
		expect(short(await test(parameters))).toEqual(expected);
	});

	it('shows a sample of the hourly item, and an end with its times', async () => {
		const items = await test({ ...AVAILABILITY, availabilityChanges: ['back'], options: { reportWatching: true } });
		expect(items.map(({ event }) => event)).toEqual(['backOnline', 'backOnline', 'backOnline', 'watching']);
		for (const { text, sample } of items) expect([text, sample]).toEqual([expect.stringMatching(/^Sample: /), true]);
		expect(items[1]).toMatchObject({ durationMinutes: aboutMinutes(10) });
		expect(items[1]?.until).not.toBeNull();
	});

	const where = (field: string, value: string) => ({ other: [{ field, textOperator: 'Eq', value }] });
	it.each([
		['names a refused field', where('NetworkStauts|text', 'x'), /^Check “NetworkStauts” in this node: /],
		[
			'says that capitals may matter where no station has the text of a filter',
			where('LocationName|text', 'nowhere'),
			/In text, upper and lower case may count as different\. Check the filter/,
		],
	])('%s', async (_, filters, words) => {
		const description = expect.stringMatching(words) as string;
		await expect(test({ ...AVAILABILITY, filters })).rejects.toMatchObject({ description });
	});

	it.each([AVAILABILITY, CHANGES, MATCHES])('says so when there is nothing to show: %j', async (parameters) => {
		const showing = test({ ...parameters, filters: statusFilter('status', '99') });
		await expect(showing).rejects.toThrow('There are no charging stations that match the filter');
	});
});
