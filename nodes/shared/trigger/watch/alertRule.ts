/**
 * What a rule is, what it is given to evaluate, and what it finds. Rules know watched things only by key, such as `17`,
 * `17#HardwareStatus` or `17/32`. Times are milliseconds since 1970.
 */

export type WatchedValue = string | number | boolean | null;
/** The thing exists, but its value cannot be read: its entry stays as it is. */
export const UNKNOWN = Symbol('unknown');
/** The thing is left alone on purpose: its incident ends without an event, and no new one begins. */
export const OUT_OF_SERVICE = Symbol('out of service');
export type ObservedValue = WatchedValue | typeof UNKNOWN | typeof OUT_OF_SERVICE;

/** What one poll saw. */
export interface Observation {
	at: number;
	seen: ReadonlyMap<string, ObservedValue>;
	/** Whether this poll has read to its end that section of the list in which the key would be. */
	covers(key: string): boolean;
	/** Whether the reading has reached the end of the list, over as many polls as that took. */
	isWhole: boolean;
	/** What was looked up by Id and not found, or found out of scope. */
	absent: ReadonlyMap<string, Absence>;
	/** Whether the same look-up found a thing that the list shows, so that it is known to work. */
	isProven?: boolean;
	/** Whether the list came without content, as a gateway answers in its place: only what was looked up counts as missing. */
	isBlank?: boolean;
	/** The keys for which the filter could not be asked: their entries stay as they are. */
	unmatched?: ReadonlySet<string>;
}

/**
 * It exists no more; others are there now, and which of them it was is not known; no list shows it, although it may exist; it
 * exists and is not watched any more.
 */
export type Absence = 'gone' | 'replaced' | 'missing' | 'outOfScope';

/** When a thing counts as in a state, and as out of it. */
interface StateThresholds {
	isIn(value: WatchedValue): boolean;
	/** How long it has to be in the state. A break that is shorter than this and than `closeAfterMs` does not end the wait. */
	openAfterMs: number;
	/** How long it has to be out of the state without a break. */
	closeAfterMs: number;
}

/** `opens`, `closes`, `changes`, `appears`, `vanishes` and `ends` are names of events. What has no name is not reported. */
export type AlertRule =
	/** A thing is in a state: offline, out of order, running long. */
	| ({ kind: 'state'; opens?: string; closes?: string } & StateThresholds)
	/** It enters the state again and again: reported at the `count`th time within `withinMs`, then not until `withinMs` pass without. */
	| ({ kind: 'often'; opens: string; count: number; withinMs: number } & StateThresholds)
	/** It has another value: a status, the watched fields of a row. @param from undefined for a first value that is reported */
	| {
			kind: 'values';
			changes: string;
			isReported?(key: string, from: WatchedValue | undefined, to: WatchedValue): boolean;
			afterMs: number;
	  }
	/** A number that should rise has not risen for `afterMs`. */
	| { kind: 'still'; opens?: string; closes?: string; afterMs: number }
	/**
	 * Whether a thing exists. Where the filter could not be asked about it, it is reported by a later poll that could. Its
	 * appearance is news even without an event, unless `isReported` is false for it.
	 */
	| {
			kind: 'presence';
			appears?: string;
			isReported?(value: WatchedValue): boolean;
			/** Whether the first reading may report what it finds: by default it never does. */
			isReportedAtFirst?: true;
			vanishes?: string;
	  }
	/**
	 * It ends once, and is followed until then. If it is over when first seen, it counts as begun and ended since the last
	 * poll, so a reading leaves out what was over earlier. An end without an event is no news: if it is not saved, the next
	 * poll finds it again.
	 */
	| { kind: 'end'; isOver(value: WatchedValue): boolean; ends(value: WatchedValue): string | undefined };

export type AlertRuleOf<Kind extends AlertRule['kind']> = Extract<AlertRule, { kind: Kind }>;

export interface EvaluationContext {
	/** Whether the first reading reports what it finds: only where nothing was stored. */
	reportsFirst: boolean;
	/** After a longer time between two polls, pending values start their wait again. */
	longestGapMs: number;
	/** The id of an event or incident: the same if the same saved state leads to it again. */
	idOf(...parts: readonly WatchedValue[]): string;
}

/** A change that is reported as an event. */
export interface DetectedChange {
	/** Name of the event. */
	name: string;
	key: string;
	from: WatchedValue;
	to: WatchedValue;
	/** When a poll first saw the new state; for the end of an incident, when the incident began. */
	since: number;
	/** When a poll first saw that the incident had ended; null while it lasts. */
	until: number | null;
	/** Id of the event that opened the incident, raised or not; null if there is no incident. */
	incidentId: string | null;
	/** Whether the incident has ended because the thing is gone. */
	isRemoved: boolean;
	/** Of the rule `often`: how often it has entered the state within `withinMs`. */
	times?: number;
	id: string;
}

/** An incident that has ended. */
export interface EndedIncident {
	key: string;
	id: string;
	since: number;
	/** Whether an event reports the end. */
	isTold: boolean;
}
