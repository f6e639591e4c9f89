import isNil from 'lodash/isNil';
import sortBy from 'lodash/sortBy';
import truncate from 'lodash/truncate';
import uniq from 'lodash/uniq';

import { comparableStatus, findKnownField, LONGEST_NAME } from '../../dsquery/listSchema';
import type { FieldType } from '../../dsquery/operators';
import type { ListSchema } from '../../dsquery/types';
import { isBlank, isRecord } from '../../text';

/** A row of the list, as the platform sent it. */
export type SampleRow = Readonly<Record<string, unknown>>;

/** A field of the catalogue or of live rows, as the dropdowns show it. */
export interface SampleField {
	name: string;
	label: string;
	/** Undefined for lists and objects: no filter can compare them. */
	type: FieldType | undefined;
	/** The codes that rows have, smallest first; empty for fields of another type. */
	codes: number[];
	/** A value from the newest row that has one. */
	sample?: string;
	/** The field it is derived from, if the platform does not send it itself. */
	madeFrom?: string;
}

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}[\d:.]*(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const LONGEST_SAMPLE = 40;

/** The type that the values of one property suggest. Undefined for lists and objects. */
function inferType(name: string, values: readonly unknown[]): FieldType | undefined {
	const areAll = (type: string) => values.every((value) => typeof value === type);
	if (values.some((value) => typeof value === 'object')) return undefined;
	// Empty in all rows, as for stations that were never online.
	if (values.length === 0) return /utc$/i.test(name) ? 'date' : 'any';
	// A level or a type may as well be a number.
	if (areAll('number')) return /Status$/i.test(name) && values.every(Number.isSafeInteger) ? 'code' : 'number';
	if (areAll('boolean')) return 'boolean';
	if (!areAll('string')) return 'any';
	return values.every((value) => TIMESTAMP.test(String(value))) ? 'date' : 'text';
}

/** The fields of a row, and those of objects inside it: `Cost.InclVat`. */
function* withInner(row: SampleRow, before = ''): Iterable<[string, unknown]> {
	for (const [name, value] of Object.entries(row)) {
		yield [before + name, value];
		if (isRecord(value) && before.length < LONGEST_NAME) yield* withInner(value, `${before}${name}.`);
	}
}

/**
 * The fields of live rows: those of the catalogue with its types, others with types inferred from their values.
 *
 * @param inner whether fields inside objects are among them: not where the platform compares them
 */
export function inferFields(schema: ListSchema, rows: readonly SampleRow[], inner = false): SampleField[] {
	const cells = new Map<string, unknown[]>();
	for (const [name, value] of rows.flatMap((row) => (inner ? [...withInner(row)] : Object.entries(row)))) {
		const values = cells.get(name) ?? [];
		if (!isNil(value)) values.push(value);
		cells.set(name, values);
	}
	const fields = [...cells].filter(([name]) => !isBlank(name) && name.length <= LONGEST_NAME);
	return fields.map(([name, values]) => {
		const type = findKnownField(schema, name)?.type ?? inferType(name, values);
		const codes = type === 'code' ? values.map(comparableStatus).filter((code) => typeof code === 'number') : [];
		return { name, label: name, type, codes: sortBy(uniq(codes)), sample: sampleOf(values) };
	});
}

/** The fields of the catalogue in its order, then those of live rows by name. */
export function mergeKnownFields(schema: ListSchema, rows: readonly SampleRow[], inner = false): SampleField[] {
	const known = schema.fields.map(({ name, label, type }) => ({ name, label, type, codes: [] }));
	const others = inferFields(schema, rows, inner).filter(({ name }) => !findKnownField(schema, name));
	return [...known, ...sortBy(others, ({ name }) => name.toLowerCase())];
}

/** The first value, short enough for a dropdown, which reads HTML; undefined if there is none to show. */
function sampleOf(values: readonly unknown[]): string | undefined {
	const value = values.find((each) => !isBlank(each) && typeof each !== 'object');
	const text = value === undefined ? undefined : String(value).slice(0, LONGEST_NAME).replace(/[<>]/g, ' ');
	return text && truncate(text, { length: LONGEST_SAMPLE });
}
