import { orderOf } from '../../dsquery/order';
import type { Query, SortEntry } from '../../dsquery/types';
import type { ListResource } from '../../resources';
import type { Page } from '../types';
import { notInOrder, orderContradicts } from './faults';
import type { AskPage, Paging } from './types';

/** Rows that show whether the list is sorted at all, or only a few rows are out of place. */
const ENOUGH_ROWS = 25;
/** Share of neighbours out of order from which the platform does not sort: rows that have just changed are few. */
const UNSORTED_SHARE = 0.25;

/**
 * Compares the first page with the order that the user asked for. If neighbours are certainly the wrong way round, a
 * longer page is asked for. If that is not in order either, the first rows of the list would not be the first ones:
 * with a limit that is refused, without one it is a note.
 */
export class SortCheck {
	readonly hints: string[] = [];

	/** @param sorts those that the user chose */
	constructor(
		private readonly ask: AskPage,
		private readonly list: ListResource,
		private readonly sorts: readonly SortEntry[],
		private readonly limit: number,
		private readonly onContradiction: Paging['onContradiction'],
	) {}

	/** @throws PlatformError if the platform does not sort, and the first rows were asked for, unless a note is wanted */
	async check({ rows, totalCount }: Page, query: Query): Promise<void> {
		const { list, sorts, onContradiction } = this;
		if (!onContradiction || this.hints.length > 0) return;
		if (orderOf(rows, sorts, list).misplaced.length === 0) return;
		const take = Math.max(query.pager?.take ?? 0, ENOUGH_ROWS);
		const longer = await this.ask({ ...query, pager: { skip: 0, take } });
		const { decided, misplaced } = orderOf(longer.rows, sorts, list);
		const [worst] = misplaced;
		// Rows were only moving.
		if (!worst) return;
		const isAll = this.limit >= (totalCount ?? Number.POSITIVE_INFINITY);
		const isSorted = misplaced.length <= decided * UNSORTED_SHARE;
		if (onContradiction === 'stop' && !isAll && !isSorted) throw orderContradicts(list, worst);
		this.hints.push(notInOrder(list, worst, isSorted));
	}
}
