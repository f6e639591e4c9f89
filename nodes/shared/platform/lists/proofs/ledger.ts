import { createHash } from 'crypto';

import type { Query } from '../../../dsquery/types';
import { HOUR_MS } from '../../../dsquery/values/durations';
import { writeQuery } from '../../../dsquery/write';

/** What can be proven about a list, in short. Each proof is a function of its own. */
export type Claim =
	/** The first page was the whole list. */
	| 'one page'
	/** The first row is the first one in its order. */
	| 'first row'
	/** Filter and sort have an effect. Asked of lists of unknown shape. */
	| 'query applied'
	/** Skip has an effect. Asked of lists of unknown shape. */
	| 'skip applied';

/** What a proof found. */
export type Finding = 'holds' | 'fails';

/** How long a proof counts, in milliseconds. */
export const PROOF_HOLDS_MS = HOUR_MS;
/** Most proofs remembered: more than a process makes in an hour. */
const MOST_PROOFS = 5_000;
/** The question of a proof about the list as a whole. */
const WHOLE_LIST = '';

/**
 * What was proven in this process, for which question, and when, so that it is not asked again within the hour. What
 * proves a claim, and what follows from it, is the business of whoever asks.
 */
export class Ledger {
	/** The oldest first. */
	private readonly proofs = new Map<string, { finding: Finding; at: number }>();

	/** @param now milliseconds, of a clock that is never set */
	constructor(
		private readonly now: () => number,
		private readonly most = MOST_PROOFS,
	) {}

	found(key: string): Finding | undefined {
		const proof = this.proofs.get(key);
		return proof && this.now() - proof.at < PROOF_HOLDS_MS ? proof.finding : undefined;
	}

	write(key: string, finding: Finding): void {
		this.proofs.delete(key);
		this.proofs.set(key, { finding, at: this.now() });
		for (const oldest of this.proofs.keys()) {
			if (this.proofs.size <= this.most) break;
			this.proofs.delete(oldest);
		}
	}
}

/** The part of the ledger for one list, as one key at one address reads it. */
export class ListProofs {
	/** @param list the list and who reads it: what it has proven to one says nothing about another */
	constructor(
		private readonly ledger: Ledger,
		private readonly list: string,
	) {}

	/**
	 * What the proof found within the last hour; undefined if it is to be made.
	 *
	 * @param question what it was made of, see `questionOf`; the whole list when left out
	 */
	found(claim: Claim, question = WHOLE_LIST): Finding | undefined {
		return this.ledger.found(this.keyOf(claim, question));
	}

	write(claim: Claim, finding: Finding, question = WHOLE_LIST): void {
		this.ledger.write(this.keyOf(claim, question), finding);
	}

	/** Whether a claim holds, by a proof of the last hour or by this one. One that fails is made again the next time. */
	async holds(claim: Claim, prove: () => Promise<boolean>, question?: string): Promise<boolean> {
		if (this.found(claim, question) === 'holds') return true;
		const isProven = await prove();
		if (isProven) this.write(claim, 'holds', question);
		return isProven;
	}

	/** Questions may be long, so their hash is kept. */
	private keyOf(claim: Claim, question: string): string {
		return createHash('sha256').update([this.list, claim, question].join('\n')).digest('base64');
	}
}

/** A question as text: filter and sort as they are written on the wire. Which page was asked for makes no difference. */
export function questionOf({ filter, sorts }: Query): string {
	return writeQuery({ filter, sorts });
}
