/**
 * The trigger's state machine: what is remembered about stations, and how what was seen turns into events. Everything in
 * this folder is pure: rows and the time come in as arguments, nothing is read or sent.
 */

import type { Position, RowKey, StatusValue, TriggerState } from '../../shared/trigger/types';

/** The three independent statuses of a station, as the platform spells them. */
export const DIMENSIONS = ['NetworkStatus', 'Status', 'HardwareStatus'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

export type StationEventName =
	| 'offline'
	| 'backOnline'
	| 'statusChanged'
	| 'startedMatching'
	| 'stoppedMatching'
	| 'added'
	| 'removed';

export type StationKey = RowKey;

/** One thing that happened to one station. Times are milliseconds since 1970. */
export interface StationEvent {
	name: StationEventName;
	station: StationKey;
	dimension: Dimension | null;
	from: StatusValue;
	to: StatusValue;
	/** The id of the event that began the incident, or would have; null where there is no incident. */
	incidentId: string | null;
	/** When a poll first saw the state that this is about: the outage, for its end too. */
	since: number;
	/** When a poll first saw that it had ended; null where it lasts. */
	until: number | null;
	/** When the poll ran that raised the event. */
	detectedAt: number;
	/** Tells events apart, and is the same when the same saved state leads to the same event again. */
	id: string;
}

/** All stations were watched from one poll to another. Times are milliseconds since 1970. */
export interface WatchingEvent {
	name: 'watching';
	from: number;
	to: number;
	/** How many polls there were in that time, the first one not counted. */
	polls: number;
	/** The incidents that were open at its end, those that were never reported too. */
	openIncidents: Array<{ incidentId: string; station: StationKey; since: number }>;
	detectedAt: number;
	id: string;
}

export type TriggerEvent = StationEvent | WatchingEvent;

/**
 * A station in the state of interest: since when, whether that was reported (not if it was so before we watched), and the
 * incident's id.
 */
export type Incident = [since: number, isReported: boolean, id: string];

/** How long all stations have been watched without a gap. */
export type Watched = Pick<WatchingEvent, 'from' | 'to' | 'polls'>;

/** The last settled value of each watched status; null for a station out of service. */
export type Statuses = readonly StatusValue[] | null;

/** All stations whose statuses are these, as they are saved. Neighbouring Ids are one entry, the first and the last of them. */
export interface UsualStations {
	values: StatusValue[];
	ids: Array<number | string | [first: number, last: number]>;
}

/** Something that has not lasted long enough to count, and since when it is so. */
export type Waiting = [value: StatusValue, since: number];

/** Which part of a list the state covers. */
export interface Progress {
	/** Where the first reading goes on. Only once that is complete are events raised. */
	baseline?: Position;
	/** Where the next poll goes on because the last one did not get through. */
	next?: Position;
}

/** Everything the trigger remembers between polls. */
export interface StationState extends TriggerState {
	kept: {
		/** Fingerprint of the settings that give the state its meaning: see `configOf`. */
		config: string;
		baseline?: Position;
		/** The first reading reports what it finds. */
		reportsBaseline?: boolean;
		incidents: Record<StationKey, Incident>;
		/** The last known statuses of all stations but those in `usual`. */
		statuses: Record<StationKey, Statuses>;
		usual?: UsualStations;
		/** Where additions and removals are reported: the Ids of all stations, and how far they were read at first. */
		known?: Array<number | string>;
		knownBaseline?: Position;
		backlog: TriggerEvent[];
	};
	notes: {
		next?: Position;
		knownNext?: Position;
		/** By station, and dimension where there are several. */
		waiting: Record<string, Waiting>;
		/** When what is waiting was last seen to be so. */
		seenAt?: number;
		/** Stations that exist but do not match the filter for now. */
		away: Array<number | string>;
		/** Incidents that began without an event since the last batch. */
		incidents?: Record<StationKey, Incident>;
		/** Given where what is watched is reported. */
		watched?: Watched;
	};
}

/** What a poll saw of one station. */
export interface Observation {
	station: StationKey;
	row: Readonly<Record<string, unknown>>;
	/** Whether the row came from the list that the filter selects. */
	matches: boolean;
	/** Taken out of service on purpose: raises nothing. */
	outOfService: boolean;
}
