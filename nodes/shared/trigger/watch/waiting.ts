import { HOUR_MS } from '../../dsquery/values/durations';
import type { StatusValue } from '../types';

/** A value that has not lasted long enough to count, and since when it has been seen, in milliseconds since 1970. */
export type Waiting = [value: StatusValue, since: number];

/** How much closer together than their interval two polls may be. */
const POLL_JITTER_MS = 5_000;
/** Things may have been otherwise during a pause longer than this and two poll intervals, so waiting begins again. */
const LONGEST_PAUSE_MS = HOUR_MS;

/**
 * Remembers in `waiting` since when a thing has had a value that has not lasted yet.
 *
 * @param value left out if there is only one that it can wait with
 * @returns that time, and forgets it, once the value has lasted `afterMs` (less the jitter of polls)
 */
export function hasLasted(
	waiting: Map<string, Waiting>,
	key: string,
	value: StatusValue | undefined,
	{ afterMs, now }: { afterMs: number; now: number },
): number | undefined {
	const [known = null, began = now] = waiting.get(key) ?? [];
	const awaited = value === undefined ? known : value;
	const since = known === awaited ? Math.min(began, now) : now;
	if (now - since < afterMs - POLL_JITTER_MS) {
		waiting.set(key, [awaited, since]);
		return undefined;
	}
	waiting.delete(key);
	return since;
}

/** Whether values that were last seen waiting at `seenAt` may still be taken for waiting since then. */
export function isStillWaiting(
	seenAt: number | undefined,
	{ now, usualMs, hasCurrentNotes }: { now: number; usualMs: number; hasCurrentNotes: boolean },
): boolean {
	return hasCurrentNotes && now - (seenAt ?? now) <= Math.max(LONGEST_PAUSE_MS, 2 * usualMs);
}

/**
 * How to correct saved times after the clock was set. If it was set forward, times of waiting move with it, so that only
 * time that has really passed counts. All others are corrected only if they lie in the future.
 *
 * @param setByMs by how much the clock was set, negative if it was set back
 */
export function correctTimes(now: number, setByMs: number) {
	const back = (time: number) => (time > now ? Math.min(now, time + Math.min(0, setByMs)) : time);
	return { back, waited: (time: number) => (setByMs > 0 ? time + setByMs : back(time)) };
}
