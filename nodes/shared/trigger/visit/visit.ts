import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../../dsquery/values/durations';
import { toNodeError } from '../../operation/nodeError';
import { type Connection, openConnection, PlatformError, type PlatformOptions } from '../../platform';
import { settle } from '../../settle';
import { shortHash } from '../hash';
import type { PollSettings } from '../parameters';
import { budgetOf, DEFAULT_BUDGET_MS, isPassing, Poll } from '../poll';
import { showSamples, type Samples } from '../samples';
import { clock } from '../text';
import { hasState } from '../watch/saved';
import { emptyMemory, noteBegin, type NodeMemory, recall } from './memory';
import { alerted, alertIsDue, mayAsk, refused, silenceIsDue, unanswered } from './outage';

/** What n8n gets of a call: nothing to save, or a batch, which may be empty. */
export type Items = INodeExecutionData[][] | null;

/** What a poll gives: items, and what must be said in a failed execution although it succeeded. */
export interface Outcome {
	items: Items;
	alert?: PlatformError;
	/** Why nothing of what matters could be read. It is said once that has gone on for long. */
	nothingRead?: PlatformError;
}

/** Share of the poll's time that one request may take, and may wait for the rate limit. */
const REQUEST_SHARE = 0.2;
/** A poll that takes longer is given up, and what it finds is not used. */
const GIVEN_UP_AFTER_MS = 30 * MINUTE_MS;
/** n8n tries five times within fifteen seconds to activate a trigger: the platform is asked once for all of them. */
const ACTIVATION_TRIES_MS = 20_000;
/** A list that does not come completely, or not in the order asked for, for this long is reported. */
const REPORT_INCOMPLETE_AFTER_MS = 15 * MINUTE_MS;

/** One call of a trigger by n8n: a manual test, or a poll, of which one runs at a time. */
export async function visit<Settings extends PollSettings>(
	trigger: Samples<Settings>,
	context: IPollFunctions,
	pollOnce: (poll: Poll<Settings>) => Promise<Outcome>,
): Promise<Items> {
	if (context.getMode() === 'manual') return await runTest(trigger, context);
	const memory = recall(context);
	const began = performance.now();
	if (memory.running !== undefined && began - memory.running < GIVEN_UP_AFTER_MS) {
		context.logger.debug(`The previous poll of the ${trigger.plural} is still running, so this one is left out.`);
		return null;
	}
	memory.running = began;
	noteBegin(memory, context, began);
	try {
		return await new Visit(trigger, context, memory, began).run(pollOnce);
	} finally {
		if (memory.running === began) memory.running = undefined;
	}
}

/** A manual test neither reads nor changes the saved state. */
async function runTest<Settings extends PollSettings>(
	trigger: Samples<Settings>,
	context: IPollFunctions,
): Promise<INodeExecutionData[][]> {
	let connection: Connection | undefined;
	try {
		const settings = trigger.readSettings(context);
		connection = await openConnection(context, settings.platformOptions);
		const began = performance.now();
		return await showSamples(trigger, new Poll(context, connection, settings, emptyMemory(), began, DEFAULT_BUDGET_MS));
	} catch (error) {
		throw toNodeError(context.getNode(), connection?.safeError(error) ?? error);
	}
}

/** Around a poll: asks the platform only if it may be asked now, and says what has to be said. */
class Visit<Settings extends PollSettings> {
	private readonly hasState: boolean;

	/** @param began when it began, in milliseconds of `performance.now()` */
	constructor(
		private readonly trigger: Samples<Settings>,
		private readonly context: IPollFunctions,
		private readonly memory: NodeMemory,
		private readonly began: number,
	) {
		this.hasState = hasState(context.getWorkflowStaticData('node'), memory.copy);
	}

	async run(pollOnce: (poll: Poll<Settings>) => Promise<Outcome>): Promise<Items> {
		const opened = await settle(this.open());
		const subject = subjectOf(this.context, opened.ok ? opened.value.connection : undefined);
		if (!opened.ok) return this.fail(opened.error, subject);
		if (!this.mayAsk(subject)) return this.remind();
		this.sayUnsaid();
		const polled = await settle(pollOnce(opened.value));
		const { connection } = opened.value;
		if (!polled.ok) return this.fail(connection.safeError(polled.error), subject);
		const { items, nothingRead } = polled.value;
		const alert = polled.value.alert ?? (nothingRead && this.silenceAfter(nothingRead));
		if (alert && items) this.memory.unsaid ??= connection.safeError(alert);
		else if (alert) throw toNodeError(this.context.getNode(), connection.safeError(alert));
		return items;
	}

	/** A poll gives a batch or a failed execution. So the next one says it before it asks anything; see `remind`. */
	private sayUnsaid(): void {
		const { unsaid, isStart } = this.memory;
		if (unsaid === undefined || isStart) return;
		this.memory.unsaid = undefined;
		throw toNodeError(this.context.getNode(), unsaid);
	}

	/** Reads the settings and opens the connection. Nothing is sent. */
	private async open(): Promise<Poll<Settings>> {
		const { context, memory, began } = this;
		const settings = this.trigger.readSettings(context);
		const budgetMs = budgetOf(context);
		const connection = await openConnection(context, within(settings.platformOptions, budgetMs));
		return new Poll(context, connection, settings, memory, began, budgetMs);
	}

	/** Without saved state, only the tries of one activation are held back: a person who tries again gets an answer. */
	private mayAsk(subject: string): boolean {
		const { context, memory, began } = this;
		const { outage } = memory;
		if (mayAsk(outage, began, subject)) return true;
		const isActivation = context.getActivationMode() === 'activate' && !this.hasState;
		return isActivation && outage !== undefined && began >= outage.askedAt + ACTIVATION_TRIES_MS;
	}

	/** What the next poll may well put right is only logged; everything else is an outage. */
	private fail(error: unknown, subject: string): null {
		const { memory, began } = this;
		if (this.hasState && this.isSatOut(error)) return this.sitOut(error);
		const retryAt = error instanceof PlatformError ? error.retryAt : undefined;
		const pointlessForMs = retryAt === undefined ? undefined : retryAt - Date.now();
		memory.outage = refused(memory.outage, began, { subject, reason: reasonOf(error), refusal: error, pointlessForMs });
		return this.remind();
	}

	private isSatOut(error: unknown): error is PlatformError {
		if (!isPassing(error)) return false;
		if (error.transient) return true;
		const { memory, began } = this;
		memory.incompleteSince ??= began;
		return began - memory.incompleteSince < REPORT_INCOMPLETE_AFTER_MS;
	}

	/** Leaves it to the next poll. Throws as an alert that this has gone on for long. */
	private sitOut(reason: PlatformError): null {
		const { context, trigger } = this;
		context.logger.warn(`The ${trigger.plural} could not be polled. The next poll goes on. ${reason.message}`);
		const alert = this.silenceAfter(reason);
		if (alert) throw toNodeError(context.getNode(), alert);
		return null;
	}

	/** Takes in that a poll could read nothing. @returns what must be said now */
	private silenceAfter(reason: PlatformError): PlatformError | undefined {
		const { memory, began } = this;
		const silence = (memory.silence = unanswered(memory.silence, began));
		if (memory.isStart || !silenceIsDue(silence, began, reason.retryAfterMs)) return undefined;
		memory.silence = alerted(silence, began);
		const now = Date.now();
		const since = clock(now - (performance.now() - silence.since), now, this.context.getTimezone());
		const why = [`${reason.message}.`, reason.description].filter(Boolean).join(' ');
		const goesOn =
			'What cannot be read is not reported. The trigger goes on asking, and reports what is the case once it can read again. This is said again every 6 hours.';
		return new PlatformError(reason.kind, `The ${this.trigger.plural} could not be read since ${since}`, {
			...reason,
			description: `${why} ${goesOn}`,
		});
	}

	/**
	 * Throws the refusal as an alert, or only logs it if it was reported already. With saved state, the first poll after a
	 * start is quiet: n8n gives up for good on a trigger whose first poll fails a few times.
	 */
	private remind(): null {
		const { context, memory, began } = this;
		const { outage } = memory;
		if (!outage) return null;
		const isDue = alertIsDue(outage, began);
		const isSameActivation = outage.alertedAt !== undefined && began < outage.alertedAt + ACTIVATION_TRIES_MS;
		const isAlert = this.hasState
			? isDue && !memory.isStart
			: isDue || context.getActivationMode() === 'activate' || isSameActivation;
		if (!isAlert) {
			context.logger.debug(`The ${this.trigger.plural} are not polled for now. ${messageOf(outage.refusal)}`);
			return null;
		}
		if (isDue) memory.outage = alerted(outage, began);
		throw toNodeError(context.getNode(), outage.refusal);
	}
}

/**
 * What an outage is of: the parameters as stored, as an expression counts as changed when it is edited, not when its
 * result changes; and the key.
 */
function subjectOf(context: IPollFunctions, connection: Connection | undefined): string {
	return shortHash([context.getNode().parameters, connection?.keyId]);
}

/** The user's time limits, capped to what fits into a poll. A longer wait is spent between polls. */
function within({ timeoutMs, maxRateLimitWaitMs }: PlatformOptions, budgetMs: number): PlatformOptions {
	const longest = Math.ceil(budgetMs * REQUEST_SHARE);
	return { timeoutMs: Math.min(timeoutMs, longest), maxRateLimitWaitMs: Math.min(maxRateLimitWaitMs, longest) };
}

/** The kind of refusal, without the message: its values may differ from poll to poll. */
function reasonOf(error: unknown): string {
	if (error instanceof PlatformError) return error.kind;
	return error instanceof Error ? error.name : 'unknown';
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
