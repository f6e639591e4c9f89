import type { FilterGroup, Query, SortEntry } from '../../dsquery/types';
import type { ListResource } from '../../resources';
import type { Page, Row } from '../types';

/** The fewest rows to ask for where they are compared with the filter or the sort: one or two may match by chance. */
export const COMPARED = 10;

/** How a page is asked for. */
export interface Asking {
	/** The page is not asked for again after a failure that may pass. */
	isAskedOnce?: true;
	/**
	 * Turns each answer, or its failure, into the page that counts. If it throws a transient PlatformError, the page is
	 * asked for again.
	 */
	judge?: (reading: Promise<Page>) => Promise<Page>;
}

/** What answers list queries: a connection. */
export interface PageSource {
	getPage(list: ListResource, query: Query, asking?: Asking): Promise<Page>;
}

/** A list that is asked for its pages. */
export interface PageReader {
	ask(query: Query): Promise<Page>;
}

/** How pages are asked for. */
export interface PagingOptions {
	/** Rows to ask for in one request, at least 1. The platform may give fewer. */
	pageSize: number;
	/** Most requests under way at once, at least 1. */
	parallel: number;
}

/** Takes the rows of a list as they are read, each once. */
export interface RowSink {
	/**
	 * Reading begins, or begins again: rows added before do not count.
	 *
	 * @param by what the sink has to sort the rows by, as they come by Id; empty where they come in the order asked for
	 */
	begin(by: readonly SortEntry[]): void;
	/**
	 * Rows that follow those added before in the same lane.
	 *
	 * @param lane lanes are read side by side; all rows of one come before those of a lane with a higher number
	 */
	add(rows: Row[], lane: number): void;
}

export interface ListReadRequest {
	/** What the user asks for. Without sorts, rows come by Id. */
	query: Query;
	/** Further conditions. Rows are checked only against those on the Id. */
	narrowing?: FilterGroup;
	/**
	 * Whether the list is known to have rows, from earlier reading or by their Ids, so that an answer without any
	 * content is no empty list.
	 */
	goesOn?: true;
	/** How many rows are wanted. All of them when left out. */
	wanted?: number;
	paging: PagingOptions;
	/** Gets no more than the rows that are wanted. */
	sink: RowSink;
}

/** What is known of a list once it has been read. */
export interface ListReadResult {
	/** What the user should know about how the list was read, one sentence each. Usually empty. */
	notes: string[];
	/** The number of all matching rows by the first answer; undefined if the platform does not count. */
	count?: number;
	/** The first answer had no content, not even an empty list. */
	isBlank?: true;
}

/** How a list is read. */
export interface ListReadPlan {
	/** What the rows are called in messages: "charging sessions". */
	plural: string;
	filter?: FilterGroup;
	/** The order to ask the platform for. Empty where any order will do, or the sink sorts. */
	sorts: readonly SortEntry[];
	/** The list has no Id to sort by. */
	lacksId?: true;
	/** Infinite for all rows. A few more may be handed over: the sink cuts. */
	wanted: number;
	paging: PagingOptions;
	sink: Pick<RowSink, 'add'> & {
		begin(): void;
		/** Rows handed over since the reading began. */
		readonly count: number;
	};
}
