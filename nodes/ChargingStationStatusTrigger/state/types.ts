/** What the trigger remembers about stations, and what it watches for. Everything in this folder is pure. */

import type { Group } from '../../shared/dsquery/types';
import type { Position, RowKey, StatusValue } from '../../shared/trigger/types';
import type { PackedKeys } from '../../shared/trigger/watch/ranges';
import type { AnotherValue, InState } from '../../shared/trigger/watch/rules';
import type { WatchEvent, WatchingEvent, WatchRules, WatchState } from '../../shared/trigger/watch/types';

/** The three independent statuses of a station, as the platform spells them. */
export const DIMENSIONS = ['NetworkStatus', 'Status', 'HardwareStatus'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

export type StationKey = RowKey;

/** What events are about: a station, and the status of it if it is about one. */
export interface Subject {
	station: StationKey;
	dimension: Dimension | null;
}

export type StationEvent = WatchEvent<Subject>;

export type TriggerEvent = StationEvent | WatchingEvent;

export interface SeenStation {
	station: StationKey;
	row: Readonly<Record<string, unknown>>;
	/** Whether the row came from the list that the filter selects. */
	matches: boolean;
	/** Taken out of service on purpose: raises nothing. Undefined if that cannot be read: then nothing follows. */
	outOfService: boolean | undefined;
}

/** What a rule says of incidents, and of the stations to read. */
interface About {
	/** What uptime calls these incidents; undefined if they are none. */
	cause?: string;
	/** Which of the stations that match the filter can be in the state; undefined if all can. */
	narrowing?: Group;
	/** Set if the filter is the state: then a station that no longer matches it is still of interest. */
	looksBeyondFilter?: true;
}

/** Stations in a state of interest. Only those are remembered, so the size of the saved state depends on incidents. */
export interface StateRule extends InState, About {
	isIn(seen: SeenStation): boolean;
	dimension: Dimension | null;
}

/** Statuses that take another value. The last values of every station are remembered. */
export interface StatusesRule extends About {
	kind: 'statuses';
	each: ReadonlyArray<AnotherValue & { dimension: Dimension }>;
}

export type StationRule = StateRule | StatusesRule;

export interface StationRules extends WatchRules {
	rule: StationRule;
	/** Set if added or removed stations are reported. */
	fleet?: { added: boolean; removed: boolean };
}

/** The last value of a status that lasted. In a list if it cannot be read now: the value before, or none. */
export type LastValue = StatusValue | readonly StatusValue[];

/** Those of each watched status; null for a station out of service. */
export type Statuses = readonly LastValue[] | null;

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

/** Everything the trigger remembers between polls. Keys are stations; of what waits, for status changes also the status. */
export interface StationState extends WatchState {
	kept: WatchState['kept'] & {
		baseline?: Position;
		/** Whether the first reading reports what it finds. */
		reportsBaseline?: boolean;
		/** The last known statuses of all stations except those in `usual`. */
		statuses: Record<StationKey, Statuses>;
		usual?: UsualStations;
		/** If additions or removals are reported: the Ids of all stations, and how far their first reading got. */
		known?: Array<number | string>;
		knownBaseline?: Position;
		backlog: TriggerEvent[];
	};
	notes: WatchState['notes'] & {
		next?: Position;
		knownNext?: Position;
		/** Stations that exist but do not match the filter now. */
		away: Array<number | string>;
	};
}
