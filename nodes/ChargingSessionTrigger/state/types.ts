import type { NewIdsState } from '../../shared/trigger/newIds';
import type { Position, RowKey, StatusValue, TriggerState } from '../../shared/trigger/types';

/**
 * The session trigger's state machine. Everything in this folder is pure: rows and times come in as arguments. Times are
 * milliseconds since 1970, by the platform's clock unless said otherwise.
 */

export const SESSION_EVENTS = ['started', 'ended', 'failed', 'runningLong'] as const;

export type SessionEventName = (typeof SESSION_EVENTS)[number];

/** One thing that happened to one session. */
export interface SessionEvent {
	name: SessionEventName;
	session: RowKey;
	/** When the poll ran that raised the event, by this machine's clock. */
	detectedAt: number;
	/** How long the session has been running; null where that is not what the event is about. */
	durationSeconds: number | null;
	/** The same whenever the same thing is found again: it is made from what is watched, the session and the event. */
	id: string;
}

/** What a poll saw of one session. */
export interface SessionSight {
	session: RowKey;
	code: StatusValue;
	startedAt?: number;
}

/** Sessions by the hour in which they started, rounded up: they are remembered for days. */
export type SessionsByHour = Record<string, Array<number | string>>;

/** Everything the trigger remembers between polls. */
export interface SessionState extends TriggerState {
	kept: NewIdsState['kept'] & {
		/** Fingerprint of where is watched: another one begins a new state. */
		place: string;
		/** Fingerprints of what makes a session open, or long. Undefined where no event needs to know. */
		openConfig?: string;
		longConfig?: string;
		/** The codes with which a session was over for whoever last looked at all that are open. */
		overCodes: StatusValue[];
		/** The first reading of open sessions, until it is complete: those from `next` on, up to the highest Id then. */
		openReading?: { reports: boolean; next: Position; upTo?: number };
		/** The same for sessions that run long. */
		longReading?: { reports: boolean };
		backlog: SessionEvent[];
	};
	notes: NewIdsState['notes'] & {
		/** Sessions that are not over. */
		open: SessionsByHour;
		/** Behind which of them looking up goes on because the last poll did not get through. */
		openNext?: number;
		/** Sessions that are known to run long. */
		long: SessionsByHour;
		longNext?: Position;
	};
}

/** What is watched, and what of it is reported. */
export interface SessionRules {
	events: ReadonlySet<SessionEventName>;
	/** Codes that are reported as ended. */
	endCodes: ReadonlySet<StatusValue>;
	/** Codes that are reported as failed, where that is asked for. */
	failedCodes: ReadonlySet<StatusValue>;
	/** All codes with which a session is over. */
	overCodes: ReadonlySet<StatusValue>;
	/** How long after its start a session is given up; where it runs long, after that. */
	watchMs: number;
	longMs: number;
	/** Whether the very first reading reports the sessions it finds. */
	reportInitialState: boolean;
	/** See `SessionState`. */
	place: string;
	openConfig?: string;
	longConfig?: string;
}

/** Times of a poll. The two clocks may be apart, and either may be wrong. */
export interface Clocks {
	/** This machine's time. */
	own: number;
	/** The platform's time, as its answers say. */
	platform: number;
}
