import type { INodeParameters } from 'n8n-workflow';

import { Bench, MINUTE, short } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

/** Station Keeps Going Offline: what is told when is the subject of the random histories, too. */
const bench = new Bench({ stations: 6 });
const HOUR = 60 * MINUTE;

const start = async (parameters: INodeParameters = {}) =>
	await bench.live({ event: 'unstable', outages: 2, ...parameters });

/** Station 3 loses its connection, and is not back. */
async function fallsSilent(rig: TriggerRig): Promise<void> {
	bench.set({ NetworkStatus: 2 }, 3);
	await bench.polls(rig, 2, 10 * MINUTE);
}

/** It is back twenty minutes later. */
async function fails(rig: TriggerRig): Promise<void> {
	await fallsSilent(rig);
	bench.set({ NetworkStatus: 1 }, 3);
	await bench.polls(rig, 2, 10 * MINUTE);
}

const passes = async (rig: TriggerRig, hours: number) => await bench.polls(rig, 4 * hours, HOUR / 4);

it('the third outage within a day is told when it begins, over restarts; then none before a day without', async () => {
	const rig = await start({ outages: 3 });
	for (let nth = 1; nth <= 2; nth++) {
		await fails(rig);
		await passes(rig, 5);
		await rig.restart();
	}
	expect(rig.take()).toEqual([]);
	bench.set({ NetworkStatus: 2 }, 3);
	await bench.polls(rig, 1);
	const [item, ...more] = rig.take();
	expect(more).toEqual([]);
	expect(item).toMatchObject({
		event: 'unstable',
		stationId: 3,
		outages: 3,
		withinHours: 24,
		dimension: 'NetworkStatus',
		from: 'online',
		to: 'offline',
		since: item?.detectedAt,
		until: null,
		cause: null,
		incidentId: null,
	});
	expect(item?.text).toMatch(/ keeps going offline: 3 outages within 24 hours, now since \d\d:\d\d\.$/);
	bench.set({ NetworkStatus: 1 }, 3);
	for (let nth = 1; nth <= 3; nth++) {
		await fails(rig);
		await passes(rig, 20);
	}
	expect(rig.take()).toEqual([]);
	await passes(rig, 5);
	for (let nth = 1; nth <= 3; nth++) await fails(rig);
	expect(rig.told()).toEqual(['unstable 3']);
	expect(rig.errors).toEqual([]);
});

it.each([0, 60])(
	'outages count by their begin, also if each is reported only after %i minutes',
	async (minutesInState) => {
		const rig = await start({ outages: 3, minutesInState });
		for (const hours of [10, 9.5]) {
			await fallsSilent(rig);
			await passes(rig, 1.5);
			bench.set({ NetworkStatus: 1 }, 3);
			await passes(rig, hours);
		}
		await fallsSilent(rig);
		await passes(rig, 1.5);
		expect(rig.told()).toEqual(['unstable 3']);
		bench.set({ NetworkStatus: 1 }, 3);
	},
);

it('outages further apart than Within Hours are not counted together, nor is one that the first poll finds', async () => {
	bench.set({ NetworkStatus: 2 }, 3);
	const rig = await start({ outages: 2, withinHours: 1 });
	bench.set({ NetworkStatus: 1 }, 3);
	await bench.polls(rig, 1);
	for (let nth = 1; nth <= 3; nth++) {
		await fails(rig);
		await passes(rig, 1);
	}
	expect(rig.items).toEqual([]);
});

it.each([
	['too short', { minutesInState: 30 }],
	['a return that is too short to count', { options: { backAfterMinutes: 30 } }],
])('%s: not reported', async (_, parameters) => {
	const rig = await start(parameters);
	for (let nth = 1; nth <= 3; nth++) await fails(rig);
	expect(rig.items).toEqual([]);
});

it.each([
	['while the station is online', {}, fails],
	['in an outage, where all stations are read', { options: { stationChanges: ['added'] } }, fallsSilent],
])('fewer Outages chosen %s: told when the next one begins', async (_, options, secondOutage) => {
	const rig = await start({ ...options, outages: 3 });
	await fails(rig);
	await secondOutage(rig);
	await rig.republish({ parameters: { ...rig.parameters, outages: 2 } });
	await bench.polls(rig, 2);
	await bench.plays(
		rig,
		[() => bench.set({ NetworkStatus: 1 }, 3), 1, []],
		[() => bench.set({ NetworkStatus: 2 }, 3), 1, ['unstable 3']],
	);
	expect(rig.items[0]?.since).toEqual(rig.items[0]?.detectedAt);
	expect(rig.items).toMatchObject([{ outages: 3, text: expect.stringContaining(': 3 outages within') as string }]);
});

it('a list that shows no station for a poll is no return, nor is one while nothing can be looked up', async () => {
	const rig = await start();
	const isLookUp = ({ query = '' }: { query?: string }) => query.includes('"In"');
	const isList = ({ query = '' }: { query?: string }) => query !== '' && !query.includes('"In"');
	const empty = { kind: 'reply', status: 200, body: { Items: [], TotalCount: 0 } } as const;
	const showsNone = () => bench.platform.faults.add({ ...empty, match: isList, times: 1 });
	const cannotLookUp = () =>
		bench.platform.faults.add({ kind: 'status', status: 500, match: isLookUp, times: Infinity });
	await bench.plays(
		rig,
		[() => bench.set({ NetworkStatus: 2 }, 3), 1, []],
		[showsNone, 3, []],
		[() => [showsNone(), cannotLookUp()], 1, []],
		[() => bench.platform.faults.clear(), 2, []],
	);
});

it('asks as little as Goes Offline, and a station that is gone is forgotten', async () => {
	const rig = await start();
	const costs = async () => await bench.requestsOf(async () => await bench.polls(rig, 1));
	expect(await costs()).toBe(1);
	await fallsSilent(rig);
	bench.remove(3);
	await bench.polls(rig, 3);
	expect(short(rig.items)).toEqual([]);
	expect(rig.errors).toEqual([]);
	// It is looked for no more.
	expect(await costs()).toBe(1);
});

/** One thing that happens to station 3, and the polls after it. */
type Happening = (rig: TriggerRig) => Promise<void>;
const set =
	(row: Record<string, number | string>): Happening =>
	async (rig) => {
		bench.set(row, 3);
		await bench.polls(rig, 3);
	};
const off = set({ NetworkStatus: 2 });
const on = set({ NetworkStatus: 1 });
const outOfService = set({ Status: 2 });
const inService = set({ Status: 1 });
const elsewhere = set({ LocationName: 'Elsewhere' });
const here = set({ LocationName: 'Here' });
const removed: Happening = async (rig) => {
	bench.remove(3);
	await bench.polls(rig, 8);
};
const addedAgain: Happening = async (rig) => {
	bench.add(3, 'Again', 1);
	bench.set({ LocationName: 'Here' }, 3);
	await bench.polls(rig, 3);
};

describe('outages are counted, whatever else becomes of the station', () => {
	const filters = { other: [{ field: 'LocationName|text', textOperator: 'Eq', value: 'Here' }] };
	const play = async (happenings: readonly Happening[], parameters: INodeParameters = {}) => {
		bench.set({ LocationName: 'Here', Status: 1 });
		const options = { outOfServiceValues: ['2'], ...(parameters.options as INodeParameters) };
		const rig = await start({ filters, ...parameters, options });
		for (const happens of happenings) await happens(rig);
		expect(rig.errors).toEqual([]);
		return rig.told().filter((told) => !/added|removed/.test(told));
	};

	const TOLD_ONCE: Array<[string, Happening[]]> = [
		['out of service between two outages', [off, on, outOfService, inService, off]],
		['out of service ends one, and the next begins', [off, outOfService, on, inService, off]],
		['still offline when it is in service again, which is a new outage', [off, outOfService, inService]],
		[
			'offline while out of service does not count, and what is still so afterwards does',
			[off, on, outOfService, off, inService],
		],
		['out of service after it was told', [off, on, off, outOfService, inService, on, off]],
		['out of the filter in an outage, and another one after it is back', [off, elsewhere, on, here, off]],
		['an outage that outlasts a time outside of the filter counts once', [off, elsewhere, here, on, off]],
		['removed while it is online', [off, on, removed, addedAgain, off]],
		['removed while it is offline', [off, removed, addedAgain, off]],
	];
	it.each(TOLD_ONCE)('told once: %s', async (_, happenings) => expect(await play(happenings)).toEqual(['unstable 3']));

	it.each(TOLD_ONCE)('also where stations that are added or removed are told: %s', async (_, happenings) => {
		const stationChanges = ['added', 'removed'];
		expect(await play(happenings, { options: { stationChanges } })).toEqual(['unstable 3']);
	});

	it.each<[string, Happening[]]>([
		['an outage that outlasts a time outside of the filter', [off, elsewhere, here]],
		['what is offline while it is out of service', [off, on, outOfService, off, on, off, on, inService]],
	])('not told: %s', async (_, happenings) => expect(await play(happenings)).toEqual([]));
});
