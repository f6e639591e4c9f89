import { conditionsIn } from '../../dsquery/compose';
import type { Query } from '../../dsquery/types';

/** The fields that a query filters and sorts by, to explain a refusal. */
export function fieldsOf(query: Query | undefined): string[] {
	return [...new Set([...(query?.sorts ?? []), ...conditionsIn(query?.filter)].map(({ field }) => field))];
}

/**
 * Where a node's panel has a field of a query, or any field: 'Filters and Sort'. Empty if it has it nowhere; sorting by
 * the Id is usually not the user's choice.
 */
export function placesOf(query: Query | undefined, field?: string): string {
	const isNamed = (entry: { field: string }) => field === undefined || entry.field === field;
	const sorts = (query?.sorts ?? []).filter((sort) => sort.field.toLowerCase() !== 'id');
	const places = [conditionsIn(query?.filter).some(isNamed) && 'Filters', sorts.some(isNamed) && 'Sort'];
	return places.filter(Boolean).join(' and ');
}

/** The values that a query compares with, to explain a refusal. */
export function valuesOf(query: Query | undefined): string[] {
	return conditionsIn(query?.filter).flatMap(({ value }) => [value, ...value.split(',')]);
}

/** URLs up to this length work everywhere. */
const SAFE_URL_LENGTH = 2_000;

/** The part of a query that makes the URL long; undefined if it is not. */
export function longPartOf(query: Query | undefined, dsquery: string): string | undefined {
	if (encodeURIComponent(dsquery).length <= SAFE_URL_LENGTH) return undefined;
	return longestPartOf(query) ?? 'the filter';
}

/** The conditions on the one field that takes the most room in the URL: 'the 900 values of “Id”'. */
export function longestPartOf(query: Query | undefined): string | undefined {
	const parts = new Map<string, { room: number; values: number }>();
	for (const { field, operator, value } of conditionsIn(query?.filter)) {
		const part = parts.get(field) ?? { room: 0, values: 0 };
		part.room += value.length + field.length;
		part.values += operator === 'In' ? value.split(',').length : 1;
		parts.set(field, part);
	}
	const [longest] = [...parts].sort(([, a], [, b]) => b.room - a.room);
	if (!longest) return undefined;
	const [field, { values }] = longest;
	return values > 1 ? `the ${values} values of “${field}”` : `the value of “${field}”`;
}
