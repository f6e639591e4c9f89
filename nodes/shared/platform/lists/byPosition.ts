import findIndex from 'lodash/findIndex';
import findLastIndex from 'lodash/findLastIndex';
import upperFirst from 'lodash/upperFirst';

import { withIdSort } from '../../dsquery/compose';
import { PlatformError } from '../answers/errors';
import type { Page, Row } from '../types';
import { countDiffersNote, fullPageLength, isLastPage } from './lastPage';
import { type PageReader, COMPARED, type ListReadPlan } from './types';
import { assertAllAreWanted, isWholeList, wholeListFact } from './wholeList';

/** Rows that a page shares with the one before. */
const OVERLAP = 5;

/**
 * Reads a list by Skip and Take, where its Ids are no rising whole numbers, or its first rows are wanted in an order that
 * the platform must make. Each page begins with the last rows of the one before. If it does not, the list has moved: it is
 * read once more. A list that is not paged at all comes in one answer. Once an Id has come twice, rows are known by all that
 * they hold.
 *
 * @param first the first page by Id, if it has come already
 * @returns notes
 * @throws PlatformError if pages do not fit together twice
 */
export async function readByPosition(list: PageReader, plan: ListReadPlan, first?: Page): Promise<string[]> {
	let read = await overlapping(list, plan, idOf, first);
	const identify = read === 'Ids are shared' ? contentOf : idOf;
	if (identify === contentOf) read = await overlapping(list, plan, identify, first);
	if (Array.isArray(read)) return read;
	const one = await list.ask({ filter: plan.filter, sorts: [...plan.sorts], pager: { skip: 0, take: 1 } });
	if (isWholeList(one, 1)) return wholeList(plan, one.rows);
	read = await overlapping(list, plan, identify);
	if (Array.isArray(read)) return read;
	throw new PlatformError('invalid-answer', `The pages of the ${plan.plural} do not fit together`, {
		description:
			'The list changes faster than it can be read, several rows are the same in all fields, or the platform skips other rows than it is asked to. Remove the sort if there is one, so that rows are read by Id, or use a filter that matches fewer.',
	});
}

/** What identifies a row. */
type RowIdentity = (row: Row) => unknown;

/** Rows without an Id are known by all that they hold. */
const idOf: RowIdentity = (row) => row.Id ?? contentOf(row);
const contentOf: RowIdentity = (row) => JSON.stringify(row);

function shareIds(rows: readonly Row[]): boolean {
	const ids = rows.flatMap(({ Id: id }) => id ?? []);
	return new Set(ids).size < ids.length;
}

/** What has been read so far. */
interface PositionReading {
	identify: RowIdentity;
	/** Rows handed over. */
	count: number;
	seen: Set<unknown>;
	/** The last rows, which the next page begins with. */
	tail: Row[];
	/** Rows have come or gone before the last row. */
	hasMoved: boolean;
}

/** @returns notes, or why the list could not be read */
async function overlapping(
	list: PageReader,
	plan: ListReadPlan,
	identify: RowIdentity,
	first?: Page,
): Promise<string[] | 'Ids are shared' | 'pages do not join'> {
	const { filter, sink } = plan;
	const sorts = plan.lacksId ? [...plan.sorts] : withIdSort(plan.sorts);
	const pageAt = async (skip: number, take: number) =>
		(skip === 0 ? first : undefined) ?? (await list.ask({ filter, sorts, pager: { skip, take } }));
	const read: PositionReading = { identify, count: 0, seen: new Set(), tail: [], hasMoved: false };
	let full = 0;
	let hasStalled = false;
	sink.begin();
	for (let skip = 0; ; skip -= read.tail.length) {
		const take = takeOf(plan, read);
		const page = await pageAt(skip, take);
		const { rows } = page;
		if (isWholeList(page, take, skip)) return wholeList(plan, rows);
		if (identify === idOf && shareIds(rows)) return 'Ids are shared';
		const added = joined(read, rows);
		const standing = await standingOf(page, skip, async () => await pageAt(rows.length, take));
		if (!added || standing === 'cannot overlap') return 'pages do not join';
		sink.add(added, 0);
		if (standing === 'is the only one') return endNotes(plan, read, page);
		full ||= fullPageLength(page, take);
		const hasNone = added.length === 0;
		const isEnd =
			endsWith(page, { skip, full: Math.min(take, full), hasNone, hasStalled }) || isLastPage(page, full, skip);
		if (isEnd || read.count >= plan.wanted) return endNotes(plan, read, page);
		// A page without a new row: rows have come before it, or it was cut. Twice in a row: Skip has no effect.
		if (hasNone && hasStalled) return 'pages do not join';
		hasStalled = hasNone;
		skip += rows.length;
	}
}

/**
 * Whether the first page is too short for the next one to overlap with it: one row, or none, although more are counted or
 * nothing is. A count may be wrong: then nothing is behind it.
 */
async function standingOf(
	{ rows, totalCount = 2 * rows.length }: Page,
	skip: number,
	behind: () => Promise<Page>,
): Promise<'overlaps' | 'is the only one' | 'cannot overlap'> {
	if (skip > 0 || rows.length >= Math.min(2, totalCount)) return 'overlaps';
	return (await behind()).rows.length === 0 ? 'is the only one' : 'cannot overlap';
}

/**
 * Whether a list ends with a page that is too short for another one behind it. Where more rows are counted, the page may have
 * been cut, and is asked for once more.
 *
 * @param about `full`: rows of a full page; `hasNone`: no row is new; `hasStalled`: none of the page before was
 */
function endsWith(
	{ rows, totalCount = 0 }: Page,
	about: { skip: number; full: number; hasNone: boolean; hasStalled: boolean },
): boolean {
	const { skip, full, hasNone, hasStalled } = about;
	const isShort = rows.length < 2 || (hasNone && rows.length < full);
	return isShort && (hasStalled || totalCount <= skip + rows.length);
}

function takeOf({ sorts, paging, wanted }: ListReadPlan, { count, tail }: PositionReading): number {
	const least = sorts.length > 0 ? COMPARED : 2;
	return Math.max(least, Math.min(paging.pageSize, wanted - count + tail.length));
}

/**
 * The rows of a page that come after those read before. Undefined if the page does not overlap with them, or may in
 * several ways.
 */
function joined(read: PositionReading, rows: Row[]): Row[] | undefined {
	const { identify, seen, tail } = read;
	const group = groupOfLast(read, rows);
	if (!group) return undefined;
	const known = tail.map(identify);
	const left = [...known];
	// Rows that share an Id may come in another order each time.
	const fromGroup = rows.slice(group.from, group.to).filter((row) => {
		const place = left.indexOf(identify(row));
		if (place >= 0) left.splice(place, 1);
		return place < 0 && (known.includes(identify(row)) || !seen.has(identify(row)));
	});
	const after = rows.slice(group.to);
	if (after.some((row) => seen.has(identify(row)))) return undefined;
	const added = [...fromGroup, ...after];
	for (const row of added) seen.add(identify(row));
	read.hasMoved ||= group.to - fromGroup.length !== tail.length;
	read.count += added.length;
	if (rows.length > 0) read.tail = rows.slice(-Math.max(1, Math.min(OVERLAP, Math.floor(rows.length / 2))));
	return added;
}

/**
 * The rows of a page that have the Id of the last row that was read, that row among them. Undefined if the page does not
 * have it; or has several that are the same, and it cannot be known how many of them have come before.
 */
function groupOfLast(
	{ identify, tail }: PositionReading,
	rows: readonly Row[],
): { from: number; to: number } | undefined {
	const last = tail.at(-1);
	if (!last) return { from: 0, to: 0 };
	const isLastRow = (row: Row) => identify(row) === identify(last);
	const hasOtherId = (row: Row) => idOf(row) !== idOf(last);
	const at = rows.findIndex(isLastRow);
	if (at < 0) return undefined;
	const from = findLastIndex(rows.slice(0, at), hasOtherId) + 1;
	const next = findIndex(rows, hasOtherId, at);
	const to = next < 0 ? rows.length : next;
	const isTwice = rows.slice(from, to).filter(isLastRow).length > 1;
	const hasBegunBefore = !tail.some(hasOtherId);
	return (isTwice && hasBegunBefore) || rows.slice(to).some(isLastRow) ? undefined : { from, to };
}

function endNotes(
	{ plural, wanted }: ListReadPlan,
	{ count, hasMoved }: PositionReading,
	{ totalCount = count }: Page,
): string[] {
	const moved = `${upperFirst(plural)} changed while the list was read. Those that moved meanwhile may be missing.`;
	const isAll = count >= wanted || count === totalCount;
	return [...(hasMoved ? [moved] : []), ...(isAll ? [] : [countDiffersNote(plural, count, totalCount)])];
}

/** @throws PlatformError if a filter or sort was asked for */
function wholeList(plan: ListReadPlan, rows: Row[]): string[] {
	const { plural, sink } = plan;
	assertAllAreWanted(plural, plan);
	sink.begin();
	sink.add(rows, 0);
	return [`${wholeListFact(plural)}. That answer was used once.`];
}
