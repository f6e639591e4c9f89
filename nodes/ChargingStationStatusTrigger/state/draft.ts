import mapValues from 'lodash/mapValues';

import { shortHash } from '../../shared/trigger/hash';
import { rowId, rowKeys } from '../../shared/trigger/keys';
import type { PollDraft, StatusValue } from '../../shared/trigger/types';
import type { Incident, Progress, StationEvent, StationKey, StationState, Statuses, Waiting } from './types';

/** One poll's working copy of the state. */
export class Draft implements PollDraft<StationEvent, StationState> {
	readonly events: StationEvent[] = [];
	readonly backlog: readonly StationEvent[];
	readonly config: string;
	readonly reportsBaseline: boolean;
	readonly incidents: Map<StationKey, Incident>;
	readonly statuses: Map<StationKey, Statuses>;
	readonly known?: Set<StationKey>;
	readonly away: Set<StationKey>;
	readonly waiting: Map<string, Waiting>;
	/** How far the stations that match the filter were read, and those of `known`. */
	readonly list: Progress;
	readonly knownList: Progress;

	/**
	 * @param now the time of the poll, milliseconds since 1970
	 * @param source names the saved state in event ids
	 */
	constructor(
		{ kept, notes }: StationState,
		readonly now: number,
		private readonly source: string,
	) {
		this.config = kept.config;
		this.backlog = kept.backlog;
		this.reportsBaseline = kept.reportsBaseline === true;
		this.incidents = new Map(Object.entries(kept.incidents));
		this.statuses = new Map(Object.entries(kept.statuses));
		this.known = kept.known && new Set(rowKeys(kept.known));
		this.away = new Set(rowKeys(notes.away));
		this.waiting = new Map(Object.entries(notes.waiting));
		this.list = { baseline: kept.baseline, next: notes.next };
		this.knownList = { baseline: kept.knownBaseline, next: notes.knownNext };
	}

	toState(backlog: StationEvent[]): StationState {
		const { config, reportsBaseline, incidents, statuses, known, away, waiting, list, knownList } = this;
		return {
			kept: {
				...{ config, baseline: list.baseline },
				reportsBaseline: (reportsBaseline && list.baseline !== undefined) || undefined,
				incidents: Object.fromEntries(incidents),
				statuses: Object.fromEntries(statuses),
				known: known && [...known].map(rowId),
				knownBaseline: knownList.baseline,
				backlog,
			},
			notes: {
				...{ next: list.next, knownNext: knownList.next },
				waiting: Object.fromEntries(waiting),
				seenAt: waiting.size > 0 ? this.now : undefined,
				away: [...away].map(rowId),
			},
		};
	}

	/**
	 * Notes that something is in a state it has not settled in.
	 *
	 * @returns since when it is so, once it has been so for `afterMs`; the note is then taken off
	 */
	hasLasted(place: string, value: StatusValue, afterMs: number): number | undefined {
		const [known, noted] = this.waiting.get(place) ?? [];
		const since = noted !== undefined && known === value ? Math.min(noted, this.now) : this.now;
		if (this.now - since < afterMs) {
			this.waiting.set(place, [value, since]);
			return undefined;
		}
		this.waiting.delete(place);
		return since;
	}

	/** @param until when the state ended that the event is about; the time of the poll when left out */
	raise(event: Omit<StationEvent, 'id' | 'detectedAt' | 'durationSeconds'>, until: number = this.now): void {
		const { name, station, dimension, from, to, since } = event;
		const durationSeconds = Math.max(0, Math.round((until - since) / 1000));
		// From the saved state alone: when n8n loses what it was handed, the same event comes again with the same id.
		const id = shortHash([this.source, name, station, dimension, from, to]);
		this.events.push({ ...event, detectedAt: this.now, durationSeconds, id });
	}
}

/**
 * A state whose times fit the clock again after it was set. What is waited for counts the time that has really passed;
 * other times are corrected only where they would lie in the future.
 *
 * @param setByMs by how much the clock was set, negative where it was set back
 */
export function adjustTimes({ kept, notes }: StationState, now: number, setByMs: number): StationState {
	const back = (time: number) => (time > now ? Math.min(now, time + Math.min(0, setByMs)) : time);
	const waited = (time: number) => (setByMs > 0 ? time + setByMs : back(time));
	return {
		kept: { ...kept, incidents: mapValues(kept.incidents, ([since, reported]): Incident => [back(since), reported]) },
		notes: {
			...notes,
			waiting: mapValues(notes.waiting, ([value, since]): Waiting => [value, waited(since)]),
			seenAt: notes.seenAt === undefined ? undefined : waited(notes.seenAt),
		},
	};
}
