import { and, condition } from '../../dsquery/compose';
import type { Query, SortEntry } from '../../dsquery/types';
import { settle } from '../../settle';
import type { Page, Row } from '../types';
import { byPosition } from './byPosition';
import { countDiffers, fullLength, isLast } from './lastPage';
import type { AskPage, Plan } from './types';

/** In pages: shorter lanes cost more requests than they save time. */
const SHORTEST_LANE = 4;

/**
 * Reads all rows of a list by their Ids, or the first ones in the order asked for. The list may change meanwhile: by Id,
 * every row that is there throughout comes exactly once. What cannot be read so is read by position: see `byPosition`.
 *
 * @returns notes
 * @throws what `ask` throws, and a PlatformError where the list keeps changing under a reading by position
 */
export async function readRows(ask: AskPage, plan: Plan): Promise<string[]> {
	if (plan.sorts.length > 0) return await byPosition(ask, plan);
	const { notes, first } = await byIds(ask, plan);
	return notes ?? (await byPosition(ask, plan, first));
}

const BY_ID: SortEntry = { field: 'Id', direction: 'Asc' };

/**
 * Of 10,000 rows in pages of 100, the first page leaves 9,900. Where more than one page is left, the highest Id is asked
 * for, and the Ids up to it are shared among lanes that are read side by side: disjoint ranges that cover all of them. So
 * no row is missing or doubled, whatever comes and goes elsewhere. Rows that come later, above that Id, are left out: no
 * list grows for ever. Where the platform does not count, or only the first rows are wanted, one lane reads until nothing
 * more comes.
 *
 * @returns notes; without them the list must be read by position, beginning with `first` if it is there
 */
async function byIds(ask: AskPage, plan: Plan): Promise<{ notes?: string[]; first?: Page }> {
	const { filter, wanted, paging, sink, plural } = plan;
	const take = Math.min(paging.pageSize, wanted);
	sink.begin();
	const first = await ask({ filter, sorts: [BY_ID], pager: { skip: 0, take } });
	const { rows, totalCount } = first;
	// More than asked for: the list is not paged.
	if (rows.length > take || !areRising(rows, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY)) {
		return rows.length < 2 ? {} : { first };
	}
	sink.add(rows, 0);
	if (rows.length === 0) return { notes: totalCount ? [countDiffers(plural, 0, totalCount)] : [] };
	const full = fullLength(first, take, plan);
	if (rows.length >= wanted || isLast(first, full)) return { notes: [] };

	const ranges = await rangesBehind(ask, plan, first);
	const count = ranges && (await readRanges(ask, plan, ranges, { take, full, count: rows.length }));
	if (count === undefined) return {};
	if (count >= wanted || totalCount === undefined || count === totalCount) return { notes: [] };
	return { notes: await countedAgain(ask, plan, { count, totalCount, upTo: ranges?.at(-1)?.upTo }) };
}

/** Rows and count differ: the list may have changed, so it is counted once more, up to where it was read. */
async function countedAgain(
	ask: AskPage,
	{ filter, plural }: Plan,
	{ count, totalCount, upTo = Number.POSITIVE_INFINITY }: { count: number; totalCount: number; upTo?: number },
): Promise<string[]> {
	const again = await ask({ filter: and(filter, upperBound(upTo)), sorts: [BY_ID], pager: { skip: 0, take: 1 } });
	return (again.totalCount ?? count) === count ? [] : [countDiffers(plural, count, totalCount)];
}

interface Range {
	after: number;
	upTo: number;
}

/** The Ids behind the first page, in one range for each lane. Undefined if the platform does not sort them as numbers. */
async function rangesBehind(
	ask: AskPage,
	{ filter, wanted, paging }: Plan,
	{ rows, totalCount = 0 }: Page,
): Promise<Range[] | undefined> {
	const last = Number(rows.at(-1)?.Id);
	const pagesLeft = Math.ceil((totalCount - rows.length) / rows.length);
	const isShort = wanted < Number.POSITIVE_INFINITY || pagesLeft <= 1;
	const end = isShort ? Number.POSITIVE_INFINITY : await highestId(ask, filter);
	if (end < last) return undefined;
	if (end === Number.POSITIVE_INFINITY) return [{ after: last, upTo: end }];
	const lanes = Math.max(1, Math.min(paging.parallel, Math.floor(pagesLeft / SHORTEST_LANE)));
	// Of equal width in Ids, not in rows.
	const border = (lane: number) => (lane === lanes ? end : Math.floor(last + ((end - last) * lane) / lanes));
	return Array.from({ length: lanes }, (_, lane) => ({ after: border(lane), upTo: border(lane + 1) }));
}

/**
 * Reads ranges of Ids side by side. In each, a page asks for the rows beyond the last Id, until the last
 * Id of the range has come, a short page agrees with the count, or nothing comes.
 *
 * @returns how many rows there are, with those before; undefined if a page does not fit its range
 */
async function readRanges(
	ask: AskPage,
	{ filter, wanted, sink }: Plan,
	ranges: readonly Range[],
	{ take, full, count: before }: { take: number; full: number; count: number },
): Promise<number | undefined> {
	let count = before;
	let hasStopped = false;
	let doesNotFit = false;
	const readRange = async ({ after: start, upTo }: Range, lane: number): Promise<void> => {
		for (let after = start; !hasStopped && after < upTo && count < wanted; ) {
			const within = and(filter, condition('Id', 'Gt', String(after)), upperBound(upTo));
			const page = await ask({ filter: within, sorts: [BY_ID], pager: { skip: 0, take } });
			if (hasStopped) return;
			if (!areRising(page.rows, after, upTo)) {
				doesNotFit = hasStopped = true;
				return;
			}
			sink.add(page.rows, lane);
			count += page.rows.length;
			after = Number(page.rows.at(-1)?.Id ?? upTo);
			if (isLast(page, full)) return;
		}
	};
	const stopping = async (range: Range, lane: number) => {
		const ended = await settle(readRange(range, lane));
		hasStopped ||= !ended.ok;
		return ended;
	};
	// No request is under way once this has ended, whatever its end.
	for (const ended of await Promise.all(ranges.map(stopping))) if (!ended.ok) throw ended.error;
	return doesNotFit ? undefined : count;
}

const upperBound = (id: number) => (id < Number.POSITIVE_INFINITY ? condition('Id', 'Lte', String(id)) : undefined);

async function highestId(ask: AskPage, filter: Query['filter']): Promise<number> {
	// Two, as an only row proves no order: then there is one lane, without an end.
	const { rows } = await ask({ filter, sorts: [{ field: 'Id', direction: 'Desc' }], pager: { skip: 0, take: 2 } });
	if (rows.length < 2) return Number.POSITIVE_INFINITY;
	const [highest = Number.NaN, next = Number.NaN] = rows.map(({ Id: id }) =>
		Number.isSafeInteger(id) ? Number(id) : Number.NaN,
	);
	return highest > next ? highest : Number.NEGATIVE_INFINITY;
}

/** Whether Ids are whole numbers that rise, all beyond `after` and not beyond `upTo`. */
function areRising(rows: readonly Row[], after: number, upTo: number): boolean {
	let last = after;
	return rows.every(({ Id: id }) => {
		const rises = Number.isSafeInteger(id) && Number(id) > last && Number(id) <= upTo;
		last = Number(id);
		return rises;
	});
}
