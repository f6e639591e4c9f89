import min from 'lodash/min';
import omit from 'lodash/omit';

import { HOUR_MS, MINUTE_MS } from '../../dsquery/values/durations';

/**
 * Things with a value over time. They are known by keys, such as `17`, `17#HardwareStatus` or `17/32`, and what they are
 * does not matter here. Pure: the same state, rule and look give the same. Times are milliseconds since 1970.
 */

export type WatchedValue = string | number | boolean | null;
/** It is there, and its value cannot be read: nothing follows from it. */
export const UNKNOWN = Symbol('unknown');
/** It is left alone on purpose: what is open ends without an event, and nothing begins. */
export const OUT_OF_SERVICE = Symbol('out of service');
export type ObservedValue = WatchedValue | typeof UNKNOWN | typeof OUT_OF_SERVICE;
/** The value of a thing that the first reading has found, while the filter could not be asked yet whether it is to be reported. */
const UNDECIDED = 'undecided';

/** Polls come a little early or late. */
const JITTER_MS = 5_000;
/** What nobody finds for so long is gone, whatever its detail says. */
const GONE_AFTER_MS = HOUR_MS;
/** More things, or all of them, that are missing at the same time are believed to be gone only after a while. */
const FEW_MISSING = 10;
const MANY_GONE_AFTER_MS = 15 * MINUTE_MS;
/** Where something could not be matched, more Ids are remembered, so that it is read again: at most so many. */
const MOST_NUMBERS = 1_000;
/** A counter that falls and then rises so often counts anew. A single lower value may be a wrong one. */
const RISES_OF_A_NEW_COUNT = 2;

/** What one poll saw. */
export interface Observation {
	at: number;
	seen: ReadonlyMap<string, ObservedValue>;
	/** Whether the part of the list that was read to its end would have shown this key. */
	covers(key: string): boolean;
	/** Whether the reading has reached the end of the list, over as many polls as that took. */
	isWhole: boolean;
	/** What a look-up by Id did not find, or found outside. */
	absent: ReadonlyMap<string, Absence>;
	/** Whether that look-up found something that the list shows. */
	isProven?: boolean;
	/** Whether the list came without content, as a gateway answers in its place: what is not looked up stays as it was. */
	isBlank?: boolean;
	/** What the filter could not be asked about: each stays as it was before. */
	unmatched?: ReadonlySet<string>;
}

/** It exists no more; no list shows it, although it may exist; it is not watched any more. */
export type Absence = 'gone' | 'missing' | 'outOfScope';

/** A value that counts once it has been there for long enough. */
interface PendingValue {
	value: WatchedValue;
	/** The first look that saw it, and the last one that saw the thing. */
	since: number;
	seenAt: number;
	/** Since when it has been back at the value before, and how long all earlier, shorter returns have taken together. */
	backSince?: number;
	backMs?: number;
}

/** What is remembered of a thing. */
interface TrackedEntry {
	value: WatchedValue;
	/** Since when it has been in the state, or has not risen. Other rules do without. */
	since?: number;
	/** When it was first seen, if it is new and followed to its end. */
	firstSeen?: number;
	/** The incident that is open, and whether its end is to be told: its begin was, or is not asked for. */
	incident?: readonly [id: string, isTold: boolean];
	/** Another value, not yet for long enough. */
	next?: PendingValue;
	/** The latest value below `value`, and how often such values have risen. */
	lower?: readonly [value: number, rises: number];
	/** When it came into the state of late, in whole minutes since 1970. Once that was told, only the last time. */
	times?: readonly number[];
	/** It was told that it comes into the state often. */
	isOften?: true;
	/** The looks of late did not find it: since when, and whether one of them found others that the list shows. */
	missing?: { since: number; isProven: boolean };
	/** The list does not show it now, but it exists, or may. Not looked for until the list shows it again. */
	isAway?: true;
}

/** What one rule remembers. */
export interface RuleState {
	/**
	 * False until the first reading has reached its end, and again after a change of what is watched. Until then nothing is
	 * reported, unless `reportsFirst` says so.
	 */
	isBegun: boolean;
	/** When the last look was; 0 before the first, and after a change of what is watched. */
	at: number;
	entries: Readonly<Record<string, TrackedEntry>>;
}

/** When a thing counts as in a state, and as out of it. */
interface StateThresholds {
	isIn(value: WatchedValue): boolean;
	/** How long it has to be in the state. A break that is shorter than this and than `closeAfterMs` does not end the wait. */
	openAfterMs: number;
	/** How long it has to be out of it without a break. */
	closeAfterMs: number;
}

export type AlertRule =
	/** In a state: offline, matching, out of order, running long. `opens` or `closes` left out: not reported. */
	| ({ kind: 'state'; opens?: string; closes?: string } & StateThresholds)
	/** In a state again and again. The `count`th time within `withinMs` is told; then none until `withinMs` have passed without. */
	| ({ kind: 'often'; opens: string; count: number; withinMs: number } & StateThresholds)
	/** Another value: a status, the watched fields of a row. @param from undefined for a first value that is reported */
	| {
			kind: 'values';
			changes: string;
			isReported?(key: string, from: WatchedValue | undefined, to: WatchedValue): boolean;
			afterMs: number;
	  }
	/** A number that should rise, and does not. */
	| { kind: 'still'; opens?: string; closes?: string; afterMs: number }
	/**
	 * Whether a thing is there. Its value is only remembered. It is reported as soon as the filter could be asked about it.
	 * What appears is news, also where no event tells it, unless `isReported` leaves it out.
	 */
	| {
			kind: 'presence';
			appears?: string;
			isReported?(value: WatchedValue): boolean;
			/** Whether the first reading may report what it finds: otherwise, it is always quiet. */
			isReportedAtFirst?: true;
			vanishes?: string;
	  }
	/**
	 * It ends once, and is followed until then. What is over when it is first seen counts as begun and ended since the look
	 * before, so a reading leaves out what was over earlier. An end that no event tells is no news: it need not be saved, as
	 * it is found again.
	 */
	| { kind: 'end'; isOver(value: WatchedValue): boolean; ends(value: WatchedValue): string | undefined };

export type AlertRuleOf<Kind extends AlertRule['kind']> = Extract<AlertRule, { kind: Kind }>;

export interface DetectedChange {
	name: string;
	key: string;
	from: WatchedValue;
	to: WatchedValue;
	/** When a look first saw the state that this is about; of an end, when the incident began. */
	since: number;
	/** When a look first saw that it had ended; null while it lasts. */
	until: number | null;
	/** The id of the event that opened the incident, raised or not; null if there is no incident. */
	incidentId: string | null;
	/** Whether it has ended because what it happened to is not there any more. */
	isRemoved: boolean;
	id: string;
}

/** An incident that has ended, and whether an event tells so. */
export interface EndedIncident {
	key: string;
	id: string;
	since: number;
	isTold: boolean;
}

export interface EvaluationContext {
	/** Whether the first reading reports what it finds: only where nothing was stored. */
	reportsFirst: boolean;
	/** Values wait for their time only while looks are no further apart. */
	longestGapMs: number;
	/** The id of an event or incident: the same if the same saved state leads to it again. */
	idOf(...parts: readonly WatchedValue[]): string;
}

export interface RuleEvaluation {
	state: RuleState;
	changes: DetectedChange[];
	ended: EndedIncident[];
	/** Whether something has changed that later events depend on, with an event or without. */
	isNews: boolean;
}

export const NOTHING_KNOWN: RuleState = { isBegun: false, at: 0, entries: {} };

/**
 * The state after a change of what is watched. Kept are incidents whose end is to be told, what is followed to its end, and
 * what is known to be there.
 */
export function resetForNewConfig({ entries }: RuleState, { kind }: Pick<AlertRule, 'kind'>): RuleState {
	const isKept = ({ incident }: TrackedEntry) => kind === 'end' || kind === 'presence' || incident?.[1];
	const open = Object.entries(entries).filter(([, entry]) => isKept(entry));
	return { isBegun: false, at: 0, entries: Object.fromEntries(open.map(([key, entry]) => [key, rested(entry)])) };
}

/** The state after a pause in which nobody looked: what was waited for begins again. */
export function restartWaits(state: RuleState, now: number): RuleState {
	const entries = Object.entries(state.entries).map(([key, entry]) => {
		const { since, ...again } = rested(entry);
		return [key, entry.incident ? { since, ...again } : { ...again, ...(since !== undefined && { since: now }) }];
	});
	return { ...state, entries: Object.fromEntries(entries) as RuleState['entries'] };
}

function rested(entry: TrackedEntry): TrackedEntry {
	return omit(entry, 'next', 'missing');
}

/** What has to be looked up by Id, because the list does not show it. */
export function keysToLookUp(
	{ isBegun, entries }: RuleState,
	{ kind }: Pick<AlertRule, 'kind'>,
	{ seen, covers }: Pick<Observation, 'covers'> & { seen: { has(key: string): boolean } },
) {
	if (kind === 'values' || (kind === 'presence' && !isBegun)) return [];
	const isSought = (key: string) => canBeMissed(kind, entries[key]) && covers(key);
	return Object.keys(entries).filter((key) => !seen.has(key) && isSought(key));
}

/** Whether it matters that a thing is not there any more. */
function canBeMissed(kind: AlertRule['kind'], { value, incident, isAway }: Partial<TrackedEntry> = {}): boolean {
	if (kind === 'presence' || kind === 'values') return !isAway;
	return kind === 'often' ? value === true : kind === 'end' || incident !== undefined;
}

/** What the first reading has found, and the filter could not be asked about yet. */
export function undecidedKeys({ entries }: Pick<RuleState, 'entries'>): Set<string> {
	return new Set(Object.keys(entries).filter((key) => entries[key]?.value === UNDECIDED));
}

/** The state after a look, and what happened. */
export function evaluateRule(
	before: RuleState,
	rule: AlertRule,
	look: Observation,
	circumstances: EvaluationContext,
): RuleEvaluation {
	const comparison = new RuleEvaluator(before, rule, look, circumstances);
	for (const [key, value] of look.seen) comparison.see(key, value);
	for (const key of Object.keys(before.entries)) if (!look.seen.has(key) && look.covers(key)) comparison.miss(key);
	comparison.forgetGone();
	const { changes, ended, isNews } = comparison;
	const entries = Object.fromEntries(comparison.entries);
	const isBegun = before.isBegun || (look.isWhole && undecidedKeys({ entries }).size === 0);
	const state = { isBegun, at: look.at, entries };
	return { state, changes, ended, isNews: isNews || state.isBegun !== before.isBegun };
}

class RuleEvaluator {
	readonly entries: Map<string, TrackedEntry>;
	readonly changes: DetectedChange[] = [];
	readonly ended: EndedIncident[] = [];
	isNews = false;
	/** What was looked up and not found. */
	private readonly lost = new Map<string, Absence>();
	private readonly isQuiet: boolean;

	constructor(
		private readonly before: RuleState,
		private readonly rule: AlertRule,
		private readonly look: Observation,
		private readonly circumstances: EvaluationContext,
	) {
		this.entries = new Map(Object.entries(before.entries));
		this.isQuiet = !before.isBegun && !circumstances.reportsFirst;
	}

	see(key: string, value: ObservedValue): void {
		const known = this.entries.get(key);
		const stored = known && omit(known, 'missing', 'isAway');
		if (stored) this.entries.set(key, stored);
		if (value === UNKNOWN) return;
		if (this.look.unmatched?.has(key)) this.leaveUndecided(key, value, stored);
		else if (value === OUT_OF_SERVICE) this.leaveAlone(key, stored);
		else if (this.rule.kind === 'state') this.seeState(this.rule, key, value, stored);
		else if (this.rule.kind === 'often') this.seeOften(this.rule, key, value, stored);
		else if (this.rule.kind === 'values') this.seeValue(this.rule, key, value, stored);
		else if (this.rule.kind === 'still') this.seeNumber(this.rule, key, Number(value), stored);
		else if (this.rule.kind === 'end') this.seeEnd(this.rule, key, value, stored);
		else this.seePresence(this.rule, key, value, stored);
	}

	/** Takes in that a list that would show it does not, and what a look-up has found out. */
	miss(key: string): void {
		const { rule, look } = this;
		const entry = this.entries.get(key);
		if (!entry || (look.isBlank && !canBeMissed(rule.kind, entry))) return;
		// Without an incident it is not looked up: it counts as no longer so.
		if (rule.kind === 'state' && !entry.incident) this.keepState(key, this.held(rule, entry, false));
		else if (rule.kind === 'often' && entry.value !== true) {
			this.keepOften(key, { ...this.held(rule, entry, false), times: timesOf(entry, rule, look.at) });
		} else this.missSought(key, entry);
	}

	private missSought(key: string, entry: TrackedEntry): void {
		const { rule, look } = this;
		const found = look.absent.get(key);
		const isAway = rule.kind === 'presence' ? found === 'outOfScope' : rule.kind === 'values' && found === undefined;
		if (isAway) this.entries.set(key, { ...entry, isAway: true });
		else if (found === 'outOfScope') this.forget(key, entry, false);
		else if (found !== undefined) {
			const { since = look.at, isProven = false } = entry.missing ?? {};
			this.entries.set(key, { ...entry, missing: { since, isProven: isProven || look.isProven === true } });
			this.lost.set(key, found);
		}
	}

	/** Forgets what is gone, once it is known how many are missing at the same time: in this look, and in others of its round. */
	forgetGone(): void {
		const { rule, look, before } = this;
		const sought = [...this.entries.values()].filter((entry) => canBeMissed(rule.kind, entry));
		const lost = sought.filter((entry) => entry.missing).length;
		const areMany = lost > FEW_MISSING || (lost > 1 && lost === sought.length);
		for (const [key, found] of this.lost) {
			const entry = this.entries.get(key);
			if (!entry?.missing) continue;
			const wasMissing = before.entries[key]?.missing !== undefined;
			const missingMs = look.at - entry.missing.since + JITTER_MS;
			const isBelieved = areMany ? missingMs >= MANY_GONE_AFTER_MS : wasMissing;
			const isLong = missingMs >= GONE_AFTER_MS && entry.missing.isProven;
			if ((found === 'gone' && isBelieved) || isLong) this.forget(key, entry, true);
		}
	}

	private forget(key: string, entry: TrackedEntry, isGone: boolean): void {
		const { rule, look } = this;
		this.entries.delete(key);
		if (rule.kind === 'presence') {
			// Its value may be as old as the last batch that was saved, so it is no part of the id.
			const id = this.circumstances.idOf(rule.vanishes ?? '', key);
			this.raise(rule.vanishes, { key, from: entry.value, to: null, since: look.at, id });
		} else if (rule.kind === 'state' || rule.kind === 'still') {
			this.close(isGone ? rule.closes : undefined, key, entry, { to: null, until: look.at, isRemoved: true });
		}
	}

	/** It stays as it was. What the first reading would report is remembered by itself: later ones may begin above it. */
	private leaveUndecided(key: string, value: ObservedValue, stored: TrackedEntry | undefined): void {
		const { rule, before } = this;
		if (stored || before.isBegun || this.isQuiet || rule.kind !== 'presence' || typeof value === 'symbol') return;
		if (rule.isReported?.(value) !== false) this.entries.set(key, { value: UNDECIDED });
	}

	private leaveAlone(key: string, stored: TrackedEntry | undefined): void {
		if (!stored || this.rule.kind === 'presence') return;
		this.entries.delete(key);
		this.isNews ||= this.rule.kind === 'values' || this.rule.kind === 'often';
		this.close(undefined, key, stored, { to: null, until: this.look.at });
	}

	private seeState(
		rule: AlertRuleOf<'state'>,
		key: string,
		value: WatchedValue,
		was: TrackedEntry = { value: false },
	): void {
		const isIn = rule.isIn(value);
		const now = this.held(rule, was, isIn);
		if (now.value === was.value) {
			this.keepState(key, now);
		} else if (isIn) {
			this.open(rule.opens, key, { value: true, since: now.since ?? this.look.at }, value);
		} else {
			this.entries.delete(key);
			this.close(rule.closes, key, was, { to: value, until: now.since ?? this.look.at });
		}
	}

	/** Remembers what is in the state, or waits for its time. */
	private keepState(key: string, entry: TrackedEntry): void {
		if (entry.incident || entry.next) this.entries.set(key, entry);
		else this.entries.delete(key);
	}

	/** What is known once it was seen in the state, or out of it. */
	private held(
		{ opens, openAfterMs, closeAfterMs }: AlertRuleOf<'state' | 'often'>,
		was: TrackedEntry,
		isIn: boolean,
	): TrackedEntry {
		if (was.value === true) return this.settled(was, isIn, closeAfterMs);
		// What a quiet look finds counts at once, so that it is not told later; where begins are not told, it waits.
		const isAtOnce = this.isQuiet && opens !== undefined;
		return this.settled(was, isIn, isAtOnce ? 0 : openAfterMs, Math.min(openAfterMs, closeAfterMs));
	}

	private seeOften(
		rule: AlertRuleOf<'often'>,
		key: string,
		value: WatchedValue,
		was: TrackedEntry = { value: false },
	): void {
		const { at } = this.look;
		const isIn = rule.isIn(value);
		const { since = at, ...now } = this.held(rule, was, isIn);
		const before = timesOf(was, rule, at);
		const isNew = now.value === true && was.value !== true && !this.isQuiet;
		const times = isNew ? [...before, Math.floor(since / MINUTE_MS)] : before;
		const wasOften = was.isOften === true && before.length > 0;
		const isOften = wasOften || (isNew && times.length >= rule.count);
		if (isOften && !wasOften) this.raise(rule.opens, { key, from: null, to: value, since });
		this.isNews ||= now.value !== was.value;
		const { next } = now;
		this.keepOften(key, {
			value: now.value,
			...(next && { next }),
			times: isOften ? times.slice(-1) : times,
			...(isOften && { isOften }),
		});
	}

	/** Remembers what is in the state, was in it of late, or waits for its time. */
	private keepOften(key: string, entry: TrackedEntry & { times: readonly number[] }): void {
		const { value, next, times } = entry;
		if (value === true || next || times.length > 0) this.entries.set(key, entry);
		else this.entries.delete(key);
	}

	private seeValue(
		{ changes, isReported = () => true, afterMs }: AlertRuleOf<'values'>,
		key: string,
		value: WatchedValue,
		stored: TrackedEntry | undefined,
	): void {
		const { at } = this.look;
		if (!stored || this.isQuiet) {
			const isFirst = !this.before.isBegun && !this.isQuiet;
			if (isFirst && isReported(key, undefined, value)) this.raise(changes, { key, from: null, to: value, since: at });
			this.entries.set(key, { value });
			this.isNews ||= this.before.isBegun || isFirst;
			return;
		}
		const { since = at, ...now } = this.settled(stored, value, afterMs);
		this.entries.set(key, now);
		if (now.value === stored.value) return;
		this.isNews = true;
		if (isReported(key, stored.value, value)) this.raise(changes, { key, from: stored.value, to: value, since });
	}

	private seeNumber(rule: AlertRuleOf<'still'>, key: string, value: number, stored: TrackedEntry | undefined): void {
		const { at } = this.look;
		const lower = stored && lowerThan(stored, value);
		const isAnew = !stored || value > Number(stored.value) || (lower?.[1] ?? 0) >= RISES_OF_A_NEW_COUNT;
		if (isAnew) {
			if (stored?.incident) this.close(rule.closes, key, stored, { to: value, until: at });
			this.entries.set(key, { value, since: at });
			return;
		}
		const entry: TrackedEntry = { ...omit(stored, 'lower'), ...(lower && { lower }) };
		const { since = at } = entry;
		this.entries.set(key, entry);
		if (!entry.incident && at - since >= rule.afterMs - JITTER_MS) this.open(rule.opens, key, entry, value);
	}

	private seePresence(
		rule: AlertRuleOf<'presence'>,
		key: string,
		value: WatchedValue,
		stored: TrackedEntry | undefined,
	): void {
		const { appears, isReported = () => true, isReportedAtFirst } = rule;
		this.entries.set(key, { value });
		const isQuiet = isReportedAtFirst ? this.isQuiet : !this.before.isBegun;
		const isKnown = stored !== undefined && stored.value !== UNDECIDED;
		if (isKnown || isQuiet || !isReported(value)) return;
		this.isNews = true;
		this.raise(appears, { key, from: null, to: value, since: this.look.at });
	}

	private seeEnd(
		{ isOver, ends }: AlertRuleOf<'end'>,
		key: string,
		value: WatchedValue,
		stored: TrackedEntry | undefined,
	): void {
		if (!isOver(value)) {
			const firstSeen = stored || !this.before.isBegun ? stored?.firstSeen : this.look.at;
			this.entries.set(key, { value, ...(firstSeen !== undefined && { firstSeen }) });
			return;
		}
		this.entries.delete(key);
		// Where it had this value before, only what counts as an end has changed. What the first look
		// finds new and over may have ended before that was watched.
		const isPast = stored ? stored.value === value : this.isQuiet && this.before.at === 0;
		const name = isPast ? undefined : ends(value);
		// It ends once, and how often a look has seen it before makes no difference to the id.
		const id = this.circumstances.idOf(name ?? '', key);
		this.raise(name, { key, from: stored?.value ?? null, to: value, since: this.look.at, id });
	}

	private open(opens: string | undefined, key: string, entry: TrackedEntry, to: WatchedValue): void {
		const incidentId = this.circumstances.idOf(opens ?? 'incident', key);
		const isTold = !this.isQuiet || opens === undefined;
		this.entries.set(key, { ...entry, incident: [incidentId, isTold] });
		this.isNews = true;
		const { since = this.look.at } = entry;
		if (!this.isQuiet) this.raise(opens, { key, from: null, to, since, incidentId, id: incidentId });
	}

	private close(
		closes: string | undefined,
		key: string,
		{ incident, since = this.look.at }: TrackedEntry,
		how: Pick<DetectedChange, 'to'> & { until: number; isRemoved?: boolean },
	): void {
		if (!incident) return;
		const [id, isTold] = incident;
		this.isNews = true;
		this.ended.push({ key, id, since, isTold: isTold && closes !== undefined });
		if (isTold) this.raise(closes, { key, from: null, since, incidentId: id, ...how });
	}

	private raise(
		name: string | undefined,
		change: Pick<DetectedChange, 'key' | 'from' | 'to' | 'since'> & Partial<DetectedChange>,
	): void {
		if (name === undefined) return;
		this.isNews = true;
		const { key, from, to, incidentId = null } = change;
		const id = this.circumstances.idOf(name, key, ...(incidentId === null ? [from, to] : [incidentId]));
		this.changes.push({ until: null, incidentId, isRemoved: false, id, ...change, name });
	}

	/**
	 * A value counts once it was there for long enough, counted from its first look on, with no gap between. A return to the
	 * value before ends that once it has lasted for `backMs`; the time of a shorter one is left out.
	 */
	private settled({ next, ...entry }: TrackedEntry, value: WatchedValue, afterMs: number, backMs = 0): TrackedEntry {
		const { at } = this.look;
		const waits = next && at - next.seenAt <= this.circumstances.longestGapMs ? next : undefined;
		if (value === entry.value) {
			const goesOn = waits && backMs > 0 && this.afterReturn(waits, backMs);
			return goesOn ? { ...entry, next: goesOn } : entry;
		}
		const wait = this.afterRelapse(waits?.value === value ? waits : { value, since: at, seenAt: at });
		const { since, backMs: leftOut = 0 } = wait;
		return at - since - leftOut >= afterMs - JITTER_MS ? { value, since } : { ...entry, next: wait };
	}

	/** What still waits although it has returned. */
	private afterReturn(wait: PendingValue, backMs: number): PendingValue | undefined {
		const { at } = this.look;
		const { backSince = at } = wait;
		return at - backSince >= backMs - JITTER_MS ? undefined : { ...wait, seenAt: at, backSince };
	}

	private afterRelapse({ backSince, ...wait }: PendingValue): PendingValue {
		const { at } = this.look;
		const since = Math.min(wait.since, at);
		if (backSince === undefined) return { ...wait, since, seenAt: at };
		return { ...wait, since, seenAt: at, backMs: (wait.backMs ?? 0) + Math.max(0, at - backSince) };
	}
}

function timesOf({ times = [] }: TrackedEntry, { withinMs }: AlertRuleOf<'often'>, at: number): readonly number[] {
	return times.filter((time) => at - time * MINUTE_MS < withinMs);
}

function lowerThan({ value: highest, lower }: TrackedEntry, value: number): TrackedEntry['lower'] {
	if (value >= Number(highest)) return undefined;
	if (lower === undefined || value < lower[0]) return [value, 0];
	return value > lower[0] ? [value, lower[1] + 1] : lower;
}

/** Forgets things that a list would have shown and did not, now or before, where more are remembered than may be. */
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
 * Keeps the things with the highest numbers: what is new has a higher one, or one that turns up late among them. Where some
 * could not be matched, one below these is kept, too, so that the next reading finds them again.
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
