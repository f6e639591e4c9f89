import { sleep } from 'n8n-workflow';

import { canceledError } from '../answers/errors';
import { settle } from '../../settle';

/** Longest time until a wait notices that the execution was stopped, in milliseconds. */
const SLICE_MS = 200;

/** @throws PlatformError of kind canceled once the execution was stopped */
export function throwIfCanceled(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw canceledError();
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

/**
 * What a promise brings, unless the signal comes first.
 *
 * @throws PlatformError of kind canceled
 */
export async function rejectOnAbort<Value>(pending: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
	throwIfCanceled(signal);
	let stop = (): void => undefined;
	const stopped = new Promise<never>((_, reject) => (stop = () => reject(canceledError())));
	signal?.addEventListener('abort', stop);
	const outcome = await settle(Promise.race([pending, stopped]));
	signal?.removeEventListener('abort', stop);
	if (outcome.ok) return outcome.value;
	throw outcome.error;
}

/** An exponential back-off with jitter: between half and all of `first * 2^(n - 1)` milliseconds; 0 for n = 0. */
export function backOffMs(n: number, first: number, longest: number): number {
	if (n === 0) return 0;
	return Math.ceil(Math.min(longest, first * 2 ** Math.min(n - 1, 30)) * (0.5 + Math.random() / 2));
}
