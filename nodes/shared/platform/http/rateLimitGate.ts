import { MINUTE_MS, SECOND_MS } from '../../dsquery/values/durations';
import { asksToWait, PlatformError } from '../answers/errors';
import { notSentError } from '../answers/notSent';
import type { Caller } from '../types';
import { backOffMs, pause, throwIfCanceled } from './pause';

/** How long nothing is sent after a refusal of the account itself, in milliseconds. */
const ACCOUNT_HOLD_MS = 5 * MINUTE_MS;
/** First wait if the platform does not say how long; doubles with every refusal in a row. */
const FIRST_BACK_OFF_MS = SECOND_MS;
const LONGEST_BACK_OFF_MS = MINUTE_MS;
/** Requests that waited together are sent this far apart, in milliseconds. */
const APART_MS = 50;
/**
 * A request may wait this long for the answer to the one that tries for all, in milliseconds, even if its user allows
 * less.
 */
const TRIAL_MS = 15 * SECOND_MS;
/** How often a waiting request checks whether it may be sent, in milliseconds. */
const LOOK_MS = 200;
/** How many gates are kept: more than a process uses at the same time. */
const MAX_HOLDS = 500;

/** A request that waits. */
interface QueuedRequest {
	caller: Caller;
}

/**
 * Decides when requests of one credential, a key or a user, may be sent. All connections of this process that use it share
 * it.
 *
 * After 429, 503 with Retry-After, or a quota, nothing is sent before the time that the platform asks for: who may wait
 * that long waits, all others fail at once. After a refusal of the account itself, its license or its signing in, nothing
 * is sent for five minutes. In both, a run that a person started may ask once; a person in the editor only in the latter.
 * When the time is over, one request tries for all; after its answer, those that waited leave one by one, polls first.
 * Points in time are those of `performance.now()`.
 */
export class RateLimitGate {
	/** What the platform said last; undefined while all may pass. */
	private refusal?: PlatformError;
	/** Whether that was about the account itself: its license, or its signing in. */
	private isOfAccount = false;
	private until = 0;
	/** When the latest refusal came. Answers to earlier requests say nothing about the time after it. */
	private since = 0;
	/** Refusals in a row. */
	private strikes = 0;
	private isTrying = false;
	/** The runs of people that have asked during this hold. */
	private asked = new Set<string>();
	private readonly queue: QueuedRequest[] = [];
	private leftAt = Number.NEGATIVE_INFINITY;
	/** Since when a caller has waited without an answer, all its requests together. */
	private readonly waitingSince = new WeakMap<Caller, number>();

	/** Whether a request may have to wait. */
	get isWaitedFor(): boolean {
		return this.refusal !== undefined || this.queue.length > 0;
	}

	/**
	 * Waits until a request may be sent.
	 *
	 * @returns that moment, by `performance.now()`
	 * @throws PlatformError if it may not, or the execution was stopped
	 */
	async acquire(caller: Caller): Promise<number> {
		throwIfCanceled(caller.signal);
		if (!this.isWaitedFor) return performance.now();
		const request = { caller };
		this.queue.push(request);
		if (!this.waitingSince.has(caller)) this.waitingSince.set(caller, performance.now());
		try {
			for (;;) {
				const leftMs = this.until - performance.now();
				if (this.mayGo(request, leftMs)) break;
				await pause(leftMs > 0 ? Math.min(leftMs, LOOK_MS) : APART_MS / 2, caller.signal);
			}
		} finally {
			this.queue.splice(this.queue.indexOf(request), 1);
		}
		this.leftAt = performance.now();
		this.isTrying = this.refusal !== undefined;
		return this.leftAt;
	}

	/**
	 * Takes in how a request has ended.
	 *
	 * @param error undefined for an answer
	 * @param isOfAccount whether it is about the account itself
	 */
	release(caller: Caller, admittedAt: number, error?: unknown, isOfAccount = false): void {
		const refusal = error instanceof PlatformError ? error : undefined;
		if (refusal && (isOfAccount || asksToWait(refusal))) {
			if (caller.person !== undefined) this.asked.add(caller.person);
			this.begin(refusal, admittedAt, isOfAccount);
			return;
		}
		const hasAnswered = isAnswer(error);
		if (hasAnswered) this.waitingSince.delete(caller);
		if (admittedAt < this.since) return;
		this.isTrying = false;
		if (!hasAnswered || (this.isOfAccount && refusal)) return;
		this.refusal = undefined;
		this.isOfAccount = false;
		this.strikes = 0;
		this.asked = new Set();
	}

	private begin(error: PlatformError, admittedAt: number, isOfAccount: boolean): void {
		const now = performance.now();
		// Requests under way together count as one refusal.
		if (!this.refusal || admittedAt >= this.since) this.strikes++;
		this.since = now;
		this.isTrying = false;
		// While the account is refused, other refusals change nothing.
		if (this.isOfAccount && !isOfAccount && this.until > now) return;
		const askedMs = error.retryAfterMs ?? 0;
		const n = askedMs > 0 ? this.strikes - 1 : this.strikes;
		const ownMs = isOfAccount ? ACCOUNT_HOLD_MS : backOffMs(n, FIRST_BACK_OFF_MS, LONGEST_BACK_OFF_MS);
		this.until = Math.max(this.refusal ? this.until : now, now + Math.max(askedMs, ownMs));
		this.refusal = error;
		this.isOfAccount = isOfAccount;
	}

	/** @throws PlatformError if the request may not wait for the time that is left, or any longer for the one that is tried */
	private mayGo(request: QueuedRequest, leftMs: number): boolean {
		const { caller } = request;
		const { refusal } = this;
		const isHeld = refusal !== undefined && leftMs > 0;
		if (refusal) {
			const waitedMs = this.waitedMs(caller);
			const mostMs = this.mostMs(caller);
			const isTooLong = isHeld
				? leftMs > Math.min(mostMs - waitedMs, timeLeftMs(caller))
				: this.isTrying && waitedMs > Math.max(TRIAL_MS, mostMs);
			if (isHeld && isTooLong && this.mayAskOnce(caller)) return true;
			if (isTooLong)
				throw notSentError(caller, { refusal, isOfAccount: this.isOfAccount, untilMs: Math.max(0, leftMs), waitedMs });
		}
		if (isHeld || this.isTrying || performance.now() < this.leftAt + APART_MS) return false;
		return request === (this.queue.find((each) => each.caller.isPoll) ?? this.queue[0]);
	}

	/** How long a caller may wait, in milliseconds. */
	private mostMs({ isEditor, options }: Caller): number {
		return isEditor || this.isOfAccount ? 0 : options.maxRateLimitWaitMs;
	}

	/** How long a caller has waited without an answer, in milliseconds. */
	private waitedMs(caller: Caller): number {
		const now = performance.now();
		return now - (this.waitingSince.get(caller) ?? now);
	}

	/** Whether a run that a person started may ask although the key is held. It may once. */
	private mayAskOnce({ person, isEditor }: Caller): boolean {
		if (person === undefined || this.asked.has(person) || (isEditor && !this.isOfAccount)) return false;
		this.asked.add(person);
		return true;
	}
}

/** The time until waits of a poll must end, in milliseconds. */
function timeLeftMs({ options: { poll } }: Caller): number {
	return poll ? poll.waitsUntil - performance.now() : Number.POSITIVE_INFINITY;
}

const holds = new Map<string, RateLimitGate>();

/** The gate of a credential, a key or a user, in this process. */
export function rateLimitGateOf(keyId: string): RateLimitGate {
	const hold = holds.get(keyId) ?? new RateLimitGate();
	// Moved to the end of the map, so that the key used longest ago is forgotten first.
	holds.delete(keyId);
	holds.set(keyId, hold);
	const [oldest = keyId] = holds.keys();
	if (holds.size > MAX_HOLDS) holds.delete(oldest);
	return hold;
}

/** Whether the platform has answered a request that ended so: with what was asked for, or with a refusal. */
function isAnswer(error: unknown): boolean {
	const { status = 0 } = error instanceof PlatformError ? error : {};
	return error === undefined || (status >= 400 && status < 500);
}
