import mapValues from 'lodash/mapValues';

import { HOUR_MS, MINUTE_MS } from '../../dsquery/values/durations';
import type { EndedIncident } from './alertRule';
import { JITTER_MS } from './pendingValue';
import type { RuleState } from './ruleState';

/** Which time was watched, and what could not be read in it. Pure. Times are milliseconds since 1970. */

/** The time watched without a gap that has not been reported yet, by whole readings. */
interface UnreportedTime {
	from: number;
	to: number;
	/** How often everything was seen in that time, without the first time. */
	polls: number;
}

/** Something that cannot be read, or could not in the time that is watched. */
interface UnreadablePeriod {
	/** When a poll first could not read it. */
	from: number;
	/** When the first of the polls in a row that cannot read it was; undefined if it can be read again. */
	since?: number;
	/** When a poll could read it again. */
	until?: number;
	isSaid?: true;
}

/** What is remembered of both, as plain JSON. */
export interface Coverage {
	watched?: UnreportedTime;
	/** Incidents that have ended in this reading. */
	ended?: readonly EndedIncident[];
	unreadable?: Readonly<Record<string, UnreadablePeriod>>;
}

/** A time that is due to be reported. */
export interface WatchedTime extends UnreportedTime {
	/** The incidents open at its end. */
	open: ReadonlyArray<Omit<EndedIncident, 'isTold'>>;
	/** What could not be read in at least one poll of it. */
	unreadable: string[];
}

const SHORTEST_GAP_MS = 15 * MINUTE_MS;
/** Something that cannot be read for this long is said. */
const SAID_AFTER_MS = HOUR_MS;
/** A time in which more could not be read counts as not watched. */
const MOST_NAMED = 200;
/** No more are remembered. */
const MOST_REMEMBERED = 1_000;

/** Polls further apart leave a gap that counts as not watched. @param distanceMs the usual one of two polls, 0 if not known */
export function longestGapMs(distanceMs: number): number {
	return Math.max(SHORTEST_GAP_MS, 2 * distanceMs) + JITTER_MS;
}

/**
 * Records what a poll could read and what not.
 *
 * @param readability by key, whether it could be read
 * @param isLeftOut whether the list would have shown a key and did not, so that nothing of it matters any more
 * @returns also the keys that have now been unreadable for an hour, and were not said yet
 */
export function recordReadability(
	before: Coverage['unreadable'],
	readability: ReadonlyMap<string, boolean>,
	at: number,
	isLeftOut: (key: string) => boolean,
): { unreadable: Record<string, UnreadablePeriod>; overdue: string[] } {
	const unreadable: Record<string, UnreadablePeriod> = { ...before };
	const overdue: string[] = [];
	for (const [key, { from, since }] of Object.entries(unreadable)) {
		const isReadable = readability.get(key) ?? isLeftOut(key);
		if (since !== undefined && isReadable) unreadable[key] = { from, until: at };
	}
	let { length } = Object.keys(unreadable);
	for (const [key, canRead] of readability) {
		if (canRead || (!(key in unreadable) && length++ >= MOST_REMEMBERED)) continue;
		const { from = at, since = at, isSaid } = unreadable[key] ?? {};
		unreadable[key] = { from, since, ...(isSaid && { isSaid }) };
		if (!isSaid && at - since >= SAID_AFTER_MS) overdue.push(key);
	}
	return { unreadable, overdue };
}

/** The coverage after a pause without polls: the hour until an alert starts again. */
export function resumeCoverage(coverage: Coverage, now: number): Coverage {
	const { unreadable } = coverage;
	if (!unreadable) return coverage;
	const again = mapValues(unreadable, (unread) =>
		unread.since === undefined || unread.isSaid ? unread : { ...unread, since: now },
	);
	return { ...coverage, unreadable: again };
}

/** The coverage once an alert has named these keys. */
export function markUnreadableAlerted(coverage: Coverage, keys: readonly string[]): Coverage {
	const told = keys.map((key) => [key, { from: 0, ...coverage.unreadable?.[key], isSaid: true as const }] as const);
	return { ...coverage, unreadable: { ...coverage.unreadable, ...Object.fromEntries(told) } };
}

/**
 * Adds that everything was seen once more. The time that was watched until the reading before is due to be reported once an
 * hour, after a gap, and when an incident has ended without an event: that report still names it as open, and its time ends
 * when the incident was last seen open.
 *
 * @param round when the reading began and when it ended: the same, if one poll sees everything
 */
function seenAgain(
	watched: UnreportedTime | undefined,
	{ began, ended }: { began: number; ended: number },
	{ gapMs, hasQuietEnd }: { gapMs: number; hasQuietEnd: boolean },
): { watched?: UnreportedTime; due?: UnreportedTime } {
	const known = watched && watched.to > watched.from ? watched : undefined;
	if (watched === undefined || watched.to > began || ended - watched.to > gapMs) {
		const isSlow = ended - began > gapMs;
		return { watched: isSlow ? undefined : { from: ended, to: ended, polls: 0 }, due: known };
	}
	const isDue = watched.to - watched.from >= HOUR_MS || hasQuietEnd;
	if (!isDue) return { watched: { ...watched, to: began, polls: watched.polls + 1 } };
	return { watched: { from: watched.to, to: began, polls: 1 }, due: known };
}

/** Ends a round. @param before what was known when the round began; what is open now is in `state` */
export function closeRound(
	{ watched: before, ended = [], unreadable = {} }: Coverage,
	round: { began: number; ended: number },
	gapMs: number,
	states: readonly RuleState[],
): { coverage: Coverage; due?: WatchedTime } {
	const hasQuietEnd = ended.some(({ isTold }) => !isTold);
	const { watched, due } = seenAgain(before, round, { gapMs, hasQuietEnd });
	const entries = Object.entries(unreadable);
	const until = watched?.from ?? round.ended;
	const kept = entries.filter(([, unread]) => unread.until === undefined || unread.until > until);
	const coverage = { watched, unreadable: Object.fromEntries(kept) };
	const unread = entries.filter(([, { from }]) => from < round.began).map(([key]) => key);
	if (!due || unread.length > MOST_NAMED) return { coverage };
	const open = [...states.flatMap(openIn), ...ended].filter(({ since }) => since <= due.to);
	return { coverage, due: { ...due, open, unreadable: unread } };
}

function openIn({ entries }: RuleState): Array<Omit<EndedIncident, 'isTold'>> {
	return Object.entries(entries).flatMap(([key, { incident, since = 0 }]) =>
		incident ? [{ key, id: incident[0], since }] : [],
	);
}
