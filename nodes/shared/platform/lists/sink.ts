import { fieldNameIn } from '../../dsquery/fieldName';
import type { SortEntry } from '../../dsquery/types';
import type { Row } from '../types';
import { inOrder, keysOf, type SortKeys } from './order';
import type { Sink } from './types';

/** Keeps what is made of the rows, in the order of the list: less of each, to save memory, or the rows themselves. */
export class Kept<Item = Row> implements Sink {
	private lanes: Item[][][] = [];
	private keys: SortKeys[][][] = [];
	private by: readonly SortEntry[] = [];

	/** @param make makes one item of each row */
	constructor(private readonly make: (rows: Row[]) => Item[]) {}

	begin(by: readonly SortEntry[]): void {
		this.by = by;
		this.lanes = [];
		this.keys = [];
	}

	add(rows: Row[], lane: number): void {
		(this.lanes[lane] ??= []).push(this.make(rows));
		if (this.by.length > 0) (this.keys[lane] ??= []).push(rows.map((row) => keysOf(row, this.by)));
	}

	/** In the pages that the rows came in, or all in one if they were sorted here. */
	get pages(): Item[][] {
		const pages = this.lanes.flat();
		if (pages.length === 0 || this.by.length === 0) return pages;
		return [inOrder(pages.flat(), this.keys.flat().flat(), this.by)];
	}

	get all(): Item[] {
		return this.pages.flat();
	}
}

/** A sink that keeps rows as they are. */
export function keepRows(): Kept {
	return new Kept((rows) => rows);
}

/** Hands on the rows that are wanted, and notices which fields they have. */
export class Wanted {
	/** Rows handed on since the reading began. */
	count = 0;
	/** Fields to sort by that no row had until now. */
	readonly absent: Set<string>;

	constructor(
		private readonly sink: Sink,
		private readonly wanted: number,
		private readonly by: readonly SortEntry[],
	) {
		this.absent = new Set(by.map(({ field }) => field));
	}

	begin(): void {
		this.count = 0;
		this.sink.begin(this.by);
	}

	add(rows: Row[], lane: number): void {
		const some = rows.slice(0, this.wanted - this.count);
		if (some.length === 0) return;
		this.count += some.length;
		for (const field of this.absent) {
			if (some.some((row) => fieldNameIn(row, field) !== undefined)) this.absent.delete(field);
		}
		this.sink.add(some, lane);
	}
}
