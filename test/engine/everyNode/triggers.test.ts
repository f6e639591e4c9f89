import sum from 'lodash/sum';
import type { IDataObject } from 'n8n-workflow';

import { OUT_OF_ORDER, points, setPoints } from '../../support/chargePointTrigger/support.ts';
import { HOUR, SessionBench } from '../../support/sessionTrigger/support.ts';
import { MINUTE, short, statusFilter } from '../../support/stationTrigger/support.ts';
import { type Engine, ENGINES, testManually, TriggerRig } from '../../support/trigger/rig.ts';
import { rigOf, type Target, TARGETS } from '../../support/trigger/targets.ts';

/** A request that a slow machine did not answer in time is sent again. */
const SENT_AGAIN = 1;

/** What all triggers promise about what they save. What is refused by the platform: triggerOutages.test.ts. */
const bench = new SessionBench({ stations: 6 });
const minutes = bench.minutes.bind(bench);

/** What a test does with a trigger, and what it was told; and one that has polled twice. */
function actingOn(target: Target, engine: Engine) {
	return {
		happen: (id: number) => target.happen(bench, id),
		told: (rig: TriggerRig) => target.told(rig.take()),
		underway: async (): Promise<TriggerRig> => {
			const rig = rigOf(target, engine, bench.credential());
			await rig.activate();
			await minutes(rig, 1);
			return rig;
		},
	};
}

describe.each(TARGETS.flatMap((target) => ENGINES.map((engine) => ({ ...target, engine }))))(
	'$type, $event, engine $engine',
	({ engine, ...target }) => {
		const { event, requestsOfPoll = 1 } = target;
		const { happen, told, underway } = actingOn(target, engine);

		it('while nothing happens, a poll sends its few requests, and saves and starts nothing', async () => {
			const rig = await underway();
			const { saves, batches } = rig;
			const started = batches.length;
			const sent: number[] = [];
			for (let poll = 0; poll < 10; poll++) sent.push(await bench.requestsOf(async () => await minutes(rig, 1)));
			expect(sent.filter((requests) => requests === requestsOfPoll).length).toBeGreaterThanOrEqual(8);
			expect(sum(sent)).toBeLessThanOrEqual(11 * requestsOfPoll + SENT_AGAIN);
			expect(rig.saves).toBe(saves);
			expect(batches.length).toBe(started);
			expect(rig.items).toEqual([]);
		});

		it('overlapping polls report nothing twice', async () => {
			const rig = await underway();
			happen(3);
			bench.platform.behaviour.latencyMs = 50;
			bench.clock.forward(MINUTE);
			const sent = await bench.requestsOf(async () => await Promise.all([rig.tick(), rig.tick(), rig.tick()]));
			expect([requestsOfPoll, requestsOfPoll + SENT_AGAIN]).toContain(sent);
			expect(told(rig)).toEqual([`${event} 3`]);
		});

		it('a workflow that n8n polls twice, after an import into a running n8n 1, reports nothing twice', async () => {
			const rig = await underway();
			const second = engine === 'memory' ? await rig.publishBeside() : async () => await rig.tick();
			for (const id of [3, 5]) {
				happen(id);
				for (const tick of [async () => await rig.tick(), second]) {
					bench.clock.forward(MINUTE / 2);
					await tick();
				}
			}
			expect(told(rig)).toEqual([`${event} 3`, `${event} 5`]);
		});

		it('a poll that is given an outdated state reports nothing twice', async () => {
			const rig = await underway();
			const older = { ...rig.database };
			for (const id of [3, 5]) {
				happen(id);
				await minutes(rig, 1);
			}
			await rig.tickFrom(older);
			await minutes(rig, 1);
			expect(told(rig)).toEqual([`${event} 3`, `${event} 5`]);
		});

		it('a poll before n8n has saved the last one reports nothing twice, and loses nothing if n8n never saves', async () => {
			const rig = await underway();
			happen(3);
			rig.loseSaves = true;
			await minutes(rig, 1);
			rig.loseSaves = false;
			await rig.tick();
			expect(told(rig)).toEqual([`${event} 3`]);
			await minutes(rig, 1);
			// The default engine continues from its memory.
			expect(told(rig)).toEqual(engine === 'memory' ? [] : [`${event} 3`]);
			expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(1);
			happen(5);
			await minutes(rig, 2);
			expect(told(rig)).toEqual([`${event} 5`]);
		});

		it('an event raised again because n8n was killed keeps its id, and the next one gets a new id', async () => {
			const rig = await underway();
			happen(3);
			rig.loseSaves = true;
			await minutes(rig, 1);
			rig.loseSaves = false;
			await rig.restart();
			await minutes(rig, 2);
			happen(5);
			await minutes(rig, 1);
			const [first, again, next] = rig.items.map(({ eventId }) => eventId);
			expect(told(rig)).toEqual([`${event} 3`, `${event} 3`, `${event} 5`]);
			expect(again).toBe(first);
			expect(next).not.toBe(first);
		});

		it('what happens while polls fail, and while n8n is stopped, is reported once, and nothing else', async () => {
			const rig = await underway();
			bench.platform.faults.add({ kind: 'status', status: 503, times: Infinity });
			happen(3);
			await minutes(rig, 3);
			await rig.restart();
			happen(5);
			await minutes(rig, 2);
			bench.platform.faults.clear();
			await minutes(rig, 3);
			expect(told(rig)).toEqual([`${event} 3`, `${event} 5`]);
			await rig.restart();
			await minutes(rig, 2);
			expect(told(rig)).toEqual([]);
			expect(rig.errors).toEqual([]);
		});
	},
);

it.each(ENGINES)(
	'Report Initial State comes again if n8n never saves it, and later what follows, engine %s',
	async (engine) => {
		bench.set({ NetworkStatus: 2 }, 3, 4);
		const parameters = { event: 'availability', options: { emitInitialState: true } };
		const rig = new TriggerRig(engine, parameters, bench.credential());
		rig.loseSaves = true;
		await rig.activate();
		rig.loseSaves = false;
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

/** What does not depend on how n8n polls: the engines take turns. */
describe.each(TARGETS.map((target, index) => ({ ...target, engine: ENGINES[index % 3] ?? 'memory' })))(
	'$type, $event, engine $engine',
	({ engine, ...target }) => {
		const { event } = target;
		const { happen, told, underway } = actingOn(target, engine);

		function replaceState(rig: TriggerRig, state: IDataObject): void {
			if (engine === 'cursors') rig.database.cursor = JSON.stringify(state);
			else rig.database.staticData = JSON.stringify({ [`node:${target.displayName}`]: state });
		}

		it('a platform that writes property names in camelCase is watched like any other', async () => {
			bench.platform.behaviour.lists.names = 'camel';
			const rig = await underway();
			happen(3);
			await minutes(rig, 1);
			expect(told(rig)).toEqual([`${event} 3`]);
		});

		it.each([-3, 3])("a rate limit of a minute lasts no longer where n8n's clock is set by %i hours", async (hours) => {
			const rig = await underway();
			bench.platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '60' } });
			happen(3);
			await minutes(rig, 1);
			bench.clock.set(hours * HOUR);
			await minutes(rig, 16);
			expect(told(rig)).toEqual([`${event} 3`]);
			expect(rig.errors).toEqual([]);
		});

		it('renaming the node while the platform is down, and back, raises no error, repeats and loses nothing', async () => {
			const rig = await underway();
			bench.platform.faults.add({ kind: 'status', status: 503, times: Infinity });
			happen(3);
			await rig.republish({ node: { name: 'Renamed' } });
			await minutes(rig, 2);
			bench.platform.faults.clear();
			await minutes(rig, 2);
			expect(told(rig)).toEqual([`${event} 3`]);
			await rig.republish({ node: { name: target.displayName } });
			await minutes(rig, 1);
			await rig.restart();
			happen(5);
			await minutes(rig, 2);
			expect(told(rig)).toEqual([`${event} 5`]);
			expect(rig.errors).toEqual([]);
		});

		it.each([
			['other settings', () => ({ parameters: target.otherParameters })],
			['another key', () => ({ credential: bench.credential() })],
		])('%s: no flood and no loss', async (what, changes) => {
			const rig = await underway();
			happen(3);
			await minutes(rig, 1);
			expect(told(rig)).toEqual([`${event} 3`]);
			if (what === 'another key') happen(4);
			await rig.republish(changes());
			await minutes(rig, 3);
			happen(5);
			await minutes(rig, 2);
			expect(told(rig)).toEqual(what === 'another key' ? [`${event} 4`, `${event} 5`] : [`${event} 5`]);
			expect(rig.errors).toEqual([]);
		});

		it('another environment: no flood, and what happens from then on', async () => {
			const rig = await underway();
			happen(3);
			await minutes(rig, 1);
			expect(told(rig)).toEqual([`${event} 3`]);
			await rig.republish({ credential: { ...rig.credential, environment: 'test', testUrl: bench.platform.baseUrl } });
			await minutes(rig, 2);
			expect(told(rig)).toEqual([]);
			happen(5);
			await minutes(rig, 2);
			expect(rig.items.at(-1)).toMatchObject({ environment: 'test' });
			expect(told(rig)).toEqual([`${event} 5`]);
		});

		it('one digest item per poll, if asked for', async () => {
			const rig = await underway();
			await rig.republish({ parameters: { ...target.parameters, output: 'digest' } });
			await minutes(rig, 1);
			for (const id of [3, 4]) happen(id);
			await minutes(rig, 2);
			expect(rig.items).toMatchObject([{ event: 'digest', eventCount: 2, counts: { [event]: 2 } }]);
			const [digest] = rig.items;
			const events = digest?.events as Array<IDataObject & { text: string }>;
			expect(target.told(events)).toEqual([`${event} 3`, `${event} 4`]);
			expect(digest?.text).toBe(events.map(({ text }) => text).join('\n'));
			expect(digest?.text).toMatch(/^\S.*\.\n\S.*\.$/);
		});

		it('what a manual test shows is marked as a sample, in a digest and in each of its events', async () => {
			for (const id of [1, 2]) bench.start(id);
			const parameters = { ...target.parameters, output: 'digest' };
			const [digest] = (await testManually(parameters, bench.credential(), target.type)) ?? [];
			expect(digest).toMatchObject({ event: 'digest', sample: true });
			const events = digest?.events as IDataObject[];
			expect(events.length).toBeGreaterThan(0);
			expect(events.every(({ sample }) => sample === true)).toBe(true);
			const lines = (digest?.text as string).split('\n');
			expect(lines).toHaveLength(events.length);
			expect(lines.filter((line) => !line.startsWith('Sample: '))).toEqual([]);
		});

		/** What is in a state, apart from its version: by that it is recognised. */
		const spoil = (saved: IDataObject, value: (old: unknown) => unknown) =>
			Object.fromEntries(
				Object.entries(saved).map(([key, old]) => [key, key === 'version' ? old : value(old)]),
			) as IDataObject;
		it.each<[string, (saved: IDataObject) => IDataObject]>([
			['cut off', (saved) => spoil(saved, (old) => (typeof old === 'string' ? old.slice(0, old.length / 2) : old))],
			['other texts', (saved) => spoil(saved, (old) => (typeof old === 'string' ? '{"a":[1' : old))],
			['texts for numbers', (saved) => spoil(saved, (old) => (typeof old === 'number' ? 'NaN' : old))],
			['nothing', (saved) => spoil(saved, () => null)],
			['lists', (saved) => spoil(saved, () => [])],
			['of version 1', () => target.firstVersion],
		])('a state that cannot be read (%s) is replaced by a quiet new baseline with one log line', async (_, damaged) => {
			const rig = await underway();
			happen(3);
			await minutes(rig, 1);
			expect(told(rig)).toEqual([`${event} 3`]);
			replaceState(rig, damaged(rig.saved()));
			await rig.restart();
			await minutes(rig, 2);
			expect(told(rig)).toEqual([]);
			expect(rig.errors).toEqual([]);
			expect(rig.logs).toEqual([expect.stringMatching(/saved state .*cannot be read/i)]);
			happen(5);
			await minutes(rig, 2);
			expect(told(rig)).toEqual([`${event} 5`]);
		});
	},
);

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
