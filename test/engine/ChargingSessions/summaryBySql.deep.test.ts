import fc from 'fast-check';
import range from 'lodash/range';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { draws, IS_NIGHT } from '../../support/draws.ts';
import { credentialFor, runNode } from '../../support/harness.ts';
import { during } from '../../support/summary.ts';

// Random questions to Summarize, in both results and with comparison, answered by SQL over the same rows.

const ZONE = 'Europe/Berlin';
const SESSIONS = IS_NIGHT ? 10_000 : 500;
const HOUR = 3600;

let platform: StandIn;
/** How far the rows of the query are moved in time, in months. */
let moved = 0;

beforeAll(async () => {
	platform = await startPlatform({ sessions: SESSIONS, stations: 12 });
	platform.db.exec('UPDATE sessions SET Price = NULL WHERE Id % 7 = 0');
	platform.db.function('local', (text) => localTime(...(String(text).split('|') as [string, string])));
}, 120_000);
afterAll(async () => await platform.close());

function localTime(format: string, time: string): string {
	const local = DateTime.fromISO(time, { zone: 'utc' }).setZone(ZONE);
	const later = local.plus({ months: moved });
	const isDate = /[yk]/.test(format);
	// No day of February is compared with 31 January.
	const isNoDay = format === 'yyyy-MM-dd' && later.day !== local.day;
	return (isDate && !isNoDay ? later : local).toFormat(format);
}

const KEYS: Readonly<Record<string, string>> = {
	status: 'Status',
	day: `local('yyyy-MM-dd|' || StartedAtUtc)`,
	week: `local('kkkk-''W''WW|' || StartedAtUtc)`,
	month: `local('yyyy-MM|' || StartedAtUtc)`,
	weekday: `CAST(local('c|' || StartedAtUtc) AS INTEGER)`,
	hour: `CAST(local('H|' || StartedAtUtc) AS INTEGER)`,
	field: 'StationName',
};
type Key = string | number | null;

/** What SQL says of a group, in whole numbers. */
const FIGURES = `count(*) AS count, count(EnergyConsumed) AS energies, count(Price) AS prices,
	coalesce(sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)), 0) AS energy,
	coalesce(sum(CAST(round(Price * 100) AS INTEGER)), 0) AS price, max(EnergyConsumed) AS highest, max(StartedAtUtc) AS last,
	json_group_array(DISTINCT UserName) AS users, sum(Status = 4) AS finished, sum(Status = 6) AS failed,
	coalesce(sum(unixepoch(EndedAtUtc) - unixepoch(StartedAtUtc)), 0) AS seconds, count(EndedAtUtc) AS ended,
	max(unixepoch(EndedAtUtc) - unixepoch(StartedAtUtc)) AS longest`;
const SUMS = ['count', 'energies', 'prices', 'energy', 'price', 'finished', 'failed', 'seconds', 'ended'] as const;

interface Answer extends Record<(typeof SUMS)[number], number> {
	highest: number | null;
	last: string | null;
	longest: number | null;
	users: Set<unknown>;
}

function sumOf(answers: readonly Answer[]): Answer {
	const sum = Object.fromEntries(SUMS.map((name) => [name, answers.reduce((all, each) => all + each[name], 0)]));
	const most = <Value extends number | string>(values: Array<Value | null>) =>
		values.reduce<Value | null>((one, other) => (one === null || (other !== null && other > one) ? other : one), null);
	return {
		...(sum as Record<(typeof SUMS)[number], number>),
		highest: most(answers.map((each) => each.highest)),
		last: most(answers.map((each) => each.last)),
		longest: most(answers.map((each) => each.longest)),
		users: new Set(answers.flatMap((each) => [...each.users])),
	};
}

const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole);
const rounded = (value: number | null) => (value === null ? null : Number(value.toFixed(2)));

function columnsOf(answer: Answer): Record<string, unknown> {
	const { count, energies, energy, price, prices, finished, failed, seconds, ended, longest } = answer;
	const last = answer.last === null ? null : DateTime.fromISO(answer.last, { zone: 'utc' }).setZone(ZONE).toISO();
	return {
		count,
		EnergyConsumed_sum: energy / 1000,
		EnergyConsumed_missing: count - energies,
		EnergyConsumed_max: answer.highest,
		Price_average: ratio(price, 100 * prices),
		StartedAtUtc_max: last,
		UserName_distinct: answer.users.size,
		successRate: rounded(ratio(100 * finished, finished + failed)),
		successRateSessions: finished + failed,
		duration: seconds / HOUR,
		durationAverage: ended === 0 ? null : (1000 * seconds) / ended / (1000 * HOUR),
		durationLongest: longest === null ? null : longest / HOUR,
		durationWithoutEnd: count - ended,
	};
}

const MEASURES = [
	...[
		{ field: 'EnergyConsumed', function: 'sum' },
		{ field: 'EnergyConsumed', function: 'missing' },
		{ field: 'EnergyConsumed', function: 'max' },
	],
	...[
		{ field: 'Price', function: 'average' },
		{ field: 'StartedAtUtc', function: 'max' },
	],
	...[{ field: 'UserName', function: 'distinct' }, { function: 'successRate' }],
	{ function: 'duration', endField: 'EndedAtUtc' },
];

/** How Order Groups By orders them: the highest first, but for group. */
const ORDERS: Readonly<Record<string, (answer: Answer) => number | string | null>> = {
	count: ({ count }) => count,
	EnergyConsumed_sum: ({ energy }) => energy,
	StartedAtUtc_max: ({ last }) => last,
	UserName_distinct: ({ users }) => users.size,
	successRate_lowest: ({ finished, failed }) => (finished + failed === 0 ? null : -finished / (finished + failed)),
	duration: ({ seconds }) => seconds,
};

const question = fc.record({
	month: fc.integer({ min: 1, max: 12 }),
	months: fc.constantFrom(1, 1, 3),
	groupBy: fc.subarray(Object.keys(KEYS), { minLength: 1, maxLength: 3 }),
	result: fc.constantFrom('oneItem', 'itemPerGroup'),
	compareWith: fc.constantFrom('none', 'previousPeriod', 'previousYear'),
	finishedOnly: fc.boolean(),
	orderGroupsBy: fc.constantFrom('group', ...Object.keys(ORDERS)),
	maxGroups: fc.integer({ min: 1, max: 40 }),
	minimumSessions: fc.constantFrom(0, 0, 2),
});
type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

interface Group {
	keys: Key[];
	now: Answer;
	before: Answer;
}

function groupsOf(asked: Question, dimensions: readonly string[], from: DateTime): Group[] {
	const { months, compareWith, finishedOnly } = asked;
	const shift = compareWith === 'none' ? undefined : compareWith === 'previousYear' ? 12 : months;
	const groups = new Map<string, Group>();
	const nothing = sumOf([]);
	const put = (which: 'now' | 'before', back: number) => {
		moved = back;
		const wire = (time: DateTime) => time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss");
		const begin = from.minus({ months: back });
		const names = dimensions.map((name) => KEYS[name] ?? 'NULL');
		const sql = `SELECT ${['0', ...names].map((key, index) => `${key} AS key${index}`).join()}, ${FIGURES} FROM sessions
			WHERE StartedAtUtc >= ? AND StartedAtUtc < ? ${finishedOnly ? 'AND Status = 4' : ''}
			GROUP BY ${['key0', ...names.map((_, index) => `key${index + 1}`)].join()}`;
		for (const row of platform.db.prepare(sql).all(wire(begin), wire(begin.plus({ months })))) {
			const keys = names.map((_, index) => (row[`key${index + 1}`] ?? null) as Key);
			const users = new Set((JSON.parse(String(row.users)) as unknown[]).filter((name) => name !== null));
			const group = groups.get(JSON.stringify(keys)) ?? { keys, now: nothing, before: nothing };
			groups.set(JSON.stringify(keys), { ...group, [which]: { ...row, users } as unknown as Answer });
		}
		moved = 0;
	};
	for (const key of always(asked, dimensions, from)) {
		groups.set(JSON.stringify([key]), { keys: [key], now: nothing, before: nothing });
	}
	put('now', 0);
	if (shift !== undefined) put('before', shift);
	return [...groups.values()];
}

/** Groups that are listed although no row is in them. */
function always({ months, result }: Question, dimensions: readonly string[], from: DateTime): Key[] {
	if (dimensions.join() === 'weekday') return range(1, 8);
	if (dimensions.join() === 'hour') return range(24);
	if (dimensions.join() !== 'day' || result !== 'oneItem') return [];
	const days = Math.round(from.plus({ months }).diff(from, 'days').days);
	return range(days).map((day) => from.plus({ days: day }).toISODate());
}

/** The groups to list in their order, those beyond, and those of which the period has no such time. */
function listed(asked: Question, dimensions: readonly string[], from: DateTime) {
	const { months, result, maxGroups, minimumSessions } = asked;
	const inPeriod = new Set(
		range(-1, 100).flatMap((day) => {
			const date = from.plus({ days: day });
			const isIn = day >= 0 && date < from.plus({ months });
			return isIn ? [date.toFormat('yyyy-MM-dd'), date.toFormat("kkkk-'W'WW"), date.toFormat('yyyy-MM')] : [];
		}),
	);
	const all = groupsOf(asked, dimensions, from);
	const isOwn = ({ keys, now }: Group) =>
		now.count > 0 ||
		dimensions.every((name, index) => !['day', 'week', 'month'].includes(name) || inPeriod.has(String(keys[index])));
	const own = all.filter(isOwn);
	const isCut = result === 'itemPerGroup' || dimensions.includes('field');
	const order = isCut ? asked.orderGroupsBy : 'group';
	const enough = isCut ? own.filter(({ now }) => now.count >= minimumSessions) : own;
	const sorted = enough.sort((one, other) => compare(one, other, order));
	const shown = isCut ? sorted.slice(0, maxGroups) : sorted;
	return {
		shown,
		others: own.filter((group) => !shown.includes(group)),
		onlyPrevious: all.filter((each) => !isOwn(each)),
	};
}

function compare(one: Group, other: Group, order: string): number {
	const figure = ORDERS[order];
	if (figure) {
		if (one.now.count > 0 !== other.now.count > 0) return one.now.count > 0 ? -1 : 1;
		const [left, right] = one.now.count === 0 ? [0, 0] : [figure(one.now), figure(other.now)];
		if (left !== right && left !== null && right !== null) return left > right ? -1 : 1;
		if (left !== right) return left === null ? 1 : -1;
	}
	for (const [index, left] of one.keys.entries()) {
		const right = other.keys[index] ?? null;
		if (left !== right) return left === null || (right !== null && left > right) ? 1 : -1;
	}
	return 0;
}

/** The columns of groups as one, with those of the rows before where there is a comparison. */
function figuresOf(asked: Question, groups: readonly Group[]): IDataObject {
	const [now, before] = [sumOf(groups.map((each) => each.now)), sumOf(groups.map((each) => each.before))];
	const columns = columnsOf(now);
	if (asked.compareWith === 'none') return columns as IDataObject;
	const previous = columnsOf(before);
	const difference = { count: now.count - before.count };
	const percent = { count: rounded(ratio(100 * difference.count, before.count)) };
	const named = Object.entries(previous).map(([name, value]) => [`${name}_previous`, value]);
	return {
		...columns,
		...Object.fromEntries(named),
		...{ count_difference: difference.count, count_differencePercent: percent.count },
	} as IDataObject;
}

const COLUMNS: Readonly<Record<string, string>> = { field: 'StationName' };

function expected(asked: Question, from: DateTime): IDataObject[] {
	const { groupBy, result } = asked;
	if (result === 'itemPerGroup') {
		const { shown, others, onlyPrevious } = listed(asked, groupBy, from);
		const group = (keys: Key[]) =>
			Object.fromEntries(groupBy.map((name, index) => [COLUMNS[name] ?? name, keys[index] ?? null]));
		const items = shown.map((each) => ({ ...group(each.keys), ...figuresOf(asked, [each]) }));
		const together = (flag: string, groups: Group[]) =>
			groups.length === 0 ? [] : [{ ...group([]), ...figuresOf(asked, groups), [flag]: true, groups: groups.length }];
		return [...items, ...together('onlyPrevious', onlyPrevious), ...together('isOther', others)];
	}
	const parts = groupBy.map((name) => {
		const { shown, others, onlyPrevious } = listed(asked, [name], from);
		const entries = shown.map((each) => ({
			[COLUMNS[name] ?? name]: each.keys[0],
			...figuresOf(asked, [each]),
		}));
		const called = `${name[0]?.toUpperCase()}${name.slice(1)}`;
		return {
			[`by${called}`]: entries,
			...(name === 'field' && { otherValues: { groups: others.length, ...figuresOf(asked, others) } }),
			...(onlyPrevious.length > 0 && {
				[`onlyPreviousBy${called}`]: { groups: onlyPrevious.length, ...figuresOf(asked, onlyPrevious) },
			}),
		};
	});
	return [Object.assign(figuresOf(asked, groupsOf(asked, [], from)), ...parts) as IDataObject];
}

it('random questions are answered as SQL answers them', async () => {
	await fc.assert(
		fc.asyncProperty(question, async (asked) => {
			const from = DateTime.fromISO('2025-08-01', { zone: ZONE }).plus({ months: asked.month });
			const { groupBy, result, compareWith, orderGroupsBy, maxGroups, minimumSessions } = asked;
			const wall = (time: DateTime) => time.toFormat("yyyy-MM-dd'T'HH:mm:ss");
			const { json, error } = await runNode({
				type: 'chargingSessions',
				credential: credentialFor(platform),
				timezone: ZONE,
				parameters: {
					operation: 'summary',
					filters: {
						...during(wall(from), wall(from.plus({ months: asked.months }))),
						...(asked.finishedOnly && { status: [{ operator: 'Eq', value: '4' }] }),
					},
					measures: { values: MEASURES },
					...{ groupBy, result, compareWith, ...(groupBy.includes('field') && { groupByField: 'stationname' }) },
					options: { orderGroupsBy, maxGroups, minimumSessions, showAllOthers: true },
				},
			});
			expect(error).toBeUndefined();
			const bySql = expected(asked, from);
			expect(json).toHaveLength(bySql.length);
			expect(json).toMatchObject(bySql);
		}),
		{ numRuns: draws(200) },
	);
}, 3_600_000);
