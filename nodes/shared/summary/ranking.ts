import partition from 'lodash/partition';
import range from 'lodash/range';
import { DateTime } from 'luxon';

import type { Collected } from './collector';
import { compareValues, isTime, type Dimension, type Groups } from './groups';
import { dayParts, daysBetween } from './localTimes';
import { Figures, LOWEST, measureKey, Room, type GroupValue, type Measure } from './measures';
import type { Plan } from './plan';

/** The figures of a group now and before. At least one is defined, except for a day, weekday or hour without rows. */
export interface Pair {
	values: readonly GroupValue[];
	now?: Figures;
	before?: Figures;
}

/** The groups of one breakdown. */
export interface Listing {
	dimensions: readonly Dimension[];
	/** Those that get their own entry, sorted. */
	shown: Pair[];
	/** The others. Of times and statuses in one item, there are none. */
	others: Pair[];
	/** What only the earlier rows have, as the period has no such time: 31 March, compared with April. */
	onlyPrevious: Pair[];
}

/** Days without rows are listed only up to this many days, about three years. */
const MOST_DAYS_LISTED = 1_100;

/** Which groups each breakdown lists, and in which order. */
export function listingsOf(plan: Plan, collected: Collected): Listing[] {
	const [, ...breakdowns] = collected.now.breakdowns;
	return breakdowns.map((dimensions, index) =>
		listingOf(plan, dimensions, pairsOf(plan, dimensions, collected, index + 1)),
	);
}

function listingOf(plan: Plan, dimensions: readonly Dimension[], pairs: Pair[]): Listing {
	const { result, maxGroups, minimumSessions, orderGroupsBy, measures } = plan;
	const [inPeriod, onlyPrevious] = partition(pairs, (pair) => isInPeriod(plan, dimensions, pair));
	if (result === 'oneItem' && dimensions.every(({ by }) => by !== 'field')) {
		// Rows without a time belong to no group of time; they are counted separately.
		const shown = inPeriod.filter(({ values }) => values[0] !== null || !isTime(dimensions[0]?.by));
		return { dimensions, shown: sorted(shown, 'group', measures), others: [], onlyPrevious };
	}
	const [enough, few] = partition(inPeriod, ({ now }) => (now?.count ?? 0) >= minimumSessions);
	const all = sorted(enough, orderGroupsBy, measures);
	return { dimensions, shown: all.slice(0, maxGroups), others: [...all.slice(maxGroups), ...few], onlyPrevious };
}

function pairsOf(plan: Plan, dimensions: readonly Dimension[], { now, earlier }: Collected, breakdown: number): Pair[] {
	const groups = now.groups[breakdown];
	const pairs = new Map(
		always(plan, dimensions, groups).map((value): [string, Pair] => [JSON.stringify([value]), { values: [value] }]),
	);
	for (const [key, { values, figures }] of groups ?? []) pairs.set(key, { values, now: figures });
	for (const [key, { values, figures }] of earlier?.groups[breakdown] ?? []) {
		pairs.set(key, { ...(pairs.get(key) ?? { values }), before: figures });
	}
	return [...pairs.values()];
}

/** Groups that are listed with or without rows, unless combined with others: weekdays, hours and, in one item, days. */
function always(plan: Plan, dimensions: readonly Dimension[], groups: Groups | undefined): GroupValue[] {
	const [dimension, ...more] = dimensions;
	if (more.length > 0) return [];
	if (dimension?.by === 'weekday') return range(1, 8);
	if (dimension?.by === 'hour') return range(24);
	return dimension?.by === 'day' && plan.result === 'oneItem' ? daysOf(plan, groups) : [];
}

/** All days of the combined span of the filter's period (up to today) and the rows. */
function daysOf({ now: { days }, today }: Plan, groups: Groups | undefined): string[] {
	const last = days && days.to < today ? days.to : today;
	const bounds = days && days.from <= last ? [days.from, last] : [];
	const withRows = [...(groups ?? [])].flatMap(([, { values }]) => values.filter((day) => typeof day === 'string'));
	const ends = [...bounds, ...withRows].sort();
	const [from, to] = [ends[0], ends.at(-1)];
	return (from && to && daysBetween(from, to, MOST_DAYS_LISTED)) || [];
}

/** Whether the filter's period has such a group. */
function isInPeriod({ now: { days } }: Plan, dimensions: readonly Dimension[], { values, now }: Pair): boolean {
	if (now || !days) return true;
	return dimensions.every(({ by }, index) => {
		const value = values[index];
		if (typeof value !== 'string' || (by !== 'day' && by !== 'week' && by !== 'month')) return true;
		const [from, to] = [days.from, days.to].map((day) => dayParts(DateTime.fromISO(day))[by]);
		return from !== undefined && to !== undefined && from <= value && value <= to;
	});
}

/** Sorts by figure or by value, ties by value. By figure, groups that only the earlier rows have come last. */
function sorted(pairs: readonly Pair[], order: string, measures: readonly Measure[]): Pair[] {
	const { key, isLowest } = orderedBy(order);
	const measure = measures.findIndex((each) => measureKey(each) === key);
	const size = ({ now }: Pair): number => {
		if (!now || order === 'group') return 0;
		if (measure < 0) return now.count;
		const value = now.value(measure);
		if (value === null) return Number.NEGATIVE_INFINITY;
		return isLowest ? -value : value;
	};
	const keyed = pairs.map((pair) => ({ pair, size: size(pair) }));
	keyed.sort(
		(a, b) =>
			(order === 'group' ? 0 : Number(!a.pair.now) - Number(!b.pair.now)) ||
			(a.size === b.size ? 0 : b.size > a.size ? 1 : -1) ||
			compareValues(a.pair.values, b.pair.values),
	);
	return keyed.map(({ pair }) => pair);
}

/** The key of a measure, `group` or `count`, and whether the lowest comes first. */
export function orderedBy(order: string): { key: string; isLowest: boolean } {
	const isLowest = order.endsWith(LOWEST);
	return { key: isLowest ? order.slice(0, -LOWEST.length) : order, isLowest };
}

/** The figures of groups taken together. */
export function together(pairs: readonly Pair[], measures: readonly Measure[]): Required<Pair> {
	const sum = { values: [], now: noRows(measures), before: noRows(measures) };
	for (const { now, before } of pairs) {
		if (now) sum.now.addAll(now);
		if (before) sum.before.addAll(before);
	}
	return sum;
}

export function noRows(measures: readonly Measure[]): Figures {
	return new Figures(measures, new Room());
}
