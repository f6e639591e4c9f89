import range from 'lodash/range.js';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { list, ROWS_TRIGGER } from '../../support/rowsTrigger/support.ts';
import {
	ACTIVE,
	FINISHED,
	HOUR,
	SESSION_TRIGGER,
	SessionBench,
	smallerEnergy,
} from '../../support/sessionTrigger/support.ts';
import { MINUTE, nothing, text } from '../../support/stationTrigger/support.ts';
import { OddPlatform } from '../../support/trigger/oddPlatform.ts';
import { TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

/** What is new, and how long it is followed: first answers, keys that see more, clocks, Ids that begin again. */
const bench = new SessionBench();
const odd = new OddPlatform();
const minutes = bench.minutes.bind(bench);
const plays = bench.plays.bind(bench);
const DAY = 24 * HOUR;
const engine = 'memory';
const both = { events: ['started', 'ended'] };
const upTo = (first: number, last: number) => range(first, last + 1);

describe('a first answer with', () => {
	const sessions = (count: number): IDataObject[] =>
		upTo(1, count).map((Id) => ({ Id, Status: FINISHED, StartedAtUtc: '2026-11-21T00:00:00', EnergyConsumed: 1 }));

	it.each<[string, TriggerName, INodeParameters]>([
		['one session twice', SESSION_TRIGGER, both],
		['one row twice', ROWS_TRIGGER, list('/api/teams/v1')],
	])('%s: nothing of what was there is reported, and what comes then is', async (_, type, parameters) => {
		odd.rows = sessions(300);
		odd.rows.splice(290, 0, { ...odd.rows[290] });
		const rig = new TriggerRig(engine, parameters, odd.credential, {}, type);
		await rig.activate();
		await plays(rig, [nothing, 2, []]);
		odd.rows.push({ Id: 301, Status: ACTIVE, StartedAtUtc: '2026-11-21T00:00:00' });
		await minutes(rig, 2);
		expect(rig.told()).toEqual([type === SESSION_TRIGGER ? 'started 301' : 'newRow 301']);
	});
});

describe('a key that suddenly sees more', () => {
	it('than 20 sessions: old ones are not reported, but those above the highest Id; new ones are, whatever their Id', async () => {
		for (const id of upTo(1, 20)) bench.start(id * 20, { status: FINISHED, ago: DAY });
		const rig = await bench.rig(engine, both);
		const old = upTo(1, 401).filter((id) => id % 20 !== 0);
		const seesMore = () => old.forEach((id) => bench.start(id, { status: FINISHED, ago: DAY }));
		const isNew = () => bench.startedAgo(0, 7);
		await plays(
			rig,
			[seesMore, 2, ['started 401', 'ended 401'].sort()],
			[() => bench.start(410), 1, ['started 410']],
			[() => bench.become(FINISHED, 410), 1, ['ended 410']],
			[isNew, 1, []],
		);
	});

	it('than none: old ones are not reported; then what has a higher Id is, also with an old start', async () => {
		const rig = await bench.rig(engine, both);
		const seesMore = () => bench.startAll(1, 120, { status: FINISHED, ago: DAY });
		await plays(
			rig,
			[nothing, 1, []],
			[seesMore, 2, []],
			[() => bench.start(121, { ago: 30 * DAY }), 1, ['started 121']],
			[() => bench.become(FINISHED, 121), 1, ['ended 121']],
		);
	});

	it('than none, with a new one among the old ones: that is reported', async () => {
		const rig = await bench.rig(engine, both);
		bench.clock.forward(MINUTE);
		const seesMore = () => {
			bench.startAll(1, 5, { status: FINISHED, ago: DAY });
			bench.start(3000);
		};
		await plays(rig, [seesMore, 2, ['started 3000']]);
	});
});

it('a session that is uploaded late is found by its high Id, whether few sessions were there before, or many', async () => {
	for (const before of [0, 3, 80]) {
		const first = before * 1000;
		bench.delete(...upTo(1, 90_000));
		bench.startAll(first + 1, first + before, { status: FINISHED });
		const rig = await bench.rig(engine, both);
		await plays(
			rig,
			[() => bench.start(first + 100), 1, [`started ${first + 100}`]],
			[() => bench.start(first + 200, { ago: 5 * DAY }), 1, [`started ${first + 200}`]],
			[() => bench.become(FINISHED, first + 200), 1, [`ended ${first + 200}`]],
		);
	}
});

describe('a new session with an old start', () => {
	it.each([
		['a clock in 2000', 26 * 365 * DAY],
		['an upload 8 days old', 8 * DAY],
	])('(%s) is followed to its end, also over a restart', async (_, ago) => {
		bench.startAll(1, 3, { status: FINISHED });
		const rig = await bench.rig(engine, both);
		const more = () => bench.startAll(101, 160, { status: FINISHED });
		const told = upTo(101, 160).flatMap((id) => [`started ${id}`, `ended ${id}`]);
		await plays(
			rig,
			[() => bench.start(4, { ago }), 2, ['started 4']],
			[more, 2, told],
			[() => rig.restart(), 2, []],
			[() => bench.become(FINISHED, 4), 1, ['ended 4']],
		);
	});

	it('is given up Max Watch Time after it was first seen; what the first poll finds, after its start', async () => {
		bench.startAll(1, 2, { ago: 1.5 * DAY });
		const rig = await bench.rig(engine, { events: ['ended'], options: { watchDays: 1 } });
		await plays(rig, [() => bench.start(3, { ago: 9 * DAY }), 1, []], [() => bench.become(FINISHED, 1), 1, []]);
		bench.clock.forward(23 * HOUR);
		await plays(rig, [nothing, 1, []], [() => bench.start(4, { ago: 9 * DAY }), 1, []]);
		bench.clock.forward(2 * HOUR);
		await plays(rig, [nothing, 1, []], [() => bench.become(FINISHED, 2, 3, 4), 2, ['ended 4']]);
	});
});

describe('Ids that begin again', () => {
	const reset = () => {
		bench.delete(...upTo(1, 5300));
		bench.startAll(1, 3);
	};
	const messages = (rig: TriggerRig) => rig.errors.map(({ message }) => message);

	it.each([20, 200])(
		'after %s sessions: one failed execution says so after 15 minutes, and what comes then is reported',
		async (count) => {
			bench.startAll(5001, 5000 + count);
			const rig = await bench.rig(engine, both);
			await minutes(rig, 2);
			reset();
			await minutes(rig, 14);
			expect([rig.told(), messages(rig)]).toEqual([[], []]);
			await minutes(rig, 4);
			expect(rig.told()).toEqual([]);
			expect(messages(rig)).toEqual(['The Ids of the charging sessions have begun again']);
			bench.start(4);
			bench.become(FINISHED, 2);
			await minutes(rig, 2);
			expect(rig.told().sort()).toEqual(['ended 2', 'started 4']);
			await minutes(rig, 70);
			expect(messages(rig)).toHaveLength(1);
		},
	);

	it('an event of a new generation has another eventId than that of the same Id before', async () => {
		const rig = await bench.rig(engine, {});
		const starts = async () => {
			bench.start(5001);
			await minutes(rig, 2);
		};
		await starts();
		reset();
		await minutes(rig, 18);
		await starts();
		expect(rig.told()).toEqual(['started 5001', 'started 5001']);
		expect(new Set(rig.items.map(({ eventId }) => eventId)).size).toBe(2);
	});

	it('a replica that is behind for some polls: nothing is doubled, and no end is lost', async () => {
		bench.startAll(1, 100, { status: FINISHED });
		bench.startAll(5001, 5060);
		const rig = await bench.rig(engine, both);
		await minutes(rig, 1);
		const behind = () => {
			bench.platform.db.exec('CREATE TABLE later AS SELECT * FROM sessions WHERE Id > 5000');
			bench.platform.db.exec('DELETE FROM sessions WHERE Id > 5000');
		};
		const catchesUp = () => {
			bench.platform.db.exec('INSERT INTO sessions SELECT * FROM later');
			bench.platform.db.exec('DROP TABLE later');
			bench.become(FINISHED, 5007, 5059);
		};
		await plays(rig, [behind, 10, []], [catchesUp, 2, ['ended 5007', 'ended 5059']], [nothing, 20, []]);
	});
});

it('an older state that comes back brings starts and ends again with the same eventId', async () => {
	const rig = await bench.rig('scheduler', both);
	await minutes(rig, 1);
	bench.start(1);
	await minutes(rig, 1);
	const backup = { ...rig.database };
	bench.start(2);
	await minutes(rig, 1);
	bench.become(FINISHED, 1, 2);
	await minutes(rig, 1);
	const idsOf = () =>
		rig
			.take()
			.map(({ event, sessionId, eventId }) => [event, sessionId, eventId].map(text).join(' '))
			.sort();
	const first = idsOf();
	await rig.restart();
	Object.assign(rig.database, backup);
	await minutes(rig, 2);
	expect(first).toEqual(expect.arrayContaining(idsOf()));
	expect(first).toHaveLength(4);
});

it('a filter that cannot be asked where the list was empty at first: the sessions come with a later poll', async () => {
	const rig = await bench.rig(engine, { filters: smallerEnergy(5) });
	const match = ({ query = '' }: { query?: string }) => query.includes('"In"');
	bench.platform.faults.add({ kind: 'status', status: 500, times: Infinity, match });
	await plays(
		rig,
		[() => bench.startAll(1, 3), 2, []],
		[() => bench.platform.faults.clear(), 1, ['started 1', 'started 2', 'started 3']],
	);
});
