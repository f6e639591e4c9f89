import { findFieldByPath } from '../../dsquery/fieldName';
import type { SortEntry } from '../../dsquery/types';
import type { Row } from '../types';
import type { RowSink } from './types';

/** Hands rows on to a sink until as many as are wanted have come, and notices which of the fields to sort by no row has. */
export class RowLimiter {
	/** Rows handed on since the reading began. */
	count = 0;
	/** Fields to sort by that no row had until now. */
	readonly absent: Set<string>;

	/** @param by what the sink has to sort the rows by */
	constructor(
		private readonly sink: RowSink,
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
			if (some.some((row) => findFieldByPath(row, field))) this.absent.delete(field);
		}
		this.sink.add(some, lane);
	}
}
