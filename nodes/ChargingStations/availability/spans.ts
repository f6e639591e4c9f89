import sortedIndexBy from 'lodash/sortedIndexBy';

/** A stretch of time in whole seconds since 1970; `to` is not included. */
export interface Span {
	from: number;
	to: number;
}

export function lengthOf({ from, to }: Span): number {
	return to - from;
}

/** The parts of the spans within another one, sorted; those that overlap or touch are joined. */
export function mergeWithin(spans: readonly Span[], { from, to }: Span): Span[] {
	const merged: Span[] = [];
	const clipped = spans.map((span) => ({ from: Math.max(span.from, from), to: Math.min(span.to, to) }));
	for (const span of clipped.filter((each) => each.to > each.from).sort((a, b) => a.from - b.from)) {
		const last = merged.at(-1);
		if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
		else merged.push(span);
	}
	return merged;
}

/**
 * Cuts holes out of spans, in one pass over both.
 *
 * @param spans merged, like the holes
 * @returns the remaining parts of each span
 */
export function subtract(spans: readonly Span[], holes: readonly Span[]): Span[][] {
	let next = 0;
	return spans.map(({ from, to }) => {
		const parts: Span[] = [];
		let start = from;
		for (let hole = holes[next]; hole && hole.from < to; hole = holes[next]) {
			if (hole.from > start) parts.push({ from: start, to: hole.from });
			start = Math.max(start, hole.to);
			// A hole that reaches beyond this span may reach into the next one.
			if (hole.to > to) break;
			next++;
		}
		if (start < to) parts.push({ from: start, to });
		return parts;
	});
}

/**
 * For each span, the others that overlap it, in one pass over both.
 *
 * @param spans merged
 * @param others sorted by `from`
 */
export function overlapping<Other extends Span>(spans: readonly Span[], others: readonly Other[]): Other[][] {
	let next = 0;
	let reached: Other[] = [];
	return spans.map(({ from, to }) => {
		const first = next;
		while ((others[next]?.from ?? Infinity) < to) next++;
		reached = [...reached, ...others.slice(first, next)].filter((other) => other.to > from);
		return reached;
	});
}

/** Merged spans, prepared for fast repeated queries of how much of a stretch they cover. */
export class Timeline {
	readonly total: number;
	/** Total length of the spans before each one. */
	private readonly before: number[] = [];

	/** @param spans merged */
	constructor(private readonly spans: readonly Span[]) {
		let total = 0;
		for (const span of spans) {
			this.before.push(total);
			total += lengthOf(span);
		}
		this.total = total;
	}

	/** How many seconds of a stretch the spans cover. */
	within({ from, to }: Span): number {
		return this.until(to) - this.until(from);
	}

	/** How many seconds of a stretch the spans leave uncovered. */
	outside(span: Span): number {
		return lengthOf(span) - this.within(span);
	}

	private until(time: number): number {
		const index = sortedIndexBy(this.spans, { from: time, to: time }, 'from') - 1;
		const span = this.spans[index];
		return span ? (this.before[index] ?? 0) + Math.min(time, span.to) - span.from : 0;
	}
}
