import type { Query } from '../../dsquery/types';
import type { Page } from '../types';
import { refuseLargeIds, withoutRepeats } from './rows';
import type { AskPage, Check, Window } from './types';

/** The pages of one list, as one reading asks for them. */
export class Pages {
	/** Rows received, without those of walks that were given up. */
	rowsRead = 0;
	/** Pages received behind the first one. */
	windows = 0;
	/** TotalCount by the last answer. */
	totalCount: number | undefined;
	/** What an answer had instead of a count: "TotalCount is null". */
	uncounted: string | undefined;
	/** TotalCount of one page was more than the rows up to its end, so it does not count the page alone. */
	countsBeyondPage = false;

	constructor(
		/** Asks for something that says how the platform answers, rather than for rows to hand over. */
		readonly ask: AskPage,
		private readonly checks: readonly Check[],
	) {}

	/** Asks for the first page. */
	async first(query: Query, take: number): Promise<Page> {
		const asked = { ...query, pager: { skip: 0, take } };
		let page = await this.checked(await this.ask(asked), 0);
		for (const check of this.checks) {
			const other = await check.firstPage?.(page, asked);
			if (other === undefined || other === page) continue;
			this.rowsRead -= page.rows.length;
			page = await this.checked(other, 0);
		}
		return page;
	}

	/** Asks for a page behind the first one. */
	async window(query: Query, skip: number, take: number): Promise<Window> {
		this.windows++;
		const page = await this.ask({ ...query, pager: { skip, take } });
		return windowOf(await this.checked(page, skip), skip);
	}

	private async checked(page: Page, skip: number): Promise<Page> {
		const { rows, totalCount, uncounted, otherTotal = 0 } = page;
		refuseLargeIds(rows);
		this.rowsRead += rows.length;
		this.totalCount = totalCount;
		this.uncounted ??= uncounted;
		this.countsBeyondPage ||= rows.length > 0 && totalCount !== undefined && totalCount > skip + rows.length;
		for (const check of this.checks) await check.page?.(rows);
		const hasMore = page.hasMore === true || otherTotal > Math.max(skip + rows.length, totalCount ?? otherTotal);
		return { ...page, hasMore, rows: await withoutRepeats(rows) };
	}
}

export function windowOf({ rows, totalCount, hasMore = false }: Page, skip: number): Window {
	const assumed = skip + rows.length + Math.min(1, rows.length);
	return { rows, totalCount: totalCount ?? assumed, isCounted: totalCount !== undefined, hasMore, skip };
}
