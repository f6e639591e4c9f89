import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { Outage } from '../watch/outage';

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
	/** The batch handed over last: which saved state it was made from, and when. */
	handedOver?: { from: string; at: number };
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

/** n8n saves the state within this time after it was given a batch, or not at all. */
const SAVED_WITHIN_MS = 15_000;

/** Tells the states of a node apart that n8n has saved. Every batch makes another one. */
export function savedStateOf({ config, epoch, batch }: IDataObject): string {
	return JSON.stringify([config, epoch, batch]);
}

/**
 * Whether a poll is about to begin where the last batch began. The durable scheduler reads the state some time before
 * the poll, and saves it some time after: the next poll may be given the state from before the batch. It would hand over the
 * same events again. Where it still is given that state later, the batch was not saved, and they have to come again.
 */
export function isOvertaken(memory: NodeMemory<unknown>, from: string, now: number): boolean {
	const { handedOver } = memory;
	return handedOver?.from === from && now - handedOver.at < SAVED_WITHIN_MS;
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
