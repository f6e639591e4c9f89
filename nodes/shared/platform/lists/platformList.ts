import { stableSort } from '../../dsquery/compose';
import type { Group, Query } from '../../dsquery/types';
import type { ListResource } from '../../resources';
import { NO_TOTAL } from '../answers/envelope';
import { PlatformError } from '../answers/errors';
import type { Page } from '../types';
import { countKnown, countUnknown } from './count';
import { readWithoutCount } from './faults';
import { Pages } from './pages';
import { readAll } from './reading';
import { recordOf } from './record';
import type { ListRecord } from './record';
import { RowCheck } from './rowCheck';
import type { AskPage, ListResult, Plan, ReadRequest } from './types';
import { readUnknown } from './unknownShape';

/** One list of the platform, to be read, asked for a page, or counted. */
export class PlatformList {
	private readonly record: ListRecord;

	/** @param reader who reads the list: what it has proven to one says nothing about another */
	constructor(
		readonly resource: ListResource,
		private readonly ask: AskPage,
		reader: string,
	) {
		this.record = recordOf(`${reader} ${resource.path}`);
	}

	/**
	 * All rows that match, or the first ones, each once, in order. See `readAll` and `readUnknown`.
	 *
	 * @throws PlatformError with `rowsRead` set to the number of rows received until then; also when rows may be missing
	 */
	async read({
		query,
		limit = Number.POSITIVE_INFINITY,
		paging,
		collect = KEEP_ALL,
	}: ReadRequest): Promise<ListResult> {
		const { resource, record } = this;
		const { plural, unknownShape } = resource;
		if (limit <= 0) return { pages: [], hints: [] };
		const sorts = stableSort(query.sorts);
		const plan: Plan = { query: { filter: query.filter, sorts }, limit, paging, collect, plural };
		const rowCheck = new RowCheck(this.ask, resource, query.filter, paging.onContradiction);
		const source = new Pages(this.ask, record, rowCheck);
		const reading = unknownShape
			? readUnknown(source, plan, record, query.sorts.length)
			: readAll(source, plan, record);
		const { pages, hints } = await reading.catch((error: unknown) => {
			if (error instanceof PlatformError) error.rowsRead = source.rowsRead;
			throw error;
		});
		const { totalCount, uncounted } = source;
		const isSaid = uncounted !== undefined && !(unknownShape && uncounted === NO_TOTAL);
		const uncountedHints = isSaid ? [readWithoutCount(plural, uncounted)] : [];
		return { pages, hints: [...hints, ...uncountedHints, ...rowCheck.hints], totalCount };
	}

	/** Asks once. A list of unknown shape may return rows that the query did not ask for. */
	async page(query: Query): Promise<Page> {
		const page = await this.ask(query);
		this.record.seen(page, query.pager?.skip ?? 0);
		return page;
	}

	/**
	 * How many rows match. Where the specification does not show the list, the count is always proven.
	 *
	 * @param verify whether to check the count with a second request; a suspicious one always is
	 * @throws PlatformError where rows contradict the count: a wrong count is not returned
	 */
	async count(filter: Group | undefined, { verify }: { verify: boolean }): Promise<{ count: number; hints: string[] }> {
		const { plural, unknownShape } = this.resource;
		if (unknownShape) return await countUnknown(this.ask, { filter, plural });
		return await countKnown(this.ask, { filter, plural, verify });
	}
}

const KEEP_ALL = { add: (rows: Page['rows']) => rows };
