import omit from 'lodash/omit';

import { MINUTE_MS } from '../../dsquery/values/durations';
import type { AlertRule, AlertRuleOf, WatchedValue } from './alertRule';
import type { ChangeRecorder } from './changeRecorder';
import { JITTER_MS, settleValue } from './pendingValue';
import { type TrackedEntry, UNDECIDED } from './ruleState';

/** What each kind of rule makes of a value that a poll has seen. */

/** A counter that falls and then rises so often counts anew. A single lower number may be a wrong one. */
const RISES_OF_A_NEW_COUNT = 2;
/** Numbers that differ by less are the same: computers round, and no meter shows so little. */
const SMALLEST_RISE = 1e-6;

/** @param stored the entry of the key before this poll; undefined if it has none */
export function evaluateValue(
	recorder: ChangeRecorder,
	rule: AlertRule,
	key: string,
	value: WatchedValue,
	stored: TrackedEntry | undefined,
): void {
	if (rule.kind === 'state') evaluateState(recorder, rule, key, value, stored);
	else if (rule.kind === 'often') evaluateOften(recorder, rule, key, value, stored);
	else if (rule.kind === 'values') evaluateValues(recorder, rule, key, value, stored);
	else if (rule.kind === 'still') evaluateStill(recorder, rule, key, Number(value), stored);
	else if (rule.kind === 'end') evaluateEnd(recorder, rule, key, value, stored);
	else evaluatePresence(recorder, rule, key, value, stored);
}

function evaluateState(
	recorder: ChangeRecorder,
	rule: AlertRuleOf<'state'>,
	key: string,
	value: WatchedValue,
	before: TrackedEntry = { value: false },
): void {
	const { at } = recorder.observation;
	const isIn = rule.isIn(value);
	const now = settleState(recorder, rule, before, isIn);
	if (now.value === before.value) {
		keepState(recorder, key, now);
	} else if (isIn) {
		recorder.open(rule.opens, key, { value: true, since: now.since ?? at }, value);
	} else {
		recorder.entries.delete(key);
		recorder.close(rule.closes, key, before, { to: value, until: now.since ?? at });
	}
}

/** Keeps the entry of what is in the state, or may be soon. */
function keepState({ entries }: ChangeRecorder, key: string, entry: TrackedEntry): void {
	if (entry.incident || entry.next) entries.set(key, entry);
	else entries.delete(key);
}

/** The entry after a poll has seen the thing in the state, or out of it. */
function settleState(
	{ observation: { at }, context: { longestGapMs }, isQuiet }: ChangeRecorder,
	{ opens, openAfterMs, closeAfterMs }: AlertRuleOf<'state' | 'often'>,
	before: TrackedEntry,
	isIn: boolean,
): TrackedEntry {
	const pace = { at, longestGapMs };
	if (before.value === true) return settleValue(before, isIn, pace, { afterMs: closeAfterMs });
	// What a quiet reading finds in the state counts at once, so that its begin is not reported later.
	const isAtOnce = isQuiet && opens !== undefined;
	const backMs = Math.min(openAfterMs, closeAfterMs);
	return settleValue(before, isIn, pace, { afterMs: isAtOnce ? 0 : openAfterMs, backMs });
}

function evaluateOften(
	recorder: ChangeRecorder,
	rule: AlertRuleOf<'often'>,
	key: string,
	value: WatchedValue,
	before: TrackedEntry = { value: false },
): void {
	const { at } = recorder.observation;
	const isIn = rule.isIn(value);
	const { since = at, ...now } = settleState(recorder, rule, before, isIn);
	const earlier = timesOf(before, rule, beginOf({ since, ...now }));
	const isNew = now.value === true && before.value !== true && !recorder.isQuiet;
	const times = isNew ? [...earlier, Math.floor(since / MINUTE_MS)] : earlier;
	const wasOften = before.isOften === true && earlier.length > 0;
	const isOften = wasOften || (isNew && times.length >= rule.count);
	if (isOften && !wasOften) recorder.raise(rule.opens, { key, from: null, to: value, since, times: times.length });
	recorder.isNews ||= now.value !== before.value;
	const { next } = now;
	keepOften(recorder, key, {
		value: now.value,
		...(next && { next }),
		times: isOften ? times.slice(-1) : times,
		...(isOften && { isOften }),
	});
}

/** Keeps the entry of what is in the state, may be soon, or was within `withinMs`. */
function keepOften({ entries }: ChangeRecorder, key: string, entry: TrackedEntry & { times: readonly number[] }): void {
	const { value, next, times } = entry;
	if (value === true || next || times.length > 0) entries.set(key, entry);
	else entries.delete(key);
}

/** When what is seen began: an outage that is not reported yet counts from its begin. */
const beginOf = ({ next, since }: TrackedEntry & { since: number }) => next?.since ?? since;

/** The times within `withinMs`. */
function timesOf({ times = [] }: TrackedEntry, { withinMs }: AlertRuleOf<'often'>, at: number): readonly number[] {
	return times.filter((time) => at - time * MINUTE_MS < withinMs);
}

/** Takes what the list does not show, and is not looked up, for out of the state. */
export function evaluateUnlisted(
	recorder: ChangeRecorder,
	rule: AlertRuleOf<'state' | 'often'>,
	key: string,
	before: TrackedEntry,
): void {
	const now = settleState(recorder, rule, before, false);
	if (rule.kind === 'state') keepState(recorder, key, now);
	else keepOften(recorder, key, { ...now, times: timesOf(before, rule, recorder.observation.at) });
}

/** Takes what is out of service or gone for out of the state at once. How often it was in the state stays known. */
export function leaveState(
	recorder: ChangeRecorder,
	rule: AlertRuleOf<'often'>,
	key: string,
	before: TrackedEntry,
): void {
	const { isOften } = before;
	recorder.isNews ||= before.value === true;
	const times = timesOf(before, rule, recorder.observation.at);
	keepOften(recorder, key, { value: false, times, ...(isOften && { isOften }) });
}

function evaluateValues(
	recorder: ChangeRecorder,
	{ changes, isReported = () => true, afterMs }: AlertRuleOf<'values'>,
	key: string,
	value: WatchedValue,
	stored: TrackedEntry | undefined,
): void {
	const { entries, isQuiet, before } = recorder;
	const { at } = recorder.observation;
	if (!stored || isQuiet) {
		const isFirst = !before.isBegun && !isQuiet;
		if (isFirst && isReported(key, undefined, value)) {
			recorder.raise(changes, { key, from: null, to: value, since: at });
		}
		entries.set(key, { value });
		recorder.isNews ||= before.isBegun || isFirst;
		return;
	}
	const pace = { at, longestGapMs: recorder.context.longestGapMs };
	const { since = at, ...now } = settleValue(stored, value, pace, { afterMs });
	entries.set(key, now);
	if (now.value === stored.value) return;
	recorder.isNews = true;
	if (isReported(key, stored.value, value)) recorder.raise(changes, { key, from: stored.value, to: value, since });
}

function evaluateStill(
	recorder: ChangeRecorder,
	rule: AlertRuleOf<'still'>,
	key: string,
	value: number,
	stored: TrackedEntry | undefined,
): void {
	const { at } = recorder.observation;
	const lower = stored && lowerThan(stored, value);
	const isRising = !stored || isRise(Number(stored.value), value) || (lower?.[1] ?? 0) >= RISES_OF_A_NEW_COUNT;
	if (isRising) {
		if (stored?.incident) recorder.close(rule.closes, key, stored, { to: value, until: at });
		recorder.entries.set(key, { value, since: at });
		return;
	}
	const entry: TrackedEntry = { ...omit(stored, 'lower'), ...(lower && { lower }) };
	const { since = at } = entry;
	recorder.entries.set(key, entry);
	if (!entry.incident && at - since >= rule.afterMs - JITTER_MS) recorder.open(rule.opens, key, entry, value);
}

/** `lower` of the entry after a number; undefined if that is not below the highest one. */
function lowerThan({ value: highest, lower }: TrackedEntry, value: number): TrackedEntry['lower'] {
	if (value >= Number(highest)) return undefined;
	if (lower === undefined || value < lower[0]) return [value, 0];
	return isRise(lower[0], value) ? [value, lower[1] + 1] : lower;
}

function isRise(from: number, to: number): boolean {
	return to - from >= SMALLEST_RISE;
}

function evaluatePresence(
	recorder: ChangeRecorder,
	{ appears, isReported = () => true, isReportedAtFirst, vanishes }: AlertRuleOf<'presence'>,
	key: string,
	value: WatchedValue,
	stored: TrackedEntry | undefined,
): void {
	recorder.entries.set(key, { value });
	const isQuiet = isReportedAtFirst ? recorder.isQuiet : !recorder.before.isBegun;
	const isKnown = stored !== undefined && stored.value !== UNDECIDED;
	// The event that says that it is gone tells the last value.
	recorder.isNews ||= isKnown && vanishes !== undefined && stored.value !== value;
	if (isKnown || isQuiet || !isReported(value)) return;
	recorder.isNews = true;
	recorder.raise(appears, { key, from: null, to: value, since: recorder.observation.at });
}

function evaluateEnd(
	recorder: ChangeRecorder,
	{ isOver, ends }: AlertRuleOf<'end'>,
	key: string,
	value: WatchedValue,
	stored: TrackedEntry | undefined,
): void {
	const { entries, before, observation, context } = recorder;
	if (!isOver(value)) {
		const firstSeen = stored || !before.isBegun ? stored?.firstSeen : observation.at;
		entries.set(key, { value, ...(firstSeen !== undefined && { firstSeen }) });
		return;
	}
	entries.delete(key);
	// With the same value as before, only what counts as an end has changed. What the first poll finds over may have ended
	// before it was watched.
	const isPast = stored ? stored.value === value : recorder.isQuiet && before.at === 0;
	const name = isPast ? undefined : ends(value);
	// It ends once, so the id does not depend on how often it was seen before.
	const id = context.idOf(name ?? '', key);
	recorder.raise(name, { key, from: stored?.value ?? null, to: value, since: observation.at, id });
}
