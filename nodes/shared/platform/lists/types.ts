import type { Query } from '../../dsquery/types';
import type { Page, Row } from '../types';

/** Fetches one page. List reading knows nothing else of the platform, so it can be tried against any list. */
export type GetPage = (query: Query) => Promise<Page>;

/** What is kept of rows that belong to the list and come only once. What it returns stands in the result. */
export type KeepRows = (rows: Row[]) => Row[];

export interface ListRequest {
	/** Filter and sorts. The sorts must end in a field that is unique, see `stableSort`; a pager is not read. */
	query: Query;
	/** Read at most this many rows; all of them when left out. */
	limit?: number;
	/** Rows to ask for in one request, at least 1. The platform may give fewer. */
	pageSize: number;
	/** Requests that may be under way at once, at least 1. */
	parallel: number;
	/** What the rows are called in messages and hints: "charging sessions". "rows" when left out. */
	plural?: string;
	/**
	 * Called where reading begins, and again where it has to start over: nothing that the earlier function took counts then.
	 * The function gets the rows as they come, in any order where several requests are under way. Rows may be made smaller,
	 * or none returned, so that a list of any length needs little room; their number may only differ where there is no limit.
	 * All rows are kept when left out.
	 */
	keep?: () => KeepRows;
}

export interface ListResult {
	/** The rows in order, in the pages they came in. */
	pages: Row[][];
	/** What a person should know about how the list was read, one sentence each. Mostly empty. */
	hints: string[];
}

/** A page and the Skip it was asked for with. */
export interface Window extends Page {
	skip: number;
}
