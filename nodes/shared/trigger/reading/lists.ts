import { and, condition } from '../../dsquery/compose';
import type { DirectionName, FilterNode, FilterGroup } from '../../dsquery/types';
import { createRowBuffer, interruptedError, type Page, PlatformError, type Row } from '../../platform';
import type { ListResource } from '../../resources';
import { settle } from '../../settle';
import { type IdRange, WHOLE_LIST } from '../keys';
import type { Poll, ReadLimits } from '../poll';

/** The rows of a list that match a filter. */
export interface Selection {
	list: ListResource;
	filter?: FilterGroup;
	/** Further conditions. Rows are checked only against those on the Id. */
	narrowing?: FilterGroup;
	/** See `ListReadRequest`. */
	goesOn?: true;
}

/** The same rows, with one more condition. They are asked for by Id, so that there are none must be said. */
export function narrowSelection(selection: Selection, further: FilterNode | undefined): Selection {
	return { ...selection, narrowing: and(selection.narrowing, further), goesOn: true };
}

/**
 * Reads all rows of a list, or the first `limit`.
 *
 * @returns also how many there are by the last answer; 0 if it does not say
 * @throws PlatformError if they cannot be read to the end, or the platform does not apply the filter
 */
export async function readMatchingRows(
	poll: Poll,
	{ list, filter, narrowing, goesOn }: Selection,
	{ pageSize }: ReadLimits,
	limit?: number,
): Promise<{ rows: Row[]; count: number }> {
	const sink = createRowBuffer();
	const paging = { pageSize, parallel: 1 };
	const request = { query: { filter, sorts: [] }, narrowing, wanted: limit, paging, sink, goesOn };
	const reader = poll.connection.list(list);
	const read = await settle(reader.read(request));
	poll.memory.pageLength = reader.pageLength ?? poll.memory.pageLength;
	if (!read.ok) throw read.error;
	const { count = 0, isBlank = false } = read.value;
	if (isBlank) {
		poll.hasBlankAnswer = true;
		// A platform may answer so where nothing matches. Then it shows the whole list, or counts it.
		await settle(readStartOfList(poll, list));
	}
	if (sink.all.length === 0 && count > 0) await assertCountsWrong(poll, list, count);
	return { rows: sink.all, count };
}

/** No row has a lower Id. */
const MATCHES_NOTHING = and(condition('Id', 'Lt', String(Number.MIN_SAFE_INTEGER)));

/**
 * Checks what a count beside no rows is worth: where the platform counts as many rows for a filter that matches nothing, it
 * says nothing.
 *
 * @throws PlatformError otherwise: the rows that were counted did not come
 */
async function assertCountsWrong({ connection }: Poll, list: ListResource, count: number): Promise<void> {
	const query = { filter: MATCHES_NOTHING, sorts: [], pager: { skip: 0, take: 1 } };
	const none = await settle(connection.list(list).page(query));
	if (none.ok && none.value.totalCount !== count) throw interruptedError('no rows', list.plural);
}

/** The first row of the whole list, asked for once in a poll. If that comes without content, the list counts as not read. */
export async function readStartOfList(poll: Poll, list: ListResource): Promise<Page> {
	poll.startOfList ??= firstPage(poll, list, { direction: 'Asc', take: 1 });
	const start = await poll.startOfList;
	if (start.isBlank) poll.unread.set(list.plural, blankAnswerError(list));
	return start;
}

function blankAnswerError({ plural }: ListResource): PlatformError {
	return new PlatformError('invalid-answer', `The platform answers without any content in place of the ${plural}`, {
		description:
			"Gateways answer so while they cannot reach the platform, so it does not mean that there are none. If this keeps happening, tell the platform's support.",
	});
}

/** Takes in that a list shows no row at all, although there must be some: it counts as not read. */
export function noteEmptyList(poll: Poll, { plural }: ListResource): void {
	const empty = new PlatformError('invalid-answer', `The platform lists no ${plural} at all`, {
		description:
			"That they are all gone is not believed, so what is open stays open. Compare with the portal: if it shows some, the API key or its role does not see them any more, or the platform's support has to help. Filters are not the reason.",
	});
	poll.leaveToNextPoll(empty);
	poll.unread.set(plural, empty);
}

export interface ScanResult {
	rows: Row[];
	/** The part of the list that was read completely. */
	range: IdRange;
	/** Whether the platform counts rows beyond that. */
	countsMore?: boolean;
}

/**
 * Reads a list in Id order, page by page, from the first Id above `after`. Between two pages it stops when time is up or it
 * has enough rows; a passing failure stops it, too. The next poll resumes there. If Ids are not rising integers, no poll
 * could resume, so all above `after` is read in one go.
 *
 * @throws PlatformError if the first page cannot be read, a later one fails for good, or there are too many rows
 */
export async function scan(poll: Poll, selection: Selection, after: number, pace: ReadLimits): Promise<ScanResult> {
	const { until, enough = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY } = pace;
	const limit = Math.min(pace.pageSize, enough);
	const rows: Row[] = [];
	let upTo = after;
	for (;;) {
		const page = await settle(readMatchingRows(poll, beyond(selection, upTo), pace, limit));
		if (!page.ok) {
			if (upTo === after || !poll.isPassing(page.error)) throw page.error;
			poll.leaveToNextPoll(page.error);
			return { rows, range: { after, upTo } };
		}
		const { rows: found, count } = page.value;
		const next = endOf(found, upTo, limit);
		if (next === undefined) return await scanAtOnce(poll, selection, startOf(found, after), pace);
		for (const row of found) rows.push(row);
		if (rows.length > most) throw tooManyRowsError(most, selection.list.plural);
		upTo = next;
		if (upTo === WHOLE_LIST.upTo || performance.now() >= until || rows.length >= enough) {
			return { rows, range: { after, upTo }, countsMore: count > found.length };
		}
	}
}

/** The Id up to which a page has read the list: if it has fewer rows than it could, to the end. Undefined if Ids do not rise. */
function endOf(found: readonly Row[], after: number, limit: number): number | undefined {
	const isEnd = found.length < limit;
	const rises = found.every(
		({ Id: id }, index) => Number.isInteger(id) && Number(id) > Number(found[index - 1]?.Id ?? after),
	);
	if (!rises && !(isEnd && after === WHOLE_LIST.after)) return undefined;
	return isEnd ? WHOLE_LIST.upTo : Number(found.at(-1)?.Id);
}

/** The lower bound of what was read in one go: none if an Id is not a number. */
function startOf(found: readonly Row[], after: number): number {
	return found.every(({ Id: id }) => Number.isInteger(id)) ? after : WHOLE_LIST.after;
}

async function scanAtOnce(poll: Poll, selection: Selection, after: number, pace: ReadLimits): Promise<ScanResult> {
	const { most = Number.POSITIVE_INFINITY } = pace;
	const { rows } = await readMatchingRows(poll, beyond(selection, after), pace, most + 1);
	if (rows.length > most) throw tooManyRowsError(most, selection.list.plural);
	return { rows, range: { after, upTo: WHOLE_LIST.upTo } };
}

function beyond(selection: Selection, after: number): Selection {
	return after === WHOLE_LIST.after ? selection : narrowSelection(selection, condition('Id', 'Gt', String(after)));
}

/** The refusal of a list that is too long to be watched as a whole. */
export function tooManyRowsError(most: number, plural: string): PlatformError {
	const message = `There are more than ${most.toLocaleString('en')} ${plural}, too many for one trigger to watch`;
	const description =
		'With these settings the trigger remembers each of them. Choose a part of them with Filters, and use several workflows if you need all.';
	return new PlatformError('configuration', message, { description });
}

interface FirstRows {
	filter?: FilterGroup;
	direction: DirectionName;
	take: number;
}

/** The first rows of a list by Id. */
export async function firstRows(poll: Poll, list: ListResource, wanted: FirstRows): Promise<Row[]> {
	return (await firstPage(poll, list, wanted)).rows;
}

async function firstPage(
	{ connection }: Poll,
	list: ListResource,
	{ filter, direction, take }: FirstRows,
): Promise<Page> {
	const query = { filter, sorts: [{ field: 'Id', direction }], pager: { skip: 0, take } };
	return await connection.list(list).page(query);
}
