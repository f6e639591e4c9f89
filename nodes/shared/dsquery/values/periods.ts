import { DateTime } from 'luxon';

import { checkZone, instantOfLocal } from './localTime';

/** The unit of each period that is one, in the order of the form: the present one, or with "last" the one before. */
const UNITS = {
	today: 'day',
	yesterday: 'day',
	thisWeek: 'week',
	lastWeek: 'week',
	thisMonth: 'month',
	lastMonth: 'month',
	thisQuarter: 'quarter',
	lastQuarter: 'quarter',
	thisYear: 'year',
	lastYear: 'year',
} as const;

export type DayPeriodName = keyof typeof UNITS | 'lastDays';
export type PeriodName = DayPeriodName | 'lastHours';
/** The periods of whole days. */
export const DAY_PERIODS = [...Object.keys(UNITS), 'lastDays'] as DayPeriodName[];
export const PERIODS: readonly PeriodName[] = [...DAY_PERIODS, 'lastHours'];

/** A period of whole local days. `lastDays` are the `days` up to and including yesterday. */
type DayPeriod = { name: keyof typeof UNITS } | { name: 'lastDays'; days: number };
/** A period as chosen in the form. `lastHours` are the `hours` up to now. */
export type Period = DayPeriod | { name: 'lastHours'; hours: number };

/** The most days, hours or months that a filter reaches back: a hundred years of days. */
export const MOST_BACK = 36_500;

export const AGE_UNITS = ['minutes', 'hours', 'days', 'months'] as const;
export type AgeUnit = (typeof AGE_UNITS)[number];

/** The moment that much before now. Days and months are those of the calendar in the given time zone. */
export function ago(amount: number, unit: AgeUnit, now: Date, zone: string): DateTime {
	return DateTime.fromJSDate(now, { zone }).minus({ [unit]: amount });
}

/** A span of time: from the first instant up to, but without, the last. */
export interface TimeSpan {
	from: DateTime;
	to: DateTime;
}

/** A span of local days, both included, written `YYYY-MM-DD`. */
export interface DaySpan {
	from: string;
	to: string;
}

/** The first day of the period and the first day after it, as UTC midnights: days are counted without any clock change. */
function calendarDays(period: DayPeriod, now: Date, zone: string): [DateTime, DateTime] {
	const local = DateTime.fromMillis(now.getTime(), { zone });
	const today = DateTime.utc(local.year, local.month, local.day);
	if (period.name === 'lastDays') return [today.minus({ days: period.days }), today];
	const unit = UNITS[period.name];
	const start = today.startOf(unit);
	const isPast = period.name === 'yesterday' || period.name.startsWith('last');
	return isPast ? [start.minus({ [unit]: 1 }), start] : [start, start.plus({ [unit]: 1 })];
}

/**
 * The instants of a period: whole local days, ISO weeks (from Monday), months, quarters or years of the given time zone,
 * or the hours up to the present second; the upper bound exclusive (specification, list query rule 8). A day begins when
 * clocks first show it, so days of 23 or 25 hours and days without a midnight join without a gap.
 */
export function periodSpan(period: Period, now: Date, zone: string): TimeSpan {
	checkZone(zone);
	if (period.name === 'lastHours') {
		const to = DateTime.fromJSDate(now, { zone }).startOf('second');
		return { from: to.minus({ hours: period.hours }), to };
	}
	const [first, after] = calendarDays(period, now, zone);
	return { from: startOfDay(first, zone), to: startOfDay(after, zone) };
}

/**
 * One whole local day. Where clocks skipped a whole day (Samoa, 30 December 2011) its two ends are equal.
 * @param day its date, `YYYY-MM-DD`
 */
export function localDaySpan(day: string, zone: string): TimeSpan {
	const first = DateTime.fromISO(day, { zone: 'utc' });
	return { from: startOfDay(first, zone), to: startOfDay(first.plus({ days: 1 }), zone) };
}

function startOfDay(day: DateTime, zone: string): DateTime {
	return DateTime.fromMillis(instantOfLocal(day.toMillis(), zone), { zone });
}
