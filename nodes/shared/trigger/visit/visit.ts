import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../../dsquery/values/durations';
import { toNodeError } from '../../operation/nodeError';
import { type Connection, openConnection, PlatformError, type PlatformOptions } from '../../platform';
import { settle } from '../../settle';
import { shortHash } from '../hash';
import { emptyMemory, noteBegin, type NodeMemory, recall } from './memory';
import {
	alerted,
	alertIsDue,
	mayAsk,
	type Outage,
	refused,
	REPORT_INCOMPLETE_AFTER_MS,
	type Silence,
	silenceIsDue,
	unanswered,
} from './outage';
import { clock } from '../text';
import type { PollSettings } from '../parameters';
import { budgetOf, DEFAULT_BUDGET_MS, isPassing, Poll } from '../poll';
import { showSamples, type Samples } from '../samples';

/** What n8n gets of a call: nothing to save, or a batch, which may be empty. */
export type Items = INodeExecutionData[][] | null;

/** What every trigger has, whatever it remembers. */
export interface Visited<Settings extends PollSettings> extends Samples<Settings> {
	/** @throws QueryError naming every parameter that cannot be used */
	readSettings(context: IPollFunctions): Settings;
}

/** Share of the poll's time that one request may take, and may wait for the rate limit. */
const REQUEST_SHARE = 0.2;
/** A poll that takes longer is given up, and what it finds is not used. */
const GIVEN_UP_AFTER_MS = 30 * MINUTE_MS;
/** n8n tries five times within fifteen seconds to activate a trigger: the platform is asked once for all of them. */
const ACTIVATION_TRIES_MS = 20_000;

/**
 * One call of a trigger by n8n: a manual test, or a poll, of which one runs at a time.
 *
 * @param poll is told when it began, in milliseconds of `performance.now()`
 */
export async function visit<Settings extends PollSettings>(
	trigger: Visited<Settings>,
	context: IPollFunctions,
	poll: (memory: NodeMemory, began: number) => Promise<Items>,
): Promise<Items> {
	if (context.getMode() === 'manual') return await runTest(trigger, context);
	const memory = recall(context);
	const running = { since: performance.now() };
	if (memory.running && running.since - memory.running.since < GIVEN_UP_AFTER_MS) {
		context.logger.debug(`The previous poll of the ${trigger.plural} is still running, so this one is left out.`);
		return null;
	}
	memory.running = running;
	noteBegin(memory, running.since);
	try {
		return await poll(memory, running.since);
	} finally {
		if (memory.running === running) memory.running = undefined;
	}
}

/** A manual test neither reads nor changes the saved state. */
async function runTest<Settings extends PollSettings>(
	trigger: Visited<Settings>,
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

/** What a trigger's own state says of a call. */
interface Standing {
	/** Whether the trigger has saved a state before. */
	hasState: boolean;
	/** Whether it is the first poll after a start. n8n gives up for good on a trigger whose first poll fails a few times. */
	isActivation: boolean;
}

/** What a poll gives: items, and what must be said in a failed execution although it succeeded. */
export interface Outcome {
	items: Items;
	alert?: PlatformError;
}

/** Around a poll: asks the platform only if it may be asked now, and says what has to be said. */
export class Visit<Settings extends PollSettings> {
	private readonly budgetMs;

	/** @param began when it began, in milliseconds of `performance.now()` */
	constructor(
		private readonly trigger: Visited<Settings>,
		private readonly context: IPollFunctions,
		private readonly memory: NodeMemory,
		private readonly began: number,
		private readonly standing: Standing,
	) {
		this.budgetMs = budgetOf(context);
	}

	async run(pollOnce: (poll: Poll<Settings>) => Promise<Outcome>): Promise<Items> {
		const opened = await settle(this.open());
		const subject = subjectOf(this.context, opened.ok ? opened.value.connection : undefined);
		if (!opened.ok) return this.fail(opened.error, subject);
		if (!this.mayAsk(subject)) return this.remind();
		const polled = await settle(pollOnce(opened.value));
		const { connection } = opened.value;
		if (!polled.ok) return this.fail(connection.safeError(polled.error), subject);
		const { items, alert } = polled.value;
		if (alert) throw toNodeError(this.context.getNode(), connection.safeError(alert));
		return items;
	}

	/** Reads the settings and opens the connection. Nothing is sent. */
	private async open(): Promise<Poll<Settings>> {
		const { context, memory, began, budgetMs } = this;
		const settings = this.trigger.readSettings(context);
		const connection = await openConnection(context, within(settings.platformOptions, budgetMs));
		return new Poll(context, connection, settings, memory, began, budgetMs);
	}

	/** Without saved state, only the tries of one activation are held back: a person who tries again gets an answer. */
	private mayAsk(subject: string): boolean {
		const { context, memory, began } = this;
		const { outage } = memory;
		if (mayAsk(outage, began, subject)) return true;
		const isActivation = context.getActivationMode() === 'activate' && !this.standing.hasState;
		return isActivation && outage !== undefined && began >= outage.askedAt + ACTIVATION_TRIES_MS;
	}

	/** What the next poll may well put right is only logged; everything else is an outage. */
	private fail(error: unknown, subject: string): null {
		const { memory, began } = this;
		if (this.standing.hasState && isSatOut(memory, error)) return this.sitOut(error);
		const retryAt = error instanceof PlatformError ? error.retryAt : undefined;
		const pointlessForMs = retryAt === undefined ? undefined : retryAt - Date.now();
		memory.outage = refused(memory.outage, began, { subject, reason: reasonOf(error), refusal: error, pointlessForMs });
		return this.remind();
	}

	/** Leaves it to the next poll. Throws as an alert that this has gone on for long, but not in the first poll: see `remind`. */
	private sitOut(reason: PlatformError): null {
		const { context, memory, began, standing, trigger } = this;
		const { plural } = trigger;
		context.logger.warn(`The ${plural} could not be polled. The next poll goes on. ${reason.message}`);
		const blind = noteSilence(memory, began, { plural, zone: context.getTimezone(), reason }, standing.isActivation);
		if (blind) throw toNodeError(context.getNode(), blind);
		return null;
	}

	/** Throws the refusal as an alert, or only logs it if it was reported already. With saved state, the first poll is quiet. */
	private remind(): null {
		const { context, memory, began, standing } = this;
		const { outage } = memory;
		if (!outage) return null;
		const isDue = alertIsDue(outage, began);
		const isAlert = standing.hasState
			? isDue && !standing.isActivation
			: isDue || context.getActivationMode() === 'activate' || isSameActivation(outage, began);
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

/** Takes in that a poll could read nothing. @returns what must be said now */
export function noteSilence(
	memory: NodeMemory,
	began: number,
	about: Parameters<typeof blindSince>[1],
	isQuiet: boolean,
): PlatformError | undefined {
	const { retryAfterMs } = about.reason;
	const silence = (memory.silence = unanswered(memory.silence, began));
	if (isQuiet || !silenceIsDue(silence, began, retryAfterMs)) return undefined;
	memory.silence = alerted(silence, began);
	return blindSince(silence, about);
}

/** What a failed execution says of polls that could read nothing. @param reason why the last of them could not */
function blindSince(
	{ since }: Silence,
	{ plural, zone, reason }: { plural: string; zone: string; reason: PlatformError },
): PlatformError {
	const now = Date.now();
	const began = clock(now - (performance.now() - since), now, zone);
	const why = [`${reason.message}.`, reason.description].filter(Boolean).join(' ');
	const goesOn =
		'Nothing is reported until then. The trigger goes on asking, and reports what is the case once it can read again. This is said again every 6 hours.';
	return new PlatformError(reason.kind, `The ${plural} could not be read since ${began}`, {
		...reason,
		description: `${why} ${goesOn}`,
	});
}

/** Whether a failed poll is only logged, because the next may well succeed. */
function isSatOut(memory: NodeMemory, error: unknown): error is PlatformError {
	if (!isPassing(error)) return false;
	if (error.transient) return true;
	const now = performance.now();
	memory.incompleteSince ??= now;
	return now - memory.incompleteSince < REPORT_INCOMPLETE_AFTER_MS;
}

function isSameActivation({ alertedAt }: Outage, now: number): boolean {
	return alertedAt !== undefined && now < alertedAt + ACTIVATION_TRIES_MS;
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
