import type { WatchedValue } from './alertRule';
import type { PendingValue, TrackedEntry } from './ruleState';

/** Polls come a little early or late. */
export const JITTER_MS = 5_000;

/**
 * The entry after a poll has seen a value: with the value itself once it has lasted for `afterMs`, until then with it as
 * `next`. A wait ends without result when the thing has been back at the value before for `backMs`; a shorter return only
 * does not count towards `afterMs`.
 *
 * @param longestGapMs after a longer time between two polls, the wait starts again
 */
export function settleValue(
	{ next, ...entry }: TrackedEntry,
	value: WatchedValue,
	{ at, longestGapMs }: { at: number; longestGapMs: number },
	{ afterMs, backMs = 0 }: { afterMs: number; backMs?: number },
): TrackedEntry {
	const waiting = next && at - next.seenAt <= longestGapMs ? next : undefined;
	if (value === entry.value) {
		const goesOn = waiting && backMs > 0 && afterReturn(waiting, at, backMs);
		return goesOn ? { ...entry, next: goesOn } : entry;
	}
	const pending = afterRelapse(waiting?.value === value ? waiting : { value, since: at, seenAt: at }, at);
	const { since, backMs: leftOut = 0 } = pending;
	return at - since - leftOut >= afterMs - JITTER_MS ? { value, since } : { ...entry, next: pending };
}

/** The pending value while the thing is back at the value before; undefined once that has lasted for `backMs`. */
function afterReturn(pending: PendingValue, at: number, backMs: number): PendingValue | undefined {
	const { backSince = at } = pending;
	return at - backSince >= backMs - JITTER_MS ? undefined : { ...pending, seenAt: at, backSince };
}

/** The pending value once it is seen again: a return before it is over, and its time is left out. */
function afterRelapse({ backSince, ...pending }: PendingValue, at: number): PendingValue {
	const since = Math.min(pending.since, at);
	if (backSince === undefined) return { ...pending, since, seenAt: at };
	return { ...pending, since, seenAt: at, backMs: (pending.backMs ?? 0) + Math.max(0, at - backSince) };
}
