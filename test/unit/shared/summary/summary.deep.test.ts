import fc from 'fast-check';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { SESSIONS } from '../../../../nodes/shared/resources';
import { Collector } from '../../../../nodes/shared/summary/collector';
import type { Dimension } from '../../../../nodes/shared/summary/groups';
import type { Shift } from '../../../../nodes/shared/summary/comparison';
import { LOWEST, measureKey, type Measure } from '../../../../nodes/shared/summary/measures';
import type { Part, Plan } from '../../../../nodes/shared/summary/plan';
import { summaryOf } from '../../../../nodes/shared/summary/summary';
import type { Row } from '../../../../nodes/shared/platform/types';
import { draws } from '../../../support/draws.ts';

const RUNS = draws(1_500);
const LOWEST_SUCCESS = `successRate${LOWEST}`;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia'];
/** Energies are whole millionths, so that the naive sum is exact, too. */
const MILLION = 1_000_000;

interface Session {
	millionths: number | null;
	status: number | null;
	/** Seconds since the epoch. */
	start: number;
	station: string | number | boolean | null;
}

const session: fc.Arbitrary<Session> = fc.record({
	millionths: fc.option(
		fc.oneof(
			fc.nat(80 * MILLION),
			fc.nat(800).map((n) => n * 100_000),
			fc.integer({ min: -5, max: 5 }),
		),
		{ freq: 6 },
	),
	status: fc.option(fc.integer({ min: 1, max: 7 }), { freq: 20 }),
	// Around both clock changes, and spread over two years.
	start: fc.oneof(
		fc.integer({ min: 1_729_900_000, max: 1_730_100_000 }),
		fc.integer({ min: 1_711_800_000, max: 1_711_900_000 }),
		fc.integer({ min: 1_700_000_000, max: 1_760_000_000 }),
	),
	station: fc.option(fc.oneof(fc.constantFrom('Depot 1', 'Depot 2', '1', 'true'), fc.nat(3), fc.boolean())),
});

const wire = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19);

const rowOf = ({ millionths, status, start, station }: Session, Id: number): Row => ({
	Id,
	Status: status,
	EnergyConsumed: millionths === null ? null : millionths / MILLION,
	StartedAtUtc: wire(start),
	StationName: station,
});

/** The same figures without any of the tested code, from whole numbers and arrays. */
function naive(sessions: Session[]) {
	return {
		count: sessions.length,
		energyConsumed: sessions.reduce((sum, { millionths }) => sum + (millionths ?? 0), 0) / MILLION,
		withoutEnergy: sessions.filter(({ millionths }) => millionths === null).length,
	};
}

function groupsOf<Key>(sessions: Session[], key: (session: Session) => Key): Map<Key, Session[]> {
	const groups = new Map<Key, Session[]>();
	for (const each of sessions) groups.set(key(each), [...(groups.get(key(each)) ?? []), each]);
	return groups;
}

const planIn = (zone: string): Plan => ({
	rows: 'sessions',
	list: SESSIONS,
	dateField: 'StartedAtUtc',
	zone,
	today: '2026-11-21',
	timeNames: { first: 'firstStartedAt', last: 'lastStartedAt', without: 'withoutStart' },
	namedMeasure: { key: 'EnergyConsumed_sum', value: 'energyConsumed', without: 'withoutEnergy' },
	now: {},
	measures: [{ field: 'EnergyConsumed', function: 'sum' }],
	groupBy: [{ by: 'status' }, { by: 'day' }, { by: 'field', field: 'StationName' }],
	result: 'oneItem',
	maxGroups: 3,
	orderGroupsBy: 'count',
	minimumSessions: 0,
	showAllOthers: false,
});

const namesOf = (names: readonly string[]) => names.join(', ');

function collected(plan: Plan, part: Part, pages: Row[][]): Collector {
	const collector = new Collector(plan, part);
	for (const page of pages) collector.add(page);
	return collector;
}

function summarize(pages: Row[][], zone: string) {
	const plan = planIn(zone);
	return summaryOf(plan, { now: collected(plan, plan.now, pages) }, namesOf).items[0] ?? {};
}

it('a summary matches a naive computation, whatever the order and the pages', () => {
	fc.assert(
		fc.property(
			fc.array(session, { maxLength: 40, size: 'max' }),
			fc.constantFrom(...ZONES),
			fc.infiniteStream(fc.nat(99)),
			(sessions, zone, shuffle) => {
				const rows = sessions.map(rowOf);
				const json = summarize([rows], zone);

				const pages: Row[][] = [];
				const order = rows.map((row) => ({ row, key: Number(shuffle.next().value) })).sort((a, b) => a.key - b.key);
				for (const { row, key } of order) {
					const last = pages.at(-1);
					if (!last || key % 3 === 0) pages.push([row]);
					else last.push(row);
				}
				expect(summarize(pages, zone)).toEqual(json);

				expect(json).toMatchObject(naive(sessions));
				const starts = sessions.map(({ start }) => start).sort((a, b) => a - b);
				const millis = (text: unknown) => (typeof text === 'string' ? Date.parse(text) / 1000 : undefined);
				expect([millis(json.firstStartedAt), millis(json.lastStartedAt)]).toEqual([starts[0], starts.at(-1)]);

				const byStatus = json.byStatus as Array<Record<string, unknown>>;
				const statuses = groupsOf(sessions, ({ status }) => status);
				expect(byStatus).toHaveLength(statuses.size);
				for (const group of byStatus)
					expect(group).toMatchObject(naive(statuses.get(group.status as number | null) ?? []));

				const byDay = json.byDay as Array<Record<string, unknown>>;
				const days = groupsOf(sessions, ({ start }) => DateTime.fromSeconds(start, { zone }).toISODate());
				expect(byDay.filter(({ count }) => count !== 0)).toHaveLength(days.size);
				for (const group of byDay) expect(group).toMatchObject(naive(days.get(String(group.day)) ?? []));
				expect(byDay.map(({ day }) => day)).toEqual(byDay.map(({ day }) => String(day)).sort());

				const byField = json.byField as Array<Record<string, unknown>>;
				const stations = groupsOf(sessions, ({ station }) => station);
				expect(byField).toHaveLength(Math.min(3, stations.size));
				for (const group of byField)
					expect(group).toMatchObject(naive(stations.get(group.value as Session['station']) ?? []));
				const shown = new Set(byField.map(({ value }) => value));
				const others = sessions.filter(({ station }) => !shown.has(station));
				expect(json.otherValues).toEqual({ values: stations.size - byField.length, ...naive(others) });
				const least = Math.min(...byField.map(({ count }) => Number(count)));
				for (const [value, members] of stations)
					if (!shown.has(value)) expect(members.length).toBeLessThanOrEqual(least);
			},
		),
		{ numRuns: RUNS },
	);
});

/** Plain calendar arithmetic: no luxon, no time zones. Days are counted from 1970. */
const dayOf = (year: number, month: number, day: number) => Date.UTC(year, month, day) / 86_400_000;
const dateOf = (day: number) => new Date(day * 86_400_000);
const textOf = (day: number) => dateOf(day).toISOString().slice(0, 10);
const weekdayOf = (day: number) => ((day + 3) % 7) + 1;
function weekOf(day: number): string {
	const thursday = day + 4 - weekdayOf(day);
	const year = dateOf(thursday).getUTCFullYear();
	const week = Math.floor((thursday - dayOf(year, 0, 1)) / 7) + 1;
	return `${year}-W${String(week).padStart(2, '0')}`;
}
/** The day this many days or months later, and whether it exists: it does not a month after 31 January. */
function later(day: number, { unit, amount }: Shift): { day: number; exists: boolean } {
	if (unit === 'days') return { day: day + amount, exists: true };
	const date = dateOf(day);
	const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + amount];
	const length = dateOf(dayOf(year, month + 1, 1) - 1).getUTCDate();
	return { day: dayOf(year, month, Math.min(date.getUTCDate(), length)), exists: date.getUTCDate() <= length };
}

type Value = string | number | boolean | null;

function naiveValue(dimension: Dimension, { start, status, station }: Session, zone: string, shift: Shift): Value {
	const local = DateTime.fromSeconds(start, { zone });
	const own = dayOf(local.year, local.month - 1, local.day);
	const { day, exists } = later(own, shift);
	switch (dimension.by) {
		case 'status':
			return status;
		case 'field':
			return station;
		case 'day':
			return textOf(exists ? day : own);
		case 'week':
			return weekOf(day);
		case 'month':
			return textOf(day).slice(0, 7);
		case 'weekday':
			return weekdayOf(own);
		case 'hour':
			return local.hour;
	}
}

const NAIVE_ORDER = ['number', 'string', 'boolean', 'object'];
const naiveCompare = (a: Value[], b: Value[]): number => {
	for (const [index, left] of a.entries()) {
		const right = b[index] ?? null;
		if (typeof left !== typeof right) return NAIVE_ORDER.indexOf(typeof left) - NAIVE_ORDER.indexOf(typeof right);
		if (left !== right && left !== null && right !== null) return left < right ? -1 : 1;
	}
	return 0;
};

const MEASURES: Measure[] = [
	{ field: 'EnergyConsumed', function: 'sum' },
	{ field: 'EnergyConsumed', function: 'average' },
	{ field: 'EnergyConsumed', function: 'min' },
	{ field: 'EnergyConsumed', function: 'max' },
	{ field: 'StationName', function: 'distinct' },
	{ field: 'Status', function: 'successRate', outcomes: { finished: [4, 5], failed: [6] } },
];

const inPercent = (value: number | null | undefined) => value && Number(value.toFixed(2)) + 0;

/** Whole numbers below 2^53 are exact, and dividing them gives the nearest number. */
function naiveFigures(sessions: Session[]): Record<string, number | null> {
	const energies = sessions.flatMap(({ millionths }) => millionths ?? []);
	const sum = energies.reduce((total, each) => total + each, 0);
	const finished = sessions.filter(({ status }) => status === 4 || status === 5).length;
	const ended = finished + sessions.filter(({ status }) => status === 6).length;
	return {
		count: sessions.length,
		EnergyConsumed_sum: sum / MILLION,
		EnergyConsumed_average: energies.length > 0 ? sum / (MILLION * energies.length) : null,
		EnergyConsumed_min: energies.length > 0 ? Math.min(...energies) / MILLION : null,
		EnergyConsumed_max: energies.length > 0 ? Math.max(...energies) / MILLION : null,
		StationName_distinct: new Set(sessions.flatMap(({ station }) => station ?? [])).size,
		successRate: ended > 0 ? (100 * finished) / ended : null,
		successRateSessions: ended,
	};
}

const dimension: fc.Arbitrary<Dimension> = fc.oneof(
	fc
		.constantFrom('status', 'day', 'week', 'month', 'weekday', 'hour')
		.map((by) => ({ by }) as Exclude<Dimension, { by: 'field' }>),
	fc.constant({ by: 'field' as const, field: 'StationName' }),
);

/** Whether a group is one of the period's, by listing all of its days. */
function isInPeriod(groupBy: Dimension[], values: Value[], period: Part['days']): boolean {
	if (!period) return true;
	const [from, to] = [period.from, period.to].map((day) => Date.parse(day) / 86_400_000);
	const days = Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => Number(from) + index);
	const names = { day: textOf, week: weekOf, month: (day: number) => textOf(day).slice(0, 7) };
	return groupBy.every(({ by }, index) => {
		if (by !== 'day' && by !== 'week' && by !== 'month') return true;
		return values[index] === null || days.some((day) => names[by](day) === values[index]);
	});
}

it('items per group match plain arithmetic: groups, order, cut and comparison', () => {
	fc.assert(
		fc.property(
			fc.record({
				sessions: fc.array(session, { maxLength: 40, size: 'max' }),
				earlier: fc.array(session, { maxLength: 40, size: 'max' }),
				zone: fc.constantFrom(...ZONES),
				groupBy: fc.uniqueArray(dimension, { minLength: 1, maxLength: 3, selector: ({ by }) => by }),
				maxGroups: fc.integer({ min: 1, max: 12 }),
				order: fc.constantFrom('group', 'count', LOWEST_SUCCESS, ...MEASURES.map(measureKey)),
				minimumSessions: fc.constantFrom(0, 0, 1, 2),
				showAllOthers: fc.boolean(),
				period: fc.constantFrom(undefined, { from: '2024-03-30', to: '2024-10-27' }),
				shift: fc.record({
					unit: fc.constantFrom('days' as const, 'months' as const),
					amount: fc.constantFrom(1, 3, 7, 12, 364),
				}),
				compares: fc.boolean(),
			}),
			({ sessions, earlier, zone, groupBy, shift, compares, period, ...cut }) => {
				const { maxGroups, order, minimumSessions, showAllOthers } = cut;
				const plan: Plan = {
					...planIn(zone),
					measures: MEASURES,
					groupBy,
					result: 'itemPerGroup',
					maxGroups,
					orderGroupsBy: order,
					minimumSessions,
					showAllOthers,
					now: { days: period },
					earlier: compares ? { shift } : undefined,
				};
				const rows = {
					now: collected(plan, plan.now, [sessions.map(rowOf)]),
					earlier: plan.earlier && collected(plan, plan.earlier, [earlier.map(rowOf)]),
				};

				const groups = new Map<string, { values: Value[]; now: Session[]; before: Session[] }>();
				const put = (which: 'now' | 'before', each: Session, by: Shift) => {
					const values = groupBy.map((one) => naiveValue(one, each, zone, by));
					const group = groups.get(JSON.stringify(values)) ?? { values, now: [], before: [] };
					groups.set(JSON.stringify(values), group);
					group[which].push(each);
				};
				const [{ by } = {}, ...more] = groupBy;
				const always = by === 'weekday' ? [1, 2, 3, 4, 5, 6, 7] : by === 'hour' ? [...Array(24).keys()] : [];
				if (more.length === 0) {
					for (const value of always) groups.set(JSON.stringify([value]), { values: [value], now: [], before: [] });
				}
				for (const each of sessions) put('now', each, { unit: 'days', amount: 0 });
				if (compares) for (const each of earlier) put('before', each, shift);
				const size = (group: { now: Session[] }) => {
					if (order === 'group' || group.now.length === 0) return 0;
					const figures = naiveFigures(group.now);
					if (order !== LOWEST_SUCCESS) return figures[order] ?? -Infinity;
					return typeof figures.successRate === 'number' ? -figures.successRate : -Infinity;
				};
				const all = [...groups.values()].sort((a, b) => {
					if (order !== 'group' && a.now.length > 0 !== b.now.length > 0) return a.now.length > 0 ? -1 : 1;
					const [left, right] = [size(a), size(b)];
					return left === right ? naiveCompare(a.values, b.values) : left > right ? -1 : 1;
				});
				const isOwn = ({ now, values }: { now: Session[]; values: Value[] }) =>
					now.length > 0 || isInPeriod(groupBy, values, period);
				const sorted = all.filter(isOwn);
				const enough = sorted.filter(({ now }) => now.length >= minimumSessions);
				const others = [...enough.slice(maxGroups), ...sorted.filter(({ now }) => now.length < minimumSessions)];
				const shown = enough.slice(0, maxGroups).map((group) => ({ ...group, other: {} as IDataObject }));
				const pushTogether = (together: typeof all, flag: string) => {
					if (together.length === 0) return;
					const [now, before] = [together.flatMap((group) => group.now), together.flatMap((group) => group.before)];
					const other = { [flag]: true, groups: together.length };
					shown.push({ values: groupBy.map(() => null), now, before, other });
				};
				pushTogether(
					all.filter((group) => !isOwn(group)),
					'onlyPrevious',
				);
				if (showAllOthers) pushTogether(others, 'isOther');

				const { items } = summaryOf(plan, rows, namesOf);
				expect(items).toHaveLength(shown.length);
				for (const [index, { values, now, before, other }] of shown.entries()) {
					const item = items[index] ?? {};
					const names = groupBy.map((each) => (each.by === 'field' ? each.field : each.by));
					expect(names.map((name) => item[name])).toEqual(values);
					const [figures, previous] = [naiveFigures(now), naiveFigures(before)];
					expect(item).toMatchObject({ ...figures, successRate: inPercent(figures.successRate), ...other });
					expect(item).not.toHaveProperty(other.isOther ? 'nothing' : 'isOther');
					if (!compares) {
						expect(item).not.toHaveProperty('count_previous');
						continue;
					}
					expect(item).not.toHaveProperty('previous');
					for (const [name, to] of Object.entries(figures)) {
						const from = previous[name] ?? null;
						expect(item[`${name}_previous`]).toBe(name === 'successRate' ? inPercent(from) : from);
						const [difference, percent] = [item[`${name}_difference`], item[`${name}_differencePercent`]];
						if (name === 'successRate') expect(percent).toBeUndefined();
						if (to === null || from === null) {
							expect([difference, percent ?? null]).toEqual([null, null]);
							continue;
						}
						if (name === 'EnergyConsumed_average' || name === 'successRate') {
							expect(difference).toBeCloseTo(to - from, name === 'successRate' ? 1 : 9);
							continue;
						}
						const [millionths, base] = [
							Math.round(to * MILLION) - Math.round(from * MILLION),
							Math.round(from * MILLION),
						];
						expect(difference).toBe(millionths / MILLION);
						const exact = (100 * millionths) / Math.abs(base);
						expect(percent).toBe(base === 0 ? null : inPercent(exact));
					}
				}
			},
		),
		{ numRuns: RUNS },
	);
});
