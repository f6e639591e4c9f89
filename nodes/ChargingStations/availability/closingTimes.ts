import memoize from 'lodash/memoize';
import { DateTime } from 'luxon';

import { localToInstant } from '../../shared/dsquery/values/localTime';
import type { Span } from './dividePeriod';
import type { ClosingHours } from './uptimeRows';

const DAY_SECONDS = 86_400;

/**
 * Finds the spans of a closing time that may touch a period. A time of day that clocks show twice is its first, and one
 * that they skip is the first instant after it.
 *
 * @param period whole seconds since 1970
 */
export function createClosingTimeFinder(period: Span, zone: string): (closed: ClosingHours) => readonly Span[] {
	const instant = (wall: number) => Math.round(localToInstant(wall * 1000, zone) / 1000);
	const midnight = (seconds: number) => {
		const { year, month, day } = DateTime.fromSeconds(seconds, { zone });
		return Date.UTC(year, month - 1, day) / 1000;
	};
	// A closing time that reaches into the period may have begun on the day before.
	const [first, last] = [midnight(period.from) - DAY_SECONDS, midnight(period.to)];
	// Many stations have the same hours.
	return memoize(
		({ weekdays, from, to }: ClosingHours): Span[] => {
			const spans: Span[] = [];
			for (let day = first; day <= last; day += DAY_SECONDS) {
				if (!weekdays.has(new Date(day * 1000).getUTCDay())) continue;
				spans.push({ from: instant(day + from), to: instant(day + to + (to > from ? 0 : DAY_SECONDS)) });
			}
			return spans;
		},
		({ weekdays, from, to }) => [...weekdays].sort().join() + `|${from}|${to}`,
	);
}
