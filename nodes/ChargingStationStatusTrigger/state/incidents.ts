import { codeOf, covers } from '../../shared/trigger/keys';
import type { Coverage, StatusValue } from '../../shared/trigger/types';
import type { Draft } from './draft';
import type { Observation, StationEvent, StationKey } from './types';
import type { Watch } from './watch';

export interface IncidentRules {
	/** Whether entering the state of interest is reported. */
	opening: boolean;
	/** Whether leaving it is reported. */
	closing: boolean;
	/** How long a station must be in the state before that counts, in milliseconds. */
	openAfterMs: number;
	/** How long it must have left it before that counts, in milliseconds. */
	closeAfterMs: number;
}

type Change = Pick<StationEvent, 'name' | 'dimension' | 'from' | 'to'>;

/**
 * Stations that are in a state of interest, or not. Only those that are in it are remembered, so the state's size follows
 * incidents and not the fleet.
 */
export abstract class IncidentWatch implements Watch {
	abstract readonly looksBeyondFilter: boolean;
	protected abstract readonly opened: Change;
	protected abstract readonly closed: Change;

	constructor(private readonly rules: IncidentRules) {}

	get reportsOpening(): boolean {
		return this.rules.opening;
	}

	/** Whether the station is in the state of interest. */
	protected abstract isActive(seen: Observation): boolean;

	adopt(draft: Draft, seen: Observation): void {
		const { station, outOfService } = seen;
		if (outOfService || !this.isActive(seen) || draft.incidents.has(station)) return;
		draft.incidents.set(station, [draft.now, false]);
	}

	adoptAndReport(draft: Draft, seen: Observation): void {
		this.observe(draft, seen);
	}

	observe(draft: Draft, seen: Observation): void {
		const { station, outOfService } = seen;
		const isOpen = draft.incidents.has(station);
		if (outOfService) this.forget(draft, station);
		else if (this.isActive(seen) === isOpen) draft.waiting.delete(station);
		else if (isOpen) this.close(draft, station);
		else this.open(draft, station);
	}

	private open(draft: Draft, station: StationKey): void {
		const since = draft.hasLasted(station, 'in', this.rules.openAfterMs);
		if (since === undefined) return;
		draft.incidents.set(station, [since, true]);
		if (this.rules.opening) draft.raise({ ...this.opened, station, since });
	}

	private close(draft: Draft, station: StationKey): void {
		const { opening, closing, closeAfterMs } = this.rules;
		const until = draft.hasLasted(station, 'out', closeAfterMs);
		if (until === undefined) return;
		const [since = draft.now, isReported] = draft.incidents.get(station) ?? [];
		draft.incidents.delete(station);
		// Where openings are reported, an end without its beginning would tell a person nothing.
		if (closing && (isReported || !opening)) draft.raise({ ...this.closed, station, since }, until);
	}

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
		const { opening, openAfterMs } = this.rules;
		const change = opening && this.isActive(seen) ? this.opened : this.closed;
		const since = now - openAfterMs;
		return [{ ...change, station: seen.station, since, detectedAt: now, durationSeconds: openAfterMs / 1000 }];
	}
}

/** Event `availability`: the state of interest is offline. */
export class AvailabilityWatch extends IncidentWatch {
	readonly looksBeyondFilter = false;
	protected readonly opened = {
		...({ name: 'offline', dimension: 'NetworkStatus', from: 'online', to: 'offline' } as const),
	};
	protected readonly closed = {
		...({ name: 'backOnline', dimension: 'NetworkStatus', from: 'offline', to: 'online' } as const),
	};

	/** @param online the codes of NetworkStatus that count as online */
	constructor(
		rules: IncidentRules,
		private readonly online: ReadonlySet<StatusValue>,
	) {
		super(rules);
	}

	protected isActive({ row }: Observation): boolean {
		return !this.online.has(codeOf(row.NetworkStatus));
	}
}

/** Event `filterMatch`: the state of interest is matching the filter. */
export class MatchWatch extends IncidentWatch {
	readonly looksBeyondFilter = true;
	protected readonly opened = {
		...({ name: 'startedMatching', dimension: null, from: 'notMatching', to: 'matching' } as const),
	};
	protected readonly closed = {
		...({ name: 'stoppedMatching', dimension: null, from: 'matching', to: 'notMatching' } as const),
	};

	protected isActive({ matches }: Observation): boolean {
		return matches;
	}
}
