import { backOffMs } from './retry';

/** Longest hold of a key, in milliseconds, unless a run may wait longer. */
const LONGEST_HOLD_MS = 15 * 60_000;
/** First wait for the rate limit if the platform does not say how long; doubles with every refusal in a row. */
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;
/** First hold after a refusal because the license is not active; doubles with each further one. */
const FIRST_LICENSE_HOLD_MS = 60_000;
/** Requests that waited together are sent about this far apart, in milliseconds. */
const APART_MS = 50;
/** How often a waiting request checks whether the key is free again, in milliseconds. */
const LOOK_MS = 200;
/** Limit of remembered holds, and of refusals: more than a process needs at the same time. */
const MAX_REMEMBERED = 500;

export type HoldReason = 'rate-limited' | 'license-inactive';

/** Why nothing is sent with a key. Times are those of `performance.now()`. */
interface Hold {
	reason: HoldReason;
	/** Nothing is sent before this time. Then one request tests the key for all. */
	until: number;
	/** The time the platform asked for, possibly much later. A run that may wait that long does. */
	askedUntil: number;
	/** When the latest refusal arrived. Answers to requests sent earlier say nothing about the time after it. */
	since: number;
	/** Refusals in a row. */
	strikes: number;
	/** A request is under way to test the key. */
	isAsking: boolean;
	/** Requests waiting right now. */
	waiting: number;
	/** Runs started by a person that have asked while the key was held: each may ask once. */
	asked: Set<string>;
}

/** What a request may do: go, wait and ask again, or fail. */
export type Permission =
	| { go: 'now' }
	| { go: 'wait'; ms: number }
	| { go: 'fail'; reason: HoldReason; untilMs: number; askedMs: number };

/**
 * The holds on the keys of this process: for the rate limit, or for a license that is not active. While a key is held,
 * requests that may wait for its rate limit do; all others fail without being sent, except one for each run that a
 * person started. When the hold is over, one request tests the key for all.
 */
export class KeyHolds {
	private readonly holds = new Map<string, Hold>();

	constructor(
		private readonly now: () => number = () => performance.now(),
		private readonly random: () => number = Math.random,
	) {}

	/**
	 * Asks whether a request may be sent. After `now` the caller must report `refused` or `ended`.
	 *
	 * @param asker.patienceMs how long the request can still wait for the rate limit
	 * @param asker.person id of the run, if a person started it
	 * @param asker.isEditor a request of the editor, never sent while the rate limit holds the key
	 */
	ask(keyId: string, asker: { patienceMs: number; person?: string; isEditor?: boolean }): Permission {
		const { patienceMs, person, isEditor } = asker;
		const hold = this.holds.get(keyId);
		if (!hold) return { go: 'now' };
		const untilMs = hold.until - this.now();
		const askedMs = hold.askedUntil - this.now();
		if (askedMs > 0 && askedMs <= patienceMs && hold.reason === 'rate-limited') {
			return { go: 'wait', ms: this.look(hold, askedMs) };
		}
		const mayAsk = person !== undefined && (hold.isAsking || !hold.asked.has(person));
		const isLeftAlone = isEditor && hold.reason === 'rate-limited';
		if (untilMs > 0 && (!mayAsk || isLeftAlone)) return { go: 'fail', reason: hold.reason, untilMs, askedMs };
		if (hold.isAsking) return { go: 'wait', ms: this.look(hold, 0) };
		hold.isAsking = true;
		if (person !== undefined) hold.asked.add(person);
		return { go: 'now' };
	}

	/** Counts a request that starts (1) or stops (-1) waiting, so that many are sent further apart. */
	count(keyId: string, waiting: 1 | -1): void {
		const hold = this.holds.get(keyId);
		if (hold) hold.waiting = Math.max(0, hold.waiting + waiting);
	}

	/**
	 * The platform refused a request: the key is held.
	 *
	 * @param sentAt when the request was sent
	 * @param refusal.askedMs how long the platform asks to wait
	 * @param refusal.patienceMs how long a request of this run may wait in all
	 */
	refused(
		keyId: string,
		sentAt: number,
		refusal: { reason: HoldReason; askedMs?: number; patienceMs?: number; person?: string },
	): void {
		const { reason, askedMs = 0, patienceMs = 0, person } = refusal;
		const now = this.now();
		const known = this.holds.get(keyId);
		const isUnpaid = known?.reason === 'license-inactive' && known.until > now;
		const before = known?.reason === reason || isUnpaid ? known : undefined;
		// Requests under way together count as one refusal, and so do people's requests during a license hold.
		const counts = !before || (!isUnpaid && sentAt >= before.since);
		const strikes = (before?.strikes ?? 0) + (counts ? 1 : 0);
		const waitMs = Math.max(askedMs, counts ? this.backOff(reason, strikes, askedMs) : 0);
		const hold: Hold = {
			reason: before?.reason ?? reason,
			until: Math.max(before?.until ?? 0, now + Math.min(waitMs, Math.max(LONGEST_HOLD_MS, patienceMs))),
			askedUntil: Math.max(before?.askedUntil ?? 0, now + waitMs),
			since: now,
			strikes,
			isAsking: false,
			waiting: before?.waiting ?? 0,
			asked: before?.asked ?? new Set(),
		};
		if (person !== undefined) hold.asked.add(person);
		// Moved to the end of the map, so that the key refused longest ago is forgotten first.
		this.holds.delete(keyId);
		this.holds.set(keyId, hold);
		forgetOldest(this.holds);
	}

	/**
	 * A request ended in any other way. Its answer may show that the key is free.
	 *
	 * @param status HTTP status of the answer; left out when the platform gave none
	 */
	ended(keyId: string, sentAt: number, status?: number): void {
		const hold = this.holds.get(keyId);
		if (!hold || sentAt < hold.since) return;
		const isFree = status !== undefined && (status < 300 || (status < 500 && hold.reason === 'rate-limited'));
		if (isFree) this.holds.delete(keyId);
		else hold.isAsking = false;
	}

	/** Our own wait where the platform asks for none, or repeatedly for too short a one. */
	private backOff(reason: HoldReason, strikes: number, askedMs: number): number {
		if (reason === 'license-inactive') return Math.min(LONGEST_HOLD_MS, FIRST_LICENSE_HOLD_MS * 2 ** (strikes - 1));
		if (askedMs > 0 && strikes === 1) return 0;
		return backOffMs(askedMs > 0 ? strikes - 1 : strikes, FIRST_BACK_OFF_MS, LONGEST_BACK_OFF_MS, this.random);
	}

	/** How long a waiting request sleeps before it asks again. */
	private look(hold: Hold, leftMs: number): number {
		return leftMs > LOOK_MS ? LOOK_MS : leftMs + this.random() * APART_MS * (hold.waiting + 1);
	}
}

/** Keeps a map bounded. */
export function forgetOldest(all: Map<string, unknown>): void {
	for (const oldest of all.keys()) {
		if (all.size <= MAX_REMEMBERED) break;
		all.delete(oldest);
	}
}

/** The holds of this process. */
export const holds = new KeyHolds();
