import type { Coverage } from '../../shared/trigger/types';
import type { Draft } from './draft';
import type { Observation, StationEvent, StationKey } from './types';
import type { UsualCodes } from './usual';

/** What to watch for: implemented for incidents (offline, matching) and for statuses. */
export interface Watch {
	/** Whether a station that no longer matches the filter is still of interest. */
	readonly looksBeyondFilter: boolean;
	/** Whether the opening of an incident is reported. */
	readonly reportsOpening: boolean;
	/** Notes how a station was when watching began, and reports it if `isReported`. */
	adopt(draft: Draft, seen: Observation, isReported: boolean): void;
	/** Whether all that matters of a station could be read. */
	isReadable(seen: Observation): boolean;
	/** Takes in what a later poll saw of a station. */
	observe(draft: Draft, seen: Observation): void;
	/** The usual codes: stations that have them need not be read. Undefined if the whole list has to be. */
	usualCodes(draft: Draft): UsualCodes | undefined;
	/** The stations that the list should show, or should show `withoutUsual`. */
	expected(draft: Draft, withoutUsual?: boolean): Iterable<StationKey>;
	/** The station exists but does not match the filter. */
	leave(draft: Draft, station: StationKey): void;
	/** The station does not exist any more. */
	forget(draft: Draft, station: StationKey): void;
	/** Draws conclusions from stations that are missing in the part of the list that was read. */
	concludeFromAbsence(draft: Draft, seen: ReadonlySet<StationKey>, coverage: Coverage): void;
	/** What would be reported about the station as it is now, for a manual test. */
	samples(seen: Observation, now: number): Array<Omit<StationEvent, 'id'>>;
}
