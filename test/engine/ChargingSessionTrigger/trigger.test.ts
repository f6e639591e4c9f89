import type { INodeParameters } from 'n8n-workflow';

import {
	ACTIVE,
	EXPIRED,
	FAILED,
	FINISHED,
	HOUR,
	SESSION_TRIGGER,
	SessionBench,
	smallerEnergy,
	SUSPENDED,
} from '../../support/sessionTrigger/support.ts';
import { testManually, type TriggerRig } from '../../support/trigger/rig.ts';
import { nothing, short } from '../../support/stationTrigger/support.ts';

/**
 * What is told of single sessions at any time is the subject of the random histories. What all triggers promise of saved
 * state, outages and partial answers: everyNode/trigger*.test.ts.
 */
const bench = new SessionBench();
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);
const engine = 'memory';
/** So many newer sessions that those before must be looked up. */
const startManyMore = () => bench.startAll(101, 160, { status: FINISHED });

it.each(['number', 'text', 'name', 'object'] as const)('statuses as %s are the codes they stand for', async (codes) => {
	bench.platform.behaviour.codes = codes;
	const byCode = await bench.rig(engine, { events: ['ended', 'failed'] });
	const byName = await bench.rig(engine, { events: ['ended'], endStatuses: ['Finished', 'failed'] });
	bench.startAll(1, 3);
	await minutes(byCode, 1);
	await minutes(byName, 1);
	bench.become(FINISHED, 1);
	bench.become(FAILED, 2);
	await minutes(byCode, 2);
	await minutes(byName, 2);
	expect(short(byCode.items).sort()).toEqual(['ended 1', 'failed 2']);
	expect(short(byName.items).sort()).toEqual(['ended 1', 'ended 2']);
	expect(byName.items[0]).toMatchObject({ status: FINISHED, statusLabel: 'Finished' });
});

it('codes without a comma between them are refused, and not taken for a status that no session ever has', async () => {
	await expect(bench.rig(engine, { events: ['ended'], endStatuses: '={{ "5;6" }}' })).rejects.toThrow(
		/^End Status Names or IDs: "5;6" is no status: put a comma between two codes/,
	);
	await expect(bench.rig(engine, { events: ['ended'], endStatuses: ['4.000'] })).rejects.toThrow(
		/^End Status Names or IDs: "4.000" is no status: enter its code or name alone/,
	);
});

describe('an item', () => {
	it('says what happened to which session, with the whole session', async () => {
		const rig = await bench.rig(engine, { events: ['started', 'ended'] });
		bench.start(6, { energy: 1.5 });
		bench.start(9, { status: FINISHED });
		await minutes(rig, 2);
		expect(short(rig.items)).toEqual(['started 6', 'started 9', 'ended 9']);
		expect(rig.items[0]).toMatchObject({
			event: 'started',
			sessionId: 6,
			environment: 'production',
			durationSeconds: null,
			status: ACTIVE,
			statusLabel: `Code ${ACTIVE}`,
			StatusName: `Code ${ACTIVE}`,
			session: { Id: 6, Status: ACTIVE, EnergyConsumed: 1.5 },
		});
		expect(rig.items[2]).toMatchObject({ status: FINISHED, statusLabel: 'Finished', StatusName: 'Finished' });
		for (const name of ['startedAt', 'detectedAt']) {
			expect(rig.items[0]?.[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
		}
	});

	it.each([
		[{ events: ['runningLong'], runningHours: 2 }, { ago: 1.9 * HOUR }, 7200],
		[{ events: ['stalled'], stalledMinutes: 5 }, { energy: 7 }, 300],
	])('of %j says how long it has been so', async (parameters, session, seconds) => {
		bench.start(1, session);
		const rig = await bench.rig(engine, parameters);
		await minutes(rig, 9);
		expect(rig.items).toHaveLength(1);
		expect(Number(rig.items[0]?.durationSeconds)).toBeGreaterThanOrEqual(seconds);
		expect(Number(rig.items[0]?.durationSeconds)).toBeLessThan(seconds + 180);
	});
});

describe('sessions end', () => {
	const events = ['ended'];

	it('each end is reported once, whatever happens to the session afterwards', async () => {
		bench.startAll(1, 2);
		const rig = await bench.rig(engine, { events });
		const change = () => bench.platform.db.exec('UPDATE sessions SET EnergyConsumed = 77 WHERE Id = 2');
		await plays(
			rig,
			[() => bench.become(FINISHED, 1, 2), 1, ['ended 1', 'ended 2']],
			[() => bench.become(ACTIVE, 1), 1, []],
			[() => bench.become(FINISHED, 1), 1, []],
			[change, 1, []],
			[() => rig.restart(), 1, []],
		);
	});

	it('a session is followed to its first end, also where that is not reported: that it fails later is not', async () => {
		const rig = await bench.rig(engine, { events: ['failed'], options: { otherEndStatuses: [String(EXPIRED)] } });
		bench.startAll(1, 3);
		await plays(
			rig,
			[nothing, 1, []],
			[() => [bench.become(EXPIRED, 1), bench.become(FINISHED, 2)], 1, []],
			[() => bench.become(FAILED, 1, 2, 3), 2, ['failed 3']],
		);
	});

	it('failed sessions are reported as failed, if that is chosen, and not as ended, too', async () => {
		bench.startAll(1, 2);
		const rig = await bench.rig(engine, { events: ['failed', 'ended'] });
		bench.become(FAILED, 1);
		bench.become(FINISHED, 2);
		await plays(rig, [() => bench.start(3, { status: FAILED }), 1, ['ended 2', 'failed 1', 'failed 3']]);
	});

	it('a session that does not end is given up after the watch time; what ends in a longer pause is reported', async () => {
		bench.startAll(1, 2);
		startManyMore();
		const rig = await bench.rig(engine, { events, options: { watchDays: 1 } });
		bench.become(FINISHED, 1);
		bench.clock.forward(25 * HOUR);
		await plays(rig, [() => rig.restart(), 1, ['ended 1']], [() => bench.become(FINISHED, 2), 2, []]);
	});

	it('Session Starts, newly chosen, raises nothing for what began before, and both are followed', async () => {
		bench.startAll(1, 60, { status: FINISHED });
		const rig = await bench.rig(engine, { events: ['ended'] });
		bench.startAll(101, 131);
		await rig.republish({ parameters: { events: ['runningLong', 'ended', 'started'] } });
		await plays(
			rig,
			[nothing, 2, []],
			[() => bench.start(132), 1, ['started 132']],
			[() => bench.become(FAILED, 131, 132), 1, ['ended 131', 'ended 132']],
		);
	});

	it('Session Ends, newly chosen, reports only what ends from then on', async () => {
		const rig = await bench.rig(engine, { events: ['started'] });
		bench.start(1, { status: FINISHED });
		const withEnds = () => rig.republish({ parameters: { events: ['started', 'ended'] } });
		await plays(
			rig,
			[withEnds, 1, ['started 1']],
			[() => bench.start(2, { status: FINISHED }), 1, ['ended 2', 'started 2']],
		);
	});

	it.each([
		{ options: { watchDays: 14 } },
		{ options: { otherEndStatuses: ['5', '7'] } },
		{ endStatuses: ['4', '6', '3'] },
	])('what began and ended before the first poll with other settings is told: %o', async (changed) => {
		const parameters = { events: ['started', 'ended', 'failed'], endStatuses: ['4', '6'] };
		bench.start(1);
		const rig = await bench.rig(engine, parameters);
		bench.start(2, { status: FAILED });
		bench.start(3, { status: FINISHED });
		const withOthers = () => rig.republish({ parameters: { ...parameters, ...changed } });
		await plays(rig, [withOthers, 2, ['ended 3', 'failed 2', 'started 2', 'started 3']]);
	});

	it('a status newly chosen as an end counts from the next poll on, although it cannot look up any session', async () => {
		bench.startAll(1, 4);
		startManyMore();
		const rig = await bench.rig(engine, { events });
		await plays(rig, [() => bench.become(EXPIRED, 3, 4), 1, []]);
		const isLookUp = ({ query = '' }: { query?: string }) => query.includes('"In"');
		bench.platform.faults.add({ kind: 'status', status: 500, match: isLookUp, times: Infinity });
		await rig.republish({ parameters: { events, endStatuses: ['4', '5', '6'] } });
		await plays(
			rig,
			[() => bench.become(EXPIRED, 1), 1, []],
			// The third had the status before.
			[() => bench.platform.faults.clear(), 2, ['ended 1']],
			[() => bench.become(EXPIRED, 2), 1, ['ended 2']],
		);
	});
});

describe('sessions run long', () => {
	const events = ['runningLong'];

	it('a session that starts in the future, or has no start time, does not', async () => {
		bench.start(1, { ago: -100 * HOUR });
		bench.start(2, { ago: 5 * HOUR });
		bench.platform.db.exec("UPDATE sessions SET StartedAtUtc = '' WHERE Id = 2");
		const rig = await bench.rig(engine, { events: ['ended', ...events], runningHours: 1 });
		await plays(rig, [nothing, 2, []], [() => bench.become(FINISHED, 1, 2), 1, ['ended 1', 'ended 2']]);
		expect(rig.items.find(({ sessionId }) => sessionId === 2)?.startedAt).toBeNull();
	});

	it('one that runs longer than Max Watch Time is reported: the days count from when it has run that long', async () => {
		bench.start(1, { ago: 199.95 * HOUR });
		const rig = await bench.rig(engine, { events, runningHours: 200 });
		await plays(rig, [nothing, 5, ['runningLong 1']]);
	});

	it('works with Ids that are text', async () => {
		bench.platform.behaviour.ids.sessions = 'text';
		bench.startAll(1, 5, { ago: 1.95 * HOUR });
		const rig = await bench.rig(engine, { events, runningHours: 2, options: { pageSize: 2 } });
		const told = [1, 2, 3, 4, 5].map((id) => `runningLong ses-00000${id}`);
		await plays(rig, [nothing, 5, told], [() => rig.restart(), 2, []]);
	});
});

describe('sessions stall and resume', () => {
	const events = ['stalled', 'resumed'];
	const parameters = { events, stalledMinutes: 5 };

	it('a session that ends, or loses energy, does not resume; one that is suspended stalls', async () => {
		bench.startAll(1, 3, { energy: 7 });
		const rig = await bench.rig(engine, parameters);
		bench.become(SUSPENDED, 3);
		await minutes(rig, 6);
		expect(rig.told()).toEqual(['stalled 1', 'stalled 2', 'stalled 3']);
		bench.become(FINISHED, 1);
		bench.energy(8, 1);
		await plays(rig, [() => bench.energy(3, 2), 2, []], [() => bench.energy(7, 2), 8, []]);
	});

	it('a counter that falls and then rises twice is the new count, and a lower value or two are none', async () => {
		const energies = {
			1: [13.3, 0.2, 0.8, 1.4, 2, 2.6, 3.2, 3.8, 4.4],
			2: [13.3, 0.2, 13.3, 12, 12.5, 12.1, 12.6, 13.3, 13.3],
		};
		bench.startAll(1, 2, { energy: 13.3 });
		const rig = await bench.rig(engine, parameters);
		for (let poll = 0; poll < 9; poll++) {
			for (const [id, values] of Object.entries(energies)) bench.energy(values[poll] ?? 0, Number(id));
			await minutes(rig, 1);
		}
		expect(rig.told()).toEqual(['stalled 2']);
		// Now it stands still at the new count, and the other one charges again from a lower one.
		await plays(
			rig,
			[() => bench.energy(0.1, 2), 2, []],
			[() => bench.energy(0.2, 2), 1, []],
			[() => bench.energy(0.3, 2), 3, ['resumed 2', 'stalled 1']],
		);
	});

	it('the minutes begin again with a restart, and what was told is known', async () => {
		bench.start(1, { energy: 7 });
		const rig = await bench.rig(engine, parameters);
		await plays(
			rig,
			[nothing, 3, []],
			// What has been seen of the second until the first stalls is saved with that.
			[() => bench.start(2, { energy: 1 }), 3, ['stalled 1']],
			[() => rig.restart(), 4, []],
			[nothing, 2, ['stalled 2']],
			[() => rig.restart(), 0, []],
			[() => bench.energy(9, 1, 2), 2, ['resumed 1', 'resumed 2']],
		);
	});

	it('Session Resumes alone needs no event before it, even over a restart', async () => {
		bench.start(1, { energy: 7 });
		const rig = await bench.rig(engine, { ...parameters, events: ['resumed'] });
		await plays(rig, [nothing, 6, []], [() => rig.restart(), 0, []], [() => bench.energy(9, 1), 2, ['resumed 1']]);
	});

	it('without a value for its energy nothing is concluded of a session', async () => {
		bench.startAll(1, 2, { energy: 7.5 });
		const none = (id: number) => bench.platform.db.exec(`UPDATE sessions SET EnergyConsumed = NULL WHERE Id = ${id}`);
		none(1);
		const rig = await bench.rig(engine, parameters);
		await plays(rig, [nothing, 10, ['stalled 2']]);
		bench.energy(0, 1);
		await plays(rig, [() => none(2), 6, ['stalled 1']], [() => bench.energy(10.25, 2), 1, ['resumed 2']]);
	});

	it('minutes that are changed count from when the energy last rose', async () => {
		bench.start(1, { energy: 7 });
		const rig = await bench.rig(engine, parameters);
		const later = { ...parameters, stalledMinutes: 8 };
		await plays(
			rig,
			[nothing, 4, []],
			[() => rig.republish({ parameters: later }), 3, []],
			[nothing, 2, ['stalled 1']],
		);
	});

	it('the end of a stall that began before Session Resumes was chosen is not reported', async () => {
		bench.start(1, { energy: 7 });
		const rig = await bench.rig(engine, { ...parameters, events: ['stalled'] });
		await plays(
			rig,
			[nothing, 6, ['stalled 1']],
			[() => bench.energy(8, 1), 1, []],
			[() => rig.republish({ parameters }), 6, ['stalled 1']],
			[() => bench.energy(9, 1), 1, ['resumed 1']],
		);
	});
});

describe('requests of a poll', () => {
	const costs = async (rig: TriggerRig) => await bench.requestsOf(async () => await minutes(rig, 1));

	it.each([
		['50 open sessions', { events: ['ended'] }, () => bench.startAll(1, 50), 2],
		['1,051 open sessions', { events: ['ended'] }, () => bench.startAll(1, 1051), 12],
		['stalls of 251', { events: ['stalled'] }, () => bench.startAll(1, 251), 4],
		['long ones alone', { events: ['runningLong'] }, () => bench.startAll(1, 49, { ago: 30 * HOUR }), 1],
	])('%s', async (_, parameters, before, requests) => {
		before();
		const rig = await bench.rig(engine, parameters);
		await minutes(rig, 1);
		const { saves } = rig;
		expect([await costs(rig), await costs(rig)]).toEqual([requests, requests]);
		expect(rig.saves).toBe(saves);
	});

	it.each([
		['ends in another status', { otherEndStatuses: ['5'] }, () => bench.become(EXPIRED, 1), 1],
		['is deleted', {}, () => bench.delete(1), 61],
		['is older than Max Watch Time', { watchDays: 1 }, () => bench.clock.forward(25 * HOUR), 1],
	])('end with a session that %s', async (_, options, happens, polls) => {
		bench.start(1);
		startManyMore();
		const rig = await bench.rig(engine, { events: ['ended'], options });
		expect(await costs(rig)).toBe(2);
		happens();
		await minutes(rig, polls);
		expect(await costs(rig)).toBe(1);
		expect(rig.items).toEqual([]);
	});
});

it('the end of a session is told although the platform did not show it for half an hour', async () => {
	bench.startAll(1, 3);
	startManyMore();
	bench.start(161);
	const rig = await bench.rig(engine, { events: ['started', 'ended'] });
	const isShownAgain = () => [2, 161].forEach((id) => bench.start(id));
	await plays(
		rig,
		[() => bench.delete(2, 161), 30, []],
		[isShownAgain, 2, []],
		[() => bench.become(FINISHED, 2, 161), 1, ['ended 2', 'ended 161']],
	);
});

it('another filter loses no event and raises none', async () => {
	bench.start(1);
	const parameters = { events: ['started', 'ended', 'runningLong'], runningHours: 1 };
	const rig = await bench.rig(engine, parameters);
	await plays(rig, [() => bench.start(2), 1, ['started 2']]);
	bench.start(3);
	await plays(
		rig,
		[() => rig.republish({ parameters: { ...parameters, filters: smallerEnergy(5) } }), 2, ['started 3']],
		[() => bench.become(FINISHED, 2), 1, ['ended 2']],
	);
});

it.each([
	['text', () => (bench.platform.behaviour.ids.sessions = 'text')],
	['numbers that are too large', () => bench.platform.db.exec('UPDATE sessions SET Id = Id + 9007199254740993')],
])('Ids that are %s are refused when new sessions are asked for', async (_, change) => {
	bench.startAll(1, 120);
	change();
	const rig = bench.inactive(engine, { events: ['started'] });
	await expect(rig.activate()).rejects.toThrow(/Ids .* not all whole numbers up to 9007199254740991/);
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
		[{ events: ['failed'] }, ['failed 4', 'failed 2']],
		[{ events: ['runningLong'], runningHours: 4.5 }, ['runningLong 5']],
		[{ events: ['started', 'ended', 'failed'] }, ['started 5', 'failed 4', 'ended 3']],
	])('shows the newest sessions as %j would report them', async (parameters, expected) => {
		expect(short(await test(parameters))).toEqual(expected);
	});

	it('says so when there is nothing to show', async () => {
		await expect(test({ filters: smallerEnergy(-1) })).rejects.toThrow(
			'There are no charging sessions that match the filter',
		);
		bench.delete(2, 4);
		await expect(test({ events: ['failed'] })).rejects.toThrow('There are no charging sessions in such a state');
	});
});
