import lodash from 'lodash';

import { Refusal } from './errors.ts';
import { TABLES, type ListName } from './tables.ts';
import type { IdKind, RateLimit } from './types.ts';

export class CsvBehaviour {
	bom = false;
	newline: '\r\n' | '\n' = '\r\n';
	/** Whether the last record ends with a line end. */
	finalNewline = true;
	delimiter: ',' | ';' = ',';
	/** The name of the column with the session's Id; undefined for none. */
	idColumn: string | undefined = 'Id';
	/** `latin1` under the name of UTF-8, as legacy systems do. */
	encoding: 'utf8' | 'latin1' = 'utf8';
}

/**
 * What really happens to people, as switches. They begin as specified, or with the stricter reading where the
 * specification is silent. Every change takes effect on the next request.
 */
export class Behaviour {
	/** Time between arrival and answer of each request. */
	latencyMs = 0;
	/** The most rows of a page, whatever Take asks for. */
	takeClamp: number | undefined = undefined;
	/** What TotalCount says. `page`: the rows of this page. */
	totalCount: 'right' | 'text' | 'null' | 'missing' | 'page' | { atMost: number } | { offBy: number } = 'right';
	/** The Ids of each list on the wire. */
	ids: Record<ListName, IdKind> = {
		...lodash.mapValues(TABLES, () => 'integer' as const),
		teams: 'text',
		billing: 'none',
	};
	/** Lists that come as a bare array instead of the envelope. */
	arrays: ListName[] = [];
	/** Property names in camelCase, in the envelope and in rows. Filters and sorts use the specified names. */
	camelCase = false;
	/** Properties without a value are left out of the row instead of null. */
	omitsEmpty = false;
	/** How statuses are written: 4, "4", "Finished", or both in an object. */
	codes: 'number' | 'text' | 'name' | 'object' = 'number';
	/** Times of rows with milliseconds (`2026-11-21T00:00:00.123`), in answers and in comparisons. */
	timestampFractions = false;
	/** Times in conditions are read in a zone that is so many hours ahead of UTC. */
	conditionZoneHours = 0;
	/** `Filter`, `Sort`, `Skip` and `Take` have no effect, nor have conditions on other names, which are fields. */
	ignores: string[] = [];
	/** The order without Sort, and among rows that are equal by Sort. `random`: none at all. */
	naturalOrder: 'idAsc' | 'idDesc' | 'random' = 'idAsc';
	/** Where rows without a value are sorted: below every value, as in SQL Server, or above, as in PostgreSQL. */
	emptyValues: 'below' | 'above' = 'below';
	rateLimit: RateLimit | undefined = undefined;
	/** The scope that a key needs for locations: the specification shows none, and then they refuse keys. */
	locationsScope: string | undefined = undefined;
	/** Time until new scopes of a key take effect. */
	scopeDelayMs = 60_000;
	/** The answer of POST /token, %TOKEN% stands for the token; and the requests after which a token expires. */
	token = { body: '{"AccessToken":"%TOKEN%"}', uses: Infinity };
	csv = new CsvBehaviour();
	/** Fields of each list, by name, with the kinds of their values as Check Platform reports them; the usual ones if undefined. */
	fields: Partial<Record<string, Record<string, string>>> | undefined = undefined;
}

/**
 * Applies the given switches; groups (`ids`, `token`, `csv`) are merged. Refuses one that does not exist, by name. `null`
 * switches an optional one off, as JSON has no undefined.
 */
export function applyBehaviour(
	behaviour: object,
	changes: object,
	standard: Record<string, unknown> = { ...new Behaviour() },
	place = '',
): void {
	const current = behaviour as Record<string, unknown>;
	for (const [name, value] of Object.entries(changes) as Array<[string, unknown]>) {
		if (!(name in standard)) throw new Refusal(400, `There is no switch "${place}${name}"`);
		const known = standard[name];
		if (isGroup(known) && isGroup(value)) applyBehaviour(current[name] as object, value, known, `${name}.`);
		else current[name] = value ?? undefined;
	}
}

const isGroup = (value: unknown): value is Record<string, unknown> => lodash.isObject(value) && !Array.isArray(value);
