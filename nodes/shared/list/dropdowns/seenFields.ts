import isNil from 'lodash/isNil';
import sortBy from 'lodash/sortBy';
import truncate from 'lodash/truncate';
import uniq from 'lodash/uniq';

import { knownField, LONGEST_NAME } from '../../dsquery/catalogue';
import { isBlank } from '../../text';
import type { FieldType } from '../../dsquery/operators';
import type { Catalogue } from '../../dsquery/types';

/** A row of the list, as the platform sent it. */
export type SampleRow = Readonly<Record<string, unknown>>;

/** A field of the catalogue or of live rows, as the dropdowns show it. */
export interface Field {
	name: string;
	label: string;
	/** Undefined for lists and objects: no filter can compare them. */
	type: FieldType | undefined;
	/** The codes seen, smallest first; empty for fields of another type. */
	codes: number[];
	/** A value from the newest row that has one. */
	sample?: string;
	/** The field it is derived from, if the platform does not send it itself. */
	madeFrom?: string;
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;
/** Whole numbers in fields with such a name are codes. A level or a type may as well be a number. */
const CODE_NAME = /Status$/i;
const MOST_CODES = 20;
const HIGHEST_CODE = 999;
const LONGEST_SAMPLE = 40;
/** Values that are looked at: 200 rows of 250 fields. Further rows are left out. */
const MOST_VALUES = 50_000;
/** Dates in fields with such a name say that a row is over. They are named where they are shown, not interpreted. */
const END_NAME = /^(End|Stop|Finish|Complet)\w{0,30}$/i;

/** Whether a date of that name may say that a row is over. */
export const looksLikeEnd = (name: string): boolean => END_NAME.test(name);

/** The type that the values of one property suggest. Undefined for lists and objects. */
function inferType(name: string, values: readonly unknown[]): FieldType | undefined {
	if (values.some((value) => typeof value === 'object')) return undefined;
	if (values.length === 0) return 'any';
	if (values.every((value) => typeof value === 'number')) {
		const isSmall = values.every((value) => Number.isInteger(value) && value >= 0 && value <= HIGHEST_CODE);
		return isSmall && uniq(values).length <= MOST_CODES && CODE_NAME.test(name) ? 'code' : 'number';
	}
	if (values.every((value) => typeof value === 'boolean')) return 'boolean';
	if (!values.every((value) => typeof value === 'string')) return 'any';
	return values.every((value) => TIMESTAMP.test(value)) ? 'date' : 'text';
}

/** The fields of live rows: those of the catalogue with its types, others with types inferred from their values. */
export function seenFields(catalogue: Catalogue, rows: readonly SampleRow[]): Field[] {
	const cells = new Map<string, unknown[]>();
	let left = MOST_VALUES;
	for (const row of rows) {
		if (left <= 0) break;
		for (const name of Object.keys(row)) {
			left--;
			const value = row[name];
			const values = cells.get(name) ?? [];
			if (values.length === 0) cells.set(name, values);
			if (!isNil(value)) values.push(value);
		}
	}
	const fields = [...cells].filter(([name]) => !isBlank(name) && name.length <= LONGEST_NAME);
	return fields.map(([name, values]) => {
		const type = knownField(catalogue, name)?.type ?? inferType(name, values);
		const numbers = values.filter((value) => typeof value === 'number');
		return { name, label: name, type, codes: type === 'code' ? sortBy(uniq(numbers)) : [], sample: sampleOf(values) };
	});
}

/** The fields of the catalogue in its order, then those of live rows by name. */
export function allFields(catalogue: Catalogue, rows: readonly SampleRow[]): Field[] {
	const known = catalogue.fields.map(({ name, label, type }) => ({ name, label, type, codes: [] }));
	const others = seenFields(catalogue, rows).filter(({ name }) => !knownField(catalogue, name));
	return [...known, ...sortBy(others, ({ name }) => name.toLowerCase())];
}

/** The first value, short enough for a dropdown, which reads HTML; undefined if there is none to show. */
function sampleOf(values: readonly unknown[]): string | undefined {
	const value = values.find((each) => !isBlank(each) && typeof each !== 'object');
	return value === undefined
		? undefined
		: truncate(String(value).slice(0, LONGEST_NAME).replace(/[<>]/g, ' '), { length: LONGEST_SAMPLE });
}
