import { knownField } from '../../../dsquery/catalogue';
import { and } from '../../../dsquery/compose';
import { beforeFirst, comesBefore, isUnsorted, PageOrder } from '../../../dsquery/order';
import type { Query, SortEntry } from '../../../dsquery/types';
import { verdictOf } from '../../../dsquery/verdict';
import type { ListResource } from '../../../resources';
import { Turns } from '../../http/turns';
import type { Page, Row } from '../../types';
import { isSame } from '../evidence';
import { notFirst, notInOrder, orderContradicts, perhapsNotFirst } from '../messages';
import { unlessRefused } from '../refused';
import { questionOf } from '../proofs/ledger';
import type { AskPage, Check, Plan } from '../types';

/** Rows that show whether the list is sorted at all, or only a few rows are misplaced. */
const ENOUGH_ROWS = 25;
/** How often a row that comes before the first one is asked for: a replica may be late. */
const MOST_TRIES = 2;

/**
 * Compares the first page with the order that the user asked for, and asks for a row before its first one. With a limit,
 * the first rows of the list would not be the first ones otherwise: that is refused. Without one it is a note.
 */
export class SortCheck implements Check {
	readonly notes: string[] = [];

	constructor(
		private readonly ask: AskPage,
		private readonly plan: Plan,
	) {}

	/**
	 * The page, or a later answer to the same question where only the first one was not in order.
	 *
	 * @throws PlatformError if the platform does not sort, and the first rows were asked for
	 */
	async firstPage(page: Page, query: Query): Promise<Page> {
		if (!this.plan.paging.isCompared || this.notes.length > 0) return page;
		const sorted = await this.inOrder(page, query);
		return this.notes.length > 0 ? sorted : await this.fromTheFirst(sorted, query);
	}

	/**
	 * Whether neighbours are in order. If some are certainly the wrong way round, a longer page is asked for: that one is
	 * returned, as only it was compared.
	 */
	private async inOrder(page: Page, query: Query): Promise<Page> {
		const { list, own, wanted } = this.plan;
		if ((await orderOf(page.rows, own.sorts, list)).misplaced.length === 0) return page;
		const asked = query.pager?.take ?? page.rows.length;
		const longer = await this.ask({ ...query, pager: { skip: 0, take: Math.max(asked, ENOUGH_ROWS) } });
		const again = { ...longer, rows: longer.rows.slice(0, asked) };
		const order = await orderOf(longer.rows, own.sorts, list);
		const [worst] = order.misplaced;
		// Rows were only moving, or the first answer came from another replica.
		if (!worst) return again;
		const isAll = wanted >= (page.totalCount ?? Number.POSITIVE_INFINITY);
		const isSorted = !isUnsorted(order.decided, order.misplaced.length);
		if (!isAll && !isSorted) throw orderContradicts(list, worst);
		this.notes.push(notInOrder(list, worst, isSorted));
		return again;
	}

	/** With a limit: whether no row comes before the first one. Proven once an hour. */
	private async fromTheFirst(page: Page, query: Query): Promise<Page> {
		const { list, own, proofs } = this.plan;
		const [sort] = own.sorts;
		if (!sort || this.isOrderEnough(page, query)) return page;
		const question = questionOf(query);
		if (proofs.found('first row', question) === 'holds') return page;
		let latest = page;
		for (let times = 1; ; times++) {
			const others = await this.rowsBefore(latest.rows[0], sort, query);
			if (!others) return latest;
			const [other] = others;
			if (!other) {
				proofs.write('first row', 'holds', question);
				return latest;
			}
			latest = await this.ask(query);
			const [first] = latest.rows;
			const isStillBefore = first !== undefined && comesBefore(other, first, sort, list);
			// It was new, or the page came from a late replica.
			if (!isStillBefore || latest.rows.some((row) => isSame(row, other))) return latest;
			if (times === MOST_TRIES) return this.contradict(latest, sort, other);
		}
	}

	/** All rows came, or nobody asked for the first ones: the order of neighbours is enough. */
	private isOrderEnough({ rows, totalCount }: Page, { pager }: Query): boolean {
		const { newestFirst, wanted } = this.plan;
		const isWhole = rows.length < (pager?.take ?? 0) && rows.length === totalCount;
		return newestFirst || wanted === Number.POSITIVE_INFINITY || isWhole;
	}

	/** A row that comes before the first one, or none. Undefined if its value or the platform does not let it be asked. */
	private async rowsBefore(first: Row | undefined, sort: SortEntry, { filter }: Query): Promise<Row[] | undefined> {
		const { list } = this.plan;
		const before = first && beforeFirst(first, sort, list);
		if (!before) return undefined;
		const asked = { filter: and(filter, before), sorts: [], pager: { skip: 0, take: 1 } };
		const page = await unlessRefused(this.ask(asked));
		const belongs = (row: Row) => !filter || verdictOf(filter, row, list) !== 'no';
		if (!page) return undefined;
		// All rows of the list, where the platform ignores how many are asked for.
		const found = await new Turns().map(page.rows, (row) => comesBefore(row, first, sort, list) && belongs(row));
		return page.rows.filter((_, index) => found[index]);
	}

	private contradict(page: Page, sort: SortEntry, other: Row): Page {
		const { list } = this.plan;
		const [first = {}] = page.rows;
		const isCertain = standsStill(sort, list) && page.rows.some((row) => isNewer(row, other));
		if (isCertain) throw notFirst(list, sort, first, other);
		this.notes.push(perhapsNotFirst(list, sort, first, other));
		return page;
	}
}

/** Compares a page with the order that was asked for. Gives way: a page may have many rows, and a row many names. */
export async function orderOf(
	rows: readonly Row[],
	sorts: readonly SortEntry[],
	list: ListResource,
): Promise<PageOrder> {
	const order = new PageOrder(sorts, list);
	await new Turns().map(rows, (row) => order.next(row));
	return order;
}

/** Whether rows keep their value, so that none can have come before another meanwhile, unless it is new. */
function standsStill({ field }: SortEntry, list: ListResource): boolean {
	return field.toLowerCase() === 'id' || knownField(list, field)?.kind === 'startedAtUtc';
}

function isNewer({ Id: id }: Row, { Id: other }: Row): boolean {
	return typeof id === 'number' && typeof other === 'number' && id > other;
}
