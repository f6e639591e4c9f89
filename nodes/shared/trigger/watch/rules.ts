import type { StatusValue } from '../types';
import type { WatchDraft } from './draft';
import { type Status, UNKNOWN } from './status';
import type { Change, WatchEvent } from './types';

/** A thing that is watched: its key in the state, and what events say of it. */
export interface Thing<Subject> {
	key: string;
	subject: Subject;
}

/** Things that are in a state of interest, and those that are not any more: an incident, its begin and its end. */
export interface InState {
	kind: 'inState';
	/** The events of its begin and of its end. */
	opens: string;
	closes: string;
	/** What `from` and `to` call being in the state and being out of it. Left out: `to` is the value, and `from` null. */
	called?: { inside: string; outside: string };
	/** Whether its begin and its end are reported. With both, an end is reported only if the begin was. */
	reportsOpening: boolean;
	reportsClosing: boolean;
	/** How long a thing must be in the state, or out of it, before that counts, in milliseconds. */
	openAfterMs: number;
	closeAfterMs: number;
}

export interface AnotherValue {
	kind: 'anotherValue';
	name: string;
	/** Values that a change must start from, and lead to. Any, if there are none. */
	from?: ReadonlySet<StatusValue>;
	to?: ReadonlySet<StatusValue>;
	/** How long a value must hold before it counts, in milliseconds. */
	afterMs: number;
	/** Whether a missing status is a value: see `isNoneAValue`. */
	noneIsValue: boolean;
}

/**
 * Takes in whether a thing is in the state.
 *
 * @param isQuiet whether an incident that begins is not news: how things were when watching began
 */
export function observeState<Subject extends object>(
	draft: WatchDraft<Subject>,
	rule: InState,
	{ key, subject }: Thing<Subject>,
	{ isIn, value, isQuiet }: { isIn: boolean; value: StatusValue; isQuiet: boolean },
): void {
	const incident = draft.incidents.get(key);
	if (isIn === (incident !== undefined)) {
		draft.waiting.delete(key);
		return;
	}
	const change = changeOf(rule, isIn, value);
	// Whether it waits to begin or to end follows from the incident, so the word that is saved says nothing.
	const since = isQuiet && isIn ? draft.now : draft.hasLasted(key, isIn ? rule.openAfterMs : rule.closeAfterMs);
	if (since === undefined) return;
	if (!incident) {
		const incidentId = draft.idOf(subject, change);
		const isRaised = rule.reportsOpening && !isQuiet;
		draft.open(key, [since, !isQuiet, incidentId], isRaised);
		if (isRaised) draft.raise(subject, change, { since, incidentId });
		return;
	}
	close(draft, rule, { key, subject }, change, { until: since });
}

/** Ends what is known of a thing that is not there any more, and its incident. */
export function observeRemoved<Subject extends object>(
	draft: WatchDraft<Subject>,
	rule: InState,
	thing: Thing<Subject>,
): void {
	draft.waiting.delete(thing.key);
	close(draft, rule, thing, changeOf(rule, false, null), { until: draft.now, isRemoved: true });
}

function close<Subject extends object>(
	draft: WatchDraft<Subject>,
	{ reportsOpening, reportsClosing }: InState,
	{ key, subject }: Thing<Subject>,
	change: Change,
	{ until, ...removed }: { until: number; isRemoved?: boolean },
): void {
	const incident = draft.incidents.get(key);
	if (!incident) return;
	const [since, isReported, incidentId] = incident;
	const isRaised = reportsClosing && (isReported || !reportsOpening);
	draft.end(key, isRaised);
	if (isRaised) draft.raise(subject, change, { since, until: Math.max(since, until), incidentId, ...removed });
}

function changeOf({ opens, closes, called }: InState, isIn: boolean, value: StatusValue): Change {
	const name = isIn ? opens : closes;
	if (!called) return { name, from: null, to: value };
	const [from, to] = isIn ? [called.outside, called.inside] : [called.inside, called.outside];
	return { name, from, to };
}

/**
 * Takes in the value that a status has now. One that is seen for the first time is how things were when watching began.
 *
 * @param known the value that it had
 * @param reportsFirst whether the first value is reported. What must start from a chosen value is not so from the
 * beginning.
 * @returns the value that counts now; undefined if none could be read yet
 */
export function observeValue<Subject extends object>(
	draft: WatchDraft<Subject>,
	rule: AnotherValue,
	{ key, subject }: Thing<Subject>,
	{ known, value, reportsFirst }: { known: StatusValue | undefined; value: Status; reportsFirst: boolean },
): StatusValue | undefined {
	const { name, from, to, afterMs, noneIsValue } = rule;
	// Older versions saved null for a status that could not be read.
	const before = known === null && !noneIsValue ? undefined : known;
	if (value === UNKNOWN) return before;
	const isAllowed = (values: ReadonlySet<StatusValue> | undefined, one: StatusValue) =>
		!values?.size || values.has(one);
	if (before === undefined || before === value) {
		draft.waiting.delete(key);
		const isReported = before === undefined && reportsFirst && !from?.size && isAllowed(to, value);
		if (isReported) draft.raise(subject, { name, from: null, to: value }, { since: draft.now });
		return value;
	}
	const since = draft.hasLasted(key, afterMs, value);
	if (since === undefined) return before;
	if (isAllowed(from, before) && isAllowed(to, value))
		draft.raise(subject, { name, from: before, to: value }, { since });
	return value;
}

/** How long an ended incident lasted, in a sample. */
const SAMPLE_LASTED_MS = 10 * 60_000;

/**
 * What would be reported about a thing as it is now, for a manual test.
 *
 * @param ids the id of the event, and that of an incident that began before
 */
export function sampleOf<Subject extends object>(
	rule: InState | AnotherValue,
	subject: Subject,
	{ isIn, value }: { isIn: boolean; value: StatusValue },
	{ now, ids: [id, other] }: { now: number; ids: readonly [string, string] },
): WatchEvent<Subject> {
	const event = { ...subject, detectedAt: now, id };
	if (rule.kind === 'anotherValue') {
		const times = { since: now - rule.afterMs, until: null, incidentId: null };
		return { ...event, name: rule.name, from: null, to: value, ...times };
	}
	const isOpen = rule.reportsOpening && isIn;
	const since = now - (rule.openAfterMs || (isOpen ? 0 : SAMPLE_LASTED_MS));
	const times = { since, until: isOpen ? null : now, incidentId: isOpen ? id : other };
	return { ...event, ...changeOf(rule, isOpen, value), ...times };
}
