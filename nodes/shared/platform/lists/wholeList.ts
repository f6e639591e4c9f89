import type { FilterGroup, SortEntry } from '../../dsquery/types';
import { PlatformError } from '../answers/errors';
import type { Page } from '../types';

// Platforms that have no pages: they send the whole list, whatever is asked for.

/** What to do where the platform does not filter. */
export const FILTER_AFTERWARDS =
	"remove all entries in Filters, and use n8n's Filter node after Get Many with Return All, or after a trigger.";

/** Whether the first page is the whole list: more rows than were asked for, and none counted beyond. */
export function isWholeList({ rows, totalCount = 0 }: Page, take: number, skip = 0): boolean {
	return skip === 0 && rows.length > take && totalCount <= rows.length;
}

/** Whether a page may be the whole list, of a platform that has no pages. One row that is asked for shows whether it is. */
export function mayBeWholeList({ rows, totalCount = 0 }: Page): boolean {
	return rows.length > 1 && totalCount <= rows.length;
}

/** What is said of such a platform. */
export function wholeListFact(plural: string): string {
	return `The platform sends all ${plural} in one answer, whatever page is asked for`;
}

/**
 * Refuses the whole list where a part or an order of it was asked for: what ignores the page may ignore filter and sort, too.
 *
 * @throws PlatformError
 */
export function assertAllAreWanted(
	plural: string,
	{ filter, sorts }: { filter?: FilterGroup; sorts: readonly SortEntry[] },
): void {
	if (!filter && sorts.length === 0) return;
	const inOrder = `in Get Many, switch on Return All, so that the node sorts all ${plural} itself. If only the first ones are wanted, use n8n's Limit node after it.`;
	const message = `${wholeListFact(plural)}, so its ${filter ? 'filter' : 'sort'} cannot be relied on`;
	throw new PlatformError('configuration', message, {
		description: `Nothing was returned, because it might not be what you asked for. Instead, ${filter ? FILTER_AFTERWARDS : inOrder}`,
	});
}
