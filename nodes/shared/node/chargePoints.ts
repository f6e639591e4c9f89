import uniq from 'lodash/uniq';

import { plainStatus } from '../dsquery/catalogue';
import { isRecord } from '../dsquery/faults';
import type { Row } from '../platform';
import { fieldNameIn } from './rowFields';

/** The entries of EVSEs in the detail of a station. One that is not an object becomes `{ value }`. */
export function entriesOf(detail: Row): Row[] {
	const entries: unknown = detail[fieldNameIn(detail, 'EVSEs') ?? ''];
	if (!Array.isArray(entries)) return [];
	return entries.map((entry: unknown) => (isRecord(entry) ? entry : { value: entry }) as Row);
}

/** The value of a field of a charge point as text: the code of a status that came as an object. Undefined for none. */
export function valueText(entry: Row, field: string): string | undefined {
	const value = plainStatus(entry[fieldNameIn(entry, field) ?? '']);
	return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
		? String(value).trim()
		: undefined;
}

/** Longer texts are no Ids. Triggers remember them. */
const LONGEST_ID = 500;

/**
 * What tells the charge points of one station apart: their own Ids, if each has one and all differ. Otherwise the place
 * of each, such as `#1`, which is no Id.
 */
export function chargePointIds(entries: readonly Row[]): { ids: string[]; areOwn: boolean } {
	const own = entries.map((entry) => valueText(entry, 'Id') ?? '');
	const isId = (id: string) => id !== '' && id.length <= LONGEST_ID;
	const areOwn = own.every(isId) && uniq(own).length === own.length;
	return { ids: areOwn ? own : own.map((_, index) => `#${index + 1}`), areOwn };
}
