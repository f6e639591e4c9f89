/**
 * What to do while the platform refuses for good (licence, scope, role, key, a filter it does not know, an answer that is
 * not the platform's): alert once, then ask more and more rarely, and alert again every hour. Moments are milliseconds of
 * `performance.now()`.
 */
export interface Outage {
	/** Stands for settings and key: after a change of either the platform is asked at once. */
	subject: string;
	/** What was refused. Another reason is another outage. */
	reason: string;
	/** What to throw as the alert. */
	refusal: unknown;
	/** When it was last alerted; undefined while the alert is still due. */
	alertedAt?: number;
	/** When the platform was last asked. */
	askedAt: number;
	/** Not before this moment is it asked again. */
	askAgainAt: number;
	/** Refusals in a row. */
	refusals: number;
}

const MINUTE_MS = 60_000;
const FIRST_BACK_OFF_MS = 2 * MINUTE_MS;
const LONGEST_BACK_OFF_MS = 15 * MINUTE_MS;
const REMIND_AFTER_MS = 60 * MINUTE_MS;
/** Polls come by a clock of their own, a little early or late: what is due within this time is due. */
const TOLERANCE_MS = 5_000;

/**
 * Takes in a refusal.
 *
 * @param pointlessForMs how long asking again is pointless, where the platform says so
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

/** Whether the platform may be asked now. */
export function mayAsk(outage: Outage | undefined, now: number, subject: string): boolean {
	return !outage || outage.subject !== subject || now >= outage.askAgainAt - TOLERANCE_MS;
}

/** Whether an alert is due: the first one, or the reminder after an hour. */
export function alertIsDue({ alertedAt }: Outage, now: number): boolean {
	return alertedAt === undefined || now >= alertedAt + REMIND_AFTER_MS - TOLERANCE_MS;
}

/** The alert was given. */
export function alerted(outage: Outage, now: number): Outage {
	return { ...outage, alertedAt: now };
}

/** A person has activated the workflow again: the platform is asked at once, unless it was asked just now. */
export function hurried(outage: Outage, now: number): Outage {
	const soon = Math.max(now, outage.askedAt + MINUTE_MS / 2);
	return { ...outage, askAgainAt: Math.min(outage.askAgainAt, soon) };
}
