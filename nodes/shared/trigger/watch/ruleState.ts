import min from 'lodash/min';
import omit from 'lodash/omit';

import type { AlertRule, Observation, WatchedValue } from './alertRule';

/** What a rule remembers, and what becomes of that besides evaluation: after a pause, under other settings, when there is too much. */

/** A value that does not count yet, because it must last for a time. */
export interface PendingValue {
	value: WatchedValue;
	/** When a poll first saw the value. */
	since: number;
	/** When a poll last saw the thing. */
	seenAt: number;
	/** Since when the thing has been back at the value before. */
	backSince?: number;
	/** How long earlier, shorter returns to the value before took together. */
	backMs?: number;
}

/** What is remembered of one thing. */
export interface TrackedEntry {
	/** The value that counts; of the rules `state` and `often`, whether the thing is in the state. */
	value: WatchedValue;
	/** Of the rule `state`, since when it has been in the state; of `still`, since when it has not risen. */
	since?: number;
	/** Of the rule `end`: when it was first seen, if it is new. */
	firstSeen?: number;
	/** The open incident, and whether its end is to be reported: its begin was, or is not asked for. */
	incident?: readonly [id: string, isTold: boolean];
	next?: PendingValue;
	/** Of the rule `still`: the latest number below `value`, and how often such numbers have risen. */
	lower?: readonly [value: number, rises: number];
	/** Of the rule `often`: when it entered the state, in minutes since 1970. After a report only the last time. */
	times?: readonly number[];
	/** Of the rule `often`: it was reported. */
	isOften?: true;
	/** Since when polls have not found it, and whether the look-up of one of them is known to work. */
	missing?: { since: number; isProven: boolean };
	/** The list does not show it, but it may exist: it is not looked up until the list shows it again. */
	isAway?: true;
}

/** What one rule remembers. */
export interface RuleState {
	/**
	 * False until the first reading has reached its end, and again after a change of what is watched. Until then nothing is
	 * reported, unless the context says `reportsFirst`.
	 */
	isBegun: boolean;
	/** When the last poll was; 0 before the first one, and after a change of what is watched. */
	at: number;
	entries: Readonly<Record<string, TrackedEntry>>;
}

export const NOTHING_KNOWN: RuleState = { isBegun: false, at: 0, entries: {} };

/** The value of an entry found by the first reading when the filter could not be asked, so that it is still to be reported. */
export const UNDECIDED = 'undecided';

/** While things could not be matched, more Ids are remembered, so that they are read again: at most so many. */
const MOST_NUMBERS = 1_000;

/**
 * The state after a change of what is watched. Kept are incidents whose end is to be reported, what is followed to its end,
 * and what is known to exist.
 */
export function resetForNewConfig({ entries, at }: RuleState, { kind }: Pick<AlertRule, 'kind'>): RuleState {
	const isKept = ({ incident }: TrackedEntry) => kind === 'end' || kind === 'presence' || incident?.[1];
	const kept = Object.entries(entries).filter(([, entry]) => isKept(entry));
	const entriesKept = Object.fromEntries(kept.map(([key, entry]) => [key, withoutWaits(entry)]));
	// What began and ended since the last poll is no past of before it was watched.
	return { isBegun: false, at: kind === 'end' ? at : 0, entries: entriesKept };
}

/** The state after a pause without polls: every wait starts again, open incidents stay. */
export function restartWaits(state: RuleState, now: number): RuleState {
	const entries = Object.entries(state.entries).map(([key, entry]) => {
		const { since, ...rest } = withoutWaits(entry);
		return [key, entry.incident ? { since, ...rest } : { ...rest, ...(since !== undefined && { since: now }) }];
	});
	return { ...state, entries: Object.fromEntries(entries) as RuleState['entries'] };
}

function withoutWaits(entry: TrackedEntry): TrackedEntry {
	return omit(entry, 'next', 'missing');
}

/** The known keys that the list should have shown and did not, where it matters what became of them: to look up by Id. */
export function keysToLookUp(
	{ isBegun, entries }: RuleState,
	{ kind }: Pick<AlertRule, 'kind'>,
	{ seen, covers }: Pick<Observation, 'covers'> & { seen: { has(key: string): boolean } },
) {
	if (kind === 'values' || (kind === 'presence' && !isBegun)) return [];
	const isSought = (key: string) => canBeMissed(kind, entries[key]) && covers(key);
	return Object.keys(entries).filter((key) => !seen.has(key) && isSought(key));
}

/** Whether it matters to the rule that a thing is gone. */
export function canBeMissed(kind: AlertRule['kind'], { value, incident, isAway }: Partial<TrackedEntry> = {}): boolean {
	if (kind === 'presence' || kind === 'values') return !isAway;
	return kind === 'often' ? value === true : kind === 'end' || incident !== undefined;
}

/** The keys found by the first reading for which the filter could not be asked yet. */
export function undecidedKeys({ entries }: Pick<RuleState, 'entries'>): Set<string> {
	return new Set(Object.keys(entries).filter((key) => entries[key]?.value === UNDECIDED));
}

/** The state without what the list should have shown and did not, if more than `most` things are remembered. */
export function evictEntries(
	state: RuleState,
	{ seen, covers }: Pick<Observation, 'seen' | 'covers'>,
	most: number,
): RuleState {
	const entries = Object.entries(state.entries);
	if (entries.length <= most) return state;
	const kept = entries.filter(([key, { isAway }]) => !isAway && (seen.has(key) || !covers(key)));
	return { ...state, entries: Object.fromEntries(kept) };
}

/**
 * The state with the `count` highest Ids: what is new has a higher one, or one that turns up late among them. While some
 * could not be matched, also one Id below theirs, so that the next reading finds them again.
 */
export function keepHighestIds(
	state: RuleState,
	{ seen, unmatched }: Pick<Observation, 'seen' | 'unmatched'>,
	count: number,
): RuleState {
	const keys = Object.keys(state.entries).sort((a, b) => Number(b) - Number(a));
	const left = [...(unmatched ?? [])].filter((key) => seen.has(key) && !(key in state.entries));
	const lowest = min(left.map(Number)) ?? Number.POSITIVE_INFINITY;
	const above = keys.filter((key) => Number(key) > lowest).length;
	const most = Math.min(Math.max(count, above + 1), MOST_NUMBERS);
	if (keys.length <= most) return state;
	return {
		...state,
		entries: Object.fromEntries(keys.slice(0, most).map((key) => [key, state.entries[key] as TrackedEntry])),
	};
}
