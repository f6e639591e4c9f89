import type { IDataObject } from 'n8n-workflow';

import { aboutMinutes } from '../../support/clock.ts';
import { Bench, MINUTE, short, statusFilter, text } from '../../support/stationTrigger/support.ts';
import { ENGINES, testManually, TriggerRig } from '../../support/trigger/rig.ts';

const bench = new Bench({ stations: 6 });
const polls = bench.polls.bind(bench);

const watchingIn = (items: readonly IDataObject[]) => items.filter(({ event }) => event === 'watching');
const minutesOf = ({ from, to }: IDataObject) => (Date.parse(text(to)) - Date.parse(text(from))) / MINUTE;

async function rigOf(engine: (typeof ENGINES)[number], parameters: IDataObject = {}): Promise<TriggerRig> {
	const rig = new TriggerRig(
		engine,
		{ event: 'availability', ...parameters, options: { reportWatching: true, ...(parameters.options as IDataObject) } },
		bench.credential(),
	);
	await rig.activate();
	return rig;
}

describe.each(ENGINES)('engine %s: Report Watched Time Hourly for a filter', (engine) => {
	const filters = statusFilter('hardwareStatus', '3');

	it('reports what was watched for its cause, and events of that cause', async () => {
		const rig = await rigOf(engine, { event: 'filterMatch', filters, options: { cause: ' faulted ' } });
		await polls(rig, 5);
		bench.set({ HardwareStatus: 3 }, 3);
		await polls(rig, 14);
		bench.set({ HardwareStatus: 1 }, 3);
		await polls(rig, 14);
		const [first, second, ...more] = watchingIn(rig.items);
		expect(more).toEqual([]);
		const started = rig.items.find(({ event }) => event === 'startedMatching');
		const { eventId: incidentId, since } = started ?? {};
		expect(started).toMatchObject({ cause: 'faulted', incidentId, stationId: 3 });
		const openIncidents = [{ incidentId, stationId: 3, since }];
		expect(first).toMatchObject({ cause: 'faulted', polls: 12, stations: null, openIncidents });
		expect(first?.text).toMatch(/^The stations were watched from .* to .*\. Faulted at the end: 1\.$/);
		expect(second).toMatchObject({ cause: 'faulted', from: first?.to, openIncidents: [] });
		const stopped = rig.items.find(({ event }) => event === 'stoppedMatching');
		expect(stopped).toMatchObject({ cause: 'faulted', incidentId, since, station: { Id: 3, HardwareStatus: 1 } });
	});

	it('begins again with another cause, so that begin and end of an incident have the same', async () => {
		const parameters = { event: 'filterMatch', filters, options: { cause: 'faulted' } };
		const rig = await rigOf(engine, parameters);
		bench.set({ HardwareStatus: 3 }, 3);
		await polls(rig, 1);
		rig.parameters = { ...parameters, options: { cause: 'broken', reportWatching: true } };
		await rig.republish();
		await polls(rig, 1);
		bench.set({ HardwareStatus: 1 }, 3);
		await polls(rig, 14);
		const told = new Set(rig.items.map(({ event, cause }) => `${text(event)} ${text(cause)}`));
		expect([...told]).toEqual(['startedMatching faulted', 'watching broken']);
	});
});

it('needs a cause for a filter, and an event without one has none', async () => {
	const parameters = { event: 'filterMatch', filters: statusFilter('hardwareStatus', '3') };
	await expect(rigOf('memory', parameters)).rejects.toThrow(/Cause.*fill in what was watched for/);
	const reserved = { ...parameters, options: { cause: ' ChargePoint' } };
	await expect(rigOf('memory', reserved)).rejects.toThrow(/Cause.*for outages of charge points\. Choose another word/);
	const comma = { ...parameters, options: { cause: 'a, b' } };
	await expect(rigOf('memory', comma)).rejects.toThrow(/Cause.*"a, b"/);
	const rig = await rigOf('memory', { ...parameters, options: { reportWatching: false } });
	bench.set({ HardwareStatus: 3 }, 3);
	await polls(rig, 15);
	expect(rig.items).toMatchObject([{ event: 'startedMatching', cause: null }]);
});

describe('a status that cannot be read', () => {
	const ODD = ['null', '""', '[2]', '{"Name":"x"}'];

	it.each(ODD)(
		'of the network (%s) is not online: it opens an incident, closes none, and that time is down',
		async (odd) => {
			const rig = await rigOf('memory');
			bench.set({ NetworkStatus: 2 }, 3);
			await polls(rig, 1);
			bench.set({ NetworkStatus: odd }, 3, 4);
			await polls(rig, 14);
			bench.set({ NetworkStatus: 1 }, 3, 4);
			await polls(rig, 1);
			expect(short(rig.items)).toEqual([
				'offline 3',
				'offline 4',
				'watching undefined',
				'backOnline 3',
				'backOnline 4',
			]);
			expect(watchingIn(rig.items)[0]).toMatchObject({ unreadable: [] });
			expect(rig.errors).toEqual([]);
		},
	);

	it.each(ODD)('of the administration (%s) decides nothing, is not watched, and said after an hour', async (odd) => {
		const rig = await rigOf('memory', { options: { outOfServiceValues: ['2'] } });
		bench.set({ NetworkStatus: 2 }, 3);
		bench.set({ NetworkStatus: 2, Status: 2 }, 4);
		await polls(rig, 1);
		bench.set({ Status: odd }, 3, 4);
		await polls(rig, 13);
		expect(short(rig.items)).toEqual(['offline 3', 'watching undefined']);
		expect(watchingIn(rig.items)[0]).toMatchObject({ unreadable: [{ stationId: 3 }, { stationId: 4 }] });
		expect(rig.errors.map(({ message }) => message)).toEqual([
			'The status of 2 stations cannot be read, for an hour now',
		]);
		bench.set({ Status: 1 }, 3);
		bench.set({ Status: 2 }, 4);
		await polls(rig, 1);
		bench.set({ NetworkStatus: 1 }, 3);
		await polls(rig, 25);
		expect(short(rig.items).filter((event) => !event.startsWith('watching'))).toEqual(['offline 3', 'backOnline 3']);
		expect(watchingIn(rig.items).map(({ unreadable }) => (unreadable as unknown[]).length)).toEqual([2, 2, 0]);
	});
});

it('two polls that show nothing, but count one, end no outage', async () => {
	const rig = await rigOf('memory', { options: { reportWatching: false } });
	bench.set({ NetworkStatus: 2 }, 3);
	await polls(rig, 1);
	const match = ({ path }: { path: string }) => path.endsWith('/v1');
	bench.platform.faults.add({ kind: 'reply', status: 200, body: { Items: [], TotalCount: 1 }, match, times: Infinity });
	await polls(rig, 2);
	bench.platform.faults.clear();
	await polls(rig, 2);
	expect(short(rig.items)).toEqual(['offline 3']);
});

it('goes on while Stations Added or Removed is added', async () => {
	const rig = await rigOf('memory');
	await polls(rig, 6);
	await rig.republish({
		parameters: { event: 'availability', options: { reportWatching: true, stationChanges: ['added'] } },
	});
	await polls(rig, 7);
	expect(watchingIn(rig.items).map(minutesOf)).toEqual([expect.closeTo(60, 0)]);
});

it('does not count failed polls as watched time', async () => {
	const rig = await rigOf('memory');
	await polls(rig, 2);
	bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity });
	await polls(rig, 6);
	bench.platform.faults.clear();
	await polls(rig, 1);
	expect(minutesOf(watchingIn(rig.items)[0] ?? {})).toBeCloseTo(10, 0);
});

it('an incident that ends silently in a poll that is cut short is listed up to the poll before', async () => {
	const rig = await rigOf('memory', { options: { outOfServiceValues: ['2'] } });
	bench.set({ NetworkStatus: 2 }, 3, 4);
	await polls(rig, 3);
	bench.set({ Status: 2 }, 3);
	bench.set({ NetworkStatus: 1 }, 4);
	// Station 4 cannot be looked up.
	const match = ({ query }: { query: string | undefined }) => query?.includes('"In"') === true;
	bench.platform.faults.add({ kind: 'status', status: 500, match, times: Infinity });
	await polls(rig, 1);
	bench.platform.faults.clear();
	await polls(rig, 1);
	const [watching = {}] = watchingIn(rig.items);
	expect(minutesOf(watching)).toBeCloseTo(15, 0);
	expect((watching.openIncidents as IDataObject[]).map(({ stationId }) => stationId)).toEqual([3, 4]);
});

describe('an incident', () => {
	it('has one incidentId from start to end, and a text for each event', async () => {
		const rig = await rigOf('memory', { options: { reportWatching: false } });
		bench.set({ NetworkStatus: 2 }, 3);
		await polls(rig, 1);
		bench.set({ NetworkStatus: 1 }, 3);
		await polls(rig, 2);
		const [offline, back] = rig.items;
		const name = text(offline?.stationName);
		expect(Object.keys(offline ?? {}).slice(0, 6)).toEqual([
			'stationName',
			'text',
			'event',
			'since',
			'until',
			'durationMinutes',
		]);
		expect(Object.keys(offline ?? {}).at(-1)).toBe('station');
		const inSeconds = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/;
		expect([offline?.since, offline?.detectedAt]).toEqual([
			expect.stringMatching(inSeconds),
			expect.stringMatching(inSeconds),
		]);
		expect(offline).toMatchObject({ cause: 'offline', incidentId: offline?.eventId, until: null, durationMinutes: 0 });
		expect(offline?.text).toMatch(new RegExp(`^${name} has been offline since \\d\\d:\\d\\d\\.$`));
		expect(back).toMatchObject({ incidentId: offline?.eventId, since: offline?.since });
		expect(back?.durationMinutes).toBeCloseTo(5, 0);
		expect(back?.eventId).not.toBe(offline?.eventId);
		expect(back?.text).toMatch(
			new RegExp(`^${name} is back online\\. It was offline from \\d\\d:\\d\\d to \\d\\d:\\d\\d, for 5 minutes\\.$`),
		);
	});

	it('says how long it has lasted when it is reported', async () => {
		const rig = await rigOf('memory', { minutesInState: 10, options: { reportWatching: false } });
		bench.set({ NetworkStatus: 2 }, 3);
		await polls(rig, 3);
		expect(rig.items[0]?.text).toMatch(/has been offline since \d\d:\d\d, for 10 minutes\.$/);
	});

	it('is not opened by a status change: its incidentId is null', async () => {
		const rig = new TriggerRig('memory', { event: 'statusChange' }, bench.credential());
		await rig.activate();
		bench.set({ NetworkStatus: 2 }, 3);
		await polls(rig, 1);
		const event = { event: 'statusChanged', cause: null, incidentId: null, until: null, to: 2, StatusName: 'Code 2' };
		expect(rig.items[0]).toMatchObject(event);
		expect(rig.items[0]?.text).toMatch(/^Network Status of .* changed from Online to Code 2 at \d\d:\d\d\.$/);
	});
});

describe.each(ENGINES)('engine %s: Coming Back alone', (engine) => {
	it('starts an execution without items when a station goes offline, and reports its return with the start time', async () => {
		const rig = await rigOf(engine, { availabilityChanges: ['back'], options: { reportWatching: false } });
		const { length } = rig.batches;
		bench.set({ NetworkStatus: 2 }, 3, 4);
		await polls(rig, 3);
		expect(rig.batches.slice(length)).toEqual([[]]);
		bench.set({ NetworkStatus: 1 }, 3);
		await polls(rig, 1);
		expect(short(rig.items)).toEqual(['backOnline 3']);
		expect(rig.items[0]?.durationMinutes).toBeCloseTo(15, 0);
		await rig.restart();
		bench.set({ NetworkStatus: 1 }, 4);
		await polls(rig, 1);
		expect(rig.items[1]).toMatchObject({ event: 'backOnline', stationId: 4, since: rig.items[0]?.since });
	});
});

describe('a manual test', () => {
	it('marks its items as samples', async () => {
		const items = await testManually(
			{ event: 'availability', availabilityChanges: ['back'], options: { reportWatching: true } },
			bench.credential(),
		);
		expect(items?.map(({ event, sample }) => [event, sample])).toEqual([
			...Array.from({ length: 3 }, () => ['backOnline', true]),
			['watching', true],
		]);
		for (const { text } of items ?? []) expect(text).toMatch(/^Sample: /);
		expect(items?.[1]).toMatchObject({ durationMinutes: aboutMinutes(10) });
		expect(items?.[1]?.until).not.toBeNull();
	});
});
