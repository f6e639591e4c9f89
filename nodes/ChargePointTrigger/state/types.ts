/** What the trigger remembers about charge points. Everything in this folder is pure. */

import type { PackedValues } from '../../shared/trigger/watch/ranges';
import type { WatchEvent, WatchingEvent, WatchRules, WatchState } from '../../shared/trigger/watch/types';
import type { RowKey, StatusValue } from '../../shared/trigger/types';
import type { AnotherValue, InState } from '../../shared/trigger/watch/rules';

export type StationKey = RowKey;

/** A charge point within its station: by its own Id or by its position in the list. See `pointKeys`. */
export type PointKey = RowKey;

export interface ChargePoint {
	station: StationKey;
	point: PointKey;
}

export type ChargePointEvent = WatchEvent<ChargePoint>;

export type TriggerEvent = ChargePointEvent | WatchingEvent;

export type ChargePointRule = (AnotherValue | (InState & { isIn(value: StatusValue): boolean })) & {
	/** Whether a missing status is a value: see `isNoneAValue`. */
	noneIsValue: boolean;
};

export interface ChargePointRules extends WatchRules {
	rule: ChargePointRule;
	mostStations: number;
}

/** A round through all stations that match the filter. */
export interface Round {
	began: number;
	/** The station behind which the next poll goes on. Undefined at its start. */
	after?: StationKey;
	/** How many stations were looked at, and how many others could not be read. */
	stations: number;
	unread: number;
	/** Whether each station so far could be looked at. */
	isWhole: boolean;
}

/** Stations with the same charge points in the same statuses, as saved. */
export type PackedStations = PackedValues<PackedValues<StatusValue>>;

/** Everything the trigger remembers between polls. Keys of charge points are those of `keyOf`. */
export interface ChargePointState extends WatchState {
	kept: WatchState['kept'] & {
		/** Whether the first round reports what it finds. */
		reportsNew?: boolean;
		/** Whether a whole round has been seen: what is new from then on is not how things were at the beginning. */
		hasBaseline?: boolean;
		points: PackedStations;
	};
	notes: WatchState['notes'] & {
		/** The round, unless the next poll begins one. */
		turn?: Round;
		/** Stations and charge points that were not there when they were last looked for. */
		missing: string[];
	};
}
