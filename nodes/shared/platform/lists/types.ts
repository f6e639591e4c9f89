import type { Group, Query } from '../../dsquery/types';
import type { PlatformError } from '../answers/errors';
import type { Page, Row } from '../types';

/** Asks the list once. List reading knows nothing else of the platform, so it can be tested against any list. */
export type AskPage = (query: Query) => Promise<Page>;

/** How pages are asked for. */
export interface Paging {
	/** Rows to ask for in one request, at least 1. The platform may give fewer. */
	pageSize: number;
	/** Most requests under way at once, at least 1. */
	parallel: number;
	/**
	 * What to do if rows contradict the filter: stop, or say so in a hint. Left out, rows are not compared with it.
	 */
	onContradiction?: 'stop' | 'note';
}

/** Takes the rows of a list as they arrive, in any order if there are parallel requests, each once. */
export interface Collect {
	/** Reading begins, or begins again: what was added before is void. */
	begin?(): void;
	/** Returns what the result keeps of these rows: less of each, or none, to save memory. With a limit, all of them. */
	add(rows: Row[]): Row[];
}

export interface ReadRequest {
	/** Filter, and the sorts that the user chose; the Id is added as the last one, so that the order is stable. */
	query: Query;
	/** Further conditions, with which rows are not compared. */
	narrowing?: Group;
	/** Read at most this many rows; all of them when left out. */
	limit?: number;
	paging: Paging;
	/** All rows are kept when left out. */
	collect?: Collect;
}

/** A request as the walks see it. */
export interface Plan {
	/** With a stable order. */
	query: Query;
	/** Infinite for all rows. */
	limit: number;
	paging: Paging;
	collect: Collect;
	/** What the rows are called in messages and hints: "charging sessions". */
	plural: string;
	/** The question that a proof is made of; undefined in polls, whose proofs count for the whole list. */
	question?: string;
}

export interface ListResult {
	/** The rows in order, in the pages they came in. */
	pages: Row[][];
	/** What the user should know about how the list was read, one sentence each. Usually empty. */
	hints: string[];
	/** The number of all matching rows by the last answer; undefined if the platform does not count. */
	totalCount?: number;
	/** With `onContradiction` *note*: a row that does not satisfy the filter, which the platform does not apply. */
	contradiction?: PlatformError;
}

/** What a walk has read. */
export interface Walked extends ListResult {
	rowCount: number;
	/** The last answer that holds the last row says that there are more rows, and none came. */
	saysMore: boolean;
}

/** A page in a walk, and the Skip it was asked for with. */
export interface Window {
	rows: Row[];
	/** Without a count, one more row is assumed after every page that has rows. */
	totalCount: number;
	/** Whether the platform counted. */
	isCounted: boolean;
	/** The answer itself says that there are more rows. */
	hasMore: boolean;
	skip: number;
}
