import { PlatformError } from '../answers/errors';
import { IdOrderLost, readById, walkDirection } from './byId';
import { readByPosition } from './byPosition';
import { missingRows, refuseRoundedIds } from './rows';
import type { GetPage, ListRequest, ListResult } from './types';

/**
 * Reads a list so that every row that matches from the first request to the last, and whose sort value holds still, is
 * returned exactly once, however the list changes meanwhile.
 *
 * Where the order is the Id and Ids are integers, the list is walked by Id, which a changing list cannot disturb: on a
 * list that holds still at most `ceil(N / page size) + 3 x parallel` requests. In every other order pages overlap by one
 * row that proves they join, and a page that does not join is mended: `ceil((N - 1) / (page size - 1)) + 3 x parallel`.
 *
 * @throws PlatformError with `rowsRead` set to the number of rows received until then
 */
export async function readList(getPage: GetPage, request: ListRequest): Promise<ListResult> {
	const { query, limit, pageSize } = request;
	let rowsRead = 0;
	const checkedPage: GetPage = async (pageQuery) => {
		const page = await getPage(pageQuery);
		refuseRoundedIds(page.rows);
		rowsRead += page.rows.length;
		return page;
	};

	const read = async (): Promise<ListResult> => {
		if (limit !== undefined && limit <= 0) return { pages: [], mendedPages: 0 };
		const take = limit === undefined ? pageSize : Math.min(pageSize, limit);
		const first = await checkedPage({ ...query, pager: { skip: 0, take } });
		if (first.rows.length === 0) {
			if (first.totalCount > 0) throw missingRows(first.totalCount);
			return { pages: [], mendedPages: 0 };
		}
		const direction = walkDirection(query.sorts);
		if (direction === undefined) return await readByPosition(checkedPage, request, first);
		return await readById(checkedPage, request, first, direction).catch(async (error: unknown) => {
			if (!cannotWalk(error)) throw error;
			rowsRead = first.rows.length;
			return await readByPosition(checkedPage, request, first);
		});
	};
	return await read().catch((error: unknown) => {
		if (error instanceof PlatformError) error.rowsRead = rowsRead;
		throw error;
	});
}

/** Ids are text, are compared as text, or cannot be filtered by: the same list can still be read by position. */
function cannotWalk(error: unknown): boolean {
	return error instanceof IdOrderLost || (error instanceof PlatformError && error.kind === 'query-refused');
}
