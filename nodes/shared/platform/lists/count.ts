import type { Group, SortEntry } from '../../dsquery/types';
import type { PlatformError } from '../answers/errors';
import { settle } from '../settle';
import { queryIsApplied, skipIsApplied } from './evidence';
import * as messages from './messages';
import { isQueryRefused } from './refused';
import type { Page } from '../types';
import type { AskPage, Paging } from './types';

export interface CountOptions {
	/** Whether to return the platform's own figure, unchecked. Lists of unknown shape are checked anyway. */
	skipVerification?: boolean;
	/** What to do if rows contradict the count: stop, which is also the default, or say so in a note. */
	onContradiction?: Paging['onContradiction'];
}

interface CountRequest extends CountOptions {
	filter?: Group;
	/** "charging sessions" */
	plural: string;
	/** The specification does not show how the list answers: a count that cannot be proven is not believed. */
	unknownShape?: true;
}

export interface Counted {
	count: number;
	notes: string[];
	/** The platform's figure, if the rows end a few positions before or behind it. */
	offBy?: number;
}

/** The largest page that the specification recommends. */
const ROWS_TO_COMPARE = 100;

/**
 * How many rows match, as the platform counts: one request, and one more that proves it. The first one asks for a page
 * of rows to compare with the filter; the second asks for two rows from the last position counted on: one must come.
 * If not, that is asked once more, for the count as it is then.
 *
 * Of a list of unknown shape, rows are not compared: one request more proves that it applies the filter.
 *
 * @throws PlatformError where rows contradict the count: a wrong count is not returned
 */
export async function countRows(ask: AskPage, request: CountRequest): Promise<Counted> {
	const { filter, plural, unknownShape } = request;
	const isBelieved = request.skipVerification && !unknownShape;
	// A whole page to compare with the filter shows more than one row.
	const take = filter && !isBelieved && !unknownShape ? ROWS_TO_COMPARE : 1;
	const first = await ask({ filter, sorts: [], pager: { skip: 0, take } });
	if (first.isBlank) return { count: 0, notes: [] };
	const counted = first.totalCount;
	if (counted === undefined) throw messages.notCounted(plural, first.uncounted);
	if (isBelieved) return { count: counted, notes: [] };
	if (unknownShape && filter && !(await queryIsApplied(ask, { filter, sorts: [] }))) {
		throw messages.notApplied(plural, 'filter');
	}
	// All came in one answer, whatever page was asked for.
	const isUnpaged = async () => counted > take && !(await skipIsApplied(ask, { filter, sorts: [] }));
	const isWhole = first.rows.length === counted && (counted === 0 ? unknownShape : await isUnpaged());
	return isWhole ? { count: counted, notes: [] } : await prove(ask, request, counted);
}

async function prove(ask: AskPage, request: CountRequest, counted: number): Promise<Counted> {
	const { filter, plural } = request;
	let count = counted;
	for (let times = 1; ; times++) {
		const last = await rowsAt(ask, filter, count - 1, 2);
		if (last === undefined) return notReached(request, count);
		if (last.rows.length === Math.min(1, count)) return { count, notes: [] };
		// A page behind the end may have no content, and so no count.
		const later = last.totalCount ?? count;
		if (times === 2) {
			if (later === count) return await lookAround(ask, request, count, last.rows.length);
			return { count: later, notes: [messages.movingCount(plural, count, later)] };
		}
		count = later;
	}
}

/** The rows from a position on; none before the first one. Undefined if the platform does not skip so many. */
async function rowsAt(
	ask: AskPage,
	filter: Group | undefined,
	position: number,
	take: number,
): Promise<Page | undefined> {
	const pager = { skip: Math.max(0, position), take };
	const orders: SortEntry[][] = [[], [{ field: 'Id', direction: 'Asc' }]];
	for (const sorts of orders) {
		const page = await settle(ask({ filter, sorts, pager }));
		if (page.ok) return page.value;
		// Some platforms skip rows only in an order of their own.
		if (!isQueryRefused(page.error)) throw page.error;
	}
	return undefined;
}

/** How far rows may end from the count, so that it is not exact (a cache, say), but not wrong either. */
function fewOf(count: number): number {
	return Math.min(50, Math.max(1, Math.floor(count / 20)));
}

/**
 * Where rows end, if that is a few positions from the count: then that is the number of rows.
 *
 * @param rows how many came from the last position counted, instead of one
 */
async function lookAround(ask: AskPage, request: CountRequest, count: number, rows: number): Promise<Counted> {
	const { filter, plural, onContradiction } = request;
	const isTooLow = rows > 0;
	if (isTooLow && !(await skipIsApplied(ask, { filter, sorts: [] }))) return notReached(request, count);
	const isOff = async (by: number): Promise<boolean> => {
		const position = isTooLow ? count + by : count - 1 - by;
		if (position < 0) return false;
		const page = await rowsAt(ask, filter, position, 1);
		return page === undefined || page.rows.length > 0 === isTooLow;
	};
	const by = await firstNot(isOff, fewOf(count));
	if (by === undefined) {
		const refusal = isTooLow ? messages.tooLowCount(plural, count) : messages.unprovenCount(plural, count);
		return contradicted(refusal, count, onContradiction);
	}
	const end = isTooLow ? count + by : count - by;
	return { count: end, notes: [messages.countOff(plural, count, end)], offBy: end - count };
}

/** The first number from 1 to `most` for which something no longer holds. Undefined if it holds for all. */
async function firstNot(holds: (by: number) => Promise<boolean>, most: number): Promise<number | undefined> {
	if (await holds(most)) return undefined;
	let [held, not] = [0, most];
	for (let step = 1; held + step < not; step *= 2) {
		if (await holds(held + step)) held += step;
		else not = held + step;
	}
	while (not - held > 1) {
		const middle = Math.floor((held + not) / 2);
		if (await holds(middle)) held = middle;
		else not = middle;
	}
	return not;
}

/** The rows around the end of the list cannot be asked for. */
function notReached(request: CountRequest, count: number): Counted {
	const { plural, unknownShape, onContradiction } = request;
	if (unknownShape) return contradicted(messages.unprovenCount(plural, count), count, onContradiction);
	return { count, notes: [messages.notVerified(plural, count)] };
}

/** @throws the error, unless a note is wanted instead */
function contradicted(error: PlatformError, count: number, onContradiction: Paging['onContradiction']): Counted {
	if (onContradiction !== 'note') throw error;
	return { count, notes: [`${error.message}.`] };
}
