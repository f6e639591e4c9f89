import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../dsquery/values/durations';
import { toNodeError } from '../operation/nodeError';
import { type Connection, openConnection, PlatformError, type PlatformOptions, settle } from '../platform';
import { budgetOf, DEFAULT_BUDGET_MS } from './engines';
import { shortHash } from './hash';
import { toItems } from './items';
import { emptyMemory, noteBegin, recall, succeeded, usualDistanceMs, type NodeMemory } from './memory';
import {
	alerted,
	alertIsDue,
	mayAsk,
	type Outage,
	refused,
	REPORT_INCOMPLETE_AFTER_MS,
	silenceIsDue,
	unanswered,
} from './outage';
import { blindSince } from './overdue';
import { isPassing, Poll } from './poll';
import type { PollSettings } from './parameters';
import { showSamples, type Samples } from './samples';
import { basisOf, handOver, hasState, load, type Loaded } from './saved';
import { begin, compare, type Compared, type Found, type Watch } from './steps';

type Items = INodeExecutionData[][] | null;

/** What one trigger adds: its query, what it watches, and its words. */
export interface Trigger<Settings extends PollSettings, Read extends Found> extends Samples<Settings> {
	/** @throws QueryError naming every parameter that cannot be used */
	readSettings(context: IPollFunctions): Settings;
	watches(poll: Poll<Settings>): Readonly<Record<string, Watch>>;
	/** Asks the platform. Nothing is concluded yet. */
	read(poll: Poll<Settings>, state: ReturnType<typeof begin>): Promise<Read>;
	/** The items about what happened, in its order. */
	items(poll: Poll<Settings>, compared: Compared, found: Read): Promise<Parameters<typeof toItems>[0]>;
	/** What failed executions call what cannot be read for an hour: "2 stations", and the first of them. */
	unreadable?(keys: readonly string[]): { counted: string; first: string };
}

/** Share of the poll's time that one request may take, and may wait for the rate limit. */
const REQUEST_SHARE = 0.2;
/** A poll that takes longer is given up, and what it finds is not used. */
const GIVEN_UP_AFTER_MS = 30 * MINUTE_MS;
/** n8n tries five times within fifteen seconds to activate a trigger: the platform is asked once for all of them. */
const ACTIVATION_TRIES_MS = 20_000;

/** Runs one poll of a trigger, or a manual test. */
export async function runTrigger<Settings extends PollSettings, Read extends Found>(
	trigger: Trigger<Settings, Read>,
	context: IPollFunctions,
): Promise<Items> {
	if (context.getMode() === 'manual') return await runTest(trigger, context);
	const memory = recall(context);
	const running = { since: performance.now() };
	if (memory.running && running.since - memory.running.since < GIVEN_UP_AFTER_MS) {
		context.logger.debug(`The previous poll of the ${trigger.plural} is still running, so this one is left out.`);
		return null;
	}
	memory.running = running;
	try {
		return await new Visit(trigger, context, memory, running.since).run();
	} finally {
		if (memory.running === running) memory.running = undefined;
	}
}

/** A manual test neither reads nor changes the saved state. */
async function runTest<Settings extends PollSettings, Read extends Found>(
	trigger: Trigger<Settings, Read>,
	context: IPollFunctions,
): Promise<INodeExecutionData[][]> {
	let connection: Connection | undefined;
	try {
		const settings = trigger.readSettings(context);
		connection = await openConnection(context, settings.platformOptions);
		const began = performance.now();
		return await showSamples(
			trigger,
			new Poll(context, connection, settings, emptyMemory(), 0, began, DEFAULT_BUDGET_MS),
		);
	} catch (error) {
		throw toNodeError(context.getNode(), connection?.safeError(error) ?? error);
	}
}

/** One poll: load, read, compare, hand over, save. @returns also what must be said in a failed execution */
async function pollOnce<Settings extends PollSettings, Read extends Found>(
	trigger: Trigger<Settings, Read>,
	poll: Poll<Settings>,
	mayAlert: boolean,
): Promise<{ items: Items; alert?: PlatformError }> {
	const { context, memory, settings, began } = poll;
	const stored = context.getWorkflowStaticData('node');
	const { name, id } = context.getNode();
	const loaded = load(stored, memory.copy, name, began);
	const basis = basisOf(loaded, { workflowId: context.getWorkflow().id ?? '', id, name });
	const isFirst = !hasState(stored, memory.copy);
	const watches = trigger.watches(poll);

	const state = begin(watches, loaded, { now: poll.now, isFirst, reportsFirst: settings.reportsFirst });
	const found = await trigger.read(poll, state);
	const compared = compare(watches, state, found, {
		...{ now: poll.now, usualMs: usualDistanceMs(memory), reportsWatching: settings.reportsWatching },
		idOf: (...parts) => shortHash([basis, ...parts]),
	});
	const events = await trigger.items(poll, compared, found);

	// It took too long: another one has begun, or n8n has given it up.
	if (memory.running?.since !== began || poll.isLate) return { items: null };
	const mustSave = events.length > 0 || compared.isNews || loaded.mustSave;
	// What n8n gets a batch of is not lost by a failed execution: that is left to a later poll.
	const alert = alertOf(trigger, poll, compared, mustSave || !mayAlert);
	const after = alert ? compared.said() : compared.state;
	const handed = mustSave ? { ...handOver(stored, loaded, after), handedOverAt: performance.now() } : loaded;
	const { epoch, batch, handedOverAt } = handed;
	memory.copy = { epoch, batch, handedOverAt, state: after, nodeName: name };
	succeeded(memory);
	report(trigger.plural, poll, loaded);
	return { items: mustSave ? [toItems(events, settings.output)] : null, alert };
}

/** What must be said in a failed execution, although the poll succeeds. */
function alertOf<Settings extends PollSettings, Read extends Found>(
	{ plural, unreadable }: Trigger<Settings, Read>,
	{ nothingRead: reason, memory, began, zone }: Poll<Settings>,
	{ overdue }: Compared,
	isQuiet: boolean,
): PlatformError | undefined {
	if (reason) return noteSilence(memory, began, { plural, zone, reason }, isQuiet);
	if (isQuiet || overdue.length === 0 || !unreadable) return undefined;
	const { counted, first } = unreadable(overdue);
	const description = `The first is ${first}. Nothing is reported about what cannot be read, nothing that is open ends, and this time does not count as watched. Look at what the platform sends with Get of Charging Stations, and tell its support.`;
	return new PlatformError('invalid-answer', `The status of ${counted} cannot be read, for an hour now`, {
		description,
	});
}

/** Says in the log what is to be said of a poll that succeeded. */
function report(plural: string, poll: Poll, { isUnreadable }: Loaded): void {
	const { context, connection, memory } = poll;
	if (!poll.nothingRead) memory.silence = undefined;
	if (isUnreadable) {
		context.logger.warn(`The saved state of the ${plural} cannot be read. It begins again with how things are now.`);
	}
	for (const note of connection.notes) poll.warnOnce(note);
}

/** One call of a trigger by n8n: polls, if the platform may be asked now, and says what has to be said. */
class Visit<Settings extends PollSettings, Read extends Found> {
	private readonly budgetMs;
	/** n8n gives up for good on a trigger whose first poll fails a few times. */
	private readonly isActivation;
	private readonly hasState;

	/** @param began when it began, in milliseconds of `performance.now()` */
	constructor(
		private readonly trigger: Trigger<Settings, Read>,
		private readonly context: IPollFunctions,
		private readonly memory: NodeMemory,
		private readonly began: number,
	) {
		this.budgetMs = budgetOf(context);
		this.isActivation = beginsWith(context, memory);
		this.hasState = hasState(context.getWorkflowStaticData('node'), memory.copy);
		noteBegin(memory, began);
	}

	async run(): Promise<Items> {
		const opened = await settle(this.open());
		const subject = subjectOf(this.context, opened.ok ? opened.value.connection : undefined);
		if (!opened.ok) return this.fail(opened.error, subject);
		if (!this.mayAsk(subject)) return this.remind();
		const polled = await settle(pollOnce(this.trigger, opened.value, !this.isActivation));
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
		return new Poll(context, connection, settings, memory, 0, began, budgetMs);
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
		if (this.hasState && isSatOut(memory, error)) return this.sitOut(error);
		const retryAt = error instanceof PlatformError ? error.retryAt : undefined;
		const pointlessForMs = retryAt === undefined ? undefined : retryAt - Date.now();
		memory.outage = refused(memory.outage, began, { subject, reason: reasonOf(error), refusal: error, pointlessForMs });
		return this.remind();
	}

	/** Leaves it to the next poll. Throws as an alert that this has gone on for long, but not in the first poll: see `remind`. */
	private sitOut(reason: PlatformError): null {
		const { context, memory, began, isActivation, trigger } = this;
		const { plural } = trigger;
		context.logger.warn(`The ${plural} could not be polled. The next poll goes on. ${reason.message}`);
		const blind = noteSilence(memory, began, { plural, zone: context.getTimezone(), reason }, isActivation);
		if (blind) throw toNodeError(context.getNode(), blind);
		return null;
	}

	/** Throws the refusal as an alert, or only logs it if it was reported already. With saved state, the first poll is quiet. */
	private remind(): null {
		const { context, memory, began } = this;
		const { outage } = memory;
		if (!outage) return null;
		const isDue = alertIsDue(outage, began);
		const isAlert = this.hasState
			? isDue && !this.isActivation
			: isDue || context.getActivationMode() === 'activate' || isSameActivation(outage, began);
		if (!isAlert) {
			context.logger.debug(`The ${this.trigger.plural} are not polled for now. ${messageOf(outage.refusal)}`);
			return null;
		}
		if (isDue) memory.outage = alerted(outage, began);
		throw toNodeError(context.getNode(), outage.refusal);
	}
}

const polledWith = new WeakSet<IPollFunctions>();

/** Whether a poll is the first after a start. n8n's default engine keeps one context from then on; others never do. */
function beginsWith(context: IPollFunctions, memory: NodeMemory): boolean {
	const isFresh = !polledWith.has(context);
	polledWith.add(context);
	if (!isFresh) memory.keepsContext = true;
	const isFirst = memory.polls++ === 0;
	return isFirst || (isFresh && memory.keepsContext === true);
}

/**
 * What an outage is of: the parameters as stored, as an expression counts as changed when it is edited, not when its
 * result changes; and the key.
 */
function subjectOf(context: IPollFunctions, connection: Connection | undefined): string {
	return shortHash([context.getNode().parameters, connection?.keyId]);
}

/** Takes in that a poll could read nothing. @returns what must be said now */
function noteSilence(
	memory: NodeMemory,
	began: number,
	about: Parameters<typeof blindSince>[1],
	isQuiet = false,
): PlatformError | undefined {
	const { retryAfterMs } = about.reason;
	const silence = (memory.silence = unanswered(memory.silence, began));
	if (isQuiet || !silenceIsDue(silence, began, retryAfterMs)) return undefined;
	memory.silence = alerted(silence, began);
	return blindSince(silence, about);
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
