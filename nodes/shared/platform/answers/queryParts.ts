import { conditionsIn } from '../../dsquery/compose';
import type { Query } from '../../dsquery/types';
import { escaped, safeText } from './safeText';

// What a refusal is about: the parts of the query that was sent.

/** URLs up to this length work everywhere. */
const SAFE_URL_LENGTH = 2_000;
/** Longer fields are not searched for. */
const LONGEST_FIELD = 80;

/** The fields that a query filters and sorts by. */
function fieldsOf(query: Query | undefined): string[] {
	return [...new Set([...(query?.sorts ?? []), ...conditionsIn(query?.filter)].map(({ field }) => field))];
}

/** The field of the query that the platform's words name: a quoted one, else the first one mentioned. */
export function fieldIn(words: string, query: Query | undefined, secrets: readonly string[]): string | undefined {
	const fields = fieldsOf(query).filter(({ length }) => length <= LONGEST_FIELD);
	const quoted = /['"‘’“”`]([A-Za-z_][\w.]{0,80})['"‘’“”`]/.exec(words)?.[1]?.toLowerCase();
	const mentioned = fields
		.map((field) => ({ field, at: words.search(new RegExp(`(?<![\\w.])${escaped(field)}(?!\\w)`)) }))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => a.at - b.at || b.field.length - a.field.length);
	const name = fields.find((field) => field.toLowerCase() === quoted) ?? mentioned[0]?.field;
	return name === undefined ? undefined : safeText(name, secrets);
}

/** The value of the query that the platform's words quote. */
export function valueIn(words: string, query: Query | undefined, secrets: readonly string[]): string | undefined {
	const fields = fieldsOf(query);
	const values = conditionsIn(query?.filter).flatMap(({ value }) => [value, ...value.split(',')]);
	const quoted = [...words.matchAll(/['"‘“`](?=([^'"‘’“”`]{1,80})['"’”`])/g)].map(([, text = '']) => text);
	const value = quoted.find((text) => values.includes(text) && !fields.includes(text));
	return value === undefined ? undefined : safeText(value, secrets);
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
