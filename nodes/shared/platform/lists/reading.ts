import uniq from 'lodash/uniq';

import type { Page, Row } from '../types';
import { alwaysSaysMore } from './evidence';
import { countDiffers, endNotProven, saysMore } from './messages';
import { IdOrderLost, isQueryRefused } from './refused';
import { Growth } from './walks/growth';
import { IdWalk } from './walks/idWalk';
import { type Pages, windowOf } from './pages';
import { PositionWalk } from './walks/positionWalk';
import { OnePage } from './proofs/onePage';
import { walkDirection } from './rows';
import type { Plan, Walked } from './types';

/**
 * Reads a list whose answers are the paged envelope. The list may change meanwhile: every row that matches from the
 * first request to the last, and keeps its sort value, is handed over exactly once.
 *
 * The first page brings TotalCount, which plans the rest and proves nothing. Of 10,000 rows in pages of 100, it leaves
 * 9,900: in Id order they are shared among lanes that are read side by side. No row is missing, because
 * - within a lane, each page asks for the rows beyond the last Id (`IdWalk`). In any other order, each page begins with
 *   the last row of the one before it, which proves that they join (`PositionWalk`);
 * - a lane has reached the next one once it has read that one's first row;
 * - the list is over where a short page agrees with the count, or where a request behind the last row brought none. If
 *   the rows differ from the count, one more request decides; if they still differ, a note gives both numbers.
 *
 * What cannot be proven so is refused, or said in a note. A list that does not change takes at most
 * `ceil(N / page) + 3 x parallel` requests by Id, and `ceil((N - 1) / (page - 1)) + 3 x parallel` by position.
 *
 * @param known the first page, if it has come already
 * @returns notes
 */
export async function readList(pages: Pages, plan: Plan, known?: Page): Promise<string[]> {
	const { query, wanted, list } = plan;
	let first = known ?? (await pages.first(query, takeOf(plan)));
	// An answer may have lost its rows on the way: asked for once more.
	if (first.rows.length === 0 && first.totalCount) first = await pages.first(query, takeOf(plan));
	const { rows, totalCount } = first;
	if (rows.length === 0) return emptyNotes(list.plural, first);
	const onePage = new OnePage(pages, plan);
	onePage.notePoll();
	if (rows.length >= wanted) return onlyPage(plan, rows);
	// The count says that this is the whole list. It is the only witness: the platform may count no more than the page.
	const isAllByCount = rows.length !== takeOf(plan) && rows.length === totalCount && !first.hasMore;
	if (isAllByCount && (await onePage.isWhole(rows))) return onlyPage(plan, rows);
	return await readBehind(pages, plan, first, isAllByCount ? onePage : undefined);
}

/**
 * Reads on behind a first page.
 *
 * @param onePage where that page seemed to be the whole list
 */
export async function readBehind(pages: Pages, plan: Plan, first: Page, onePage?: OnePage): Promise<string[]> {
	const { rowCount, notes, saysMore } = await walk(pages, plan, first);
	if (onePage) notes.push(...(await onePage.notesOn(first.rows, rowCount)));
	if (saysMore) notes.push(...(await moreNotes(pages, plan, rowCount)));
	return uniq(notes);
}

/** Rows to ask for on a first page. A single row does not show whether it is the newest one: two show their order. */
export function takeOf({ paging, wanted, newestFirst }: Plan): number {
	return Math.min(paging.pageSize, newestFirst ? Math.max(2, wanted) : wanted);
}

/** A list, or as much of it as was asked for, that came in one answer. */
export function onlyPage({ sink }: Plan, rows: Row[]): string[] {
	sink.add(rows, 0);
	return [];
}

function emptyNotes(plural: string, { totalCount, hasMore }: Page): string[] {
	if (totalCount) return [countDiffers(plural, 0, totalCount)];
	return hasMore ? [endNotProven(plural, 0)] : [];
}

/**
 * What is to be said where the last answer says that there are more rows, and none come.
 *
 * @throws PlatformError unless the platform always says so
 */
async function moreNotes(pages: Pages, { query, list }: Plan, rowCount: number): Promise<string[]> {
	if (!(await alwaysSaysMore(pages.ask, query))) throw saysMore(list.plural, rowCount);
	return [endNotProven(list.plural, rowCount)];
}

async function walk(pages: Pages, plan: Plan, first: Page): Promise<Walked> {
	const { countsBeyondPage } = pages;
	const start = windowOf(first, 0);
	const direction = walkDirection(plan.query.sorts);
	const read = async (by?: 1 | -1) => {
		const growth = new Growth(pages, plan, start, by);
		const walking = by
			? new IdWalk(pages, plan, start, by, countsBeyondPage, growth)
			: new PositionWalk(pages, plan, start, countsBeyondPage, growth);
		return await growth.withNote(walking.read());
	};
	return await read(direction).catch(async (error: unknown) => {
		// Ids are text, are compared as text, or cannot be filtered by: the list can still be read by position.
		if (direction === undefined || !(error instanceof IdOrderLost || isQueryRefused(error))) throw error;
		pages.rowsRead = first.rows.length;
		plan.sink.begin();
		return await read();
	});
}
