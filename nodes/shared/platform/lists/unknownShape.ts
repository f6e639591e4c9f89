import type { SortEntry } from '../../dsquery/types';
import { verdictOf } from '../../dsquery/verdict';
import { PlatformError } from '../answers/errors';
import type { Page, Row } from '../types';
import { isSame, isUnmoved, mayBeCut, queryIsApplied, skipIsApplied } from './evidence';
import { changedShape, endNotProven, notApplied, onlyFirst } from './messages';
import { isQueryRefused } from './refused';
import type { Pages } from './pages';
import { OnePage } from './proofs/onePage';
import { onlyPage, readBehind, readList, takeOf } from './reading';
import type { Plan } from './types';

/**
 * Reads a list whose answer the specification does not show: the paged envelope, or rows without a count. An envelope
 * is read like any other list. Without a count, further requests find out whether the platform applies the page, so
 * that no rows are returned twice. A filter or sort that it ignores is an error.
 *
 * @returns notes
 */
export async function readUnknown(pages: Pages, asked: Plan): Promise<string[]> {
	const { first, plan, hasId } = await askFirst(pages, asked);
	const { query, list, wanted } = plan;
	await refuseIgnored(pages, plan, first.rows);
	if (first.totalCount === undefined) return await readUncounted(pages, plan, first);
	const isStable = hasId || first.rows.length >= Math.min(first.totalCount, wanted);
	// Without an Id, sorting by all fields is as stable as it gets.
	const sorts = isStable ? query.sorts : [...query.sorts, ...plainFields(first.rows, query.sorts)];
	const notes = await readList(pages, { ...plan, query: { ...query, sorts } }, isStable ? first : undefined);
	if (pages.uncounted !== undefined) throw changedShape(list.plural);
	return notes;
}

/** The first page, and what it was asked for with: where there is no Id to sort by, by the user's sorts alone. */
async function askFirst(pages: Pages, asked: Plan): Promise<{ first: Page; plan: Plan; hasId: boolean }> {
	const ask = async (plan: Plan, hasId: boolean) => ({
		first: await pages.first(plan.query, takeOf(plan)),
		plan,
		hasId,
	});
	return await ask(asked, true).catch(async (error: unknown) => {
		const { query, own } = asked;
		const isIdRefused = error instanceof PlatformError && (error.property ?? 'Id').toLowerCase() === 'id';
		if (!isIdRefused || !isQueryRefused(error) || own.sorts.length === query.sorts.length) throw error;
		return await ask({ ...asked, query: { ...query, sorts: own.sorts } }, false);
	});
}

/** @throws PlatformError where the platform ignores the filter or the sort */
async function refuseIgnored(pages: Pages, plan: Plan, rows: readonly Row[]): Promise<void> {
	const { query, own, list, paging, proofs, question } = plan;
	if (rows.length === 0 || (query.filter === undefined && own.sorts.length === 0)) return;
	// Rows that all match speak for themselves: those of later pages are compared with the filter, too.
	const { filter } = own;
	const areCompared = filter !== undefined && own.sorts.length === 0 && paging.isCompared === true;
	if (areCompared && rows.every((row) => verdictOf(filter, row, list) === 'yes')) return;
	if (await proofs.holds('query applied', async () => await queryIsApplied(pages.ask, query), question)) return;
	throw notApplied(list.plural, query.filter ? 'filter' : 'sort');
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
async function readUncounted(pages: Pages, plan: Plan, first: Page): Promise<string[]> {
	const { query, wanted, list } = plan;
	const { rows } = first;
	if (rows.length === 0 || rows.length >= wanted) return onlyPage(plan, rows);
	// More rows than asked for: the page is ignored, so this is the whole list, unless something says that it is not.
	const onePage = new OnePage(pages, plan);
	if (rows.length > takeOf(plan)) return await wholeList(plan, first, onePage);
	// Ask for the last row again: if it is elsewhere now, rows have moved past the end of the page.
	const overlap = rows.length > 1 ? 1 : 0;
	const next = await pages.window(query, rows.length - overlap, takeOf(plan));
	if (next.rows.length === overlap && next.rows.every((row) => isUnmoved(row, rows.at(-1), query))) {
		if (first.hasMore) throw onlyFirst(list.plural, rows.length);
		if (!(await onePage.isContradicted(rows))) return onlyPage(plan, rows);
		return await readBehind(pages, plan, first, onePage);
	}
	const { proofs, question } = plan;
	if (await proofs.holds('skip applied', async () => await skipIsApplied(pages.ask, query), question)) {
		return await readList(pages, plan, first);
	}
	const longer = await pages.first(query, rows.length + 1);
	const isWhole = longer.rows.length <= rows.length && longer.rows.slice(-1).every((row) => isSame(row, rows.at(-1)));
	if (!isWhole) throw onlyFirst(list.plural, rows.length);
	return await wholeList(plan, first, onePage);
}

/**
 * An answer that takes no notice of the page. A row that is not in it is noted: it may be new.
 *
 * @throws PlatformError where the answer says that there are more rows, or platforms cut pages at this length
 */
async function wholeList(plan: Plan, { rows, hasMore }: Page, onePage: OnePage): Promise<string[]> {
	const { plural } = plan.list;
	if (hasMore || mayBeCut(rows.length)) throw onlyFirst(plural, rows.length);
	onlyPage(plan, rows);
	if (await onePage.isContradicted(rows)) return [endNotProven(plural, rows.length)];
	return [`The platform sends all ${plural} in one answer, whatever page is asked for. None is doubled.`];
}
