import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../../dsquery/values/durations';
import { toNodeError } from '../../operation/nodeError';
import { type Connection, openConnection, PlatformError, type PlatformOptions } from '../../platform';
import { settle } from '../../settle';
import type { TriggerDefinition } from '../definition';
import { shortHash } from '../hash';
import type { TriggerSettings } from '../parameters';
import { budgetOf, DEFAULT_BUDGET_MS, Poll, SHARES } from '../poll';
import { createSampleItems } from '../samples';
import { formatTime } from '../text';
import { inspectSavedState } from '../watch/savedState';
import type { PollReading } from '../watch/evaluate';
import { backOff, isUnansweredAlertDue, isRetryDue, isAlertAllowed } from './backoff';
import { createMemory, type NodeMemory, recordPollStart, recordUnanswered, findMemory } from './memory';

/** What n8n gets of a call: nothing to save, or a batch, which may be empty. */
export type PollOutput = INodeExecutionData[][] | null;

/** What a poll gives: items, and what must be said in a failed execution although it succeeded. */
export interface PollOutcome {
	items: PollOutput;
	alert?: { reason: string; error: PlatformError };
	/** What could not be read, and why. It is said once that has gone on for long. */
	unread?: ReadonlyMap<string, PlatformError>;
}

/** Share of the poll's time that one request may take. */
const REQUEST_SHARE = 0.2;
/** n8n tries five times within fifteen seconds to activate a trigger: the platform is asked once for all of them. */
const ACTIVATION_TRIES_MS = 20_000;
/** A list that does not come completely, or not in the order asked for, for this long is reported. */
const REPORT_INCOMPLETE_AFTER_MS = 15 * MINUTE_MS;

/** One call of a trigger by n8n: a manual test, or a poll, of which one runs at a time. */
export async function runPoll<Settings extends TriggerSettings>(
	trigger: TriggerDefinition<Settings, PollReading>,
	context: IPollFunctions,
	pollOnce: (poll: Poll<Settings>) => Promise<PollOutcome>,
): Promise<PollOutput> {
	if (context.getMode() === 'manual') return await runTest(trigger, context);
	const memory = findMemory(context, storedIn(context).names);
	const began = performance.now();
	if (memory.running !== undefined && began - memory.running < budgetOf(context)) {
		context.logger.debug(`The previous poll of the ${trigger.plural} is still running, so this one is left out.`);
		return null;
	}
	memory.running = began;
	recordPollStart(memory, context, began);
	try {
		return await new PollRun(trigger, context, memory, began).run(pollOnce);
	} finally {
		if (memory.running === began) memory.running = undefined;
	}
}

function storedIn(context: IPollFunctions) {
	return inspectSavedState(context.getWorkflowStaticData('node'), { nodeId: context.getNode().id, today: Date.now() });
}

/** A manual test neither reads nor changes the saved state. */
async function runTest<Settings extends TriggerSettings>(
	trigger: TriggerDefinition<Settings, PollReading>,
	context: IPollFunctions,
): Promise<INodeExecutionData[][]> {
	let connection: Connection | undefined;
	try {
		const settings = trigger.readSettings(context);
		connection = await openConnection(context, settings.platformOptions);
		const began = performance.now();
		return await createSampleItems(
			trigger,
			new Poll(context, connection, settings, createMemory(), began, DEFAULT_BUDGET_MS),
		);
	} catch (error) {
		throw toNodeError(context.getNode(), connection?.safeError(error) ?? error);
	}
}

/** Runs one poll: asks the platform only if it may be asked now, and throws the alerts that are due. */
class PollRun<Settings extends TriggerSettings> {
	private readonly hasState: boolean;

	/** @param began when it began, in milliseconds of `performance.now()` */
	constructor(
		private readonly trigger: TriggerDefinition<Settings, PollReading>,
		private readonly context: IPollFunctions,
		private readonly memory: NodeMemory,
		private readonly began: number,
	) {
		this.hasState = memory.copy !== undefined || storedIn(context).hasState;
	}

	async run(pollOnce: (poll: Poll<Settings>) => Promise<PollOutcome>): Promise<PollOutput> {
		const opened = await settle(this.open());
		this.resetIfChanged(opened.ok ? opened.value.connection : undefined);
		if (!opened.ok) return this.fail(opened.error);
		const { memory, began } = this;
		if (!isRetryDue(memory.backoff, began)) return this.alertIfDue();
		this.throwPendingAlert();
		const polled = await settle(pollOnce(opened.value));
		const { connection } = opened.value;
		memory.requests = connection.stats.requests;
		if (!polled.ok) return this.fail(connection.safeError(polled.error), opened.value);
		const { items, alert, unread = new Map() } = polled.value;
		memory.backoff = memory.incompleteSince = undefined;
		recordUnanswered(memory, unread, began);
		if (alert) this.alert(alert.reason, connection.safeError(alert.error));
		this.alertUnanswered(unread);
		if (!items) this.throwPendingAlert();
		return items;
	}

	/**
	 * Alerts and waits apply to these settings and this key: to the parameters as stored, so that editing an expression
	 * counts as a change, and a new result of it does not. Other settings, and a person who publishes, begin anew.
	 */
	private resetIfChanged(connection: Connection | undefined): void {
		const { context, memory, began } = this;
		memory.keyId = connection?.keyId ?? memory.keyId;
		const subject = shortHash([context.getNode().parameters, memory.keyId]);
		const isSameActivation = memory.backoff !== undefined && began < memory.backoff.askedAt + ACTIVATION_TRIES_MS;
		const isAnew = subject !== memory.subject || (memory.isActivation && !isSameActivation);
		memory.subject = subject;
		if (!isAnew) return;
		memory.backoff = memory.pageLength = undefined;
		memory.said.clear();
	}

	/** From now on it is not said again for an hour. */
	private alert(reason: string, what: unknown): void {
		const { memory, began } = this;
		memory.said.set(reason, began);
		memory.unsaid.push(what);
	}

	/**
	 * Throws an alert that is pending: a poll gives either a batch or a failed execution, so the next poll throws it
	 * before it asks anything. The first poll after a start does not; see `alertIfDue`.
	 */
	private throwPendingAlert(): void {
		const { context, memory } = this;
		if (memory.unsaid.length > 0 && !memory.isStart) throw toNodeError(context.getNode(), memory.unsaid.shift());
	}

	/** Reads the settings and opens the connection. Nothing is sent. */
	private async open(): Promise<Poll<Settings>> {
		const { context, memory, began } = this;
		const settings = this.trigger.readSettings(context);
		const budgetMs = budgetOf(context);
		const connection = await openConnection(context, within(settings.platformOptions, began, budgetMs));
		return new Poll(context, connection, settings, memory, began, budgetMs);
	}

	/**
	 * Handles the failure of a poll. What the next poll may well put right is only logged; for anything else, the
	 * platform is asked less and less often.
	 */
	private fail(error: unknown, poll?: Poll<Settings>): null {
		const { memory, began } = this;
		if (this.hasState && poll?.isPassing(error) && this.isDeferred(error)) return this.deferToNextPoll(error);
		const retryAt = error instanceof PlatformError ? error.retryAt : undefined;
		const pointlessForMs = retryAt === undefined ? undefined : retryAt - Date.now();
		memory.backoff = backOff(memory.backoff, began, { reason: reasonOf(error), refusal: error, pointlessForMs });
		return this.alertIfDue();
	}

	private isDeferred(error: PlatformError): boolean {
		const { memory, began } = this;
		if (error.transient || error.kind !== 'invalid-answer') return true;
		memory.incompleteSince ??= began;
		return began - memory.incompleteSince < REPORT_INCOMPLETE_AFTER_MS;
	}

	/** Leaves it to the next poll. Throws as an alert that this has gone on for long. */
	private deferToNextPoll(reason: PlatformError): null {
		const { context, trigger, memory, began } = this;
		context.logger.warn(`The ${trigger.plural} could not be polled. The next poll goes on. ${reason.message}`);
		const unread = new Map([[trigger.plural, reason]]);
		recordUnanswered(memory, unread, began, true);
		this.alertUnanswered(unread);
		this.throwPendingAlert();
		return null;
	}

	/** Says what could not be read for long. */
	private alertUnanswered(unread: ReadonlyMap<string, PlatformError>): void {
		const { memory, began } = this;
		const due = [...unread].filter(([what, { retryAfterMs }]) => {
			const polls = memory.unansweredPolls.get(what);
			return polls && isUnansweredAlertDue(polls, began, retryAfterMs) && isAlertAllowed(memory.said.get(what), began);
		});
		const [[, reason] = []] = due;
		if (!reason || memory.isStart) return;
		const unanswered = due.flatMap(([what]) => memory.unansweredPolls.get(what) ?? []);
		for (const polls of unanswered) polls.saidAt = began;
		for (const [what] of due) memory.said.set(what, began);
		const now = Date.now();
		const sinceMs = performance.now() - Math.min(...unanswered.map(({ since }) => since));
		const since = formatTime(now - sinceMs, now, this.context.getTimezone());
		const why = [`${reason.message}.`, reason.description].filter(Boolean).join(' ');
		const goesOn =
			'What cannot be read is not reported. The trigger goes on asking, and reports what is the case once it can read again. This is said again every 6 hours.';
		const names = due.map(([what]) => what).join(' and the ');
		memory.unsaid.push(
			new PlatformError(reason.kind, `The ${names} could not be read since ${since}`, {
				...reason,
				description: `${why} ${goesOn}`,
			}),
		);
	}

	/**
	 * Throws the refusal as an alert, or only logs it if it was reported already. With saved state, the first poll after a
	 * start is quiet: n8n gives up for good on a trigger whose first poll fails a few times.
	 */
	private alertIfDue(): null {
		const { context, memory, began } = this;
		const { backoff } = memory;
		if (!backoff) return null;
		const saidAt = memory.said.get(backoff.reason);
		const isDue = isAlertAllowed(saidAt, began);
		const isSameActivation = saidAt !== undefined && began < saidAt + ACTIVATION_TRIES_MS;
		const isAlert = this.hasState
			? isDue && !memory.isStart
			: isDue || context.getActivationMode() === 'activate' || isSameActivation;
		if (!isAlert) {
			context.logger.debug(`The ${this.trigger.plural} are not polled for now. ${messageOf(backoff.refusal)}`);
			return null;
		}
		if (isDue) memory.said.set(backoff.reason, began);
		throw toNodeError(context.getNode(), backoff.refusal);
	}
}

/**
 * The user's time limits, capped to what fits into a poll: it waits for the rate limit as long as it may look things up. A
 * longer wait is spent between polls.
 */
function within(options: PlatformOptions, began: number, budgetMs: number): PlatformOptions {
	const timeoutMs = Math.ceil(budgetMs * REQUEST_SHARE);
	const maxRateLimitWaitMs = Math.ceil(budgetMs * SHARES.lookUp);
	return {
		timeoutMs: Math.min(options.timeoutMs, timeoutMs),
		maxRateLimitWaitMs: Math.min(options.maxRateLimitWaitMs, maxRateLimitWaitMs),
		poll: { timeoutMs, maxRateLimitWaitMs, waitsUntil: began + maxRateLimitWaitMs },
	};
}

/** The kind of refusal, without the message: its values may differ from poll to poll. */
function reasonOf(error: unknown): string {
	if (error instanceof PlatformError) return error.kind;
	return error instanceof Error ? error.name : 'unknown';
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
