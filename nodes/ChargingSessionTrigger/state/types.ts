import type { NewIdsState } from '../../shared/trigger/reading/newIds';
import type { Position, RowKey, StatusValue, TriggerState } from '../../shared/trigger/types';
import type { SessionEventName, SessionLimits, StateSlice } from './events';

/**
 * The session trigger's state machine. Everything in this folder is pure: rows and times come in as arguments. Times
 * are milliseconds since 1970, by the platform's clock unless said otherwise.
 */

/** One thing that happened to one session. */
export interface SessionEvent {
	name: SessionEventName;
	session: RowKey;
	/** When the poll that raised the event ran, by this machine's clock. */
	detectedAt: number;
	/** How long the session has been running; for events of kind `stall`, how long it stood still. Null for others. */
	durationSeconds: number | null;
	/** The same whenever the same event is found again: made from place, event, session, and what tells repeats apart. */
	id: string;
}

/** What a poll saw of one session. */
export interface SessionSight {
	session: RowKey;
	code: StatusValue;
	startedAt?: number;
	/** In kWh. Left out if the row has none. */
	energy?: number;
}

/** The highest energy that polls saw of a session, and since when. */
export interface Standing {
	energy: number;
	/** By a clock that nobody sets. */
	since: number;
}

/** The last stall of a session, as saved: at which energy, and since when by this machine's clock. */
export interface Stall extends Standing {
	/** Whether its end is reported: that was chosen when it began. */
	tellsEnd: boolean;
	/** Which stall of the session it is. Left out for the first. */
	number?: number;
	/** Set once the energy has risen. */
	isOver?: true;
}

/** Session ids by start hour, rounded up. That is exact enough, as they are remembered for days. */
export type SessionsByHour = Record<string, Array<number | string>>;

/** An incomplete first reading: whether it reports what it finds. */
export interface FirstReading {
	reports: boolean;
}

/** What is kept and noted for each event of kind `state`, under its slice. */
type StateKept = { [Slice in StateSlice as `${Slice}Config`]?: string } & {
	[Slice in StateSlice as `${Slice}Reading`]?: FirstReading;
};
type StateNotes = { [Slice in StateSlice]?: SessionsByHour } & {
	[Slice in StateSlice as `${Slice}Next`]?: Position;
};

/** Everything the trigger remembers between polls. */
export interface SessionState extends TriggerState {
	kept: NewIdsState['kept'] &
		StateKept & {
			/** Fingerprint of base URL and environment: another one begins a new state. */
			place: string;
			/** Fingerprint of what makes a session open. Undefined if no event needs it, as for the slices of events. */
			openConfig?: string;
			/** The codes that counted as over when all open sessions were last looked up. */
			overCodes: StatusValue[];
			/** The first reading of open sessions goes on behind `next`, up to the highest Id at its start. */
			openReading?: FirstReading & { next: Position; upTo?: number };
			/** Open sessions that have stalled at some time. Undefined if no event needs it. */
			stalled?: Record<RowKey, Stall>;
			backlog: SessionEvent[];
		};
	notes: NewIdsState['notes'] &
		StateNotes & {
			/** Sessions that are not over. */
			open: SessionsByHour;
			/** The Id behind which looking them up goes on, if the last poll did not get to all. */
			openNext?: number;
		};
}

/** What is watched, and what of it is reported. */
export interface SessionRules extends SessionLimits {
	events: ReadonlySet<SessionEventName>;
	/** Whether the very first reading reports the sessions it finds, if their event allows it. */
	reportInitialState: boolean;
	/** See `SessionState`. */
	place: string;
	configs: Partial<Record<'open' | StateSlice, string>>;
}

/** What the parts of a draft work on: the saved state, changed in place, and the way to report an event. */
export interface PartOfDraft {
	kept: SessionState['kept'];
	notes: SessionState['notes'];
	rules: SessionRules;
	/** Whether this is the very first poll, and it reports what is already so. */
	reportsInitial: boolean;
	/**
	 * Reports an event if it is chosen.
	 *
	 * @param now when the poll runs, by this machine's clock
	 * @param idParts what else the eventId depends on
	 */
	raise(name: SessionEventName, session: RowKey, now: number, durationSeconds?: number, idParts?: unknown[]): void;
}

/** Times of a poll. The two clocks may differ, and either may be wrong. */
export interface Clocks {
	/** This machine's time. */
	own: number;
	/** The platform's time, from its answers. */
	platform: number;
	/** Time that passes, by a clock that nobody sets. */
	elapsed: number;
}

/** The earlier of the two clocks: that time has been reached whichever of them is right. */
export function surely({ own, platform }: Pick<Clocks, 'own' | 'platform'>): number {
	return Math.min(own, platform);
}
