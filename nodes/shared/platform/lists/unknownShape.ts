import { and, condition } from '../../dsquery/compose';
import type { Query, SortEntry } from '../../dsquery/types';
import { PlatformError } from '../answers/errors';
import { readList } from './list';
import type { ListRequest, ListResult } from './types';
import { missingRows, refuseRoundedIds } from './rows';
import type { OpenAnswer, Page, Row } from '../types';

/** Asks the list once. */
export type GetAnswer = (query: Query) => Promise<OpenAnswer>;

export interface OpenListRequest extends ListRequest {
	/** What the rows are called in messages: "locations". */
	plural: string;
	/** How many of the query's sorts the user chose; those behind them only make the order stable. */
	ownSorts: number;
}

export interface OpenListResult extends ListResult {
	/** What the user should know about how the list was read, one sentence each. */
	hints: string[];
}

/** Further than any list reaches, and still a 32-bit integer. */
const BEYOND_EVERY_LIST = 2_000_000_000;
/** A name that no row has. Fields that do not exist are refused, never ignored (specification, list query rule 6). */
const NO_FIELD = 'NoSuchFieldExists';

/**
 * Reads a list whose answer may have any shape. An envelope is read as every other list. An array may be a page or the
 * whole list, and whether the platform listens to filter, sort and page is only found out by asking: a filter that it
 * ignores is refused, so that no row slips through, and rows that come again because it ignores the page are not
 * returned twice. On a list that is read whole with the first answer this costs one request more; otherwise three.
 *
 * @throws PlatformError with `rowsRead` set to the number of rows received until then
 */
export async function readOpenList(getAnswer: GetAnswer, request: OpenListRequest): Promise<OpenListResult> {
	return await new OpenListReader(getAnswer, request).read();
}

class OpenListReader {
	private readonly hints: string[] = [];
	private readonly limit: number;
	private sorts: SortEntry[];

	constructor(
		private readonly getAnswer: GetAnswer,
		private readonly request: OpenListRequest,
	) {
		this.limit = request.limit ?? Number.POSITIVE_INFINITY;
		this.sorts = request.query.sorts;
	}

	async read(): Promise<OpenListResult> {
		if (this.limit <= 0) return this.result([]);
		const take = Math.min(this.request.pageSize, this.limit);
		const first = await this.first(take);
		if (first.shape === 'envelope') return await this.readEnvelope(first);
		await this.checkQueryIsHeard(first.rows.length);
		if (first.shape === 'list') return await this.readArray(first.rows, take);
		this.hints.push('The platform answered with a single object instead of a list. It is returned as one item.');
		return this.result(first.rows);
	}

	/** The first answer. The Id may not exist: where the platform refuses to sort by it, it is left out. */
	private async first(take: number): Promise<OpenAnswer> {
		const pager = { skip: 0, take };
		const own = this.sorts.slice(0, this.request.ownSorts);
		return await this.ask({ pager }).catch(async (error: unknown) => {
			const isIdRefused =
				error instanceof PlatformError &&
				error.kind === 'query-refused' &&
				(error.property ?? 'Id').toLowerCase() === 'id';
			if (!isIdRefused || own.length === this.sorts.length) throw error;
			this.sorts = own;
			return await this.ask({ pager });
		});
	}

	private async ask(query: Partial<Query>): Promise<OpenAnswer> {
		const answer = await this.getAnswer({ filter: this.request.query.filter, sorts: this.sorts, ...query });
		refuseRoundedIds(answer.rows);
		return answer;
	}

	// --- the envelope ---

	private async readEnvelope(first: OpenAnswer): Promise<OpenListResult> {
		let total = first.totalCount ?? 0;
		if (first.rows.length >= Math.min(total, this.limit)) return this.result(first.rows);
		if (first.rows.length === 0) throw missingRows(total);
		let known: OpenAnswer | undefined = first;
		if (this.sorts.length === this.request.ownSorts) {
			// Without an Id, all fields together make the order as stable as it can be.
			this.sorts = [...this.sorts, ...plainFields(first.rows, this.sorts)];
			known = undefined;
		}
		const getPage = async (query: Query): Promise<Page> => {
			const answer = known ?? (await this.ask(query));
			known = undefined;
			if (answer.totalCount === undefined) throw changedShape(this.request.plural);
			total = answer.totalCount;
			return { rows: answer.rows, totalCount: total };
		};
		let read = 0;
		const { keep } = this.request;
		const counting = () => {
			read = 0;
			const keepRows = keep?.();
			return (rows: Row[]) => {
				read += rows.length;
				return keepRows?.(rows) ?? rows;
			};
		};
		const { pages, mendedPages } = await readList(getPage, { ...this.listRequest(), keep: counting });
		if (read < Math.min(total, this.limit) && !(await this.isSkipHeard())) {
			throw noPaging(this.request.plural, read);
		}
		return { pages, mendedPages, hints: this.hints };
	}

	private listRequest(pageSize = this.request.pageSize): ListRequest {
		const { limit, parallel, query, keep } = this.request;
		return { query: { filter: query.filter, sorts: this.sorts }, limit, pageSize, parallel, keep };
	}

	// --- arrays ---

	private async readArray(first: Row[], take: number): Promise<OpenListResult> {
		const { length } = first;
		if (length === 0 || length >= this.limit) return this.result(first);
		// More rows than asked for: the page is ignored, so this is the whole list.
		if (length > take) return this.whole(first);
		const next = await this.ask({ pager: { skip: length, take } });
		if (next.rows.length === 0) return this.result(first);
		if (!(await this.isSkipHeard())) {
			const more = await this.ask({ pager: { skip: 0, take: length + 1 } });
			if (more.rows.length <= length) return this.whole(first);
			throw noPaging(this.request.plural, length);
		}
		// Pages of this width, which an array does not count: there may be one more row until a page is short.
		const getPage = async (query: Query): Promise<Page> => {
			const { rows } = await this.ask(query);
			const { skip, take: asked } = query.pager ?? { skip: 0, take };
			return { rows, totalCount: skip + rows.length + (rows.length < Math.min(asked, length) ? 0 : 1) };
		};
		const { pages, mendedPages } = await readList(getPage, this.listRequest(length));
		return { pages, mendedPages, hints: this.hints };
	}

	private whole(rows: Row[]): OpenListResult {
		const { plural } = this.request;
		this.hints.push(`The platform sends all ${plural} in one answer, whatever page is asked for. None is doubled.`);
		return this.result(rows);
	}

	private async isSkipHeard(): Promise<boolean> {
		const beyond = await this.ask({ pager: { skip: BEYOND_EVERY_LIST, take: 1 } });
		return beyond.rows.length === 0;
	}

	/** Refuses to go on where the platform gives rows for a filter that no row can match. */
	private async checkQueryIsHeard(rowCount: number): Promise<void> {
		const { query, ownSorts, plural } = this.request;
		if (rowCount === 0 || (query.filter === undefined && ownSorts === 0)) return;
		const impossible = and(query.filter, condition(NO_FIELD, 'Eq', '0'));
		const isRefused = (error: unknown) => error instanceof PlatformError && error.kind === 'query-refused';
		const answer = await this.ask({ filter: impossible, pager: { skip: 0, take: 1 } }).catch((error: unknown) => {
			if (!isRefused(error)) throw error;
			return undefined;
		});
		if (answer && answer.rows.length > 0) throw notHeard(plural, query.filter !== undefined);
	}

	private result(rows: Row[]): OpenListResult {
		const wanted = rows.length > this.limit ? rows.slice(0, this.limit) : rows;
		const kept = wanted.length > 0 ? (this.request.keep?.()(wanted) ?? wanted) : [];
		return { pages: kept.length > 0 ? [kept] : [], mendedPages: 0, hints: this.hints };
	}
}

/** Fields that every row has with a plain value, as sorts, without those that are sorted by already. */
function plainFields(rows: readonly Row[], sorts: readonly SortEntry[]): SortEntry[] {
	const taken = new Set(sorts.map(({ field }) => field.toLowerCase()));
	return Object.keys(rows[0] ?? {})
		.filter((field) => !taken.has(field.toLowerCase()))
		.filter((field) => rows.every((row) => field in row && (typeof row[field] !== 'object' || row[field] === null)))
		.map((field) => ({ field, direction: 'Asc' as const }));
}

function notHeard(plural: string, isFilter: boolean): PlatformError {
	const what = isFilter ? 'filter' : 'sort';
	return new PlatformError('query-refused', `The platform does not ${what} ${plural}: it ignores what was asked for`, {
		description: `Nothing was returned, so that no row slips through. Remove the entries in Filters and Sort here, and use n8n's own Filter and Sort nodes behind this one.`,
	});
}

function noPaging(plural: string, read: number): PlatformError {
	return new PlatformError('invalid-answer', `The platform gives only the first ${read} ${plural}`, {
		description: `It ignores which page is asked for, so the others cannot be reached. Set a Limit of ${read} or less, or use a filter that matches fewer.`,
	});
}

function changedShape(plural: string): PlatformError {
	return new PlatformError('invalid-answer', `The platform changed the form of its answer while ${plural} were read`, {
		description: 'Run the node again. If this stays so, tell the people who run the platform.',
	});
}
