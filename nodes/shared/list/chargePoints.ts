import isNil from 'lodash/isNil';
import pickBy from 'lodash/pickBy';
import uniqBy from 'lodash/uniqBy';

import { LONGEST_ID, unwrapStatus } from '../dsquery/listSchema';
import { isRecord, kindOf } from '../text';
import type { Row } from '../platform';
import { findFieldValue } from '../dsquery/fieldName';

/** More charge points than any station has. Triggers remember each one. */
const MOST_ENTRIES = 1_000;
/** Some languages write a list inside an object, under one of these names. */
const LIST_NAMES = ['Items', '$values'];

/** The charge points of a station. */
interface ParsedChargePoints {
	/** One that is not an object becomes `{ value }`. */
	entries: Row[];
	/** Why they cannot be read. That is not the same as none. */
	unreadable?: string;
}

/** Reads EVSEs in the detail of a station. */
export function parseChargePoints(detail: Row): ParsedChargePoints {
	const evses = findFieldValue(detail, 'EVSEs');
	const inside = isRecord(evses) ? LIST_NAMES.map((name) => findFieldValue(evses, name)).find(Array.isArray) : evses;
	const list: unknown = inside ?? evses;
	if (!Array.isArray(list)) return { entries: [], unreadable: `EVSEs holds ${kindOf(list)} instead of a list` };
	if (list.length > MOST_ENTRIES) {
		const [has, most] = [list.length, MOST_ENTRIES].map((count) => count.toLocaleString('en'));
		return { entries: [], unreadable: `EVSEs has ${has} entries; at most ${most} are read` };
	}
	return { entries: list.map((entry: unknown) => (isRecord(entry) ? entry : { value: entry }) as Row) };
}

/** A station's row with its detail. What the detail does not say of Id and Name stays. */
export function mergeDetail(row: Row, detail: Row): Row {
	const known = pickBy({ Id: row.Id, Name: row.Name }, (value, name) => !isNil(value) && isNil(detail[name]));
	return { ...row, ...detail, ...known };
}

/** The value of a field of a charge point as text: the code of a status that came as an object. Undefined for none. */
export function chargePointValueText(entry: Row, field: string): string | undefined {
	const value = unwrapStatus(findFieldValue(entry, field));
	const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
	return (isText && String(value).trim()) || undefined;
}

/** The fields that may name a charge point, the first of them before the others. */
const NAMED_BY = ['Id', 'EvseId', 'Uid'] as const;

/**
 * What names the charge points of one station: the first of these fields that each of them has and in which all differ.
 * Otherwise, without a field, the place of each, such as `#1`, which is no Id.
 */
export function identifyChargePoints(entries: readonly Row[]): {
	ids: Array<number | string>;
	field?: (typeof NAMED_BY)[number];
} {
	for (const field of NAMED_BY) {
		const ids = entries.flatMap((entry) => idIn(entry, field) ?? []);
		if (ids.length === entries.length && uniqBy(ids, String).length === ids.length) return { ids, field };
	}
	return { ids: entries.map((_, index) => `#${index + 1}`) };
}

/** An Id as the platform sends it. Undefined if there is none. */
function idIn(entry: Row, field: string): number | string | undefined {
	const value = unwrapStatus(findFieldValue(entry, field));
	if (typeof value === 'number') return value;
	const text = typeof value === 'string' ? value.trim() : '';
	return text !== '' && text.length <= LONGEST_ID ? text : undefined;
}
