import type { Memories, NodeMemory } from '../shared/trigger/memory';
import type { StationKey, WatchState } from './state/types';

/** What this process remembers of one node besides what every trigger does. */
export interface Remembered {
	/** The state as the last poll left it, with changes that n8n may not have saved. */
	latest?: WatchState;
	/** Names of stations, for the event that says that one is gone. */
	names: Map<StationKey, string>;
}

/** The memories of all nodes of this kind in this process. */
export const memories: Memories<Remembered> = new Map();

const SHORTEST_TRUST_MS = 15 * 60_000;

/**
 * The state to go on from: the saved one, or what this process made of it since without saving, where the engine has
 * forgotten that.
 *
 * What stations are waiting for changes in silence. Where the engine does not save such changes, a saved note is believed
 * only by the process that wrote it, and not after a long pause, in which another process may have polled: a station may
 * have been back in the meantime. The wait then begins anew.
 */
export function freshest(
	memory: NodeMemory<Remembered>,
	saved: WatchState | undefined,
	now: number,
	keepsQuietChanges: boolean,
): WatchState | undefined {
	const { sawAt, gapMs } = memory;
	const { latest } = memory.own;
	if (!saved || keepsQuietChanges) return saved;
	const ours = latest?.config === saved.config && latest.epoch === saved.epoch && latest.batch === saved.batch;
	const recent = sawAt !== undefined && now - sawAt <= Math.max(SHORTEST_TRUST_MS, 2 * gapMs);
	return ours && recent ? latest : { ...saved, waiting: new Map() };
}
