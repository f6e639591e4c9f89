import { and, condition } from '../../dsquery/compose';
import type { Query } from '../../dsquery/types';
import type { Row } from '../types';
import { settle } from '../settle';
import { unlessRefused } from './refused';
import { identityOf, looksSame, sortKey } from './rows';
import type { AskPage, Window } from './types';

// What proves what about a list. One function for each claim.

/** Lengths at which platforms cut pages. */
const ROUND_LENGTHS: ReadonlySet<number> = new Set([10, 20, 25, 50, 100, 200, 250, 500]);
/** Platforms that give no rows beyond some position, and count no further, stop there at a round number. */
export const ROUND_COUNT = 100;
/** Beyond the end of any list, and still a 32-bit integer. */
const BEYOND_EVERY_LIST = 2_000_000_000;
/** Pages of up to this many rows are not cut at a size. */
const TINY_PAGE = 10;
/** A name that no row has. Unknown fields are refused, never ignored (specification, list query rule 6). */
const NO_FIELD = 'NoSuchFieldExists';

/** Whether a page of this length may have been cut there, although there are more rows. */
export function mayBeCut(rows: number): boolean {
	return ROUND_LENGTHS.has(rows);
}

/**
 * Whether a page is short because the list ends there: it is not full, TotalCount ends there, too, and nothing in the
 * answer says that there are more rows.
 */
export function endsByCount(
	{ rows, totalCount, hasMore, skip }: Window,
	{ fullPage, countsBeyondPage }: { fullPage: number; countsBeyondPage: boolean },
): boolean {
	return countsBeyondPage && !hasMore && rows.length < fullPage && skip + rows.length === totalCount;
}

/**
 * Whether a page that begins at or shortly before the last row shows that nothing follows it: it ends with that row, and
 * is so much shorter than the others that the platform has not cut it.
 *
 * @param width rows that a page is expected to have
 */
export function endsAfter({ rows }: Window, last: Row | undefined, width: number): boolean {
	const isMuchShorter = rows.length < Math.max(width / 2, Math.min(width, TINY_PAGE));
	return isMuchShorter && (rows.length === 0 || isSame(rows.at(-1), last));
}

/** Whether the platform applies Skip: far beyond the end it gives no rows, or refuses. */
export async function skipIsApplied(ask: AskPage, query: Query): Promise<boolean> {
	return await givesNothing(ask, farBeyond(query));
}

/** Whether a page far beyond the end says, too, that there are more rows: then the platform always says so. */
export async function alwaysSaysMore(ask: AskPage, query: Query): Promise<boolean> {
	const answer = await settle(ask(farBeyond(query)));
	if (!answer.ok || answer.value.rows.length > 0) return false;
	const { hasMore, otherTotal, totalCount = 0 } = answer.value;
	return hasMore === true || (otherTotal !== undefined && otherTotal > totalCount);
}

/** The query for a page far beyond the end. Some platforms give one row less than they are asked for. */
export function farBeyond(query: Query): Query {
	return { ...query, pager: { skip: BEYOND_EVERY_LIST, take: 2 } };
}

/** Whether the platform applies the query at all: it refuses a field that does not exist, or gives no rows for it. */
export async function queryIsApplied(ask: AskPage, query: Query): Promise<boolean> {
	return await givesNothing(ask, impossible(query));
}

/** The query for rows that satisfy a condition on a field that does not exist, too. */
export function impossible({ filter, sorts }: Query): Query {
	return { filter: and(filter, condition(NO_FIELD, 'Eq', '0')), sorts, pager: { skip: 0, take: 2 } };
}

async function givesNothing(ask: AskPage, query: Query): Promise<boolean> {
	return ((await unlessRefused(ask(query)))?.rows ?? []).length === 0;
}

/** The query with its order reversed, if it has one: its first row is the last one of the list. */
export function reversed({ filter, sorts }: Query): Query | undefined {
	const opposite = { Asc: 'Desc', Desc: 'Asc' } as const;
	const back = sorts.flatMap(({ field, direction }) =>
		typeof direction === 'number' ? [] : [{ field, direction: opposite[direction] }],
	);
	return back.length > 0 && back.length === sorts.length ? { filter, sorts: back } : undefined;
}

/** Whether two rows are the same one: by Id or, without Ids, by their values. */
export function isSame(row: Row = {}, other: Row = {}): boolean {
	const id = identityOf(row);
	return id === undefined ? looksSame(row, other) : id === identityOf(other);
}

/** Whether two rows are the same one, and it has not moved in this order: one that has moved proves no end. */
export function isUnmoved(row: Row | undefined, other: Row | undefined, { sorts }: Query): boolean {
	if (!row || !other || !isSame(row, other)) return false;
	const fields = sorts.map(({ field }) => field);
	return sortKey(row, fields) === sortKey(other, fields);
}
