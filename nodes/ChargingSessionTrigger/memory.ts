import type { Memories, NodeMemory } from '../shared/trigger/memory';
import type { SessionState } from './state/sessions';

/** What this process remembers of one node besides what every trigger does. */
export interface Remembered {
	/** The state as the last poll left it, with changes that n8n may not have saved. */
	latest?: SessionState;
	/** How many rows the platform gives in one page, where that is fewer than asked for. */
	clampedTo?: number;
	/** How far the platform's clock is ahead of this machine's, in milliseconds. */
	clockAheadMs?: number;
	/** The log says already that many sessions count as open. */
	warned: boolean;
}

/** The memories of all nodes of this kind in this process. */
export const memories: Memories<Remembered> = new Map();

/**
 * The state to go on from: the saved one, or what this process made of it since without saving. What is not saved would
 * be found out again, so either leads to the same events; the newer one spares requests. Without a saved state the node
 * was renamed, since n8n keeps the state under the node's name.
 */
export function newest({ own }: NodeMemory<Remembered>, saved: SessionState | undefined): SessionState | undefined {
	const { latest } = own;
	if (!saved || !latest) return saved ?? latest;
	return latest.batch === saved.batch && latest.quiet >= saved.quiet ? latest : saved;
}
