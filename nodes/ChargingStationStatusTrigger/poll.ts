import type { IPollFunctions, INodeExecutionData } from 'n8n-workflow';

import { openPlatform } from '../shared/platform/connect';
import { PlatformError, toNodeError } from '../shared/platform/errors';
import type { PlatformOptions } from '../shared/platform/types';
import { shortHash } from '../shared/watch/hash';
import { alerted, alertIsDue, hurried, mayAsk, refused } from '../shared/watch/outage';
import type { Outage } from '../shared/watch/outage';
import { hasState } from '../shared/watch/store';
import { enter, recall } from './memory';
import type { NodeMemory, PollKind } from './memory';
import { sampleItems } from './samples';
import { readSettings } from './settings';
import { rulesOf, watchOnce } from './watch';

/** What hosts without a budget of their own allow, and those with one by default, in milliseconds. */
const DEFAULT_BUDGET_MS = 300_000;
/** A single request may take this share of the poll's time, and wait as long for the rate limit. */
const REQUEST_SHARE = 0.2;
/** A poll that has not ended by then never will, as far as later ones are concerned. */
const GIVEN_UP_AFTER_MS = 30 * 60_000;
/** n8n tries five times within fifteen seconds to activate a trigger: the platform is asked once for all of them. */
const ACTIVATION_TRIES_MS = 20_000;

/** Runs one poll of the trigger in any of n8n's engines, or a manual test. */
export async function pollStations(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return await sampleItems(context);
	const now = Date.now();
	const memory = recall(context, now);
	if (memory.running && now - memory.running.since < GIVEN_UP_AFTER_MS) {
		context.logger.debug('The previous poll of the charging stations is still running, so this one is left out.');
		return null;
	}
	const running = { since: now };
	memory.running = running;
	try {
		return await attend(context, memory, now);
	} finally {
		if (memory.running === running) memory.running = undefined;
	}
}

async function attend(
	context: IPollFunctions,
	memory: NodeMemory,
	now: number,
): Promise<INodeExecutionData[][] | null> {
	const budgetMs = budgetOf(context);
	// Only the durable scheduler sets a limit of its own.
	const isScheduled = budgetMs !== DEFAULT_BUDGET_MS;
	const kind = enter(memory, context, isScheduled);
	if (kind.reactivated && memory.outage) memory.outage = hurried(memory.outage, now);
	let subject = 'settings';
	try {
		const settings = readSettings(context);
		const platform = await openPlatform(context, within(settings.platformOptions, budgetMs));
		const rules = rulesOf(context, settings, platform);
		subject = shortHash([rules.config, platform.keyId, settings.filter ?? null]);
		if (isTimeToAsk(context, memory.outage, now, subject)) {
			const items = await watchOnce({
				context,
				platform,
				settings,
				rules,
				memory,
				now,
				budgetMs,
				isScheduled,
				continued: kind.continued,
			});
			memory.outage = undefined;
			return items;
		}
	} catch (error) {
		const known = hasState(context.getWorkflowStaticData('node'));
		if (error instanceof PlatformError && error.transient && known) {
			memory.gentle ||= error.kind === 'rate-limited';
			context.logger.warn(`The charging stations could not be polled. The next poll goes on. ${error.message}`);
			return null;
		}
		memory.outage = refused(memory.outage, now, {
			subject,
			reason: error instanceof PlatformError ? error.kind : messageOf(error),
			refusal: error,
			retryAt: error instanceof PlatformError ? error.retryAt : undefined,
		});
	}
	return respond(context, memory, kind, now);
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
function respond(context: IPollFunctions, memory: NodeMemory, kind: PollKind, now: number): null {
	const { outage } = memory;
	if (!outage) return null;
	const due = alertIsDue(outage, now);
	const isAlert = hasState(context.getWorkflowStaticData('node'))
		? due && !kind.first && !kind.reactivated
		: due || context.getActivationMode() === 'activate' || isSameActivation(outage, now);
	if (!isAlert) {
		context.logger.debug(`The charging stations are not polled for now. ${messageOf(outage.refusal)}`);
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
