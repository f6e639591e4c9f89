import type { Page, Row } from '../types';
import { alwaysSaysMore } from './evidence';
import { countDiffers, endNotProven, IdOrderLost, isQueryRefused, saysMore } from './faults';
import { Growth } from './proofs/growth';
import { IdWalk } from './idWalk';
import { windowOf } from './pages';
import type { Pages } from './pages';
import { PositionWalk } from './positionWalk';
import { OnePage } from './proofs/onePage';
import { walkDirection } from './rows';
import type { Plan, Walked } from './types';

/**
 * Reads a list whose answers are the paged envelope. It may change meanwhile: every row that matches from the first request to
 * the last and keeps its sort value is handed over exactly once. The list ends where the platform has no more rows;
 * TotalCount is only for planning. If it differs from the rows, one more request decides, and a note gives both numbers
 * if they still differ.
 *
 * Where the order is the Id and Ids are integers, the list is walked by Id: if it does not change, in at most
 * `ceil(N / page) + 3 x parallel` requests. In every other order pages overlap by one row that proves they join:
 * `ceil((N - 1) / (page - 1)) + 3 x parallel`.
 *
 * @param known the first page, if it has come already
 * @returns notes
 */
export async function readList(pages: Pages, plan: Plan, known?: Page): Promise<string[]> {
	const { query, wanted, list } = plan;
	let first = known ?? (await pages.first(query, takeOf(plan)));
	if (first.rows.length === 0 && first.totalCount) first = await pages.first(query, takeOf(plan));
	const { rows, totalCount } = first;
	if (rows.length === 0) return emptyNotes(list.plural, first);
	const onePage = new OnePage(pages, plan);
	onePage.notePoll();
	if (rows.length >= wanted) return onlyPage(plan, rows);
	const isWitness = rows.length !== takeOf(plan) && rows.length === totalCount && !first.hasMore;
	if (isWitness && (await onePage.isWhole(rows))) return onlyPage(plan, rows);
	const { rowCount, ...walked } = await walk(pages, plan, first);
	if (isWitness) onePage.wasFollowedBy(rowCount - rows.length);
	return walked.saysMore ? [...walked.notes, ...(await moreNotes(pages, plan, rowCount))] : walked.notes;
}

/** Rows to ask for on a first page. */
export function takeOf({ paging, wanted }: Plan): number {
	return Math.min(paging.pageSize, wanted);
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
 * @throws PlatformError unless the platform always says so, or a note is wanted. A poll has none to show
 */
async function moreNotes(pages: Pages, { query, paging, list, question }: Plan, rowCount: number): Promise<string[]> {
	const isNoted = paging.onContradiction === 'note' && question !== undefined;
	if (!isNoted && !(await alwaysSaysMore(pages.ask, query))) throw saysMore(list.plural, rowCount);
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
		return await growth.toldOf(walking.read());
	};
	return await read(direction).catch(async (error: unknown) => {
		// Ids are text, are compared as text, or cannot be filtered by: the list can still be read by position.
		if (direction === undefined || !(error instanceof IdOrderLost || isQueryRefused(error))) throw error;
		pages.rowsRead = first.rows.length;
		plan.sink.begin();
		return await read();
	});
}
