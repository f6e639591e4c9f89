import type { SortEntry } from '../../dsquery/types';
import { PlatformError } from '../answers/errors';
import type { GetPage, KeepRows, ListRequest, ListResult } from './types';
import { identityOf, missingRows } from './rows';
import type { Page, Row } from '../types';

/** The rows that stood at `skip` and behind it at one moment. */
interface Window extends Page {
	skip: number;
}

/** Windows read without getting any further before we give up: only a list that changes faster than it can be read needs so many. */
const MAX_WINDOWS_WITHOUT_PROGRESS = 60;

/**
 * Reads a list in any order by position (Skip and Take). A window is accepted only when it holds a row that was returned
 * before and has not moved: then nothing stands unread between that row and the window's end. Neighbouring windows share
 * one row for this. Where rows have gone and a window shares none, the rows before it are read again until it does.
 */
export async function readByPosition(getPage: GetPage, request: ListRequest, first: Page): Promise<ListResult> {
	return await new PositionWalk(getPage, request, first).read();
}

class PositionWalk {
	private readonly pages: Row[][] = [];
	private readonly keep: KeepRows;
	private rowCount = 0;
	/** Every row returned, with the sort values it had: a row whose values are unchanged has not moved. */
	private readonly seen = new Map<string | number, string>();
	private readonly limit: number;
	/** Rows in a full window, as the platform gives them. */
	private readonly width: number;
	private readonly sortFields: string[];
	/** Windows sent for before their turn, in the order of the list. */
	private readonly ahead: Array<Promise<Window | { thrown: unknown }>> = [];
	private readonly underWay = new Set<Promise<unknown>>();
	private mending = false;
	/** Reading has come to its end or a window could not be had: nothing is sent ahead any more. */
	private ending = false;
	private planned: number;
	private total: number;
	/** Where the last accepted window ends, counted at the time it was read. */
	private end = 0;
	private atEnd = false;
	private mendedPages = 0;
	private windowsWithoutProgress = 0;

	constructor(
		private readonly getPage: GetPage,
		private readonly request: ListRequest,
		first: Page,
	) {
		this.keep = request.keep?.() ?? ((rows) => rows);
		this.limit = request.limit ?? Number.POSITIVE_INFINITY;
		this.sortFields = uniqueFields(request.query.sorts, first.rows[0]);
		const asked = Math.min(request.pageSize, this.limit);
		this.width =
			first.rows.length < Math.min(asked, first.totalCount) ? first.rows.length : Math.max(2, request.pageSize);
		this.total = first.totalCount;
		this.accept({ ...first, skip: 0 });
		this.planned = this.end - 1;
	}

	async read(): Promise<ListResult> {
		if (!this.finished() && this.width < 2) {
			throw new PlatformError('invalid-answer', 'The platform sends only one row at a time', {
				description:
					'Where rows come or go meanwhile, single rows could be missed without a sign. Remove the sort if there is one, so that rows are read by Id; otherwise ask the people who run the platform for larger pages.',
			});
		}
		try {
			while (!this.finished()) {
				this.sendAhead();
				const next = this.ahead.shift();
				const window = next ? await settled(next) : await this.fetch(this.end - 1);
				await this.join(window);
			}
		} finally {
			// What is still under way is no longer wanted; waiting for it keeps the node from sending after it has ended.
			this.ending = true;
			await Promise.all(this.ahead);
		}
		return { pages: this.pages, mendedPages: this.mendedPages };
	}

	private finished(): boolean {
		return this.atEnd || this.rowCount >= this.limit;
	}

	/**
	 * Keeps as many windows under way as may be, each sharing one row with the one before. A window that is late does not
	 * keep the others waiting: twice as many may be held until it is its turn.
	 */
	private sendAhead(): void {
		const { parallel } = this.request;
		const until = Math.min(this.total, this.limit);
		while (
			!(this.mending || this.ending) &&
			this.underWay.size < parallel &&
			this.ahead.length < 2 * parallel &&
			this.planned + 1 < until
		) {
			const answer = this.fetch(this.planned).catch((thrown: unknown) => {
				this.ending = true;
				return { thrown };
			});
			this.ahead.push(answer);
			this.planned += this.width - 1;
			void answer.then(() => this.sendAhead());
		}
	}

	private async fetch(skip: number): Promise<Window> {
		const take = Math.min(this.width, Math.max(2, this.limit - skip));
		const answer = this.getPage({ ...this.request.query, pager: { skip, take } });
		this.underWay.add(answer);
		const page = await answer.finally(() => this.underWay.delete(answer));
		if (page.rows.length === 0 && page.totalCount > skip) throw missingRows(page.totalCount - skip);
		return { ...page, skip };
	}

	/** Accepts a window, first reading what lies between it and the rows returned so far where it does not join them. */
	private async join(window: Window): Promise<void> {
		if (this.accept(window)) return;
		this.mendedPages++;
		this.mending = true;
		await this.mend(window);
		this.mending = false;
	}

	private async mend(window: Window): Promise<void> {
		// Where windows came shorter than planned the gap is right behind the rows returned so far. Otherwise rows have gone,
		// and what followed the last row now stands before the window: go back, in growing steps, until the last row shows.
		let step = 1;
		let skip = window.skip > this.end ? this.end - 1 : this.backFrom(window, step);
		while (!this.finished() && this.end < window.skip + window.rows.length + this.width) {
			while (this.underWay.size >= this.request.parallel) await Promise.race(this.underWay);
			const between = await this.fetch(skip);
			if (this.accept(between)) {
				if (window.rows.length === 0 || this.accept(window)) return;
				skip = this.end - 1;
				step = 1;
			} else {
				skip = this.backFrom(between, step);
				step *= 2;
			}
		}
	}

	private backFrom({ skip, rows, totalCount }: Window, step: number): number {
		return Math.max(0, Math.min(skip, rows.length > 0 ? skip : totalCount) - step * (this.width - 1));
	}

	/** Takes the window's new rows if it joins the rows returned so far. */
	private accept({ skip, rows, totalCount }: Window): boolean {
		const keys = rows.map((row) => this.sortKey(row));
		let anchor = rows.length - 1;
		while (anchor >= 0) {
			const row = rows[anchor];
			if (row && this.seen.get(identityOf(row)) === keys[anchor]) break;
			anchor--;
		}
		// Nothing can stand before the first row of the list.
		if (anchor < 0 && skip > 0) return false;

		const fresh: Row[] = [];
		for (let index = anchor + 1; index < rows.length && this.rowCount + fresh.length < this.limit; index++) {
			const row = rows[index];
			if (!row) continue;
			const identity = identityOf(row);
			if (!this.seen.has(identity)) fresh.push(row);
			this.seen.set(identity, keys[index] ?? '');
		}
		if (fresh.length > 0) {
			const kept = this.keep(fresh);
			if (kept.length > 0) this.pages.push(kept);
		}
		this.windowsWithoutProgress = fresh.length > 0 ? 0 : this.windowsWithoutProgress + 1;
		if (this.windowsWithoutProgress > MAX_WINDOWS_WITHOUT_PROGRESS) throw tooRestless();
		this.rowCount += fresh.length;
		this.total = totalCount;
		this.end = skip + rows.length;
		this.atEnd = this.end >= totalCount;
		return true;
	}

	private sortKey(row: Row): string {
		// Most lists are sorted by one field; its value serves as the key without being written as JSON.
		const [only, ...more] = this.sortFields;
		if (only === undefined) return '';
		const value = row[only];
		return more.length === 0 && typeof value === 'string'
			? value
			: JSON.stringify(this.sortFields.map((field) => row[field]));
	}
}

/** The sort fields as the rows spell them, without the Id, which cannot change. */
function uniqueFields(sorts: readonly SortEntry[], row: Row | undefined): string[] {
	const names = new Map(Object.keys(row ?? {}).map((name) => [name.toLowerCase(), name]));
	return sorts.map(({ field }) => names.get(field.toLowerCase()) ?? field).filter((field) => field !== 'Id');
}

async function settled(answer: Promise<Window | { thrown: unknown }>): Promise<Window> {
	const result = await answer;
	if ('thrown' in result) throw result.thrown;
	return result;
}

function tooRestless(): PlatformError {
	return new PlatformError('invalid-answer', 'The list changes faster than it can be read in this order', {
		description: 'Remove the sort, so that rows are read by Id, or narrow the filter.',
	});
}
