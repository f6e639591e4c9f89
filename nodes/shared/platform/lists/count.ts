import type { Group, Query, SortEntry } from '../../dsquery/types';
import type { PlatformError } from '../answers/errors';
import { settle } from '../settle';
import { queryIsApplied, skipIsApplied } from './evidence';
import * as faults from './faults';
import type { Page } from '../types';
import type { AskPage, Paging } from './types';

export interface CountOptions {
	/** Whether to check for rows beyond the count. A suspicious count is always verified. */
	verify: boolean;
	/** What to do if rows contradict the count: stop, which is also the default, or say so in a hint. */
	onContradiction?: Paging['onContradiction'];
}

interface CountRequest extends CountOptions {
	filter?: Group;
	/** What the rows are called in messages: "charging sessions". */
	plural: string;
}

export interface Counted {
	count: number;
	hints: string[];
}

/** The largest page that the specification recommends. */
const ROWS_TO_COMPARE = 100;
/** A count may change while it is proven: how often that is tried. */
const MOST_PROOFS = 3;

/** Some platforms cap the count at a round number, or count only the rows of the page. */
function isSuspicious(count: number, rowsOnPage: number): boolean {
	return count > 0 ? count % 1000 === 0 || count === rowsOnPage : rowsOnPage > 0;
}

/**
 * How many rows match, as the platform counts: one request, and one more to verify it. Then the first one asks for a page
 * of rows to compare with the filter; the second asks for two rows from the last place counted: exactly one must come.
 * Where the list moves meanwhile, it is asked once more.
 *
 * @throws PlatformError where rows contradict the count: a wrong count is not returned
 */
export async function countKnown(ask: AskPage, request: CountRequest): Promise<Counted> {
	const { filter, plural, verify } = request;
	// Rows are compared with the filter: a whole page of them shows more than one.
	const take = verify && filter ? ROWS_TO_COMPARE : 1;
	const first = await ask({ filter, sorts: [], pager: { skip: 0, take } });
	const counted = countOf(first);
	if (counted === undefined) throw faults.notCounted(plural, first.uncounted);
	let count = counted;
	if (!verify && !isSuspicious(count, first.rows.length)) return { count, hints: [] };
	for (let proofs = 1; ; proofs++) {
		const proof = await endAround(ask, filter, count);
		if (proof === undefined) return { count, hints: [faults.notVerified(plural, count)] };
		if (proof.rows.length === Math.min(1, count)) return { count, hints: [] };
		const later = countOf(proof) ?? count;
		if (later === count) return await refuseCount(ask, request, count, proof.rows.length);
		if (proofs === 2) return { count: later, hints: [faults.movingCount(plural, count, later)] };
		count = later;
	}
}

/** Two rows from the last place counted. Undefined if the platform does not skip so many. */
async function endAround(ask: AskPage, filter: Group | undefined, count: number): Promise<Page | undefined> {
	const pager = { skip: Math.max(0, count - 1), take: 2 };
	const orders: SortEntry[][] = [[], [{ field: 'Id', direction: 'Asc' }]];
	for (const sorts of orders) {
		const page = await settle(ask({ filter, sorts, pager }));
		if (page.ok) return page.value;
		if (faults.isBeyondEnd(page.error)) return { rows: [], totalCount: count };
		// Some platforms skip rows only in an order of their own.
		if (!faults.isQueryRefused(page.error)) throw page.error;
	}
	return undefined;
}

async function refuseCount(
	ask: AskPage,
	{ filter, plural, onContradiction }: CountRequest,
	count: number,
	rows: number,
): Promise<Counted> {
	if (rows === 0) return contradicted(faults.unprovenCount(plural, count), count, onContradiction);
	if (!(await skipIsApplied(ask, { filter, sorts: [] }))) return { count, hints: [faults.notVerified(plural, count)] };
	return contradicted(faults.tooLowCount(plural, count), count, onContradiction);
}

/** @throws the error, unless a note is wanted instead */
function contradicted(error: PlatformError, count: number, onContradiction: Paging['onContradiction']): Counted {
	if (onContradiction !== 'note') throw error;
	return { count, hints: [`${error.message}.`] };
}

/** TotalCount; 0 for an answer without any content. */
function countOf({ rows, totalCount, uncounted }: Page): number | undefined {
	return totalCount ?? (rows.length === 0 && uncounted === undefined ? 0 : undefined);
}

/**
 * How many rows of a list of unknown shape match. The count is proven: a filter has an effect, the last counted place
 * has a row, and there is none after it.
 *
 * @throws PlatformError if there is no count, or it cannot be proven
 */
export async function countUnknown(
	ask: AskPage,
	{ filter, plural, onContradiction }: Omit<CountRequest, 'verify'>,
): Promise<Counted> {
	const query = { filter, sorts: [] };
	for (let proofs = 1; ; proofs++) {
		const first = await ask({ ...query, pager: { skip: 0, take: 1 } });
		const count = countOf(first);
		if (count === undefined) throw faults.notCounted(plural, first.uncounted);
		if (proofs === 1) await refuseIgnoredFilter(ask, { filter, plural });
		if (first.rows.length === count && (await isWhole(ask, query, count))) return { count, hints: [] };
		const last = await rowAt(ask, query, Math.max(0, count - 1));
		const behind = last && (await rowAt(ask, query, count));
		const refused = () => contradicted(faults.unprovenCount(plural, count), count, onContradiction);
		if (!last || !behind) return refused();
		const isMoving = last.totalCount !== count || behind.totalCount !== count;
		if (isMoving && proofs < MOST_PROOFS) continue;
		const isProven = !isMoving && last.rows.length === Math.min(1, count) && behind.rows.length === 0;
		return isProven ? { count, hints: [] } : refused();
	}
}

async function refuseIgnoredFilter(ask: AskPage, { filter, plural }: Omit<CountRequest, 'verify'>): Promise<void> {
	if (filter && !(await queryIsApplied(ask, { filter, sorts: [] }))) throw faults.notApplied(plural, 'filter');
}

/** Whether the rows of a page are the whole list: there are none, or all come because the page is ignored. */
async function isWhole(ask: AskPage, query: Query, rows: number): Promise<boolean> {
	return rows === 0 || (rows > 1 && !(await skipIsApplied(ask, query)));
}

/** The row at a place. Undefined if the platform refuses to skip so many. */
async function rowAt(ask: AskPage, query: Query, skip: number): Promise<Page | undefined> {
	const page = await settle(ask({ ...query, pager: { skip, take: 1 } }));
	if (!page.ok && !faults.isQueryRefused(page.error)) throw page.error;
	return page.ok ? page.value : undefined;
}
