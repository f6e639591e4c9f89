import type { Page, Row } from '../types';
import { alwaysSaysMore } from './evidence';
import { countDiffers, endNotProven, IdOrderLost, isQueryRefused, saysMore } from './faults';
import { Growth } from './proofs/growth';
import { IdWalk } from './idWalk';
import { windowOf } from './pages';
import type { Pages } from './pages';
import { PositionWalk } from './positionWalk';
import type { ListProofs } from './proofs/ledger';
import { OnePage } from './proofs/onePage';
import { firstRows, walkDirection } from './rows';
import type { ListResult, Plan, Walked } from './types';

/**
 * Reads a list that may change meanwhile: every row that matches from the first request to the last and keeps its sort
 * value is returned exactly once. The list ends where the platform has no more rows; TotalCount is only for planning.
 * If it differs from the rows, one more request decides, and a hint gives both numbers if they still differ.
 *
 * Where the order is the Id and Ids are integers, the list is walked by Id: if it does not change, in at most
 * `ceil(N / page) + 3 x parallel` requests. In every other order pages overlap by one row that proves they join:
 * `ceil((N - 1) / (page - 1)) + 3 x parallel`.
 *
 * @param known the first page, if it has been read already
 */
export async function readAll(source: Pages, plan: Plan, proofs: ListProofs, known?: Page): Promise<ListResult> {
	const { query, limit, paging, plural } = plan;
	const take = Math.min(paging.pageSize, limit);
	let first = known ?? (await source.first(query, take));
	if (first.rows.length === 0 && first.totalCount) first = await source.first(query, take);
	const { rows, totalCount } = first;
	if (rows.length === 0) return { pages: [], hints: emptyHints(plural, first) };
	const onePage = new OnePage(source, plan, proofs);
	onePage.notePoll();
	if (rows.length >= limit) return onlyPage(plan, rows);
	const isWitness = rows.length !== take && rows.length === totalCount && !first.hasMore;
	if (isWitness && (await onePage.isWhole(rows))) return onlyPage(plan, rows);
	const { rowCount, ...walked } = await walk(source, plan, first);
	if (isWitness) onePage.wasFollowedBy(rowCount - rows.length);
	const hints = walked.saysMore ? await moreHints(source, plan, rowCount) : [];
	return { pages: walked.pages, hints: [...walked.hints, ...hints] };
}

function emptyHints(plural: string, { totalCount, hasMore }: Page): string[] {
	if (totalCount) return [countDiffers(plural, 0, totalCount)];
	return hasMore ? [endNotProven(plural, 0)] : [];
}

/**
 * What is to be said where the last answer says that there are more rows, and none come.
 *
 * @throws PlatformError unless the platform always says so, or a note is wanted. A poll has none to show
 */
async function moreHints(
	source: Pages,
	{ query, paging, plural, question }: Plan,
	rowCount: number,
): Promise<string[]> {
	const isNoted = paging.onContradiction === 'note' && question !== undefined;
	if (!isNoted && !(await alwaysSaysMore(async (part) => await source.probe(part), query)))
		throw saysMore(plural, rowCount);
	return [endNotProven(plural, rowCount)];
}

async function walk(source: Pages, plan: Plan, first: Page): Promise<Walked> {
	const { countsBeyondPage } = source;
	const start = windowOf(first, 0);
	const direction = walkDirection(plan.query.sorts);
	const byPosition = async () => {
		const growth = new Growth(source, plan, start);
		return await growth.toldOf(new PositionWalk(source, plan, start, countsBeyondPage, growth).read());
	};
	const byId = async (by: 1 | -1) => {
		const growth = new Growth(source, plan, start, by);
		return await growth.toldOf(new IdWalk(source, plan, start, by, countsBeyondPage, growth).read());
	};
	if (direction === undefined) return await byPosition();
	return await byId(direction).catch(async (error: unknown) => {
		// Ids are text, are compared as text, or cannot be filtered by: the list can still be read by position.
		if (!(error instanceof IdOrderLost) && !isQueryRefused(error)) throw error;
		source.rowsRead = first.rows.length;
		return await byPosition();
	});
}

/** A list, or as much of it as was asked for, that came in one answer. */
export function onlyPage({ collect, limit }: Plan, rows: Row[]): ListResult {
	collect.begin?.();
	const [wanted] = firstRows([rows], limit);
	const kept = wanted ? collect.add(wanted) : [];
	return { pages: kept.length > 0 ? [kept] : [], hints: [] };
}
