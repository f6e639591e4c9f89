import isEqual from 'lodash/isEqual.js';
import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { Judge } from '../trigger/judging.ts';
import { text } from '../trigger/events.ts';

/** The values of a row that are watched. */
export interface Truth extends IDataObject {
	Status: number;
	EnergyConsumed: number;
}

/** What must be reported of rows that change or are gone. */
export class RowModel extends Judge<Map<number, Truth>> {
	private readonly everSeen = new Map<number, Truth[]>();
	/** Rows outside of the filter: whether they are gone need not be told. */
	private readonly away = new Set<number>();

	constructor(
		private readonly event: 'changedRow' | 'goneRow',
		private readonly matches: (row: Truth) => boolean,
		complain: (what: string) => void,
	) {
		super(new Map(), complain);
	}

	begin(rows: ReadonlyMap<number, Truth>): void {
		for (const [id, row] of rows) if (this.matches(row)) this.note(id, row);
	}

	judge(poll: Judged, rows: ReadonlyMap<number, Truth>): void {
		this.accountFor(poll, () => {
			if (poll.sight === 'all') for (const [id, row] of rows) if (this.matches(row)) this.see(id, row);
			if (poll.sight !== 'nothing' && this.event === 'goneRow') this.seeGone(rows);
		});
	}

	protected placeOf({ rowId }: IDataObject): string {
		return text(rowId);
	}

	protected restart(): void {}

	private see(id: number, now: Truth): void {
		const before = this.state.get(id);
		this.note(id, now);
		if (this.event === 'goneRow' || !before || isEqual(before, now)) return;
		const item = this.take(String(id));
		const changed = (['Status', 'EnergyConsumed'] as const).filter((name) => before[name] !== now[name]);
		const part = (of: Truth) => Object.fromEntries(changed.map((name) => [name, of[name]]));
		const says = item?.event === 'changedRow' && isEqual([item.before, item.now], [part(before), part(now)]);
		if (!says) this.complain(`${id}: ${JSON.stringify([part(before), part(now)])} is lost: ${JSON.stringify(item)}`);
	}

	/** A row is gone with the second poll in a row that does not find its Id. */
	private seeGone(rows: ReadonlyMap<number, Truth>): void {
		for (const id of [...this.state.keys()]) {
			const row = rows.get(id);
			if (row) {
				this.found(String(id));
				if (this.matches(row)) this.note(id, row);
				else this.away.add(id);
			} else if (this.away.has(id)) {
				const item = this.take(String(id));
				if (item && !this.isTrue(id, item)) this.complain(`${id} is gone: ${JSON.stringify(item)}`);
				if (item) this.state.delete(id);
			} else if (this.isGone(String(id), (item) => this.isTrue(id, item))) {
				this.state.delete(id);
			}
		}
	}

	/** Whether it is said with values that the row had. */
	private isTrue(id: number, { event, before }: IDataObject): boolean {
		const { Status, EnergyConsumed } = before as Truth;
		return (
			event === 'goneRow' && (this.everSeen.get(id) ?? []).some((ever) => isEqual(ever, { Status, EnergyConsumed }))
		);
	}

	private note(id: number, row: Truth): void {
		this.state.set(id, row);
		this.everSeen.set(id, [...(this.everSeen.get(id) ?? []), row]);
		this.found(String(id));
		this.away.delete(id);
	}
}
