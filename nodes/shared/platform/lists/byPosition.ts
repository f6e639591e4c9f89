import upperFirst from 'lodash/upperFirst';

import { stableSort } from '../../dsquery/compose';
import { PlatformError } from '../answers/errors';
import type { Page, Row } from '../types';
import { countDiffers, fullLength, isLast } from './lastPage';
import { type AskPage, COMPARED, type Plan } from './types';

/** Rows that a page shares with the one before. */
const OVERLAP = 5;

/**
 * Reads a list by Skip and Take, where its Ids are no rising whole numbers, or its first rows are wanted in an order that
 * the platform must make. Each page begins with the last rows of the one before. If it does not, the list has moved: it is
 * read once more. A list that is not paged at all comes in one answer.
 *
 * @param first the first page by Id, if it has come already
 * @returns notes
 * @throws PlatformError if pages do not fit together twice
 */
export async function byPosition(ask: AskPage, plan: Plan, first?: Page): Promise<string[]> {
	const { filter, sorts, plural } = plan;
	const notes = await overlapping(ask, plan, first);
	if (notes) return notes;
	const one = await ask({ filter, sorts: [...sorts], pager: { skip: 0, take: 1 } });
	if (one.rows.length > 1) return wholeList(plan, one.rows);
	const again = await overlapping(ask, plan);
	if (again) return again;
	throw new PlatformError('invalid-answer', `The pages of the ${plural} do not fit together`, {
		description:
			'The list changes faster than it can be read, several rows share an Id, or the platform skips other rows than it is asked to. Remove the sort if there is one, so that rows are read by Id, or use a filter that matches fewer.',
	});
}

/** What has been read so far. */
interface Read {
	/** Rows handed over. Several may share an Id, but not on different pages. */
	count: number;
	ids: Set<unknown>;
	/** The Id of the last row. */
	last?: unknown;
	/** Rows have come or gone before the last row. */
	hasMoved: boolean;
}

async function overlapping(ask: AskPage, plan: Plan, first?: Page): Promise<string[] | undefined> {
	const { filter, wanted, sink } = plan;
	const sorts = plan.lacksId ? [...plan.sorts] : stableSort(plan.sorts);
	const pageAt = async (skip: number, take: number) =>
		(skip === 0 ? first : undefined) ?? (await ask({ filter, sorts, pager: { skip, take } }));
	const read: Read = { count: 0, ids: new Set(), hasMoved: false };
	let full = 0;
	let hasStalled = false;
	sink.begin();
	for (let skip = 0, overlap = 0; ; ) {
		const take = takeOf(plan, read, overlap);
		const page = await pageAt(skip, take);
		const { rows } = page;
		if (rows.length > take) return wholeList(plan, rows);
		const fresh = joined(read, rows, overlap);
		if (!fresh || (skip === 0 && cannotOverlap(page))) return undefined;
		sink.add(fresh, 0);
		full ||= fullLength(page, take, plan);
		const isOver = fresh.length === 0 && rows.length < Math.min(take, full);
		if (isOver || isLast(page, full, skip) || read.count >= wanted || rows.length < 2)
			return endNotes(plan, read, page);
		// A full page without a new row: rows have come before it. Twice in a row: Skip has no effect.
		if (fresh.length === 0 && hasStalled) return undefined;
		hasStalled = fresh.length === 0;
		overlap = Math.max(1, Math.min(OVERLAP, Math.floor(rows.length / 2)));
		skip += rows.length - overlap;
	}
}

/** Pages of one row cannot, where there are more. */
function cannotOverlap({ rows, totalCount = 0 }: Page): boolean {
	return rows.length < Math.min(2, totalCount);
}

function takeOf({ sorts, paging, wanted }: Plan, { count }: Read, overlap: number): number {
	const least = sorts.length > 0 ? COMPARED : 2;
	return Math.max(least, Math.min(paging.pageSize, wanted - count + overlap));
}

/** The new rows of a page that begins with the last `overlap` ones; undefined if it does not join them. */
function joined(read: Read, rows: Row[], overlap: number): Row[] | undefined {
	const ids = rows.map(identityOf);
	const joint = overlap === 0 ? -1 : ids.lastIndexOf(read.last);
	if (overlap > 0 && joint < 0) return undefined;
	read.hasMoved ||= overlap > 0 && joint !== overlap - 1;
	const fresh = ids.slice(joint + 1);
	if (fresh.some((id) => read.ids.has(id))) return undefined;
	for (const id of fresh) read.ids.add(id);
	read.count += fresh.length;
	read.last = ids.at(-1) ?? read.last;
	return rows.slice(joint + 1);
}

/** Rows without an Id are known by all that they hold. */
function identityOf(row: Row): unknown {
	return row.Id ?? JSON.stringify(row);
}

function endNotes({ plural, wanted }: Plan, { count, hasMoved }: Read, { totalCount = count }: Page): string[] {
	const moved = `${upperFirst(plural)} changed while the list was read. Those that moved meanwhile may be missing.`;
	const isAll = count >= wanted || count === totalCount;
	return [...(hasMoved ? [moved] : []), ...(isAll ? [] : [countDiffers(plural, count, totalCount)])];
}

/** @throws PlatformError if a filter or sort was asked for: what ignores the page may ignore these, too */
function wholeList({ filter, sorts, sink, plural }: Plan, rows: Row[]): string[] {
	if (filter || sorts.length > 0) {
		const what = filter ? 'filter' : 'sort';
		const message = `The platform sends all ${plural} in one answer, whatever page is asked for, so its ${what} cannot be relied on`;
		throw new PlatformError('configuration', message, {
			description: `Nothing was returned, because it might not be what you asked for. Remove the entries in ${filter ? 'Filters' : 'Sort'} here, and use n8n's ${filter ? 'Filter' : 'Sort'} node after this one.`,
		});
	}
	sink.begin();
	sink.add(rows, 0);
	return [`The platform sends all ${plural} in one answer, whatever page is asked for. That answer was used once.`];
}
