import type { Coverage } from '../../shared/trigger/types';
import type { Draft } from './draft';
import type { Observation, StationEvent, StationKey } from './types';
import type { UsualCodes } from './usual';

/** What is watched for. Incidents (offline, matching) and statuses are two ways to answer the same questions. */
export interface Watch {
	/** Whether a station that does not match the filter any more is of interest all the same. */
	readonly looksBeyondFilter: boolean;
	/** Whether the beginning of an incident is reported. */
	readonly reportsOpening: boolean;
	/** Notes how a station was when watching began, and reports it where asked to. */
	adopt(draft: Draft, seen: Observation, isReported: boolean): void;
	/** Takes in what a later poll saw of a station. */
	observe(draft: Draft, seen: Observation): void;
	/** Where only stations with other codes than these need to be read. Undefined where all of the list has to be. */
	usualCodes(draft: Draft): UsualCodes | undefined;
	/** The stations that the list ought to show, or that part of it which leaves out what is usual. */
	expected(draft: Draft, withoutUsual?: boolean): Iterable<StationKey>;
	/** The station exists but does not match the filter. */
	leave(draft: Draft, station: StationKey): void;
	/** The station does not exist any more. */
	forget(draft: Draft, station: StationKey): void;
	/** Concludes what can be concluded from what the list, in the part that was read, does not show. */
	concludeFromAbsence(draft: Draft, seen: ReadonlySet<StationKey>, coverage: Coverage): void;
	/** What would be reported of the station as it is now, for a manual test. */
	samples(seen: Observation, now: number): Array<Omit<StationEvent, 'id'>>;
}
