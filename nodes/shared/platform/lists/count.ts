import type { Group } from '../../dsquery/types';
import { PlatformError } from '../answers/errors';
import { settle } from '../settle';
import { queryIsApplied, skipIsApplied } from './evidence';
import { isQueryRefused, notApplied, notCounted, unprovenCount } from './faults';
import type { Page } from '../types';
import type { AskPage } from './types';

interface CountRequest {
	filter?: Group;
	/** What the rows are called in messages: "charging sessions". */
	plural: string;
	/** Whether to check for rows beyond the count. A suspicious count is always verified. */
	verify: boolean;
}

interface Counted {
	count: number;
	hints: string[];
}

/** A count may change while it is proven: how often that is tried. */
const MOST_PROOFS = 3;

/** Some platforms cap the count at a round number, or count only the rows of the page. */
function isSuspicious(count: number, rowsOnPage: number): boolean {
	return count > 0 ? count % 1000 === 0 || count === rowsOnPage : rowsOnPage > 0;
}

/**
 * How many rows match, as the platform counts: one request, and up to two more to verify it.
 *
 * @throws PlatformError where there are more rows than the platform counts: a wrong count is not returned
 */
export async function countKnown(ask: AskPage, { filter, plural, verify }: CountRequest): Promise<Counted> {
	const rowAt = async (skip: number) => await ask({ filter, sorts: [], pager: { skip, take: 1 } });
	const first = await rowAt(0);
	const { rows } = first;
	const count = countOf(first);
	if (count === undefined) throw notCounted(plural, first.uncounted);
	if (!verify && !isSuspicious(count, rows.length)) return { count, hints: [] };

	const beyond = await settle(rowAt(count));
	if (!beyond.ok && isBeyondEnd(beyond.error)) return { count, hints: [] };
	if (!beyond.ok && !isQueryRefused(beyond.error)) throw beyond.error;
	const hasMore = beyond.ok && beyond.value.rows.length > 0;
	if (!beyond.ok || (hasMore && !(await skipIsApplied(ask, { filter, sorts: [] })))) {
		const why = `the platform does not skip ${count} ${plural}`;
		return { count, hints: [`The count could not be verified: ${why}. It is the platform's own figure.`] };
	}
	if (!hasMore) return { count, hints: [] };
	// One more than a moment ago: the list has grown meanwhile.
	const { totalCount: later = count } = beyond.value;
	if (later > count) return { count: later, hints: [] };
	throw new PlatformError('invalid-answer', `The platform counts only ${count} ${plural}, but there are more`, {
		description: `There are at least ${count + 1}, so its count is capped or wrong and is not returned. Get Many with Return All reads the ${plural} themselves and gives as many items as there are.`,
	});
}

/** TotalCount; 0 for an answer without any content. */
function countOf({ rows, totalCount, uncounted }: Page): number | undefined {
	return totalCount ?? (rows.length === 0 && uncounted === undefined ? 0 : undefined);
}

function isBeyondEnd(error: unknown): boolean {
	return error instanceof PlatformError && (error.status === 404 || error.status === 416);
}

/**
 * How many rows of a list of unknown shape match. The count is proven: a filter has an effect, the last counted place
 * has a row, and there is none after it.
 *
 * @throws PlatformError if there is no count, or it cannot be proven
 */
export async function countUnknown(ask: AskPage, { filter, plural }: Omit<CountRequest, 'verify'>): Promise<Counted> {
	const query = { filter, sorts: [] };
	const rowAt = async (skip: number) => await ask({ ...query, pager: { skip, take: 1 } });
	const isWhole = async () => !(await skipIsApplied(ask, query));
	for (let proofs = 1; ; proofs++) {
		const first = await rowAt(0);
		const { rows } = first;
		const count = countOf(first);
		if (count === undefined) throw notCounted(plural, first.uncounted);
		if (proofs === 1 && filter && !(await queryIsApplied(ask, query))) throw notApplied(plural, 'filter');
		// No rows, or all of them because the page is ignored.
		if (rows.length === count && (count === 0 || (count > 1 && (await isWhole())))) return { count, hints: [] };
		const places = await Promise.all([Math.max(0, count - 1), count].map(async (skip) => await settle(rowAt(skip))));
		const refused = places.find((place) => !place.ok && !isQueryRefused(place.error));
		if (refused && !refused.ok) throw refused.error;
		const [last, behind] = places.map((place) => (place.ok ? place.value : undefined));
		if (!last || !behind) throw unprovenCount(plural, count);
		const isMoving = last.totalCount !== count || behind.totalCount !== count;
		if (isMoving && proofs < MOST_PROOFS) continue;
		if (isMoving || last.rows.length !== Math.min(1, count) || behind.rows.length > 0)
			throw unprovenCount(plural, count);
		return { count, hints: [] };
	}
}
