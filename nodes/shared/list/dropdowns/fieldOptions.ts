import castArray from 'lodash/castArray';
import mapValues from 'lodash/mapValues';
import sortBy from 'lodash/sortBy';
import uniq from 'lodash/uniq';
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { codeLabel, derivedName, findKnownField } from '../../dsquery/listSchema';
import { formatFieldChoice, isNoteChoice, NOTE_VALUE, parseFieldChoice } from '../../dsquery/fieldChoice';
import type { FieldType } from '../../dsquery/operators';
import type { ListSchema, KnownField } from '../../dsquery/types';
import type { LoadOptions } from '../../parameters/dropdown';
import { isBlank, isRecord } from '../../text';
import { mergeKnownFields, inferFields, type SampleField, type SampleRow } from './sampleFields';

/** What the entries of a dropdown are built from. */
interface OptionsSource {
	rows: readonly SampleRow[];
	/** The node's parameters as they are stored. */
	parameters: unknown;
}

/** Reads some live rows for the dropdowns, cached, since every dropdown asks for them. */
type SampleReader = (context: ILoadOptionsFunctions) => Promise<readonly SampleRow[]>;

/**
 * A method that builds its options from live rows, and from none with a note if they cannot be read. It never throws, or
 * the editor would hide what is saved: known and saved entries stay.
 */
export function createLoadOptions(
	readSample: SampleReader,
	build: (sample: OptionsSource) => INodePropertyOptions[],
): LoadOptions {
	return async function (this: ILoadOptionsFunctions) {
		const parameters = storedParameters(this);
		try {
			const options = build({ rows: await readSample(this), parameters });
			return options.length > 0 ? options : [NONE_FOUND];
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

const NONE_FOUND: INodePropertyOptions = {
	name: 'Nothing Found Yet',
	value: NOTE_VALUE,
	description: 'There is none in your data. You can still enter one with an expression.',
};

function whyMissing(error: unknown): INodePropertyOptions {
	const message = error instanceof Error && error.message ? error.message : 'The platform could not be reached.';
	return {
		name: 'Live Entries Could Not Be Loaded',
		value: NOTE_VALUE,
		description: ['Entries from your data are missing.', message].join(' '),
	};
}

/**
 * The values stored at these paths, as text, without notes. A path is the name of a parameter, or that
 * of a kind of entries and one of its parameters, such as `other.field`; either may be at any depth.
 */
export function savedValues(parameters: unknown, paths: readonly string[], within = ''): string[] {
	if (Array.isArray(parameters)) return uniq(parameters.flatMap((entry) => savedValues(entry, paths, within)));
	if (!isRecord(parameters)) return [];
	const found = Object.entries(parameters).flatMap(([name, value]) => [
		...(paths.includes(name) || paths.includes(`${within}.${name}`) ? textsIn(value) : []),
		...savedValues(value, paths, name),
	]);
	return uniq(found);
}

function textsIn(value: unknown): string[] {
	return castArray(value)
		.filter((each) => typeof each === 'string' || typeof each === 'number')
		.map(String)
		.filter((text) => !isBlank(text) && !isNoteChoice(text));
}

/** The entries of a dropdown, and after them saved ones that are missing: the editor would hide what is not listed. */
export function appendSaved(
	options: readonly INodePropertyOptions[],
	saved: readonly string[],
	nameOf: (value: string) => string,
): INodePropertyOptions[] {
	const missing = saved
		.filter((value) => !options.some((option) => option.value === value))
		.map((value) => ({ name: nameOf(value), value, description: 'Saved in this workflow' }));
	const notes = options.filter(({ value }) => isNoteChoice(String(value)));
	return [...options.filter((option) => !notes.includes(option)), ...missing, ...notes];
}

// --- fields ---

const TYPE_LABELS: Readonly<Record<FieldType, string>> = {
	number: 'Number',
	code: 'Status code',
	date: 'Date and time',
	boolean: 'Yes or no',
	text: 'Text',
	any: 'Kind of value not known',
};

/** What a dropdown says of a field besides its name. */
export function describeField({ name, label, type, madeFrom, sample }: SampleField): string {
	if (madeFrom !== undefined) return `Made from ${madeFrom}`;
	if (type === undefined) return 'List or object';
	const meaning = TYPE_LABELS[type];
	if (name !== label) return `${meaning}: ${name}`;
	return sample === undefined ? meaning : `${meaning}, such as ${sample}`;
}

/** The fields, each followed by the one derived from it: the name of a status, a local time. */
function withDerived(schema: ListSchema, all: readonly SampleField[]): SampleField[] {
	return all.flatMap((field) => {
		const name = derivedName(schema, field.name);
		const isInner = field.name.includes('.');
		if (name === undefined || isInner || all.some((other) => other.name === name)) return [field];
		return [field, { name, label: name, type: 'text' as const, codes: [], madeFrom: field.name }];
	});
}

/** Which fields a dropdown offers, and where those are stored that were chosen from it. */
interface OfferedFields {
	offered(all: readonly SampleField[], schema: ListSchema): SampleField[];
	saved: readonly string[];
	/** Only fields of the row itself, none inside objects. */
	isTopLevel?: true;
}

const single = (all: readonly SampleField[]) => all.filter(({ type }) => type !== undefined);

const FIELDS: Readonly<
	Record<`get${'Sort' | 'Output' | 'Watched' | 'Group' | 'Date' | 'Measure'}Fields`, OfferedFields>
> = {
	getSortFields: { offered: single, saved: ['by.field'], isTopLevel: true },
	getOutputFields: {
		offered: (all, schema) => sortBy(withDerived(schema, all), ({ type }) => type === undefined),
		saved: ['outputFields'],
	},
	getWatchedFields: { offered: (all) => [...all], saved: ['watchedFields', 'ignoredFields'], isTopLevel: true },
	getGroupFields: { offered: single, saved: ['groupByField', 'groupByField2', 'digestField'] },
	getDateFields: { offered: (all) => all.filter(({ type }) => type === 'date'), saved: ['groupByDateField'] },
	getMeasureFields: {
		offered: (all) => sortBy(single(all), ({ type }) => type !== 'number'),
		saved: ['values.field'],
	},
};

/** The name of the method that loads the codes of a known field, such as `getNetworkStatusCodes`. */
export function codesMethod(field: KnownField): string {
	return `get${field.name}Codes`;
}

/** The methods behind the dropdowns of a list: its fields (see above), those for Other Field, its status codes. */
export function loadOptionsMethods(schema: ListSchema, readSample: SampleReader): Record<string, LoadOptions> {
	const method = (build: (sample: OptionsSource) => INodePropertyOptions[]) => createLoadOptions(readSample, build);
	const ofFields = mapValues(FIELDS, ({ offered, saved, isTopLevel }: OfferedFields) =>
		method(({ rows, parameters }) => {
			const fields = offered(mergeKnownFields(schema, rows, !isTopLevel), schema);
			const options = fields.map((field) => ({
				name: field.label,
				value: field.name,
				description: describeField(field),
			}));
			return appendSaved(options, savedValues(parameters, saved), (value) => parseFieldChoice(value).name);
		}),
	);
	const codeFields = schema.fields.filter(({ type }) => type === 'code');
	return {
		...ofFields,
		getFields: method((sample) => typedFields(schema, sample)),
		async getSecondGroupFields() {
			return [{ name: 'None', value: '' }, ...(await ofFields.getGroupFields.call(this))];
		},
		...Object.fromEntries(
			codeFields.map((field) => [codesMethod(field), method((sample) => codes(schema, field, sample))]),
		),
	};
}

/** The fields for Other Field, with `Name|type` as value. Known fields have entries of their own, so they come last. */
function typedFields(schema: ListSchema, { rows, parameters }: OptionsSource): INodePropertyOptions[] {
	const fields = sortBy(mergeKnownFields(schema, rows), ({ name }) => findKnownField(schema, name) !== undefined);
	const options = fields.flatMap((field) =>
		field.type
			? [{ name: field.label, value: formatFieldChoice(field.name, field.type), description: describeField(field) }]
			: [],
	);
	return appendSaved(options, savedValues(parameters, ['other.field']), (value) => parseFieldChoice(value).name);
}

/** The codes of a field: those with a public meaning, those of live rows, those saved. A meaning is never guessed. */
function codes(schema: ListSchema, field: KnownField, { rows, parameters }: OptionsSource): INodePropertyOptions[] {
	const known = (field.codes ?? []).map(({ code }) => code);
	const live = inferFields(schema, rows).find(({ name }) => findKnownField(schema, name) === field)?.codes ?? [];
	const options = [
		...known.map((code) => ({ name: `${codeLabel(field.codes, code)} (Code ${code})`, value: String(code) })),
		...live.filter((code) => !known.includes(code)).map((code) => ({ name: `Code ${code}`, value: String(code) })),
	];
	const saved = savedValues(parameters, [`${field.kind}.value`, `${field.kind}.values`]);
	return appendSaved(options, sortBy(saved.filter(isCode), Number), (code) => `Code ${code}`);
}

const isCode = (text: string) => /^-?\d+$/.test(text);

/** A dropdown of the codes that `load` gives and of those stored in the parameter at `path`. */
export function createCodeOptions(load: LoadOptions | undefined, path: string): LoadOptions {
	return async function (this: ILoadOptionsFunctions) {
		return await loadCodeOptions(this, load, savedChoices(this, path));
	};
}

/** The codes of a status field: those that `load` gives, and those of `saved` that are not among them. */
export async function loadCodeOptions(
	context: ILoadOptionsFunctions,
	load: LoadOptions | undefined,
	saved: readonly string[],
): Promise<INodePropertyOptions[]> {
	return appendSaved((await load?.call(context)) ?? [], saved.filter(isCode), (code) => `Code ${code}`);
}

/** The choices stored in one parameter of the node. */
export function savedChoices(context: ILoadOptionsFunctions, path: string): string[] {
	const value: unknown = context.getCurrentNodeParameter(path);
	return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}
