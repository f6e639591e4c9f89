import { DateTime } from 'luxon';

import { localToInstant } from './localTime';

/** The unit of each period, in the order of the form: the current one for `today` and `this...`, else the previous. */
const PERIOD_UNITS = {
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

export type DayPeriodName = keyof typeof PERIOD_UNITS | 'lastDays';
export type PeriodName = DayPeriodName | 'lastHours';
/** The periods of whole days. */
export const DAY_PERIODS = [...Object.keys(PERIOD_UNITS), 'lastDays'] as DayPeriodName[];
export const PERIODS: readonly PeriodName[] = [...DAY_PERIODS, 'lastHours'];

/** A period as chosen in the form: the last `days` days, up to and including yesterday, the last `hours` hours up to now. */
export interface ChosenPeriod {
	name: PeriodName;
	days?: number;
	hours?: number;
}

/** The highest number of minutes, hours, days or months that a filter can reach back: a hundred years in days. */
export const MOST_BACK = 36_500;

export const AGE_UNITS = ['minutes', 'hours', 'days', 'months'] as const;
type AgeUnit = (typeof AGE_UNITS)[number];

/** The moment that long before now. Days and months are calendar days and months in the time zone. */
export function timeAgo(amount: number, unit: AgeUnit, now: Date, zone: string): DateTime {
	return DateTime.fromJSDate(now, { zone }).minus({ [unit]: amount });
}

/** A span of time. `to` is exclusive. */
export interface TimeSpan {
	from: DateTime;
	to: DateTime;
}

/** A span of local days, both ends included, as `YYYY-MM-DD`. */
export interface DaySpan {
	from: string;
	to: string;
}

/** The first day of the period and the first day after it. As UTC midnights, so that clock changes do not matter. */
function calendarDays(name: DayPeriodName, days: number, now: Date, zone: string): [DateTime, DateTime] {
	const local = DateTime.fromMillis(now.getTime(), { zone });
	const today = DateTime.utc(local.year, local.month, local.day);
	if (name === 'lastDays') return [today.minus({ days }), today];
	const unit = PERIOD_UNITS[name];
	const start = today.startOf(unit);
	const isPast = name === 'yesterday' || name.startsWith('last');
	return isPast ? [start.minus({ [unit]: 1 }), start] : [start, start.plus({ [unit]: 1 })];
}

/**
 * The instants of a period: whole local days, ISO weeks (from Monday), months, quarters or years in the time zone, or
 * the hours up to the current second. The upper bound is exclusive (specification, list query rule 8). A day begins
 * when clocks first show it, so there is no gap at days of 23 or 25 hours or days without a midnight.
 */
export function periodSpan({ name, days = 1, hours = 1 }: ChosenPeriod, now: Date, zone: string): TimeSpan {
	if (name === 'lastHours') {
		const to = DateTime.fromJSDate(now, { zone }).startOf('second');
		return { from: to.minus({ hours }), to };
	}
	const [first, after] = calendarDays(name, days, now, zone);
	return { from: startOfDay(first, zone), to: startOfDay(after, zone) };
}

/** So many whole local months before the current one. `to` is exclusive. */
export function lastMonthsSpan(months: number, now: Date, zone: string): TimeSpan {
	const [first] = calendarDays('thisMonth', 0, now, zone);
	return { from: startOfDay(first.minus({ months }), zone), to: startOfDay(first, zone) };
}

/** The whole local day of this calendar date. Both ends are equal if clocks skipped the day (Samoa, 30 December 2011). */
export function localDaySpan({ year, month, day }: DateTime, zone: string): TimeSpan {
	const first = DateTime.utc(year, month, day);
	return { from: startOfDay(first, zone), to: startOfDay(first.plus({ days: 1 }), zone) };
}

function startOfDay(day: DateTime, zone: string): DateTime {
	return DateTime.fromMillis(localToInstant(day.toMillis(), zone), { zone });
}
