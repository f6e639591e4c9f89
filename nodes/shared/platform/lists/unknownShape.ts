import { and, condition } from '../../dsquery/compose';
import type { Query, SortEntry } from '../../dsquery/types';
import { PlatformError } from '../answers/errors';
import { settle } from '../settle';
import type { CountRequest } from './count';
import { changedShape, isQueryRefused, notCounted, notHeard, onlyFirst, unprovenCount } from './faults';
import { readList } from './list';
import { identityOf, looksSame, refuseRoundedIds } from './rows';
import { isSkipHeard } from './skip';
import type { GetPage, ListRequest, ListResult } from './types';
import type { OpenAnswer, Row } from '../types';

/** Asks the list once. */
export type GetAnswer = (query: Query) => Promise<OpenAnswer>;

export interface OpenListRequest extends ListRequest {
	/** What the rows are called in messages and hints: "locations". */
	plural: string;
	/** How many of the query's sorts the user chose; those after them only make the order stable. */
	ownSorts: number;
}

/** A name that no row has. Unknown fields are refused, never ignored (specification, list query rule 6). */
const NO_FIELD = 'NoSuchFieldExists';

/**
 * Reads a list whose answer the specification does not show: the paged envelope, or rows without a count. An envelope
 * is read like any other list. Without a count, further requests find out whether the platform applies the page, so
 * that no rows are returned twice. A filter or sort that it ignores is an error.
 *
 * @throws PlatformError, with `rowsRead` set where `readList` failed
 */
export async function readOpenList(getAnswer: GetAnswer, request: OpenListRequest): Promise<ListResult> {
	const { query, ownSorts, plural, pageSize, limit = Number.POSITIVE_INFINITY } = request;
	if (limit <= 0) return { pages: [], hints: [] };
	const { filter } = query;
	let { sorts } = query;
	const take = Math.min(pageSize, limit);
	const ask = async (asked: Partial<Query>): Promise<OpenAnswer> => {
		const answer = await getAnswer({ filter, sorts, ...asked });
		refuseRoundedIds(answer.rows);
		return answer;
	};
	const askFirst = async () => await ask({ pager: { skip: 0, take } });

	const first = await askFirst().catch(async (error: unknown) => {
		// There may be no Id to sort by: then only the user's sorts are used.
		const isIdRefused = error instanceof PlatformError && (error.property ?? 'Id').toLowerCase() === 'id';
		if (!isIdRefused || !isQueryRefused(error) || ownSorts === sorts.length) throw error;
		sorts = sorts.slice(0, ownSorts);
		return await askFirst();
	});
	const { rows, totalCount } = first;
	if (rows.length > 0 && (filter !== undefined || ownSorts > 0)) {
		if (!(await isQueryHeard(ask, filter))) throw notHeard(plural, filter ? 'filter' : 'sort');
	}

	if (totalCount !== undefined) {
		const needsOrder = sorts.length === ownSorts && rows.length < Math.min(totalCount, limit);
		// Without an Id, sorting by all fields is as stable as it gets.
		if (needsOrder) sorts = [...sorts, ...plainFields(rows, sorts)];
		const getPage: GetPage = async (asked) => {
			const answer = await ask(asked);
			if (answer.totalCount === undefined) throw changedShape(plural);
			return { rows: answer.rows, totalCount: answer.totalCount };
		};
		return await readList(
			getPage,
			{ ...request, query: { filter, sorts } },
			needsOrder ? undefined : { rows, totalCount },
		);
	}

	// More rows than asked for: the page is ignored, so this is the whole list.
	if (rows.length > take && rows.length < limit) return wholeList(request, rows);
	if (rows.length === 0 || rows.length >= limit) return inOnePage(request, rows);
	// Ask for the last row again: if it is elsewhere now, rows have moved past the end of the page.
	const overlap = rows.length > 1 ? 1 : 0;
	const next = await ask({ pager: { skip: rows.length - overlap, take } });
	if (next.rows.length === overlap && next.rows.every((row) => isSame(row, rows.at(-1))))
		return inOnePage(request, rows);
	// There is no count, so one more row is assumed until a page is short.
	const getPage: GetPage = async (asked) => {
		const page = await ask(asked);
		const { skip, take: most } = asked.pager ?? { skip: 0, take };
		const isLast = page.rows.length < Math.min(most, rows.length);
		return { rows: page.rows, totalCount: skip + page.rows.length + (isLast ? 0 : 1) };
	};
	if (await isSkipHeard(getPage, { filter, sorts })) {
		const known = { rows, totalCount: rows.length + 1 };
		return await readList(getPage, { ...request, query: { filter, sorts } }, known);
	}
	const longer = await ask({ pager: { skip: 0, take: rows.length + 1 } });
	const isWhole = longer.rows.length <= rows.length && longer.rows.slice(-1).every((row) => isSame(row, rows.at(-1)));
	if (!isWhole) throw onlyFirst(plural, rows.length);
	return wholeList(request, rows);
}

/** A count may change while it is proven: how often that is tried. */
const MOST_PROOFS = 3;

/**
 * How many rows of such a list match. The count is proven: a filter has an effect, the last counted place has a row,
 * and there is none after it.
 *
 * @throws PlatformError if there is no count, or it cannot be proven
 */
export async function countOpenList(
	getAnswer: GetAnswer,
	{ filter, plural }: Pick<CountRequest, 'filter' | 'plural'>,
): Promise<{ count: number; hints: string[] }> {
	const ask = async (asked: Partial<Query>) => await getAnswer({ filter, sorts: [], ...asked });
	const rowAt = async (skip: number) => await ask({ pager: { skip, take: 1 } });
	const isWhole = async () => !(await isSkipHeard(ask, { sorts: [], filter }));
	for (let proofs = 1; ; proofs++) {
		const { rows, totalCount: count } = await rowAt(0);
		if (count === undefined) throw notCounted(plural);
		if (proofs === 1 && filter && !(await isQueryHeard(ask, filter))) throw notHeard(plural, 'filter');
		// No rows, or all of them because the page is ignored.
		if (rows.length === count && (count === 0 || (count > 1 && (await isWhole())))) return { count, hints: [] };
		const places = await Promise.all([Math.max(0, count - 1), count].map(async (skip) => await settle(rowAt(skip))));
		const refused = places.find((place) => !place.ok && !isQueryRefused(place.error));
		if (refused && !refused.ok) throw refused.error;
		const [last, behind] = places.map((place) => (place.ok ? place.value : undefined));
		if (!last || !behind) throw unprovenCount(plural, count);
		const isMoving = last.totalCount !== count || behind.totalCount !== count;
		if (isMoving && proofs < MOST_PROOFS) continue;
		if (isMoving || last.rows.length !== Math.min(1, count) || behind.rows.length > 0)
			throw unprovenCount(plural, count);
		return { count, hints: [] };
	}
}

/** Whether the platform refuses a field that does not exist, or gives no rows for it. */
async function isQueryHeard(
	ask: (asked: Partial<Query>) => Promise<OpenAnswer>,
	filter: Query['filter'],
): Promise<boolean> {
	const impossible = and(filter, condition(NO_FIELD, 'Eq', '0'));
	const answer = await ask({ filter: impossible, pager: { skip: 0, take: 1 } }).catch((error: unknown) => {
		if (!isQueryRefused(error)) throw error;
		return undefined;
	});
	return answer === undefined || answer.rows.length === 0;
}

/** Fields with a plain value in every row, as sorts, except those already sorted by. */
function plainFields(rows: readonly Row[], sorts: readonly SortEntry[]): SortEntry[] {
	const taken = new Set(sorts.map(({ field }) => field.toLowerCase()));
	return Object.keys(rows[0] ?? {})
		.filter((field) => !taken.has(field.toLowerCase()))
		.filter((field) => rows.every((row) => field in row && (typeof row[field] !== 'object' || row[field] === null)))
		.map((field) => ({ field, direction: 'Asc' as const }));
}

function wholeList(request: OpenListRequest, rows: Row[]): ListResult {
	const hint = `The platform sends all ${request.plural} in one answer, whatever page is asked for. None is doubled.`;
	return { pages: inOnePage(request, rows).pages, hints: [hint] };
}

function isSame(row: Row, other: Row = {}): boolean {
	const id = identityOf(row);
	return id === undefined ? looksSame(row, other) : id === identityOf(other);
}

function inOnePage({ keep, limit }: OpenListRequest, rows: Row[]): ListResult {
	const wanted = rows.slice(0, limit);
	const kept = wanted.length > 0 ? (keep?.()(wanted) ?? wanted) : [];
	return { pages: kept.length > 0 ? [kept] : [], hints: [] };
}
