import { endOperators, operandKindOf, type OperatorName } from './operators';
import { isFilterGroup, type Condition, type FilterNode, type FilterGroup, type SortEntry } from './types';

/** A condition from its parts. The value must not be empty. */
export function condition(field: string, operator: OperatorName, value: string): Condition {
	return { field, operator, value };
}

/** Joins filters with And. Undefined parts mean "no filter"; the result is undefined if there is no filter at all. */
export function and(...parts: ReadonlyArray<FilterNode | undefined>): FilterGroup | undefined {
	return joinFilters('And', parts);
}

/** Joins filters with Or. Unlike `and`, it takes no undefined part: an Or with "no filter" would match every row. */
export function or(...parts: readonly FilterNode[]): FilterGroup | undefined {
	return joinFilters('Or', parts);
}

/** The conditions of a filter, at every depth. */
export function conditionsIn(node: FilterNode | undefined): Condition[] {
	if (!node) return [];
	return isFilterGroup(node) ? node.filters.flatMap(conditionsIn) : [node];
}

/** Joins the defined parts into one group; undefined if there are none. A single group is returned as it is. */
export function joinFilters(
	logic: FilterGroup['logic'],
	parts: ReadonlyArray<FilterNode | undefined>,
): FilterGroup | undefined {
	const filters = parts.filter((part) => part !== undefined);
	const [first] = filters;
	if (filters.length === 1 && first && isFilterGroup(first)) return first;
	return filters.length === 0 ? undefined : { logic, filters };
}

/**
 * The user's sorts, then the id: paging needs a stable order (specification, list query rule 7). Sorts after the id
 * have no effect, since ids are unique, but are kept.
 */
export function withIdSort(sorts: readonly SortEntry[]): SortEntry[] {
	const isById = sorts.some(({ field }) => field.toLowerCase() === 'id');
	return isById ? [...sorts] : [...sorts, { field: 'Id', direction: 'Asc' }];
}

/** The two conditions that a range stands for. Undefined for any other condition. */
export function splitRange({ field, operator, value }: Condition): [Condition, Condition] | undefined {
	const [low, high, ...more] = value.split(',').map((end) => end.trim());
	if (operandKindOf(operator) !== 'range' || low === undefined || high === undefined || more.length > 0)
		return undefined;
	const [atLow, atHigh] = endOperators(operator);
	return [condition(field, atLow, low), condition(field, atHigh, high)];
}
