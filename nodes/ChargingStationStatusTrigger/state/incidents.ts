import { covers } from '../../shared/trigger/keys';
import type { Coverage } from '../../shared/trigger/types';
import type { Draft } from './draft';
import type { Observation, StationEvent, StationKey } from './types';
import type { Watch } from './watch';

type Change = Pick<StationEvent, 'name' | 'dimension' | 'from' | 'to'>;

/** What makes one state of interest. */
interface IncidentKind {
	opened: Change;
	closed: Change;
	looksBeyondFilter: boolean;
}

/** Event `availability`: a station is offline. */
export const OFFLINE: IncidentKind = {
	opened: { name: 'offline', dimension: 'NetworkStatus', from: 'online', to: 'offline' },
	closed: { name: 'backOnline', dimension: 'NetworkStatus', from: 'offline', to: 'online' },
	looksBeyondFilter: false,
};

/** Event `filterMatch`: a station matches the filter. */
export const MATCHING: IncidentKind = {
	opened: { name: 'startedMatching', dimension: null, from: 'notMatching', to: 'matching' },
	closed: { name: 'stoppedMatching', dimension: null, from: 'matching', to: 'notMatching' },
	looksBeyondFilter: true,
};

export interface IncidentRules extends IncidentKind {
	/** Whether a station is in the state of interest. */
	isActive: (seen: Observation) => boolean;
	/** Whether entering the state is reported. */
	opening: boolean;
	/** Whether leaving it is reported. */
	closing: boolean;
	/** How long a station must be in the state before it counts, in milliseconds. */
	openAfterMs: number;
	/** How long it must be out of the state before that counts, in milliseconds. */
	closeAfterMs: number;
}

/** How long an ended outage lasted, in a sample. */
const SAMPLE_LASTED_MS = 10 * 60_000;

/**
 * Watches which stations are in a state of interest. Only those are remembered, so the size of the saved state depends
 * on incidents, not on the fleet.
 */
export class IncidentWatch implements Watch {
	readonly looksBeyondFilter: boolean;
	readonly reportsOpening: boolean;

	constructor(private readonly rules: IncidentRules) {
		this.looksBeyondFilter = rules.looksBeyondFilter;
		this.reportsOpening = rules.opening;
	}

	adopt(draft: Draft, seen: Observation, isReported: boolean): void {
		if (isReported) this.observe(draft, seen);
		else if (seen.outOfService === false && this.rules.isActive(seen) && !draft.incidents.has(seen.station)) {
			draft.incidents.set(seen.station, [draft.now, false, this.beginningOf(draft, seen.station)]);
		}
	}

	isReadable({ outOfService }: Observation): boolean {
		return outOfService !== undefined;
	}

	observe(draft: Draft, seen: Observation): void {
		const { station, outOfService } = seen;
		if (outOfService === undefined) return;
		const isOpen = draft.incidents.has(station);
		if (outOfService) this.forget(draft, station);
		else if (this.rules.isActive(seen) === isOpen) draft.waiting.delete(station);
		else if (isOpen) this.close(draft, station);
		else this.open(draft, station);
	}

	private open(draft: Draft, station: StationKey): void {
		const since = draft.hasLasted(station, 'in', this.rules.openAfterMs);
		if (since === undefined) return;
		const incidentId = this.beginningOf(draft, station);
		draft.incidents.set(station, [since, true, incidentId]);
		if (this.rules.opening) draft.raise({ ...this.rules.opened, station, since, incidentId });
		else draft.noted.add(incidentId);
	}

	/** The id of the event that opens an incident, whether it is raised or not. */
	private beginningOf(draft: Draft, station: StationKey): string {
		const { name, dimension, from, to } = this.rules.opened;
		return draft.idOf(name, station, dimension, from, to);
	}

	private close(draft: Draft, station: StationKey): void {
		const { opening, closing, closeAfterMs } = this.rules;
		const end = draft.hasLasted(station, 'out', closeAfterMs);
		const incident = draft.incidents.get(station);
		if (end === undefined || !incident) return;
		const [since, isReported, incidentId] = incident;
		const until = Math.max(since, end);
		draft.incidents.delete(station);
		// Where openings are reported, an end without a reported opening would make no sense to the user.
		if (!closing || (opening && !isReported)) return;
		draft.raise({ ...this.rules.closed, station, since, until, incidentId });
	}

	usualCodes(): undefined {}

	expected({ incidents }: Draft): Iterable<StationKey> {
		return incidents.keys();
	}

	leave(draft: Draft, station: StationKey): void {
		this.forget(draft, station);
	}

	forget(draft: Draft, station: StationKey): void {
		draft.incidents.delete(station);
		draft.waiting.delete(station);
	}

	concludeFromAbsence(draft: Draft, seen: ReadonlySet<StationKey>, coverage: Coverage): void {
		for (const station of draft.waiting.keys()) {
			if (!seen.has(station) && !draft.incidents.has(station) && covers(coverage, station)) {
				draft.waiting.delete(station);
			}
		}
	}

	samples(seen: Observation, now: number): Array<Omit<StationEvent, 'id'>> {
		const { opening, openAfterMs, opened, closed, isActive } = this.rules;
		const isOpen = opening && isActive(seen);
		const since = now - (openAfterMs || (isOpen ? 0 : SAMPLE_LASTED_MS));
		const times = { since, until: isOpen ? null : now, detectedAt: now };
		return [{ ...(isOpen ? opened : closed), station: seen.station, incidentId: '', ...times }];
	}
}
