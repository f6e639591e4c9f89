import { knownField } from '../../dsquery/catalogue';
import { and } from '../../dsquery/compose';
import type { Group, Query, SortEntry } from '../../dsquery/types';
import type { ListResource } from '../../resources';
import { settle } from '../../settle';
import { quote } from '../../text';
import { PlatformError } from '../answers/errors';
import type { Page } from '../types';
import { byPosition } from './byPosition';
import { compareFilter } from './contradictions';
import { Asked, Wanted } from './reading';
import { readRows } from './readRows';
import { COMPARED, type AskPage, type ListResult, type Plan, type ReadRequest } from './types';

/**
 * Lists whose count was once larger than a page, by reader and path: it is no count of the page alone, so a single page of
 * a round length is known to be the last one (`fullLength`), and a request is saved.
 */
const COUNT_ALL = new Set<string>();

/**
 * One list of the platform, to be read, asked for a page, or counted: the way into this folder.
 *
 * `read` asks with `readRows.ts`, which says how a long list is read and why no row is missing; what cannot be read so is
 * read by `byPosition.ts`. Answers are compared with the question (`reading.ts`, `contradictions.ts`). Rows go to a sink as they
 * come; where all are wanted in an order, the sink makes it (`kept.ts`).
 */
export class PlatformList {
	private readonly ask: AskPage;
	/** Identifies the list and who reads it: another one may get other answers. */
	private readonly key: string;

	constructor(
		readonly resource: ListResource,
		ask: AskPage,
		reader = '',
	) {
		this.key = `${reader} ${resource.path}`;
		this.ask = async (query) => {
			const page = await ask(query);
			if (page.rows.length > 0 && (page.totalCount ?? 0) > page.rows.length) COUNT_ALL.add(this.key);
			return page;
		};
	}

	/**
	 * Hands all rows that match to a sink, or the first ones, each once.
	 *
	 * @throws PlatformError with `rowsRead` set to the number of rows handed over until then. Where the list is read by
	 * position and changed meanwhile, it throws if pages do not join, and a note says what else could be seen: not that one row
	 * moved to the front while another one went.
	 */
	async read(request: ReadRequest): Promise<ListResult> {
		const { query, narrowing, wanted = Number.POSITIVE_INFINITY, paging } = request;
		const { resource: list } = this;
		const isSortedHere = wanted === Number.POSITIVE_INFINITY;
		const sorts = isSortedHere ? [] : query.sorts;
		// Rows come by Id anyway: nothing is kept to sort them by it.
		const sink = new Wanted(request.sink, wanted, isSortedHere && !isById(query.sorts) ? query.sorts : []);
		const filter = and(query.filter, narrowing);
		const asked = new Asked(list, this.ask, request, sorts);
		const plan: Plan = { plural: list.plural, filter, sorts, countsAll: COUNT_ALL.has(this.key), wanted, paging, sink };

		let read = await settle(readRows(asked.ask, plan));
		if (!read.ok && lacksId(read.error, list, query.sorts)) {
			read = await settle(byPosition(asked.ask, { ...plan, lacksId: true }));
		}
		if (!read.ok) {
			if (read.error instanceof PlatformError) read.error.rowsRead = sink.count;
			throw read.error;
		}
		const absent = [...sink.absent].find((field) => !knownField(list, field));
		if (absent !== undefined && sink.count > 0) {
			throw new PlatformError('configuration', `None of the ${list.plural} has a field ${quote(absent)} to sort by`, {
				description: 'Check the name in Sort.',
			});
		}
		return { notes: [...asked.notes, ...read.value], count: asked.first?.totalCount };
	}

	/**
	 * Asks once.
	 *
	 * @throws PlatformError also where the rows contradict the filter
	 */
	async page(query: Query): Promise<Page> {
		const page = await this.ask(query);
		compareFilter(this.resource, query.filter, page.rows);
		return page;
	}

	/**
	 * How many rows match: the platform's own figure, with one request.
	 *
	 * @throws PlatformError where it does not count, or its first rows contradict the filter
	 */
	async count(filter: Group | undefined): Promise<number> {
		const page = await this.ask({ filter, sorts: [], pager: { skip: 0, take: filter ? COMPARED : 1 } });
		compareFilter(this.resource, filter, page.rows, 0);
		if (page.isBlank) return 0;
		if (page.totalCount !== undefined) return page.totalCount;
		const message = `The platform does not count ${this.resource.plural}: its answer has no TotalCount that is a number`;
		throw new PlatformError('invalid-answer', message, {
			description: 'Get Many with Return All reads the rows themselves and gives as many items as there are.',
		});
	}
}

function isById([first, ...others]: readonly SortEntry[]): boolean {
	return first?.field.toLowerCase() === 'id' && first.direction === 'Asc' && others.length === 0;
}

/** Whether the platform refuses to sort by Id in a list whose fields are not known: it has none. */
function lacksId(error: unknown, list: ListResource, chosen: readonly SortEntry[]): boolean {
	if (!list.unknownShape || chosen.some(({ field }) => field.toLowerCase() === 'id')) return false;
	if (!(error instanceof PlatformError) || error.kind !== 'query-refused') return false;
	return (error.property ?? 'Id').toLowerCase() === 'id';
}
