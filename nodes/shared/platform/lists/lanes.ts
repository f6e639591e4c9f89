import type { Page, Row } from '../types';

/** In pages: shorter lanes cost more requests than they save time. */
const SHORTEST_LANE = 4;

/** A range of Ids that is read beside the others. */
export interface IdLane {
	/** Its first rows, where they have come already. */
	rows: Row[];
	/** The Id behind which it goes on. */
	after: number;
	/** The last Id that may belong to it. */
	upTo: number;
}

/**
 * How many rows to skip to the start of each lane but the first, so that all lanes have as many pages. A lane starts
 * with the last row of the lane before, so that the lane before knows its last Id.
 */
export function laneStartOffsets({ rows, totalCount = 0 }: Page, parallel: number): number[] {
	const lanes = Math.min(parallel, Math.floor((Math.ceil(totalCount / rows.length) - 1) / SHORTEST_LANE));
	// The row at each start is read twice.
	const pages = Math.ceil((totalCount + lanes - 1) / rows.length);
	return Array.from({ length: Math.max(0, lanes - 1) }, (_, lane) => {
		const pagesBefore = Math.ceil((pages * (lane + 1)) / lanes);
		return pagesBefore * rows.length - lane - 1;
	});
}

/**
 * Divides the Ids behind the first page, up to the highest one, into lanes: disjoint ranges that cover all of them,
 * even if rows come and go meanwhile. Where a page does not fit, as when a platform ignores Skip, no lane starts: its
 * Ids belong to the lane before.
 *
 * @param firstPageEnd the Id of the last row of the first page
 * @param startPages the pages at `laneStartOffsets`
 */
export function splitIntoIdLanes(firstPageEnd: number, highest: number, startPages: readonly Page[]): IdLane[] {
	const begun: Array<{ start: number; rows: Row[] }> = [{ start: firstPageEnd, rows: [] }];
	for (const { rows } of startPages) {
		const start = Number(rows[0]?.Id);
		const before = begun.at(-1)?.start ?? firstPageEnd;
		if (start < highest && areAscendingIds(rows, before - 1)) begun.push({ start, rows });
	}
	return begun.map(({ start, rows }, index) => {
		const upTo = begun[index + 1]?.start ?? highest;
		return {
			rows: rows.filter(({ Id: id }) => Number(id) > start && Number(id) <= upTo),
			after: Math.min(Number(rows.at(-1)?.Id ?? start), upTo),
			upTo,
		};
	});
}

/** Whether Ids are whole numbers that rise, all beyond `after` and not beyond `upTo`. */
export function areAscendingIds(
	rows: readonly Row[],
	after = Number.NEGATIVE_INFINITY,
	upTo = Number.POSITIVE_INFINITY,
): boolean {
	let before = after;
	return rows.every(({ Id: id }) => {
		const rises = Number.isSafeInteger(id) && Number(id) > before && Number(id) <= upTo;
		before = Number(id);
		return rises;
	});
}
