import castArray from 'lodash/castArray';
import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { codeLabel, derivedName, knownField } from '../../dsquery/catalogue';
import { isBlank, isRecord } from '../../text';
import { fieldValue, isNote, NOTE_VALUE, parseFieldValue } from '../../dsquery/fieldValue';
import type { FieldType } from '../../dsquery/operators';
import type { Catalogue, KnownField } from '../../dsquery/types';
import type { LoadOptions } from '../../parameters/dropdown';
import { allFields, seenFields, type Field, type SampleRow } from './seenFields';

const TYPE_LABELS: Readonly<Record<FieldType, string>> = {
	number: 'Number',
	code: 'Status code',
	date: 'Date and time',
	boolean: 'Yes or no',
	text: 'Text',
	any: 'Kind of value not known',
};
const SAVED = 'Saved in this workflow';

/** The fields, each followed by the one derived from it: the name of a status, a local time. */
function withDerived(catalogue: Catalogue, all: readonly Field[]): Field[] {
	return all.flatMap((field) => {
		const name = derivedName(catalogue, field.name);
		if (name === undefined || all.some((other) => other.name === name)) return [field];
		return [field, { name, label: name, type: 'text' as const, codes: [], madeFrom: field.name }];
	});
}

/** What a dropdown says of a field besides its name. */
export function describe({ name, label, type, madeFrom, sample }: Field): string {
	if (madeFrom !== undefined) return `Made from ${madeFrom}`;
	if (type === undefined) return 'List or object';
	const meaning = TYPE_LABELS[type];
	if (name !== label) return `${meaning}: ${name}`;
	return sample === undefined ? meaning : `${meaning}, such as ${sample}`;
}

/** The entries of a dropdown, and after them saved ones that are missing: the editor would hide what is not listed. */
export function withSaved(
	options: readonly INodePropertyOptions[],
	saved: readonly string[],
	nameOf: (value: string) => string,
): INodePropertyOptions[] {
	const missing = saved.filter((value) => !options.some((option) => option.value === value));
	const notes = options.filter(({ value }) => isNote(String(value)));
	return [
		...options.filter((option) => !notes.includes(option)),
		...missing.map((value) => ({ name: nameOf(value), value, description: SAVED })),
		...notes,
	];
}

/** What the entries of a dropdown are built from. */
export interface Sample {
	rows: readonly SampleRow[];
	/** The node's parameters as they are stored. */
	parameters: unknown;
}

/** The fields for Other Field, with `Name|type` as value. Known fields have entries of their own, so they come last. */
function typedFields(catalogue: Catalogue, { rows, parameters }: Sample): INodePropertyOptions[] {
	const fields = sortBy(allFields(catalogue, rows), ({ name }) => knownField(catalogue, name) !== undefined);
	const options = fields.flatMap((field) =>
		field.type ? [{ name: field.label, value: fieldValue(field.name, field.type), description: describe(field) }] : [],
	);
	return withSaved(options, savedIn(parameters, 'other', 'field'), (value) => parseFieldValue(value).name);
}

/** The codes of a field: those with a public meaning, those of live rows, those saved. A meaning is never guessed. */
function codes(catalogue: Catalogue, field: KnownField, { rows, parameters }: Sample): INodePropertyOptions[] {
	const known = (field.codes ?? []).map(({ code }) => code);
	const own = seenFields(catalogue, rows).find(({ name }) => knownField(catalogue, name) === field);
	const option = (name: string, code: number) => ({ name, value: String(code) });
	const others = own?.codes.filter((code) => !known.includes(code)) ?? [];
	const options = [
		...known.map((code) => option(`${codeLabel(field.codes, code)} (Code ${code})`, code)),
		...others.map((code) => option(codeLabel(field.codes, code), code)),
	];
	const saved = savedIn(parameters, field.kind, 'value', 'values').filter((code) => /^\d+$/.test(code));
	return withSaved(options, sortBy(saved, Number), (code) => `Code ${code}`);
}

/** The values of these properties in the entries of one kind, at every depth of the form, without expressions. */
function savedIn(parameters: unknown, kind: string, ...properties: readonly string[]): string[] {
	if (Array.isArray(parameters)) return uniq(parameters.flatMap((entry) => savedIn(entry, kind, ...properties)));
	if (!isRecord(parameters)) return [];
	const found = Object.entries(parameters).flatMap(([name, child]) => [
		...(name === kind ? castArray(child).flatMap((entry) => savedValues(entry, properties)) : []),
		...savedIn(child, kind, ...properties),
	]);
	return uniq(found);
}

/** The values of these properties of an entry, as text, without expressions and notes. */
export function savedValues(entry: unknown, properties: readonly string[]): string[] {
	if (!isRecord(entry)) return [];
	return properties
		.flatMap((property) => castArray(entry[property]))
		.filter((value) => typeof value === 'string' || typeof value === 'number')
		.map(String)
		.filter((value) => !isBlank(value) && !value.startsWith('=') && !isNote(value));
}

/** The name of the method that loads the codes of a known field, such as `getNetworkStatusCodes`. */
export function codesMethod(field: KnownField): string {
	return `get${field.name}Codes`;
}

/** Reads some live rows for the dropdowns, cached, since every dropdown asks for them. */
export type ReadSample = (context: ILoadOptionsFunctions) => Promise<readonly SampleRow[]>;

/**
 * The methods behind the dropdowns of a list: `getFields`, `getSortFields`, `getOutputFields`, `getGroupFields`,
 * `getSecondGroupFields`, `getDateFields`, `getMeasureFields`, `getWatchedFields` and one for the codes of each status field. They never
 * throw, or the editor would hide what is saved: known and saved entries stay, and a note says why others are missing.
 */
export function loadOptionsMethods(catalogue: Catalogue, readSample: ReadSample): Record<string, LoadOptions> {
	const method = (build: (sample: Sample) => INodePropertyOptions[]) => optionsFrom(readSample, build);
	/** Fields with the plain name as value: those chosen from all fields, and those saved in the node. */
	const fields = (choose: (all: Field[]) => Field[], saved: (parameters: unknown) => string[]) =>
		method(({ rows, parameters }) => {
			const options = choose(allFields(catalogue, rows)).map((field) => ({
				name: field.label,
				value: field.name,
				description: describe(field),
			}));
			return withSaved(options, saved(parameters), (value) => parseFieldValue(value).name);
		});
	const single = (all: Field[]) => all.filter(({ type }) => type !== undefined);
	const getGroupFields = fields(single, (parameters) => savedValues(parameters, ['groupByField', 'groupByField2']));
	const codeFields = catalogue.fields.filter(({ type }) => type === 'code');
	return {
		getFields: method((sample) => typedFields(catalogue, sample)),
		getSortFields: fields(single, (parameters) => savedIn(parameters, 'by', 'field')),
		getOutputFields: fields(
			(all) => sortBy(withDerived(catalogue, all), ({ type }) => type === undefined),
			(parameters) => savedValues(parameters, ['outputFields']),
		),
		getWatchedFields: fields(
			(all) => all,
			(parameters) => savedValues(parameters, ['watchedFields', 'ignoredFields']),
		),
		getGroupFields,
		async getSecondGroupFields() {
			return [{ name: 'None', value: '' }, ...(await getGroupFields.call(this))];
		},
		getDateFields: fields(
			(all) => all.filter(({ type }) => type === 'date'),
			(parameters) => savedValues(parameters, ['groupByDateField']),
		),
		getMeasureFields: fields(
			(all) => sortBy(single(all), ({ type }) => type !== 'number'),
			(parameters) => savedIn(parameters, 'values', 'field'),
		),
		...Object.fromEntries(
			codeFields.map((field) => [codesMethod(field), method((sample) => codes(catalogue, field, sample))]),
		),
	};
}

/** A method that builds its options from live rows, and from none with a note if they cannot be read. */
export function optionsFrom(readSample: ReadSample, build: (sample: Sample) => INodePropertyOptions[]): LoadOptions {
	return async function (this: ILoadOptionsFunctions) {
		const parameters = storedParameters(this);
		try {
			const options = build({ rows: await readSample(this), parameters });
			return options.length > 0 ? options : [NOTHING_SEEN];
		} catch (error) {
			return [...build({ rows: [], parameters }), whyMissing(error)];
		}
	};
}

/** Undefined if the node's parameters cannot be read: the dropdown still helps without its saved entries. */
function storedParameters(context: ILoadOptionsFunctions): unknown {
	try {
		return context.getCurrentNodeParameters();
	} catch {
		return undefined;
	}
}

const NOTHING_SEEN: INodePropertyOptions = {
	name: 'Nothing Seen Yet',
	value: NOTE_VALUE,
	description: 'None was seen in your data. You can still enter one with an expression.',
};

function whyMissing(error: unknown): INodePropertyOptions {
	const message = error instanceof Error && error.message ? error.message : 'The platform could not be reached.';
	return {
		name: 'Live Entries Could Not Be Loaded',
		value: NOTE_VALUE,
		description: ['Entries seen in your data are missing.', message].join(' '),
	};
}
