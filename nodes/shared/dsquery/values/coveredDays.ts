import isEmpty from 'lodash/isEmpty';
import { DateTime } from 'luxon';

import { joinFilters, conditionsIn, splitRange } from '../compose';
import { unitOf } from '../operators';
import { isFilterGroup, type Condition, type FilterNode, type FilterGroup } from '../types';
import type { DaySpan, TimeSpan } from './periods';

/** The bounds that a condition sets. `to` is exclusive. */
interface DateBounds {
	from?: DateTime;
	to?: DateTime;
}

/**
 * The days that a filter on a date field covers, both ends included: those that satisfy all of its conditions. Days are
 * local to the zone, except for bounds set by operators such as IsMonth, which the platform applies in UTC. Undefined
 * if the filter covers no day, leaves one end open, or bounds it only in an Or group.
 *
 * @param zone the workflow's time zone
 */
export function coveredDays(filter: FilterGroup | undefined, zone: string, field: string): DaySpan | undefined {
	const span = spanOf(filter ? required(filter).filter(isAbout(field)) : [], zone);
	if (!span) return undefined;
	// Timestamps have whole seconds. A day of which only midnight is in the filter is not covered by it.
	const last = DateTime.max(span.from, span.to.minus({ seconds: 1, milliseconds: 1 }));
	return { from: span.from.toFormat('yyyy-MM-dd'), to: last.toFormat('yyyy-MM-dd') };
}

/** The period of a date field that every row must be in, and the rest of the filter. */
export interface FilterPeriod {
	span: TimeSpan;
	/** Whether it was asked for as so many last days. */
	isLastDays: boolean;
	/** Whether it is one of UTC, by its operators: *In Month (UTC)*. */
	isUtc: boolean;
	rest: FilterGroup | undefined;
}

/** Splits the period off a filter. Undefined if it has an open end or the filter has other conditions on the field. */
export function splitPeriod(filter: FilterGroup | undefined, field: string): FilterPeriod | undefined {
	if (!filter) return undefined;
	const isPeriod = isAbout(field);
	const conditions = required(filter).filter(isPeriod);
	if (conditions.length < conditionsIn(filter).filter(isPeriod).length) return undefined;
	if (conditions.some((condition) => isEmpty(bounds(condition, 'utc')))) return undefined;
	const span = spanOf(conditions, 'utc');
	const isLastDays = conditions.some((condition) => condition.isLastDays);
	const isUtc = conditions.every(({ operator }) => unitOf(operator) !== undefined);
	return span && { span, isLastDays, isUtc, rest: without(filter, isPeriod) };
}

function isAbout(field: string): (node: FilterNode) => boolean {
	const wanted = field.toLowerCase();
	return (node) => !isFilterGroup(node) && node.field.toLowerCase() === wanted;
}

function without({ logic, filters }: FilterGroup, isPeriod: (node: FilterNode) => boolean): FilterGroup | undefined {
	const others = filters.filter((node) => !isPeriod(node));
	return joinFilters(
		logic,
		others.map((node) => (isFilterGroup(node) ? without(node, isPeriod) : node)),
	);
}

/** The span that satisfies all conditions. Undefined if one end is open or the span is empty. */
function spanOf(conditions: readonly Condition[], zone: string): TimeSpan | undefined {
	const all = conditions.map((condition) => bounds(condition, zone));
	const from = DateTime.max(...all.flatMap((each) => each.from ?? []));
	const to = DateTime.min(...all.flatMap((each) => each.to ?? []));
	return from?.isValid && to?.isValid && from < to ? { from, to } : undefined;
}

/** The conditions that every row must match. */
function required({ logic, filters }: FilterGroup): Condition[] {
	if (logic !== 'And' && filters.length > 1) return [];
	return filters.flatMap((node) => (isFilterGroup(node) ? required(node) : [node]));
}

function bounds(condition: Condition, zone: string): DateBounds {
	const ends = splitRange(condition);
	if (ends) return ends.map((end) => bounds(end, zone)).reduce((low, high) => ({ ...low, ...high }));
	const { operator, value } = condition;
	const time = DateTime.fromISO(value, { zone: 'utc' });
	const unit = unitOf(operator);
	if (unit !== undefined) {
		const from = time.startOf(unit);
		return { from, to: from.plus({ [unit]: 1 }) };
	}
	const first = time.setZone(zone);
	// Timestamps have whole seconds, so "up to and including" ends a second later.
	const after = first.plus({ seconds: 1 });
	const found: Partial<Record<Condition['operator'], DateBounds>> = {
		Eq: { from: first, to: after },
		Gt: { from: after },
		Gte: { from: first },
		Lt: { to: first },
		Lte: { to: after },
	};
	return found[operator] ?? {};
}
