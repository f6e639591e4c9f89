import type { Group } from '../../dsquery/types';
import { PlatformError } from '../answers/errors';
import { settle } from '../settle';
import { isQueryRefused } from './faults';
import { isSkipHeard } from './skip';
import type { GetPage } from './types';

export interface CountRequest {
	filter?: Group;
	/** What the rows are called in messages: "charging sessions". */
	plural: string;
	/** Whether to check for rows beyond the count. A suspicious count is always verified. */
	verify: boolean;
}

/** Some platforms cap the count at a round number, or count only the rows of the page. */
function isSuspicious(count: number, rowsOnPage: number): boolean {
	return count > 0 ? count % 1000 === 0 || count === rowsOnPage : rowsOnPage > 0;
}

/**
 * How many rows match, as the platform counts: one request, and up to two more to verify it.
 *
 * @throws PlatformError where there are more rows than the platform counts: a wrong count is not returned
 */
export async function countList(
	getPage: GetPage,
	{ filter, plural, verify }: CountRequest,
): Promise<{ count: number; hints: string[] }> {
	const rowAt = async (skip: number) => await getPage({ filter, sorts: [], pager: { skip, take: 1 } });
	const { totalCount: count, rows } = await rowAt(0);
	if (!verify && !isSuspicious(count, rows.length)) return { count, hints: [] };

	const beyond = await settle(rowAt(count));
	if (!beyond.ok && !isQueryRefused(beyond.error)) throw beyond.error;
	const hasMore = beyond.ok && beyond.value.rows.length > 0;
	if (!beyond.ok || (hasMore && !(await isSkipHeard(getPage, { filter, sorts: [] })))) {
		const why = `the platform does not skip ${count} ${plural}`;
		return { count, hints: [`The count could not be verified: ${why}. It is the platform's own figure.`] };
	}
	if (!hasMore) return { count, hints: [] };
	// One more than a moment ago: the list has grown meanwhile.
	if (beyond.value.totalCount > count) return { count: beyond.value.totalCount, hints: [] };
	throw new PlatformError('invalid-answer', `The platform counts only ${count} ${plural}, but there are more`, {
		description: `There are at least ${count + 1}, so its count is capped or wrong and is not returned. Get Many with Return All reads the ${plural} themselves and gives as many items as there are.`,
	});
}
