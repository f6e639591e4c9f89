/**
 * The trigger's state machine: what is remembered about charge points, and how looks at stations become events.
 * Everything in this folder is pure: what was read and the time come in as arguments.
 */

import type { PackedKeys } from '../../shared/trigger/watch/ranges';
import type { RowKey, StatusValue, TriggerState } from '../../shared/trigger/types';
import type { Waiting } from '../../shared/trigger/watch/waiting';
import type { SavedUnreadable } from '../../shared/trigger/watch/unreadable';
import type { Watched, WatchedTime } from '../../shared/trigger/watch/watched';
import type { CHARGE_POINT_EVENTS, ChargePointChoice } from './events';

export type ChargePointEventName = (typeof CHARGE_POINT_EVENTS)[ChargePointChoice]['reports'][number];

export type StationKey = RowKey;

/** A charge point within its station: by its own Id or by its place. See `pointKeys`. */
export type PointKey = RowKey;

/** A charge point in the whole network: the JSON of station and point. */
export type Place = string;

/** One thing that happened to one charge point. Times are milliseconds since 1970. */
export interface ChargePointEvent {
	name: ChargePointEventName;
	station: StationKey;
	point: PointKey;
	from: StatusValue;
	to: StatusValue;
	/** The id of the event that opened the incident; null if there is no incident. */
	incidentId: string | null;
	/** When a look first saw the state that this is about; for the end of an incident, the incident itself. */
	since: number;
	/** When a look first saw that it had ended; null while it lasts. */
	until: number | null;
	/** When the poll that raised the event ran. */
	detectedAt: number;
	/** Unique, but the same if the same saved state leads to the same event again. */
	id: string;
}

/** All charge points were watched from one turn through the stations to another. */
export interface WatchingEvent extends WatchedTime {
	name: 'watching';
	/** How many stations and charge points are watched. */
	stations: number;
	chargePoints: number;
	/** The incidents open at its end, including those never reported. */
	openIncidents: Array<{ incidentId: string; station: StationKey; point: PointKey; since: number }>;
	detectedAt: number;
	id: string;
}

export type TriggerEvent = ChargePointEvent | WatchingEvent;

/** A charge point out of order: since when, whether that was reported, and the incident's id. */
export type Incident = [since: number, isReported: boolean, id: string];

/** A turn through all stations that match the filter. */
export interface Turn {
	/** When its first poll began. */
	began: number;
	/** The station behind which the next poll goes on. Undefined at its start. */
	after?: StationKey;
	/** How many stations were looked at, and how many others could not be read. */
	stations: number;
	unread?: number;
	/** Whether each station so far could be looked at. */
	isWhole: boolean;
}

/** Stations with the same charge points in the same statuses, as saved. */
export type PackedStations = Array<[statuses: Array<[StatusValue, PackedKeys]>, stations: PackedKeys]>;

/** Everything the trigger remembers between polls. */
export interface ChargePointState extends TriggerState {
	kept: {
		/** Fingerprint of the settings that give the state its meaning: see `configOf`. */
		config: string;
		/** Whether the first turn reports what it finds. */
		reportsNew?: boolean;
		/** Whether a whole turn has been seen: what is new from then on is not how things were at the beginning. */
		hasBaseline?: boolean;
		points: PackedStations;
		incidents: Record<Place, Incident>;
	};
	notes: {
		turn?: Turn;
		waiting: Record<Place, Waiting>;
		/** When the waiting values were last seen. */
		seenAt?: number;
		/** Stations and charge points that were not there when they were last looked for. */
		missing: string[];
		/** Incidents that have ended in this turn, and whether one of them ended without an event. */
		ended: Record<Place, Incident>;
		hasQuietEnd?: boolean;
		watched?: Watched;
		unreadable?: SavedUnreadable;
	};
}
