import { settle } from '../settle';
import type { Page, Row } from '../types';
import { mayBeCut, reversed } from './evidence';
import { countDiffers, IdOrderLost, isQueryRefused } from './faults';
import { IdWalk } from './idWalk';
import { windowOf } from './pages';
import type { Pages } from './pages';
import { PositionWalk } from './positionWalk';
import { questionOf } from './proofs/ledger';
import type { ListProofs } from './proofs/ledger';
import { firstRows, identityOf, looksSame, walkDirection } from './rows';
import type { ListResult, Plan } from './types';

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
	if (rows.length === 0) return { pages: [], hints: totalCount ? [countDiffers(plural, 0, totalCount)] : [] };
	if (rows.length >= limit) return onlyPage(plan, rows);
	if (rows.length !== take && rows.length === totalCount) {
		const question = questionOf(query);
		const isKnown = !mayBeCut(rows.length) || proofs.found('one page', question) === 'holds';
		const isProven = isKnown || (await endsInReverse(source, query, rows));
		if (isProven && !isKnown) proofs.write('one page', 'holds', question);
		if (isProven) return onlyPage(plan, rows);
	}
	return await walk(source, plan, first);
}

/**
 * Whether the first row in reverse order is the last one of the page, so that none follows it. One row with a count of
 * more also shows that the platform does not count the page alone.
 */
async function endsInReverse(source: Pages, query: Plan['query'], rows: readonly Row[]): Promise<boolean> {
	const back = reversed(query);
	const answer = back && (await settle(source.window(back, 0, 1)));
	if (answer && !answer.ok && !isQueryRefused(answer.error)) throw answer.error;
	const [last, row] = [rows.at(-1), answer?.ok ? answer.value.rows[0] : undefined];
	return last !== undefined && row !== undefined && identityOf(row) !== undefined && looksSame(row, last);
}

async function walk(source: Pages, plan: Plan, first: Page): Promise<ListResult> {
	const isCountKnown = source.countsBeyondPage;
	const start = windowOf(first, 0);
	const direction = walkDirection(plan.query.sorts);
	const byPosition = async () => await new PositionWalk(source, plan, start, isCountKnown).read();
	if (direction === undefined) return await byPosition();
	const byId = async () => await new IdWalk(source, plan, start, direction, isCountKnown).read();
	return await byId().catch(async (error: unknown) => {
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
