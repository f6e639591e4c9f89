import type { IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../dsquery/values/durations';
import { type Connection, type Page, PlatformError } from '../platform';
import { settle } from '../settle';
import { toIso } from './text';
import type { NodeMemory } from './run/memory';
import type { TriggerSettings } from './parameters';

/** How a list is read within a poll. */
export interface ReadLimits {
	pageSize: number;
	/** Requests for details that may be under way at once. */
	parallel: number;
	/** Time of `performance.now()` after which nothing more is started. */
	until: number;
	/** Number of rows after which nothing more is started. Unlimited when left out. */
	enough?: number;
	/** Number of rows above which the list is refused, as more than a trigger can hold. Unlimited when left out. */
	most?: number;
	/** Number of requests that a look-up may take, if its first part needs no more. Unlimited when left out. */
	requests?: number;
}

const NOT_FOUND = 404;

/**
 * The parts of a poll, and the share of its time after which nothing more of each is started. The rest is for requests
 * under way, and for saving.
 */
export const SHARES = { newRows: 0.3, list: 0.4, lookUp: 0.55, last: 0.7 };

/** Time for one poll, in milliseconds: n8n's default, and what n8n versions without a poll budget allow. */
export const DEFAULT_BUDGET_MS = 5 * MINUTE_MS;

/** How long a poll may take before n8n gives up on it, in milliseconds. */
export function budgetOf(context: IPollFunctions): number {
	// n8n before 2.39 does not say.
	const budget = (context as { getPollBudgetMs?: () => number }).getPollBudgetMs?.();
	return typeof budget === 'number' && budget > 0 ? budget : DEFAULT_BUDGET_MS;
}

/** More warnings are neither remembered nor logged. */
const MOST_LOGGED = 1_000;

/** One poll, from its first request to its batch. */
export class Poll<Settings extends TriggerSettings = TriggerSettings> {
	/** The time of day when it began, in milliseconds since 1970. */
	readonly now = Date.now();
	readonly zone: string;
	private hasAnswer = false;
	isCutShort = false;
	/** What could not be read at all although the poll goes on, as a message names it, and why. */
	readonly unread = new Map<string, PlatformError>();
	/** Whether a poll has read the same before, so that a 404 comes from a gateway. */
	wasRead = false;
	/** A list answered without content, not even an empty envelope. */
	hasBlankAnswer = false;
	/** The first row of the whole list: see `readStartOfList`. */
	startOfList?: Promise<Page>;

	/**
	 * @param began when it began, in milliseconds of `performance.now()`
	 * @param budgetMs how long it may take
	 */
	constructor(
		readonly context: IPollFunctions,
		readonly connection: Connection,
		readonly settings: Settings,
		readonly memory: NodeMemory,
		readonly began: number,
		readonly budgetMs: number,
	) {
		this.zone = context.getTimezone();
	}

	/** Reads what the poll cannot do without. */
	async readRequired<Value>(part: Promise<Value>): Promise<Value> {
		const value = await part;
		this.hasAnswer = true;
		return value;
	}

	/**
	 * Reads one part of what the poll needs. Until some part has been read, any failure ends the poll: the platform may
	 * not answer at all. After that, a part that fails for a passing reason is left to the next poll.
	 *
	 * @param name what a message calls the part if it cannot be read for long; without a name, there is no message
	 * @returns undefined if nothing may be concluded about this part
	 */
	async attempt<Value>(part: Promise<Value>, name?: string): Promise<Value | undefined> {
		const outcome = await settle(this.readRequired(part));
		if (outcome.ok) return outcome.value;
		if (!this.hasAnswer || !this.isPassing(outcome.error)) throw outcome.error;
		this.leaveToNextPoll(outcome.error);
		if (name !== undefined) this.unread.set(name, outcome.error);
		return undefined;
	}

	/** Whether the next poll may well succeed: after a rate limit, 5xx, a network fault, an invalid answer, or a gateway's 404. */
	isPassing(error: unknown): error is PlatformError {
		if (!(error instanceof PlatformError)) return false;
		const isNotFound = this.wasRead && error.status === NOT_FOUND;
		return error.transient || error.kind === 'invalid-answer' || isNotFound;
	}

	/** Leaves something to the next poll, and logs it once per poll. */
	leaveToNextPoll({ message }: Error): void {
		if (!this.isCutShort) {
			const why = this.connection.withoutSecrets(message);
			this.context.logger.warn(`Part of a poll is left to the next one. ${why}`);
		}
		this.isCutShort = true;
	}

	/** Logs the notes of the credential, such as what was cut off from its base URL, once for each node and process. */
	logNotes(): void {
		const { logged } = this.memory;
		for (const note of this.connection.notes) {
			if (logged.has(note) || logged.size >= MOST_LOGGED) continue;
			logged.add(note);
			this.context.logger.warn(this.connection.withoutSecrets(note));
		}
	}

	/** n8n discards the items of a poll that took longer than it may. */
	get isLate(): boolean {
		return performance.now() - this.began >= this.budgetMs;
	}

	/** How to read in a part of the poll. */
	limitsFor(part: keyof typeof SHARES): ReadLimits {
		const { settings, memory } = this;
		// A page that takes several requests would begin anew in each poll where the rate limit does not let all of them through.
		const pageSize = Math.min(settings.pageSize, memory.pageLength ?? settings.pageSize);
		return { pageSize, parallel: settings.parallel, until: this.began + this.budgetMs * SHARES[part] };
	}

	iso(ms: number): string {
		return toIso(ms, this.zone);
	}
}
