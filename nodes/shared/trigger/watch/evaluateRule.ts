import omit from 'lodash/omit';

import { HOUR_MS, MINUTE_MS } from '../../dsquery/values/durations';
import {
	type Absence,
	type AlertRule,
	type DetectedChange,
	type EndedIncident,
	type EvaluationContext,
	type Observation,
	type ObservedValue,
	OUT_OF_SERVICE,
	UNKNOWN,
} from './alertRule';
import { ChangeRecorder } from './changeRecorder';
import { JITTER_MS } from './pendingValue';
import { leaveState, evaluateUnlisted, evaluateValue } from './ruleKinds';
import { canBeMissed, type RuleState, type TrackedEntry, UNDECIDED, undecidedKeys } from './ruleState';

/** What no poll has found for so long is gone, even if its look-up cannot tell. */
const GONE_AFTER_MS = HOUR_MS;
/** If more things than this are missing at once, or all of them, they are believed to be gone only after a while. */
const FEW_MISSING = 10;
const MANY_GONE_AFTER_MS = 15 * MINUTE_MS;

export interface RuleEvaluation {
	state: RuleState;
	changes: DetectedChange[];
	ended: EndedIncident[];
	/** Whether something has changed that later events depend on, with an event or without. */
	isNews: boolean;
}

/** The state after a poll, and what has happened. Pure: the same arguments give the same result. */
export function evaluateRule(
	before: RuleState,
	rule: AlertRule,
	observation: Observation,
	context: EvaluationContext,
): RuleEvaluation {
	const { seen, covers, isWhole, at } = observation;
	const recorder = new ChangeRecorder(before, observation, context);
	const absent = new Map<string, Absence>();
	for (const key of Object.keys(before.entries)) {
		const absence = seen.has(key) || !covers(key) ? undefined : evaluateMissing(recorder, rule, key);
		if (absence) absent.set(key, absence);
	}
	for (const [key, value] of seen) evaluateSeen(recorder, rule, key, value);
	forgetGone(recorder, rule, absent);
	const { changes, ended, isNews } = recorder;
	const entries = Object.fromEntries(recorder.entries);
	const isBegun = before.isBegun || (isWhole && undecidedKeys({ entries }).size === 0);
	return { state: { isBegun, at, entries }, changes, ended, isNews: isNews || isBegun !== before.isBegun };
}

function evaluateSeen(recorder: ChangeRecorder, rule: AlertRule, key: string, value: ObservedValue): void {
	const { entries, observation } = recorder;
	const known = entries.get(key);
	const stored = known && omit(known, 'missing', 'isAway');
	if (stored) entries.set(key, stored);
	if (value === UNKNOWN) return;
	if (observation.unmatched?.has(key)) leaveUndecided(recorder, rule, key, value, stored);
	else if (value === OUT_OF_SERVICE) leaveAlone(recorder, rule, key, stored);
	else evaluateValue(recorder, rule, key, value, stored);
}

/** Leaves the entry as it is; without one, notes what a first reading would report, as later polls may not read it again. */
function leaveUndecided(
	{ before, isQuiet, entries }: ChangeRecorder,
	rule: AlertRule,
	key: string,
	value: ObservedValue,
	stored: TrackedEntry | undefined,
): void {
	if (stored || before.isBegun || isQuiet || rule.kind !== 'presence' || typeof value === 'symbol') return;
	if (rule.isReported?.(value) !== false) entries.set(key, { value: UNDECIDED });
}

/** Ends what is out of service without an event. */
function leaveAlone(recorder: ChangeRecorder, rule: AlertRule, key: string, stored: TrackedEntry | undefined): void {
	if (!stored || rule.kind === 'presence') return;
	if (rule.kind === 'often') return leaveState(recorder, rule, key, stored);
	recorder.entries.delete(key);
	recorder.isNews ||= rule.kind === 'values';
	recorder.close(undefined, key, stored, { to: null, until: recorder.observation.at });
}

/** Evaluates what the list should have shown and did not. @returns what the look-up says of it, if it may be gone */
function evaluateMissing(recorder: ChangeRecorder, rule: AlertRule, key: string): Absence | undefined {
	const { entries, observation } = recorder;
	const entry = entries.get(key);
	if (!entry || (observation.isBlank && !canBeMissed(rule.kind, entry))) return undefined;
	if ((rule.kind === 'state' && !entry.incident) || (rule.kind === 'often' && entry.value !== true)) {
		evaluateUnlisted(recorder, rule, key, entry);
		return undefined;
	}
	return noteAbsence(recorder, rule, key, entry);
}

/** Notes in the entry what the look-up says of it. @returns that, if it may be gone */
function noteAbsence(recorder: ChangeRecorder, rule: AlertRule, key: string, entry: TrackedEntry): Absence | undefined {
	const { entries, observation } = recorder;
	const found = observation.absent.get(key);
	const isAway = rule.kind === 'presence' ? found === 'outOfScope' : rule.kind === 'values' && found === undefined;
	if (isAway) entries.set(key, { ...entry, isAway: true });
	else if (found === 'outOfScope' || found === 'replaced') forget(recorder, rule, key, entry, found === 'replaced');
	else if (found !== undefined) {
		const { since = observation.at, isProven = false } = entry.missing ?? {};
		entries.set(key, { ...entry, missing: { since, isProven: isProven || observation.isProven === true } });
		return found;
	}
	return undefined;
}

/** Forgets what is gone. That depends on how many are missing at once, in this poll and in the others of its round. */
function forgetGone(recorder: ChangeRecorder, rule: AlertRule, absent: ReadonlyMap<string, Absence>): void {
	const { entries, before, observation } = recorder;
	const sought = [...entries.values()].filter((entry) => canBeMissed(rule.kind, entry));
	const lost = sought.filter((entry) => entry.missing).length;
	const areMany = lost > FEW_MISSING || (lost > 1 && lost === sought.length);
	for (const [key, found] of absent) {
		const entry = entries.get(key);
		if (!entry?.missing) continue;
		const wasMissing = before.entries[key]?.missing !== undefined;
		const missingMs = observation.at - entry.missing.since + JITTER_MS;
		const isBelieved = wasMissing && missingMs >= believedAfterMs(rule, areMany);
		const isLong = missingMs >= GONE_AFTER_MS && entry.missing.isProven;
		if ((found === 'gone' && isBelieved) || isLong) forget(recorder, rule, key, entry, true);
	}
}

/** How long things must be missing to count as gone. No event tells that of what is followed to its end, which must not be lost. */
function believedAfterMs({ kind }: AlertRule, areMany: boolean): number {
	if (kind === 'end') return GONE_AFTER_MS;
	return areMany ? MANY_GONE_AFTER_MS : 0;
}

function forget(recorder: ChangeRecorder, rule: AlertRule, key: string, entry: TrackedEntry, isGone: boolean): void {
	const { at } = recorder.observation;
	if (rule.kind === 'often') return leaveState(recorder, rule, key, entry);
	recorder.entries.delete(key);
	if (rule.kind === 'presence') {
		// The saved value may be older than this process knows, so the id is made without it.
		const id = recorder.context.idOf(rule.vanishes ?? '', key);
		recorder.raise(rule.vanishes, { key, from: entry.value, to: null, since: at, id });
	} else if (rule.kind === 'state' || rule.kind === 'still') {
		recorder.close(isGone ? rule.closes : undefined, key, entry, { to: null, until: at, isRemoved: true });
	}
}
