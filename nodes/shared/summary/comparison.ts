import { DateTime } from 'luxon';

import { localDaySpan, type TimeSpan } from '../dsquery/values/periods';
import { localToInstant } from '../dsquery/values/localTime';
import { DAY_MS } from '../dsquery/values/durations';

export type ComparisonName = 'previousPeriod' | 'previousYear';

/** How many days or months are between a day and the day it is compared with. */
export interface PeriodShift {
	unit: 'days' | 'months';
	amount: number;
}

/** The span to compare with, and how far back it is. Its two ends are equal if there is no such time. */
interface ComparisonPeriod {
	span: TimeSpan;
	shift: PeriodShift;
}

/**
 * The span that a span is compared with. `previousPeriod`: whole months (also quarters, years) move back by as many
 * months, other spans by as many days. `previousYear`: the same dates a year earlier or, for whole weeks, 52 weeks
 * earlier. If the span is not over at `now`, only its elapsed part is compared. Local days are shifted, not hours, so
 * that a clock change in between does not matter.
 *
 * @param zone of the span's days: the workflow's time zone, or UTC
 * @param isLastDays whether the span was asked for as so many last days: then it is compared with as many days before,
 * and a year before with the same dates, even if it happens to be a whole month or whole weeks today
 */
export function comparisonPeriodOf(
	span: TimeSpan,
	name: ComparisonName,
	zone: string,
	now: Date,
	isLastDays: boolean,
): ComparisonPeriod {
	const [from, to] = [wallTime(span.from, zone), wallTime(span.to, zone)];
	const [wholeMonths, wholeWeeks] = isLastDays
		? [false, false]
		: [isWhole('month', from, to), isWhole('week', from, to)];
	const shift: PeriodShift =
		name === 'previousYear' ? yearShift(wholeWeeks && !wholeMonths) : periodShift(from, to, span, wholeMonths);
	const elapsed = span.from.toMillis() < now.getTime() && now.getTime() < span.to.toMillis();
	const end = before(elapsed ? wallTime(DateTime.fromJSDate(now), zone) : to, shift);
	const instant = (wall: DateTime) => DateTime.fromMillis(localToInstant(wall.toMillis(), zone), { zone });
	// If clocks were set forward in the span, its shifted end may be after its beginning.
	const last = name === 'previousPeriod' ? DateTime.min(end, from) : end;
	return { span: { from: instant(before(from, shift)), to: instant(last) }, shift };
}

function periodShift(from: DateTime, to: DateTime, span: TimeSpan, wholeMonths: boolean): PeriodShift {
	if (wholeMonths) return { unit: 'months', amount: Math.round(to.diff(from, 'months').months) };
	// Both a day of 25 hours and 24 hours in which clocks are set forward are one day.
	const length = Math.min(to.diff(from).toMillis(), span.to.diff(span.from).toMillis());
	return { unit: 'days', amount: Math.ceil(length / DAY_MS) };
}

function yearShift(wholeWeeks: boolean): PeriodShift {
	return wholeWeeks ? { unit: 'days', amount: 52 * 7 } : { unit: 'months', amount: 12 };
}

/**
 * Whether a span is of days in UTC that are no local days: a month that Filter as JSON names without a zone, or that was
 * entered with Z.
 */
export function isOfUtcDays({ from, to }: TimeSpan, zone: string): boolean {
	const isOfDaysIn = (of: string) => isWhole('day', from.setZone(of), to.setZone(of));
	return isOfDaysIn('utc') && !isOfDaysIn(zone);
}

function isWhole(unit: 'day' | 'week' | 'month', ...ends: DateTime[]): boolean {
	return ends.every((end) => end.hasSame(end.startOf(unit), 'millisecond'));
}

/** The shifted wall-clock time. A date that does not exist, such as 30 February, becomes midnight of the next day. */
function before(wall: DateTime, { unit, amount }: PeriodShift): DateTime {
	const shifted = wall.minus({ [unit]: amount });
	return unit === 'days' || shifted.day === wall.day ? shifted : shifted.startOf('day').plus({ days: 1 });
}

/** The wall-clock time, as if it were UTC. The beginning of a day counts as midnight, even if clocks skip midnight. */
function wallTime(time: DateTime, zone: string): DateTime {
	const local = time.setZone(zone);
	if (localDaySpan(local, zone).from.toMillis() === time.toMillis()) {
		return DateTime.utc(local.year, local.month, local.day);
	}
	return local.setZone('utc', { keepLocalTime: true });
}
