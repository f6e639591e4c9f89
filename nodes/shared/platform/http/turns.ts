import { pause } from './pause';

/** How long our own work may keep n8n busy at a stretch, in milliseconds. */
const LONGEST_STRETCH_MS = 8;

/** Lets n8n do other things during long work, and notices when the execution is stopped. */
export class Turns {
	private since = performance.now();

	constructor(private readonly signal?: AbortSignal) {}

	/** Counts from now: n8n has just done other things while an answer was waited for. */
	begin(): void {
		this.since = performance.now();
	}

	/** Whether it is time for `give`. */
	get due(): boolean {
		return performance.now() - this.since > LONGEST_STRETCH_MS;
	}

	/** @throws PlatformError of kind canceled */
	async give(): Promise<void> {
		await pause(1, this.signal);
		this.begin();
	}

	/** Makes something of each item, and gives way between them. Calls in a row also do, however few items each has. */
	async map<Item, Result>(items: Iterable<Item>, make: (item: Item, index: number) => Result): Promise<Result[]> {
		const made: Result[] = [];
		if (this.due) await this.give();
		for (const item of items) {
			made.push(make(item, made.length));
			if (this.due) await this.give();
		}
		return made;
	}

	/** Does work that comes in small steps, and gives way between them. */
	async through(work: { readonly isDone: boolean; goOn(): void }): Promise<void> {
		while (!work.isDone) {
			work.goOn();
			if (this.due) await this.give();
		}
	}
}
