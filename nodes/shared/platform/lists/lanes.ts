import type { Page, Row } from '../types';

/** In pages: shorter lanes cost more requests than they save time. */
const SHORTEST_LANE = 4;

/** A range of Ids that is read by itself. */
export interface IdLane {
	/** Its first rows, where they have come already. */
	rows: Row[];
	/** The Id behind which it goes on. */
	after: number;
	/** The last Id that may belong to it. */
	upTo: number;
}

/**
 * How many rows to skip to the beginning of each lane but the first, where all have as many pages. A lane begins with the
 * last row of the lane before, whose Id is the start: so the lane before knows when it has come to its end.
 */
export function laneStartOffsets({ rows, totalCount = 0 }: Page, parallel: number): number[] {
	const lanes = Math.min(parallel, Math.floor((Math.ceil(totalCount / rows.length) - 1) / SHORTEST_LANE));
	// A start is asked for twice.
	const pages = Math.ceil((totalCount + lanes - 1) / rows.length);
	return Array.from({ length: Math.max(0, lanes - 1) }, (_, lane) => {
		const pagesBefore = Math.ceil((pages * (lane + 1)) / lanes);
		return pagesBefore * rows.length - lane - 1;
	});
}

/**
 * The Ids behind the first page, up to the highest one, in lanes: disjoint ranges that cover all of them, whatever comes and
 * goes meanwhile. A page that does not fit, as where a platform ignores Skip, makes no start, and its lane belongs to the
 * one before.
 *
 * @param firstPageEnd the Id of its last row
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
