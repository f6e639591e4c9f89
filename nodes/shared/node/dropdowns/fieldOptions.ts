import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { codeLabel, knownField } from '../../dsquery/catalogue';
import { isBlank, isRecord } from '../../dsquery/faults';
import { fieldValue, isNote, NOTE_VALUE, parseFieldValue } from '../../dsquery/fieldValue';
import type { Catalogue, FieldType, KnownField } from '../../dsquery/types';

/** A row of the list, as the platform sent it. */
type SampleRow = Readonly<Record<string, unknown>>;

/** A field seen on live rows. */
export interface SeenField {
	name: string;
	type: FieldType;
	/** The codes seen, smallest first; empty for fields of another type. */
	codes: number[];
}

const TYPE_LABELS: Readonly<Record<FieldType, string>> = {
	number: 'Number',
	code: 'Status code',
	date: 'Date and time',
	text: 'Text',
	any: 'Kind of value not known',
};

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** Whole numbers under such a name stand for something else: a state, a kind, a reason. */
const CODE_NAME = /(Status|State|Type|Kind|Mode|Reason|Code|Category|Level)$/i;
const MOST_CODES = 20;
const HIGHEST_CODE = 999;

/** What the values of one property seem to be; undefined where a filter cannot compare them (objects and lists). */
function inferType(name: string, values: readonly unknown[]): FieldType | undefined {
	if (values.some((value) => typeof value === 'object')) return undefined;
	if (values.length === 0) return 'any';
	if (values.every((value) => typeof value === 'number')) {
		const codes = new Set(values);
		const small = values.every(
			(value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= HIGHEST_CODE,
		);
		return small && codes.size <= MOST_CODES && CODE_NAME.test(name) ? 'code' : 'number';
	}
	if (!values.every((value) => typeof value === 'string')) return 'any';
	return values.every((value) => typeof value === 'string' && TIMESTAMP.test(value)) ? 'date' : 'text';
}

/** The fields of live rows with their types: those of the catalogue as it says, others by what their values look like. */
export function seenFields(catalogue: Catalogue, rows: readonly SampleRow[]): SeenField[] {
	const values = new Map<string, unknown[]>();
	for (const row of rows) {
		for (const [name, value] of Object.entries(row)) {
			const seen = values.get(name) ?? [];
			values.set(name, seen);
			if (value !== null && value !== undefined) seen.push(value);
		}
	}
	const fields: SeenField[] = [];
	for (const [name, seen] of values) {
		const type = knownField(catalogue, name)?.type ?? inferType(name, seen);
		if (type === undefined || isBlank(name)) continue;
		const numbers = seen.filter((value) => typeof value === 'number');
		fields.push({ name, type, codes: type === 'code' ? [...new Set(numbers)].sort((a, b) => a - b) : [] });
	}
	return fields;
}

/** A field in a dropdown, before it is known which value stands for it. */
interface Choice {
	name: string;
	type: FieldType;
	label: string;
	description: string;
}

/** The fields of the catalogue in its order, then those of live rows by name. */
function choices(catalogue: Catalogue, rows: readonly SampleRow[]): Choice[] {
	const seen = seenFields(catalogue, rows);
	const known = catalogue.fields.map(({ name, type, label }) => ({
		name,
		type,
		label,
		description: `${TYPE_LABELS[type]}: ${name}`,
	}));
	const live = seen
		.filter(({ name }) => !knownField(catalogue, name))
		.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
		.map(({ name, type, codes }) => ({
			name,
			type,
			label: name,
			description: codes.length > 0 ? `${TYPE_LABELS[type]}: ${codes.join(', ')} seen in your data` : TYPE_LABELS[type],
		}));
	return [...known, ...live];
}

/** Why a dropdown shows less than it could, as its last entry. */
function noteOption(note: string | undefined, name = 'Live Entries Could Not Be Loaded'): INodePropertyOptions[] {
	return note === undefined ? [] : [{ name, value: NOTE_VALUE, description: note }];
}

const SAVED = 'Saved in this workflow, not seen in your data';

/**
 * The fields for Other Field, with `Name|type` as value.
 * @param saved values stored in the node: each stays in the list, or the editor would hide it
 * @param note why the fields of live rows are missing
 */
export function fieldOptions(
	catalogue: Catalogue,
	rows: readonly SampleRow[],
	saved: readonly string[] = [],
	note?: string,
): INodePropertyOptions[] {
	const options = choices(catalogue, rows).map(({ name, type, label, description }) => ({
		name: label,
		value: fieldValue(name, type),
		description,
	}));
	const listed = new Set(options.map(({ value }) => value));
	for (const value of saved.filter((stored) => !listed.has(stored))) {
		const { name, type } = parseFieldValue(value);
		options.push({ name, value, description: `${TYPE_LABELS[type]}. ${SAVED}.` });
	}
	return [...options, ...noteOption(note)];
}

/**
 * The fields a row can be reduced to, with the plain name as value: those of the catalogue, then all others of live
 * rows, lists and objects included.
 */
export function outputOptions(
	catalogue: Catalogue,
	rows: readonly SampleRow[],
	saved: readonly string[] = [],
	note?: string,
): INodePropertyOptions[] {
	const plain = sortOptions(catalogue, rows, saved);
	const nested = [...new Set(rows.flatMap((row) => Object.keys(row)))]
		.filter((name) => !isBlank(name) && !plain.some(({ value }) => value === name))
		.sort()
		.map((name) => ({ name, value: name, description: 'List or object' }));
	return [...plain, ...nested, ...noteOption(note)];
}

/** The fields to sort by, with the plain name as value. */
export function sortOptions(
	catalogue: Catalogue,
	rows: readonly SampleRow[],
	saved: readonly string[] = [],
	note?: string,
): INodePropertyOptions[] {
	const options = choices(catalogue, rows).map(({ name, label, description }) => ({
		name: label,
		value: name,
		description,
	}));
	const listed = new Set(options.map(({ value }) => value));
	for (const value of saved.filter((stored) => !listed.has(stored))) {
		options.push({ name: parseFieldValue(value).name, value, description: SAVED });
	}
	return [...options, ...noteOption(note)];
}

/**
 * The codes of a field: those the specification gives a meaning first, then those seen on live rows and those saved, as
 * "Code 2". A meaning is never guessed.
 */
export function codeOptions(
	catalogue: Catalogue,
	field: KnownField,
	rows: readonly SampleRow[],
	saved: readonly string[] = [],
	note?: string,
): INodePropertyOptions[] {
	const known = (field.codes ?? []).map(({ code }) => code);
	const seen =
		seenFields(catalogue, rows).find(({ name }) => name.toLowerCase() === field.name.toLowerCase())?.codes ?? [];
	const stored = saved.filter((code) => /^\d+$/.test(code)).map(Number);
	const others = [...new Set([...seen, ...stored])].filter((code) => !known.includes(code)).sort((a, b) => a - b);
	const options = [...known, ...others].map((code) => {
		const label = codeLabel(field.codes, code);
		const named = known.includes(code);
		return {
			name: named ? `${label} (Code ${code})` : label,
			value: String(code),
			...(!named && { description: seen.includes(code) ? 'Seen in your data' : SAVED }),
		};
	});
	if (options.length === 0 && note === undefined) {
		return noteOption(
			'None was seen in your data. You can still enter a code with an expression.',
			'No Codes Seen Yet',
		);
	}
	return [...options, ...noteOption(note)];
}

/** What a node has stored that its dropdowns must keep on offer. */
export interface SavedChoices {
	/** Values of Other Field, as stored. */
	fields: string[];
	/** Values of the sort form, as stored. */
	sortFields: string[];
	/** Codes by the kind of the condition they are stored in. */
	codes: Map<string, string[]>;
	/** Fields to return, as stored. */
	outputFields: string[];
	/** The field to group by, as stored. */
	groupFields: string[];
}

/** Finds the fields and codes stored in a node's parameters, at every depth of the form. Expressions are left out. */
export function collectSavedFields(parameters: unknown): SavedChoices {
	const fields = new Set<string>();
	const sortFields = new Set<string>();
	const codes = new Map<string, string[]>();
	const waiting: Array<{ value: unknown; kind: string }> = [{ value: parameters, kind: '' }];
	for (let next = waiting.pop(); next; next = waiting.pop()) {
		const { value, kind } = next;
		if (Array.isArray(value)) {
			for (const entry of value) waiting.push({ value: entry, kind });
			continue;
		}
		if (!isRecord(value)) continue;
		if (isChoice(value.field)) (kind === 'by' ? sortFields : fields).add(value.field);
		const stored = [value.value, ...(Array.isArray(value.values) ? (value.values as unknown[]) : [])];
		for (const code of stored) {
			if (typeof code !== 'string' && typeof code !== 'number') continue;
			codes.set(kind, [...new Set([...(codes.get(kind) ?? []), String(code)])]);
		}
		for (const [name, child] of Object.entries(value)) waiting.push({ value: child, kind: name });
	}
	const { outputFields, groupByField } = isRecord(parameters) ? parameters : {};
	return {
		fields: [...fields],
		sortFields: [...sortFields],
		codes,
		outputFields: Array.isArray(outputFields) ? outputFields.filter(isChoice) : [],
		groupFields: [groupByField].filter(isChoice),
	};
}

function isChoice(field: unknown): field is string {
	return typeof field === 'string' && !isBlank(field) && !field.startsWith('=') && !isNote(field);
}

/** The name of the method that loads the codes of a known field, such as `getNetworkStatusCodes`. */
export function codesMethod(field: KnownField): string {
	return `get${field.name}Codes`;
}

type LoadOptionsMethod = (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>;

/** Reads some live rows for the dropdowns, cached, since every dropdown asks for them. */
export type ReadSample = (context: ILoadOptionsFunctions) => Promise<readonly SampleRow[]>;

/**
 * The methods behind the dropdowns of a list: `getFields`, `getSortFields`, `getOutputFields`, `getGroupFields` and one
 * for the codes of each status field.
 * They never throw, or the editor would hide what is saved: known and saved entries stay, and a note says why there are
 * no more.
 */
export function loadOptionsMethods(catalogue: Catalogue, readSample: ReadSample): Record<string, LoadOptionsMethod> {
	const method = (
		build: (rows: readonly SampleRow[], saved: SavedChoices, note?: string) => INodePropertyOptions[],
	): LoadOptionsMethod =>
		async function (this: ILoadOptionsFunctions) {
			const saved = savedChoices(this);
			try {
				return build(await readSample(this), saved);
			} catch (error) {
				return build([], saved, whyMissing(error));
			}
		};
	const methods: Record<string, LoadOptionsMethod> = {
		getFields: method((rows, { fields }, note) => fieldOptions(catalogue, rows, fields, note)),
		getSortFields: method((rows, { sortFields }, note) => sortOptions(catalogue, rows, sortFields, note)),
		getOutputFields: method((rows, { outputFields }, note) => outputOptions(catalogue, rows, outputFields, note)),
		getGroupFields: method((rows, { groupFields }, note) => sortOptions(catalogue, rows, groupFields, note)),
	};
	for (const field of catalogue.fields.filter(({ type }) => type === 'code')) {
		methods[codesMethod(field)] = method((rows, { codes }, note) =>
			codeOptions(catalogue, field, rows, codes.get(field.kind) ?? [], note),
		);
	}
	return methods;
}

function savedChoices(context: ILoadOptionsFunctions): SavedChoices {
	try {
		return collectSavedFields(context.getCurrentNodeParameters());
	} catch {
		// Without the node's parameters there is nothing to keep; the list itself still helps.
		return collectSavedFields(undefined);
	}
}

function whyMissing(error: unknown): string {
	const message = error instanceof Error && error.message ? error.message : 'The platform could not be reached.';
	return `Entries seen in your data are missing. ${message}`;
}
