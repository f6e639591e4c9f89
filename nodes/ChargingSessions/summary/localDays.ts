import sortedLastIndexBy from 'lodash/sortedLastIndexBy';
import { DateTime } from 'luxon';

import { localDaySpan } from '../../shared/dsquery/values/periods';

interface KnownDay {
	/** `YYYY-MM-DD` */
	day: string;
	/** The day's first instant and the first one after it, in milliseconds. */
	from: number;
	to: number;
}

/**
 * Tells on which local day an instant lies. Days are those of the filter's *On Day (Local)*, also where clocks change at
 * midnight, so that a day's figures are those of its sessions.
 */
export class LocalDays {
	/** Days met before, in their order: sessions of one page mostly lie on the same few days. */
	private readonly known: KnownDay[] = [];

	constructor(private readonly zone: string) {}

	/** @param instant milliseconds since the epoch */
	dayOf(instant: number): string {
		const after = sortedLastIndexBy(this.known, { day: '', from: instant, to: 0 }, ({ from }) => from);
		const before = this.known[after - 1];
		if (before && instant < before.to) return before.day;
		const found = this.find(instant);
		this.known.splice(after, 0, found);
		return found.day;
	}

	private find(instant: number): KnownDay {
		const date = DateTime.fromMillis(instant, { zone: this.zone });
		// Where clocks show midnight twice, the second time still has the date of the day before.
		for (const days of [0, 1, -1]) {
			const day = DateTime.utc(date.year, date.month, date.day).plus({ days }).toFormat('yyyy-MM-dd');
			const span = localDaySpan(day, this.zone);
			const [from, to] = [span.from.toMillis(), span.to.toMillis()];
			if (instant >= from && instant < to) return { day, from, to };
		}
		return { day: date.toFormat('yyyy-MM-dd'), from: instant, to: instant + 1 };
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
