import { rowId, rowKeys } from '../../shared/trigger/keys';
import { WatchDraft } from '../../shared/trigger/watch/draft';
import type { Progress, StationEvent, StationKey, StationState, Statuses, Subject, TriggerEvent } from './types';
import { pack, unpack } from './usual';

export class Draft extends WatchDraft<Subject> {
	readonly backlog: readonly TriggerEvent[];
	readonly reportsBaseline: boolean;
	readonly statuses: Map<StationKey, Statuses>;
	readonly known?: Set<StationKey>;
	readonly away: Set<StationKey>;
	/** How far the stations that match the filter were read, and all stations (`known`). */
	readonly list: Progress;
	readonly knownList: Progress;

	constructor(state: StationState, now: number, basis: string) {
		super(state, now, basis);
		const { kept, notes } = state;
		this.backlog = kept.backlog;
		this.reportsBaseline = kept.reportsBaseline === true;
		this.statuses = unpack(kept.statuses, kept.usual);
		this.known = kept.known && new Set(rowKeys(kept.known));
		this.away = new Set(rowKeys(notes.away));
		this.list = { baseline: kept.baseline, next: notes.next };
		this.knownList = { baseline: kept.knownBaseline, next: notes.knownNext };
	}

	toState(backlog: TriggerEvent[]): StationState {
		const { reportsBaseline, statuses, known, away, list, knownList } = this;
		const { kept, notes } = this.saved();
		return {
			kept: {
				config: kept.config,
				baseline: list.baseline,
				reportsBaseline: (reportsBaseline && list.baseline !== undefined) || undefined,
				incidents: kept.incidents,
				...pack(statuses),
				known: known && [...known].map(rowId),
				knownBaseline: knownList.baseline,
				backlog,
			},
			notes: { ...notes, next: list.next, knownNext: knownList.next, away: [...away].map(rowId) },
		};
	}

	protected partsOf({ station, dimension, from, to }: Pick<StationEvent, 'station' | 'dimension' | 'from' | 'to'>) {
		return [station, dimension, from, to];
	}

	has(station: StationKey): boolean {
		const { incidents, statuses, waiting, known, away, unreadable } = this;
		return [incidents, statuses, waiting, known, away, unreadable].some((part) => part?.has(station));
	}
}
