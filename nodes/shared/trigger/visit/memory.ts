import sortBy from 'lodash/sortBy';
import type { IPollFunctions } from 'n8n-workflow';

import { DAY_MS } from '../../dsquery/values/durations';
import type { PlatformError } from '../../platform';
import type { Outage, Silence } from './outage';
import type { Copy } from '../watch/saved';

/**
 * What this process remembers of one node between polls, whatever it watches: what else is needed is `remembered` where
 * it is used. All of it may be lost at any time without losing an event. Points in time are milliseconds of
 * `performance.now()`, which a change of the clock does not affect.
 */
export interface NodeMemory {
	/** Set while a poll runs. */
	running?: { since: number };
	polls: number;
	/** When the last poll began, and how far apart the last few were. */
	beganAt?: number;
	distances: number[];
	/** Since when the list cannot be read completely. */
	incompleteSince?: number;
	outage?: Outage;
	silence?: Silence;
	/** What the next poll must say in a failed execution: the last one had items to hand over. */
	unsaid?: PlatformError;
	/** The state as of the last poll. */
	copy?: Copy;
	/** Whether n8n polls with one context from activation to deactivation. */
	keepsContext?: true;
	usedAt: number;
	/** What the log already says, for what is to be said once. */
	logged: Set<string>;
}

const FORGET_AFTER_MS = 8 * DAY_MS;

export const memories = new Map<string, NodeMemory>();

export function emptyMemory(): NodeMemory {
	return { polls: 0, distances: [], usedAt: 0, logged: new Set() };
}

/** What one part of a trigger remembers of a node besides, for as long as the rest is remembered. */
export function remembered<Own extends object>(fresh: () => Own): (poll: { memory: NodeMemory }) => Own {
	const all = new WeakMap<NodeMemory, Own>();
	return ({ memory }) => {
		const own = all.get(memory) ?? fresh();
		all.set(memory, own);
		return own;
	};
}

export function recall(context: IPollFunctions): NodeMemory {
	const now = performance.now();
	for (const [key, { usedAt }] of memories) if (now - usedAt > FORGET_AFTER_MS) memories.delete(key);
	const key = `${context.getWorkflow().id ?? ''}:${context.getNode().id}`;
	const memory = memories.get(key) ?? emptyMemory();
	memory.usedAt = now;
	memories.set(key, memory);
	return memory;
}

/** Of so many distances of polls, the one in the middle is the usual one. */
const DISTANCES = 5;

/** Remembers that a poll begins, whether it succeeds or not. */
export function noteBegin(memory: NodeMemory, at: number): void {
	const { beganAt, distances } = memory;
	memory.beganAt = at;
	if (beganAt !== undefined) memory.distances = [...distances, at - beganAt].slice(-DISTANCES);
}

/** The usual distance of two polls before this one, in milliseconds; 0 if it is not known. */
export function usualDistanceMs({ distances }: NodeMemory): number {
	const before = sortBy(distances.slice(0, -1));
	return before[Math.floor(before.length / 2)] ?? 0;
}

export function succeeded(memory: NodeMemory): void {
	memory.outage = memory.incompleteSince = undefined;
}
