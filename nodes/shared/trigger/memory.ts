import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { Outage } from './outage';
import { numberOf } from './stored';

/**
 * What this process remembers of one node between polls. All of it may be lost at any time without losing an event.
 * `Own` is what one kind of trigger remembers besides.
 */
export interface NodeMemory<Own> {
	/** Set while a poll runs. */
	running?: { since: number };
	polls: number;
	/** How many polls in a row came with a context of their own. */
	freshContexts: number;
	/** When a poll last saw the platform, and the time between the last two that did. Milliseconds. */
	sawAt?: number;
	gapMs: number;
	outage?: Outage;
	/** The saved state that the last batch was made from, and when the batch was handed over. */
	handedOver?: SavedState & { at: number };
	/** The platform lets so little through that pages are read one at a time. */
	gentle: boolean;
	usedAt: number;
	own: Own;
}

const FORGET_AFTER_MS = 8 * 24 * 60 * 60_000;
const polledWith = new WeakSet<IPollFunctions>();
/** More activations in a row than this, without a poll of the schedule in between, are no activations. */
const MOST_ACTIVATIONS = 3;

/** The memories of all nodes of one kind in this process. */
export type Memories<Own> = Map<string, NodeMemory<Own>>;

/** This node's memory; an empty one where there is none. */
export function recall<Own>(
	memories: Memories<Own>,
	context: IPollFunctions,
	now: number,
	nothing: () => Own,
): NodeMemory<Own> {
	for (const [key, { usedAt }] of memories) if (now - usedAt > FORGET_AFTER_MS) memories.delete(key);
	const key = `${context.getWorkflow().id ?? ''}:${context.getNode().id}`;
	const known = memories.get(key);
	const memory = known ?? {
		...{ polls: 0, freshContexts: 0, gapMs: 0, gentle: false, usedAt: now },
		own: nothing(),
	};
	memory.usedAt = now;
	memories.set(key, memory);
	return memory;
}

/** What kind of poll this is. */
export interface PollKind {
	/** The first poll of this node in this process. */
	first: boolean;
	/** The same context was polled with before, so the state is in n8n's memory as the last poll left it. */
	continued: boolean;
	/**
	 * The workflow was activated again in this process. The in-memory engine polls with one context from activation to
	 * deactivation; the durable scheduler makes a new one for each poll, and gives it a time limit of its own.
	 */
	reactivated: boolean;
}

/** Notes that a poll begins. */
export function enter(memory: NodeMemory<unknown>, context: IPollFunctions, isScheduled: boolean): PollKind {
	const fresh = !polledWith.has(context);
	polledWith.add(context);
	const first = memory.polls === 0;
	memory.polls++;
	memory.freshContexts = fresh ? memory.freshContexts + 1 : 0;
	return {
		first,
		continued: !fresh,
		reactivated: fresh && !first && !isScheduled && memory.freshContexts <= MOST_ACTIVATIONS,
	};
}

/** Taken for the longest that n8n needs to save a batch. A batch that is not saved by then counts as lost. */
const SAVED_WITHIN_MS = 15_000;

/** Tells the states of a node apart that n8n has saved. */
export interface SavedState {
	epoch: unknown;
	/** Batches handed over until then; each makes a new state. */
	batch: number;
}

export function savedStateOf({ epoch, batch }: IDataObject): SavedState {
	return { epoch, batch: numberOf(batch) ?? -1 };
}

/**
 * Whether a poll is about to begin where the last batch began, or before. The durable scheduler reads the state some time
 * before a poll and saves it some time after, so a poll that was late may be given a state from before the batch, and would
 * tell the same again. Where it is still given that state later, the batch was not saved, and its events have to come again.
 */
export function isOvertaken({ handedOver }: NodeMemory<unknown>, from: SavedState, now: number): boolean {
	if (!handedOver || handedOver.epoch !== from.epoch || from.batch > handedOver.batch) return false;
	// The clock may have been set back.
	return Math.abs(now - handedOver.at) < SAVED_WITHIN_MS;
}

/** Notes that a poll saw the platform. */
export function saw(memory: NodeMemory<unknown>, now: number): void {
	if (memory.sawAt !== undefined) memory.gapMs = Math.max(0, now - memory.sawAt);
	memory.sawAt = now;
}

/**
 * Whether n8n saves what is written without a batch. It does with durable cursors: then it hands out a plain copy of the
 * node's data. Otherwise it hands out the workflow's own, which notes changes.
 */
export function savesQuietChanges(stored: object, isScheduled: boolean): boolean {
	return isScheduled && !('__dataChanged' in stored);
}
