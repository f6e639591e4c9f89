import { DateTime } from 'luxon';

import { isUnit, UNITS } from '../operators';
import { isGroup, type Condition, type Group } from '../types';
import type { DaySpan } from './periods';

const FIELD = 'startedatutc';

/** The bounds that a condition sets. `to` is the first instant that no longer belongs to it. */
interface Bounds {
	from?: DateTime;
	to?: DateTime;
}

/**
 * The days that a filter on StartedAtUtc covers, both included: what all of its conditions together leave. A day is one of
 * the given zone, except where an operator such as IsMonth sets the bound: the platform has UTC days there. Undefined
 * where the filter leaves one end open, or sets it in an Or group only.
 *
 * @param zone the workflow's time zone
 */
export function coveredDays(filter: Group | undefined, zone: string): DaySpan | undefined {
	const conditions = filter ? required(filter).filter(({ field }) => field.toLowerCase() === FIELD) : [];
	const all = conditions.map((condition) => bounds(condition, zone));
	const from = DateTime.max(...all.flatMap((each) => each.from ?? []));
	const to = DateTime.min(...all.flatMap((each) => each.to ?? []));
	if (!from?.isValid || !to?.isValid || to <= from) return undefined;
	return { from: from.toFormat('yyyy-MM-dd'), to: to.minus(1).toFormat('yyyy-MM-dd') };
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
	switch (operator) {
		case 'Eq':
			return { from: low, to: low?.plus({ seconds: 1 }) };
		case 'Gt':
		case 'Gte':
			return { from: low };
		case 'Lt':
			return { to: low };
		case 'Lte':
			return { to: low?.plus({ seconds: 1 }) };
		case 'GtLt':
		case 'GteLt':
			return { from: low, to: high };
		case 'GtLte':
		case 'GteLte':
			return { from: low, to: high?.plus({ seconds: 1 }) };
		default:
			return {};
	}
}
