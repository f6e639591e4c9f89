import sum from 'lodash/sum';
import type { IDataObject } from 'n8n-workflow';

import { OUT_OF_ORDER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { HOUR, SessionBench } from '../../support/sessionTrigger/support.ts';
import { MINUTE, short, statusFilter } from '../../support/stationTrigger/support.ts';
import { ENGINES, testManually, TriggerRig } from '../../support/trigger/rig.ts';
import { inTurns, TARGETS, underway, type Target } from '../../support/trigger/targets.ts';

/**
 * What all triggers promise about what they report and save: each of them, in one engine of n8n, which take turns. All
 * save by the same few functions. While the platform refuses: triggerOutages.test.ts.
 */
const bench = new SessionBench({ stations: 6 });
const minutes = bench.minutes.bind(bench);

/** A request that a slow machine did not answer in time is sent again. */
const SENT_AGAIN = 1;
const ON = '$type, $event, engine $engine';
const told = (target: Target, rig: TriggerRig) => target.told(rig.take());

it.each(inTurns(TARGETS, 0))(
	`while nothing happens, a poll sends its few requests, and saves and starts nothing: ${ON}`,
	async (target) => {
		const { requestsOfPoll = 1 } = target;
		const rig = await underway(bench, target);
		const { saves, batches } = rig;
		const started = batches.length;
		const sent: number[] = [];
		for (let poll = 0; poll < 10; poll++) sent.push(await bench.requestsOf(async () => await minutes(rig, 1)));
		expect(sent.filter((requests) => requests === requestsOfPoll).length).toBeGreaterThanOrEqual(8);
		expect(sum(sent)).toBeLessThanOrEqual(11 * requestsOfPoll + SENT_AGAIN);
		expect([rig.saves, batches.length, rig.items]).toEqual([saves, started, []]);
	},
);

describe('nothing is reported twice', () => {
	it.each(inTurns(TARGETS, 1))(`by overlapping polls: ${ON}`, async (target) => {
		const { requestsOfPoll = 1 } = target;
		const rig = await underway(bench, target);
		target.happen(bench, 3);
		bench.platform.behaviour.latencyMs = 50;
		bench.clock.forward(MINUTE);
		const sent = await bench.requestsOf(async () => await Promise.all([rig.tick(), rig.tick(), rig.tick()]));
		expect([requestsOfPoll, requestsOfPoll + SENT_AGAIN]).toContain(sent);
		expect(told(target, rig)).toEqual([`${target.event} 3`]);
	});

	it.each(inTurns(TARGETS, 2))(`by a workflow that n8n 1 polls twice, after an import: ${ON}`, async (target) => {
		const rig = await underway(bench, target);
		const second = target.engine === 'memory' ? await rig.publishBeside() : async () => await rig.tick();
		for (const id of [3, 5]) {
			target.happen(bench, id);
			for (const tick of [async () => await rig.tick(), second]) {
				bench.clock.forward(MINUTE / 2);
				await tick();
			}
		}
		expect(told(target, rig)).toEqual([`${target.event} 3`, `${target.event} 5`]);
	});

	it.each(inTurns(TARGETS, 3))(`by a poll that is given an outdated state: ${ON}`, async (target) => {
		const rig = await underway(bench, target);
		const older = { ...rig.database };
		for (const id of [3, 5]) {
			target.happen(bench, id);
			await minutes(rig, 1);
		}
		await rig.tickFrom(older);
		await minutes(rig, 1);
		expect(told(target, rig)).toEqual([`${target.event} 3`, `${target.event} 5`]);
	});

	it.each(inTurns(TARGETS, 4))(
		`by a poll before n8n has saved the last one, and nothing is lost if it never saves: ${ON}`,
		async (target) => {
			const rig = await underway(bench, target);
			target.happen(bench, 3);
			await rig.unsaved(() => minutes(rig, 1));
			await rig.tick();
			expect(told(target, rig)).toEqual([`${target.event} 3`]);
			await minutes(rig, 1);
			// The default engine continues from its memory.
			expect(told(target, rig)).toEqual(target.engine === 'memory' ? [] : [`${target.event} 3`]);
			expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(1);
			target.happen(bench, 5);
			await minutes(rig, 2);
			expect(told(target, rig)).toEqual([`${target.event} 5`]);
		},
	);
});

it.each(inTurns(TARGETS, 5))(
	`an event raised again because n8n was killed keeps its id, and the next one gets a new id: ${ON}`,
	async (target) => {
		const rig = await underway(bench, target);
		target.happen(bench, 3);
		await rig.unsaved(() => minutes(rig, 1));
		await rig.restart();
		await minutes(rig, 2);
		target.happen(bench, 5);
		await minutes(rig, 1);
		const [first, again, next] = rig.items.map(({ eventId }) => eventId);
		expect(told(target, rig)).toEqual([`${target.event} 3`, `${target.event} 3`, `${target.event} 5`]);
		expect(again).toBe(first);
		expect(next).not.toBe(first);
	},
);

it.each(inTurns(TARGETS, 6))(
	`what happens while polls fail, and while n8n is stopped, is reported once, and nothing else: ${ON}`,
	async (target) => {
		const rig = await underway(bench, target);
		bench.platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		target.happen(bench, 3);
		await minutes(rig, 3);
		await rig.restart();
		target.happen(bench, 5);
		await minutes(rig, 2);
		bench.platform.faults.clear();
		await minutes(rig, 3);
		await rig.restart();
		await minutes(rig, 2);
		expect(told(target, rig)).toEqual([`${target.event} 3`, `${target.event} 5`]);
		expect(rig.errors).toEqual([]);
	},
);

it.each(inTurns(TARGETS, 7))(
	`renaming the node while the platform is down, and back, raises no error, repeats and loses nothing: ${ON}`,
	async (target) => {
		const rig = await underway(bench, target);
		bench.platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		target.happen(bench, 3);
		await rig.republish({ node: { name: 'Renamed' } });
		await minutes(rig, 2);
		bench.platform.faults.clear();
		await minutes(rig, 2);
		await rig.republish({ node: { name: target.displayName } });
		await minutes(rig, 1);
		await rig.restart();
		target.happen(bench, 5);
		await minutes(rig, 2);
		expect(told(target, rig)).toEqual([`${target.event} 3`, `${target.event} 5`]);
		expect(rig.errors).toEqual([]);
	},
);

it.each(ENGINES)(
	'Report Initial State comes again if n8n never saves it, and later what follows, engine %s',
	async (engine) => {
		bench.set({ NetworkStatus: 2 }, 3, 4);
		const parameters = { event: 'availability', options: { emitInitialState: true } };
		const rig = new TriggerRig(engine, parameters, bench.credential());
		await rig.unsaved(() => rig.activate());
		const first = rig.take();
		expect(short(first)).toEqual(['offline 3', 'offline 4']);
		await minutes(rig, 1);
		// The default engine continues from its memory.
		const again = rig.take();
		if (engine !== 'memory') expect(again.map(({ eventId }) => eventId)).toEqual(first.map(({ eventId }) => eventId));
		bench.set({ NetworkStatus: 1 }, 3);
		await minutes(rig, 1);
		expect(short(rig.take())).toEqual(['backOnline 3']);
	},
);

it.each(inTurns(TARGETS, 8))(
	`a platform that writes property names in camelCase is watched like any other: ${ON}`,
	async (target) => {
		bench.platform.behaviour.camelCase = true;
		const rig = await underway(bench, target);
		target.happen(bench, 3);
		await minutes(rig, 1);
		expect(told(target, rig)).toEqual([`${target.event} 3`]);
	},
);

it.each([-3, 3])("a rate limit of a minute lasts no longer where n8n's clock is set by %i hours", async (hours) => {
	for (const target of inTurns(TARGETS, 9).slice(0, 2)) {
		const rig = await underway(bench, target);
		bench.platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '60' } });
		target.happen(bench, 3);
		await minutes(rig, 1);
		bench.clock.set(hours * HOUR);
		await minutes(rig, 16);
		expect(told(target, rig)).toEqual([`${target.event} 3`]);
		expect(rig.errors).toEqual([]);
	}
});

describe.each(inTurns(TARGETS, 10))(`no flood and no loss: ${ON}`, (target) => {
	const { event } = target;

	it.each<[string, (rig: TriggerRig) => Parameters<TriggerRig['republish']>[0], string[]]>([
		['other settings', () => ({ parameters: target.otherParameters }), []],
		['another key', () => ({ credential: bench.credential() }), [`${event} 4`]],
		// There, it is another station.
		[
			'another environment',
			({ credential }) => ({ credential: { ...credential, environment: 'test', testUrl: bench.platform.baseUrl } }),
			[],
		],
	])('%s', async (what, changes, meanwhile) => {
		const rig = await underway(bench, target);
		target.happen(bench, 3);
		await minutes(rig, 1);
		expect(told(target, rig)).toEqual([`${event} 3`]);
		if (what === 'another key') target.happen(bench, 4);
		await rig.republish(changes(rig));
		await minutes(rig, 3);
		target.happen(bench, 5);
		await minutes(rig, 2);
		expect(told(target, rig)).toEqual([...meanwhile, `${event} 5`]);
		expect(rig.items.at(-1)).toMatchObject({ environment: what === 'another environment' ? 'test' : 'production' });
		expect(rig.errors).toEqual([]);
	});
});

describe.each(inTurns(TARGETS, 11))(`a digest: ${ON}`, (target) => {
	const parameters = { ...target.parameters, output: 'digest' };

	it('is one item per poll', async () => {
		const rig = await underway(bench, { ...target, parameters });
		for (const id of [3, 4]) target.happen(bench, id);
		await minutes(rig, 2);
		expect(rig.items).toMatchObject([{ event: 'digest', eventCount: 2, counts: { [target.event]: 2 } }]);
		const [digest] = rig.items;
		const events = digest?.events as Array<IDataObject & { text: string }>;
		expect(target.told(events)).toEqual([`${target.event} 3`, `${target.event} 4`]);
		expect(digest?.text).toBe(events.map(({ text }) => text).join('\n'));
		expect(digest?.text).toMatch(/^\S.*\.\n\S.*\.$/);
	});

	it('of a manual test is marked as a sample, and each of its events is, too', async () => {
		for (const id of [1, 2]) bench.start(id);
		const [digest] = (await testManually(parameters, bench.credential(), target.type)) ?? [];
		expect(digest).toMatchObject({ event: 'digest', sample: true });
		const events = digest?.events as IDataObject[];
		expect(events.length).toBeGreaterThan(0);
		expect(events.every(({ sample }) => sample === true)).toBe(true);
		const lines = (digest?.text as string).split('\n');
		expect(lines).toHaveLength(events.length);
		expect(lines.filter((line) => !line.startsWith('Sample: '))).toEqual([]);
	});
});

describe('a state that cannot be read', () => {
	const spoil = (saved: IDataObject, value: (old: unknown) => unknown) =>
		Object.fromEntries(
			// By its version it is recognised.
			Object.entries(saved).map(([key, old]) => [key, key === 'version' ? old : value(old)]),
		) as IDataObject;
	const DAMAGES: Record<string, (saved: IDataObject) => IDataObject> = {
		'cut off': (saved) => spoil(saved, (old) => (typeof old === 'string' ? old.slice(0, old.length / 2) : old)),
		'other texts': (saved) => spoil(saved, (old) => (typeof old === 'string' ? '{"a":[1' : old)),
		'texts for numbers': (saved) => spoil(saved, (old) => (typeof old === 'number' ? 'NaN' : old)),
		nothing: (saved) => spoil(saved, () => null),
		lists: (saved) => spoil(saved, () => []),
		'of version 1': (saved) => ({ ...saved, version: 1 }),
	};

	it.each(inTurns(TARGETS, 12, Object.keys(DAMAGES)))(
		`($kind) is replaced by a quiet new baseline with one log line: ${ON}`,
		async ({ kind, ...target }) => {
			const rig = await underway(bench, { ...target, kind });
			target.happen(bench, 3);
			await minutes(rig, 1);
			expect(told(target, rig)).toEqual([`${target.event} 3`]);
			const state = DAMAGES[kind]?.(rig.saved()) ?? {};
			if (target.engine === 'cursors') rig.database.cursor = JSON.stringify(state);
			else rig.database.staticData = JSON.stringify({ [`node:${target.displayName}`]: state });
			await rig.restart();
			await minutes(rig, 2);
			expect([told(target, rig), rig.errors]).toEqual([[], []]);
			expect(rig.logs).toEqual([expect.stringMatching(/saved state .*cannot be read/i)]);
			target.happen(bench, 5);
			await minutes(rig, 2);
			expect(told(target, rig)).toEqual([`${target.event} 5`]);
		},
	);
});

it.each([
	['chargingStationStatusTrigger', 'offline', { event: 'availability' }],
	['chargePointTrigger', 'outOfOrder', OUT_OF_ORDER],
] as const)('%s, %s: what a wider filter shows for the first time is no news', async (type, event, parameters) => {
	const begin = (station: number) => {
		bench.set({ NetworkStatus: 2 }, station);
		setPoints(bench, station, points(station, 3));
	};
	for (const station of [1, 2, 3, 4, 5, 6]) setPoints(bench, station, points(station, 1));
	bench.set({ Status: 2 }, 3);
	begin(3);
	const inService = { ...parameters, filters: statusFilter('status', '1') };
	const rig = new TriggerRig('memory', inService, bench.credential(), {}, type);
	await rig.activate();
	await minutes(rig, 2);
	await rig.republish({ parameters });
	await minutes(rig, 2);
	expect(rig.take()).toEqual([]);
	begin(5);
	await minutes(rig, 2);
	const told = rig.take().map((item) => [item.event, item.stationId]);
	expect(new Map(told as Array<[string, number]>)).toEqual(new Map([[event, 5]]));
});
