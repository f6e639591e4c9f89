import { findKnownField } from '../../dsquery/listSchema';
import { and, condition } from '../../dsquery/compose';
import type { FilterGroup, Query, SortEntry } from '../../dsquery/types';
import type { ListResource } from '../../resources';
import { settle, type Settled } from '../../settle';
import { quote } from '../../text';
import { interruptedError } from '../answers/answerErrors';
import { asksToWait, PlatformError } from '../answers/errors';
import type { FailureKind, Page } from '../types';
import { readByPosition } from './byPosition';
import {
	checkAgainstFilter,
	checkSortOrder,
	findContradictions,
	filterIgnoredError,
	contradictingRowNote,
} from './contradictions';
import { areAscendingIds, laneStartOffsets, type IdLane, splitIntoIdLanes } from './lanes';
import { blankAnswer, countDiffersNote, fullPageLength, isLastPage } from './lastPage';
import { COMPARED, type ListReadResult, type PageSource, type ListReadPlan, type ListReadRequest } from './types';
import { RowLimiter } from './rowLimiter';
import { assertAllAreWanted, isWholeList, mayBeWholeList } from './wholeList';

const BY_ID: SortEntry = { field: 'Id', direction: 'Asc' };
/** What a gateway answers while the platform behind it is away. */
const NOTHING_THERE: ReadonlySet<number | undefined> = new Set([404, 410, 416]);
/** In rows. A shorter page is asked for once more before a row that contradicts the filter is accepted. */
const SHORT_PAGE = 40;
/** Failures of a request for the start of a lane after which the reading goes on without that lane. */
const ONLY_OF_PAGE: ReadonlySet<FailureKind> = new Set([
	'query-refused',
	'too-large',
	'url-too-long',
	'not-found',
	'not-the-platform',
	'invalid-answer',
	'server-failure',
	'network-failure',
]);

/**
 * One question to a list of the platform: all its rows, the first ones, a page, or how many there are. Answers are
 * compared with the question. Rows go to a sink as they come; where all are wanted in an order, the sink sorts them
 * (`rowBuffer.ts`).
 */
export class ListReader {
	/** What answers are compared with. */
	private question: Question = { query: { sorts: [] } };
	/** The first answer. */
	private first?: Page;
	/** How many rows a page has, if the platform sends fewer than it is asked for, counts more, and sends more when asked again. */
	pageLength?: number;
	/** How many rows the platform counts behind a page without rows, asked twice. */
	private left = 0;
	private readonly notes: string[] = [];

	constructor(
		private readonly resource: ListResource,
		private readonly source: PageSource,
	) {}

	/**
	 * Hands all rows that match to the request's sink, or the first ones, each once.
	 *
	 * @throws PlatformError with `rowsRead` set to the number of rows handed over until then. A list that changes while it is
	 * read by position makes it throw if pages do not join; a note tells other changes that show. One does not show: a row
	 * moves to the front while another one goes.
	 */
	async read(request: ListReadRequest): Promise<ListReadResult> {
		const { query, narrowing, wanted = Number.POSITIVE_INFINITY, paging } = request;
		const { resource: list } = this;
		const isSortedHere = wanted === Number.POSITIVE_INFINITY;
		const sorts = isSortedHere ? [] : query.sorts;
		// Rows come sorted by Id, so the sink need not sort by it.
		const sink = new RowLimiter(request.sink, wanted, isSortedHere && !isById(query.sorts) ? query.sorts : []);
		const plan: ListReadPlan = {
			plural: list.plural,
			filter: and(query.filter, narrowing),
			sorts,
			wanted,
			paging,
			sink,
		};
		this.question = { ...request, query: { ...query, sorts }, expectsPage: true };

		const read = await settle(this.readRows(plan, query.sorts));
		if (!read.ok) {
			if (read.error instanceof PlatformError) read.error.rowsRead = sink.count;
			throw read.error;
		}
		const absent = [...sink.absent].find((field) => !findKnownField(list, field));
		if (absent !== undefined && sink.count > 0) {
			throw new PlatformError('configuration', `None of the ${list.plural} has a field ${quote(absent)} to sort by`, {
				description: 'Check the name in Sort.',
			});
		}
		const { totalCount: count, isBlank } = this.first ?? {};
		if (isBlank) this.notes.push(blankAnswer(list.plural));
		return { notes: [...this.notes, ...read.value], count, isBlank };
	}

	/**
	 * Asks for one page.
	 *
	 * @throws PlatformError also where the rows contradict the filter
	 */
	async page(query: Query, about: Pick<ListReadRequest, 'goesOn'> = {}): Promise<Page> {
		this.question = { ...about, query: { ...query, sorts: [] } };
		return await this.ask(query);
	}

	/**
	 * How many rows match: the platform's own figure, with one request, or two. Notes say if a row beside it contradicts the
	 * filter.
	 *
	 * @throws PlatformError where it does not count, its first rows contradict the filter, or all rows come in spite of it
	 */
	async count(filter: FilterGroup | undefined): Promise<{ count: number; notes: readonly string[] }> {
		const query: Query = { filter, sorts: [], pager: { skip: 0, take: filter ? COMPARED : 1 } };
		this.question = { query, goesOn: true, expectsPage: true };
		const first = await this.rowsOrEnd(query);
		// A row may come between counting and reading: the next answer counts it.
		const { rows, totalCount } = hasCountedAll(first) ? first : await this.ask(query);
		const isOfRows = rows.length > 0 || totalCount === 0;
		if (totalCount !== undefined && totalCount >= rows.length && isOfRows)
			return { count: totalCount, notes: this.notes };
		const found = `it counts ${totalCount}, and sends ${rows.length}`;
		const why = totalCount === undefined ? 'its answer has no TotalCount that is a number' : found;
		const message = `The platform does not count ${this.resource.plural}: ${why}`;
		throw new PlatformError('invalid-answer', message, {
			description: 'Get Many with Return All reads the rows themselves and gives as many items as there are.',
		});
	}

	/**
	 * Asks for a page, and compares it with the question.
	 *
	 * @throws PlatformError also where the answer contradicts the question, or comes from something else
	 */
	async ask(query: Query, isAskedOnce?: true): Promise<Page> {
		if (this.first) return await this.askFurther(query, isAskedOnce);
		this.first = await this.askFirst(query);
		return this.first;
	}

	/**
	 * Asks for the first page, and compares it with the whole question. A row may change while the platform answers, so
	 * a short page with a row that does not match is asked for once more.
	 */
	private async askFirst(query: Query): Promise<Page> {
		const { resource: list, source, question, notes } = this;
		const { filter, sorts } = question.query;
		const judge = async (reading: Promise<Page>) => refuseBlank(list, await reading);
		let page = await source.getPage(list, query, question.goesOn && { judge });
		this.compareIds(query, page);
		let changed = checkAgainstFilter(list, filter, page.rows);
		if (changed.length > 0 && page.rows.length < SHORT_PAGE) {
			page = await this.askFurther(query);
			changed = checkAgainstFilter(list, filter, page.rows, changed);
		}
		for (const row of changed.slice(0, 1)) notes.push(contradictingRowNote(list, row));
		notes.push(...checkSortOrder(list, sorts, page.rows));
		if (question.expectsPage) await this.refuseWholeList(query, page);
		return page;
	}

	/**
	 * Refuses a first page that is the whole list although a filter or a sort was asked for. Where the specification does
	 * not show the answer, and the page may be the whole list, one row is asked for to find out.
	 */
	private async refuseWholeList(query: Query, page: Page): Promise<void> {
		const { resource: list, question } = this;
		const chosen = { filter: question.query.filter ?? question.narrowing, sorts: question.query.sorts };
		if (!chosen.filter && chosen.sorts.length === 0) return;
		const isWhole =
			isWholeList(page, query.pager?.take ?? Number.POSITIVE_INFINITY) ||
			(list.unknownShape &&
				mayBeWholeList(page) &&
				isWholeList(await this.askFurther({ ...query, pager: { skip: 0, take: 1 } }), 1));
		if (isWhole) assertAllAreWanted(list.plural, chosen);
	}

	private async askFurther(query: Query, isAskedOnce?: true): Promise<Page> {
		const { resource: list } = this;
		const judge = async (reading: Promise<Page>) => await furtherPage(list, reading, this.first);
		const page = await this.source.getPage(list, query, { isAskedOnce, judge });
		this.compareIds(query, page);
		return page;
	}

	/**
	 * Compares rows with the Ids that were asked for, and with nothing else: a status that a poll saw last time may have changed
	 * since, an Id has not. And where a later page ignores the Ids, the rest of the filter is ignored, too.
	 */
	private compareIds({ filter }: Query, { rows }: Page): void {
		const { resource: list, question } = this;
		if (!(question.query.filter ?? question.narrowing)) return;
		const [found] = findContradictions({ ...list, fields: [] }, filter, rows);
		if (found) throw filterIgnoredError(list, found);
	}

	/**
	 * @param chosen the order that the user chose
	 * @returns notes
	 */
	private async readRows(plan: ListReadPlan, chosen: readonly SortEntry[]): Promise<string[]> {
		const read = await settle(this.readByIdOrPosition(plan));
		if (!read.ok && !lacksId(read.error, this.resource, chosen)) throw read.error;
		const notes = read.ok ? read.value : await readByPosition(this, { ...plan, lacksId: true });
		// A list that was read a second time had rows the first time. Without a filter, a list that counts rows has some.
		const { rows = [], totalCount } = this.first ?? {};
		const mustHaveRows = rows.length > 0 || (!plan.filter && totalCount);
		if (plan.sink.count === 0 && mustHaveRows) throw interruptedError('no rows', plan.plural);
		return notes;
	}

	/** @returns notes */
	private async readByIdOrPosition(plan: ListReadPlan): Promise<string[]> {
		if (plan.sorts.length > 0) return await readByPosition(this, plan);
		const { notes, first } = await this.readById(plan);
		return notes ?? (await readByPosition(this, plan, first));
	}

	/**
	 * Of 10,000 rows in pages of 100, the first page leaves 9,900. Where more than one page is left, their Ids are shared among
	 * lanes, ranges that are read side by side. So no row is missing or doubled, whatever comes and goes elsewhere. Rows that
	 * come later, above the highest Id, are left out: no list grows for ever. Where the platform does not count, or only the
	 * first rows are wanted, one lane reads until nothing more comes.
	 *
	 * @returns notes; without them the list must be read by position, beginning with `first` if it is there
	 */
	private async readById(plan: ListReadPlan): Promise<{ notes?: string[]; first?: Page }> {
		const { filter, wanted, paging, sink, plural } = plan;
		const take = Math.min(paging.pageSize, wanted);
		sink.begin();
		const first = await this.rowsOrEnd({ filter, sorts: [BY_ID], pager: { skip: 0, take } });
		const { rows, totalCount } = first;
		if (isWholeList(first, take) || !areAscendingIds(rows)) return rows.length < 2 ? {} : { first };
		sink.add(rows, 0);
		if (rows.length === 0) return { notes: totalCount ? [countDiffersNote(plural, 0, totalCount)] : [] };
		const full = fullPageLength(first, take);
		if (rows.length >= wanted || isLastPage(first, full)) return { notes: [] };

		const lanes = await this.shareOut(plan, first, take);
		if (!lanes || !(await this.readLanes(plan, lanes, { take, full }))) return {};
		return { notes: await this.checkCount(plan, totalCount, lanes.at(-1)?.upTo) };
	}

	/** Where rows and count differ, the list may have changed: it is counted once more, up to where it was read. @returns notes */
	private async checkCount(
		{ filter, wanted, sink, plural }: ListReadPlan,
		counted?: number,
		upTo?: number,
	): Promise<string[]> {
		const { count } = sink;
		if (count >= wanted || count === counted) return [];
		if (counted === undefined) return this.left > 0 ? [countDiffersNote(plural, count, count + this.left)] : [];
		const read = and(filter, upperBound(upTo));
		const again = await this.ask({ filter: read, sorts: [BY_ID], pager: { skip: 0, take: 1 } });
		return (again.totalCount ?? count) === count ? [] : [countDiffersNote(plural, count, counted)];
	}

	/**
	 * Asks for the highest Id and for the starts of lanes, all at once.
	 *
	 * @returns the lanes behind the first page; undefined if the platform does not sort Ids as numbers
	 */
	private async shareOut(
		{ filter, wanted, paging }: ListReadPlan,
		first: Page,
		take: number,
	): Promise<IdLane[] | undefined> {
		const { rows, totalCount = 0 } = first;
		const firstPageEnd = Number(rows.at(-1)?.Id);
		const isShort = wanted < Number.POSITIVE_INFINITY || totalCount <= 2 * rows.length;
		if (isShort) return splitIntoIdLanes(firstPageEnd, Number.POSITIVE_INFINITY, []);
		const startAt = (skip: number) => this.laneStartPage({ filter, sorts: [BY_ID], pager: { skip, take } });
		const [highestId, ...pages] = await Promise.all([
			settle(this.highestId(filter)),
			...laneStartOffsets(first, paging.parallel).map(async (skip) => await settle(startAt(skip))),
		]);
		const highest = valueIn(highestId);
		const startPages = pages.map(valueIn);
		return highest < firstPageEnd ? undefined : splitIntoIdLanes(firstPageEnd, highest, startPages);
	}

	/**
	 * The page at the start of a lane, asked for once. Empty if it is refused, fails, or has rows that the filter
	 * leaves out: then no lane starts there. It has no condition on the Id, by which other pages show that a filter is
	 * ignored.
	 */
	private async laneStartPage(query: Query): Promise<Page> {
		const isContradicted = ({ rows }: Page) => findContradictions(this.resource, query.filter, rows).length > 0;
		const page = await settle(this.ask(query, true));
		if (page.ok) return isContradicted(page.value) ? { rows: [] } : page.value;
		const { error } = page;
		if (error instanceof PlatformError && ONLY_OF_PAGE.has(error.kind) && !asksToWait(error)) return { rows: [] };
		throw error;
	}

	/** Infinite where it is not known, minus infinity where the platform does not sort Ids as numbers. */
	private async highestId(filter: Query['filter']): Promise<number> {
		// Two rows, as one proves no order: with one, there is a single lane without an end.
		const sorts: SortEntry[] = [{ field: 'Id', direction: 'Desc' }];
		const { rows } = await this.ask({ filter, sorts, pager: { skip: 0, take: 2 } });
		if (rows.length < 2) return Number.POSITIVE_INFINITY;
		return areAscendingIds([...rows].reverse()) ? Number(rows[0]?.Id) : Number.NEGATIVE_INFINITY;
	}

	/** A page. One without rows that counts some is asked for once more. */
	private async rowsOrEnd(query: Query): Promise<Page> {
		const page = await this.ask(query);
		if (page.rows.length > 0 || !page.totalCount) return page;
		const again = await this.ask(query);
		if (again.rows.length === 0) this.left += again.totalCount ?? 0;
		return again;
	}

	/**
	 * Reads lanes side by side. In each, a page asks for the rows beyond the last Id, until the last Id of the lane has come,
	 * a short page agrees with the count, or nothing comes.
	 *
	 * @returns whether all pages fit their lanes
	 */
	private async readLanes(
		{ filter, wanted, sink }: ListReadPlan,
		lanes: readonly IdLane[],
		{ take, full }: { take: number; full: number },
	): Promise<boolean> {
		let hasStopped = false;
		let fits = true;
		const readLane = async ({ rows, after: start, upTo }: IdLane, index: number): Promise<void> => {
			sink.add(rows, index);
			for (let after = start; !hasStopped && after < upTo && sink.count < wanted; ) {
				const within = and(filter, condition('Id', 'Gt', String(after)), upperBound(upTo));
				const page = await this.rowsOrEnd({ filter: within, sorts: [BY_ID], pager: { skip: 0, take } });
				if (hasStopped) return;
				fits = areAscendingIds(page.rows, after, upTo);
				hasStopped = !fits;
				if (!fits) return;
				sink.add(page.rows, index);
				if (page.rows.length > 0 && full < Math.min(take, this.first?.totalCount ?? 0)) {
					this.pageLength = Math.max(this.pageLength ?? full, page.rows.length);
				}
				after = Number(page.rows.at(-1)?.Id ?? upTo);
				if (isLastPage(page, full)) return;
			}
		};
		const stopping = async (lane: IdLane, index: number) => {
			const ended = await settle(readLane(lane, index));
			hasStopped ||= !ended.ok;
			return ended;
		};
		// No request is under way once this has ended, whatever its end.
		(await Promise.all(lanes.map(stopping))).forEach(valueIn);
		return fits;
	}
}

/** What is asked of a list. */
interface Question extends Pick<ListReadRequest, 'query' | 'narrowing' | 'goesOn'> {
	/** A whole list in place of the first page is refused where there is a filter or a sort. */
	expectsPage?: true;
}

/** Whether no row came that the count lacks. */
const hasCountedAll = ({ rows, totalCount = rows.length }: Page) => totalCount >= rows.length;

function valueIn<Value>(settled: Settled<Value>): Value {
	if (settled.ok) return settled.value;
	throw settled.error;
}

function upperBound(id = Number.POSITIVE_INFINITY) {
	return id < Number.POSITIVE_INFINITY ? condition('Id', 'Lte', String(id)) : undefined;
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

/**
 * Refuses an answer after the first one that would cut the list short: one without content, one that says that there is
 * nothing at this address, or one with neither rows nor a count, where the first one counted. Only the count, or where the
 * platform does not count, an envelope or an array without rows, ends a list.
 */
async function furtherPage(list: ListResource, reading: Promise<Page>, first?: Page): Promise<Page> {
	const page = await settle(reading);
	if (page.ok) {
		const { rows, totalCount } = refuseBlank(list, page.value);
		if (rows.length > 0 || totalCount !== undefined || first?.totalCount === undefined) return page.value;
		throw interruptedError('neither rows nor a count', list.plural);
	}
	const { error } = page;
	const isGone = error instanceof PlatformError && NOTHING_THERE.has(error.status) && error.kind !== 'url-too-long';
	throw isGone ? interruptedError(`status ${error.status}`, list.plural, { status: error.status }) : error;
}

function refuseBlank(list: ListResource, page: Page): Page {
	if (page.isBlank) throw interruptedError('nothing', list.plural);
	return page;
}
