import type { IPollFunctions, INodeExecutionData } from 'n8n-workflow';

import { openPlatform, PlatformError, toNodeError } from '../platform';
import type { Platform, PlatformOptions } from '../platform';
import { hasState } from './stored';
import { shortHash } from './hash';
import { alerted, alertIsDue, hurried, mayAsk, refused } from './outage';
import type { Outage } from './outage';
import { enter, isOvertaken, recall, savedStateOf } from './memory';
import type { Memories, NodeMemory, PollKind } from './memory';
import { isPassing } from './orElse';

/** One poll, as a trigger gets it. */
export interface Poll<Settings, Own> {
	context: IPollFunctions;
	platform: Platform;
	settings: Settings;
	memory: NodeMemory<Own>;
	/** When the poll began, and how long it may take; milliseconds. */
	now: number;
	budgetMs: number;
	/** The durable scheduler runs this poll. */
	isScheduled: boolean;
	/** The default engine goes on with what the last poll left in its memory. */
	continued: boolean;
}

/** What tells one kind of poll trigger from another. */
export interface PollTrigger<Settings extends { platformOptions: PlatformOptions }, Own> {
	/** What is polled, as log lines call it: "charging stations". */
	plural: string;
	/** What this process remembers of the nodes of this kind. */
	memories: Memories<Own>;
	nothing: () => Own;
	/** @throws QueryError naming every parameter that cannot be used */
	readSettings(context: IPollFunctions): Settings;
	/** What decides whether the platform can answer. After a change of it a refusing platform is asked at once. */
	subjectOf(context: IPollFunctions, settings: Settings, platform: Platform): unknown;
	/** @returns null when there is nothing to hand over or to save; an empty batch when there is only something to save */
	pollOnce(poll: Poll<Settings, Own>): Promise<INodeExecutionData[][] | null>;
	/** What a manual test shows. Neither reads nor changes the saved state. */
	sampleItems(context: IPollFunctions): Promise<INodeExecutionData[][]>;
}

/** What hosts without a budget of their own allow, and those with one by default, in milliseconds. */
const DEFAULT_BUDGET_MS = 300_000;
/** A single request may take this share of the poll's time, and wait as long for the rate limit. */
const REQUEST_SHARE = 0.2;
/** A poll that has not ended by then never will, as far as later ones are concerned. */
const GIVEN_UP_AFTER_MS = 30 * 60_000;
/** n8n tries five times within fifteen seconds to activate a trigger: the platform is asked once for all of them. */
const ACTIVATION_TRIES_MS = 20_000;

/** Runs one poll of a trigger in any of n8n's engines, or a manual test. */
export async function runPoll<Settings extends { platformOptions: PlatformOptions }, Own>(
	trigger: PollTrigger<Settings, Own>,
	context: IPollFunctions,
): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return await trigger.sampleItems(context);
	const now = Date.now();
	const memory = recall(trigger.memories, context, now, trigger.nothing);
	if (memory.running && now - memory.running.since < GIVEN_UP_AFTER_MS) {
		context.logger.debug(`The previous poll of the ${trigger.plural} is still running, so this one is left out.`);
		return null;
	}
	const running = { since: now };
	memory.running = running;
	try {
		return await attend(trigger, context, memory, now);
	} finally {
		if (memory.running === running) memory.running = undefined;
	}
}

async function attend<Settings extends { platformOptions: PlatformOptions }, Own>(
	trigger: PollTrigger<Settings, Own>,
	context: IPollFunctions,
	memory: NodeMemory<Own>,
	now: number,
): Promise<INodeExecutionData[][] | null> {
	const budgetMs = budgetOf(context);
	// Only the durable scheduler sets a limit of its own.
	const isScheduled = budgetMs !== DEFAULT_BUDGET_MS;
	const kind = enter(memory, context, isScheduled);
	const from = savedStateOf(context.getWorkflowStaticData('node'));
	// Elsewhere n8n goes on with what it has in memory, and at an activation it expects an answer.
	if (isScheduled && isOvertaken(memory, from, now)) {
		context.logger.debug(`n8n has not saved the last poll of the ${trigger.plural} yet, so this one is left out.`);
		return null;
	}
	if (kind.reactivated && memory.outage) memory.outage = hurried(memory.outage, now);
	let subject = 'settings';
	try {
		const settings = trigger.readSettings(context);
		const platform = await openPlatform(context, within(settings.platformOptions, budgetMs));
		subject = shortHash([platform.keyId, trigger.subjectOf(context, settings, platform)]);
		if (isTimeToAsk(context, memory.outage, now, subject)) {
			const { continued } = kind;
			const items = await trigger.pollOnce({
				...{ context, platform, settings, memory, now, budgetMs, isScheduled, continued },
			});
			memory.outage = undefined;
			// What comes later than that, n8n throws away.
			if (items && Date.now() - now < budgetMs) memory.handedOver = { ...from, at: Date.now() };
			return items;
		}
	} catch (error) {
		const known = hasState(context.getWorkflowStaticData('node'));
		if (isPassing(error) && known) {
			memory.gentle ||= error.kind === 'rate-limited';
			context.logger.warn(`The ${trigger.plural} could not be polled. The next poll goes on. ${error.message}`);
			return null;
		}
		memory.outage = refused(memory.outage, now, {
			subject,
			reason: error instanceof PlatformError ? error.kind : messageOf(error),
			refusal: error,
			retryAt: error instanceof PlatformError ? error.retryAt : undefined,
		});
	}
	return respond(trigger.plural, context, memory, kind, now);
}

/** Before there is any state, only the tries of one activation are spared; a person who tries again gets an answer. */
function isTimeToAsk(context: IPollFunctions, outage: Outage | undefined, now: number, subject: string): boolean {
	if (mayAsk(outage, now, subject)) return true;
	const activating = context.getActivationMode() === 'activate' && !hasState(context.getWorkflowStaticData('node'));
	return activating && outage !== undefined && now >= outage.askedAt + ACTIVATION_TRIES_MS;
}

/**
 * Says what the platform refuses, or keeps quiet because that was said already. n8n gives up for good on a trigger whose
 * first poll fails a few times, so with saved state the first poll keeps quiet too: what is due is said by the next.
 */
function respond(
	plural: string,
	context: IPollFunctions,
	memory: NodeMemory<unknown>,
	kind: PollKind,
	now: number,
): null {
	const { outage } = memory;
	if (!outage) return null;
	const due = alertIsDue(outage, now);
	const isAlert = hasState(context.getWorkflowStaticData('node'))
		? due && !kind.first && !kind.reactivated
		: due || context.getActivationMode() === 'activate' || isSameActivation(outage, now);
	if (!isAlert) {
		context.logger.debug(`The ${plural} are not polled for now. ${messageOf(outage.refusal)}`);
		return null;
	}
	if (due) memory.outage = alerted(outage, now);
	throw toNodeError(context.getNode(), outage.refusal);
}

function isSameActivation({ alertedAt }: Outage, now: number): boolean {
	return alertedAt !== undefined && now < alertedAt + ACTIVATION_TRIES_MS;
}

/** How long a poll may take before the engine gives up on it, in milliseconds. */
function budgetOf(context: IPollFunctions): number {
	// Hosts before 2.39 do not say.
	const budget = (context as { getPollBudgetMs?: () => number }).getPollBudgetMs?.();
	return typeof budget === 'number' && budget > 0 ? budget : DEFAULT_BUDGET_MS;
}

/** The user's waiting times, as far as they fit into a poll. A longer wait is spent between polls. */
function within({ timeoutMs, maxRateLimitWaitMs }: PlatformOptions, budgetMs: number): PlatformOptions {
	const longest = Math.ceil(budgetMs * REQUEST_SHARE);
	return { timeoutMs: Math.min(timeoutMs, longest), maxRateLimitWaitMs: Math.min(maxRateLimitWaitMs, longest) };
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
