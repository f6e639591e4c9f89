import type { IPollFunctions } from 'n8n-workflow';

import { MINUTE_MS } from '../dsquery/values/durations';
import type { NodeMemory } from './memory';

/** What an engine of n8n keeps of a polling trigger, and when. */
interface Engine {
	/** The durable scheduler: a poll has a new context and a time limit, and may get a state from before the last batch. */
	isScheduled: boolean;
	/** Saves the state also after a poll without a batch. */
	savesWithoutBatch: boolean;
}

/**
 * n8n has three ways to run polling triggers. In all of them a batch of items is saved together with the state.
 *
 * | Engine    | What n8n uses                  | State that a poll gets                | Saved without a batch |
 * |-----------|--------------------------------|---------------------------------------|-----------------------|
 * | memory    | by default                     | the workflow's own object, in memory  | no, but kept          |
 * | scheduler | with the durable scheduler     | read for each poll, some time before  | no: lost              |
 * | cursors   | with durable cursors, too      | a copy, read for each poll            | yes                   |
 */
const ENGINES = {
	memory: { isScheduled: false, savesWithoutBatch: false },
	scheduler: { isScheduled: true, savesWithoutBatch: false },
	cursors: { isScheduled: true, savesWithoutBatch: true },
} as const satisfies Record<string, Engine>;

/** Time for one poll, in milliseconds: n8n's default, and what n8n versions without a poll budget allow. */
export const DEFAULT_BUDGET_MS = 5 * MINUTE_MS;

/** How long a poll may take before the engine gives up on it, in milliseconds. */
export function budgetOf(context: IPollFunctions): number {
	// n8n before 2.39 does not say.
	const budget = (context as { getPollBudgetMs?: () => number }).getPollBudgetMs?.();
	return typeof budget === 'number' && budget > 0 ? budget : DEFAULT_BUDGET_MS;
}

/** The engine that runs this poll. n8n does not name it. */
export function engineOf(context: IPollFunctions): Engine {
	// Only the durable scheduler sets a limit of its own.
	if (budgetOf(context) === DEFAULT_BUDGET_MS) return ENGINES.memory;
	// The workflow's own object tracks changes, a copy does not.
	return '__dataChanged' in context.getWorkflowStaticData('node') ? ENGINES.scheduler : ENGINES.cursors;
}

export interface Activation {
	/** The first poll of this node in this process. */
	isFirst: boolean;
	/**
	 * The workflow was activated again in this process. The memory engine polls with one context from activation to
	 * deactivation.
	 */
	isReactivated: boolean;
}

const polledWith = new WeakSet<IPollFunctions>();
/** More new contexts in a row than this are not activations: n8n makes one for each poll. */
const MOST_ACTIVATIONS = 3;

export function enter(memory: NodeMemory, context: IPollFunctions, { isScheduled }: Engine): Activation {
	const isFresh = !polledWith.has(context);
	polledWith.add(context);
	const isFirst = memory.polls === 0;
	memory.polls++;
	memory.freshContexts = isFresh ? memory.freshContexts + 1 : 0;
	const isReactivated = isFresh && !isFirst && !isScheduled && memory.freshContexts <= MOST_ACTIVATIONS;
	return { isFirst, isReactivated };
}
