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
