import memoize from 'lodash/memoize';
import { DateTime } from 'luxon';

import { localDaySpan } from '../dsquery/values/periods';
import type { PeriodShift } from './comparison';

export const TIMES = ['day', 'week', 'month', 'weekday', 'hour'] as const;
type TimeName = (typeof TIMES)[number];

/** One thing that rows are grouped by: status, a part of their local time, or a field (name in any case). */
export type GroupDimension = { by: 'status' | TimeName } | { by: 'field'; field: string };

/** Whether rows are grouped by a part of their time. */
export function isTimeDimension(by: GroupDimension['by'] | undefined): by is TimeName {
	return TIMES.some((time) => time === by);
}

/** The local day of an instant, with its week, month and weekday. */
export interface LocalDay {
	/** `YYYY-MM-DD` */
	day: string;
	/** ISO week, `2026-W01` */
	week: string;
	/** `YYYY-MM` */
	month: string;
	/** 1 is Monday, 7 is Sunday. */
	weekday: number;
}

/**
 * Finds the local day of an instant, in milliseconds since the epoch. Days are the same as in the filter's *On Day
 * (Local)*, even if clocks change at midnight, so that a day's figures match its rows.
 *
 * @param shift how far to move days, weeks and months forward, for the earlier rows of a comparison
 */
export function createLocalDayFinder(zone: string, shift?: PeriodShift): (instant: number) => LocalDay {
	const known = memoize((text: string) => {
		const span = localDaySpan(DateTime.fromISO(text, { zone: 'utc' }), zone);
		return { from: span.from.toMillis(), to: span.to.toMillis(), day: describe(text, shift) };
	});
	return (instant) => {
		const date = DateTime.fromMillis(instant, { zone });
		const midnight = DateTime.utc(date.year, date.month, date.day);
		// If clocks show midnight twice, they show the date of the day before again in between.
		for (const days of [0, 1]) {
			const { from, to, day } = known(dayOf(days === 0 ? midnight : midnight.plus({ days })));
			if (instant >= from && instant < to) return day;
		}
		return describe(dayOf(midnight), shift);
	};
}

function describe(text: string, shift?: PeriodShift): LocalDay {
	const date = DateTime.fromISO(text, { zone: 'utc' });
	const shifted = shift ? date.plus({ [shift.unit]: shift.amount }) : date;
	// No day of February is compared with 31 January, but February is compared with all of January.
	const hasDay = shift?.unit !== 'months' || shifted.day === date.day;
	return { ...dayParts(shifted), ...(!hasDay && { day: text }), weekday: date.weekday };
}

/** Whether there is a day so far back: a month before 31 March, there is none. */
export function hasEarlierDay(day: string, { unit, amount }: PeriodShift): boolean {
	const date = DateTime.fromISO(day, { zone: 'utc' });
	return unit === 'days' || date.minus({ [unit]: amount }).day === date.day;
}

/** The day, week and month of a date, as groups are called. Texts of one kind sort by time. */
export function dayParts(date: DateTime): Pick<LocalDay, 'day' | 'week' | 'month'> {
	return { day: dayOf(date), week: date.toFormat("kkkk-'W'WW"), month: date.toFormat('yyyy-MM') };
}

function dayOf(date: DateTime): string {
	return date.toFormat('yyyy-MM-dd');
}
