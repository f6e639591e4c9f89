import { EXPIRED, FINISHED, SessionBench, SUSPENDED } from '../../support/sessionTrigger/support.ts';
import { short } from '../../support/stationTrigger/support.ts';
import { NIGHT_ENGINES } from '../../support/trigger/rig.ts';

const PAST = 100_000;
const OPEN = 50;
const DAY_ROWS = 180;

// In real time, to see how long a hundred thousand sessions take.
const bench = new SessionBench({ sessions: PAST, now: new Date().toISOString().slice(0, 19) }, 1);
const ids = (sql: string) =>
	bench.platform.db
		.prepare(sql)
		.all()
		.map(({ Id: id }) => Number(id));

/** All sessions have ended, except fifty of the last week, none of which is among the newest. */
let open: number[];
beforeEach(() => {
	bench.platform.db.exec(`UPDATE sessions SET Status = ${FINISHED} WHERE Status NOT IN (4, 5, 6)`);
	open = ids(`SELECT Id FROM sessions ORDER BY Id DESC LIMIT ${OPEN} OFFSET ${DAY_ROWS}`).sort((a, b) => a - b);
	bench.become(SUSPENDED, ...open);
});

describe.each(NIGHT_ENGINES)(`${PAST} past sessions, engine %s`, (engine) => {
	const events = ['started', 'ended', 'failed'];
	const options = { otherEndStatuses: [String(EXPIRED)] };

	it('fifty open sessions and nothing new: two requests a poll, and a small state', async () => {
		const rig = bench.inactive(engine, { events, options });
		expect(await bench.requestsOf(async () => await rig.activate())).toBe(2);
		await bench.minutes(rig, 1);
		const { saves, batches } = rig;
		const started = batches.length;
		expect(await bench.requestsOf(async () => await bench.minutes(rig, 5))).toBe(10);
		expect(rig.saves).toBe(saves);
		expect(rig.batches.length).toBe(started);
		expect(rig.items).toEqual([]);
		expect(rig.stateSize).toBeLessThan(4_000);
		console.info(`${engine}: state ${rig.stateSize} bytes with ${OPEN} open sessions`);

		bench.become(FINISHED, open[0] ?? 0, open[40] ?? 0);
		await bench.minutes(rig, 1);
		expect(short(rig.items)).toEqual([`ended ${open[0]}`, `ended ${open[40]}`]);
	});

	it('watching starts costs one request a poll, and watching for long sessions one more', async () => {
		const rig = await bench.rig(engine, { events: ['started'] });
		expect(await bench.requestsOf(async () => await bench.minutes(rig, 5))).toBe(5);
		const long = await bench.rig(engine, { events: ['started', 'runningLong'], options });
		expect(await bench.requestsOf(async () => await bench.minutes(long, 5))).toBe(10);
	});

	it('expired sessions whose code is not chosen count as open only for the watch time', async () => {
		const rig = await bench.rig(engine, { events, options: { watchDays: 30 } });
		const week = await bench.rig(engine, { events, options: { watchDays: 7 } });
		await bench.minutes(rig, 1);
		const monthly = await bench.requestsOf(async () => await bench.minutes(rig, 1));
		const weekly = await bench.requestsOf(async () => await bench.minutes(week, 1));
		expect(weekly).toBeLessThan(monthly);
		expect(monthly).toBeLessThan(15);
		expect(rig.items).toEqual([]);
		// Once their code is chosen, they are dropped silently.
		await rig.republish({ parameters: { events, options } });
		await bench.minutes(rig, 2);
		expect(await bench.requestsOf(async () => await bench.minutes(rig, 1))).toBe(2);
		expect(rig.items).toEqual([]);
	});

	it('thousands of sessions that start between two polls come in several polls, each once', async () => {
		const rig = await bench.rig(engine, { events: ['started', 'ended'], options });
		const highest = Math.max(...ids('SELECT max(Id) AS Id FROM sessions'));
		const fresh = Array.from({ length: 12_000 }, (_, index) => highest + 1 + index);
		bench.platform.db.exec('BEGIN');
		for (const id of fresh) bench.start(id, { status: id % 2 === 0 ? FINISHED : SUSPENDED });
		bench.platform.db.exec('COMMIT');
		await bench.minutes(rig, 1);
		expect(rig.items.length).toBeLessThan(fresh.length);
		await rig.restart();
		await bench.minutes(rig, 3);
		const starts = rig.items.filter(({ event }) => event === 'started').map(({ sessionId }) => sessionId);
		const ends = rig.items.filter(({ event }) => event === 'ended').map(({ sessionId }) => sessionId);
		expect(starts).toEqual(fresh);
		expect(ends).toEqual(fresh.filter((id) => id % 2 === 0));
		expect(rig.stateSize).toBeLessThan(200_000);
	});

	it('when one poll cannot look up all open sessions, each still gets its turn', async () => {
		bench.platform.db.exec(
			`UPDATE sessions SET Status = ${SUSPENDED} WHERE Id IN (SELECT Id FROM sessions ORDER BY Id DESC LIMIT 1100)`,
		);
		const all = ids(`SELECT Id FROM sessions WHERE Status = ${SUSPENDED} ORDER BY Id`);
		const rig = await bench.rig(engine, { events: ['ended'], options });
		rig.budgetMs = 120;
		bench.platform.behaviour.latencyMs = 15;
		bench.platform.db.exec(`UPDATE sessions SET Status = ${FINISHED} WHERE Status = ${SUSPENDED}`);
		let polls = 0;
		for (; rig.items.length < all.length && polls < 100; polls++) await bench.minutes(rig, 1);
		await bench.minutes(rig, 2);
		expect(polls).toBeGreaterThan(1);
		expect(rig.items.map(({ sessionId }) => Number(sessionId)).sort((a, b) => a - b)).toEqual(all);
	});

	it('progress over many sessions that raise nothing is saved from time to time', async () => {
		const rig = await bench.rig(engine, { events: ['failed'], options });
		const highest = Math.max(...ids('SELECT max(Id) AS Id FROM sessions'));
		bench.platform.db.exec('BEGIN');
		for (let id = highest + 1; id <= highest + 1_100; id++) bench.start(id, { status: FINISHED });
		bench.platform.db.exec('COMMIT');
		await bench.minutes(rig, 2);
		expect(rig.items).toEqual([]);
		await rig.restart();
		expect(await bench.requestsOf(async () => await bench.minutes(rig, 1))).toBe(2);
	});
});
