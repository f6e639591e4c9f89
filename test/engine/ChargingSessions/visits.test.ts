import { DateTime } from 'luxon';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode } from '../../support/harness.ts';
import { IS_DEEP } from '../../support/draws.ts';
import { during } from '../../support/summary.ts';

const ZONE = 'Europe/Berlin';
const MINUTES = 10;
const [FINISHED, FAILED, ACTIVE] = [4, 6, 1];
/** Three weeks, with a day of 25 hours in the middle. */
const [FROM, TO] = ['2026-10-12T00:00:00', '2026-11-02T00:00:00'];

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 0, stations: 2 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	platform.db.exec('DELETE FROM sessions');
});

interface Session {
	/** Seconds since the epoch. */
	start: number;
	status: number;
	driver?: string | null;
	place?: string | null;
}

const at = (local: string) => DateTime.fromISO(local, { zone: ZONE }).toSeconds();
const wire = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

/** Stores them in the order given, so that Ids say nothing of their times. */
function store(sessions: readonly Session[]): void {
	const insert = platform.db.prepare(
		'INSERT INTO sessions (Id, Status, StartedAtUtc, EnergyConsumed, UserName, StationName) VALUES (?, ?, ?, 1, ?, ?)',
	);
	platform.db.exec('BEGIN');
	for (const [index, { start, status, driver = 'Ada', place = 'Depot' }] of sessions.entries())
		insert.run(index + 1, status, wire(start), driver, place);
	platform.db.exec('COMMIT');
}

const VISITS = { function: 'visitSuccess', driverField: 'UserName', placeField: 'StationName', visitMinutes: MINUTES };

const summarize = async (parameters: INodeParameters = {}) =>
	await runNode({
		type: 'chargingSessions',
		credential: credentialFor(platform),
		parameters: {
			...{ operation: 'summary', filters: during(FROM, TO), measures: { values: [VISITS] }, groupBy: [], options: {} },
			...parameters,
		},
		timezone: ZONE,
	});

const figuresOf = (item: IDataObject = {}) =>
	Object.fromEntries(
		Object.entries(item).flatMap(([name, value]) =>
			name.startsWith('visitSuccess') ? [[name.slice('visitSuccess'.length) || 'rate', value]] : [],
		),
	);

type Ending = 'FirstTry' | 'AfterTrouble' | 'Failed' | 'Undecided';
const NONE = { FirstTry: 0, AfterTrouble: 0, Failed: 0, Undecided: 0 };
const expected = (counts: Partial<Record<Ending, number>>, Unassigned = 0) => {
	const all = { ...NONE, ...counts };
	const succeeded = all.FirstTry + all.AfterTrouble;
	const decided = succeeded + all.Failed;
	return {
		...{ ...all, Unassigned, Visits: decided + all.Undecided },
		rate: decided === 0 ? null : (expect.closeTo((100 * succeeded) / decided, 9) as number),
	};
};

describe('Visit Success', () => {
	const ten = at('2026-10-20T10:00:00');
	const failed = (minutes: number): Session => ({ start: ten + 60 * minutes, status: FAILED });

	it.each<[string, Session[], Partial<Record<Ending, number>>, number]>([
		[
			'three tries in ten minutes, then a charge: one visit',
			[failed(0), failed(4), failed(9), { start: ten + 60 * 12, status: FINISHED }],
			{ AfterTrouble: 1 },
			0,
		],
		['each try within the minutes of the one before', [failed(0), failed(10), failed(20)], { Failed: 1 }, 0],
		['a second too late is another visit', [failed(0), { start: ten + 601, status: FAILED }], { Failed: 2 }, 0],
		[
			'a success ends the visit',
			[{ start: ten, status: FINISHED }, failed(1), { start: ten + 120, status: FINISHED }],
			{ FirstTry: 1, AfterTrouble: 1 },
			0,
		],
		['still charging after a failure', [failed(0), { start: ten + 60, status: ACTIVE }], { Undecided: 1 }, 0],
		['an unknown code before a failure', [{ start: ten - 60, status: 99 }, failed(0)], { Undecided: 1 }, 0],
		[
			'another driver, or another place, is another visit',
			[failed(0), { ...failed(1), driver: 'Bob' }, { ...failed(2), place: 'Harbour' }],
			{ Failed: 3 },
			0,
		],
		[
			'without a driver or a place each is a visit of its own',
			[{ ...failed(0), driver: null }, { ...failed(1), driver: null }, { ...failed(2), place: '' }, failed(3)],
			{ Failed: 4 },
			3,
		],
	])('%s', async (_, sessions, counts, unassigned) => {
		store([...sessions].reverse());
		const { json, error } = await summarize();
		expect(error).toBeUndefined();
		expect(figuresOf(json[0])).toEqual(expected(counts, unassigned));
	});

	it('a visit belongs to the period and the day of its first session, and rows beside the period are in nothing else', async () => {
		const [from, midnight, to] = [at(FROM), at('2026-10-21T00:00:00'), at(TO)];
		store([
			// Begins before the period: not a visit of it, though two of its sessions are.
			...[-300, 60, 240].map((seconds) => ({ start: from + seconds, status: FAILED })),
			// Begins before midnight, and succeeds on the next day.
			...[-120, 200].map((seconds) => ({ start: midnight + seconds, status: seconds < 0 ? FAILED : FINISHED })),
			// Goes on behind the period for half an hour.
			...[-60, 500, 1_000, 1_500].map((seconds) => ({ start: to + seconds, status: FAILED })),
			{ start: to + 2_000, status: FINISHED },
			// Another visit, outside.
			{ start: to + 2_100, status: FAILED },
		]);
		const { json } = await summarize({
			groupBy: ['day'],
			measures: { values: [VISITS, { field: 'EnergyConsumed' }, { field: 'EnergyConsumed', function: 'max' }] },
		});
		expect(json[0]).toMatchObject({ count: 5, energyConsumed: 5 });
		expect(figuresOf(json[0])).toEqual(expected({ AfterTrouble: 2 }));
		const days = (json[0]?.byDay as IDataObject[]).filter(({ count }) => count !== 0);
		expect(days.map((day) => [day.day, day.count, figuresOf(day)])).toEqual([
			['2026-10-12', 2, expected({})],
			['2026-10-20', 1, expected({ AfterTrouble: 1 })],
			['2026-10-21', 1, expected({})],
			['2026-11-01', 1, expected({ AfterTrouble: 1 })],
		]);
	});

	it('a visit that goes on for more than a day behind the period is cut there, and a note says so', async () => {
		store(Array.from({ length: 200 }, (_, index) => ({ start: at(TO) - 60 + index * 500, status: FAILED })));
		const { json, hints } = await summarize();
		expect(figuresOf(json[0])).toEqual(expected({ Failed: 1 }));
		expect(hints.map(({ message }) => message)).toEqual([
			'Some visits still go on a day after the period. They are cut there.',
		]);
	});

	it('is compared with the period before, each with its own edges', async () => {
		const [from, to] = [at('2026-11-02T00:00:00'), at('2026-11-09T00:00:00')];
		store([
			{ start: from - 60, status: FAILED },
			{ start: from + 60, status: FINISHED },
			{ start: to - 60, status: FINISHED },
		]);
		const { json } = await summarize({
			filters: during('2026-11-02T00:00:00', '2026-11-09T00:00:00'),
			compareWith: 'previousPeriod',
		});
		expect(figuresOf(json[0])).toEqual(expected({ FirstTry: 1 }));
		expect(figuresOf(json[0]?.previous as IDataObject)).toEqual(expected({ AfterTrouble: 1 }));
		expect(json[0]?.difference).toMatchObject({ visitSuccess: 0, visitSuccessAfterTrouble: -1 });
		expect(json[0]?.differencePercent).not.toHaveProperty('visitSuccess');
	});

	it('without a period, all sessions are read once', async () => {
		store([failed(0), { start: ten + 60, status: FINISHED }]);
		const { json } = await summarize({ filters: {} });
		expect(figuresOf(json[0])).toEqual(expected({ AfterTrouble: 1 }));
		expect(platform.requests.filter(({ dsquery }) => 'Filter' in (dsquery as object))).toEqual([]);
	});

	it.each<[string, INodeParameters, RegExp]>([
		['a group by Status', { groupBy: ['status', 'day'] }, /^Group By: Status would cut visits/],
		['a field that is Status', { groupBy: ['field'], groupByField: 'status' }, /^Group By: Status would cut visits/],
		[
			'a filter by Status',
			{ filters: { status: [{ operator: 'In', values: ['6'] }] } },
			/^Filters: a condition on Status would cut visits/,
		],
		[
			'a filter by Status within JSON',
			{
				filters: {
					json: [{ json: '{"Logic":"Or","Filters":[{"Field":"status","Operator":"Eq","Value":"6"}]}' }],
				},
			},
			/^Filters: a condition on Status would cut visits/,
		],
		[
			'an open period',
			{ filters: { startedAtUtc: [{ operator: 'Gte', value: FROM }] } },
			/^Filters: Visit Success needs one period on Started At, with a beginning and an end/,
		],
		[
			'no driver',
			{ measures: { values: [{ ...VISITS, driverField: '' }] } },
			/^Measures: measure 1: Driver Field Name or ID: nothing is chosen/,
		],
		[
			'no minutes',
			{ measures: { values: [{ ...VISITS, visitMinutes: 0 }] } },
			/^Measures: measure 1: Visit Minutes: a whole number from 1 to 1440 is needed/,
		],
		[
			'the measure twice, each time differently',
			{ measures: { values: [VISITS, { ...VISITS, visitMinutes: 5 }] } },
			/^Measures: measure 2: Visit Success can be there only once/,
		],
	])('refuses %s before anything is sent', async (_, parameters, message) => {
		const { error } = await summarize(parameters);
		expect(error?.message).toMatch(message);
		expect(platform.requests).toHaveLength(0);
	});

	it.each([
		['driverField', 'Token'],
		['placeField', 'Depot'],
	])('says that no session has the field of %s', async (name, value) => {
		store([failed(0)]);
		const { error } = await summarize({ measures: { values: [{ ...VISITS, [name]: value }] } });
		expect(error?.message).toBe(`None of the sessions has a field ${value} to measure by`);
		expect(error?.description).toMatch(/^Check the name in Measures\. /);
	});
});

/** Numbers from 0 to 1, the same for the same seed. */
function chance(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

describe('Visit Success against visits that are made up first, and their sessions from them', () => {
	const seeds = Array.from({ length: IS_DEEP ? 40 : 3 }, (_, index) => index + 1 + Number(process.env.SEED ?? 0));

	it.each(seeds)('seed %i', async (seed) => {
		const random = chance(seed);
		const upTo = (most: number) => Math.floor(random() * (most + 1));
		const sessions: Session[] = [];
		const byDay = new Map<string, { sessions: number; visits: Partial<Record<Ending, number>> }>();
		const dayOf = (start: number) => DateTime.fromSeconds(start, { zone: ZONE }).toISODate() ?? '';
		const bookOf = (start: number) => {
			const book = byDay.get(dayOf(start)) ?? { sessions: 0, visits: {} };
			byDay.set(dayOf(start), book);
			return book;
		};
		const isInside = (start: number) => start >= at(FROM) && start < at(TO);
		for (const driver of ['Ada', 'Bob', 'Cem']) {
			for (const place of ['Depot', 'Harbour']) {
				let start = at(FROM) - 4_000 + upTo(600);
				while (start < at(TO) + 5_000) {
					const ending = (['FirstTry', 'AfterTrouble', 'Failed', 'Undecided'] as const)[upTo(3)] ?? 'Failed';
					const tries = ending === 'FirstTry' ? 1 : ending === 'AfterTrouble' ? 2 + upTo(3) : 1 + upTo(4);
					const odd = upTo(tries - 1);
					const first = start;
					for (let n = 0; n < tries; n++) {
						const succeeds = n === tries - 1 && ending.match(/Try|Trouble/) !== null;
						const undecided = ending === 'Undecided' && n === odd;
						sessions.push({ driver, place, start, status: succeeds ? FINISHED : undecided ? ACTIVE : FAILED });
						if (isInside(start)) bookOf(start).sessions++;
						if (n < tries - 1) start += upTo(3) === 0 ? MINUTES * 60 : 1 + upTo(MINUTES * 60 - 1);
					}
					if (isInside(first)) {
						const { visits } = bookOf(first);
						visits[ending] = (visits[ending] ?? 0) + 1;
					}
					// After a success the next may begin at once; otherwise not within the minutes.
					const isOver = ending === 'FirstTry' || ending === 'AfterTrouble';
					const nearEdge = Math.min(Math.abs(start - at(FROM)), Math.abs(start - at(TO))) < 6_000;
					start += (isOver ? 1 : MINUTES * 60 + 1) + upTo(nearEdge ? 600 : 20_000);
				}
			}
		}
		store(
			sessions
				.map((each) => ({ each, key: random() }))
				.sort((a, b) => a.key - b.key)
				.map(({ each }) => each),
		);
		const { json, error } = await summarize({ groupBy: ['day'], result: 'itemPerGroup' });
		expect(error).toBeUndefined();
		const got = json.map((item) => [item.day, item.count, figuresOf(item)]);
		const wanted = [...byDay].sort().map(([day, book]) => [day, book.sessions, expected(book.visits)]);
		expect(got).toEqual(wanted);
	});
});
