import upperFirst from 'lodash/upperFirst';

import { PlatformError } from '../platform';
import { Figures, type GroupValue, type Measure, type MeasureValue, type Room } from './measures';

export const TIMES = ['day', 'week', 'month', 'weekday', 'hour'] as const;
export type TimeName = (typeof TIMES)[number];

/** One thing that rows are grouped by: status, a part of their local time, or a field (name in any case). */
export type Dimension = { by: 'status' | TimeName } | { by: 'field'; field: string };

/** Whether rows are grouped by a part of their time. */
export function isTime(by: Dimension['by'] | undefined): by is TimeName {
	return TIMES.some((time) => time === by);
}

/** The most groups. Only a field such as Id or a timestamp would make more. */
export const MOST_GROUPS = 10_000;
/** The most characters in the values of all groups. More would take as much memory as the rows. */
const MOST_TEXT = 2_000_000;

/**
 * The refusal of a field that holds lists or objects.
 *
 * @param rows what messages call the rows: "sessions"
 * @param done what the field was needed for: "grouped by"
 */
export function noSingleValue(rows: string, done: string, field: string): PlatformError {
	const message = `${upperFirst(rows)} cannot be ${done} ${field}: it holds a list or an object`;
	return new PlatformError('configuration', message, {
		description: 'Choose a field that holds a single value, such as a text, a number or a code.',
	});
}

/** Rows with the same values. */
export interface Group {
	/** One for each dimension. */
	values: readonly GroupValue[];
	figures: Figures;
}

/** Groups rows by their values. Keeps the figures of each group, not its rows. */
export class Groups {
	private readonly groups = new Map<string, Group>();
	private text = 0;

	constructor(
		private readonly measures: readonly Measure[],
		private readonly room: Room,
	) {}

	/** Adds a row. @returns its group, or undefined if there are too many, or their values are too long */
	add(values: readonly GroupValue[], measured: readonly MeasureValue[]): Group | undefined {
		const group = this.at(values);
		group?.figures.add(measured);
		return group;
	}

	/** The group with these values, which may be new. @returns undefined as `add` */
	at(values: readonly GroupValue[]): Group | undefined {
		const key = JSON.stringify(values);
		let group = this.groups.get(key);
		if (!group) {
			this.text += key.length;
			if (this.groups.size >= MOST_GROUPS || this.text > MOST_TEXT) return undefined;
			group = { values, figures: new Figures(this.measures, this.room) };
			this.groups.set(key, group);
		}
		return group;
	}

	/** The groups, each with a unique key. */
	[Symbol.iterator](): IterableIterator<[string, Group]> {
		return this.groups.entries();
	}
}

const KINDS = ['number', 'string', 'boolean', 'object'];

/** Sort order of values: numbers, then texts, then booleans, then null. */
export function compareValues(a: readonly GroupValue[], b: readonly GroupValue[]): number {
	return a.map((value, index) => compareValue(value, b[index] ?? null)).find((order) => order !== 0) ?? 0;
}

function compareValue(a: GroupValue, b: GroupValue): number {
	const kind = KINDS.indexOf(typeof a) - KINDS.indexOf(typeof b);
	if (kind !== 0) return kind;
	if (a === null || b === null || a === b) return 0;
	return a < b ? -1 : 1;
}

/** Two values that are written alike: they differ only in capitals, or one is a number and one is text. */
export function alike(values: Iterable<GroupValue>): readonly [GroupValue, GroupValue] | undefined {
	const seen = new Map<string, GroupValue>();
	for (const value of values) {
		const written = String(value).toLowerCase();
		const other = seen.get(written);
		if (other !== undefined && other !== value) return [other, value];
		if (value !== null) seen.set(written, value);
	}
	return undefined;
}
