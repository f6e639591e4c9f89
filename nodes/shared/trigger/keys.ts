import { type Coverage, type RowKey, WHOLE_LIST } from './types';

/**
 * The key of a row in the state: numbers as they are, text after an equals sign. So 17 and "17" stay two rows, and no
 * text can collide with a property that every object has.
 *
 * @returns undefined if the value cannot identify a row
 */
export function rowKey(id: unknown): RowKey | undefined {
	if (typeof id === 'number' && Number.isFinite(id)) return String(id);
	return typeof id === 'string' && id !== '' ? `=${id}` : undefined;
}

/** The id in a key, as the platform sent it. */
export function rowId(key: RowKey): number | string {
	return key.startsWith('=') ? key.slice(1) : Number(key);
}

/** The number in a key, if it has one in either form: 17 in `17` and in `=17`. */
export function numberIn(key: RowKey): number | undefined {
	const id = rowId(key);
	const number = Number(id);
	return Number.isFinite(number) && String(number) === String(id) ? number : undefined;
}

/**
 * The key under which a row was looked up. An Id that was a number and is text now, or the other way round, is found, too,
 * unless both were looked up. (In a list, they are two rows.)
 */
export function keyIn(known: { has(key: RowKey): boolean }, id: unknown): RowKey | undefined {
	const key = rowKey(id);
	const number = key === undefined ? undefined : numberIn(key);
	if (key === undefined || number === undefined || known.has(key)) return key;
	const other = key.startsWith('=') ? String(number) : `=${number}`;
	return known.has(other) ? other : key;
}

/** Whether a row is in the part of the list that was read. Text ids have no order: only the whole list covers them. */
export function covers(coverage: Coverage, key: RowKey): boolean {
	if (coverage.after === WHOLE_LIST.after && coverage.upTo === WHOLE_LIST.upTo) return true;
	const id = numberIn(key);
	return id !== undefined && id > coverage.after && id <= coverage.upTo;
}
