/**
 * A watch knows things that have a status over time. What triggers share of it is in this folder, and pure: what was
 * seen and the time come in as arguments. Times are milliseconds since 1970.
 */

import type { StatusValue, TriggerState } from '../types';
import type { SavedUnreadable } from './unreadable';
import type { Waiting } from './waiting';
import type { Watched, WatchedTime } from './watched';

export interface Change {
	name: string;
	from: StatusValue;
	to: StatusValue;
}

/** When it happened. */
export interface Times {
	/** When a poll first saw the state that this is about; for the end of an incident, the incident itself. */
	since: number;
	/** When a poll first saw that it had ended; null while it lasts. */
	until: number | null;
	/** Whether it has ended because what it happened to is not there any more. */
	isRemoved?: boolean;
	/** The id of the event that opened the incident, raised or not; null if there is no incident. */
	incidentId: string | null;
}

/**
 * One thing that happened.
 *
 * @typeParam Subject what it happened to, as the trigger names it
 */
export type WatchEvent<Subject> = Subject &
	Change &
	Times & {
		/** When the poll that raised the event ran. */
		detectedAt: number;
		/** Unique, but the same if the same saved state leads to the same event again. */
		id: string;
	};

/** Everything was watched from one round to another. */
export interface WatchingEvent extends WatchedTime {
	name: 'watching';
	/** The incidents open at its end, by the key of what they happened to, including those never reported. */
	openIncidents: Array<{ key: string; incidentId: string; since: number }>;
	/** How many stations and charge points are watched, if the trigger remembers each of them. */
	counts?: { stations: number; chargePoints: number };
	detectedAt: number;
	id: string;
}

/**
 * A thing in the state of interest: since when, whether it counts as reported (not if found by a first reading that
 * reports nothing), and the incident's id.
 */
export type Incident = [since: number, isReported: boolean, id: string];

export type Incidents = Record<string, Incident>;

/** What every watch remembers between polls. Triggers add how they remember the values of things. */
export interface WatchState extends TriggerState {
	kept: {
		/** Fingerprint of the settings that give the state its meaning: see `configOf`. */
		config: string;
		/** By the key of what they happened to, like all that follows. */
		incidents: Incidents;
	};
	notes: {
		waiting: Record<string, Waiting>;
		/** When the waiting values were last seen. */
		seenAt?: number;
		/** Incidents that began without an event since the last batch. */
		incidents?: Incidents;
		/** Incidents that have ended in this round, and whether one of them ended without an event. */
		ended?: Incidents;
		hasQuietEnd?: boolean;
		/** Set if what is watched is reported. */
		watched?: Watched;
		unreadable?: SavedUnreadable;
	};
}

/** What every watch goes by. */
export interface WatchRules {
	/** Fingerprint of the settings that give a state its meaning (`configOf`). A new one quietly begins a new state. */
	config: string;
	/** Whether the very first round reports what it finds. */
	reportInitialState: boolean;
	/** Whether reported incidents stay open when settings change, so that their end is reported too. */
	keepsIncidents: boolean;
	/** Whether to report once an hour what was watched. */
	reportsWatching: boolean;
	/** The usual distance of two polls, in milliseconds; 0 if it is not known. */
	usualMs: number;
}
