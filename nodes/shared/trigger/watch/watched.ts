import clamp from 'lodash/clamp';

import { HOUR_MS, MINUTE_MS } from '../../dsquery/values/durations';
import type { Named } from './unreadable';

/** The time watched without a gap that has not been reported yet. Times are milliseconds since 1970. */
export interface Watched {
	from: number;
	to: number;
	/** How often everything was seen in that time, without the first time. */
	polls: number;
}

/** A time that is due to be reported, and what was not watched in it. */
export interface WatchedTime extends Watched {
	unreadable: Named[];
}

const SHORTEST_GAP_MS = 15 * MINUTE_MS;
const LONGEST_GAP_MS = HOUR_MS;

/**
 * Polls further apart leave a gap that counts as not watched: twice their usual distance, as they may come early or
 * late, or one may fail.
 *
 * @param usualMs the usual distance of two polls, 0 if it is not known
 */
export function longestGapMs(usualMs: number): number {
	return clamp(2 * usualMs, SHORTEST_GAP_MS, LONGEST_GAP_MS);
}

/**
 * Adds that everything was seen once more. The time until it was seen before is due to be reported once an hour, after
 * a gap, and when an incident has ended without an event: that item still names it as open, and ends when it was last
 * seen open.
 *
 * @param seen when that began and when it ended: the same, if one poll sees everything
 * @returns what is watched now, and what is due
 */
export function seenAgain(
	watched: Watched | undefined,
	seen: { began: number; ended: number },
	rules: { longestGapMs: number; hasQuietEnd: boolean },
): { watched?: Watched; due?: Watched } {
	const isGap = watched === undefined || watched.to > seen.began || seen.ended - watched.to > rules.longestGapMs;
	if (isGap) {
		const due = watched && watched.to > watched.from ? watched : undefined;
		const isSlow = seen.ended - seen.began > rules.longestGapMs;
		return { watched: isSlow ? undefined : { from: seen.ended, to: seen.ended, polls: 0 }, due };
	}
	const isDue = watched.to - watched.from >= HOUR_MS || rules.hasQuietEnd;
	if (!isDue) return { watched: { ...watched, to: seen.began, polls: watched.polls + 1 } };
	const due = watched.to > watched.from ? watched : undefined;
	return { watched: { from: watched.to, to: seen.began, polls: 1 }, due };
}
