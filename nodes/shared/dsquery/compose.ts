import type { Condition, FilterNode, Group, OperatorName, SortEntry } from './types';
import { isGroup } from './types';

/** A condition from its parts. The value is text already; it must not be empty. */
export function condition(field: string, operator: OperatorName, value: string): Condition {
	return { field, operator, value };
}

/** All of the given filters together; undefined ones stand for "no filter". Gives undefined where there is none at all. */
export function and(...parts: ReadonlyArray<FilterNode | undefined>): Group | undefined {
	return combine('And', parts);
}

/** Any of the given filters. Unlike `and`, it takes no undefined part: an Or with "no filter" would match every row. */
export function or(...parts: readonly FilterNode[]): Group | undefined {
	return combine('Or', parts);
}

/** The parts as one group; undefined where there is none. A group alone stays as it is. */
export function combine(logic: Group['logic'], parts: ReadonlyArray<FilterNode | undefined>): Group | undefined {
	const filters = parts.filter((part) => part !== undefined);
	const [first] = filters;
	if (filters.length === 1 && first && isGroup(first)) return first;
	return filters.length === 0 ? undefined : { logic, filters };
}

/**
 * The user's sorts, then the id: a stable order, which paging needs (specification, list query rule 7). Sorts behind the
 * id never decide anything, since no two rows share one, but are kept.
 */
export function stableSort(sorts: readonly SortEntry[]): SortEntry[] {
	const isById = sorts.some(({ field }) => field.toLowerCase() === 'id');
	return isById ? [...sorts] : [...sorts, { field: 'Id', direction: 'Asc' }];
}
