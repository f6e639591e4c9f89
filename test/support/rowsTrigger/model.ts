import isEqual from 'lodash/isEqual.js';
import type { IDataObject } from 'n8n-workflow';

import type { Judged } from '../trigger/history.ts';
import { EventIds } from '../trigger/judging.ts';
import { text } from '../trigger/events.ts';

/** The values of a row that are watched. */
export interface Truth extends IDataObject {
	Status: number;
	EnergyConsumed: number;
}

/** Decides what each poll must report of rows that change or are gone, made of nothing but what the promise says. */
export class RowModel {
	private known = new Map<number, Truth>();
	private saved: Map<number, Truth> | undefined;
	private readonly everSeen = new Map<number, Truth[]>();
	/** How many polls in a row did not find a row: in all, and of the process of now. */
	private readonly missed = new Map<number, [all: number, sure: number]>();
	/** Rows outside of the filter: whether they are gone need not be told. */
	private readonly away = new Set<number>();
	private readonly ids: EventIds;

	constructor(
		private readonly event: 'changedRow' | 'goneRow',
		private readonly matches: (row: Truth) => boolean,
		private readonly complain: (what: string) => void,
	) {
		this.ids = new EventIds(({ event: name, rowId, now }) => JSON.stringify([name, rowId, now]), complain);
	}

	begin(rows: ReadonlyMap<number, Truth>): void {
		for (const [id, row] of rows) if (this.matches(row)) this.note(id, row);
	}

	judge({ sight, items, isStart, isLost }: Judged, rows: ReadonlyMap<number, Truth>): void {
		if (this.saved) this.known = this.saved;
		this.saved = isLost ? new Map(this.known) : undefined;
		if (isStart) for (const [id, [all]] of this.missed) this.missed.set(id, [all, 0]);
		const told = new Map(items.map((item) => [Number(item.rowId), item]));
		if (told.size < items.length) this.complain('two events at once for one row');
		if (sight === 'all') for (const [id, row] of rows) if (this.matches(row)) this.see(id, row, told);
		if (sight !== 'nothing' && this.event === 'goneRow') this.seeGone(rows, told);
		for (const [id, item] of told) this.complain(`${id}: ${text(item.event)} although nothing happened`);
		this.ids.check(items, isLost);
	}

	private see(id: number, now: Truth, told: Map<number, IDataObject>): void {
		const before = this.known.get(id);
		this.note(id, now);
		if (this.event === 'goneRow' || !before || isEqual(before, now)) return;
		const item = told.get(id);
		told.delete(id);
		const changed = (['Status', 'EnergyConsumed'] as const).filter((name) => before[name] !== now[name]);
		const part = (of: Truth) => Object.fromEntries(changed.map((name) => [name, of[name]]));
		const says = item?.event === 'changedRow' && isEqual([item.before, item.now], [part(before), part(now)]);
		if (!says) this.complain(`${id}: ${JSON.stringify([part(before), part(now)])} is lost: ${JSON.stringify(item)}`);
	}

	/** A row is gone with the second poll in a row that does not find its Id. */
	private seeGone(rows: ReadonlyMap<number, Truth>, told: Map<number, IDataObject>): void {
		for (const id of [...this.known.keys()]) {
			const row = rows.get(id);
			if (row) {
				this.missed.delete(id);
				if (this.matches(row)) this.note(id, row);
				else this.away.add(id);
				continue;
			}
			const [all, sure] = (this.missed.get(id) ?? [0, 0]).map((count) => count + 1) as [number, number];
			this.missed.set(id, [all, sure]);
			const item = told.get(id);
			if (item && all >= 2) {
				told.delete(id);
				this.known.delete(id);
				const { Status, EnergyConsumed } = item.before as Truth;
				const isTrue = this.everSeen.get(id)?.some((ever) => isEqual(ever, { Status, EnergyConsumed }));
				if (item.event !== 'goneRow' || !isTrue) this.complain(`${id} is gone: ${JSON.stringify(item)}`);
			} else if (sure >= 2 && !this.away.has(id)) {
				this.complain(`${id} is gone, and that is lost`);
			}
		}
	}

	private note(id: number, row: Truth): void {
		this.known.set(id, row);
		this.everSeen.set(id, [...(this.everSeen.get(id) ?? []), row]);
		this.missed.delete(id);
		this.away.delete(id);
	}
}
