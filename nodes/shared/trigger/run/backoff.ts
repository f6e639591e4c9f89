import { HOUR_MS, MINUTE_MS } from '../../dsquery/values/durations';

/**
 * A lasting refusal of the platform (license, scope, role, key, a filter that it does not know, an answer that is not the
 * platform's): it is asked less and less often, and that is said once an hour. Points in time are milliseconds of
 * `performance.now()`.
 */
export interface RefusalBackoff {
	/** The kind of refusal. For another kind, the waits begin anew. */
	reason: string;
	/** What to throw as the alert. */
	refusal: unknown;
	askedAt: number;
	askAgainAt: number;
	refusals: number;
}

/**
 * Polls in a row that could not read something, for reasons that may pass by themselves, as far as this process knows.
 * They are sat out, but not for long: a watch that sees nothing must say so.
 */
export interface UnansweredPolls {
	/** When the first of them began. */
	since: number;
	polls: number;
	/** When that was last said in a failed execution. */
	saidAt?: number;
}

const UNANSWERED_FOR_MS = 30 * MINUTE_MS;
const UNANSWERED_POLLS = 3;
/** Where the platform asks for a longer wait, it is said at once. */
const LONG_WAIT_MS = HOUR_MS;
const UNANSWERED_SAID_EVERY_MS = 6 * HOUR_MS;

/** The polls before, and one more. */
export function addUnansweredPoll(previous: UnansweredPolls | undefined, now: number): UnansweredPolls {
	return { ...previous, since: previous?.since ?? now, polls: (previous?.polls ?? 0) + 1 };
}

/** Whether it is time for an alert. @param askedMs how long the platform asks to wait, if it does */
export function isUnansweredAlertDue({ since, polls, saidAt }: UnansweredPolls, now: number, askedMs = 0): boolean {
	if (saidAt !== undefined) return now >= saidAt + UNANSWERED_SAID_EVERY_MS - TOLERANCE_MS;
	return askedMs > LONG_WAIT_MS || (polls >= UNANSWERED_POLLS && now >= since + UNANSWERED_FOR_MS - TOLERANCE_MS);
}

const FIRST_BACK_OFF_MS = 2 * MINUTE_MS;
const LONGEST_BACK_OFF_MS = 15 * MINUTE_MS;
const SAID_EVERY_MS = HOUR_MS;
/** Polls come a little early or late, so what is due within this time counts as due. */
const TOLERANCE_MS = 5_000;

/**
 * How long to wait after one more refusal.
 *
 * @param pointlessForMs how long asking again is pointless, if the platform says so
 */
export function backOff(
	previous: RefusalBackoff | undefined,
	now: number,
	{ reason, refusal, pointlessForMs = 0 }: { reason: string; refusal: unknown; pointlessForMs?: number },
): RefusalBackoff {
	const continues = previous?.reason === reason;
	const refusals = (continues ? previous.refusals : 0) + 1;
	const waitMs = Math.max(pointlessForMs, FIRST_BACK_OFF_MS * 2 ** (refusals - 1));
	return {
		reason,
		refusal,
		askedAt: now,
		askAgainAt: now + Math.min(LONGEST_BACK_OFF_MS, waitMs),
		refusals,
	};
}

export function isRetryDue(backoff: RefusalBackoff | undefined, now: number): boolean {
	return !backoff || now >= backoff.askAgainAt - TOLERANCE_MS;
}

/** Whether something may be said in a failed execution: at most once an hour. @param saidAt when it was said last */
export function isAlertAllowed(saidAt: number | undefined, now: number): boolean {
	return saidAt === undefined || now >= saidAt + SAID_EVERY_MS - TOLERANCE_MS;
}
