import { knownField, LONGEST_NAME, spellField } from '../catalogue';
import { isBlank, isRecord, kindOf, quote } from '../../text';
import { Faults } from '../faults';
import { DIRECTION_ENUM, LOGIC_ENUM, OPERATOR_ENUM, operatorFits, readEnum } from '../operators';
import { suggest } from '../suggest';
import { OPERATORS, type Catalogue, type Condition, type FilterNode, type SortEntry } from '../types';
import { tooLong, ValueWriter } from '../values/values';

/** What a JSON condition asks for. Only a whole dsquery object can have sorts. */
export interface JsonFilter {
	filter: FilterNode;
	sorts: SortEntry[];
}

/** Limits on the depth of groups, and on conditions and groups together: no URL could carry more. */
export const MOST_LEVELS = 100;
export const MOST_CONDITIONS = 5000;
export const TOO_MANY = `these are more than ${MOST_CONDITIONS} conditions, more than a request can carry.`;

/**
 * Reads a JSON condition: a condition, a group or a whole dsquery object, as text or as an object. Property names and
 * enum values may be in any case; enum values also numbers. Known fields get the platform's spelling, and their values
 * are checked and written as the platform takes them; other field names stay as typed. Adds every fault with its path,
 * such as `Filter.Filters[2].Operator`. Returns undefined if there is no filter.
 *
 * @param place where the JSON is in the form, for messages: "Filters > Filter as JSON 1"
 * @throws {QueryError} if it is too deep or too large to read to its end
 */
export function readJsonInto(
	value: unknown,
	catalogue: Catalogue,
	place: string,
	faults: Faults,
): JsonFilter | undefined {
	const reader = new JsonReader(catalogue, place, faults);
	const root = reader.root(value);
	if (!root) return undefined;
	const names = Object.keys(root).map((name) => lowerCase(name));
	if (names.length === 0) return reader.fault('', 'this object is empty, so there is no condition in it.');
	if (names.some((name) => Object.hasOwn(QUERY, name))) return reader.query(root);
	const filter = reader.node(root, '', 0);
	return filter && { filter, sorts: [] };
}

type Shape = Readonly<Record<string, string>>;
type Properties = Readonly<Record<string, unknown>>;

/** The properties of each part of a dsquery: in lower case, and as the specification writes them. */
const QUERY: Shape = { filter: 'Filter', sort: 'Sort', pager: 'Pager' };
const GROUP: Shape = { logic: 'Logic', filters: 'Filters' };
const CONDITION: Shape = { field: 'Field', operator: 'Operator', value: 'Value' };
const SORT: Shape = { sorts: 'Sorts' };
const SORT_ENTRY: Shape = { field: 'Field', dir: 'Dir' };

const PROPERTY_SYNONYMS: Shape = {
	Field: 'name property key column',
	Operator: 'op operation comparison',
	Value: 'values',
	Filters: 'conditions rules condition',
	Logic: 'combinator',
	Dir: 'direction order',
};

/** Reads one JSON value. */
class JsonReader {
	private nodes = 0;

	constructor(
		private readonly catalogue: Catalogue,
		private readonly place: string,
		private readonly faults: Faults,
	) {}

	fault(path: string, message: string): undefined {
		return this.faults.add(join(this.place, path, ' > '), message);
	}

	private refuseAt(path: string) {
		return (message: string) => this.fault(path, message);
	}

	/** The object at the top level, parsed if it is text. */
	root(value: unknown): Properties | undefined {
		if (isBlank(value)) {
			return this.fault(
				'',
				'nothing is filled in. Enter a filter as JSON, or remove this entry; if it is an expression, it came out empty.',
			);
		}
		const parsed = typeof value === 'string' ? parse(value) : { value };
		if ('refusal' in parsed) return this.fault('', parsed.refusal);
		const { value: read } = parsed;
		if (isRecord(read)) return read;
		if (Array.isArray(read)) {
			return this.fault(
				'',
				'a list does not say whether all or any of its conditions must match. ' +
					'Put it into a group: { "Logic": "And", "Filters": [ ... ] }.',
			);
		}
		return this.fault('', `this must be a condition, a group or a dsquery object, but it is ${kindOf(read)}.`);
	}

	query(root: Properties): JsonFilter | undefined {
		const found = this.properties(root, '', QUERY, 'a dsquery object');
		const filter = found.filter === undefined ? undefined : this.node(found.filter, 'Filter', 0);
		if (found.filter === undefined) {
			this.fault('Filter', 'there is no Filter, so no condition. Remove this entry, or add a Filter to it.');
		}
		// Serialisers may write null for a missing part.
		const sorts = found.sort === undefined || found.sort === null ? [] : this.sort(found.sort);
		if (found.pager !== undefined && found.pager !== null) {
			this.fault('Pager', 'remove it: paging is done by this node (Return All or Limit).');
		}
		return filter && { filter, sorts };
	}

	/** @param level how many groups contain this node */
	node(value: unknown, path: string, level: number): FilterNode | undefined {
		if (!isRecord(value)) {
			return this.fault(path, `this must be a condition or a group, but it is ${kindOf(value)}.`);
		}
		if (++this.nodes > MOST_CONDITIONS) this.faults.stop(this.place, TOO_MANY);
		if (!Object.keys(value).some((name) => Object.hasOwn(GROUP, lowerCase(name)))) return this.condition(value, path);
		if (level >= MOST_LEVELS) {
			this.faults.stop(this.place, `this nests more than ${MOST_LEVELS} groups, or contains itself.`);
		}
		const found = this.properties(value, path, GROUP, 'a group');
		const logic = readEnum(found.logic, LOGIC_ENUM, this.refuseAt(join(path, 'Logic')));
		const place = join(path, 'Filters');
		const filters = this.list(found.filters, place).flatMap(
			(child, index) => this.node(child, `${place}[${index}]`, level + 1) ?? [],
		);
		return logic === undefined || filters.length === 0 ? undefined : { logic, filters };
	}

	private condition(value: Properties, path: string): Condition | undefined {
		const found = this.properties(value, path, CONDITION, 'a condition');
		const field = this.fieldName(found.field, join(path, 'Field'));
		const operator = readEnum(found.operator, OPERATOR_ENUM, this.refuseAt(join(path, 'Operator')));
		const known = field === undefined ? undefined : knownField(this.catalogue, field);
		if (known && typeof operator === 'string' && !operatorFits(known.type, operator)) {
			const fitting = OPERATORS.filter((name) => operatorFits(known.type, name)).join(', ');
			return this.fault(join(path, 'Operator'), `"${operator}" does not fit ${known.name}. Use one of: ${fitting}.`);
		}
		// Which operator a number means is not public, so only the general checks of a value apply.
		const name = typeof operator === 'string' ? operator : undefined;
		const valueField = known && name ? known : { name: field ?? '', type: 'any' as const };
		// Times without a zone are UTC here, as the platform writes them (specification, list query rule 4).
		const writer = new ValueWriter(valueField, 'UTC', this.refuseAt(join(path, 'Value')));
		const written = writer.wire(found.value, name);
		if (field === undefined || operator === undefined || written === undefined) return undefined;
		return { field, operator, value: written };
	}

	/** A field name: in the platform's spelling if known, otherwise as typed. */
	private fieldName(value: unknown, path: string): string | undefined {
		if (isBlank(value)) {
			return this.fault(path, 'nothing is filled in. Enter the name of a field, such as Id.');
		}
		if (typeof value === 'string' && value.length <= LONGEST_NAME) return spellField(this.catalogue, value);
		const found = typeof value === 'string' ? quote(value) : kindOf(value);
		return this.fault(path, `the name of a field is needed here, but this is ${found}.`);
	}

	private sort(value: unknown): SortEntry[] {
		if (!isRecord(value)) {
			this.fault('Sort', `this must be an object with Sorts, but it is ${kindOf(value)}.`);
			return [];
		}
		const found = this.properties(value, 'Sort', SORT, 'Sort');
		const sorts: SortEntry[] = [];
		for (const [index, entry] of this.list(found.sorts, 'Sort.Sorts').entries()) {
			const path = `Sort.Sorts[${index}]`;
			if (!isRecord(entry)) {
				this.fault(path, `this must be an object with Field and Dir, but it is ${kindOf(entry)}.`);
				continue;
			}
			const properties = this.properties(entry, path, SORT_ENTRY, 'a sort');
			const field = this.fieldName(properties.field, `${path}.Field`);
			const direction = readEnum(properties.dir, DIRECTION_ENUM, this.refuseAt(`${path}.Dir`));
			if (field === undefined || direction === undefined) continue;
			if (sorts.some((other) => other.field.toLowerCase() === field.toLowerCase())) {
				this.fault(`${path}.Field`, `${quote(field)} is sorted by twice.`);
			}
			sorts.push({ field, direction });
		}
		return sorts;
	}

	/** Checks for a list with at least one entry. Returns an empty list if it is refused. */
	private list(value: unknown, path: string): readonly unknown[] {
		if (!Array.isArray(value)) {
			this.fault(path, `this must be a list, but it is ${kindOf(value)}.`);
			return [];
		}
		if (value.length === 0) this.fault(path, 'this list is empty. Put at least one entry into it, or remove it.');
		return value;
	}

	/** The properties of an object by lower-case name. Refuses unknown names and names that differ only in case. */
	private properties(value: Properties, path: string, shape: Shape, noun: string): Properties {
		const found: Record<string, unknown> = {};
		const names: Record<string, string> = {};
		for (const name of Object.keys(value)) {
			const lower = lowerCase(name);
			const other = names[lower];
			if (!Object.hasOwn(shape, lower)) {
				this.fault(join(path, name), unknownProperty(name, shape, noun));
			} else if (other !== undefined) {
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
}

/** What JSON text says, or why it cannot be read. */
function parse(text: string): { value: unknown } | { refusal: string } {
	const long = tooLong(text);
	if (long !== undefined) return { refusal: long };
	try {
		const value: unknown = JSON.parse(text);
		const doubled = doubledProperty(text);
		return doubled === undefined ? { value } : { refusal: doubled };
	} catch (error) {
		return { refusal: whyNotJson(error, text) };
	}
}

function whyNotJson(error: unknown, text: string): string {
	const message = error instanceof Error ? error.message : String(error);
	const [, reason, position] = /^(.*?)(?: in JSON)? at position (\d+)/.exec(message) ?? [];
	const before = text.slice(0, Number(position)).split('\n');
	const where = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: `;
	return `this is not JSON: ${reason === undefined ? message : where + reason}.${jsonHint(text)}`;
}

/** What to do about text that is not JSON, as a sentence with a space in front. Empty if it is none of the usual slips. */
function jsonHint(text: string): string {
	if (!text.trimStart().startsWith('{'))
		return ' A condition begins with {, as in { "Field": "Status", "Operator": "Eq", "Value": "4" }.';
	if (/[\u2018-\u201f]/.test(text) || !text.includes('"')) return ' Use straight double quotes (").';
	/** The brackets that must still come, the next one last. */
	const missing: string[] = [];
	for (const { 0: token, index } of text.matchAll(STRING_BRACKET_OR_LAST_COMMA)) {
		const line = `in line ${text.slice(0, index).split('\n').length}`;
		if (token === '{' || token === '[') missing.push(token === '{' ? '}' : ']');
		else if (token.startsWith(',')) return ` Remove the comma before ${token.slice(-1)} ${line}.`;
		else if (!token.startsWith('"') && missing.pop() !== token) return ` The ${token} ${line} has no matching bracket.`;
	}
	if (missing.length === 0 || missing.length > MOST_SHOWN) return '';
	return ` Add ${missing.reverse().join('')} at the end, or where it is missing.`;
}

const MOST_SHOWN = 10;
/** A string (to its end, or to that of the text), a bracket, or a comma with the closing bracket after it. */
const STRING_BRACKET_OR_LAST_COMMA = /"(?:[^"\\]|\\.)*"?|,\s*[}\]]|[{}[\]]/g;
const STRING_OR_BRACE = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g;

/** The fault if an object has the same property twice: `JSON.parse` would silently drop the first. */
function doubledProperty(text: string): string | undefined {
	/** The names so far in each open object, the innermost last. A string followed by a colon is a name. */
	const open: Array<Set<string>> = [];
	for (const { 0: token, 1: string, 2: colon, index } of text.matchAll(STRING_OR_BRACE)) {
		if (token === '{') open.push(new Set());
		else if (token === '}') open.pop();
		else if (string && colon) {
			const name = JSON.parse(string) as string;
			if (open.at(-1)?.has(name)) {
				const line = text.slice(0, index).split('\n').length;
				return `the property ${quote(name)} is there twice, again in line ${line}. Keep one of them.`;
			}
			open.at(-1)?.add(name);
		}
	}
	return undefined;
}

function unknownProperty(name: string, shape: Shape, noun: string): string {
	const lower = lowerCase(name);
	if (lower === 'sort' || lower === 'pager') return `${QUERY[lower] ?? name} belongs at the top level, beside Filter.`;
	const names = Object.values(shape);
	const meant = suggest(name, names, PROPERTY_SYNONYMS);
	const listed = `${names.slice(0, -1).join(', ')}${names.length > 1 ? ' and ' : ''}${names.at(-1) ?? ''}`;
	const start = `${quote(name)} is not a property of ${noun}`;
	return meant ? `${start}, did you mean "${meant}"?` : `${start}, which has ${listed}.`;
}

/** In lower case, and cut to a length that no known property exceeds. */
function lowerCase(name: string): string {
	return name.slice(0, LONGEST_NAME).toLowerCase();
}

function join(path: string, name: string, border = '.'): string {
	return [path, name].filter((part) => part !== '').join(border);
}
