import { asksToWait, type PlatformError } from '../answers/errors';

export const MAX_TRIES = 3;
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10_000;
/** A refusal may ask for a longer wait than our own back-off; beyond this there is no retry. */
const LONGEST_ASKED_MS = 30_000;

/** An exponential back-off with jitter: between half and all of `first * 2^(n - 1)` milliseconds, n counting from 1. */
export function backOffMs(n: number, first: number, longest: number, random: () => number): number {
	const full = Math.min(longest, first * 2 ** Math.min(n - 1, 30));
	return Math.ceil(full * (0.5 + random() / 2));
}

/**
 * How long to wait before a read request is sent again, in milliseconds; undefined when it is not. Not where the platform
 * asks to wait: that is done however often.
 *
 * @param tries how often it has been sent
 */
export function retryDelay(error: PlatformError, tries: number, random: () => number): number | undefined {
	if (!error.transient || asksToWait(error) || tries >= MAX_TRIES) return undefined;
	const asked = error.retryAfterMs ?? 0;
	if (asked > LONGEST_ASKED_MS) return undefined;
	return Math.max(asked, backOffMs(tries, FIRST_RETRY_MS, LONGEST_RETRY_MS, random));
}
