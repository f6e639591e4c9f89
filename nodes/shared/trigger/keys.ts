/** A row in the state: `17`, `=9e1c…` */
export type RowKey = string;

/**
 * The key of a row: a whole number as it is, also one that comes as text; any other Id after an equals sign, so that no
 * text can collide with a property that every object has.
 *
 * @returns undefined if the value cannot identify a row
 */
export function rowKey(id: unknown): RowKey | undefined {
	if ((typeof id !== 'number' && typeof id !== 'string') || id === '') return undefined;
	const number = Number(id);
	return Number.isSafeInteger(number) && String(number) === String(id) ? String(id) : `=${id}`;
}

/** The Id in a key. */
export function rowId(key: RowKey): number | string {
	return numberOfKey(key) ?? key.slice(1);
}

/** The number in a key; undefined if the Id is none. */
export function numberOfKey(key: RowKey): number | undefined {
	return key.startsWith('=') ? undefined : Number(key);
}

/** The part of a list that was read completely: all Ids above `after`, up to and including `upTo`. */
export interface IdRange {
	after: number;
	upTo: number;
}

export const WHOLE_LIST: IdRange = { after: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY };

/** Whether a row is in this part of the list. Text Ids have no order: only the whole list covers them. */
export function isInIdRange({ after, upTo }: IdRange, key: RowKey): boolean {
	if (after === WHOLE_LIST.after && upTo === WHOLE_LIST.upTo) return true;
	const id = numberOfKey(key);
	return id !== undefined && id > after && id <= upTo;
}
