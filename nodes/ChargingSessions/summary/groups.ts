import type { IDataObject } from 'n8n-workflow';

import { DecimalSum, type Decimal } from './decimalSum';

/** What the sessions of a group have in common. Null stands for rows without a value. */
export type GroupValue = string | number | boolean | null;

/** More different values than anybody wants to see in one item: a field such as Id, or a time of day. */
export const MOST_GROUPS = 10_000;
/** Texts this long together, in characters, would take as much memory as the rows. */
const MOST_TEXT = 2_000_000;

/** What is known of some sessions, as it stands in the output. The energy has the platform's unit. */
export interface FiguresJson extends IDataObject {
	count: number;
	energyConsumed: number;
	/** Sessions whose energy is not there; they are in the count. */
	withoutEnergy: number;
}

/** Count and energy of some sessions. */
export class Figures {
	private count = 0;
	private withoutEnergy = 0;
	private readonly energy = new DecimalSum();

	get sessions(): number {
		return this.count;
	}

	add(energy: Decimal | undefined): void {
		this.count++;
		if (energy) this.energy.add(energy);
		else this.withoutEnergy++;
	}

	addAll(other: Figures): void {
		this.count += other.count;
		this.withoutEnergy += other.withoutEnergy;
		this.energy.add(other.energy.exact);
	}

	get json(): FiguresJson {
		return { count: this.count, energyConsumed: this.energy.value, withoutEnergy: this.withoutEnergy };
	}
}

/** Rows by the value of one field: figures are kept, rows are not. */
export class Groups {
	private readonly groups = new Map<GroupValue, Figures>();
	private text = 0;

	/** @returns false where there are more different values, or longer ones, than can be kept */
	add(value: GroupValue, energy: Decimal | undefined): boolean {
		let figures = this.groups.get(value);
		if (!figures) {
			this.text += typeof value === 'string' ? value.length : 0;
			if (this.groups.size >= MOST_GROUPS || this.text > MOST_TEXT) return false;
			figures = new Figures();
			this.groups.set(value, figures);
		}
		figures.add(energy);
		return true;
	}

	get(value: GroupValue): Figures | undefined {
		return this.groups.get(value);
	}

	/** By value: numbers by size, then texts, then the rest, whatever came first. */
	get inOrder(): Array<[GroupValue, Figures]> {
		return [...this.groups].sort(([a], [b]) => compareValues(a, b));
	}

	/** Those with most rows first; those with as many by their value. */
	get largestFirst(): Array<[GroupValue, Figures]> {
		return this.inOrder.sort(([, a], [, b]) => b.sessions - a.sessions);
	}
}

const KINDS = ['number', 'string', 'boolean', 'object'];

function compareValues(a: GroupValue, b: GroupValue): number {
	const kind = KINDS.indexOf(typeof a) - KINDS.indexOf(typeof b);
	if (kind !== 0) return kind;
	if (a === null || b === null || a === b) return 0;
	return a < b ? -1 : 1;
}
