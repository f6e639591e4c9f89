import sortedLastIndexBy from 'lodash/sortedLastIndexBy';
import { DateTime } from 'luxon';

import { localDaySpan } from '../dsquery/values/periods';
import type { Shift } from './comparison';

/** The local day on which an instant lies, and what it is part of. */
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

/** Days remembered. Rows mostly lie on the same few days; where they do not, remembering helps nobody. */
const MOST_KNOWN = 10_000;

/**
 * Tells on which local day an instant lies. Days are those of the filter's *On Day (Local)*, also where clocks change at
 * midnight, so that a day's figures are those of its sessions.
 */
export class LocalTimes {
	/** Days met before, in their order. */
	private readonly known: KnownDay[] = [];

	/** @param shift how far days, weeks and months are moved forward, for rows that others are compared with */
	constructor(
		private readonly zone: string,
		private readonly shift?: Shift,
	) {}

	/** @param instant milliseconds since the epoch */
	dayOf(instant: number): LocalDay {
		const after = sortedLastIndexBy<Pick<KnownDay, 'from'>>(this.known, { from: instant }, ({ from }) => from);
		const before = this.known[after - 1];
		if (before && instant < before.to) return before;
		if (this.known.length >= MOST_KNOWN) this.known.length = 0;
		const found = this.find(instant);
		this.known.splice(Math.min(after, this.known.length), 0, found);
		return found;
	}

	/** What the hour hand of a clock in the zone shows, 0 to 23. */
	hourOf(instant: number): number {
		return DateTime.fromMillis(instant, { zone: this.zone }).hour;
	}

	private find(instant: number): KnownDay {
		const date = DateTime.fromMillis(instant, { zone: this.zone });
		// Where clocks show midnight twice, the second time still has the date of the day before.
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
		// 31 January is compared with no day of February, but is still part of the month that February is compared with.
		const hasDay = this.shift?.unit !== 'months' || shifted.day === date.day;
		return {
			day: (hasDay ? shifted : date).toFormat('yyyy-MM-dd'),
			week: shifted.toFormat("kkkk-'W'WW"),
			month: shifted.toFormat('yyyy-MM'),
			weekday: date.weekday,
		};
	}
}

/**
 * All days from the first to the last, both included, or undefined where there are more than that many.
 *
 * @param first `YYYY-MM-DD`, as is `last`
 */
export function daysBetween(first: string, last: string, most: number): string[] | undefined {
	const from = DateTime.fromISO(first, { zone: 'utc' });
	const count = DateTime.fromISO(last, { zone: 'utc' }).diff(from, 'days').days + 1;
	if (!(count <= most)) return undefined;
	return Array.from({ length: Math.max(0, count) }, (_, days) => from.plus({ days }).toFormat('yyyy-MM-dd'));
}
