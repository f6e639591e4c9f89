import { fieldNameIn } from '../../dsquery/fieldName';
import type { SortEntry } from '../../dsquery/types';
import { isNoTime, readTime } from '../../dsquery/values/readTime';
import type { Row } from '../types';

/** One kind for each value, so that the order is one whatever a column mixes: nothing, numbers, times, text. */
type SortKey = readonly [kind: 0 | 1 | 2 | 3, value: number | bigint | string];

/** What a row is sorted by. */
export type SortKeys = readonly SortKey[];

const NOTHING: SortKey = [0, 0];
const NUMBER = /^-?\d{1,40}(?:\.\d{1,40})?$/;
/** A number may not hold it exactly. */
const LONG_INTEGER = /^-?\d{16,40}$/;
const collator = new Intl.Collator('en', { sensitivity: 'base' });

export function keysOf(row: Row, by: readonly SortEntry[]): SortKeys {
	return by.map(({ field }) => {
		const name = fieldNameIn(row, field);
		return name === undefined ? NOTHING : keyOf(row[name]);
	});
}

function keyOf(value: unknown): SortKey {
	if (value === null || value === undefined || value === '' || isNoTime(value)) return NOTHING;
	if (typeof value === 'number' || typeof value === 'boolean') return [1, Number(value)];
	const text = typeof value === 'string' ? value.trim() : JSON.stringify(value);
	if (NUMBER.test(text)) return [1, LONG_INTEGER.test(text) ? BigInt(text) : Number(text)];
	const time = readTime(text);
	return time === undefined ? [3, text] : [2, time];
}

/** Sorts items by the keys of their rows; equal ones stay as they are. */
export function inOrder<Item>(items: readonly Item[], keys: readonly SortKeys[], by: readonly SortEntry[]): Item[] {
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
	if (typeof value === 'string' || typeof other === 'string') return collator.compare(String(value), String(other));
	return value < other ? -1 : value > other ? 1 : 0;
}
