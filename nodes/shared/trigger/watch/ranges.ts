import groupBy from 'lodash/groupBy';
import isNumber from 'lodash/isNumber';
import partition from 'lodash/partition';
import range from 'lodash/range';

import { rowId, rowKey } from '../keys';
import type { RowKey } from '../types';

/** Rows as saved. Consecutive Ids are one entry: the first and the last. */
export type PackedKeys = Array<number | string | [first: number, last: number]>;

export function packKeys(keys: readonly RowKey[]): PackedKeys {
	const [numbers, texts] = partition(keys.map(rowId), isNumber);
	const ranges: Array<[number, number]> = [];
	for (const id of numbers.sort((a, b) => a - b)) {
		const last = ranges.at(-1);
		if (last && id === last[1] + 1) last[1] = id;
		else ranges.push([id, id]);
	}
	return [...ranges.map(([first, last]): PackedKeys[number] => (first === last ? first : [first, last])), ...texts];
}

/** Reverses `packKeys`, but for the order. */
export function unpackKeys(packed: PackedKeys): RowKey[] {
	return packed.flatMap((entry) =>
		(Array.isArray(entry) ? range(entry[0], entry[1] + 1) : [entry]).flatMap((id) => rowKey(id) ?? []),
	);
}

/** What is known of rows, as saved: those of which the same is known share an entry. */
export type PackedValues<Value> = Array<[value: Value, keys: PackedKeys]>;

export function packValues<Value>(values: ReadonlyMap<RowKey, Value>): PackedValues<Value> {
	const alike = groupBy([...values], ([, value]) => JSON.stringify(value));
	return Object.values(alike).flatMap((same) =>
		same.slice(0, 1).map(([, value]): [Value, PackedKeys] => [value, packKeys(same.map(([key]) => key))]),
	);
}

/** Reverses `packValues`, but for the order. */
export function unpackValues<Value>(packed: PackedValues<Value>): Map<RowKey, Value> {
	return new Map(packed.flatMap(([value, keys]) => unpackKeys(keys).map((key): [RowKey, Value] => [key, value])));
}
