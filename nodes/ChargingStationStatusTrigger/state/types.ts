/**
 * The trigger's state machine: what is remembered about stations, and how observations become events. Everything in
 * this folder is pure: rows and the time come in as arguments, nothing is read or sent.
 */

import type { Position, RowKey, StatusValue, TriggerState } from '../../shared/trigger/types';
import type { PackedKeys } from '../../shared/trigger/watch/ranges';
import type { Waiting } from '../../shared/trigger/watch/waiting';
import type { SavedUnreadable } from '../../shared/trigger/watch/unreadable';
import type { Watched, WatchedTime } from '../../shared/trigger/watch/watched';
import type { FLEET_EVENTS, STATION_EVENTS, StationChoice } from './events';

/** The three independent statuses of a station, as the platform spells them. */
export const DIMENSIONS = ['NetworkStatus', 'Status', 'HardwareStatus'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

export type StationEventName =
	| (typeof STATION_EVENTS)[StationChoice]['reports'][number]
	| (typeof FLEET_EVENTS)[number];

export type StationKey = RowKey;

/** One thing that happened to one station. Times are milliseconds since 1970. */
export interface StationEvent {
	name: StationEventName;
	station: StationKey;
	dimension: Dimension | null;
	from: StatusValue;
	to: StatusValue;
	/** The id of the event that opened the incident, raised or not; null if there is no incident. */
	incidentId: string | null;
	/** When a poll first saw the state that this is about; for the end of an outage, the outage itself. */
	since: number;
	/** When a poll first saw that it had ended; null while it lasts. */
	until: number | null;
	/** When the poll that raised the event ran. */
	detectedAt: number;
	/** Unique, but the same if the same saved state leads to the same event again. */
	id: string;
}

/** All stations were watched from one poll to another. Times are milliseconds since 1970. */
export interface WatchingEvent extends WatchedTime {
	name: 'watching';
	/** The incidents open at its end, including those never reported. */
	openIncidents: Array<{ incidentId: string; station: StationKey; since: number }>;
	detectedAt: number;
	id: string;
}

export type TriggerEvent = StationEvent | WatchingEvent;

/**
 * A station in the state of interest: since when, whether it counts as reported (not if found by a first reading that
 * reports nothing), and the incident's id.
 */
export type Incident = [since: number, isReported: boolean, id: string];

/** The last settled value of a status. In a list, if it cannot be read now: the value before, or none if there is none. */
export type Settled = StatusValue | readonly StatusValue[];

/** Those of each watched status; null for a station out of service. */
export type Statuses = readonly Settled[] | null;

/** The stations with the usual statuses, as saved. */
export interface UsualStations {
	values: StatusValue[];
	ids: PackedKeys;
}

/** How far a list was read. */
export interface Progress {
	/** Where the first reading goes on. Changes are reported only once it is complete. */
	baseline?: Position;
	/** Where the next poll goes on, if the last one did not get to the end. */
	next?: Position;
}

/** Everything the trigger remembers between polls. */
export interface StationState extends TriggerState {
	kept: {
		/** Fingerprint of the settings that give the state its meaning: see `configOf`. */
		config: string;
		baseline?: Position;
		/** Whether the first reading reports what it finds. */
		reportsBaseline?: boolean;
		incidents: Record<StationKey, Incident>;
		/** The last known statuses of all stations except those in `usual`. */
		statuses: Record<StationKey, Statuses>;
		usual?: UsualStations;
		/** If additions or removals are reported: the Ids of all stations, and how far their first reading got. */
		known?: Array<number | string>;
		knownBaseline?: Position;
		backlog: TriggerEvent[];
	};
	notes: {
		next?: Position;
		knownNext?: Position;
		/** By station, for status changes also by dimension. */
		waiting: Record<string, Waiting>;
		/** When the waiting values were last seen. */
		seenAt?: number;
		/** Stations that exist but do not match the filter now. */
		away: Array<number | string>;
		/** Incidents that began without an event since the last batch. */
		incidents?: Record<StationKey, Incident>;
		/** Set if what is watched is reported. */
		watched?: Watched;
		unreadable?: SavedUnreadable;
	};
}

/** What a poll saw of one station. */
export interface Observation {
	station: StationKey;
	row: Readonly<Record<string, unknown>>;
	/** Whether the row came from the list that the filter selects. */
	matches: boolean;
	/** Taken out of service on purpose: raises nothing. Undefined if that cannot be read: then nothing follows. */
	outOfService: boolean | undefined;
}
