import partition from 'lodash/partition';
import range from 'lodash/range';
import { DateTime } from 'luxon';

import { compareTexts } from '../text';
import { compareDecimals, readDecimal, type Decimal } from './decimals';
import { mergeGroups, type AggregatedRows, type RowGroup } from './rowAggregator';
import { dayParts, hasEarlierDay, isTimeDimension, type GroupDimension } from './groups';
import { LOWEST, measureKey, type GroupValue, type Measure } from './measures';
import type { SummaryPlan } from './plan';

/** A group now and before. At least one is defined, except for a day, weekday or hour without rows. */
export interface ComparedGroup {
	values: readonly GroupValue[];
	now?: RowGroup;
	before?: RowGroup;
	/** The period compared with has no such time: it is not known what would have been there. */
	lacksEarlierTime?: boolean;
}

/** The groups of one breakdown. */
export interface Listing {
	dimensions: readonly GroupDimension[];
	/** Those that get their own entry, sorted. */
	shown: ComparedGroup[];
	/** The others. Of times and statuses in one item, there are none. */
	others: ComparedGroup[];
	/** What only the earlier rows have, as the period has no such time: 31 March, compared with April. */
	onlyPrevious: ComparedGroup[];
}

/** Days without rows are listed only up to this many days, about three years. */
const MOST_DAYS_LISTED = 1_100;

/** Which groups each breakdown lists, and in which order. */
export function listingsOf(plan: SummaryPlan, { now, earlier }: AggregatedRows): Listing[] {
	return plan.breakdowns.map((dimensions, index) => {
		const pairs = pairsOf(plan, dimensions, now.groups[index] ?? new Map(), earlier?.groups[index] ?? new Map());
		return listingOf(plan, dimensions, pairs);
	});
}

function pairsOf(
	plan: SummaryPlan,
	dimensions: readonly GroupDimension[],
	now: ReadonlyMap<string, RowGroup>,
	earlier: ReadonlyMap<string, RowGroup>,
): ComparedGroup[] {
	const pairs = new Map<string, ComparedGroup>();
	for (const value of always(plan, dimensions, now)) pairs.set(JSON.stringify([value]), { values: [value] });
	for (const [key, group] of now) pairs.set(key, { values: group.values, now: group });
	for (const [key, group] of earlier) {
		pairs.set(key, { ...(pairs.get(key) ?? { values: group.values }), before: group });
	}
	return [...pairs.values()].map((pair) => ({ ...pair, lacksEarlierTime: lacksEarlierTime(plan, dimensions, pair) }));
}

/** A day may have none a month or a year before. Weekdays and hours are listed without rows, too. */
function lacksEarlierTime(
	{ earlier }: SummaryPlan,
	dimensions: readonly GroupDimension[],
	{ values, before }: ComparedGroup,
): boolean {
	const { shift } = earlier ?? {};
	if (before || !shift) return false;
	return dimensions.some(({ by }, index) => {
		const value = values[index];
		return by === 'day' && typeof value === 'string' && !hasEarlierDay(value, shift);
	});
}

function listingOf(plan: SummaryPlan, dimensions: readonly GroupDimension[], pairs: readonly ComparedGroup[]): Listing {
	const { result, maxGroups, minimumSessions, orderGroupsBy, measures } = plan;
	const [inPeriod, onlyPrevious] = partition(pairs, (pair) => isInPeriod(plan, dimensions, pair));
	if (result === 'oneItem' && dimensions.every(({ by }) => by !== 'field')) {
		// Rows without a time belong to no group of time; they are counted separately.
		const shown = inPeriod.filter(({ values }) => values[0] !== null || !isTimeDimension(dimensions[0]?.by));
		return { dimensions, shown: sorted(shown, 'group', measures), others: [], onlyPrevious };
	}
	const [enough, few] = partition(inPeriod, ({ now }) => (now?.count ?? 0) >= minimumSessions);
	const all = sorted(enough, orderGroupsBy, measures);
	return { dimensions, shown: all.slice(0, maxGroups), others: [...all.slice(maxGroups), ...few], onlyPrevious };
}

/** Groups that are listed with or without rows, unless combined with others: weekdays, hours and, in one item, days. */
function always(
	plan: SummaryPlan,
	dimensions: readonly GroupDimension[],
	groups: ReadonlyMap<string, RowGroup>,
): GroupValue[] {
	const [dimension, ...more] = dimensions;
	if (more.length > 0) return [];
	if (dimension?.by === 'weekday') return range(1, 8);
	if (dimension?.by === 'hour') return range(24);
	return dimension?.by === 'day' && plan.result === 'oneItem' ? daysOf(plan, groups) : [];
}

/** All days of the combined span of the filter's period (up to today) and the rows. */
function daysOf({ now: { days }, today }: SummaryPlan, groups: ReadonlyMap<string, RowGroup>): string[] {
	const last = days && days.to < today ? days.to : today;
	const bounds = days && days.from <= last ? [days.from, last] : [];
	const withRows = [...groups.values()].flatMap(({ values }) => values.filter((day) => typeof day === 'string'));
	const [from, ...more] = [...bounds, ...withRows].sort().map((day) => DateTime.fromISO(day, { zone: 'utc' }));
	const count = from ? (more.at(-1) ?? from).diff(from, 'days').days + 1 : 0;
	return from && count <= MOST_DAYS_LISTED ? range(count).map((days) => dayParts(from.plus({ days })).day) : [];
}

/** Whether the filter's period has such a group. */
function isInPeriod(
	{ now: { days } }: SummaryPlan,
	dimensions: readonly GroupDimension[],
	{ values, now }: ComparedGroup,
): boolean {
	if (now || !days) return true;
	return dimensions.every(({ by }, index) => {
		const value = values[index];
		if (typeof value !== 'string' || (by !== 'day' && by !== 'week' && by !== 'month')) return true;
		const [from, to] = [days.from, days.to].map((day) => dayParts(DateTime.fromISO(day))[by]);
		return from !== undefined && to !== undefined && from <= value && value <= to;
	});
}

/** Sorts by figure or by value, ties by value. By figure, groups that only the earlier rows have come last. */
function sorted(pairs: readonly ComparedGroup[], order: string, measures: readonly Measure[]): ComparedGroup[] {
	const { key, isLowest } = parseGroupOrder(order);
	const place = measures.findIndex((each) => measureKey(each) === key);
	const sizeOf = ({ now }: ComparedGroup): Decimal | undefined => {
		const figure = place < 0 ? now?.count : now?.accumulators[place]?.figures[''];
		return readDecimal(figure instanceof Date ? figure.getTime() : figure);
	};
	const compareSizes = (a?: Decimal, b?: Decimal) => {
		if (!a || !b) return Number(!a) - Number(!b);
		return isLowest ? compareDecimals(a, b) : compareDecimals(b, a);
	};
	const keyed = pairs.map((pair) => ({ pair, size: order === 'group' ? undefined : sizeOf(pair) }));
	keyed.sort(
		(a, b) =>
			(order === 'group' ? 0 : Number(!a.pair.now) - Number(!b.pair.now)) ||
			compareSizes(a.size, b.size) ||
			compareValues(a.pair.values, b.pair.values),
	);
	return keyed.map(({ pair }) => pair);
}

const KINDS = ['number', 'string', 'boolean', 'object'];

/** Sort order of values: numbers, then texts as in a dictionary, then booleans, then null. */
function compareValues(a: readonly GroupValue[], b: readonly GroupValue[]): number {
	return a.map((value, index) => compareValue(value, b[index] ?? null)).find((order) => order !== 0) ?? 0;
}

function compareValue(a: GroupValue, b: GroupValue): number {
	const kind = KINDS.indexOf(typeof a) - KINDS.indexOf(typeof b);
	if (kind !== 0) return kind;
	if (a === null || b === null || a === b) return 0;
	const order = typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : 0;
	// Names that differ only in capitals or accents come in one order, too.
	return order !== 0 ? order : a < b ? -1 : 1;
}

/** The key of a measure, `group` or `count`, and whether the lowest comes first. */
export function parseGroupOrder(order: string): { key: string; isLowest: boolean } {
	const isLowest = order.endsWith(LOWEST);
	return { key: isLowest ? order.slice(0, -LOWEST.length) : order, isLowest };
}

/** Several groups as one, now and before. */
export function mergeComparedGroups(pairs: readonly ComparedGroup[], measures: readonly Measure[]): ComparedGroup {
	return {
		values: [],
		now: mergeGroups(
			pairs.flatMap(({ now }) => now ?? []),
			measures,
		),
		before: mergeGroups(
			pairs.flatMap(({ before }) => before ?? []),
			measures,
		),
		lacksEarlierTime: pairs.length > 0 && pairs.every((each) => each.lacksEarlierTime),
	};
}
