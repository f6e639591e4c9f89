import type { PlatformError } from '../../answers/errors';
import { settle, type Settled } from '../../settle';
import type { Row } from '../../types';
import { endsAfter, endsByCount, isUnmoved, mayBeCut, reversed, ROUND_COUNT, skipIsApplied } from '../evidence';
import * as messages from '../messages';
import { isQueryRefused } from '../refused';
import type { Growth } from './growth';
import { type Pages, windowOf } from '../pages';
import { OnePage } from '../proofs/onePage';
import { haveOwnIds, identityOf, isShuffled, looksSame, type Neighbours, neighboursOf, sortKey } from '../rows';
import type { Plan, Walked, Window } from '../types';

/** Most windows read without progress: only a list that changes faster than it can be read needs more. */
const MAX_WINDOWS_WITHOUT_PROGRESS = 60;
/** Most misplaced rows in all windows together that may have arrived while the list was read. */
const MOST_LATE = 4;

/**
 * Reads a list in any order by position (Skip and Take). A window is accepted only if it holds a row that was returned
 * before and has not moved: then no row between that one and the window's end is unread. So neighbouring windows
 * overlap by one row. If rows have gone and a window shares none, the rows before it are read again until it does.
 *
 * Rows without an Id of their own cannot be told apart: they are counted, and pages join only while the list does not
 * change.
 */
export class PositionWalk {
	private readonly sortFields: string[];
	private readonly take: number;
	/** A page of this length is never treated as the last one, whatever the count says. */
	readonly fullPage: number;
	/** Rows that a window is expected to have. */
	private width: number;
	private rowCount: number;
	/** Every row returned: its sort values, which tell whether it has moved, and its position in the list. */
	private readonly seen = new Map<string | number, { key: string; position: number }>();
	private last: Row | undefined;
	/** Whether every row so far has an Id of its own. */
	private areNamed: boolean;
	/** Where the last accepted window ends, counted at the time it was read, and TotalCount at that time. */
	private end: number;
	private totalCount: number;
	private isCounted: boolean;
	private isOver = false;
	private saysMore = false;
	private isProven = true;
	private isSkipChecked: boolean;
	private mended = 0;
	private neighbours: Neighbours = { count: 0, misplaced: 0 };
	private withoutProgress = 0;
	private readonly ahead: Array<Promise<Settled<Window>>> = [];
	private hasFailed = false;
	private planned = 0;

	/**
	 * @param before what was already returned, when reading continues after a walk by Id: then the first row of `start`
	 * is the last one returned
	 */
	constructor(
		private readonly pages: Pages,
		private readonly plan: Plan,
		private readonly start: Window,
		readonly countsBeyondPage: boolean,
		private readonly growth: Growth,
		private readonly before?: { rowCount: number; fullPage: number },
	) {
		const { query, paging, wanted } = plan;
		this.sortFields = query.sorts.map(({ field }) => field).filter((field) => field.toLowerCase() !== 'id');
		const page = before?.fullPage ?? start.rows.length;
		this.fullPage = paging.pageSize === 1 && page === 1 ? 2 : page;
		this.width = this.fullPage;
		this.rowCount = before?.rowCount ?? 0;
		this.take = Math.max(2, Math.min(paging.pageSize, wanted - this.rowCount));
		this.last = before && start.rows[0];
		this.areNamed = before === undefined;
		this.end = before ? start.skip + 1 : 0;
		this.totalCount = start.totalCount;
		this.isCounted = start.isCounted;
		this.isSkipChecked = before !== undefined;
	}

	async read(): Promise<Walked> {
		this.accept(this.start);
		this.planned = this.end - 1;
		if (!this.isDone && this.width < 2) await this.refuseSingleRows();
		await this.readOn();
		const notes = await this.proveEnd();
		const { rowCount, saysMore } = this;
		return { notes, rowCount, saysMore: saysMore && rowCount < this.plan.wanted };
	}

	private async readOn(): Promise<void> {
		try {
			while (!this.isDone) await this.step();
		} finally {
			// Requests under way are no longer wanted, but nothing may be left running after the node has ended.
			await Promise.all(this.ahead);
		}
	}

	private get isDone(): boolean {
		return this.isOver || this.rowCount >= this.plan.wanted;
	}

	/** Reads the next window and joins it to the rows returned so far. */
	private async step(): Promise<void> {
		const { plan, rowCount } = this;
		// Without Ids, or if a window brings nothing new, the platform may be repeating the same rows.
		if (!this.isSkipChecked && (!this.areNamed || this.withoutProgress > 0)) {
			this.isSkipChecked = true;
			const isApplied = await skipIsApplied(this.pages.ask, plan.query);
			if (!isApplied) await this.giveUp(messages.onlyFirst(plan.list.plural, rowCount));
			return;
		}
		await this.growth.check(() => this.highestId());
		this.sendAhead();
		const answer = await (this.ahead.shift() ?? settle(this.ask(this.end - 1)));
		if (!answer.ok) {
			if (!isQueryRefused(answer.error)) throw answer.error;
			await this.giveUp(messages.onlyFirst(plan.list.plural, rowCount));
			return;
		}
		if (this.accept(answer.value)) return;
		if (this.areNamed) await this.mend(answer.value);
		else if (answer.value.skip === this.end - 1 || !this.accept(await this.ask(this.end - 1))) {
			await this.giveUp(messages.notJoined(plan.list.plural));
		}
	}

	/** Requests windows ahead, as far as the count says that there are rows. */
	private sendAhead(): void {
		const { ahead, plan, width } = this;
		this.planned = ahead.length === 0 ? this.end - 1 : this.planned;
		const known = Math.min(this.totalCount, plan.wanted);
		while (!this.hasFailed && ahead.length < plan.paging.parallel && this.planned + 1 < known) {
			const window = settle(this.ask(this.planned));
			void window.then(({ ok }) => (this.hasFailed ||= !ok));
			ahead.push(window);
			this.planned += width - 1;
		}
	}

	/** The highest Id so far; NaN where Ids are no numbers. */
	private highestId(): number {
		let highest = Number.NEGATIVE_INFINITY;
		for (const id of this.seen.keys()) highest = Math.max(highest, typeof id === 'number' ? id : Number.NaN);
		return highest;
	}

	private async ask(skip: number): Promise<Window> {
		return await this.pages.window(this.growth.query, skip, this.take);
	}

	/** Takes the window's new rows if it joins the rows returned so far. */
	private accept(window: Window): boolean {
		const { skip, rows } = window;
		if (++this.withoutProgress > MAX_WINDOWS_WITHOUT_PROGRESS) throw messages.tooRestless();
		this.areNamed &&= haveOwnIds(rows);
		const joint = this.jointIn(window);
		if (joint === undefined) return false;
		const fresh = this.addNew(rows.slice(joint + 1));
		this.isOver = endsByCount(window, this) || (fresh === 0 && endsAfter(window, this.last, this.width));
		if (fresh > 0) this.withoutProgress = 0;
		this.last = rows.at(-1) ?? this.last;
		this.end = skip + rows.length;
		this.totalCount = window.totalCount;
		this.isCounted = window.isCounted;
		this.saysMore = window.hasMore && rows.length > 0;
		return true;
	}

	/** Index in the window of the last row returned before that has not moved; -1 at the start of the list. */
	private jointIn({ skip, rows }: Window): number | undefined {
		if (!this.areNamed) {
			const [joint] = rows;
			if (this.last === undefined) return -1;
			return skip === this.end - 1 && joint && looksSame(joint, this.last) ? 0 : undefined;
		}
		let joint = skip === 0 ? -1 : undefined;
		const positions: number[] = [];
		for (const [index, row] of rows.entries()) {
			const known = this.seen.get(identityOf(row) ?? '');
			if (known?.key !== sortKey(row, this.sortFields)) continue;
			positions.push(known.position);
			joint = index;
		}
		this.refuseShuffled(neighboursOf(positions));
		return joint;
	}

	/** Tiny pages show it only together, and may show the same late rows again and again. */
	private refuseShuffled(neighbours: Neighbours): void {
		const { count, misplaced } = this.neighbours;
		this.neighbours = { count: count + neighbours.count, misplaced: misplaced + neighbours.misplaced };
		if (isShuffled(neighbours) || isShuffled(this.neighbours, MOST_LATE))
			throw messages.anotherOrder(this.plan.list.plural);
	}

	/** Adds the rows that were not returned before, and says how many those are. */
	private addNew(rows: readonly Row[]): number {
		const fresh: Row[] = [];
		for (const row of rows) {
			const id = identityOf(row);
			if (!this.areNamed || id === undefined || !this.seen.has(id)) fresh.push(row);
			if (id !== undefined)
				this.seen.set(id, { key: sortKey(row, this.sortFields), position: this.rowCount + fresh.length });
		}
		if (fresh.length > 0) this.plan.sink.add(fresh, 0);
		this.rowCount += fresh.length;
		return fresh.length;
	}

	/** Reads the gap between the rows returned so far and a window that does not join them. */
	private async mend(window: Window): Promise<void> {
		if (window.skip > this.end) await this.fill(window);
		else await this.goBack(window);
	}

	/** Windows were shorter than planned: the gap begins right after the rows returned so far. */
	private async fill(window: Window): Promise<void> {
		while (this.areNamed && !this.isDone && this.end < window.skip + window.rows.length) {
			const between = await this.ask(this.end - 1);
			if (!this.accept(between)) return await this.goBack(between);
			if (!this.isDone) this.width = Math.max(2, Math.min(this.width, between.rows.length));
			if (window.rows.length === 0 || (this.end > window.skip && this.accept(window))) return;
		}
	}

	/**
	 * Rows have gone and later ones have moved up: goes back, in growing steps, until a row shows up that was returned
	 * before.
	 */
	private async goBack(window: Window): Promise<void> {
		this.mended++;
		// Behind the end, a window half a page back shows that nothing follows the last row.
		const step = window.rows.length === 0 ? Math.ceil(this.width / 2) : this.width - 1;
		for (let back = step; this.areNamed && !this.isDone; back *= 2) {
			const skip = Math.max(0, window.skip - Math.max(1, back));
			if (!this.accept(await this.ask(skip))) continue;
			if (window.rows.length > 0 && !this.isDone) this.accept(window);
			return;
		}
	}

	/**
	 * Ends the reading when rows may be missing: with an error or, if they are not likely to, with a note. A first page
	 * that its count calls the whole list may still be proven.
	 */
	private async giveUp(error: PlatformError): Promise<void> {
		const { pages, plan, start, isWholeByCount } = this;
		this.isProven = isWholeByCount && (await new OnePage(pages, plan).isLastRow(start.rows));
		const isLikelyWhole = this.before !== undefined || (isWholeByCount && !mayBeCut(start.totalCount));
		if (!this.isProven && !isLikelyWhole) throw error;
		// A page that came again was not behind the first one.
		if (isWholeByCount) this.end = start.rows.length;
		this.isOver = true;
	}

	/** Nothing but the first page has come, and that is all that the platform counts. */
	private get isWholeByCount(): boolean {
		const { rows, totalCount, isCounted, hasMore } = this.start;
		return isCounted && !hasMore && this.rowCount === rows.length && rows.length === totalCount;
	}

	private async refuseSingleRows(): Promise<void> {
		if ((await this.ask(this.end)).rows.length > 0) await this.giveUp(messages.oneRowAtATime());
		this.isOver = true;
	}

	/** What is to be said of the end of the list. */
	private async proveEnd(): Promise<string[]> {
		const { rowCount, totalCount, plan } = this;
		if (rowCount >= plan.wanted) return this.changeNotes();
		if (!this.isCounted) {
			if (!this.isProven) return [messages.endNotProven(plan.list.plural, rowCount)];
			return this.before ? this.changeNotes() : await this.proveLast();
		}
		const counted = rowCount === totalCount ? this.end : totalCount;
		if (rowCount !== counted) return [messages.countDiffers(plan.list.plural, rowCount, counted)];
		if (!this.isProven) return [messages.endNotProven(plan.list.plural, rowCount)];
		const isRound = rowCount > 0 && rowCount % ROUND_COUNT === 0;
		return isRound ? await this.proveLast() : this.changeNotes();
	}

	/**
	 * Where nothing counts the rows, or count and rows both stop at a round number: the first row in reverse order must be
	 * the last one read.
	 */
	private async proveLast(): Promise<string[]> {
		const { plan, rowCount } = this;
		const back = reversed(this.growth.query);
		if (!back) return this.changeNotes();
		// Some platforms give one row less than they are asked for.
		const { rows, ...answer } = await this.pages.window(back, 0, 2);
		const totalCount = answer.isCounted ? answer.totalCount : rowCount;
		const [row] = rows;
		if ((this.isCounted && totalCount > rowCount) || isUnmoved(row, this.last, plan.query)) return this.changeNotes();
		const isKnown = () => row !== undefined && this.seen.has(identityOf(row) ?? '');
		// Rows without an Id of their own cannot be told apart, nor are those known that a walk by Id has read. An answer
		// that counts fewer has lost rows meanwhile, or counts its own alone.
		if (!row || this.before || !this.areNamed || isKnown() || totalCount < rowCount)
			return [messages.endNotProven(plan.list.plural, rowCount)];
		// A row that has come meanwhile is found at the end; any other one cannot be reached.
		this.isOver = false;
		await this.goBack(windowOf({ rows: [] }, this.end));
		if (!isKnown()) throw messages.onlyFirst(plan.list.plural, rowCount);
		await this.readOn();
		return await this.proveEnd();
	}

	private changeNotes(): string[] {
		return this.mended > 0 ? [messages.changedMeanwhile(this.plan.list.plural, this.mended)] : [];
	}
}
