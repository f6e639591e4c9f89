import isNil from 'lodash/isNil';

import { findKnownField, LONGEST_NAME, canonicalFieldName } from '../listSchema';
import type { ValidationIssues, Refuse } from '../validationIssues';
import { LOGICS, isOperatorApplicable, findOperatorByLabel, OPERATORS, readKeyword, operandKindOf } from '../operators';
import type { ListSchema, ExpressionResult, Condition, FilterNode } from '../types';
import { parseList, parseJsonAsWritten } from '../values/list';
import { explainUnusableText } from '../values/unusableText';
import { isBlank, isRecord, kindOf, joinWithAnd, quote } from '../../text';
import { readCondition, type OperandName } from './condition';

/** The deepest that groups may nest: no URL could carry more. */
const MOST_LEVELS = 100;

/**
 * Reads a JSON condition: a condition, a group or a whole query (dsquery) with one, as text or as an object. Property names
 * and names of operators may be in any case. Known fields get the platform's spelling, and their values are checked and
 * written as the platform takes them; other field names stay as typed. Adds every fault with its path, such as
 * `Filter > Filters, entry 3 > Operator`. Returns undefined if there is no filter.
 *
 * @param place where the JSON is in the form, for messages: "Filters > Filter as JSON 1"
 * @param expression set if an expression made it
 * @throws {QueryError} if it is too deep to read to its end
 */
export function readJsonFilter(
	value: unknown,
	schema: ListSchema,
	place: string,
	issues: ValidationIssues,
	expression?: ExpressionResult,
): FilterNode | undefined {
	return new JsonFilterReader(schema, place, issues, expression).root(value);
}

type JsonProperties = Readonly<Record<string, unknown>>;

/** The properties of each part of a dsquery, as the specification writes them. */
const SHAPES = {
	'a query': ['Filter', 'Sort', 'Pager'],
	'a group': ['Logic', 'Filters'],
	'a condition': ['Field', 'Operator', 'Value'],
} as const;

/** What messages show of how to write it. */
const EXAMPLE = '{ "Field": "Status", "Operator": "Eq", "Value": "4" }';
const JSON_LOGICS = '"And" (all conditions must match) or "Or" (one is enough)';
const JSON_OPERATORS = `one of: ${OPERATORS.join(', ')}`;

/** Reads one JSON value. */
class JsonFilterReader {
	constructor(
		private readonly schema: ListSchema,
		private readonly place: string,
		private readonly issues: ValidationIssues,
		private readonly expression: ExpressionResult | undefined,
	) {}

	root(value: unknown): FilterNode | undefined {
		const refuse = this.refuseAt('');
		if (isBlank(value)) {
			return refuse(
				'nothing is filled in. Enter a filter as JSON, or remove this entry; if it is an expression, it came out empty: check the data that it reads.',
			);
		}
		if (this.expression?.whyUnusable !== undefined) return refuse(this.expression.whyUnusable);
		const read = typeof value === 'string' ? parse(value, refuse) : value;
		if (read === undefined) return undefined;
		if (Array.isArray(read)) {
			return refuse(
				'a list does not say whether all or any of its conditions must match. Put it into a group: { "Logic": "And", "Filters": [ ... ] }.',
			);
		}
		if (!isRecord(read)) return this.node(read, '', 0);
		if (Object.keys(read).length === 0) {
			return refuse('there is nothing between { and }. Put a condition there, or remove this entry.');
		}
		return hasAny(read, SHAPES['a query']) ? this.query(read) : this.node(read, '', 0);
	}

	private query(root: JsonProperties): FilterNode | undefined {
		const found = this.properties(root, '', 'a query');
		// Serialisers may write null for a missing part.
		for (const part of ['Sort', 'Pager'].filter((name) => !isNil(found[name]))) {
			this.refuseAt(part)(
				`${quote(part)} is not part of a filter. Remove it from the JSON, and use Sort, Return All or Limit of this node instead, where it has them.`,
			);
		}
		if (!isNil(found.Filter)) return this.node(found.Filter, 'Filter', 0);
		return this.refuseAt('')(
			'"Filter" is missing or null, so there is no condition. Add "Filter": { ... } to the JSON, or remove this entry.',
		);
	}

	/** @param level how many groups contain this node */
	private node(value: unknown, path: string, level: number): FilterNode | undefined {
		if (!isRecord(value)) {
			const found = value === null ? 'null' : kindOf(value);
			return this.refuseAt(path)(
				`this is ${found}, not a condition or a group. Put one in its place, such as ${EXAMPLE}, or remove it.`,
			);
		}
		if (!hasAny(value, SHAPES['a group'])) return this.condition(value, path);
		if (level >= MOST_LEVELS) {
			this.issues.stop(
				this.place,
				`groups lie inside groups more than ${MOST_LEVELS} levels deep, or without end. Use fewer levels, or check the expression that makes them.`,
			);
		}
		const found = this.properties(value, path, 'a group');
		const logic = readKeyword(found.Logic, LOGICS, JSON_LOGICS, this.refuseAt(join(path, 'Logic')));
		const filters = this.list(found.Filters, join(path, 'Filters')).flatMap(
			([child, at]) => this.node(child, at, level + 1) ?? [],
		);
		return logic === undefined || filters.length === 0 ? undefined : { logic, filters };
	}

	private condition(value: JsonProperties, path: string): Condition | undefined {
		const found = this.properties(value, path, 'a condition');
		const name = this.fieldName(found.Field, join(path, 'Field'));
		const refuse = this.refuseAt(join(path, 'Operator'));
		const operator = readKeyword(found.Operator, OPERATORS, JSON_OPERATORS, (message) => {
			const meant = findOperatorByLabel(found.Operator);
			return refuse(meant ? `${quote(found.Operator)} is its name in the form. In JSON, write ${meant}.` : message);
		});
		const field = findKnownField(this.schema, name ?? '') ?? { name: name ?? '', type: 'any' as const };
		if (operator && !isOperatorApplicable(field.type, operator)) {
			const fitting = OPERATORS.filter((other) => isOperatorApplicable(field.type, other)).join(', ');
			return refuse(`${quote(operator)} does not fit ${field.name}. Use one of: ${fitting}.`);
		}
		const refuseValue = this.refuseAt(join(path, 'Value'));
		const isRange = operator !== undefined && operandKindOf(operator) === 'range';
		const ends = isRange ? parseList(found.Value) : [];
		if (isRange && (ends.length !== 2 || ends.some(isBlank))) {
			return refuseValue('a range needs two values with one comma between them, low first, such as "10,20".');
		}
		const given = (part: OperandName) => (part === 'from' ? ends[0] : part === 'to' ? ends[1] : found.Value);
		const read = readCondition(field, operator ?? 'Eq', {
			// As the platform writes them (specification, list query rule 4).
			zone: 'UTC',
			given,
			whyUnusable: (part) => this.expression && explainUnusableText(given(part)),
			refuseAt: (part): Refuse =>
				part === 'from' || part === 'to'
					? this.refuseAt(join(path, `Value, ${part === 'from' ? 'low' : 'high'} end`))
					: refuseValue,
		});
		return name === undefined || operator === undefined ? undefined : read;
	}

	/** A field name: in the platform's spelling if known, otherwise as typed. */
	private fieldName(value: unknown, path: string): string | undefined {
		if (isBlank(value)) {
			return this.refuseAt(path)('nothing is filled in. Enter the name of a field, such as Id.');
		}
		if (typeof value === 'string' && value.length <= LONGEST_NAME) return canonicalFieldName(this.schema, value);
		const found = typeof value === 'string' ? `${quote(value)}, which is too long` : kindOf(value);
		return this.refuseAt(path)(`this is ${found}. Enter the name of a field in double quotes, such as "Id".`);
	}

	private refuseAt(path: string): Refuse {
		return (message) => this.issues.add(join(this.place, path), message);
	}

	/** The entries of a list with at least one, each with its path; none if it is refused. */
	private list(value: unknown, path: string): Array<[unknown, string]> {
		const entries: unknown[] = Array.isArray(value) ? value : [];
		if (entries.length === 0) {
			const found = isNil(value) ? 'missing' : Array.isArray(value) ? 'an empty list' : kindOf(value);
			this.refuseAt(path)(
				`this is ${found}. A group needs "Filters": [ ... ] with at least one condition between [ and ]; if it has none, remove the whole group.`,
			);
		}
		return entries.map((entry, index) => [entry, `${path}, entry ${index + 1}`]);
	}

	/** The properties of an object, named as in the specification. Refuses others, and names that differ only in case. */
	private properties(value: JsonProperties, path: string, noun: keyof typeof SHAPES): JsonProperties {
		const shape: readonly string[] = SHAPES[noun];
		const found = new Map<string, string>();
		for (const name of Object.keys(value)) {
			const refuse = this.refuseAt(join(path, name));
			const meant = shape.find((known) => known.toLowerCase() === name.toLowerCase());
			const other = meant && found.get(meant);
			if (meant === undefined) {
				refuse(`${quote(name)} does not belong in ${noun}, which has only ${joinWithAnd(shape)}. Remove it.`);
			} else if (other !== undefined) {
				refuse(`${quote(other)} and ${quote(name)} count as the same name. Keep one of them.`);
			} else {
				found.set(meant, name);
			}
		}
		return Object.fromEntries([...found].map(([meant, name]) => [meant, value[name]]));
	}
}

function hasAny(value: JsonProperties, names: readonly string[]): boolean {
	const wanted = names.map((name) => name.toLowerCase());
	return Object.keys(value).some((name) => wanted.includes(name.toLowerCase()));
}

/** What JSON text says. Undefined if it is refused. */
function parse(text: string, refuse: Refuse): unknown {
	try {
		const value = parseJsonAsWritten(text);
		const doubled = doubledProperty(text);
		return doubled === undefined ? value : refuse(doubled);
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		return refuse(
			`this is not JSON. Write it like ${EXAMPLE}: straight double quotes, a colon after each name, every bracket closed. The exact reason: ${reason}.`,
		);
	}
}

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

function join(path: string, name: string): string {
	return [path, name].filter((part) => part !== '').join(' > ');
}
