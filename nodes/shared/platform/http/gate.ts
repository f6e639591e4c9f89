/** First wait when the platform does not say how long, in milliseconds; doubles with every refusal in a row. */
const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;
/** How long a gate that nobody uses any more is kept, in milliseconds. */
const KEEP_MS = 600_000;

interface Gate {
	/** Nothing of this key is sent before this moment. */
	until: number;
	/** When the refusal arrived that closed the gate last. What was sent before says nothing about the time after. */
	closedAt: number;
	/** Refusals in a row. */
	strikes: number;
}

/** An exponential back-off with jitter: between half and all of `first * 2^(n - 1)`, n counting from 1. */
export function backOffMs(n: number, first: number, longest: number, random: () => number): number {
	const full = Math.min(longest, first * 2 ** Math.min(n - 1, 30));
	return Math.ceil(full * (0.5 + random() / 2));
}

/**
 * The gates of all keys in this process. When the platform tells one request of a key to wait, none of that key is sent
 * until then, whichever item, node or workflow it belongs to. Keys without a refusal need no gate and no memory.
 */
export class RateLimitGates {
	private readonly gates = new Map<string, Gate>();
	private readonly now: () => number;
	private readonly random: () => number;

	constructor(now: () => number = Date.now, random: () => number = Math.random) {
		this.now = now;
		this.random = random;
	}

	/** How long this key's gate stays closed, in milliseconds; 0 when it is open. */
	remainingMs(keyId: string): number {
		const gate = this.gates.get(keyId);
		return gate ? Math.max(0, gate.until - this.now()) : 0;
	}

	/**
	 * Closes the gate after a 429. A request that was already under way when the gate closed can only keep it closed for
	 * longer, never open it sooner.
	 *
	 * @param sentAt when the refused request was sent, milliseconds since 1970
	 * @param askedMs how long the platform asked to wait; without it, an exponential back-off
	 * @returns how long the gate is now closed, in milliseconds
	 */
	refused(keyId: string, sentAt: number, askedMs: number | undefined): number {
		const now = this.now();
		this.forgetIdle(now);
		const known = this.gates.get(keyId);
		const sameBurst = known !== undefined && sentAt < known.closedAt;
		const gate = known ?? { until: now, closedAt: now, strikes: 0 };
		if (!sameBurst) {
			gate.strikes++;
			gate.closedAt = now;
		}
		const backOff = () => backOffMs(gate.strikes, FIRST_BACK_OFF_MS, LONGEST_BACK_OFF_MS, this.random);
		const wait = askedMs ?? (sameBurst ? 0 : backOff());
		gate.until = Math.max(gate.until, now + wait);
		this.gates.set(keyId, gate);
		return gate.until - now;
	}

	/** A request that was sent after the gate had opened again came through. */
	passed(keyId: string, sentAt: number): void {
		const gate = this.gates.get(keyId);
		if (gate && sentAt >= gate.until && this.now() >= gate.until) this.gates.delete(keyId);
	}

	private forgetIdle(now: number): void {
		for (const [keyId, gate] of this.gates) {
			if (gate.until < now - KEEP_MS) this.gates.delete(keyId);
		}
	}
}

/** The gates of this process. */
export const gates = new RateLimitGates();
