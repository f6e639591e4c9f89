import type { INodeParameters } from 'n8n-workflow';

import {
	ACTIVE,
	EXPIRED,
	FAILED,
	FINISHED,
	HOUR,
	SESSION_TRIGGER,
	SessionBench,
	SUSPENDED,
	told,
} from '../../support/sessionTrigger/support.ts';
import { ENGINES, testManually, TriggerRig } from '../../support/trigger/rig.ts';
import { MINUTE } from '../../support/stationTrigger/support.ts';

const bench = new SessionBench();
const minutes = bench.minutes.bind(bench);
/** What the engines save differently is the subject of everyNode/triggers.test.ts and of the random histories. */
const engine = 'memory';

const smallerEnergy = (kWh: number): INodeParameters => ({ energyConsumed: [{ operator: 'Lt', value: String(kWh) }] });

describe('sessions start', () => {
	it('each new session gives one item, and existing ones give none', async () => {
		for (let id = 1; id <= 5; id++) bench.start(id, { status: FINISHED, ago: 10 * HOUR });
		const rig = await bench.rig(engine, {});
		await minutes(rig, 2);
		expect(rig.items).toEqual([]);
		bench.start(6, { energy: 1.5 });
		bench.start(9);
		await minutes(rig, 3);
		expect(told(rig.items)).toEqual(['started 6', 'started 9']);
		expect(rig.items[0]).toMatchObject({
			event: 'started',
			sessionId: 6,
			status: ACTIVE,
			statusLabel: `Code ${ACTIVE}`,
			StatusName: `Code ${ACTIVE}`,
			durationSeconds: null,
			environment: 'production',
			session: { Id: 6, Status: ACTIVE, EnergyConsumed: 1.5 },
		});
		for (const name of ['startedAt', 'detectedAt']) {
			expect(rig.items[0]?.[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
		}
		expect(rig.errors).toEqual([]);
	});
});

describe('sessions end', () => {
	const events = ['ended'];

	it('each end is reported once, whatever happens to the session afterwards', async () => {
		bench.start(1, { ago: HOUR });
		bench.start(2, { ago: HOUR, status: FINISHED });
		const rig = await bench.rig(engine, { events });
		bench.start(3);
		await minutes(rig, 2);
		expect(rig.take()).toEqual([]);
		bench.become(FINISHED, 1);
		bench.become(FAILED, 3);
		await minutes(rig, 2);
		const items = rig.take();
		expect(told(items).sort()).toEqual(['ended 1', 'ended 3']);
		const one = items.find(({ sessionId }) => sessionId === 1);
		expect(one).toMatchObject({ status: FINISHED, statusLabel: 'Finished', StatusName: 'Finished' });
		bench.become(ACTIVE, 1);
		await minutes(rig, 1);
		bench.become(FINISHED, 1);
		bench.platform.db.exec('UPDATE sessions SET EnergyConsumed = 77 WHERE Id = 3');
		await minutes(rig, 2);
		await rig.restart();
		await minutes(rig, 1);
		expect(rig.take()).toEqual([]);
	});

	it('a session that started and ended between two polls gives both events', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, { events: ['started', 'ended'] });
		bench.start(2, { status: FINISHED });
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual(['started 2', 'ended 2']);
	});

	it('only the chosen statuses are reported; other end statuses just stop the watching', async () => {
		bench.start(1);
		bench.start(2);
		bench.start(3);
		for (let id = 101; id <= 160; id++) bench.start(id, { status: FINISHED });
		const rig = await bench.rig(engine, { events, endStatuses: ['4'], options: { otherEndStatuses: ['5'] } });
		bench.become(EXPIRED, 1);
		bench.become(FAILED, 2);
		bench.become(FINISHED, 3);
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual(['ended 3']);
		expect(await bench.requestsOf(async () => await minutes(rig, 3))).toBe(3);
	});

	it('failed sessions are reported as failed if that event is chosen', async () => {
		bench.start(1);
		bench.start(2);
		const rig = await bench.rig(engine, { events: ['failed'] });
		const both = await bench.rig(engine, { events: ['failed', 'ended'] });
		bench.become(FAILED, 1);
		bench.become(FINISHED, 2);
		bench.start(3, { status: FAILED });
		bench.clock.forward(MINUTE);
		await rig.tick();
		await both.tick();
		expect(told(rig.items).sort()).toEqual(['failed 1', 'failed 3']);
		expect(told(both.items).sort()).toEqual(['ended 2', 'failed 1', 'failed 3']);
	});

	it('a session that one answer leaves out stays open', async () => {
		bench.start(1);
		for (let id = 101; id <= 160; id++) bench.start(id, { status: FINISHED });
		const rig = await bench.rig(engine, { events });
		bench.platform.faults.add({
			...{ kind: 'reply', status: 200, body: { Items: [], TotalCount: 0 }, times: Infinity },
			match: ({ query = '' }) => /"In"|"Lte"/.test(query),
		});
		await minutes(rig, 1);
		bench.platform.faults.clear();
		await minutes(rig, 1);
		bench.become(FINISHED, 1);
		await minutes(rig, 1);
		expect(told(rig.items)).toEqual(['ended 1']);
	});

	it('when no session can be looked up, nothing is reported or saved', async () => {
		bench.start(1);
		for (let id = 101; id <= 160; id++) bench.start(id, { status: FINISHED });
		const rig = await bench.rig(engine, { events });
		bench.become(FINISHED, 1);
		bench.platform.faults.add({
			...{ kind: 'status', status: 500, times: Infinity },
			match: ({ query }) => query?.includes('"In"') === true,
		});
		const { saves } = rig;
		const before = rig.saved();
		await minutes(rig, 3);
		expect(rig.saves).toBe(saves);
		expect(rig.saved()).toEqual(before);
		expect(rig.items).toEqual([]);
		bench.platform.faults.clear();
		await minutes(rig, 1);
		expect(told(rig.items)).toEqual(['ended 1']);
	});

	it('a deleted session gives no event, and is looked for twice', async () => {
		bench.start(1);
		for (let id = 101; id <= 160; id++) bench.start(id, { status: FINISHED });
		const rig = await bench.rig(engine, { events });
		bench.delete(1);
		// The newest, the open ones below them, and the one that is missing.
		expect(await bench.requestsOf(async () => await minutes(rig, 2))).toBe(6);
		expect(await bench.requestsOf(async () => await minutes(rig, 2))).toBe(2);
		expect(rig.items).toEqual([]);
	});

	it('a session that does not end is given up after the watch time', async () => {
		bench.start(1);
		for (let id = 101; id <= 160; id++) bench.start(id, { status: FINISHED });
		const rig = await bench.rig(engine, { events, options: { watchDays: 1 } });
		expect(await bench.requestsOf(async () => await minutes(rig, 2))).toBe(4);
		bench.clock.forward(25 * HOUR);
		await minutes(rig, 1);
		expect(await bench.requestsOf(async () => await minutes(rig, 2))).toBe(2);
		bench.become(FINISHED, 1);
		await minutes(rig, 1);
		expect(rig.items).toEqual([]);
	});

	it('an end during a pause longer than the watch time is still reported', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, { events, options: { watchDays: 1 } });
		bench.become(FINISHED, 1);
		bench.clock.forward(50 * HOUR);
		await rig.restart();
		await minutes(rig, 1);
		expect(told(rig.items)).toEqual(['ended 1']);
	});

	it.each([
		[50, 2],
		[250, 4],
		[1_050, 12],
	])('%d open sessions cost %d requests a poll', async (open, requests) => {
		for (let id = 1; id <= open; id++) bench.start(id);
		const rig = await bench.rig(engine, { events });
		await minutes(rig, 1);
		expect(await bench.requestsOf(async () => await minutes(rig, 1))).toBe(requests);
		bench.become(FINISHED, 1, open);
		await minutes(rig, 1);
		expect(told(rig.items).sort()).toEqual(['ended 1', `ended ${open}`]);
	});

	it.each([
		['failed', 'started', FAILED],
		['started', 'ended', ACTIVE],
	])(
		'%s, newly chosen, raises nothing for what happened before; what began then is followed',
		async (added, event, status) => {
			for (let id = 1; id <= 60; id++) bench.start(id, { status: FINISHED });
			const rig = await bench.rig(engine, { events: [event] });
			for (let id = 101; id <= 130; id++) bench.start(id, { status });
			bench.start(131);
			await rig.republish({ parameters: { events: ['runningLong', event, added] } });
			await minutes(rig, 2);
			expect(told(rig.take()).filter((what) => what.startsWith(added))).toEqual([]);
			bench.start(132);
			bench.become(FAILED, 131, 132);
			await minutes(rig, 1);
			const both =
				added === 'failed' ? ['failed 131', 'failed 132', 'started 132'] : ['ended 131', 'ended 132', 'started 132'];
			expect(told(rig.take()).sort()).toEqual(both);
		},
	);

	it('a status newly chosen as an end raises nothing for sessions that already have it', async () => {
		for (let id = 1; id <= 5; id++) bench.start(id);
		const rig = await bench.rig(engine, { events });
		bench.become(EXPIRED, 1, 2, 3);
		await minutes(rig, 2);
		bench.become(FINISHED, 4);
		await rig.republish({ parameters: { events, endStatuses: ['4', '5', '6'] } });
		await minutes(rig, 2);
		expect(told(rig.take())).toEqual(['ended 4']);
		bench.become(EXPIRED, 5);
		await minutes(rig, 2);
		expect(told(rig.take())).toEqual(['ended 5']);
	});

	it('a status newly chosen as an end counts from the next poll on, although one session cannot be looked up', async () => {
		for (let id = 1; id <= 3; id++) bench.start(id);
		// So many newer ones, so that the first three must be looked up.
		for (let id = 11; id <= 70; id++) bench.start(id, { status: FINISHED });
		const rig = await bench.rig(engine, { events });
		bench.become(EXPIRED, 3);
		await minutes(rig, 1);
		const asksFor3 = ({ query = '' }: { query?: string }) => /"In","Value":"(1,)?(2,)?3"/.test(query);
		bench.platform.faults.add({ kind: 'status', status: 500, match: asksFor3, times: Infinity });
		await rig.republish({ parameters: { events, endStatuses: ['4', '5', '6'] } });
		bench.become(EXPIRED, 1);
		await minutes(rig, 1);
		expect(told(rig.take())).toEqual(['ended 1']);
		bench.platform.faults.clear();
		// That one had the status before.
		await minutes(rig, 2);
		expect(told(rig.take())).toEqual([]);
		bench.become(EXPIRED, 2);
		await minutes(rig, 1);
		expect(told(rig.take())).toEqual(['ended 2']);
	});
});

describe('sessions run long', () => {
	const events = ['runningLong'];

	it('each is reported once, when its time is over', async () => {
		bench.start(1, { ago: 5 * HOUR });
		bench.start(2, { ago: 1.9 * HOUR });
		bench.start(3, { ago: 5 * HOUR, status: FINISHED });
		const rig = await bench.rig(engine, { events, runningHours: 2 });
		expect(rig.items).toEqual([]);
		await minutes(rig, 4);
		expect(rig.items).toEqual([]);
		await minutes(rig, 5);
		expect(told(rig.items)).toEqual(['runningLong 2']);
		expect(Number(rig.items[0]?.durationSeconds)).toBeGreaterThanOrEqual(2 * 3600);
		expect(Number(rig.items[0]?.durationSeconds)).toBeLessThan(2 * 3600 + 180);
		bench.become(FINISHED, 2);
		await minutes(rig, 1);
		bench.become(ACTIVE, 2);
		await rig.restart();
		await minutes(rig, 2);
		expect(rig.items).toHaveLength(1);
	});

	it('costs one request a poll', async () => {
		for (let id = 1; id <= 49; id++) bench.start(id, { ago: 30 * HOUR });
		const rig = await bench.rig(engine, { events });
		const { saves } = rig;
		expect(await bench.requestsOf(async () => await minutes(rig, 5))).toBe(5);
		expect(rig.saves).toBe(saves);
	});

	it('a session that starts in the future is not running long', async () => {
		bench.start(1, { ago: -100 * HOUR });
		const rig = await bench.rig(engine, { events: ['runningLong', 'started', 'ended'], runningHours: 1 });
		bench.start(2, { ago: -100 * HOUR });
		await minutes(rig, 2);
		bench.become(FINISHED, 1, 2);
		await minutes(rig, 2);
		expect(told(rig.items).sort()).toEqual(['ended 1', 'ended 2', 'started 2']);
	});

	it('works with Ids that are text', async () => {
		bench.platform.behaviour.idType = 'text';
		for (let id = 1; id <= 5; id++) bench.start(id, { ago: 1.95 * HOUR });
		const rig = await bench.rig(engine, { events, runningHours: 2, options: { pageSize: 2 } });
		await minutes(rig, 5);
		await rig.restart();
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual([1, 2, 3, 4, 5].map((id) => `runningLong ses-00000${id}`));
	});
});

describe('sessions stall and resume', () => {
	const events = ['stalled', 'resumed'];
	const parameters = { events, stalledMinutes: 5 };
	const eventIds = (rig: TriggerRig) => new Set(rig.items.map(({ eventId }) => eventId)).size;

	it('each stall is reported once, and that its energy rises again', async () => {
		for (const id of [1, 2]) bench.start(id, { ago: 5 * HOUR, energy: 7 });
		const rig = await bench.rig(engine, parameters);
		for (let minute = 1; minute <= 12; minute++) {
			bench.energy(7 + minute, 2);
			await minutes(rig, 1);
		}
		expect(told(rig.items)).toEqual(['stalled 1']);
		expect(Number(rig.items[0]?.durationSeconds)).toBeGreaterThanOrEqual(300);
		expect(Number(rig.items[0]?.durationSeconds)).toBeLessThan(360);
		bench.energy(7.5, 1);
		bench.become(SUSPENDED, 2);
		await minutes(rig, 1);
		expect(told(rig.take().slice(1))).toEqual(['resumed 1']);
		expect(Number(rig.items[1]?.durationSeconds)).toBeGreaterThanOrEqual(12 * 60);
		await minutes(rig, 5);
		expect(told(rig.take()).sort()).toEqual(['stalled 1', 'stalled 2']);
		expect(eventIds(rig)).toBe(4);
	});

	it('a session that ends, or loses energy, does not resume', async () => {
		for (const id of [1, 2]) bench.start(id, { energy: 7 });
		const rig = await bench.rig(engine, parameters);
		await minutes(rig, 6);
		bench.become(FINISHED, 1);
		bench.energy(8, 1);
		bench.energy(3, 2);
		await minutes(rig, 2);
		bench.energy(7, 2);
		await minutes(rig, 8);
		expect(told(rig.items)).toEqual(['stalled 1', 'stalled 2']);
	});

	it('a counter that falls and then rises twice is the new count, and a lower value or two are none', async () => {
		const values = [
			[1, [13.3, 0.2, 0.8, 1.4, 2, 2.6, 3.2, 3.8, 4.4]],
			[2, [13.3, 0.2, 13.3, 12, 12.5, 12.1, 12.6, 13.3, 13.3]],
		] as const;
		for (const [id] of values) bench.start(id, { energy: 13.3 });
		const rig = await bench.rig(engine, parameters);
		for (let poll = 0; poll < 9; poll++) {
			for (const [id, energies] of values) bench.energy(energies[poll] ?? 0, id);
			await minutes(rig, 1);
		}
		expect(told(rig.items)).toEqual(['stalled 2']);
		// Now it stands still at the new count, and the other one charges again from a lower one.
		for (const energy of [0.1, 0.1, 0.2, 0.3]) {
			bench.energy(energy, 2);
			await minutes(rig, 1);
		}
		await minutes(rig, 2);
		expect(told(rig.items.slice(1))).toEqual(['resumed 2', 'stalled 1']);
	});

	it.each(ENGINES)(
		'engine %s: the minutes begin again with a restart, and what was reported is known',
		async (name) => {
			bench.start(1, { energy: 7 });
			const rig = await bench.rig(name, parameters);
			await minutes(rig, 6);
			bench.start(2, { energy: 1 });
			await minutes(rig, 4);
			await rig.restart();
			await minutes(rig, 4);
			expect(told(rig.items)).toEqual(['stalled 1']);
			await minutes(rig, 2);
			expect(told(rig.items)).toEqual(['stalled 1', 'stalled 2']);
			await rig.restart();
			bench.energy(9, 1, 2);
			await minutes(rig, 2);
			expect(told(rig.items.slice(2))).toEqual(['resumed 1', 'resumed 2']);
		},
	);

	it.each(ENGINES)('engine %s: Session Resumes alone needs no event before it, even over a restart', async (name) => {
		bench.start(1, { energy: 7 });
		const rig = await bench.rig(name, { ...parameters, events: ['resumed'] });
		await minutes(rig, 6);
		expect(rig.items).toEqual([]);
		await rig.restart();
		bench.energy(9, 1);
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual(['resumed 1']);
	});

	it('what n8n did not save comes again with the same eventId', async () => {
		bench.start(1, { energy: 7 });
		const rig = await bench.rig('scheduler', parameters);
		await minutes(rig, 6);
		bench.energy(9, 1);
		rig.loseSaves = true;
		await minutes(rig, 1);
		rig.loseSaves = false;
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual(['stalled 1', 'resumed 1', 'resumed 1']);
		expect(eventIds(rig)).toBe(2);
	});

	it.each([[events], [['stalled']]])('%j: stalls at the same energy have different eventIds', async (chosen) => {
		bench.start(1, { energy: 0 });
		const rig = await bench.rig(engine, { ...parameters, events: chosen });
		await minutes(rig, 6);
		bench.energy(5, 1);
		await minutes(rig, 1);
		bench.energy(0, 1);
		await rig.restart();
		await minutes(rig, 6);
		const stalled = rig.items.filter(({ event }) => event === 'stalled');
		expect(told(stalled)).toEqual(['stalled 1', 'stalled 1']);
		expect(eventIds(rig)).toBe(rig.items.length);
	});

	it('the end of a stall that began before Session Resumes was chosen is not reported', async () => {
		bench.start(1, { energy: 7 });
		const rig = await bench.rig(engine, { ...parameters, events: ['stalled'] });
		await minutes(rig, 6);
		bench.energy(8, 1);
		await minutes(rig, 1);
		await rig.republish({ parameters });
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual(['stalled 1']);
		await minutes(rig, 4);
		bench.energy(9, 1);
		await minutes(rig, 1);
		expect(told(rig.items.slice(1))).toEqual(['stalled 1', 'resumed 1']);
	});

	it('from a session without a value for its energy nothing is concluded, and the log says so once', async () => {
		bench.start(1);
		bench.start(2, { energy: 7 });
		bench.platform.db.exec('UPDATE sessions SET EnergyConsumed = NULL WHERE Id = 1');
		const rig = await bench.rig(engine, parameters);
		await minutes(rig, 10);
		expect(told(rig.take())).toEqual(['stalled 2']);
		expect(rig.logs).toEqual([expect.stringMatching(/^1 running charging session has no value in EnergyConsumed/)]);
		bench.energy(0, 1);
		bench.platform.db.exec('UPDATE sessions SET EnergyConsumed = NULL WHERE Id = 2');
		await minutes(rig, 6);
		bench.energy(8, 2);
		await minutes(rig, 1);
		expect(told(rig.take())).toEqual(['stalled 1', 'resumed 2']);
		expect(rig.logs).toHaveLength(1);
	});

	it('costs what watching for ends costs, and saves only with a stall', async () => {
		for (let id = 1; id <= 120; id++) bench.start(id, { energy: id });
		const rig = await bench.rig(engine, parameters);
		const ends = await bench.rig(engine, { events: ['ended'] });
		const { saves } = rig;
		const requests = await bench.requestsOf(async () => await minutes(ends, 2));
		expect(await bench.requestsOf(async () => await minutes(rig, 2))).toBe(requests);
		expect(rig.saves).toBe(saves);
		await minutes(rig, 8);
		expect(rig.take()).toHaveLength(120);
		expect(rig.saves).toBe(saves + 1);
		expect(rig.stateSize).toBeLessThan(20_000);
	});

	it('events that are chosen later, and minutes that are changed, report what happens from then on', async () => {
		bench.start(1, { energy: 7 });
		const rig = await bench.rig(engine, { events: ['ended'] });
		await minutes(rig, 10);
		await rig.republish({ parameters });
		await minutes(rig, 4);
		expect(rig.items).toEqual([]);
		await rig.republish({ parameters: { ...parameters, stalledMinutes: 8 } });
		await minutes(rig, 3);
		expect(rig.items).toEqual([]);
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual(['stalled 1']);
	});
});

describe('filter', () => {
	it('decides at the moment of the event', async () => {
		bench.start(1);
		bench.start(2);
		const rig = await bench.rig(engine, { events: ['started', 'ended'], filters: smallerEnergy(0.5) });
		bench.start(3, { energy: 20 });
		bench.start(4, { energy: 0.1 });
		await minutes(rig, 1);
		expect(told(rig.take())).toEqual(['started 4']);
		bench.energy(30, 1, 4);
		bench.energy(0.2, 3);
		bench.become(FINISHED, 1, 2, 3, 4);
		await minutes(rig, 2);
		expect(told(rig.take()).sort()).toEqual(['ended 2', 'ended 3']);
		bench.energy(0, 1, 4);
		await minutes(rig, 2);
		expect(rig.take()).toEqual([]);
	});

	it('an event that could not be checked comes with a later poll, even over a restart', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, { events: ['started'], filters: smallerEnergy(0.5) });
		bench.start(2);
		bench.platform.faults.add({
			...{ kind: 'status', status: 500, times: Infinity },
			match: ({ query }) => query?.includes('"In"') === true,
		});
		await minutes(rig, 1);
		await rig.restart();
		await minutes(rig, 2);
		expect(rig.items).toEqual([]);
		bench.platform.faults.clear();
		await minutes(rig, 2);
		expect(told(rig.items)).toEqual(['started 2']);
	});

	it('changing it loses no event and raises none', async () => {
		bench.start(1);
		const rig = await bench.rig(engine, { events: ['started', 'ended', 'runningLong'], runningHours: 1 });
		bench.start(2);
		await minutes(rig, 1);
		expect(told(rig.take())).toEqual(['started 2']);
		bench.start(3);
		await rig.republish({
			parameters: { events: ['started', 'ended', 'runningLong'], runningHours: 1, filters: smallerEnergy(5) },
		});
		await minutes(rig, 2);
		expect(told(rig.take())).toEqual(['started 3']);
		bench.become(FINISHED, 2);
		await minutes(rig, 1);
		expect(told(rig.take())).toEqual(['ended 2']);
	});
});

describe('an unusual platform', () => {
	it('keeps up with a list that gives at most ten rows a page', async () => {
		bench.platform.behaviour.takeClamp = 10;
		for (let id = 1; id <= 200; id++) bench.start(id, { status: id % 40 === 0 ? ACTIVE : FINISHED });
		const rig = await bench.rig(engine, { events: ['started', 'ended'] });
		await minutes(rig, 1);
		for (let id = 201; id <= 230; id++) bench.start(id);
		await minutes(rig, 1);
		expect(rig.take()).toHaveLength(30);
		bench.become(FINISHED, 40, 200, 230);
		await minutes(rig, 1);
		expect(told(rig.take()).sort()).toEqual(['ended 200', 'ended 230', 'ended 40']);
		// The pages of the last 50 sessions, one to prove that nothing follows, and one for older open sessions.
		const quiet = await bench.requestsOf(async () => await minutes(rig, 4));
		expect(quiet).toBeLessThanOrEqual(4 * (50 / 10 + 1 + 1));
	});

	it.each([
		['text', () => (bench.platform.behaviour.idType = 'text')],
		['numbers that are too large', () => bench.platform.db.exec('UPDATE sessions SET Id = Id + 9007199254740993')],
	])('Ids that are %s are refused when new sessions are asked for', async (_, change) => {
		for (let id = 1; id <= 120; id++) bench.start(id);
		change();
		const rig = bench.inactive(engine, { events: ['started'] });
		await expect(rig.activate()).rejects.toThrow(/Ids? .*(not numbers|too large)/);
	});

	it('a session without a start time is reported, but never as running long', async () => {
		const rig = await bench.rig(engine, { events: ['started', 'ended', 'runningLong'], runningHours: 1 });
		bench.start(1, { ago: 5 * HOUR });
		bench.platform.db.exec("UPDATE sessions SET StartedAtUtc = ''");
		await minutes(rig, 90);
		bench.become(FINISHED, 1);
		await minutes(rig, 1);
		expect(told(rig.items)).toEqual(['started 1', 'ended 1']);
		expect(rig.items[0]?.startedAt).toBeNull();
	});
});

describe('a manual test', () => {
	const test = async (parameters: INodeParameters) =>
		(await testManually(parameters, bench.credential(), SESSION_TRIGGER)) ?? [];

	beforeEach(() => {
		for (let id = 1; id <= 5; id++) bench.start(id, { ago: id * HOUR });
		bench.become(FAILED, 2, 4);
		bench.become(FINISHED, 3);
	});

	it.each([
		[{ events: ['started'] }, ['started 5', 'started 4', 'started 3']],
		[{ events: ['ended'] }, ['ended 4', 'ended 3', 'ended 2']],
		[{ events: ['failed'] }, ['failed 4', 'failed 2']],
		[{ events: ['runningLong'], runningHours: 4.5 }, ['runningLong 5']],
		[{ events: ['runningLong'] }, ['runningLong 5', 'runningLong 1']],
		[{ events: ['started', 'ended', 'failed'] }, ['started 5', 'failed 4', 'ended 3']],
	])('shows the newest sessions as %j would report them', async (parameters, expected) => {
		expect(told(await test(parameters))).toEqual(expected);
	});

	it('says so when there is nothing to show', async () => {
		await expect(test({ filters: smallerEnergy(-1) })).rejects.toThrow(
			'There are no charging sessions that match the filter',
		);
		bench.delete(2, 4);
		await expect(test({ events: ['failed'] })).rejects.toThrow('There are no charging sessions in such a state');
	});

	it.each([
		[{ events: [] }, 'Trigger On'],
		[{ events: ['ended'], endStatuses: [] }, 'End Status'],
		[{ events: ['runningLong'], runningHours: 0 }, 'Running Longer Than'],
		[{ events: ['runningLong'], runningHours: 'soon' }, 'Running Longer Than'],
		[{ options: { watchDays: 0 } }, 'Options > Max Watch Time'],
	])('refuses %j, naming the parameter', async (parameters, place) => {
		await expect(test(parameters)).rejects.toThrow(place);
	});
});
