import { sleep } from 'n8n-workflow';

import { SLICE_MS, type CancelSignal } from './pause';

/** A request under way. */
export interface Watch {
	/** Whether it was ended because its time was up. */
	readonly late: boolean;
	/** When its time is up, milliseconds since 1970. */
	readonly deadline: number;
	/** Ends the watch. To be called when the answer has been read. */
	release(): void;
}

interface Watched {
	deadline: number;
	late: boolean;
	stop: () => void;
}

/**
 * Ends requests whose time is up, and all of them when the execution is stopped. One look every moment serves all that
 * are under way: a timer for each would hold what a request received long after its end, and there are thousands.
 */
export class Supervision {
	private readonly underWay = new Set<Watched>();
	private looking = false;

	constructor(private readonly signal: CancelSignal | undefined) {}

	/**
	 * @param timeoutMs longest time until `release`, in milliseconds
	 * @param stop ends the request
	 */
	watch(timeoutMs: number, stop: () => void): Watch {
		const { signal, underWay } = this;
		const watched: Watched = { deadline: Date.now() + timeoutMs, late: false, stop };
		underWay.add(watched);
		signal?.addEventListener?.('abort', stop);
		if (!this.looking) void this.look();
		return {
			deadline: watched.deadline,
			get late() {
				return watched.late;
			},
			release() {
				underWay.delete(watched);
				signal?.removeEventListener?.('abort', stop);
			},
		};
	}

	private async look(): Promise<void> {
		this.looking = true;
		while (this.underWay.size > 0) {
			const now = Date.now();
			let next = SLICE_MS;
			for (const watched of this.underWay) {
				const left = watched.deadline - now;
				watched.late = left <= 0;
				if (watched.late || this.signal?.aborted) {
					this.underWay.delete(watched);
					watched.stop();
				} else {
					next = Math.min(next, left);
				}
			}
			await sleep(next);
		}
		this.looking = false;
	}
}
