import type { IPollFunctions } from 'n8n-workflow';

import type { Outage } from '../shared/watch/outage';
import type { StationKey, WatchState } from '../shared/watch/types';

/** What this process remembers of one node between polls. All of it may be lost at any time without losing an event. */
export interface NodeMemory {
	/** Set while a poll runs. */
	running?: { since: number };
	polls: number;
	/** How many polls in a row came with a context of their own. */
	freshContexts: number;
	/** When a poll last saw the platform, and the time between the last two that did. Milliseconds. */
	sawAt?: number;
	gapMs: number;
	/** The state with changes that were not saved, for engines that forget them. */
	kept?: WatchState;
	outage?: Outage;
	/** The platform lets so little through that pages are read one at a time. */
	gentle: boolean;
	/** Names of stations, for the event that says that one is gone. */
	names: Map<StationKey, string>;
	usedAt: number;
}

const FORGET_AFTER_MS = 8 * 24 * 60 * 60_000;
const SHORTEST_TRUST_MS = 15 * 60_000;

/** The memories of all trigger nodes in this process. */
export const memories = new Map<string, NodeMemory>();

const polledWith = new WeakSet<IPollFunctions>();
/** More activations in a row than this, without a poll of the schedule in between, are no activations. */
const MOST_ACTIVATIONS = 3;

/** This node's memory; an empty one where there is none. */
export function recall(context: IPollFunctions, now: number): NodeMemory {
	for (const [key, { usedAt }] of memories) if (now - usedAt > FORGET_AFTER_MS) memories.delete(key);
	const key = `${context.getWorkflow().id ?? ''}:${context.getNode().id}`;
	const known = memories.get(key);
	const memory = known ?? { polls: 0, freshContexts: 0, gapMs: 0, gentle: false, names: new Map(), usedAt: now };
	memory.usedAt = now;
	memories.set(key, memory);
	return memory;
}

/** What kind of poll this is. */
export interface PollKind {
	/** The first poll of this node in this process. */
	first: boolean;
	/**
	 * The workflow was activated again in this process. The in-memory engine polls with one context from activation to
	 * deactivation; the durable scheduler makes a new one for each poll, and gives it a time limit of its own.
	 */
	reactivated: boolean;
}

/** Notes that a poll begins. */
export function enter(memory: NodeMemory, context: IPollFunctions, isScheduled: boolean): PollKind {
	const fresh = !polledWith.has(context);
	polledWith.add(context);
	const first = memory.polls === 0;
	memory.polls++;
	memory.freshContexts = fresh ? memory.freshContexts + 1 : 0;
	return { first, reactivated: fresh && !first && !isScheduled && memory.freshContexts <= MOST_ACTIVATIONS };
}

/**
 * The state to go on from: the saved one, or what this process made of it since without saving, where the engine has
 * forgotten that. After a long pause another process may have polled meanwhile, so nothing unsaved is trusted then.
 */
export function freshest(memory: NodeMemory, saved: WatchState | undefined, now: number): WatchState | undefined {
	const { kept, sawAt, gapMs } = memory;
	if (!saved || !kept || sawAt === undefined) return saved;
	const sameBatch = kept.config === saved.config && kept.epoch === saved.epoch && kept.batch === saved.batch;
	const trusted = now - sawAt <= Math.max(SHORTEST_TRUST_MS, 2 * gapMs);
	return sameBatch && trusted && kept.quiet > saved.quiet ? kept : saved;
}

/** Notes that a poll saw the platform. */
export function saw(memory: NodeMemory, now: number, kept: WatchState | undefined): void {
	if (memory.sawAt !== undefined) memory.gapMs = Math.max(0, now - memory.sawAt);
	memory.sawAt = now;
	memory.kept = kept;
}
