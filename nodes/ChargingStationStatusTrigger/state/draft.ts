import mapValues from 'lodash/mapValues';
import partition from 'lodash/partition';

import { shortHash } from '../../shared/trigger/hash';
import { rowId, rowKeys } from '../../shared/trigger/keys';
import type { PollDraft, StatusValue } from '../../shared/trigger/types';
import type {
	Incident,
	Progress,
	StationEvent,
	StationKey,
	StationState,
	Statuses,
	TriggerEvent,
	Waiting,
	Watched,
} from './types';
import { pack, unpack } from './usual';

type Raised = Omit<StationEvent, 'id' | 'detectedAt' | 'incidentId' | 'until'> &
	Partial<Pick<StationEvent, 'incidentId' | 'until'>>;

/** How much closer together than their interval two polls may be. */
const POLL_JITTER_MS = 5_000;

/** One poll's working copy of the state. */
export class Draft implements PollDraft<TriggerEvent, StationState> {
	readonly events: TriggerEvent[] = [];
	readonly backlog: readonly TriggerEvent[];
	readonly config: string;
	readonly reportsBaseline: boolean;
	readonly incidents: Map<StationKey, Incident>;
	/** Ids of incidents that began without an event, so they need not be saved with a batch. */
	readonly noted: Set<string>;
	private readonly keptIncidents: readonly StationKey[];
	watched?: Watched;
	readonly statuses: Map<StationKey, Statuses>;
	readonly known?: Set<StationKey>;
	readonly away: Set<StationKey>;
	readonly waiting: Map<string, Waiting>;
	/** How far the stations that match the filter were read, and all stations (`known`). */
	readonly list: Progress;
	readonly knownList: Progress;

	/**
	 * @param now the time of the poll, milliseconds since 1970
	 * @param source identifies the saved state in event ids
	 */
	constructor(
		{ kept, notes }: StationState,
		readonly now: number,
		private readonly source: string,
	) {
		this.config = kept.config;
		this.backlog = kept.backlog;
		this.reportsBaseline = kept.reportsBaseline === true;
		this.incidents = new Map(Object.entries({ ...notes.incidents, ...kept.incidents }));
		this.keptIncidents = Object.keys(kept.incidents);
		this.noted = new Set(Object.values(notes.incidents ?? {}).map(([, , id]) => id));
		this.watched = notes.watched;
		this.statuses = unpack(kept.statuses, kept.usual);
		this.known = kept.known && new Set(rowKeys(kept.known));
		this.away = new Set(rowKeys(notes.away));
		this.waiting = new Map(Object.entries(notes.waiting));
		this.list = { baseline: kept.baseline, next: notes.next };
		this.knownList = { baseline: kept.knownBaseline, next: notes.knownNext };
	}

	toState(backlog: TriggerEvent[]): StationState {
		const isBatch = this.events.length > 0 || this.keptIncidents.some((station) => !this.incidents.has(station));
		const [noted, incidents] = partition([...this.incidents], ([, [, , id]]) => !isBatch && this.noted.has(id));
		const { config, reportsBaseline, statuses, known, away, waiting, list, knownList } = this;
		return {
			kept: {
				...{ config, baseline: list.baseline },
				reportsBaseline: (reportsBaseline && list.baseline !== undefined) || undefined,
				incidents: Object.fromEntries(incidents),
				...pack(statuses),
				known: known && [...known].map(rowId),
				knownBaseline: knownList.baseline,
				backlog,
			},
			notes: {
				...{ next: list.next, knownNext: knownList.next },
				waiting: Object.fromEntries(waiting),
				seenAt: waiting.size > 0 ? this.now : undefined,
				away: [...away].map(rowId),
				...(noted.length > 0 && { incidents: Object.fromEntries(noted) }),
				watched: this.watched,
			},
		};
	}

	/**
	 * Notes since when something has had an unsettled value.
	 *
	 * @returns that time, and drops the note, once the value has lasted `afterMs` (less the jitter of polls)
	 */
	hasLasted(place: string, value: StatusValue, afterMs: number): number | undefined {
		const [known, noted] = this.waiting.get(place) ?? [];
		const since = noted !== undefined && known === value ? Math.min(noted, this.now) : this.now;
		if (this.now - since < afterMs - POLL_JITTER_MS) {
			this.waiting.set(place, [value, since]);
			return undefined;
		}
		this.waiting.delete(place);
		return since;
	}

	/**
	 * The id of an event or incident. It depends on the saved state only: if n8n loses a batch, the same event comes
	 * again with the same id.
	 */
	idOf(...what: unknown[]): string {
		return shortHash([this.source, ...what]);
	}

	/** `incidentId` and `until` default to null. */
	raise(event: Raised): void {
		const { name, station, dimension, from, to } = event;
		const id = this.idOf(name, station, dimension, from, to);
		this.events.push({ incidentId: null, until: null, ...event, detectedAt: this.now, id });
	}
}

/**
 * Adjusts the times in a state after the clock was set. If it was set forward, times of waiting move with it, so that
 * only time that has really passed counts. All others are corrected only if they lie in the future.
 *
 * @param setByMs by how much the clock was set, negative if it was set back
 */
export function adjustTimes({ kept, notes }: StationState, now: number, setByMs: number): StationState {
	const back = (time: number) => (time > now ? Math.min(now, time + Math.min(0, setByMs)) : time);
	const waited = (time: number) => (setByMs > 0 ? time + setByMs : back(time));
	const adjusted = ([since, isReported, id]: Incident): Incident => [back(since), isReported, id];
	return {
		kept: { ...kept, incidents: mapValues(kept.incidents, adjusted) },
		notes: {
			...notes,
			...(notes.incidents && { incidents: mapValues(notes.incidents, adjusted) }),
			waiting: mapValues(notes.waiting, ([value, since]): Waiting => [value, waited(since)]),
			seenAt: notes.seenAt === undefined ? undefined : waited(notes.seenAt),
		},
	};
}
