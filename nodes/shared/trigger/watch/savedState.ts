import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { DAY_MS } from '../../dsquery/values/durations';
import { shortHash } from '../hash';
import type { Coverage } from './coverage';
import type { RuleState } from './ruleState';

/** A state of another version is of another release, and is not read. */
const VERSION = 4;
/** The longest that n8n is assumed to take to save a batch. A batch not saved by then counts as lost. */
const SAVED_WITHIN_MS = 15_000;

/** What one watch remembers, and what it is about: under other settings it begins anew. */
export interface WatchState extends RuleState {
	/** What is watched, and of which platform: fingerprints. */
	place: string;
	config: string;
	/** Which rows of a list are new, once its highest were read. */
	border?: NewRowBorder;
}

/** Tells the new rows of a list from old ones, which may come late or into view. */
export interface NewRowBorder {
	/** Only rows with a higher Id are read. Left out: all, as the first reading has reached the end of the list. */
	from?: number;
	/** What has a higher Id than this and is not known is new. Left out while no row was seen. */
	above?: number;
	/** When the watch began: what has started since is new, whatever its Id. */
	began: number;
}

/** Where a reading goes on, and what is known of the round that it is in. */
export interface ReadingProgress {
	/** The Id behind which the next poll goes on; left out at the start of the list. */
	after?: number | string;
	began: number;
	/** Whether all of it could be read so far. */
	isSure: boolean;
	/** How many polls it has taken so far. */
	polls: number;
	/** How many were seen so far, for the item that says what was watched. */
	counts?: { stations: number; chargePoints: number };
}

/** Everything a trigger remembers, as plain JSON. */
export interface TriggerState {
	watches: Readonly<Record<string, WatchState>>;
	/** The readings that have not reached their end. */
	readings: Readonly<Record<string, ReadingProgress>>;
	coverage: Coverage;
	/** How many polls the last round took. */
	roundPolls?: number;
	/** Whether the first reading reports what it finds: nothing was stored when it began. */
	reportsFirst?: boolean;
	/** How often the Ids of the list have begun again. */
	generation: number;
}

/** What this process remembers of the state: as of the last poll, saved or not. */
export interface StateCache {
	/** Random, made with the first batch; undefined before. */
	epoch?: string;
	/** How many batches were handed over. */
	batch: number;
	state: TriggerState;
	nodeName: string;
	/** When the batch was handed over, in milliseconds of `performance.now()`. */
	handedOverAt: number;
}

export interface LoadedState extends Omit<StateCache, 'state'> {
	/** Undefined if nothing is known. */
	state?: TriggerState;
	/** Whether this process remembers it, so that what waits may go on waiting; another process may have looked since. */
	isOfLastPoll: boolean;
	/** Whether it must be saved although there is no news: the node was renamed, and nothing is saved under its new name yet. */
	mustSave: boolean;
	/** Something is stored that cannot be read. */
	isUnreadable: boolean;
	/** What is stored is of a node of this name that is long gone. */
	isOfAnother: boolean;
}

/** The node that polls, and the time of day in milliseconds since 1970. */
interface PollingNode {
	nodeId: string;
	today: number;
}

/** A state that another node has saved under this name, as when a node is replaced, counts for so long. */
const TAKEN_OVER_WITHIN_MS = 7 * DAY_MS;

/** n8n keeps the state of a deleted node, and gives it to a new one of that name. */
function isOfAnother({ node, savedAt }: IDataObject, { nodeId, today }: PollingNode): boolean {
	return node !== undefined && node !== nodeId && today - Number(savedAt) > TAKEN_OVER_WITHIN_MS;
}

/** Whether the node has saved a state, readable or not, and the names under which it was polled, the last one last. */
export function inspectSavedState(stored: IDataObject, polling: PollingNode): { hasState: boolean; names: string[] } {
	const hasState = typeof stored.version === 'number' && !isOfAnother(stored, polling);
	return { hasState, names: hasState ? String(stored.names ?? '').split('\n') : [] };
}

/**
 * The state that a poll begins with.
 *
 * @param about `now`: milliseconds of `performance.now()`; `keepsContext`: n8n keeps the state in memory, too
 */
export function loadState(
	stored: IDataObject,
	copy: StateCache | undefined,
	about: PollingNode & { nodeName: string; now: number; keepsContext: boolean },
): LoadedState {
	const { nodeName } = about;
	const isForeign = isOfAnother(stored, about);
	const saved = isForeign ? undefined : readStored(stored);
	const isUnreadable = saved === undefined && inspectSavedState(stored, about).hasState;
	const isStored = copy !== undefined && saved?.epoch === copy.epoch && (saved?.batch ?? 0) === copy.batch;
	if (copy && (isStored || isAhead(copy, saved, about))) {
		const isRenamed = copy.nodeName !== nodeName && !isStored;
		return { ...copy, isOfLastPoll: true, mustSave: isRenamed, isUnreadable: false, isOfAnother: false };
	}
	const notInMemory = { nodeName, handedOverAt: Number.NEGATIVE_INFINITY, isOfLastPoll: false, mustSave: false };
	return { batch: 0, ...saved, ...notInMemory, isUnreadable, isOfAnother: isForeign };
}

/** Whether the copy counts although another batch is stored, or none. */
function isAhead(
	copy: StateCache,
	saved: ReturnType<typeof readStored>,
	{ nodeName, now, keepsContext }: Parameters<typeof loadState>[2],
): boolean {
	if (saved && (saved.epoch !== copy.epoch || saved.batch > copy.batch)) return false;
	// n8n stores the state under the node's name. After a rename, this process still knows it.
	if (copy.nodeName !== nodeName) return true;
	// Where n8n keeps the state in memory, an older one is that of a second registration of the trigger: after an import into
	// a running n8n, n8n 1 keeps the first one, too.
	return keepsContext || now - copy.handedOverAt < SAVED_WITHIN_MS;
}

/** Writes a state into the node's static data: n8n saves it together with the batch that is handed over. */
export function saveState(
	stored: IDataObject,
	{ epoch, batch }: LoadedState,
	state: TriggerState,
	{ nodeId, today, names }: PollingNode & { names: readonly string[] },
): Omit<StateCache, 'state' | 'nodeName'> {
	const next = { epoch: epoch ?? randomUUID().slice(0, 8), batch: batch + 1 };
	const by = { node: nodeId, savedAt: today, names: names.join('\n') };
	const entries = { version: VERSION, ...next, ...by, text: JSON.stringify(state) };
	// n8n misses changes inside of what is stored, so it is flat.
	Object.assign(stored, entries);
	for (const name of Object.keys(stored)) if (!(name in entries)) delete stored[name];
	return { ...next, handedOverAt: performance.now() };
}

/** What event ids are made of: the saved state that they follow from, and the node. */
export function eventIdSeed(
	{ epoch, batch }: LoadedState,
	node: { workflowId: string; id: string; name: string },
): string {
	return shortHash(epoch === undefined ? node : [node, epoch, batch]);
}

/** @returns undefined if there is nothing, or it is of another version or damaged */
function readStored({ version, epoch, batch, text }: IDataObject) {
	if (version !== VERSION || typeof epoch !== 'string' || typeof batch !== 'number') return undefined;
	if (typeof text !== 'string') return undefined;
	try {
		const state = JSON.parse(text) as Partial<TriggerState>;
		const isWhole = [state.watches, state.readings, state.coverage].every((part) => typeof part === 'object');
		return isWhole ? { epoch, batch, state: state as TriggerState } : undefined;
	} catch {
		return undefined;
	}
}
