import { pause } from './platform';

/** How long our own work may keep n8n busy at a stretch, in milliseconds. */
const LONGEST_STRETCH_MS = 8;

/** Lets n8n do other things during long work, and notices when the execution is stopped. */
export class LongWork {
	private since = performance.now();

	constructor(private readonly signal?: AbortSignal) {}

	/** Whether it is time to give way. */
	get isYieldDue(): boolean {
		return performance.now() - this.since > LONGEST_STRETCH_MS;
	}

	/** @throws PlatformError of kind canceled */
	async yieldToEventLoop(): Promise<void> {
		await pause(1, this.signal);
		this.since = performance.now();
	}

	/** Maps items, and gives way between them. Several calls in a row also do, however few items each has. */
	async map<Item, Result>(items: Iterable<Item>, make: (item: Item, index: number) => Result): Promise<Result[]> {
		const made: Result[] = [];
		if (this.isYieldDue) await this.yieldToEventLoop();
		for (const item of items) {
			made.push(make(item, made.length));
			if (this.isYieldDue) await this.yieldToEventLoop();
		}
		return made;
	}
}
