import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../dsquery/values/durations';
import type { Group } from '../dsquery/types';
import { toNodeError } from '../operation/nodeError';
import { aboutTexts } from '../dsquery/words';
import { type Connection, openConnection, PlatformError, type PlatformOptions, settle } from '../platform';
import type { ListResource } from '../resources';
import { budgetOf, DEFAULT_BUDGET_MS, engineOf, enter } from './engines';
import { shortHash } from './hash';
import { asSample, type EventJson, toItems } from './items';
import { clockSetByMs, emptyMemory, handedOver, isOvertaken, noteBegin, recall, succeeded } from './memory';
import type { NodeMemory } from './memory';
import {
	alerted,
	alertIsDue,
	hurried,
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
import { hasState, StateFile } from './stateFile';
import type { PollDraft, PollStart, TriggerState } from './types';

type Items = INodeExecutionData[][] | null;
type EventOf<Draft extends PollDraft> = Draft['events'][number];
type StateOf<Draft extends PollDraft> = ReturnType<Draft['toState']>;

/** What is handed over now, and the events that wait for the next poll. */
export interface HandOver<Event> {
	ready: EventJson[];
	waiting: Event[];
}

/** Why a manual test has no samples, and what to do. */
export interface NothingToShow {
	list: ListResource;
	/** It may be the reason: then it is looked up whether the list has its texts with other capitals. */
	filter?: Group;
	/** What there is none of; no rows when left out. @param which " that match the filter", if there is one */
	none?(which: string): string;
	description: string;
}

/**
 * What one trigger adds to the skeleton: the steps of a poll, in their order, and what a manual test shows.
 *
 * @typeParam Found what a poll has read
 */
export interface PollTrigger<Settings extends PollSettings, Draft extends PollDraft, Found> {
	/** What is polled, in messages: "charging stations". */
	plural: string;
	/** @throws QueryError naming every parameter that cannot be used */
	readSettings(context: IPollFunctions): Settings;
	/** Makes the working copy of the state, adapted to the settings and the clock. */
	begin(poll: Poll<Settings>, start: PollStart<StateOf<Draft>>): Draft & PollDraft<EventOf<Draft>, StateOf<Draft>>;
	/** Asks the platform. Nothing is concluded yet. */
	read(poll: Poll<Settings>, draft: Draft): Promise<Found>;
	/** Turns what was read into events and changes of the draft. */
	compare(poll: Poll<Settings>, draft: Draft, found: Found): void;
	/** Completes each event for output. Events that cannot be completed yet may wait. */
	handOver(
		poll: Poll<Settings>,
		events: ReadonlyArray<EventOf<Draft>>,
		found: Found,
	): HandOver<EventOf<Draft>> | Promise<HandOver<EventOf<Draft>>>;
	/** Samples made from real rows. `sample: true` is added to each. */
	samples(poll: Poll<Settings>): Promise<EventJson[]>;
	/** Why there are no samples. */
	nothingToShow(settings: Settings): NothingToShow;
}

/** Share of the poll's time that one request may take, and may wait for the rate limit. */
const REQUEST_SHARE = 0.2;
/** A poll that takes longer is given up, and what it finds is not used. */
const GIVEN_UP_AFTER_MS = 30 * MINUTE_MS;
/** n8n tries five times within fifteen seconds to activate a trigger: the platform is asked once for all of them. */
const ACTIVATION_TRIES_MS = 20_000;

/** Runs one poll of a trigger in any of n8n's engines, or a manual test. */
export async function runPoll<Settings extends PollSettings, Draft extends PollDraft, Found>(
	trigger: PollTrigger<Settings, Draft, Found>,
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
async function runTest<Settings extends PollSettings, Draft extends PollDraft, Found>(
	trigger: PollTrigger<Settings, Draft, Found>,
	context: IPollFunctions,
): Promise<INodeExecutionData[][]> {
	let connection: Connection | undefined;
	try {
		const settings = trigger.readSettings(context);
		connection = await openConnection(context, settings.platformOptions);
		const began = performance.now();
		const poll = new Poll(context, connection, settings, emptyMemory(), 0, began, DEFAULT_BUDGET_MS);
		const samples = (await trigger.samples(poll)).map(asSample);
		if (samples.length > 0) return [toItems(samples, settings.output)];
		const { list, filter, none, description } = trigger.nothingToShow(settings);
		const which = filter ? ' that match the filter' : '';
		throw new PlatformError(
			'configuration',
			`${none?.(which) ?? `There are no ${list.plural}${which}`}, so there is nothing to show`,
			{ description: [...(filter ? aboutTexts(filter) : []), description].join(' ') },
		);
	} catch (error) {
		throw toNodeError(context.getNode(), connection?.safeError(error) ?? error);
	}
}

/** One poll. @returns null if nothing must be saved; an empty batch if only the state must */
async function pollOnce<Settings extends PollSettings, Draft extends PollDraft, Found>(
	trigger: PollTrigger<Settings, Draft, Found>,
	poll: Poll<Settings>,
	savesWithoutBatch: boolean,
): Promise<Items> {
	const { memory, settings, began, now, clockSetByMs } = poll;
	const file = fileOf<StateOf<Draft>>(poll, savesWithoutBatch);
	const { state, isFirst, hasCurrentNotes, basis } = file;
	const start = { state, isFirst, hasCurrentNotes, basis, now, clockSetByMs };

	const draft = trigger.begin(poll, start);
	const found = await trigger.read(poll, draft);
	trigger.compare(poll, draft, found);
	const events = [...draft.backlog, ...draft.events];
	const { ready, waiting } = await trigger.handOver(poll, events, found);

	// It took too long, and another one has begun.
	if (memory.running?.since !== began) return null;
	const { nothingRead } = poll;
	const blind =
		nothingRead && noteSilence(memory, began, { plural: trigger.plural, zone: poll.zone, reason: nothingRead });
	if (blind) poll.alerts.push(blind);
	// n8n saves the state together with the batch. Without a batch, it may keep or lose what is written.
	const hasNews = draft.events.length > 0 || ready.length > 0 || poll.alerts.length > 0;
	const mustSave = file.save(draft.toState(waiting), hasNews);
	succeeded(memory);
	if (!nothingRead) memory.silence = undefined;
	report(trigger.plural, poll, file.isUnreadable, waiting.length);
	return mustSave ? [toItems(ready, settings.output)] : null;
}

function fileOf<State extends TriggerState>({ context, memory }: Poll, savesWithoutBatch: boolean): StateFile<State> {
	const { id, name } = context.getNode();
	const node = { workflowId: context.getWorkflow().id ?? '', id, name };
	return new StateFile<State>(context.getWorkflowStaticData('node'), memory, node, savesWithoutBatch);
}

/** Says in the log, and in failed executions, what is to be said of a poll that succeeded. */
function report(plural: string, poll: Poll, isUnreadable: boolean, waiting: number): void {
	const { context, connection } = poll;
	const { logger } = context;
	if (waiting > 0) logger.info(`${waiting} events about ${plural} wait for the next poll.`);
	if (isUnreadable) {
		logger.warn(`The saved state of the ${plural} cannot be read. It begins again with how things are now.`);
	}
	for (const note of connection.notes) poll.warnOnce(note);
	for (const alert of poll.alerts) context.__emitError(toNodeError(context.getNode(), connection.safeError(alert)));
}

/** One call of a trigger by n8n: polls, if the platform may be asked now, and says what has to be said. */
class Visit<Settings extends PollSettings, Draft extends PollDraft, Found> {
	private readonly engine;
	private readonly budgetMs;
	private readonly clockSetByMs;
	private readonly activation;
	private readonly stored;

	/** @param began when it began, in milliseconds of `performance.now()` */
	constructor(
		private readonly trigger: PollTrigger<Settings, Draft, Found>,
		private readonly context: IPollFunctions,
		private readonly memory: NodeMemory,
		private readonly began: number,
	) {
		this.engine = engineOf(context);
		this.budgetMs = budgetOf(context);
		this.clockSetByMs = clockSetByMs(memory);
		this.activation = enter(memory, context, this.engine);
		noteBegin(memory, began);
		this.stored = context.getWorkflowStaticData('node');
	}

	async run(): Promise<Items> {
		const { context, memory, began, stored, trigger } = this;
		// Other engines continue with the state in memory, and an activation expects an answer.
		if (this.engine.isScheduled && isOvertaken(memory, stored)) {
			context.logger.debug(`n8n has not saved the last poll of the ${trigger.plural} yet, so this one is left out.`);
			return null;
		}
		if (this.activation.isReactivated && memory.outage) memory.outage = hurried(memory.outage, began);
		const opened = await settle(this.open());
		const subject = subjectOf(context, opened.ok ? opened.value.connection : undefined);
		if (!opened.ok) return this.fail(opened.error, subject);
		if (!this.mayAsk(subject)) return this.remind();
		const polled = await settle(this.poll(opened.value));
		return polled.ok ? polled.value : this.fail(opened.value.connection.safeError(polled.error), subject);
	}

	/** Reads the settings and opens the connection. Nothing is sent. */
	private async open(): Promise<Poll<Settings>> {
		const { context, memory, began, budgetMs } = this;
		const settings = this.trigger.readSettings(context);
		const connection = await openConnection(context, within(settings.platformOptions, budgetMs));
		return new Poll(context, connection, settings, memory, this.clockSetByMs, began, budgetMs);
	}

	private async poll(poll: Poll<Settings>): Promise<Items> {
		const { memory, began, budgetMs } = this;
		const { epoch, batch } = this.stored;
		const items = await pollOnce(this.trigger, poll, this.engine.savesWithoutBatch);
		// n8n discards the items of a poll that took longer.
		if (items && performance.now() - began < budgetMs) handedOver(memory, { epoch, batch });
		return items;
	}

	/** Without saved state, only the tries of one activation are held back: a person who tries again gets an answer. */
	private mayAsk(subject: string): boolean {
		const { context, memory, began } = this;
		const { outage } = memory;
		if (mayAsk(outage, began, subject)) return true;
		const isActivation = context.getActivationMode() === 'activate' && !hasState(this.stored, memory);
		return isActivation && outage !== undefined && began >= outage.askedAt + ACTIVATION_TRIES_MS;
	}

	/** What the next poll may well put right is only logged; everything else is an outage. */
	private fail(error: unknown, subject: string): null {
		const { memory, began } = this;
		if (hasState(this.stored, memory) && isSatOut(memory, error)) return this.sitOut(error);
		const retryAt = error instanceof PlatformError ? error.retryAt : undefined;
		const pointlessForMs = retryAt === undefined ? undefined : retryAt - Date.now();
		memory.outage = refused(memory.outage, began, { subject, reason: reasonOf(error), refusal: error, pointlessForMs });
		return this.remind();
	}

	/** Leaves it to the next poll. Throws as an alert that this has gone on for long, but not in the first poll: see `remind`. */
	private sitOut(reason: PlatformError): null {
		const { context, memory, began, activation, trigger } = this;
		const { plural } = trigger;
		context.logger.warn(`The ${plural} could not be polled. The next poll goes on. ${reason.message}`);
		const isFirst = activation.isFirst || activation.isReactivated;
		const blind = noteSilence(memory, began, { plural, zone: context.getTimezone(), reason }, isFirst);
		if (blind) throw toNodeError(context.getNode(), blind);
		return null;
	}

	/**
	 * Throws the refusal as an alert, or only logs it if it was reported already. n8n gives up for good on a trigger whose
	 * first poll fails a few times, so with saved state the first poll stays quiet, too, and the next one alerts.
	 */
	private remind(): null {
		const { context, memory, began, activation } = this;
		const { outage } = memory;
		if (!outage) return null;
		const isDue = alertIsDue(outage, began);
		const isAlert = hasState(this.stored, memory)
			? isDue && !activation.isFirst && !activation.isReactivated
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

/**
 * Takes in that a poll could read nothing.
 *
 * @returns what must be said now
 */
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
