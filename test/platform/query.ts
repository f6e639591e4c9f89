import { Ajv, type SchemaObject } from 'ajv';

import { Refusal } from './errors.ts';

/** In the order of the specification's list, which also defines their numbers. */
export const OPERATORS = [
	...(['Eq', 'Neq', 'Lt', 'Lte', 'Gt', 'Gte', 'Contains', 'StartsWith', 'EndsWith', 'In'] as const),
	...(['GtLt', 'GteLte', 'GteLt', 'GtLte'] as const),
	...(['IsDate', 'IsMonth', 'IsYear', 'IsHour', 'IsMinute', 'IsSecond'] as const),
];
export type Operator = (typeof OPERATORS)[number];

const LOGIC = ['And', 'Or'] as const;
const DIRECTIONS = ['Asc', 'Desc'] as const;

export interface Condition {
	Field: string;
	Operator: Operator;
	/** List query rule 4: always a string, whatever the field's type. */
	Value: string;
}

export interface Group {
	Logic: (typeof LOGIC)[number];
	Filters: Array<Condition | Group>;
}

export interface ListQuery {
	Pager?: { Skip?: number; Take?: number };
	Filter?: Group;
	Sort?: { Sorts: Array<{ Field: string; Dir: (typeof DIRECTIONS)[number] }> };
}

const ENUMS: Partial<Record<string, readonly string[]>> = { Operator: OPERATORS, Logic: LOGIC, Dir: DIRECTIONS };

/** The JSON Schema of an object. */
export function objectOf(
	required: Record<string, SchemaObject>,
	optional: Record<string, SchemaObject> = {},
): SchemaObject {
	const properties = { ...required, ...optional };
	return { type: 'object', required: Object.keys(required), properties, additionalProperties: false };
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const condition = objectOf({ Field: text, Operator: { enum: OPERATORS }, Value: text });
const filters = { type: 'array', minItems: 1, items: { anyOf: [{ $ref: '#/definitions/group' }, condition] } };
const sort = objectOf({ Field: text, Dir: { enum: DIRECTIONS } });
const schema = {
	...objectOf(
		{},
		{
			Pager: objectOf({}, { Skip: count, Take: count }),
			Filter: { $ref: '#/definitions/group' },
			Sort: objectOf({ Sorts: { type: 'array', items: sort } }),
		},
	),
	definitions: { group: objectOf({ Logic: { enum: LOGIC }, Filters: filters }) },
};
const NAMES = 'Pager Skip Take Filter Logic Filters Field Operator Value Sort Sorts Dir'.split(' ');

const isListQuery = new Ajv().compile<ListQuery>(schema);

/**
 * The same with the names of properties as specified: they match in any case (list query rule 1), and enums have names
 * or numbers. Null counts as left out.
 */
function spelled(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(spelled);
	if (typeof value !== 'object' || value === null) return value;
	const found: Record<string, unknown> = {};
	for (const [key, entry] of Object.entries(value) as Array<[string, unknown]>) {
		const name = NAMES.find((candidate) => candidate.toLowerCase() === key.toLowerCase()) ?? key;
		if (name in found) throw refused(`has the property "${name}" twice`);
		if (entry !== null) found[name] = (typeof entry === 'number' && ENUMS[name]?.[entry]) || spelled(entry);
	}
	return found;
}

const refused = (why: string) => new Refusal(400, `The dsquery parameter is not valid: it ${why}.`);

/** Reads the parsed dsquery. Throws a 400 refusal that says what is not as specified. */
export function readListQuery(dsquery: unknown): ListQuery {
	const query = spelled(dsquery);
	if (isListQuery(query)) return query;
	const [fault] = isListQuery.errors ?? [];
	throw refused(`${fault?.message ?? ''} (${fault?.instancePath ?? ''})`);
}
