import type { Row } from '../types';
import type { Sink } from './types';

/** Keeps what is made of the rows, in the order of the list: less of each, to save memory, or the rows themselves. */
export class Kept<Item = Row> implements Sink {
	private lanes: Item[][][] = [];

	constructor(private readonly make: (rows: Row[]) => Item[]) {}

	begin(): void {
		this.lanes = [];
	}

	add(rows: Row[], lane: number): void {
		(this.lanes[lane] ??= []).push(this.make(rows));
	}

	/** In the pages that the rows came in. */
	get pages(): Item[][] {
		return this.lanes.flat();
	}

	get all(): Item[] {
		return this.pages.flat();
	}
}

/** A sink that keeps rows as they are. */
export function keepRows(): Kept {
	return new Kept((rows) => rows);
}

/**
 * Hands over the first rows of a list, and no more. Which rows are the first is only certain once all lanes have ended:
 * until then they are held. All rows are handed over as they come.
 */
export class FirstRows implements Sink {
	private readonly held = keepRows();

	/** @param wanted infinite for all rows */
	constructor(
		private readonly sink: Sink,
		private readonly wanted: number,
	) {}

	begin(): void {
		this.held.begin();
		this.sink.begin();
	}

	add(rows: Row[], lane: number): void {
		const { sink, held, wanted } = this;
		(wanted === Number.POSITIVE_INFINITY ? sink : held).add(rows, lane);
	}

	/** Nothing more will come. */
	end(): void {
		let room = this.wanted;
		for (const page of this.held.pages) {
			if (room > 0) this.sink.add(page.slice(0, room), 0);
			room -= page.length;
		}
	}
}
