import type { Query } from '../../dsquery/types';
import type { Page, Row } from '../types';

/** Fetches one page. List reading knows nothing else of the platform, so it can be tested against any list. */
export type GetPage = (query: Query) => Promise<Page>;

/** Gets the rows of the list, each once, and returns what the result keeps of them. */
export type KeepRows = (rows: Row[]) => Row[];

export interface ListRequest {
	/** Filter and sorts. The last sort must be by a unique field, see `stableSort`; a pager is ignored. */
	query: Query;
	/** Read at most this many rows; all of them when left out. */
	limit?: number;
	/** Rows to ask for in one request, at least 1. The platform may give fewer. */
	pageSize: number;
	/** Most requests under way at once, at least 1. */
	parallel: number;
	/** What the rows are called in messages and hints: "charging sessions". "rows" when left out. */
	plural?: string;
	/**
	 * Called when reading begins, and again when it starts over: what the earlier function collected is then void. The
	 * function gets the rows as they arrive, in any order if there are parallel requests. It may return smaller rows,
	 * or none, to save memory; with a limit, their number must not change. All rows are kept when left out.
	 */
	keep?: () => KeepRows;
}

export interface ListResult {
	/** The rows in order, in the pages they came in. */
	pages: Row[][];
	/** What the user should know about how the list was read, one sentence each. Usually empty. */
	hints: string[];
}

/** A page and the Skip it was asked for with. */
export interface Window extends Page {
	skip: number;
}
