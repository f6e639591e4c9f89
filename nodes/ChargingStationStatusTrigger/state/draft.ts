import mapValues from 'lodash/mapValues';
import partition from 'lodash/partition';

import { shortHash } from '../../shared/trigger/hash';
import { rowId, rowKeys } from '../../shared/trigger/keys';
import type { PollDraft, PollStart, StatusValue } from '../../shared/trigger/types';
import { adjustUnreadable, Unreadable } from '../../shared/trigger/watch/unreadable';
import { correctTimes, hasLasted } from '../../shared/trigger/watch/waiting';
import type { Waiting } from '../../shared/trigger/watch/waiting';
import type { Watched } from '../../shared/trigger/watch/watched';
import type { Incident, Progress, StationEvent, StationKey, StationState, Statuses, TriggerEvent } from './types';
import { pack, unpack } from './usual';

type Raised = Omit<StationEvent, 'id' | 'detectedAt' | 'incidentId' | 'until'> &
	Partial<Pick<StationEvent, 'incidentId' | 'until'>>;

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
	readonly unreadable: Unreadable;
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
		this.unreadable = new Unreadable(notes.unreadable, now);
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
				unreadable: this.unreadable.toSaved(),
			},
		};
	}

	/** Whether anything is remembered of a station. */
	has(station: StationKey): boolean {
		const { incidents, statuses, waiting, known, away } = this;
		return [incidents, statuses, waiting, known, away].some((part) => part?.has(station));
	}

	/** Since when something has had an unsettled value, once it has lasted: see `hasLasted`. */
	hasLasted(place: string, value: StatusValue, afterMs: number): number | undefined {
		return hasLasted(this.waiting, place, value, { afterMs, now: this.now });
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

/** Corrects the times in a state after the clock was set: see `correctTimes`. */
export function adjustTimes(
	{ kept, notes }: StationState,
	{ now, clockSetByMs, hasCurrentNotes }: PollStart<StationState>,
): StationState {
	const corrected = correctTimes(now, clockSetByMs);
	const { back, waited } = corrected;
	const adjusted = ([since, isReported, id]: Incident): Incident => [back(since), isReported, id];
	return {
		kept: { ...kept, incidents: mapValues(kept.incidents, adjusted) },
		notes: {
			...notes,
			...(notes.incidents && { incidents: mapValues(notes.incidents, adjusted) }),
			waiting: mapValues(notes.waiting, ([value, since]): Waiting => [value, waited(since)]),
			seenAt: notes.seenAt === undefined ? undefined : waited(notes.seenAt),
			unreadable: adjustUnreadable(notes.unreadable, corrected, hasCurrentNotes, now),
		},
	};
}
