import { findFieldValue } from '../../dsquery/fieldName';
import type { SortEntry } from '../../dsquery/types';
import { isPlaceholderTime, readTime } from '../../dsquery/values/readTime';
import { compareTexts, isBlank } from '../../text';
import type { Row } from '../types';
import type { RowSink } from './types';

/** The kind comes first, so that a column of mixed values has one order: nothing, numbers, times, text. */
type SortKey = readonly [kind: 0 | 1 | 2 | 3, value: number | bigint | string];
/** What a row is sorted by. */
type SortKeys = readonly SortKey[];

const NOTHING: SortKey = [0, 0];
const NUMBER = /^-?\d{1,40}(?:\.\d{1,40})?$/;
/** A number may not hold it exactly. */
const LONG_INTEGER = /^-?\d{16,40}$/;

/**
 * Keeps what `make` returns for the rows (the rows themselves or, to save memory, less of each), and sorts it if rows
 * do not come in the order asked for.
 */
export class RowBuffer<Item = Row> implements RowSink {
	private lanes: Item[][][] = [];
	private keys: SortKeys[][][] = [];
	private by: readonly SortEntry[] = [];

	/** @param make makes one item of each row */
	constructor(private readonly make: (rows: Row[]) => Item[]) {}

	begin(by: readonly SortEntry[]): void {
		this.by = by;
		this.lanes = [];
		this.keys = [];
	}

	add(rows: Row[], lane: number): void {
		const { by } = this;
		(this.lanes[lane] ??= []).push(this.make(rows));
		if (by.length === 0) return;
		(this.keys[lane] ??= []).push(rows.map((row) => by.map(({ field }) => keyOf(findFieldValue(row, field)))));
	}

	/** In the pages that the rows came in, or all in one if they were sorted here. */
	get pages(): Item[][] {
		const pages = this.lanes.flat();
		if (pages.length === 0 || this.by.length === 0) return pages;
		return [inOrder(pages.flat(), this.keys.flat().flat(), this.by)];
	}

	get all(): Item[] {
		return this.pages.flat();
	}
}

/** A sink that keeps rows as they are. */
export function createRowBuffer(): RowBuffer {
	return new RowBuffer((rows) => rows);
}

function keyOf(value: unknown): SortKey {
	if (isBlank(value) || isPlaceholderTime(value)) return NOTHING;
	if (typeof value === 'number' || typeof value === 'boolean') return [1, Number(value)];
	const text = typeof value === 'string' ? value.trim() : JSON.stringify(value);
	if (NUMBER.test(text)) return [1, LONG_INTEGER.test(text) ? BigInt(text) : Number(text)];
	const time = readTime(text);
	return time === undefined ? [3, text] : [2, time];
}

/** Sorts items by the keys of their rows; equal ones stay as they are. */
function inOrder<Item>(items: readonly Item[], keys: readonly SortKeys[], by: readonly SortEntry[]): Item[] {
	const signs = by.map(({ direction }) => (direction === 'Desc' ? -1 : 1));
	const places = items.map((_, place) => place);
	places.sort((a, b) => compare(keys[a] ?? [], keys[b] ?? [], signs));
	return places.map((place) => items[place] as Item);
}

function compare(keys: SortKeys, others: SortKeys, signs: readonly number[]): number {
	for (const [index, sign] of signs.entries()) {
		const [kind, value] = keys[index] ?? NOTHING;
		const [otherKind, other] = others[index] ?? NOTHING;
		const order = kind === otherKind ? compareValues(value, other) : kind - otherKind;
		if (order !== 0) return order * sign;
	}
	return 0;
}

function compareValues(value: number | bigint | string, other: number | bigint | string): number {
	if (typeof value === 'string' || typeof other === 'string') return compareTexts(String(value), String(other));
	return value < other ? -1 : value > other ? 1 : 0;
}
