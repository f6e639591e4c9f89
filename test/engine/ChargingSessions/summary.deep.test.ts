import fc from 'fast-check';
import max from 'lodash/max';
import mean from 'lodash/mean';
import orderBy from 'lodash/orderBy';
import partition from 'lodash/partition';
import range from 'lodash/range';
import sum from 'lodash/sum';
import sumBy from 'lodash/sumBy';
import { DateTime } from 'luxon';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { draws, IS_NIGHT } from '../../support/draws.ts';
import { credentialFor, runNode } from '../../support/harness.ts';
import { during } from '../../support/summary.ts';

// Random questions to Summarize, also with comparison, answered from the rows that SQL finds.

const ZONE = 'Europe/Berlin';
const SESSIONS = IS_NIGHT ? 10_000 : 500;
const HOUR = 3_600_000;

let platform: StandIn;
/** Of stations, as in a dictionary. */
let names: string[];

beforeAll(async () => {
	platform = await startPlatform({ sessions: SESSIONS, stations: 12 });
	platform.db.exec('UPDATE sessions SET Price = NULL WHERE Id % 7 = 0');
	const stations = platform.db.prepare('SELECT Name FROM stations').all();
	const dictionary = new Intl.Collator('en');
	names = stations.map(({ Name }) => String(Name)).sort((one, other) => dictionary.compare(one, other));
}, 120_000);
afterAll(async () => await platform.close());

interface Session {
	Status: number;
	StationName: string;
	UserName: string | null;
	StartedAtUtc: string;
	EndedAtUtc: string | null;
	EnergyConsumed: number | null;
	Price: number | null;
}
type Key = string | number | null;
type Figures = Record<string, number | string | null>;

const GROUPS = ['status', 'day', 'week', 'month', 'weekday', 'hour', 'field'] as const;
const ORDERS = ['count', 'EnergyConsumed_sum', 'StartedAtUtc_max', 'UserName_distinct', 'duration'];
const MEASURES = [
	...['sum', 'missing', 'max'].map((name) => ({ field: 'EnergyConsumed', function: name })),
	{ field: 'Price', function: 'average' },
	{ field: 'StartedAtUtc', function: 'max' },
	{ field: 'UserName', function: 'distinct' },
	{ function: 'successRate' },
	{ function: 'duration', endField: 'EndedAtUtc' },
];

const question = fc.record({
	month: fc.integer({ min: 1, max: 12 }),
	months: fc.constantFrom(1, 1, 3),
	groupBy: fc.subarray([...GROUPS], { minLength: 1, maxLength: 3 }),
	compareWith: fc.constantFrom('none', 'previousPeriod', 'previousYear'),
	finishedOnly: fc.boolean(),
	orderGroupsBy: fc.constantFrom('group', 'successRate_lowest', ...ORDERS),
	maxGroups: fc.integer({ min: 1, max: 40 }),
	minimumSessions: fc.constantFrom(0, 0, 2),
});
/** What is asked, and when its period begins. */
type Question = (typeof question extends fc.Arbitrary<infer Value> ? Value : never) & { from: DateTime };
type GroupName = (typeof GROUPS)[number];

/** Sessions with the same keys. The earlier ones have the keys of the time that they are compared with. */
interface Group {
	keys: Key[];
	now: Session[];
	before: Session[];
}

/** The sessions of the period, or of one so many months earlier. */
function sessionsOf({ from, months, finishedOnly }: Question, back: number): Session[] {
	const begin = from.minus({ months: back });
	const ends = [begin, begin.plus({ months })].map((time) => time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss"));
	const sql = 'SELECT * FROM sessions WHERE StartedAtUtc >= ? AND StartedAtUtc < ?';
	return platform.db.prepare(finishedOnly ? `${sql} AND Status = 4` : sql).all(...ends) as unknown as Session[];
}

function keyOf(name: GroupName, { Status, StationName, StartedAtUtc }: Session, back: number): Key {
	if (name === 'status') return Status;
	if (name === 'field') return StationName;
	const local = DateTime.fromISO(StartedAtUtc, { zone: 'utc' }).setZone(ZONE);
	if (name === 'weekday' || name === 'hour') return local[name];
	const later = local.plus({ months: back });
	// No day of February is compared with 31 January.
	if (name === 'day' && later.day !== local.day) return local.toISODate();
	return namesOf(later)[name];
}

const namesOf = (date: DateTime) => ({
	day: date.toFormat('yyyy-MM-dd'),
	week: date.toFormat("kkkk-'W'WW"),
	month: date.toFormat('yyyy-MM'),
});
const isDate = (name: GroupName) => name === 'day' || name === 'week' || name === 'month';
const daysOf = ({ from, months }: Question) =>
	range(Math.round(from.plus({ months }).diff(from, 'days').days)).map((day) => from.plus({ days: day }));

function groupsOf(asked: Question): Group[] {
	const { groupBy, compareWith, months } = asked;
	const groups = new Map<string, Group>();
	const groupOf = (keys: Key[]) => {
		const group = groups.get(JSON.stringify(keys)) ?? { keys, now: [], before: [] };
		groups.set(JSON.stringify(keys), group);
		return group;
	};
	// Listed also if no row is in them.
	if (groupBy.join() === 'weekday') range(1, 8).map((day) => groupOf([day]));
	if (groupBy.join() === 'hour') range(24).map((hour) => groupOf([hour]));
	const ofSession = (session: Session, back: number) => groupOf(groupBy.map((name) => keyOf(name, session, back)));
	for (const session of sessionsOf(asked, 0)) ofSession(session, 0).now.push(session);
	if (compareWith === 'none') return [...groups.values()];
	const back = compareWith === 'previousYear' ? 12 : months;
	for (const session of sessionsOf(asked, back)) ofSession(session, back).before.push(session);
	return [...groups.values()];
}

/** The groups to list in their order, the others, and those of which the period has no such time. */
function listed(asked: Question) {
	const { groupBy, orderGroupsBy, maxGroups, minimumSessions } = asked;
	const inPeriod = new Set(daysOf(asked).flatMap((day) => Object.values(namesOf(day))));
	const isOwn = ({ keys, now }: Group) =>
		now.length > 0 || groupBy.every((name, index) => !isDate(name) || inPeriod.has(String(keys[index])));
	const [own, onlyPrevious] = partition(groupsOf(asked), isOwn);
	const [enough, few] = partition(own, ({ now }) => now.length >= minimumSessions);
	const all = inOrder(enough, orderGroupsBy);
	return { shown: all.slice(0, maxGroups), others: [...all.slice(maxGroups), ...few], onlyPrevious };
}

/** By key, or the highest first: groups without a figure after those that have one, and those without sessions last. */
function inOrder(groups: readonly Group[], order: string): Group[] {
	const keys = range(3).map((index) => (group: Group) => placeOf(group.keys[index]));
	if (order === 'group') return orderBy(groups, keys);
	const isLowest = order === 'successRate_lowest';
	const figureOf = ({ now }: Group) => (now.length === 0 ? 0 : exact(now)[isLowest ? 'successRate' : order]);
	return orderBy(
		groups,
		[({ now }) => now.length === 0, (group) => figureOf(group) === null, figureOf, ...keys],
		['asc', 'asc', isLowest ? 'asc' : 'desc'],
	);
}

/** Names come as in a dictionary, other keys as they are. */
const placeOf = (key: Key | undefined) => (names.includes(String(key)) ? names.indexOf(String(key)) : key);

/** The figures of some sessions, computed in whole numbers. */
function exact(sessions: readonly Session[]): Figures {
	const ratio = (part: number, whole: number) => (whole === 0 ? null : part / whole);
	const energies = sessions.flatMap(({ EnergyConsumed }) => EnergyConsumed ?? []);
	const prices = sessions.flatMap(({ Price }) => Price ?? []);
	const lengths = sessions.flatMap(({ StartedAtUtc: start, EndedAtUtc: end }) =>
		end === null ? [] : Date.parse(`${end}Z`) - Date.parse(`${start}Z`),
	);
	const finished = sessions.filter(({ Status }) => Status === 4).length;
	const decided = finished + sessions.filter(({ Status }) => Status === 6).length;
	return {
		count: sessions.length,
		EnergyConsumed_sum: sumBy(energies, (energy) => Math.round(energy * 1000)) / 1000,
		EnergyConsumed_missing: sessions.length - energies.length,
		EnergyConsumed_max: max(energies) ?? null,
		Price_average: ratio(
			sumBy(prices, (price) => Math.round(price * 100)),
			100 * prices.length,
		),
		StartedAtUtc_max: max(sessions.map(({ StartedAtUtc }) => StartedAtUtc)) ?? null,
		UserName_distinct: new Set(sessions.flatMap(({ UserName }) => UserName ?? [])).size,
		successRate: ratio(100 * finished, decided),
		successRateSessions: decided,
		duration: sum(lengths) / HOUR,
		durationAverage: lengths.length === 0 ? null : mean(lengths) / HOUR,
		durationLongest: lengths.length === 0 ? null : Math.max(...lengths) / HOUR,
		durationWithoutEnd: sessions.length - lengths.length,
	};
}

const rounded = (value: Figures[string] | undefined) => (typeof value === 'number' ? Number(value.toFixed(2)) : null);

/** As items show them. */
function columnsOf(sessions: readonly Session[]): Figures {
	const figures = exact(sessions);
	const { successRate, StartedAtUtc_max: last } = figures;
	const local = DateTime.fromISO(String(last), { zone: 'utc' }).setZone(ZONE).toISO();
	return { ...figures, successRate: rounded(successRate), StartedAtUtc_max: last === null ? null : local };
}

/** The columns of groups as one, with those of the rows before where there is a comparison. */
function figuresOf({ compareWith }: Question, groups: readonly Group[]): Figures {
	const now = columnsOf(groups.flatMap((group) => group.now));
	if (compareWith === 'none') return now;
	const before = columnsOf(groups.flatMap((group) => group.before));
	const difference = Number(now.count) - Number(before.count);
	return {
		...now,
		...Object.fromEntries(Object.entries(before).map(([name, value]) => [`${name}_previous`, value])),
		// Times have none.
		StartedAtUtc_max_difference: null,
		count_difference: difference,
		count_differencePercent: before.count === 0 ? null : rounded((100 * difference) / Number(before.count)),
	};
}

function expected(asked: Question): object[] {
	const { shown, others, onlyPrevious } = listed(asked);
	const item = (keys: readonly Key[], groups: readonly Group[]) => ({
		...Object.fromEntries(
			asked.groupBy.map((name, index) => [name === 'field' ? 'StationName' : name, keys[index] ?? null]),
		),
		...figuresOf(asked, groups),
	});
	const together = (groups: readonly Group[], flag: string) =>
		groups.length === 0 ? [] : [{ ...item([], groups), groups: groups.length, [flag]: true }];
	return [
		...shown.map((group) => item(group.keys, [group])),
		...together(onlyPrevious, 'onlyPrevious'),
		...together(others, 'isOther'),
	];
}

it('random questions are answered as SQL answers them', async () => {
	await fc.assert(
		fc.asyncProperty(question, async ({ month, ...asked }) => {
			const from = DateTime.fromISO('2025-08-01', { zone: ZONE }).plus({ months: month });
			const { groupBy, compareWith, orderGroupsBy, maxGroups, minimumSessions } = asked;
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
					groupBy,
					compareWith,
					result: 'itemPerGroup',
					...(groupBy.includes('field') && { groupByField: 'stationname' }),
					options: { orderGroupsBy, maxGroups, minimumSessions, showAllOthers: true },
				},
			});
			expect(error).toBeUndefined();
			const bySql = expected({ month, ...asked, from });
			expect(json).toHaveLength(bySql.length);
			expect(json).toMatchObject(bySql);
		}),
		{ numRuns: draws(200) },
	);
}, 3_600_000);
