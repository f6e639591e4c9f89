import type { Condition } from '../../shared/dsquery/types';
import type { StatusValue } from '../../shared/trigger/types';

/** What the rules of events depend on. Times are milliseconds. */
export interface SessionLimits {
	/** Codes that are reported as ended. */
	endCodes: ReadonlySet<StatusValue>;
	/** All codes with which a session is over. */
	overCodes: ReadonlySet<StatusValue>;
	/** How long a session is watched from its start; for an event of kind `state`, from when it can be so. */
	watchMs: number;
	longMs: number;
	/** How long the energy of a session must not have risen. */
	stalledMs: number;
}

interface EventTexts {
	/** The entry under Trigger On, its explanation, and the word in the node's subtitle. */
	label: string;
	description: string;
	word: string;
	/** The parameter whose number follows the word, and its unit. */
	figure?: { parameter: string; unit: string };
	/**
	 * What was already so when the workflow first goes live: reported if the user asks for it with Report Initial State
	 * (`ifAsked`), or never. After a change of settings, what is already so is never reported.
	 */
	baseline: 'ifAsked' | 'never';
}

/** A session that was never seen before. Already so: sessions that are not over. */
export interface NewEvent extends EventTexts {
	kind: 'new';
}

/** A session that was seen before it was over now has one of these codes. Already so: sessions never seen before that. */
export interface EndEvent extends EventTexts {
	kind: 'end';
	baseline: 'never';
	codes(limits: SessionLimits): ReadonlySet<StatusValue>;
}

/** A session that is not over is in a state, for the first time. Already so: sessions that are in it. */
export interface StateEvent extends EventTexts {
	kind: 'state';
	/** The prefix of what is saved for it. Never changes. */
	slice: string;
	/** How long after its start a session can be so. */
	afterMs(limits: SessionLimits): number;
	/** What else selects these sessions, besides that they are not over and when they started. */
	conditions: readonly Condition[];
	/** What else the eventId depends on. */
	idParts(limits: SessionLimits): unknown[];
}

/**
 * The energy of a session that is not over has not risen for some time, or rises again. Already so: nothing, because only
 * polls can tell. Their time begins with the first one that sees the session.
 */
export interface StallEvent extends EventTexts {
	kind: 'stall';
	baseline: 'never';
	/** Whether this is the end of a stall. */
	isEnd: boolean;
}

export type SessionEventRecord = NewEvent | EndEvent | StateEvent | StallEvent;

/** The codes of failed sessions. */
const FAILED: ReadonlySet<StatusValue> = new Set([6]);

/**
 * The events of this trigger, by the name in `event`. Of two ends, the first one here is reported. Everything else
 * follows: the panel, the subtitle, what is read, what is saved, and the samples.
 */
export const SESSION_EVENTS = {
	started: {
		label: 'Session Starts',
		description: 'When there is a new session',
		word: 'started',
		baseline: 'ifAsked',
		kind: 'new',
	},
	failed: {
		label: 'Session Fails',
		description: 'When a session ends as failed. Chosen together with Session Ends, it is reported as failed only.',
		word: 'failed',
		baseline: 'never',
		kind: 'end',
		codes: () => FAILED,
	},
	ended: {
		label: 'Session Ends',
		description: 'When a session reaches one of the end statuses',
		word: 'ended',
		baseline: 'never',
		kind: 'end',
		codes: ({ endCodes }) => endCodes,
	},
	runningLong: {
		label: 'Session Is Running Long',
		description: 'When a session that is not over has been running for more than a number of hours',
		word: 'running over',
		figure: { parameter: 'runningHours', unit: 'h' },
		baseline: 'ifAsked',
		kind: 'state',
		slice: 'long',
		afterMs: ({ longMs }) => longMs,
		conditions: [],
		idParts: ({ longMs }) => [longMs],
	},
	stalled: {
		label: 'Session Stalls',
		description: 'When the energy of a session that is not over has not risen for a number of minutes',
		word: 'stalled for',
		figure: { parameter: 'stalledMinutes', unit: 'min' },
		baseline: 'never',
		kind: 'stall',
		isEnd: false,
	},
	resumed: {
		label: 'Session Resumes',
		description: 'When the energy of a session that had stalled rises again',
		word: 'resumed',
		baseline: 'never',
		kind: 'stall',
		isEnd: true,
	},
} as const satisfies Record<string, SessionEventRecord>;

type Events = typeof SESSION_EVENTS;
export type SessionEventName = keyof Events;
/** The prefixes of what is saved for events of kind `state`. */
export type StateSlice = Extract<Events[SessionEventName], { kind: 'state' }>['slice'];

export const EVENT_NAMES = Object.keys(SESSION_EVENTS) as SessionEventName[];

type Kinds = { new: NewEvent; end: EndEvent; state: StateEvent & { slice: StateSlice }; stall: StallEvent };

/** The events of a kind, in the order of the records. */
export function eventsOf<Kind extends keyof Kinds>(kind: Kind): Array<[SessionEventName, Kinds[Kind]]> {
	return EVENT_NAMES.flatMap((name): Array<[SessionEventName, Kinds[Kind]]> => {
		const event: SessionEventRecord = SESSION_EVENTS[name];
		return event.kind === kind ? [[name, event as Kinds[Kind]]] : [];
	});
}
