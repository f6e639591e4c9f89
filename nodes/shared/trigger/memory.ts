import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import type { Outage } from './outage';
import type { LatestState } from './stateFile';
import type { RowKey } from './types';

/**
 * What this process remembers of one node between polls. All of it may be lost at any time without losing an event.
 * Moments are milliseconds of `performance.now()`: they hold whatever the time of day is set to.
 */
export interface NodeMemory extends LatestState {
	/** Set while a poll runs. */
	running?: { since: number };
	polls: number;
	/** How many polls in a row came with a context of their own. */
	freshContexts: number;
	/** When a poll last succeeded, also as the time of day, and the time between the last two that did. */
	lastSuccess?: { at: number; timeOfDay: number };
	gapMs: number;
	/** Since when the list cannot be read completely. */
	incompleteSince?: number;
	outage?: Outage;
	/** The saved state that the last batch was made from, and when the batch was handed over. */
	handedOver?: { epoch: unknown; batch: number; at: number };
	usedAt: number;
	/** Rows that were looked up and not found, and the number of the poll that missed them first. */
	absent: Map<RowKey, number>;
	/** Rows whose look-up fails, however few are asked for. */
	unreadable: Set<RowKey>;
	/** Names of rows, for the event that says that one is gone. */
	names: Map<RowKey, string>;
	/** How far the platform's clock was ahead of this machine's at the last poll, in milliseconds. */
	clockAheadMs?: number;
	/**
	 * Where most rows need not be read because counts say how they are: from when and until when that may be tried, how
	 * often in a row the counts did not add up, and how many rows have left the list since all were read.
	 */
	proofs: { from: number; until: number; failed: number; gone: number };
	/** The log says already that many rows are followed. */
	hasWarned: boolean;
}

const FORGET_AFTER_MS = 8 * 24 * 60 * 60_000;
const polledWith = new WeakSet<IPollFunctions>();
/** More activations in a row than this, without a poll of the schedule in between, are no activations. */
const MOST_ACTIVATIONS = 3;

/** The memories of all nodes in this process. */
export const memories = new Map<string, NodeMemory>();

export function emptyMemory(): NodeMemory {
	return {
		polls: 0,
		freshContexts: 0,
		gapMs: 0,
		usedAt: 0,
		absent: new Map(),
		unreadable: new Set(),
		names: new Map(),
		proofs: { from: 0, until: 0, failed: 0, gone: 0 },
		hasWarned: false,
	};
}

/** This node's memory; an empty one where there is none. */
export function recall(context: IPollFunctions): NodeMemory {
	const now = performance.now();
	for (const [key, { usedAt }] of memories) if (now - usedAt > FORGET_AFTER_MS) memories.delete(key);
	const key = `${context.getWorkflow().id ?? ''}:${context.getNode().id}`;
	const memory = memories.get(key) ?? emptyMemory();
	memory.usedAt = now;
	memories.set(key, memory);
	return memory;
}

/** What kind of poll this is. */
export interface PollKind {
	/** The first poll of this node in this process. */
	isFirst: boolean;
	/**
	 * The workflow was activated again in this process. The in-memory engine polls with one context from activation to
	 * deactivation; the durable scheduler makes a new one for each poll, and gives it a time limit of its own.
	 */
	isReactivated: boolean;
	/** By how much the time of day was set since a poll last succeeded, in milliseconds; negative where it was set back. */
	clockSetByMs: number;
}

/** A smaller difference between the two clocks is drift. */
const CLOCK_DRIFT_MS = 10_000;

/** Notes that a poll begins. */
export function enter(memory: NodeMemory, context: IPollFunctions, isScheduled: boolean): PollKind {
	const isFresh = !polledWith.has(context);
	polledWith.add(context);
	const isFirst = memory.polls === 0;
	memory.polls++;
	memory.freshContexts = isFresh ? memory.freshContexts + 1 : 0;
	const isReactivated = isFresh && !isFirst && !isScheduled && memory.freshContexts <= MOST_ACTIVATIONS;
	const { at, timeOfDay } = memory.lastSuccess ?? readClocks();
	const clockSetByMs = Date.now() - timeOfDay - (performance.now() - at);
	return { isFirst, isReactivated, clockSetByMs: Math.abs(clockSetByMs) > CLOCK_DRIFT_MS ? clockSetByMs : 0 };
}

function readClocks(): { at: number; timeOfDay: number } {
	return { at: performance.now(), timeOfDay: Date.now() };
}

/** Taken for the longest that n8n needs to save a batch. A batch that is not saved by then counts as lost. */
const SAVED_WITHIN_MS = 15_000;

/**
 * Whether a poll is about to begin where the last batch began, or before. The durable scheduler reads the state some time
 * before a poll and saves it some time after, so a poll that was late may be given a state from before the batch, and would
 * raise the same events again. Where it is still given that state later, the batch was not saved, and its events have to
 * come again.
 */
export function isOvertaken({ handedOver }: NodeMemory, { epoch, batch }: IDataObject): boolean {
	if (!handedOver || handedOver.epoch !== epoch || batchNumber(batch) > handedOver.batch) return false;
	return performance.now() - handedOver.at < SAVED_WITHIN_MS;
}

/** Notes that a batch, made from this saved state, is handed over now. */
export function handedOver(memory: NodeMemory, { epoch, batch }: IDataObject): void {
	memory.handedOver = { epoch, batch: batchNumber(batch), at: performance.now() };
}

function batchNumber(batch: unknown): number {
	return typeof batch === 'number' ? batch : -1;
}

/** Notes that a poll succeeded. */
export function succeeded(memory: NodeMemory): void {
	const clocks = readClocks();
	if (memory.lastSuccess) memory.gapMs = clocks.at - memory.lastSuccess.at;
	memory.lastSuccess = clocks;
	memory.outage = memory.incompleteSince = undefined;
}

/**
 * Whether n8n saves what is written without a batch. It does with durable cursors: then it hands out a plain copy of the
 * node's data. Otherwise it hands out the workflow's own, which notes changes.
 */
export function savesWithoutBatch(stored: object, isScheduled: boolean): boolean {
	return isScheduled && !('__dataChanged' in stored);
}
