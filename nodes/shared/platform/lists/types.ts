import type { Group, Query } from '../../dsquery/types';
import type { ListResource } from '../../resources';
import type { Page, Row } from '../types';
import type { ListProofs } from './proofs/ledger';

/** Asks the list once. List reading knows nothing else of the platform, so it can be tested against any list. */
export type AskPage = (query: Query) => Promise<Page>;

/** How pages are asked for. */
export interface Paging {
	/** Rows to ask for in one request, at least 1. The platform may give fewer. */
	pageSize: number;
	/** Most requests under way at once, at least 1. */
	parallel: number;
	/** Whether rows are compared with the filter and the order: a list that certainly contradicts them is refused. */
	isCompared?: boolean;
}

/** Takes the rows of a list as they are read, each once. */
export interface Sink {
	/** Reading begins, or begins again: what was added before is void. */
	begin(): void;
	/**
	 * Rows that follow those added before, in the same lane, and are checked.
	 *
	 * @param lane lanes are read side by side; all rows of one come before those of a lane with a higher number
	 */
	add(rows: Row[], lane: number): void;
}

/** Looks at pages before their rows are handed over. It may ask the platform, and refuse the reading. */
export interface Check {
	/** What the user should know, one sentence each. */
	readonly notes: readonly string[];
	page?(rows: readonly Row[]): Promise<void>;
	/** Returns the page, or another answer to the same query, to be taken instead. */
	firstPage?(page: Page, asked: Query): Promise<Page>;
}

export interface ReadRequest {
	/** Filter, and the sorts that the user chose; the Id is added as the last one, so that the order is stable. */
	query: Query;
	/** Further conditions, with which rows are not compared. */
	narrowing?: Group;
	/** Rows of this list came before, or are known by their Ids: an answer without any content does not mean that there are none. */
	goesOn?: true;
	/** Whether rows with the highest Ids come first. For where the user chose no sort. */
	newestFirst?: boolean;
	/** How many rows are wanted: those beyond are not read. All of them when left out. */
	wanted?: number;
	paging: Paging;
	/** Gets no more than the rows that are wanted. */
	sink: Sink;
}

/** A request as the walks see it. */
export interface Plan {
	list: ListResource;
	/** What is asked for: with a stable order. */
	query: Query;
	/** What the user asked for, and rows are compared with. */
	own: Query;
	/** Whether the sort is not the user's, but that of newest rows. */
	newestFirst: boolean;
	/** How many rows are to be read. A few more may be: whoever asks cuts. Infinite for all rows. */
	wanted: number;
	paging: Paging;
	sink: Sink;
	/** What the list has proven. */
	proofs: ListProofs;
	/** The question that a proof is made of; undefined in polls, whose proofs count for the whole list. */
	question?: string;
}

/** What is known of a list once it has been read. */
export interface ListResult {
	/** What the user should know about how the list was read, one sentence each. Usually empty. */
	notes: string[];
	/** The number of all matching rows by the last answer; undefined if the platform does not count. */
	count?: number;
}

/** How a walk has ended. */
export interface Walked {
	rowCount: number;
	notes: string[];
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
