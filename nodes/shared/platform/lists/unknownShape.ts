import type { Query, SortEntry } from '../../dsquery/types';
import { PlatformError } from '../answers/errors';
import type { Page, Row } from '../types';
import { isSame, mayBeCut, queryIsApplied, skipIsApplied } from './evidence';
import { changedShape, isQueryRefused, notApplied, onlyFirst } from './faults';
import type { Pages } from './pages';
import type { ListProofs } from './proofs/ledger';
import { onlyPage, readAll } from './reading';
import type { ListResult, Plan } from './types';

/**
 * Reads a list whose answer the specification does not show: the paged envelope, or rows without a count. An envelope
 * is read like any other list. Without a count, further requests find out whether the platform applies the page, so
 * that no rows are returned twice. A filter or sort that it ignores is an error.
 *
 * @param ownSorts how many of the query's sorts the user chose; those after them only make the order stable
 */
export async function readUnknown(
	source: Pages,
	asked: Plan,
	proofs: ListProofs,
	ownSorts: number,
): Promise<ListResult> {
	const { first, sorts } = await askFirst(source, asked, ownSorts);
	const { filter } = asked.query;
	const { rows, totalCount } = first;
	const query = { filter, sorts };
	// Rows that all match speak for themselves: those of later pages are compared with the filter, too.
	const isProven = ownSorts === 0 && asked.paging.onContradiction !== undefined && source.rowCheck.allMatch(rows);
	if (rows.length > 0 && (filter !== undefined || ownSorts > 0) && !isProven) {
		const ask = async (part: Query) => await source.probe(part);
		if (!(await queryIsApplied(ask, query))) throw notApplied(asked.plural, filter ? 'filter' : 'sort');
	}
	if (totalCount === undefined) return await readUncounted(source, { ...asked, query }, proofs, first);
	const needsOrder = sorts.length === ownSorts && rows.length < Math.min(totalCount, asked.limit);
	// Without an Id, sorting by all fields is as stable as it gets.
	if (needsOrder) query.sorts = [...sorts, ...plainFields(rows, sorts)];
	const result = await readAll(source, { ...asked, query }, proofs, needsOrder ? undefined : first);
	if (source.uncounted !== undefined) throw changedShape(asked.plural);
	return result;
}

/** The first page. There may be no Id to sort by: then only the user's sorts are used. */
async function askFirst(source: Pages, { query, paging, limit }: Plan, ownSorts: number) {
	const take = Math.min(paging.pageSize, limit);
	const ask = async (sorts: SortEntry[]) => ({ first: await source.first({ ...query, sorts }, take), sorts });
	return await ask(query.sorts).catch(async (error: unknown) => {
		const isIdRefused = error instanceof PlatformError && (error.property ?? 'Id').toLowerCase() === 'id';
		if (!isIdRefused || !isQueryRefused(error) || ownSorts === query.sorts.length) throw error;
		return await ask(query.sorts.slice(0, ownSorts));
	});
}

/** Reads rows that come without a count. */
async function readUncounted(source: Pages, plan: Plan, proofs: ListProofs, first: Page): Promise<ListResult> {
	const { query, limit, paging, plural } = plan;
	const { rows } = first;
	if (rows.length === 0 || rows.length >= limit) return onlyPage(plan, rows);
	// More rows than asked for: the page is ignored, so this is the whole list, unless something says that it is not.
	const take = Math.min(paging.pageSize, limit);
	if (rows.length > take) return wholeList(plan, first);
	// Ask for the last row again: if it is elsewhere now, rows have moved past the end of the page.
	const overlap = rows.length > 1 ? 1 : 0;
	const next = await source.window(query, rows.length - overlap, take);
	if (next.rows.length === overlap && next.rows.every((row) => isSame(row, rows.at(-1)))) {
		if (first.hasMore) throw onlyFirst(plural, rows.length);
		return onlyPage(plan, rows);
	}
	const ask = async (part: Query) => await source.probe(part);
	if (await skipIsApplied(ask, query)) return await readAll(source, plan, proofs, first);
	const longer = await source.first(query, rows.length + 1);
	const isWhole = longer.rows.length <= rows.length && longer.rows.slice(-1).every((row) => isSame(row, rows.at(-1)));
	if (!isWhole) throw onlyFirst(plural, rows.length);
	return wholeList(plan, first);
}

/** Fields with a plain value in every row, as sorts, except those already sorted by. */
function plainFields(rows: readonly Row[], sorts: readonly SortEntry[]): SortEntry[] {
	const taken = new Set(sorts.map(({ field }) => field.toLowerCase()));
	return Object.keys(rows[0] ?? {})
		.filter((field) => !taken.has(field.toLowerCase()))
		.filter((field) => rows.every((row) => field in row && (typeof row[field] !== 'object' || row[field] === null)))
		.map((field) => ({ field, direction: 'Asc' as const }));
}

/** @throws PlatformError where the answer says that there are more rows, or platforms cut pages at this length */
function wholeList(plan: Plan, { rows, hasMore }: Page): ListResult {
	if (hasMore || mayBeCut(rows.length)) throw onlyFirst(plan.plural, rows.length);
	const hint = `The platform sends all ${plan.plural} in one answer, whatever page is asked for. None is doubled.`;
	return { ...onlyPage(plan, rows), hints: [hint] };
}
