import { Figures, type GroupValue, type Measure, type MeasureValue, type Room } from './measures';

/** More different groups than anybody wants to see: by a field such as Id, or a time of day. */
export const MOST_GROUPS = 10_000;
/** Texts this long together, in characters, would take as much memory as the rows. */
const MOST_TEXT = 2_000_000;

/** Rows with the same values. */
export interface Group {
	/** One for each field or time that makes the groups. */
	values: readonly GroupValue[];
	figures: Figures;
}

/** Rows by the values of some fields or times: figures are kept, rows are not. */
export class Groups {
	private readonly groups = new Map<string, Group>();
	private text = 0;

	constructor(
		private readonly measures: readonly Measure[],
		private readonly room: Room,
	) {}

	/** @returns false where there are more different groups, or longer values, than can be kept */
	add(values: readonly GroupValue[], measured: readonly MeasureValue[]): boolean {
		const key = JSON.stringify(values);
		let group = this.groups.get(key);
		if (!group) {
			this.text += key.length;
			if (this.groups.size >= MOST_GROUPS || this.text > MOST_TEXT) return false;
			group = { values, figures: new Figures(this.measures, this.room) };
			this.groups.set(key, group);
		}
		group.figures.add(measured);
		return true;
	}

	/** The groups, each with a text that tells it apart. */
	[Symbol.iterator](): IterableIterator<[string, Group]> {
		return this.groups.entries();
	}
}

const KINDS = ['number', 'string', 'boolean', 'object'];

/** Orders values: numbers by size, then texts, then the rest. */
export function compareValues(a: readonly GroupValue[], b: readonly GroupValue[]): number {
	for (const [index, left] of a.entries()) {
		const order = compareValue(left, b[index] ?? null);
		if (order !== 0) return order;
	}
	return 0;
}

function compareValue(a: GroupValue, b: GroupValue): number {
	const kind = KINDS.indexOf(typeof a) - KINDS.indexOf(typeof b);
	if (kind !== 0) return kind;
	if (a === null || b === null || a === b) return 0;
	return a < b ? -1 : 1;
}
