import { NewIds, type NewIdsState } from '../../shared/trigger/reading/newIds';
import type { PollDraft, RowKey, TriggerState } from '../../shared/trigger/types';

export interface RowEvent {
	row: RowKey;
	/** When the poll that found it ran, in milliseconds since 1970 by this machine's clock. */
	detectedAt: number;
}

export interface RowState extends TriggerState {
	kept: NewIdsState['kept'] & {
		/** Which list of which platform the rows are of. */
		place: string;
		/** New rows not yet compared with the filter. */
		backlog: RowEvent[];
	};
	notes: NewIdsState['notes'];
}

export class RowDraft implements PollDraft<RowEvent, RowState> {
	readonly events: RowEvent[] = [];
	readonly newIds: NewIds;
	private readonly state: RowState;

	constructor(saved: RowState | undefined, platformId: string) {
		const known = saved?.kept.place === platformId ? saved : undefined;
		this.state = known ?? { kept: { place: platformId, backlog: [] }, notes: { recent: [], unsaved: 0 } };
		this.newIds = new NewIds(this.state.kept, this.state.notes);
	}

	get backlog(): readonly RowEvent[] {
		return this.state.kept.backlog;
	}

	/**
	 * Takes in new rows.
	 *
	 * @param isEvent whether a row is or may yet be reported; the others are only remembered
	 */
	discover(rows: readonly RowKey[], isEvent: (row: RowKey) => boolean, now: number): void {
		this.newIds.discover(rows.map(Number));
		for (const row of rows) if (isEvent(row)) this.events.push({ row, detectedAt: now });
	}

	toState(backlog: RowEvent[]): RowState {
		this.newIds.beforeSave(this.events.length > 0);
		const { kept, notes } = this.state;
		return { kept: { ...kept, backlog }, notes };
	}
}
