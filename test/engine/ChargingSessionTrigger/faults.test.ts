import range from 'lodash/range.js';
import type { IDataObject } from 'n8n-workflow';

import {
	ACTIVE,
	FINISHED,
	HOUR,
	SESSION_TRIGGER,
	SessionBench,
	smallerEnergy,
} from '../../support/sessionTrigger/support.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';
import { OddPlatform } from '../../support/trigger/oddPlatform.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const bench = new SessionBench();
const odd = new OddPlatform();
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);
const engine = 'memory';

/** Requests with this in their query are not answered. */
const cannotRead = (part: RegExp, status = 500) =>
	bench.platform.faults.add({
		...{ kind: 'status', status, times: Infinity, match: ({ query = '' }) => part.test(query) },
	});
const canRead = () => bench.platform.faults.clear();
const upTo = (first: number, last: number) => range(first, last + 1);
const byNumber = (ids: unknown[]) => ids.map(Number).sort((a, b) => a - b);

describe('a filter that cannot be checked', () => {
	const parameters = { events: ['started', 'ended'], filters: smallerEnergy(0.5) };

	it('for now: the events come with a later poll, also after a restart; what it left out is not checked again', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, parameters);
		bench.start(2, { energy: 20 });
		await plays(rig, [() => bench.start(3, { energy: 20, status: FINISHED }), 1, []]);
		bench.energy(0.1, 2, 3);
		cannotRead(/"In"/);
		await plays(
			rig,
			[() => bench.start(4), 1, []],
			[() => rig.restart(), 2, []],
			[canRead, 2, ['started 4']],
			[() => bench.become(FINISHED, 2), 1, ['ended 2']],
		);
	});

	it('that the platform refuses is reported as a refusal', async () => {
		const rig = await bench.rig(engine, parameters);
		cannotRead(/EnergyConsumed/, 400);
		bench.start(2);
		await minutes(rig, 3);
		expect(rig.errors).toHaveLength(1);
		canRead();
		bench.clock.forward(15 * MINUTE);
		await minutes(rig, 1);
		expect(rig.told()).toEqual(['started 2']);
	});
});

describe('ended sessions that are looked up by their Ids', () => {
	const asksFor7 = /"In","Value":"(?:[^"]*,)?7[",]/;

	it('one that cannot be hides the end of no other, and is said in time', async () => {
		bench.startAll(1, 20);
		bench.startAll(101, 160, { status: FINISHED });
		const rig = await bench.rig(engine, { events: ['ended'] });
		cannotRead(asksFor7);
		await plays(
			rig,
			[() => bench.become(FINISHED, 3, 7, 12), 1, ['ended 12', 'ended 3']],
			[() => bench.become(FINISHED, 5), 1, ['ended 5']],
		);
		await bench.polls(rig, 4, 10 * MINUTE);
		expect(rig.errors.map(({ message }) => message)).toEqual([
			expect.stringMatching(/^The charging sessions could not be read since/),
		]);
		canRead();
		await minutes(rig, 1);
		expect(rig.told()).toEqual(['ended 7']);
	});

	it('a hundred that cannot be hide the end of no other', async () => {
		bench.startAll(1, 150);
		bench.startAll(201, 260, { status: FINISHED });
		const rig = await bench.rig(engine, { events: ['ended'] });
		cannotRead(/"In","Value":"(?:[^"]*,)?(?:\d\d?|100)[",]/);
		const others = upTo(101, 150).map((id) => `ended ${id}`);
		await plays(rig, [() => bench.become(FINISHED, ...upTo(1, 150)), 2, others]);
	});

	it('after a rate limit, all are looked up at once again', async () => {
		bench.startAll(1, 20);
		bench.startAll(101, 160, { status: FINISHED });
		const rig = await bench.rig(engine, { events: ['ended'] });
		cannotRead(/"In"/, 429);
		await plays(rig, [() => bench.become(FINISHED, 3, 7, 12), 1, []]);
		canRead();
		// New sessions, those that are open, and the three that have ended.
		expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBe(3);
		expect(rig.told().sort()).toEqual(['ended 12', 'ended 3', 'ended 7']);
	});

	it.each([503, 400])('none of which can be (%d): that is said in time, and new sessions are told', async (status) => {
		bench.startAll(1, 20);
		bench.startAll(101, 160, { status: FINISHED });
		const rig = await bench.rig(engine, { events: ['started', 'ended'] });
		cannotRead(/"In"/, status);
		bench.become(FINISHED, 3, 7);
		await plays(rig, [() => bench.start(161), 1, ['started 161']]);
		await bench.polls(rig, 4, 10 * MINUTE);
		expect(rig.errors).toHaveLength(1);
		canRead();
		await minutes(rig, 1);
		expect(rig.told().sort()).toEqual(['ended 3', 'ended 7']);
	});
});

describe('the window of 50 late Ids', () => {
	it.each([
		['Page Size 8', { options: { pageSize: 8 } }, undefined],
		['pages of ten rows', {}, 10],
	] as const)('holds with %s', async (_, parameters, clamp) => {
		bench.platform.behaviour.takeClamp = clamp;
		for (let id = 10; id <= 1000; id += 10) bench.start(id, { status: FINISHED });
		const rig = await bench.rig(engine, parameters);
		await plays(rig, [() => bench.start(1001), 1, ['started 1001']]);
		for (const id of [525, 745, 995]) bench.start(id);
		await minutes(rig, 2);
		expect(rig.told()).toEqual(['started 525', 'started 745', 'started 995']);
		expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBeLessThanOrEqual(8);
	});
});

describe('Report Initial State', () => {
	const options = { emitInitialState: true };
	const told = ({ items }: TriggerRig, event: string) =>
		byNumber(items.filter((item) => item.event === event).map(({ sessionId }) => sessionId));

	it('reports each open session once, however many polls it takes to read them all', async () => {
		bench.startAll(1, 130, { ago: HOUR, status: FINISHED });
		bench.startAll(131, 200, { ago: HOUR });
		cannotRead(/"Lte"/, 503);
		const rig = await bench.rig(engine, { options });
		bench.startAll(201, 210);
		await minutes(rig, 1);
		canRead();
		await minutes(rig, 1);
		bench.startAll(211, 212);
		await minutes(rig, 2);
		expect(told(rig, 'started')).toEqual(upTo(131, 212));
	});

	it.each([
		['none', 0],
		['some', 1],
	])('with a filter that could be checked for %s of them at first', async (_, parts) => {
		for (const id of upTo(1, 400)) bench.start(id, { ago: HOUR, status: id <= 130 || id > 370 ? ACTIVE : FINISHED });
		let asked = 0;
		bench.platform.faults.add({
			...{ kind: 'status', status: 503, times: Infinity },
			match: ({ query = '' }) => query.includes('"In"') && ++asked > parts,
		});
		const rig = await bench.rig(engine, { events: ['started', 'ended'], filters: smallerEnergy(0.5), options });
		expect(rig.items).toHaveLength(100 * parts);
		bench.energy(20, 380);
		bench.become(FINISHED, 130, 390);
		bench.startAll(401, 420);
		await minutes(rig, 1);
		bench.startAll(421, 500, { status: FINISHED });
		await minutes(rig, 1);
		canRead();
		await minutes(rig, 2);
		expect(told(rig, 'started')).toEqual([...upTo(1, 130), ...upTo(371, 500)].filter((id) => id !== 380));
		expect(told(rig, 'ended')).toEqual([130, 390, ...upTo(421, 500)]);
		rig.take();
		bench.start(501);
		await plays(rig, [() => bench.become(FINISHED, 1), 1, ['ended 1', 'started 501']]);
	});
});

describe('an unusual list', () => {
	const rows = (ids: number[]) =>
		ids.map((Id): IDataObject => ({ Id, Status: 1, StartedAtUtc: '2026-11-21T00:00:00', EnergyConsumed: 1 }));
	const start = async (...events: string[]) => {
		const rig = new TriggerRig(engine, { events }, odd.credential, {}, SESSION_TRIGGER);
		await rig.activate();
		return rig;
	};

	it('sorted as text: each new session is reported once, or the trigger says that it cannot', async () => {
		odd.rows = rows(upTo(1, 250));
		odd.sortsAsText = true;
		await expect(start('started')).rejects.toThrow(/Id descending was asked for: the platform does not sort by it/);
		odd.rows = rows(upTo(901, 999));
		const rig = await start('started');
		odd.rows = rows(upTo(901, 1300));
		await minutes(rig, 3);
		expect(byNumber(rig.items.map(({ sessionId }) => sessionId))).toEqual(upTo(1000, 1300));
	});

	it.each([
		['two new sessions share one', false, upTo(1, 120), [121, 121]],
		['they are sorted as text', true, upTo(900, 999), [1000]],
	])('Ids that do not rise, as %s: a new session is reported once, and no old one', async (_, asText, known, added) => {
		odd.rows = rows(known);
		odd.sortsAsText = asText;
		const rig = await start('started');
		odd.rows.push(...rows(added));
		await plays(rig, [() => {}, 3, [`started ${added[0]}`]]);
	});

	it('energies as text: one that does not rise stalls, and resumes', async () => {
		const charged = (energy: string) => (odd.rows = [{ ...rows([1])[0], EnergyConsumed: energy }]);
		charged('9.5');
		const rig = await start('stalled', 'resumed');
		await plays(rig, [() => charged('9.50'), 31, ['stalled 1']], [() => charged('10.25'), 1, ['resumed 1']]);
	});

	it('doubled Ids: no end is lost', async () => {
		odd.rows = rows(upTo(1, 150));
		const rig = await start('ended');
		odd.rows.splice(1, 0, { ...odd.rows[0], EnergyConsumed: 2 });
		odd.rows[100] = { ...odd.rows[100], Status: FINISHED };
		await minutes(rig, 3);
		expect(rig.told()).toEqual(['ended 100']);
	});
});
