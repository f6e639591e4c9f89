/**
 * The trigger's state machine: what is remembered about stations, and how observations turn into events. Everything in
 * this folder is pure: rows and the time come in as arguments, nothing is read or sent.
 */

import type { RowKey, StatusValue } from '../../shared/trigger/types';

/** The three independent status dimensions of a station, as the platform spells them. */
export const DIMENSIONS = ['NetworkStatus', 'Status', 'HardwareStatus'] as const;

export type Dimension = (typeof DIMENSIONS)[number];

export type WatchMode = 'availability' | 'statusChange' | 'filterMatch';

export type WatchEventName =
	| 'offline'
	| 'backOnline'
	| 'statusChanged'
	| 'startedMatching'
	| 'stoppedMatching'
	| 'added'
	| 'removed';

export type StationKey = RowKey;

/** One thing that happened to one station. Times are milliseconds since 1970. */
export interface WatchEvent {
	name: WatchEventName;
	station: StationKey;
	dimension: Dimension | null;
	from: StatusValue;
	to: StatusValue;
	/** When a poll first saw the state that this is about: the outage, for its end too. */
	since: number;
	/** When the poll ran that raised the event. */
	detectedAt: number;
	/** How long that state had lasted then, or lasted in all where it has ended. */
	durationSeconds: number;
	/** Tells events apart, and is the same when the same saved state leads to the same event again. */
	id: string;
}

/** A state that a station has entered but not stayed in for long enough. */
export interface Waiting {
	value: string;
	since: number;
}

/** Everything the trigger remembers between polls. */
export interface WatchState {
	/** Fingerprint of the settings that give the state its meaning: see `configOf`. */
	config: string;
	/** Drawn once for each state that began from nothing; keeps event ids of different states apart. */
	epoch: string;
	/** How many batches this state has been saved with. */
	batch: number;
	/** How many changes since then were not worth saving. Tells which of two copies of one batch is newer. */
	quiet: number;
	/**
	 * How far the first reading has come: everything up to this Id, `-Infinity` before the start. Undefined when it is
	 * complete: only then are events raised.
	 */
	baselineUpTo?: number;
	/** Set during the first reading of a state that began from nothing. */
	initial?: boolean;
	/** Where the next scan goes on because the last did not get through. */
	scanAfter?: number;
	/** Open incidents, or the last known statuses, by station. The text is read by `incidents.ts` and `statuses.ts`. */
	stations: Map<StationKey, string>;
	/** All stations known to exist, where additions and removals are reported and `stations` does not hold them all. */
	known?: Set<StationKey>;
	/** States not yet stayed in for long enough, by station, and dimension where there are several. */
	waiting: Map<string, Waiting>;
	/** Events that were raised but not yet handed over. */
	backlog: WatchEvent[];
}

/** What a poll saw of one station. */
export interface Observation {
	station: StationKey;
	/** Offline, or matching the filter. Not read in mode `statusChange`. */
	active: boolean;
	/** Taken out of service on purpose: raises nothing. */
	outOfService: boolean;
	/** The watched dimensions' values, encoded, in the order of the rules. Read in mode `statusChange` only. */
	values: readonly string[];
}
