import type { NewIdsState } from '../../shared/trigger/newIds';
import type { Position, RowKey, StatusValue, TriggerState } from '../../shared/trigger/types';

/**
 * The session trigger's state machine. Everything in this folder is pure: rows and times come in as arguments. Times
 * are milliseconds since 1970, by the platform's clock unless said otherwise.
 */

export const SESSION_EVENTS = ['started', 'ended', 'failed', 'runningLong'] as const;

export type SessionEventName = (typeof SESSION_EVENTS)[number];

/** One thing that happened to one session. */
export interface SessionEvent {
	name: SessionEventName;
	session: RowKey;
	/** When the poll that raised the event ran, by this machine's clock. */
	detectedAt: number;
	/** How long the session has been running; null for all events but `runningLong`. */
	durationSeconds: number | null;
	/** The same whenever the same event is found again: made from place, event and session, and `longMs` if needed. */
	id: string;
}

/** What a poll saw of one session. */
export interface SessionSight {
	session: RowKey;
	code: StatusValue;
	startedAt?: number;
}

/** Session ids by start hour, rounded up. That is exact enough, as they are remembered for days. */
export type SessionsByHour = Record<string, Array<number | string>>;

/** Everything the trigger remembers between polls. */
export interface SessionState extends TriggerState {
	kept: NewIdsState['kept'] & {
		/** Fingerprint of base URL and environment: another one begins a new state. */
		place: string;
		/** Fingerprints of what makes a session open, or long. Undefined if no event needs it. */
		openConfig?: string;
		longConfig?: string;
		/** The codes that counted as over when all open sessions were last looked up. */
		overCodes: StatusValue[];
		/** The incomplete first reading of open sessions: goes on behind `next`, up to the highest Id at its start. */
		openReading?: { reports: boolean; next: Position; upTo?: number };
		/** The same for sessions that run long. */
		longReading?: { reports: boolean };
		backlog: SessionEvent[];
	};
	notes: NewIdsState['notes'] & {
		/** Sessions that are not over. */
		open: SessionsByHour;
		/** The Id behind which looking them up goes on, if the last poll did not get to all. */
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
	/** Codes that are reported as failed, if that event is chosen. */
	failedCodes: ReadonlySet<StatusValue>;
	/** All codes with which a session is over. */
	overCodes: ReadonlySet<StatusValue>;
	/** How long a session is watched from its start; for `runningLong`, from when it has run for `longMs`. */
	watchMs: number;
	longMs: number;
	/** Whether the very first reading reports the sessions it finds. */
	reportInitialState: boolean;
	/** See `SessionState`. */
	place: string;
	openConfig?: string;
	longConfig?: string;
}

/** Times of a poll. The two clocks may differ, and either may be wrong. */
export interface Clocks {
	/** This machine's time. */
	own: number;
	/** The platform's time, from its answers. */
	platform: number;
}
