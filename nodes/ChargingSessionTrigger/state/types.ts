import { shortHash } from '../../shared/trigger/hash';
import type { NewIdsState } from '../../shared/trigger/reading/newIds';
import type { Position, RowKey, StatusValue, TriggerState } from '../../shared/trigger/types';

/**
 * The session trigger's state machine. Everything in this folder is pure: rows and times come in as arguments. Times
 * are milliseconds since 1970, by the platform's clock unless said otherwise.
 */

/** What is saved for an event has keys that begin with one of these. They never change. */
export const SLICES = ['long', 'stalled'] as const;
export type Slice = (typeof SLICES)[number];

/** A session that was never seen before. Already so: sessions that are not over. */
interface NewRule {
	kind: 'new';
}

/** A session that was seen before it was over now has one of these codes. Already so: sessions never seen before that. */
interface EndRule {
	kind: 'end';
	codes: ReadonlySet<StatusValue>;
}

/** A session that is not over has been running for longer than this. Already so: sessions that have. */
export interface LongRule {
	kind: 'long';
	slice: Slice;
	afterMs: number;
}

/**
 * A session that is not over enters a state, or leaves it; maybe several times. Already so: sessions that are in it. Two
 * events may share a slice: the begin and the end of the same.
 */
export interface InStateRule {
	kind: 'inState';
	slice: Slice;
	/** Whether this is the event of its end. */
	isEnd: boolean;
	/** What decides about it. From undefined nothing is concluded, and the log says so. */
	valueOf(seen: SeenSession): StatusValue | undefined;
	unknown: string;
	/** Whether a session is in it with this value. @param before the value with which that began, unless it begins now */
	isIn(value: StatusValue, before?: StatusValue): boolean;
	/** For how long it must have been so, as far as polls saw, before it counts. */
	afterMs: number;
	/** What makes it another state once it changes. */
	meaning?: unknown;
}

export type SessionRule = NewRule | EndRule | LongRule | InStateRule;
type Kind = SessionRule['kind'];
type RuleOf<K extends Kind> = Extract<SessionRule, { kind: K }>;

export interface SessionRules {
	/** The rules of the chosen events. Of two ends, the first one is reported. */
	rules: ReadonlyMap<string, SessionRule>;
	/** All codes with which a session is over. */
	overCodes: ReadonlySet<StatusValue>;
	/** How long a session is watched from its start; a long one, from when it has run that long. */
	watchMs: number;
	/** Whether the very first reading reports what it finds: new sessions, and long ones. */
	reportInitialState: boolean;
	storedFilter: unknown;
}

export function eventsOf<K extends Kind>({ rules }: Pick<SessionRules, 'rules'>, kind: K): Array<[string, RuleOf<K>]> {
	const isOfKind = (entry: [string, SessionRule]): entry is [string, RuleOf<K>] => entry[1].kind === kind;
	return [...rules].filter(isOfKind);
}

/** Fingerprint of what makes a session open, and of what else gives a part of the state its meaning. */
export function configOf({ overCodes, watchMs }: SessionRules, ...more: unknown[]): string {
	return shortHash([[...overCodes].map(String).sort(), watchMs, ...more]);
}

export interface SessionEvent {
	name: string;
	session: RowKey;
	/** When the poll that raised the event ran, by this machine's clock. */
	detectedAt: number;
	/** How long the session has been running; for a stall, how long it stood still. Null for others. */
	durationSeconds: number | null;
	/** The same whenever the event is found again: made from platform, event, session, and what tells repeats apart. */
	id: string;
}

export interface SeenSession {
	session: RowKey;
	code: StatusValue;
	startedAt?: number;
	/** In kWh. Left out if the row has none. */
	energy?: number;
}

/** The value with which a session came into a state, and since when, by a clock that nobody sets. */
export interface Standing {
	value: StatusValue;
	since: number;
	/** The latest of the lower values that follow it, and how often these have risen. */
	lower?: { value: StatusValue; rises: number };
}

/** What this process saw of open sessions, for each slice. */
export type StandingSessions = Map<Slice, Map<RowKey, Standing>>;

/** The last time that a session was in a state, as saved. */
export interface Incident {
	/** The value with which it began. Saved under the name of the first one that there was. */
	energy: StatusValue;
	/** By this machine's clock. */
	since: number;
	/** Whether its end is reported: that was chosen when it began. */
	tellsEnd: boolean;
	/** Which incident of the session it is. Left out for the first. */
	number?: number;
	/** Set once the session has left the state. */
	isOver?: true;
}

/** Session ids by start hour, rounded up. That is exact enough, as they are remembered for days. */
export type SessionsByHour = Record<string, Array<number | string>>;

/** An incomplete first reading: whether it reports what it finds. */
export interface FirstReading {
	reports: boolean;
}

/** What is saved for events under their slices. */
type SliceKept = { [Key in `${Slice}Config`]?: string } & { [Key in `${Slice}Reading`]?: FirstReading } & {
	[Key in Slice]?: Record<RowKey, Incident>;
};
type SliceNotes = { [Key in Slice]?: SessionsByHour } & { [Key in `${Slice}Next`]?: Position };

export interface SessionState extends TriggerState {
	kept: NewIdsState['kept'] &
		SliceKept & {
			/** Which platform the sessions are of. */
			place: string;
			/** Fingerprint of what makes a session open. Undefined if no event needs it. */
			openConfig?: string;
			/** The codes that counted as over before those of now were chosen, for as long as there are sessions in `unseen`. */
			overCodes: StatusValue[];
			/** The first reading of open sessions goes on behind `next`, up to the highest Id at its start. */
			openReading?: FirstReading & { next: Position; upTo?: number };
			backlog: SessionEvent[];
		};
	notes: NewIdsState['notes'] &
		SliceNotes & {
			open: SessionsByHour;
			/** Those of them that no poll has seen since the codes of now were chosen: they may have had one of these before. */
			unseen?: Array<number | string>;
			/** The Id behind which looking them up goes on, if the last poll did not get to all. */
			openNext?: number;
		};
}

/** What the parts of a draft work on: the state, which they change, and the way to report an event. */
export interface PartOfDraft {
	kept: SessionState['kept'];
	notes: SessionState['notes'];
	rules: SessionRules;
	/** Whether this is the very first poll, and it reports what is already so. */
	reportsInitial: boolean;
	/** When the poll began: by this machine's clock, and by one that nobody sets. */
	now: number;
	elapsed: number;
	/** @param idParts what else the eventId depends on */
	raise(name: string, session: RowKey, durationMs?: number, idParts?: readonly unknown[]): void;
}

/** The earlier of this machine's time and the platform's: it has been reached whichever of them is right. */
export function surely({ now }: PartOfDraft, platform: number): number {
	return Math.min(now, platform);
}
