import range from 'lodash/range.js';

import { EXPIRED, FINISHED, SessionBench, SUSPENDED } from '../../support/sessionTrigger/support.ts';

const PAST = 100_000;

const bench = new SessionBench({ sessions: PAST, now: new Date().toISOString().slice(0, 19) });
const options = { otherEndStatuses: [String(EXPIRED)] };
const idsOf = (sql: string) =>
	bench.platform.db
		.prepare(`SELECT Id FROM sessions ${sql}`)
		.all()
		.map(({ Id }) => Number(Id));

/** Starts this many sessions. @returns their Ids */
function startMore(count: number, statusOf: (id: number) => number): number[] {
	const [highest = 0] = idsOf('ORDER BY Id DESC LIMIT 1');
	const ids = range(highest + 1, highest + 1 + count);
	bench.platform.db.exec('BEGIN');
	for (const id of ids) bench.start(id, { status: statusOf(id) });
	bench.platform.db.exec('COMMIT');
	return ids;
}

beforeEach(() => bench.platform.db.exec(`UPDATE sessions SET Status = ${FINISHED} WHERE Status NOT IN (4, 5, 6)`));

it('100,000 past sessions, 51 of them open: two requests a poll, and a small state', async () => {
	const open = idsOf('ORDER BY Id DESC LIMIT 51 OFFSET 180').sort((a, b) => a - b);
	bench.become(SUSPENDED, ...open);
	const rig = bench.inactive('memory', { events: ['started', 'ended', 'failed'], options });
	expect(await bench.requestsOf(async () => await rig.activate())).toBe(2);
	await bench.minutes(rig, 1);
	const { saves } = rig;
	expect(await bench.requestsOf(async () => await bench.minutes(rig, 5))).toBe(10);
	expect([rig.saves, rig.items]).toEqual([saves, []]);
	expect(rig.stateSize).toBeLessThan(5_000);
	bench.become(FINISHED, open[0] ?? 0, open[40] ?? 0);
	await bench.minutes(rig, 1);
	expect(rig.told()).toEqual([`ended ${open[0]}`, `ended ${open[40]}`]);
});

it('thousands that start between two polls come in several polls, each once, over a restart', async () => {
	const rig = await bench.rig('memory', { events: ['started', 'ended'], options });
	const fresh = startMore(12_000, (id) => (id % 2 === 0 ? FINISHED : SUSPENDED));
	await bench.minutes(rig, 1);
	expect(rig.items.length).toBeLessThan(fresh.length);
	await rig.restart();
	await bench.minutes(rig, 3);
	const idsWith = (name: string) => rig.items.filter(({ event }) => event === name).map(({ sessionId }) => sessionId);
	expect(idsWith('started')).toEqual(fresh);
	expect(idsWith('ended')).toEqual(fresh.filter((id) => id % 2 === 0));
	expect(rig.stateSize).toBeLessThan(idsWith('ended').length * 60);
});

it('when one poll cannot look up all open sessions, each still gets its turn', async () => {
	const open = startMore(1_100, () => SUSPENDED);
	const rig = await bench.rig('memory', { events: ['ended'], options });
	rig.budgetMs = 36_000;
	bench.slow(5_000);
	bench.become(FINISHED, ...open);
	await bench.minutes(rig, 1);
	expect(rig.items.length).toBeLessThan(open.length);
	for (let polls = 0; rig.items.length < open.length && polls < 100; polls++) await bench.minutes(rig, 1);
	await bench.minutes(rig, 2);
	expect(rig.items.map(({ sessionId }) => Number(sessionId)).sort((a, b) => a - b)).toEqual(open);
});

it('progress over many that raise nothing is saved from time to time', async () => {
	const rig = await bench.rig('memory', { events: ['failed'], options });
	startMore(1_100, () => FINISHED);
	await bench.minutes(rig, 2);
	await rig.restart();
	expect(await bench.requestsOf(async () => await bench.minutes(rig, 1))).toBe(1);
	expect(rig.items).toEqual([]);
});
