import { HOUR_MS, MINUTE_MS } from '../../dsquery/values/durations';

/**
 * Tracks a lasting refusal of the platform, here called outage, which is not that of a station (license, scope, role, key,
 * a filter that the platform does not know, an answer that is not the platform's): ask less and less often, and say it once
 * an hour. Points in time are milliseconds of `performance.now()`.
 */
export interface Outage {
	/** The kind of refusal. Another reason is another outage. */
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
export interface Silence {
	/** When the first of them began. */
	since: number;
	polls: number;
	/** When that was last said in a failed execution. */
	saidAt?: number;
}

const SILENT_FOR_MS = 30 * MINUTE_MS;
const SILENT_POLLS = 3;
/** Where the platform asks for a longer wait, it is said at once. */
const LONG_WAIT_MS = HOUR_MS;
const SILENCE_SAID_EVERY_MS = 6 * HOUR_MS;

/** The silence after one more poll that could not read it. */
export function unanswered(previous: Silence | undefined, now: number): Silence {
	return { ...previous, since: previous?.since ?? now, polls: (previous?.polls ?? 0) + 1 };
}

/** @param askedMs how long the platform asks to wait, if it does */
export function silenceIsDue({ since, polls, saidAt }: Silence, now: number, askedMs = 0): boolean {
	if (saidAt !== undefined) return now >= saidAt + SILENCE_SAID_EVERY_MS - TOLERANCE_MS;
	return askedMs > LONG_WAIT_MS || (polls >= SILENT_POLLS && now >= since + SILENT_FOR_MS - TOLERANCE_MS);
}

const FIRST_BACK_OFF_MS = 2 * MINUTE_MS;
const LONGEST_BACK_OFF_MS = 15 * MINUTE_MS;
const SAID_EVERY_MS = HOUR_MS;
/** Polls come a little early or late, so what is due within this time counts as due. */
const TOLERANCE_MS = 5_000;

/**
 * The outage after a refusal.
 *
 * @param pointlessForMs how long asking again is pointless, if the platform says so
 */
export function refused(
	previous: Outage | undefined,
	now: number,
	{ reason, refusal, pointlessForMs = 0 }: { reason: string; refusal: unknown; pointlessForMs?: number },
): Outage {
	const continues = previous?.reason === reason;
	const refusals = (continues ? previous.refusals : 0) + 1;
	const backOff = Math.max(pointlessForMs, FIRST_BACK_OFF_MS * 2 ** (refusals - 1));
	return {
		reason,
		refusal,
		askedAt: now,
		askAgainAt: now + Math.min(LONGEST_BACK_OFF_MS, backOff),
		refusals,
	};
}

export function mayAsk(outage: Outage | undefined, now: number): boolean {
	return !outage || now >= outage.askAgainAt - TOLERANCE_MS;
}

/** Whether something may be said in a failed execution: at most once an hour. @param saidAt when it was said last */
export function maySay(saidAt: number | undefined, now: number): boolean {
	return saidAt === undefined || now >= saidAt + SAID_EVERY_MS - TOLERANCE_MS;
}
