import { HOUR_MS, MINUTE_MS } from '../../dsquery/values/durations';

/**
 * Tracks a lasting refusal of the platform, here called outage, which is not that of a station (license, scope, role, key, a filter that the platform does not know, an answer that is not
 * the platform's): alert once, back off, and alert again every hour. Points in time are milliseconds of
 * `performance.now()`.
 */
export interface Outage {
	/** Hash of settings and key: after a change of either, the platform is asked at once. */
	subject: string;
	/** The kind of refusal. Another reason is another outage. */
	reason: string;
	/** What to throw as the alert. */
	refusal: unknown;
	/** When it was last alerted; undefined while the alert is still due. */
	alertedAt?: number;
	askedAt: number;
	askAgainAt: number;
	refusals: number;
}

/**
 * Polls in a row that could read nothing, for reasons that may pass by themselves, as far as this process knows. They are
 * sat out, but not for long: a watch that sees nothing must say so.
 */
export interface Silence {
	/** When the first of them began. */
	since: number;
	polls: number;
	/** When that was last said in a failed execution. */
	alertedAt?: number;
}

const SILENT_FOR_MS = 30 * MINUTE_MS;
const SILENT_POLLS = 3;
/** Where the platform asks for a longer wait, it is said at once. */
const LONG_WAIT_MS = HOUR_MS;
const SILENCE_SAID_EVERY_MS = 6 * HOUR_MS;

/** The silence after one more poll that could read nothing. */
export function unanswered(previous: Silence | undefined, now: number): Silence {
	return { ...previous, since: previous?.since ?? now, polls: (previous?.polls ?? 0) + 1 };
}

/** @param askedMs how long the platform asks to wait, if it does */
export function silenceIsDue({ since, polls, alertedAt }: Silence, now: number, askedMs = 0): boolean {
	if (alertedAt !== undefined) return now >= alertedAt + SILENCE_SAID_EVERY_MS - TOLERANCE_MS;
	return askedMs > LONG_WAIT_MS || (polls >= SILENT_POLLS && now >= since + SILENT_FOR_MS - TOLERANCE_MS);
}

const FIRST_BACK_OFF_MS = 2 * MINUTE_MS;
const LONGEST_BACK_OFF_MS = 15 * MINUTE_MS;
const REMIND_AFTER_MS = HOUR_MS;
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
	refusal: { subject: string; reason: string; refusal: unknown; pointlessForMs?: number },
): Outage {
	const { subject, reason, pointlessForMs = 0 } = refusal;
	const continues = previous?.subject === subject && previous.reason === reason;
	const refusals = (continues ? previous.refusals : 0) + 1;
	const backOff = Math.max(pointlessForMs, FIRST_BACK_OFF_MS * 2 ** (refusals - 1));
	return {
		subject,
		reason,
		refusal: refusal.refusal,
		alertedAt: continues ? previous.alertedAt : undefined,
		askedAt: now,
		askAgainAt: now + Math.min(LONGEST_BACK_OFF_MS, backOff),
		refusals,
	};
}

export function mayAsk(outage: Outage | undefined, now: number, subject: string): boolean {
	return !outage || outage.subject !== subject || now >= outage.askAgainAt - TOLERANCE_MS;
}

/** Whether an alert is due: the first one, or the reminder after an hour. */
export function alertIsDue({ alertedAt }: Pick<Outage, 'alertedAt'>, now: number): boolean {
	return alertedAt === undefined || now >= alertedAt + REMIND_AFTER_MS - TOLERANCE_MS;
}

export function alerted<Told extends Pick<Outage, 'alertedAt'>>(what: Told, now: number): Told {
	return { ...what, alertedAt: now };
}
