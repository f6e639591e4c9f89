/** How long a key is left alone after the first licence refusal, in milliseconds; doubles with every further one. */
const FIRST_OPEN_MS = 60_000;
const LONGEST_OPEN_MS = 15 * 60_000;
/** How long a circuit that nobody asks for any more is kept, in milliseconds. */
const KEEP_MS = 60 * 60_000;
/** Executions remembered at once. Enough for every execution a process can run at the same time. */
const MAX_REMEMBERED = 500;

interface Circuit {
	openUntil: number;
	openMs: number;
	refusedAt: number;
	/** A request is on its way to see whether the licence is active again. */
	probing: boolean;
	/** Askers that have had their answer: manual executions and editor requests ask once each. */
	asked: Set<string>;
}

/** What a request may do: go ahead, go ahead as the one that finds out, wait for the one that does, or fail until a moment. */
export type Admission = { go: 'pass' | 'probe' | 'wait' } | { go: 'refused'; until: number };

/**
 * The licence circuits of all keys in this process. An inactive licence is a matter of billing: asking again and again
 * is useless and unwelcome (specification, authentication rule 5). While a circuit is open nothing is sent, except once
 * for each asker that a person started; after that time, one request finds out for all.
 */
export class LicenseCircuits {
	private readonly circuits = new Map<string, Circuit>();
	private readonly now: () => number;

	constructor(now: () => number = Date.now) {
		this.now = now;
	}

	/**
	 * Asks whether a request may be sent. After `probe` the caller must report `succeeded`, `refused` or `undecided`.
	 *
	 * @param asker names the manual execution or editor request; production executions and polls have none
	 */
	admit(keyId: string, asker?: string): Admission {
		const circuit = this.circuits.get(keyId);
		if (!circuit) return { go: 'pass' };
		const open = this.now() < circuit.openUntil;
		const mayAsk = asker !== undefined && !circuit.asked.has(asker);
		if (open && !mayAsk && !(circuit.probing && asker !== undefined)) {
			return { go: 'refused', until: circuit.openUntil };
		}
		if (circuit.probing) return { go: 'wait' };
		if (asker !== undefined) remember(circuit.asked, asker);
		circuit.probing = true;
		return { go: 'probe' };
	}

	/**
	 * The platform said that the licence is not active.
	 *
	 * @returns the moment until which nothing more is sent, milliseconds since 1970
	 */
	refused(keyId: string, asker?: string): number {
		const now = this.now();
		for (const [other, { openUntil }] of this.circuits) {
			if (openUntil < now - KEEP_MS) this.circuits.delete(other);
		}
		const known = this.circuits.get(keyId);
		const circuit: Circuit = known ?? {
			openUntil: now + FIRST_OPEN_MS,
			openMs: FIRST_OPEN_MS,
			refusedAt: now,
			probing: false,
			asked: new Set(),
		};
		// Requests that were under way together, and the single questions of people, do not make the wait longer.
		if (known && now >= known.openUntil) {
			circuit.openMs = Math.min(known.openMs * 2, LONGEST_OPEN_MS);
			circuit.openUntil = now + circuit.openMs;
		}
		circuit.refusedAt = now;
		circuit.probing = false;
		if (asker !== undefined) remember(circuit.asked, asker);
		this.circuits.set(keyId, circuit);
		return circuit.openUntil;
	}

	/** The platform answered, so the licence is active. An answer to an older request than the refusal proves nothing. */
	succeeded(keyId: string, sentAt: number): void {
		const circuit = this.circuits.get(keyId);
		if (circuit && sentAt >= circuit.refusedAt) this.circuits.delete(keyId);
	}

	/** The request that was to find out ended without an answer to the question. The next one finds out. */
	undecided(keyId: string): void {
		const circuit = this.circuits.get(keyId);
		if (circuit) circuit.probing = false;
	}
}

/**
 * Refusals that cannot change within one execution, such as a missing scope: the same execution never asks twice, not
 * even when n8n runs its node again (Retry On Fail).
 */
export class RememberedRefusals<Refusal> {
	private readonly refusals = new Map<string, Refusal>();

	/** What this asker was told, if anything. */
	get(keyId: string, subject: string, asker: string | undefined): Refusal | undefined {
		return asker === undefined ? undefined : this.refusals.get(nameOf(keyId, subject, asker));
	}

	/** Remembers what an asker was told. Without an asker (a poll) nothing is remembered: polls have their own state. */
	add(keyId: string, subject: string, asker: string | undefined, refusal: Refusal): void {
		if (asker === undefined) return;
		this.refusals.set(nameOf(keyId, subject, asker), refusal);
		for (const oldest of this.refusals.keys()) {
			if (this.refusals.size <= MAX_REMEMBERED) break;
			this.refusals.delete(oldest);
		}
	}
}

/** The circuits of this process. */
export const circuits = new LicenseCircuits();

function nameOf(keyId: string, subject: string, asker: string): string {
	return `${keyId} ${subject} ${asker}`;
}

function remember(asked: Set<string>, asker: string): void {
	asked.add(asker);
	for (const oldest of asked) {
		if (asked.size <= MAX_REMEMBERED) break;
		asked.delete(oldest);
	}
}
