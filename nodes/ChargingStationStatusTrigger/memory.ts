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
	/** The state as the last poll left it, with changes that n8n may not have saved. */
	latest?: WatchState;
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
	/** The same context was polled with before, so the state is in n8n's memory as the last poll left it. */
	continued: boolean;
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
	return {
		first,
		continued: !fresh,
		reactivated: fresh && !first && !isScheduled && memory.freshContexts <= MOST_ACTIVATIONS,
	};
}

/**
 * The state to go on from: the saved one, or what this process made of it since without saving, where the engine has
 * forgotten that.
 *
 * What stations are waiting for changes in silence. Where the engine does not save such changes, a saved note is believed
 * only by the process that wrote it, and not after a long pause, in which another process may have polled: a station may
 * have been back in the meantime. The wait then begins anew.
 */
export function freshest(
	memory: NodeMemory,
	saved: WatchState | undefined,
	now: number,
	keepsQuietChanges: boolean,
): WatchState | undefined {
	const { latest, sawAt, gapMs } = memory;
	if (!saved || keepsQuietChanges) return saved;
	const ours = latest?.config === saved.config && latest.epoch === saved.epoch && latest.batch === saved.batch;
	const recent = sawAt !== undefined && now - sawAt <= Math.max(SHORTEST_TRUST_MS, 2 * gapMs);
	return ours && recent ? latest : { ...saved, waiting: new Map() };
}

/** Notes that a poll saw the platform, and the state it left. */
export function saw(memory: NodeMemory, now: number, latest: WatchState): void {
	if (memory.sawAt !== undefined) memory.gapMs = Math.max(0, now - memory.sawAt);
	memory.sawAt = now;
	memory.latest = latest;
}
