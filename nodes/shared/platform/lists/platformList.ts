import { and, stableSort } from '../../dsquery/compose';
import type { Group, Query } from '../../dsquery/types';
import type { ListResource } from '../../resources';
import { NO_TOTAL } from '../answers/envelope';
import { PlatformError } from '../answers/errors';
import type { Page } from '../types';
import { notCounted, readWithoutCount } from './messages';
import { oneReading } from './oneReading';
import { Pages } from './pages';
import { Ledger, ListProofs, questionOf } from './proofs/ledger';
import { readList } from './reading';
import { FilterCheck } from './checks/filterCheck';
import { SharedIds } from './sharedIds';
import { FirstRows } from './sink';
import { SortCheck } from './checks/sortCheck';
import type { AskPage, ListResult, Plan, ReadRequest } from './types';
import { readUnknown } from './unknownShape';

/** What lists have proven in this process. */
const LEDGER = new Ledger(() => performance.now());

/**
 * One list of the platform, to be read, asked for a page, or counted: the way into this folder.
 *
 * `read` makes a plan of what is asked for and hands it to `reading.ts`, which says how a long list is read and why no
 * row is missing. It takes the first page (`pages.ts`, with `checks/` beside it) and reads on with one of two `walks/`:
 * by Id, in lanes, or by position; there, `growth.ts` ends a list that has no end. Rows go through sinks (`sink.ts`,
 * `sharedIds.ts`). What an answer proves is in `evidence.ts`; `proofs/` remembers for an hour what was proven. Lists
 * whose answer the specification does not show begin in `unknownShape.ts`.
 */
export class PlatformList {
	private readonly proofs: ListProofs;

	/**
	 * @param reader who reads the list: what it has proven to one says nothing about another
	 * @param isPoll a poll's proofs count for the whole list, those of a node for the question they were made of
	 */
	constructor(
		readonly resource: ListResource,
		private readonly ask: AskPage,
		reader: string,
		private readonly isPoll = false,
	) {
		this.proofs = new ListProofs(LEDGER, `${reader} ${resource.path}`);
	}

	/**
	 * Hands all rows that match to a sink, or the first ones, each once. See `readList` and `readUnknown`.
	 *
	 * @throws PlatformError with `rowsRead` set to the number of rows received until then; also when rows may be missing
	 */
	async read({
		query: asked,
		newestFirst = false,
		narrowing,
		goesOn,
		wanted = Number.POSITIVE_INFINITY,
		paging,
		sink,
	}: ReadRequest): Promise<ListResult> {
		const { resource: list, proofs } = this;
		const own: Query = newestFirst ? { ...asked, sorts: [{ field: 'Id', direction: 'Desc' }] } : asked;
		const query: Query = { filter: and(own.filter, narrowing), sorts: stableSort(own.sorts) };
		const question = this.isPoll ? undefined : questionOf(query);
		// A poll has no notes to show.
		const sharedIds = this.isPoll ? undefined : new SharedIds(list.plural, sink);
		const firstRows = new FirstRows(sharedIds ?? sink, wanted);
		const plan: Plan = { list, query, own, newestFirst, wanted, paging, sink: firstRows, proofs, question };
		const ask = oneReading(this.ask, list.plural, goesOn);
		const checks = [new FilterCheck(ask, list, paging.isCompared ? own.filter : undefined), new SortCheck(ask, plan)];
		const pages = new Pages(ask, checks);
		firstRows.begin();
		const reading = list.unknownShape ? readUnknown(pages, plan) : readList(pages, plan);
		const notes = await reading.catch((error: unknown) => {
			if (error instanceof PlatformError) error.rowsRead = pages.rowsRead;
			throw error;
		});
		firstRows.end();
		const { totalCount: count, uncounted } = pages;
		const isSaid = uncounted !== undefined && !(list.unknownShape && uncounted === NO_TOTAL);
		if (isSaid) notes.push(readWithoutCount(list.plural, uncounted));
		return { notes: [...notes, ...checks.flatMap((check) => check.notes), ...(sharedIds?.notes ?? [])], count };
	}

	/**
	 * Asks once. A list of unknown shape may return rows that the query did not ask for.
	 *
	 * @param compared what rows are compared with, on suspicion with two requests more; nothing when left out
	 * @throws PlatformError also where rows contradict that filter
	 */
	async page(query: Query, compared?: Group): Promise<Page> {
		const ask = oneReading(this.ask, this.resource.plural);
		const page = await ask(query);
		await new FilterCheck(ask, this.resource, compared).page(page.rows);
		return page;
	}

	/**
	 * How many rows match: the platform's own figure, with one request.
	 *
	 * @throws PlatformError where it does not count, or its one row contradicts the filter
	 */
	async count(filter: Group | undefined): Promise<number> {
		const page = await this.page({ filter, sorts: [], pager: { skip: 0, take: 1 } }, filter);
		if (page.isBlank) return 0;
		if (page.totalCount === undefined) throw notCounted(this.resource.plural, page.uncounted);
		return page.totalCount;
	}
}
