import { PlatformError } from '../answers/errors';
import type { Page } from '../types';
import { readById } from './byId';
import { readByPosition } from './byPosition';
import { countDiffers, IdOrderLost, isQueryRefused } from './faults';
import { firstRows, refuseRoundedIds, walkDirection, withoutRepeats } from './rows';
import type { GetPage, ListRequest, ListResult } from './types';

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
 * @throws PlatformError with `rowsRead` set to the number of rows received until then, which may not include `known`;
 * also when rows may be missing
 */
export async function readList(getPage: GetPage, request: ListRequest, known?: Page): Promise<ListResult> {
	const { query, limit = Number.POSITIVE_INFINITY, pageSize, plural = 'rows', keep } = request;
	const take = Math.min(pageSize, limit);
	let rowsRead = 0;
	const checkedPage: GetPage = async (pageQuery) => {
		const page = await getPage(pageQuery);
		refuseRoundedIds(page.rows);
		rowsRead += page.rows.length;
		return { ...page, rows: withoutRepeats(page.rows) };
	};
	const firstPage = async () => await checkedPage({ ...query, pager: { skip: 0, take } });

	const read = async (): Promise<ListResult> => {
		if (limit <= 0) return { pages: [], hints: [] };
		let first = known ? { ...known, rows: withoutRepeats(known.rows) } : await firstPage();
		if (first.rows.length === 0 && first.totalCount > 0) first = await firstPage();
		const { rows, totalCount } = first;
		if (rows.length === 0) return { pages: [], hints: totalCount > 0 ? [countDiffers(plural, 0, totalCount)] : [] };
		if (rows.length >= limit || (rows.length !== take && rows.length === totalCount)) {
			return { pages: firstRows([keep?.()(rows) ?? rows], limit), hints: [] };
		}
		const window = { ...first, skip: 0 };
		const direction = walkDirection(query.sorts);
		if (direction === undefined) return await readByPosition(checkedPage, request, window);
		return await readById(checkedPage, request, window, direction).catch(async (error: unknown) => {
			// Ids are text, are compared as text, or cannot be filtered by: the list can still be read by position.
			if (!(error instanceof IdOrderLost) && !isQueryRefused(error)) throw error;
			rowsRead = rows.length;
			return await readByPosition(checkedPage, request, window);
		});
	};
	return await read().catch((error: unknown) => {
		if (error instanceof PlatformError) error.rowsRead = rowsRead;
		throw error;
	});
}
