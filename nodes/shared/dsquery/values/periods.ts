import { DateTime } from 'luxon';

import { checkZone, instantOfLocal } from './localTime';

/** The periods of the form, in time order. */
export const PERIODS = [
	'today',
	'yesterday',
	'thisWeek',
	'lastWeek',
	'thisMonth',
	'lastMonth',
	'thisYear',
	'lastYear',
	'lastDays',
] as const;

export type PeriodName = (typeof PERIODS)[number];

/** A period as chosen in the form. `lastDays` are the `days` whole days up to and including yesterday. */
export type Period = { name: Exclude<PeriodName, 'lastDays'> } | { name: 'lastDays'; days: number };

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
function calendarDays(period: Period, now: Date, zone: string): [DateTime, DateTime] {
	checkZone(zone);
	const local = DateTime.fromMillis(now.getTime(), { zone });
	const today = DateTime.utc(local.year, local.month, local.day);
	switch (period.name) {
		case 'today':
			return [today, today.plus({ days: 1 })];
		case 'yesterday':
			return [today.minus({ days: 1 }), today];
		case 'thisWeek':
			return [today.startOf('week'), today.startOf('week').plus({ weeks: 1 })];
		case 'lastWeek':
			return [today.startOf('week').minus({ weeks: 1 }), today.startOf('week')];
		case 'thisMonth':
			return [today.startOf('month'), today.startOf('month').plus({ months: 1 })];
		case 'lastMonth':
			return [today.startOf('month').minus({ months: 1 }), today.startOf('month')];
		case 'thisYear':
			return [today.startOf('year'), today.startOf('year').plus({ years: 1 })];
		case 'lastYear':
			return [today.startOf('year').minus({ years: 1 }), today.startOf('year')];
		case 'lastDays':
			return [today.minus({ days: period.days }), today];
	}
}

/**
 * The instants of a period: whole local days, ISO weeks (from Monday), months or years of the given time zone, the upper
 * bound exclusive (specification, list query rule 8). A day begins when clocks first show it, so days of 23 or 25 hours
 * and days without a midnight join without a gap.
 */
export function periodSpan(period: Period, now: Date, zone: string): TimeSpan {
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
