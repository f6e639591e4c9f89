import { Refusal } from './errors.ts';

/** In the order of the specification's list, which also defines their numbers. */
export const OPERATORS = [
	'Eq',
	'Neq',
	'Lt',
	'Lte',
	'Gt',
	'Gte',
	'Contains',
	'StartsWith',
	'EndsWith',
	'In',
	'GtLt',
	'GteLte',
	'GteLt',
	'GtLte',
	'IsDate',
	'IsMonth',
	'IsYear',
	'IsHour',
	'IsMinute',
	'IsSecond',
] as const;
export type Operator = (typeof OPERATORS)[number];

const LOGIC = ['And', 'Or'] as const;
export type Logic = (typeof LOGIC)[number];

const DIRECTIONS = ['Asc', 'Desc'] as const;

export interface Condition {
	field: string;
	operator: Operator;
	value: string;
	/** Its position in the dsquery: `Filter.Filters[2]`. */
	place: string;
}

export interface Group {
	logic: Logic;
	filters: Array<Condition | Group>;
	place: string;
}

export interface ListQuery {
	skip: number;
	take: number | undefined;
	filter: Group | undefined;
	sorts: Array<{ field: string; direction: 'Asc' | 'Desc'; place: string }>;
}

const refuse = (place: string, text: string) =>
	new Refusal(400, `The dsquery parameter is not valid. ${place}: ${text}`);

/** Reads an object whose property names match in any case (list query rule 1); null counts as left out. */
function properties(value: unknown, place: string, names: string[]): Record<string, unknown> {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) throw refuse(place, 'must be an object');
	const found: Record<string, unknown> = {};
	for (const [key, entry] of Object.entries(value) as Array<[string, unknown]>) {
		const name = names.find((candidate) => candidate.toLowerCase() === key.toLowerCase());
		if (name === undefined) throw refuse(place, `has no property "${key}"`);
		if (name in found) throw refuse(place, `has the property "${name}" twice`);
		found[name] = entry ?? undefined;
	}
	return found;
}

function enumValue<T extends string>(values: readonly T[], given: unknown, place: string): T {
	const value =
		typeof given === 'number'
			? values[given]
			: values.find((name) => typeof given === 'string' && name.toLowerCase() === given.toLowerCase());
	if (value === undefined) throw refuse(place, `must be one of ${values.join(', ')} or its number`);
	return value;
}

function integer(given: unknown, place: string): number | undefined {
	if (given === undefined) return undefined;
	if (typeof given !== 'number' || !Number.isSafeInteger(given)) throw refuse(place, 'must be an integer');
	if (given < 0) throw refuse(place, 'must not be negative');
	return given;
}

function array(given: unknown, place: string): unknown[] {
	if (!Array.isArray(given)) throw refuse(place, 'must be an array');
	return given;
}

function text(given: unknown, place: string): string {
	if (typeof given !== 'string') throw refuse(place, 'must be a string');
	return given;
}

function readFilter(value: unknown, place: string): Condition | Group {
	const names = ['Logic', 'Filters', 'Field', 'Operator', 'Value'];
	const found = properties(value, place, names);
	const isGroup = 'Filters' in found || 'Logic' in found;
	if (isGroup && ('Field' in found || 'Operator' in found || 'Value' in found)) {
		throw refuse(place, 'must be either a group or a condition');
	}
	return isGroup ? readGroup(found, place) : readCondition(found, place);
}

function readGroup(found: Record<string, unknown>, place: string): Group {
	const filters = array(found.Filters, `${place}.Filters`);
	if (!filters.length) throw refuse(`${place}.Filters`, 'must not be empty');
	return {
		logic: enumValue(LOGIC, found.Logic, `${place}.Logic`),
		filters: filters.map((filter, index) => readFilter(filter, `${place}.Filters[${index}]`)),
		place,
	};
}

function readCondition(found: Record<string, unknown>, place: string): Condition {
	return {
		field: text(found.Field, `${place}.Field`),
		operator: enumValue(OPERATORS, found.Operator, `${place}.Operator`),
		// List query rule 4: always a string, whatever the field's type.
		value: text(found.Value, `${place}.Value`),
		place,
	};
}

/** Reads the parsed dsquery. Throws a 400 refusal that names the place of what is not as specified. */
export function readListQuery(dsquery: unknown): ListQuery {
	const parts = properties(dsquery, 'dsquery', ['Pager', 'Filter', 'Sort']);
	const query: ListQuery = { skip: 0, take: undefined, filter: undefined, sorts: [] };
	if (parts.Pager !== undefined) {
		const pager = properties(parts.Pager, 'Pager', ['Skip', 'Take']);
		query.skip = integer(pager.Skip, 'Pager.Skip') ?? 0;
		query.take = integer(pager.Take, 'Pager.Take');
	}
	if (parts.Filter !== undefined) {
		query.filter = readGroup(properties(parts.Filter, 'Filter', ['Logic', 'Filters']), 'Filter');
	}
	if (parts.Sort !== undefined) {
		const { Sorts } = properties(parts.Sort, 'Sort', ['Sorts']);
		query.sorts = array(Sorts, 'Sort.Sorts').map((entry, index) => {
			const place = `Sort.Sorts[${index}]`;
			const sort = properties(entry, place, ['Field', 'Dir']);
			return {
				field: text(sort.Field, `${place}.Field`),
				direction: enumValue(DIRECTIONS, sort.Dir, `${place}.Dir`),
				place,
			};
		});
	}
	return query;
}
