import { sleep } from 'n8n-workflow';

import { canceled } from '../answers/errors';

/** Longest time until a wait notices that the execution was stopped, in milliseconds. */
const SLICE_MS = 200;

/** @throws PlatformError of kind canceled once the execution was stopped */
export function throwIfCanceled(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw canceled();
}

/**
 * Waits, and ends soon after the execution is stopped. It sleeps in short slices because older n8n versions cannot
 * interrupt a sleep, and so that no timer is left running.
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
