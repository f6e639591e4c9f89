import { DateTime } from 'luxon';

import type { TimeSpan } from '../dsquery/values/periods';
import { localDaySpan } from '../dsquery/values/periods';
import { instantOfLocal } from '../dsquery/values/localTime';

export const COMPARISONS = ['none', 'previousPeriod', 'previousYear'] as const;
export type ComparisonName = (typeof COMPARISONS)[number];

/** How many days or months lie between a day and the day it is compared with. */
export interface Shift {
	unit: 'days' | 'months';
	amount: number;
}

/** The time to compare with, and how far it lies back. Its two ends are equal where there is no such time. */
export interface Comparison {
	span: TimeSpan;
	shift: Shift;
}

const DAY = 86_400_000;

/**
 * The time that a span is compared with. Whole months (a quarter, a year) are compared with as many whole months before,
 * any other span with as many days before; of a span that is not over yet, the elapsed part. A year before is the same
 * dates, for whole weeks the same weekdays: 52 weeks. Local days are shifted, not hours, so that a clock change in
 * between does not matter.
 *
 * @param zone the workflow's time zone
 * @param now the moment up to which a span is taken to have elapsed
 */
export function comparedWith(
	span: TimeSpan,
	name: Exclude<ComparisonName, 'none'>,
	zone: string,
	now: Date,
): Comparison {
	const [from, to] = [wallTime(span.from, zone), wallTime(span.to, zone)];
	const shift = name === 'previousYear' ? yearShift(from, to) : periodShift(from, to, span);
	const elapsed = span.from.toMillis() < now.getTime() && now.getTime() < span.to.toMillis();
	const end = before(elapsed ? wallTime(DateTime.fromJSDate(now), zone) : to, shift);
	const instant = (wall: DateTime) => DateTime.fromMillis(instantOfLocal(wall.toMillis(), zone), { zone });
	// Where clocks were set forward, a day before the end may lie behind the beginning.
	const last = name === 'previousPeriod' ? DateTime.min(end, from) : end;
	return { span: { from: instant(before(from, shift)), to: instant(last) }, shift };
}

function periodShift(from: DateTime, to: DateTime, span: TimeSpan): Shift {
	if (isWholeMonths(from, to)) return { unit: 'months', amount: Math.round(to.diff(from, 'months').months) };
	// A day of 25 hours is one day, and so are 24 hours in which clocks are set forward.
	const length = Math.min(to.diff(from).toMillis(), span.to.diff(span.from).toMillis());
	return { unit: 'days', amount: Math.ceil(length / DAY) };
}

function yearShift(from: DateTime, to: DateTime): Shift {
	const isWeeks = [from, to].every((end) => end.hasSame(end.startOf('week'), 'millisecond'));
	if (isWeeks && !isWholeMonths(from, to)) return { unit: 'days', amount: 52 * 7 };
	return { unit: 'months', amount: 12 };
}

function isWholeMonths(from: DateTime, to: DateTime): boolean {
	return [from, to].every((end) => end.hasSame(end.startOf('month'), 'millisecond'));
}

/** A wall-clock time that much earlier. There is no 30 February: what would fall on it falls on the next day there is. */
function before(wall: DateTime, { unit, amount }: Shift): DateTime {
	const shifted = wall.minus({ [unit]: amount });
	return unit === 'days' || shifted.day === wall.day ? shifted : shifted.startOf('day').plus({ days: 1 });
}

/** What clocks show, as if it were UTC. Where a day does not begin at midnight, its beginning still counts as midnight. */
function wallTime(time: DateTime, zone: string): DateTime {
	const local = time.setZone(zone);
	const day = local.toFormat('yyyy-MM-dd');
	if (localDaySpan(day, zone).from.toMillis() === time.toMillis()) return DateTime.fromISO(day, { zone: 'utc' });
	return local.setZone('utc', { keepLocalTime: true });
}
