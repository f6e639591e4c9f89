import { DateTime, type DurationLike } from 'luxon';

import { isUnit } from '../operators';
import type { DaySpan } from './periods';
import { isGroup, type Condition, type Group } from '../types';

const FIELD = 'startedatutc';

/** The bounds that a condition sets, both where it is a range. `to` is the first instant that no longer belongs to it. */
interface Bounds {
	from?: DateTime;
	to?: DateTime;
}

/**
 * The local days that a filter on StartedAtUtc covers, both included: what the form's period, days or range come down
 * to, or a JSON condition. Undefined where the filter leaves one end open, or sets the start in an Or group only.
 *
 * @param zone the workflow's time zone
 */
export function coveredDays(filter: Group | undefined, zone: string): DaySpan | undefined {
	const conditions = filter ? required(filter).filter(({ field }) => field.toLowerCase() === FIELD) : [];
	// IsMonth and its siblings mean days in UTC (specification, operators), whatever the workflow's zone.
	const unit = conditions.find(({ operator }) => isUnit(operator));
	if (unit) return days(unitBounds(unit), 'utc');
	const all = conditions.map(bounds);
	const from = DateTime.max(...all.flatMap((each) => each.from ?? []));
	const to = DateTime.min(...all.flatMap((each) => each.to ?? []));
	return days({ from, to }, zone);
}

/** The conditions that every row must match. Groups may nest to any depth, so nothing here calls itself. */
function required(filter: Group): Condition[] {
	const conditions: Condition[] = [];
	const groups = [filter];
	for (let group = groups.pop(); group; group = groups.pop()) {
		if (group.logic !== 'And' && group.filters.length > 1) continue;
		for (const node of group.filters) {
			if (isGroup(node)) groups.push(node);
			else conditions.push(node);
		}
	}
	return conditions;
}

function bounds({ operator, value }: Condition): Bounds {
	const [low, high] = value.split(',').map((text) => DateTime.fromISO(text, { zone: 'utc' }));
	// Timestamps have whole seconds, so "up to and including" ends a second later.
	switch (operator) {
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

function unitBounds({ operator, value }: Condition): Bounds {
	const at = DateTime.fromISO(value, { zone: 'utc' });
	const length: Partial<Record<string, [Parameters<DateTime['startOf']>[0], DurationLike]>> = {
		IsYear: ['year', { years: 1 }],
		IsMonth: ['month', { months: 1 }],
	};
	const [unit, duration] = length[operator] ?? ['day', { days: 1 }];
	return { from: at.startOf(unit), to: at.startOf(unit).plus(duration) };
}

function days({ from, to }: Bounds, zone: string): DaySpan | undefined {
	if (!from?.isValid || !to?.isValid || to <= from) return undefined;
	return { from: from.setZone(zone).toFormat('yyyy-MM-dd'), to: to.minus(1).setZone(zone).toFormat('yyyy-MM-dd') };
}
