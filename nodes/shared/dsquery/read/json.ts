import { knownField } from '../catalogue';
import { Faults, isBlank, isRecord, kindOf, quote } from '../faults';
import { readJsonText } from './jsonText';
import { DIRECTION_ENUM, LOGIC_ENUM, OPERATOR_ENUM, operatorFits, readEnum } from '../operators';
import { suggest } from '../suggest';
import type { Catalogue, Condition, FieldType, FilterNode, Group, Pager, Query, SortEntry } from '../types';
import { isGroup } from '../types';
import { writeWireValue } from '../values/values';

/** What a JSON condition asks for. Sorts are there only where a whole dsquery object with a Sort was given. */
export interface JsonFilter {
	filter: FilterNode;
	sorts: SortEntry[];
}

export interface JsonOptions {
	catalogue: Catalogue;
	/** Where the JSON stands in the form, for messages: "Filters > Filter as JSON 1". */
	place?: string;
	/** Why a Sort cannot be taken here; left out where it can. */
	sortRefusal?: string;
}

/**
 * Reads a JSON condition: a condition, a group or a whole dsquery object, as text or as an object; property names in any
 * case, enum values by name in any case or by number. Known field names are spelled right and their values checked and
 * written as the platform takes them; anything else is passed on as it stands. Notes every fault with its path, such as
 * `Filter.Filters[2].Operator`; undefined where there is no filter.
 */
export function readJsonInto(value: unknown, options: JsonOptions, faults: Faults): JsonFilter | undefined {
	const walk = new Walk(faults, options.place ?? '', options.catalogue, options.sortRefusal);
	const root = walk.root(value);
	if (!root) return undefined;
	const kind = kindOfRoot(root);
	if (kind === 'empty') return walk.fault('', 'this object is empty, so there is no condition in it.');
	if (kind === 'node') {
		const filter = walk.node(root, '');
		return filter && { filter, sorts: [] };
	}
	const query = walk.query(root);
	if (query && !query.filter) {
		return walk.fault('Filter', 'there is no Filter, so no condition. Remove this entry, or add a Filter to it.');
	}
	return query?.filter && { filter: query.filter, sorts: query.sorts };
}

/** Reads a whole dsquery text exactly as it stands, Pager included. */
export function readWireQuery(text: string): Query {
	const faults = new Faults();
	const walk = new Walk(faults, '');
	const root = walk.root(text);
	const query = root && walk.query(root);
	faults.check();
	if (!query) throw new Error('A dsquery was refused without a reason');
	const { filter, ...rest } = query;
	if (!filter) return rest;
	if (!isGroup(filter)) {
		faults.add('Filter', 'this must be a group, with Logic and Filters.');
		faults.check();
		return rest;
	}
	return { ...rest, filter };
}

type Shape = Readonly<Record<string, string>>;
type Properties = Readonly<Record<string, unknown>>;

/** The properties of each part of a dsquery: lower case, and as the specification writes them. */
const QUERY: Shape = { filter: 'Filter', sort: 'Sort', pager: 'Pager' };
const GROUP: Shape = { logic: 'Logic', filters: 'Filters' };
const CONDITION: Shape = { field: 'Field', operator: 'Operator', value: 'Value' };
const SORT: Shape = { sorts: 'Sorts' };
const SORT_ENTRY: Shape = { field: 'Field', dir: 'Dir' };
const PAGER: Shape = { skip: 'Skip', take: 'Take' };

const PROPERTY_SYNONYMS: Readonly<Record<string, string>> = {
	name: 'Field',
	property: 'Field',
	key: 'Field',
	column: 'Field',
	op: 'Operator',
	operation: 'Operator',
	comparison: 'Operator',
	values: 'Value',
	conditions: 'Filters',
	rules: 'Filters',
	combinator: 'Logic',
	condition: 'Filters',
	direction: 'Dir',
	order: 'Dir',
};

/** Deeper than any URL can carry; it ends the walk through an object that contains itself. */
const DEEPEST = 20_000;

function kindOfRoot(root: Readonly<Record<string, unknown>>): 'query' | 'node' | 'empty' {
	const names = Object.keys(root).map((name) => name.toLowerCase());
	if (names.length === 0) return 'empty';
	return names.some((name) => Object.hasOwn(QUERY, name)) ? 'query' : 'node';
}

interface FoundQuery {
	filter?: FilterNode;
	sorts: SortEntry[];
	pager?: Pager;
}

/** One reading of one JSON value. Without a catalogue it reads the platform's own text and changes nothing in it. */
class Walk {
	private readonly faults: Faults;
	private readonly place: string;
	private readonly catalogue: Catalogue | undefined;
	private readonly sortRefusal: string | undefined;

	constructor(faults: Faults, place: string, catalogue?: Catalogue, sortRefusal?: string) {
		this.faults = faults;
		this.place = place;
		this.catalogue = catalogue;
		this.sortRefusal = sortRefusal;
	}

	fault(path: string, message: string): undefined {
		return this.faults.add([this.place, path].filter((part) => part !== '').join(' > '), message);
	}

	/** The object at the top, read from text where it is text. */
	root(value: unknown): Record<string, unknown> | undefined {
		let read = value;
		if (typeof value === 'string') {
			if (isBlank(value)) return this.fault('', 'nothing is filled in. Enter a filter as JSON, or remove this entry.');
			const parsed = readJsonText(value);
			if ('flaw' in parsed) {
				const { line, column, message } = parsed.flaw;
				return this.fault('', `this is not JSON: line ${line}, column ${column}: ${message}.`);
			}
			read = parsed.value;
		}
		if (read === undefined || read === null) {
			return this.fault(
				'',
				'nothing is filled in. Enter a filter as JSON; if this is an expression, it came out empty.',
			);
		}
		if (Array.isArray(read)) {
			return this.fault(
				'',
				'a list does not say whether all or any of its conditions must match. ' +
					'Put it into a group: { "Logic": "And", "Filters": [ ... ] }.',
			);
		}
		if (isRecord(read)) return read;
		return this.fault('', `this must be a condition, a group or a dsquery object, but it is ${kindOf(read)}.`);
	}

	query(root: Record<string, unknown>): FoundQuery | undefined {
		const found = this.properties(root, '', QUERY, 'a dsquery object');
		const before = this.faults.count;
		const result: FoundQuery = { sorts: [] };
		if (found.filter !== undefined) {
			const filter = this.node(found.filter, 'Filter');
			if (filter) result.filter = filter;
		}
		// A serialiser writes null for a part that is not there.
		if (isGiven(found.sort)) {
			if (this.sortRefusal === undefined) result.sorts = this.sort(found.sort);
			else this.fault('Sort', this.sortRefusal);
		}
		if (isGiven(found.pager)) {
			if (this.catalogue) this.fault('Pager', 'remove it: paging is done by this node (Return All or Limit).');
			else result.pager = this.pager(found.pager);
		}
		return this.faults.count === before ? result : undefined;
	}

	/** Reads a condition or a group to any depth, without calling itself. */
	node(root: unknown, rootPath: string): FilterNode | undefined {
		const top: FilterNode[] = [];
		const waiting = [{ value: root, path: rootPath, into: top, depth: 0 }];
		const before = this.faults.count;
		for (let next = waiting.pop(); next; next = waiting.pop()) {
			const { value, path, into, depth } = next;
			if (depth > DEEPEST) {
				this.fault('', `this nests more than ${DEEPEST} groups, or contains itself.`);
				return undefined;
			}
			if (!isRecord(value)) {
				this.fault(path, `this must be a condition or a group, but it is ${kindOf(value)}.`);
				continue;
			}
			const names = Object.keys(value).map((name) => name.toLowerCase());
			if (!names.some((name) => Object.hasOwn(GROUP, name))) {
				const condition = this.condition(value, path);
				if (condition) into.push(condition);
				continue;
			}
			const found = this.properties(value, path, GROUP, 'a group');
			const logic = this.member(found.logic, join(path, 'Logic'), LOGIC_ENUM);
			const filters = this.list(found.filters, join(path, 'Filters'));
			if (filters.length === 0) continue;
			const group: Group = { logic: logic ?? 'And', filters: [] };
			into.push(group);
			for (let index = filters.length - 1; index >= 0; index--) {
				const child = `${join(path, 'Filters')}[${index}]`;
				waiting.push({ value: filters[index], path: child, into: group.filters, depth: depth + 1 });
			}
		}
		return this.faults.count === before ? top[0] : undefined;
	}

	private condition(value: Record<string, unknown>, path: string): Condition | undefined {
		const found = this.properties(value, path, CONDITION, 'a condition');
		const field = this.fieldName(found.field, join(path, 'Field'));
		const operator = this.member(found.operator, join(path, 'Operator'), OPERATOR_ENUM);
		const valuePath = join(path, 'Value');
		if (!this.catalogue) {
			if (typeof found.value !== 'string')
				return this.fault(valuePath, `this must be text, but it is ${kindOf(found.value)}.`);
			if (isBlank(found.value)) return this.fault(valuePath, 'nothing is filled in.');
			return field === undefined || operator === undefined ? undefined : { field, operator, value: found.value };
		}
		const known = field === undefined ? undefined : knownField(this.catalogue, field);
		if (known && typeof operator === 'string' && !operatorFits(known.type, operator)) {
			this.fault(
				join(path, 'Operator'),
				`"${operator}" does not fit ${known.name}, which holds ${TYPE_NAMES[known.type]}.`,
			);
			return undefined;
		}
		// Without an operator only an empty value can be told; 0 stands for "some operator".
		const written = writeWireValue(found.value, known ?? { name: field ?? '', type: 'any' }, operator ?? 0);
		if ('refusal' in written) return this.fault(valuePath, written.refusal);
		return field === undefined || operator === undefined ? undefined : { field, operator, value: written.value };
	}

	/** A field name: put right where it is known, as typed where it is not. */
	private fieldName(value: unknown, path: string): string | undefined {
		if (value === undefined || value === null || (typeof value === 'string' && isBlank(value))) {
			return this.fault(path, 'nothing is filled in. Enter the name of a field, such as Id.');
		}
		if (typeof value !== 'string')
			return this.fault(path, `the name of a field is needed here, but this is ${kindOf(value)}.`);
		if (!this.catalogue) return value;
		return knownField(this.catalogue, value)?.name ?? value.trim();
	}

	private sort(value: unknown): SortEntry[] {
		if (!isRecord(value)) {
			this.fault('Sort', `this must be an object with Sorts, but it is ${kindOf(value)}.`);
			return [];
		}
		const found = this.properties(value, 'Sort', SORT, 'Sort');
		const sorts: SortEntry[] = [];
		const seen = new Set<string>();
		for (const [index, entry] of this.list(found.sorts, 'Sort.Sorts').entries()) {
			const path = `Sort.Sorts[${index}]`;
			if (!isRecord(entry)) {
				this.fault(path, `this must be an object with Field and Dir, but it is ${kindOf(entry)}.`);
				continue;
			}
			const properties = this.properties(entry, path, SORT_ENTRY, 'a sort');
			const field = this.fieldName(properties.field, `${path}.Field`);
			const direction = this.member(properties.dir, `${path}.Dir`, DIRECTION_ENUM);
			if (field === undefined || direction === undefined) continue;
			if (this.catalogue && seen.has(field.toLowerCase()))
				this.fault(`${path}.Field`, `${quote(field)} is sorted by twice.`);
			seen.add(field.toLowerCase());
			sorts.push({ field, direction });
		}
		return sorts;
	}

	private pager(value: unknown): Pager {
		const found = isRecord(value) ? this.properties(value, 'Pager', PAGER, 'Pager') : {};
		return { skip: this.count(found.skip, 'Pager.Skip'), take: this.count(found.take, 'Pager.Take') };
	}

	private count(value: unknown, path: string): number {
		if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
		this.fault(path, 'this must be a whole number from 0 up.');
		return 0;
	}

	private member<T extends string>(
		value: unknown,
		path: string,
		of: Parameters<typeof readEnum<T>>[1],
	): T | number | undefined {
		const read = readEnum(value, of);
		return 'member' in read ? read.member : this.fault(path, read.refusal);
	}

	/** A list that must not be empty; the empty list stands for one that was refused. */
	private list(value: unknown, path: string): readonly unknown[] {
		if (Array.isArray(value)) {
			if (value.length === 0) this.fault(path, 'this list is empty. Put at least one entry into it, or remove it.');
			return value;
		}
		this.fault(
			path,
			value === undefined
				? 'this is missing: a list is needed here.'
				: `this must be a list, but it is ${kindOf(value)}.`,
		);
		return [];
	}

	/** The properties of an object by lower-case name. Names that only differ in case, and unknown names, are refused. */
	private properties(value: Record<string, unknown>, path: string, shape: Shape, noun: string): Properties {
		const found: Record<string, unknown> = {};
		const names: Record<string, string> = {};
		for (const name of Object.keys(value)) {
			const lower = name.toLowerCase();
			if (!Object.hasOwn(shape, lower)) {
				this.fault(join(path, name), this.unknownProperty(name, shape, noun));
			} else if (Object.hasOwn(names, lower)) {
				const other = names[lower] ?? lower;
				this.fault(
					join(path, name),
					`${quote(other)} and ${quote(name)} are one property to the platform. Keep one of them.`,
				);
			} else {
				names[lower] = name;
				found[lower] = value[name];
			}
		}
		return found;
	}

	private unknownProperty(name: string, shape: Shape, noun: string): string {
		const lower = name.toLowerCase();
		if (lower === 'sort' || lower === 'pager')
			return `${QUERY[lower] ?? name} belongs at the top level, beside Filter.`;
		const names = Object.values(shape);
		const meant = suggest(name, names, PROPERTY_SYNONYMS);
		const listed = `${names.slice(0, -1).join(', ')}${names.length > 1 ? ' and ' : ''}${names.at(-1) ?? ''}`;
		const start = `${quote(name)} is not a property of ${noun}`;
		return meant && names.includes(meant) ? `${start}, did you mean "${meant}"?` : `${start}, which has ${listed}.`;
	}
}

const TYPE_NAMES: Readonly<Record<FieldType, string>> = {
	number: 'a number',
	code: 'a status code',
	date: 'a date and time',
	text: 'text',
	any: 'a value',
};

function isGiven(value: unknown): boolean {
	return value !== undefined && value !== null;
}

function join(path: string, name: string): string {
	return path === '' ? name : `${path}.${name}`;
}
