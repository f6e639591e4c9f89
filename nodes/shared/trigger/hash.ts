import { createHash } from 'crypto';

import type { WatchEvent } from '../../ChargingStationStatusTrigger/state/types';

/** A short hash of anything that can be written as JSON. Property order does not matter. */
export function shortHash(value: unknown): string {
	return createHash('sha256')
		.update(JSON.stringify(sorted(value)))
		.digest('hex')
		.slice(0, 24);
}

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([name, entry]) => [name, sorted(entry)]),
	);
}

/**
 * The id of an event. It follows from the saved state alone: when n8n loses the state after an event (it was killed while
 * handing over), the same event is raised again from the same state and bears the same id.
 */
export function eventId(epoch: string, batch: number, event: Omit<WatchEvent, 'id'>): string {
	const { name, station, dimension, from, to } = event;
	return shortHash([epoch, batch, name, station, dimension, from, to]);
}
