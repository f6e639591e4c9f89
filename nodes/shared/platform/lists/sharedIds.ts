import { firstNames, quote } from '../../text';
import type { Row } from '../types';
import type { Sink } from './types';

/** Ids that are remembered: of a longer list, only the first ones are compared. */
const MOST_IDS = 200_000;
/** Longer texts are not compared, so that what is remembered stays small. */
const LONGEST_COMPARED = 100;
/** Ids of which it is known that several rows have them: a note names fewer. */
const MOST_SHARED = 1_000;

/**
 * Hands rows on, and finds Ids that came with more than one of them. A number and the same number as text are one Id.
 */
export class SharedIds implements Sink {
	private readonly seen = new Set<string | number>();
	private readonly shared = new Set<string | number>();

	constructor(
		private readonly plural: string,
		private readonly sink: Sink,
	) {}

	begin(): void {
		this.seen.clear();
		this.shared.clear();
		this.sink.begin();
	}

	add(rows: Row[], lane: number): void {
		this.sink.add(rows, lane);
		for (const { Id: id } of rows) {
			const key = keyOf(id);
			if (key === undefined) continue;
			if (this.seen.has(key)) this.addShared(key);
			else if (this.seen.size < MOST_IDS) this.seen.add(key);
		}
	}

	get notes(): string[] {
		if (this.shared.size === 0) return [];
		const ids = firstNames([...this.shared].map((id) => quote(id)));
		return [
			`More than one of the ${this.plural} came with the same Id, so they cannot be told apart by it: ${ids}. What looks them up by Id, a spreadsheet for example, takes them for one. Tell the platform's support.`,
		];
	}

	private addShared(key: string | number): void {
		if (this.shared.size < MOST_SHARED) this.shared.add(key);
	}
}

function keyOf(id: unknown): string | number | undefined {
	if (typeof id === 'number') return id;
	if (typeof id !== 'string' || id === '' || id.length > LONGEST_COMPARED) return undefined;
	return String(Number(id)) === id ? Number(id) : id;
}
