import { pause, type CancelSignal } from './pause';

/** What working on an answer takes, generously, in milliseconds. */
const LONGEST_MS = 4;
/** Of the time an answer takes: with eight requests at once, the most there are, all begin in half of it. */
const SHARE = 1 / 16;
/** Longer than any wait for a turn; only a clock that was set back asks for more. */
const LONGEST_WAIT_MS = 50;
/** With fewer answers, the spacing would take longer than it saves. */
const FROM_ANSWER = 16;

/**
 * Lets the requests of one execution begin a moment apart. Answers that arrive together are worked on together: all
 * requests that follow would leave late, and their answers would arrive together again.
 */
export class Spacing {
	private earliest = 0;
	private spacingMs = 0;
	private answers = 0;

	constructor(private readonly signal: CancelSignal | undefined) {}

	/**
	 * Returns when a request may begin.
	 * @throws PlatformError of kind canceled
	 */
	async turn(): Promise<void> {
		const now = Date.now();
		const begin = Math.max(now, Math.min(this.earliest, now + LONGEST_WAIT_MS));
		this.earliest = begin + this.spacingMs;
		if (begin - now >= 1) await pause(begin - now, this.signal);
	}

	/** Takes note of how long an answer took. A platform that answers at once gets no spacing. */
	answeredIn(ms: number): void {
		if (++this.answers >= FROM_ANSWER) this.spacingMs = Math.min(LONGEST_MS, ms * SHARE);
	}
}
