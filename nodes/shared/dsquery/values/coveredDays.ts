import isEmpty from 'lodash/isEmpty';
import { DateTime } from 'luxon';

import { isRange, isUnit, RANGES, UNITS } from '../operators';
import { combine, conditionsIn } from '../compose';
import { isGroup, type Condition, type FilterNode, type Group } from '../types';
import type { DaySpan, TimeSpan } from './periods';

/** The bounds that a condition sets. `to` is exclusive. */
interface Bounds {
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
export function coveredDays(filter: Group | undefined, zone: string, field: string): DaySpan | undefined {
	const span = spanOf(filter ? required(filter).filter(isAbout(field)) : [], zone);
	return span && { from: span.from.toFormat('yyyy-MM-dd'), to: span.to.minus(1).toFormat('yyyy-MM-dd') };
}

/** The period of a date field that every row must be in, and the rest of the filter. */
export interface RequiredPeriod {
	span: TimeSpan;
	rest: Group | undefined;
}

/** Splits the period off a filter. Undefined if it has an open end or the filter has other conditions on the field. */
export function periodOf(filter: Group | undefined, field: string): RequiredPeriod | undefined {
	if (!filter) return undefined;
	const isPeriod = isAbout(field);
	const conditions = required(filter).filter(isPeriod);
	if (conditions.length < conditionsIn(filter).filter(isPeriod).length) return undefined;
	if (conditions.some((condition) => isEmpty(bounds(condition, 'utc')))) return undefined;
	const span = spanOf(conditions, 'utc');
	return span && { span, rest: without(filter, isPeriod) };
}

function isAbout(field: string): (node: FilterNode) => boolean {
	const wanted = field.toLowerCase();
	return (node) => !isGroup(node) && node.field.toLowerCase() === wanted;
}

function without({ logic, filters }: Group, isPeriod: (node: FilterNode) => boolean): Group | undefined {
	const others = filters.filter((node) => !isPeriod(node));
	return combine(
		logic,
		others.map((node) => (isGroup(node) ? without(node, isPeriod) : node)),
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
function required({ logic, filters }: Group): Condition[] {
	if (logic !== 'And' && filters.length > 1) return [];
	return filters.flatMap((node) => (isGroup(node) ? required(node) : [node]));
}

function bounds({ operator, value }: Condition, zone: string): Bounds {
	const times = value.split(',', 2).map((text) => DateTime.fromISO(text, { zone: 'utc' }));
	if (isUnit(operator)) {
		const from = times[0]?.startOf(UNITS[operator]);
		return { from, to: from?.plus({ [UNITS[operator]]: 1 }) };
	}
	const [low, high] = times.map((time) => time.setZone(zone));
	// Timestamps have whole seconds, so "up to and including" ends a second later.
	const after = (time: DateTime | undefined) => time?.plus({ seconds: 1 });
	if (isRange(operator)) {
		const ends = RANGES[operator];
		return { from: ends.low === 'Gt' ? after(low) : low, to: ends.high === 'Lte' ? after(high) : high };
	}
	switch (operator) {
		case 'Eq':
			return { from: low, to: after(low) };
		case 'Gt':
			return { from: after(low) };
		case 'Gte':
			return { from: low };
		case 'Lt':
			return { to: low };
		case 'Lte':
			return { to: after(low) };
		default:
			return {};
	}
}
