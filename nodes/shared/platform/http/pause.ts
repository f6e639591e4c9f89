import { sleep } from 'n8n-workflow';

import { canceled } from '../answers/errors';

/** Longest time until a wait notices that the execution was stopped, in milliseconds. */
const SLICE_MS = 200;

/** @throws PlatformError of kind canceled once the execution was stopped */
export function throwIfCanceled(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw canceled();
}

/**
 * Waits, and ends within a moment when the execution is stopped. It sleeps in short slices because older hosts do not
 * know how to interrupt a sleep, and so that nothing is left running afterwards.
 *
 * @throws PlatformError of kind canceled
 */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
	const until = performance.now() + ms;
	for (;;) {
		throwIfCanceled(signal);
		const left = until - performance.now();
		if (left <= 0) return;
		await sleep(Math.min(left, SLICE_MS));
	}
}
