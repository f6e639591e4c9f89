import sortedLastIndexBy from 'lodash/sortedLastIndexBy';
import { DateTime } from 'luxon';

import { localDaySpan } from '../dsquery/values/periods';
import type { Shift } from './comparison';

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

interface KnownDay extends LocalDay {
	/** The day's first instant and the first one after it, in milliseconds. */
	from: number;
	to: number;
}

/** The most days in the cache. Rows are mostly on the same few days; if they are not, a larger cache would not help. */
const MOST_KNOWN = 10_000;

/**
 * Finds the local day of an instant. Days are the same as in the filter's *On Day (Local)*, even if clocks change at
 * midnight, so that a day's figures match its rows.
 */
export class LocalTimes {
	/** The cached days, sorted. */
	private readonly known: KnownDay[] = [];

	/** @param shift how far to move days, weeks and months forward, for the earlier rows of a comparison */
	constructor(
		private readonly zone: string,
		private readonly shift?: Shift,
	) {}

	/** @param instant milliseconds since the epoch */
	dayOf(instant: number): KnownDay {
		const after = sortedLastIndexBy<Pick<KnownDay, 'from'>>(this.known, { from: instant }, ({ from }) => from);
		const before = this.known[after - 1];
		if (before && instant < before.to) return before;
		if (this.known.length >= MOST_KNOWN) this.known.length = 0;
		const found = this.find(instant);
		this.known.splice(Math.min(after, this.known.length), 0, found);
		return found;
	}

	/** The hour of the local time, 0 to 23. */
	hourOf(instant: number): number {
		return DateTime.fromMillis(instant, { zone: this.zone }).hour;
	}

	private find(instant: number): KnownDay {
		const date = DateTime.fromMillis(instant, { zone: this.zone });
		// If clocks show midnight twice, they show the date of the day before again in between.
		for (const days of [0, 1, -1]) {
			const day = DateTime.utc(date.year, date.month, date.day).plus({ days });
			const span = localDaySpan(day.toFormat('yyyy-MM-dd'), this.zone);
			const [from, to] = [span.from.toMillis(), span.to.toMillis()];
			if (instant >= from && instant < to) return { ...this.describe(day), from, to };
		}
		return { ...this.describe(date), from: instant, to: instant + 1 };
	}

	private describe(date: DateTime): LocalDay {
		const shifted = this.shift ? date.plus({ [this.shift.unit]: this.shift.amount }) : date;
		// No day of February is compared with 31 January, but February is compared with all of January.
		const hasDay = this.shift?.unit !== 'months' || shifted.day === date.day;
		return {
			...dayParts(shifted),
			...(!hasDay && { day: dayParts(date).day }),
			weekday: date.weekday,
		};
	}
}

/** The day, week and month of a date, as groups are called. Texts of one kind sort by time. */
export function dayParts(date: DateTime): Pick<LocalDay, 'day' | 'week' | 'month'> {
	return {
		day: date.toFormat('yyyy-MM-dd'),
		week: date.toFormat("kkkk-'W'WW"),
		month: date.toFormat('yyyy-MM'),
	};
}

/**
 * All days from `first` to `last`, both included, or undefined if there are more than `most`.
 *
 * @param first `YYYY-MM-DD`, as is `last`
 */
export function daysBetween(first: string, last: string, most: number): string[] | undefined {
	const from = DateTime.fromISO(first, { zone: 'utc' });
	const count = DateTime.fromISO(last, { zone: 'utc' }).diff(from, 'days').days + 1;
	if (!(count <= most)) return undefined;
	return Array.from({ length: Math.max(0, count) }, (_, days) => from.plus({ days }).toFormat('yyyy-MM-dd'));
}
