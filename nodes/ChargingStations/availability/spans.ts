import chunk from 'lodash/chunk';
import sortedIndex from 'lodash/sortedIndex';

/** A stretch of time in whole seconds since 1970; `to` is not included. */
export interface Span {
	from: number;
	to: number;
}

/** Gives way during long work: `Turns` of the platform, which is not pure. */
export interface Turns {
	map<Item, Result>(items: Iterable<Item>, make: (item: Item, index: number) => Result): Promise<Result[]>;
}

export function lengthOf({ from, to }: Span): number {
	return to - from;
}

/** What sorting may do at a stretch, in items. */
const SORTED_AT_ONCE = 5_000;

/** Sorted by one of their times. Sorts parts, joins them in pairs, and gives way meanwhile. */
export async function byTime<Name extends string, Item extends Record<Name, number>>(
	items: readonly Item[],
	name: Name,
	turns: Turns,
): Promise<Item[]> {
	let parts = await turns.map(chunk(items, SORTED_AT_ONCE), (part) => part.sort((a, b) => a[name] - b[name]));
	while (parts.length > 1) {
		const joined: Item[][] = [];
		for (const [first = [], second = []] of chunk(parts, 2)) {
			joined.push(await turns.map(inOrder(first, second, name), (item) => item));
		}
		parts = joined;
	}
	return parts[0] ?? [];
}

/** The items of two sorted lists. */
function* inOrder<Name extends string, Item extends Record<Name, number>>(
	first: readonly Item[],
	second: readonly Item[],
	name: Name,
): Iterable<Item> {
	let next = 0;
	for (const item of first) {
		for (let other = second[next]; other && other[name] < item[name]; other = second[++next]) yield other;
		yield item;
	}
	yield* second.slice(next);
}

/** The parts of the spans within another one, sorted; those that overlap or touch are joined. */
export async function mergeWithin(spans: readonly Span[], { from, to }: Span, turns: Turns): Promise<Span[]> {
	const clipped = await turns.map(spans, (span) => ({ from: Math.max(span.from, from), to: Math.min(span.to, to) }));
	const merged: Span[] = [];
	await turns.map(await byTime(clipped, 'from', turns), (span) => {
		if (span.to <= span.from) return;
		const last = merged.at(-1);
		if (last && span.from <= last.to) last.to = Math.max(last.to, span.to);
		else merged.push(span);
	});
	return merged;
}

/**
 * Cuts holes out of spans, in one pass over both.
 *
 * @param spans merged, like the holes
 * @returns the remaining parts of each span
 */
export async function subtract(spans: readonly Span[], holes: readonly Span[], turns: Turns): Promise<Span[][]> {
	let next = 0;
	return await turns.map(spans, ({ from, to }) => {
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

/** The reasons of the others that overlap a span: the first ones, by when they began, and how many more there are. */
export interface Named {
	names: string[];
	more: number;
}

/**
 * For each span, the reasons of the others that overlap it, each once, in one pass over both.
 *
 * @param spans merged
 * @param others sorted by `from`
 */
export async function reasonsOver(
	spans: readonly Span[],
	others: ReadonlyArray<Span & { reason?: string }>,
	most: number,
	turns: Turns,
): Promise<Named[]> {
	const byEnd = await byTime(others, 'to', turns);
	/** How many of those that overlap have a reason. */
	const open = new Map<string, number>();
	const count = ({ reason }: { reason?: string }, by: 1 | -1) => {
		if (reason === undefined) return;
		const now = (open.get(reason) ?? 0) + by;
		if (now > 0) open.set(reason, now);
		else open.delete(reason);
	};
	let begun = 0;
	let ended = 0;
	return await turns.map(spans, ({ from, to }) => {
		for (let other = others[begun]; other && other.from < to; other = others[++begun]) count(other, 1);
		for (let other = byEnd[ended]; other && other.to <= from; other = byEnd[++ended]) count(other, -1);
		return { names: first(open.keys(), most), more: Math.max(0, open.size - most) };
	});
}

function first<Item>(items: Iterable<Item>, most: number): Item[] {
	const some: Item[] = [];
	for (const item of items) {
		if (some.length === most) break;
		some.push(item);
	}
	return some;
}

/** Merged spans, prepared for fast repeated queries of how much of a stretch they cover. */
export class Timeline {
	readonly total: number;
	private readonly begins: number[];
	/** Total length of the spans before each one. */
	private readonly before: number[] = [];

	/** @param spans merged */
	constructor(private readonly spans: readonly Span[]) {
		let total = 0;
		this.begins = spans.map(({ from }) => from);
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
		const index = sortedIndex(this.begins, time) - 1;
		const span = this.spans[index];
		return span ? (this.before[index] ?? 0) + Math.min(time, span.to) - span.from : 0;
	}
}
