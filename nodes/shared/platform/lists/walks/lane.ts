import { idOf } from '../rows';
import type { Sink, Window } from '../types';

/** How lanes of a walk judge what they get. */
export interface LaneRules {
	direction: 1 | -1;
	/** A page of this length is never treated as the last one, whatever the count says. */
	fullPage: number;
	/** TotalCount has counted more than one page: then a short page that reaches it is the last one. */
	countsBeyondPage: boolean;
	sink: Sink;
}

/** A part of the list, in Id order. */
export class Lane {
	rowCount = 0;
	/** It has reached the end of the list, or the first row of the next lane. */
	isOver = false;
	/** It is over because nothing came behind its last row, not by the count. */
	endedEmpty = false;
	/** The answer with its last row says that there are more. */
	saysMore = false;
	/** An answer counts others than the one before left: the list has changed, or has rows that no Id finds. */
	private hasMoved = false;

	/** Rows after the last one, by the platform's count. */
	leftByCount = 0;

	/**
	 * @param number its number among all lanes of the list, from 0
	 * @param border the Id of the first row of the next lane, at which this one ends
	 * @param last the Id after which it reads, then that of the last row read
	 * @param inDoubt the last answer was shorter than a full page, and no count proved that it was the last: the next one
	 * decides
	 * @param expected what the next answer counts where nothing has changed; undefined if that cannot be told
	 */
	constructor(
		private readonly rules: LaneRules,
		public number: number,
		readonly border?: number,
		public last = Number.NaN,
		public inDoubt = false,
		public expected?: number,
	) {}

	/** Adds a page, without the rows of the next lane. */
	accept(page: Window): void {
		const { rows, totalCount, hasMore, skip } = page;
		const { direction, fullPage, countsBeyondPage, sink } = this.rules;
		const { border } = this;
		const own = border === undefined ? rows : rows.filter((row) => (border - idOf(row)) * direction > 0);
		this.compareCount(page, own.length);
		if (own.length > 0) {
			sink.add(own, this.number);
			this.rowCount += own.length;
			this.last = idOf(own.at(-1));
			this.saysMore = hasMore;
		}
		this.leftByCount = totalCount - skip - rows.length;
		// Over with the first row of the next lane, or with a short page where the count or an empty answer agrees.
		const isShort = rows.length < fullPage && (border === undefined || rows.length === 0);
		const isCounted = this.leftByCount === 0 && !hasMore && (countsBeyondPage || rows.length === 0);
		const isProven = isCounted || (this.inDoubt && rows.length === 0);
		this.isOver = own.length < rows.length || (isShort && isProven);
		this.inDoubt = rows.length < fullPage;
		this.endedEmpty = rows.length === 0;
	}

	/** Whether it has as many rows as the list counted, and no answer showed that the list has moved. */
	agreesWith(totalCount: number): boolean {
		return this.rowCount === totalCount && !this.hasMoved;
	}

	/** Whether the row before the border has been read, or as many rows as wanted. */
	isDone(wanted: number): boolean {
		if (this.isOver) return true;
		return this.border === undefined ? this.rowCount >= wanted : this.last + this.rules.direction === this.border;
	}

	/** The first page of a lane is asked for without its border, and its Skip may have been cut: the next one is not compared. */
	private compareCount({ totalCount, isCounted, skip }: Window, rows: number): void {
		const { expected, border, rowCount } = this;
		if (isCounted && expected !== undefined && totalCount !== expected) this.hasMoved = true;
		const isComparable = border === undefined ? skip === 0 : rowCount > 0;
		this.expected = isCounted && isComparable ? totalCount - rows : undefined;
	}

	/** Continues where another lane ended. */
	join({ number, rowCount, last, expected, leftByCount, inDoubt, isOver, endedEmpty, saysMore, hasMoved }: Lane): void {
		if (rowCount > 0) this.saysMore = saysMore;
		this.rowCount += rowCount;
		this.hasMoved ||= hasMoved;
		Object.assign(this, { number, last, expected, leftByCount, inDoubt, isOver, endedEmpty });
	}
}
