import { and, condition } from '../../dsquery/compose';
import { settle } from '../settle';
import type { Row } from '../types';
import { readByPosition } from './byPosition';
import { countDiffers, IdOrderLost, isQueryRefused, notHeard } from './faults';
import { firstRows, idOf, idsAreOrdered } from './rows';
import type { GetPage, ListRequest, ListResult, Window } from './types';

/** A part of the list, in Id order. */
interface Lane {
	pages: Row[][];
	rowCount: number;
	/** The Id of the last row read. */
	last: number;
	/** Rows after that one, by the platform's count. */
	left: number;
	/** The last answer was shorter than a full page but did not reach its count: the next one decides. */
	inDoubt: boolean;
	/** It has reached the end of the list, or the first row of the next lane. */
	isOver: boolean;
}

/**
 * Walks a list in Id order: each request asks for the rows beyond the last Id, so rows that come and go elsewhere
 * cannot shift a page. Several lanes walk side by side; Skip only finds where each begins. A lane reads up to and
 * including the first row of the next one: that row proves that they join or, if it is gone, an empty answer does.
 *
 * @throws IdOrderLost where Ids are not integers in order
 */
export async function readById(
	getPage: GetPage,
	request: ListRequest,
	first: Window,
	direction: 1 | -1,
): Promise<ListResult> {
	if (!idsAreOrdered(first.rows, direction)) throw new IdOrderLost();
	const { query, pageSize, parallel, plural = 'rows', limit = Number.POSITIVE_INFINITY } = request;
	const keep = request.keep?.() ?? ((rows) => rows);
	const [beyond, upTo] = direction === 1 ? (['Gt', 'Lte'] as const) : (['Lt', 'Gte'] as const);
	const isBeyond = (id: number, other: number) => (id - other) * direction > 0;
	/** A page of this length is never treated as the last one, whatever the count says. */
	const fullPage = first.rows.length;
	const whole: Lane = {
		pages: [keep(first.rows)],
		rowCount: fullPage,
		last: idOf(first.rows.at(-1)),
		left: first.totalCount - fullPage,
		inDoubt: fullPage < pageSize,
		isOver: false,
	};

	/** Rows beyond one Id, up to and including another. */
	const fetch = async (after: number, border: number | undefined, skip: number, take: number): Promise<Window> => {
		const bounds = [condition('Id', beyond, String(after))];
		if (border !== undefined) bounds.push(condition('Id', upTo, String(border)));
		const page = await getPage({ ...query, filter: and(...bounds, query.filter), pager: { skip, take } });
		if (query.filter && page.rows.some((row) => row.Id === after)) throw notHeard(plural, 'filter');
		const [low, high] = [idOf(page.rows[0]), idOf(page.rows.at(-1))];
		const isWithin = isBeyond(low, after) && (border === undefined || !isBeyond(high, border));
		if (page.rows.length > 0 && !(isWithin && idsAreOrdered(page.rows, direction))) throw new IdOrderLost();
		return { ...page, skip };
	};

	/** Adds a page to a lane, without the rows of the next lane, which begins at the border. */
	const accept = (lane: Lane, { rows, totalCount, skip }: Window, border?: number): void => {
		const own = border === undefined ? rows : rows.filter((row) => isBeyond(border, idOf(row)));
		if (own.length > 0) lane.pages.push(keep(own));
		lane.rowCount += own.length;
		lane.last = own.length > 0 ? idOf(own.at(-1)) : lane.last;
		lane.left = totalCount - skip - rows.length;
		const isShort = rows.length < fullPage && (border === undefined || rows.length === 0);
		const isDecided = lane.left === 0 || (lane.inDoubt && rows.length === 0);
		lane.isOver = own.length < rows.length || (isShort && isDecided);
		lane.inDoubt = rows.length < fullPage;
	};

	let lanesAtMost = parallel;
	/**
	 * The first window of each lane of a stretch. Lanes whose start is refused, empty, repeated or out of order are
	 * left out.
	 */
	const findStarts = async (wanted: number, most: number): Promise<Window[]> => {
		const answers = await Promise.all(
			laneSkips(wanted, fullPage, lanesAtMost).map(
				async (skip) => await settle(fetch(whole.last, undefined, skip, Math.min(pageSize, most - skip))),
			),
		);
		const starts: Window[] = [];
		for (const answer of answers) {
			const previous = starts.at(-1);
			if (answer.ok) {
				if (!previous || isBeyond(idOf(answer.value.rows[0]), idOf(previous.rows[0]))) starts.push(answer.value);
			} else if (!previous || !(answer.error instanceof IdOrderLost || isQueryRefused(answer.error))) {
				throw answer.error;
			}
		}
		if (starts.length < answers.length) lanesAtMost = 1;
		return starts;
	};

	/** Reads `wanted` rows beyond the last one, at most `most`, in lanes of equal shares side by side. */
	const readStretch = async (wanted: number, most: number): Promise<void> => {
		const starts = await findStarts(wanted, most);
		let stopped = false;
		const walk = async (start: Window, index: number): Promise<Lane> => {
			const next = starts[index + 1]?.rows[0];
			const border = next && idOf(next);
			const inDoubt = index === 0 && whole.inDoubt;
			const lane: Lane = { pages: [], rowCount: 0, last: whole.last, left: 0, inDoubt, isOver: false };
			accept(lane, start, border);
			const isDone = () =>
				border === undefined ? start.skip + lane.rowCount >= wanted : lane.last + direction === border;
			while (!stopped && !lane.isOver && !isDone()) {
				const take = border === undefined ? Math.min(pageSize, most - start.skip - lane.rowCount) : pageSize;
				accept(lane, await fetch(lane.last, border, 0, take), border);
			}
			return lane;
		};
		// The first lane that fails stops the others, so that nothing is sent after the node has given up.
		const lanes = await Promise.all(
			starts.map(async (start, index) => {
				const lane = await settle(walk(start, index));
				stopped ||= !lane.ok;
				return lane;
			}),
		);
		for (const lane of lanes) {
			if (!lane.ok) throw lane.error;
			const { pages, rowCount, ...end } = lane.value;
			whole.pages.push(...pages);
			whole.rowCount += rowCount;
			Object.assign(whole, end);
		}
	};

	while (!whole.isOver && whole.rowCount < limit) {
		const most = limit - whole.rowCount;
		await readStretch(Math.min(most, whole.left > 0 ? whole.left : fullPage), most);
	}
	const { rowCount } = whole;
	const pages = firstRows(whole.pages, limit);
	if (rowCount >= limit || rowCount === first.totalCount) return { pages, hints: [] };

	// Rows and count differ. Reading on by position decides: an Id may be empty or duplicated.
	const skip = rowCount - 1;
	const around = await settle(getPage({ ...query, pager: { skip, take: Math.max(2, pageSize) } }));
	if (!around.ok && !isQueryRefused(around.error)) throw around.error;
	const isSkipHeard = around.ok && (skip === 0 || around.value.rows[0]?.Id !== first.rows[0]?.Id);
	const { rows, totalCount } = isSkipHeard ? around.value : { rows: [], totalCount: first.totalCount };
	const at = rows.findIndex((row) => row.Id === whole.last);
	// Rows are missing from an unchanged list, or there are rows that the walk did not see.
	const isMissing = isSkipHeard && at !== 0 && totalCount === first.totalCount && rowCount < totalCount;
	if (isMissing || (at < 0 && rows.length > 0)) throw new IdOrderLost();
	if (at < 0) return { pages, hints: totalCount === rowCount ? [] : [countDiffers(plural, rowCount, totalCount)] };
	const rest = { ...request, keep: () => keep, limit: request.limit && limit - rowCount };
	const start = { rows: rows.slice(at), totalCount, skip: skip + at };
	const behind = await readByPosition(getPage, rest, start, { rowCount, fullPage });
	return { pages: [...pages, ...behind.pages], hints: behind.hints };
}

/**
 * The Skip at which each lane begins. Lanes get equal shares of whole pages, although each also reads the first row of
 * the next one.
 */
function laneSkips(rows: number, fullPage: number, parallel: number): number[] {
	const lanes = Math.min(parallel, Math.ceil(rows / fullPage));
	const pages = Math.ceil((rows + lanes - 1) / fullPage);
	const skips = Array.from({ length: lanes }, (_, lane) => Math.floor((lane * pages) / lanes) * fullPage - lane);
	return skips.filter((skip, lane) => lane === 0 || skip > 0);
}
