import type { Query, SortEntry } from '../../dsquery/types';
import { verdictOf } from '../../dsquery/verdict';
import { PlatformError } from '../answers/errors';
import type { Page, Row } from '../types';
import { isSame, mayBeCut, queryIsApplied, skipIsApplied } from './evidence';
import { changedShape, isQueryRefused, notApplied, onlyFirst } from './faults';
import type { Pages } from './pages';
import type { ListProofs } from './proofs/ledger';
import { onlyPage, readOn, takeOf } from './reading';
import type { Plan } from './types';

/**
 * Reads a list whose answer the specification does not show: the paged envelope, or rows without a count. An envelope
 * is read like any other list. Without a count, further requests find out whether the platform applies the page, so
 * that no rows are returned twice. A filter or sort that it ignores is an error.
 *
 * @returns hints
 */
export async function readUnknown(source: Pages, plan: Plan, proofs: ListProofs): Promise<string[]> {
	const { list, wanted } = plan;
	const { first, query } = await askFirst(source, plan);
	await refuseIgnored(source, plan, first.rows, query);
	if (first.totalCount === undefined) return await readUncounted(source, { ...plan, query }, proofs, first);
	const isStable = query === plan.query || first.rows.length >= Math.min(first.totalCount, wanted);
	const hints = isStable
		? await readOn(source, { ...plan, query }, proofs, first)
		: await readByAllFields(source, { ...plan, query }, proofs, first.rows);
	if (source.uncounted !== undefined) throw changedShape(list.plural);
	return hints;
}

/** The first page, and what it was asked for with: there may be no Id to sort by. */
async function askFirst(source: Pages, plan: Plan): Promise<{ first: Page; query: Query }> {
	const ask = async (query: Query) => ({ first: await source.first(query, takeOf(plan)), query });
	return await ask(plan.query).catch(async (error: unknown) => {
		const { query, own } = plan;
		const isIdRefused = error instanceof PlatformError && (error.property ?? 'Id').toLowerCase() === 'id';
		if (!isIdRefused || !isQueryRefused(error) || own.sorts.length === query.sorts.length) throw error;
		return await ask({ ...query, sorts: own.sorts });
	});
}

/** @throws PlatformError where the platform ignores the filter or the sort */
async function refuseIgnored(source: Pages, plan: Plan, rows: readonly Row[], query: Query): Promise<void> {
	const { own, list, paging } = plan;
	if (rows.length === 0 || (query.filter === undefined && own.sorts.length === 0)) return;
	// Rows that all match speak for themselves: those of later pages are compared with the filter, too.
	const { filter } = own;
	const areCompared = filter !== undefined && own.sorts.length === 0 && paging.onContradiction !== undefined;
	if (areCompared && rows.every((row) => verdictOf(filter, row, list) === 'yes')) return;
	if (await queryIsApplied(source.ask, query)) return;
	throw notApplied(list.plural, query.filter ? 'filter' : 'sort');
}

/** Without an Id, sorting by all fields is as stable as it gets. */
async function readByAllFields(source: Pages, plan: Plan, proofs: ListProofs, rows: readonly Row[]): Promise<string[]> {
	const { query } = plan;
	const ordered = { ...query, sorts: [...query.sorts, ...plainFields(rows, query.sorts)] };
	return await readOn(source, { ...plan, query: ordered }, proofs, await source.first(ordered, takeOf(plan)));
}

/** Fields with a plain value in every row, as sorts, except those already sorted by. */
function plainFields(rows: readonly Row[], sorts: readonly SortEntry[]): SortEntry[] {
	const taken = new Set(sorts.map(({ field }) => field.toLowerCase()));
	return Object.keys(rows[0] ?? {})
		.filter((field) => !taken.has(field.toLowerCase()))
		.filter((field) => rows.every((row) => field in row && (typeof row[field] !== 'object' || row[field] === null)))
		.map((field) => ({ field, direction: 'Asc' as const }));
}

/** Reads rows that come without a count. */
async function readUncounted(source: Pages, plan: Plan, proofs: ListProofs, first: Page): Promise<string[]> {
	const { query, wanted, list } = plan;
	const { rows } = first;
	if (rows.length === 0 || rows.length >= wanted) return onlyPage(plan, rows);
	// More rows than asked for: the page is ignored, so this is the whole list, unless something says that it is not.
	if (rows.length > takeOf(plan)) return wholeList(plan, first);
	// Ask for the last row again: if it is elsewhere now, rows have moved past the end of the page.
	const overlap = rows.length > 1 ? 1 : 0;
	const next = await source.window(query, rows.length - overlap, takeOf(plan));
	if (next.rows.length === overlap && next.rows.every((row) => isSame(row, rows.at(-1)))) {
		if (first.hasMore) throw onlyFirst(list.plural, rows.length);
		return onlyPage(plan, rows);
	}
	if (await skipIsApplied(source.ask, query)) return await readOn(source, plan, proofs, first);
	const longer = await source.first(query, rows.length + 1);
	const isWhole = longer.rows.length <= rows.length && longer.rows.slice(-1).every((row) => isSame(row, rows.at(-1)));
	if (!isWhole) throw onlyFirst(list.plural, rows.length);
	return wholeList(plan, first);
}

/** @throws PlatformError where the answer says that there are more rows, or platforms cut pages at this length */
function wholeList(plan: Plan, { rows, hasMore }: Page): string[] {
	const { plural } = plan.list;
	if (hasMore || mayBeCut(rows.length)) throw onlyFirst(plural, rows.length);
	onlyPage(plan, rows);
	return [`The platform sends all ${plural} in one answer, whatever page is asked for. None is doubled.`];
}
