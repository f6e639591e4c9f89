import chunk from 'lodash/chunk';

import { PlatformError } from '../shared/platform';
import type { Platform, Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { lookUp } from '../shared/trigger/lists';
import type { ReadPace } from '../shared/trigger/lists';
import { isPassing, orElse } from '../shared/trigger/orElse';
import { rowId } from '../shared/trigger/keys';
import type { StationKey, WatchEvent } from './state/types';
import { nameOf } from './present';
import type { ReadyEvent } from './present';

/** What is handed over now, and what is still owed. */
export interface HandOver {
	ready: ReadyEvent[];
	waiting: WatchEvent[];
}

/**
 * Adds to each event what is known about its station. Events whose station cannot be read in the time that is left wait
 * for the next poll; an event is never given up because its station cannot be read at all.
 *
 * @param rows what this poll has read anyway
 */
export async function prepareEvents(
	platform: Platform,
	events: readonly WatchEvent[],
	rows: Map<StationKey, Row>,
	names: ReadonlyMap<StationKey, string>,
	pace: ReadPace & { fetchDetail: boolean },
): Promise<HandOver> {
	const waiting = new Set<WatchEvent>();
	const withoutRow = events.filter(({ name, station }) => name !== 'removed' && !rows.has(station));
	if (withoutRow.length > 0) {
		const keys = [...new Set(withoutRow.map(({ station }) => station))];
		const found = await lookUp({ platform, endpoint: STATIONS }, keys, pace);
		for (const [key, row] of found.rows) rows.set(key, row);
		for (const event of withoutRow) if (!found.asked.has(event.station)) waiting.add(event);
	}
	const details = pace.fetchDetail
		? await fetchDetails(
				platform,
				events.filter((event) => event.name !== 'removed' && !waiting.has(event)),
				pace,
			)
		: new Map<StationKey, Detail>();

	const ready: ReadyEvent[] = [];
	for (const event of events) {
		const { station } = event;
		const wantsDetail = pace.fetchDetail && event.name !== 'removed';
		const detail = details.get(station);
		if (waiting.has(event) || (wantsDetail && !detail)) {
			waiting.add(event);
			continue;
		}
		const row = event.name === 'removed' ? null : (detail?.row ?? rows.get(station) ?? null);
		const name = nameOf(row) ?? names.get(station) ?? null;
		ready.push({ event, station: row, name, detailMissing: detail?.missing });
	}
	return { ready, waiting: events.filter((event) => waiting.has(event)) };
}

interface Detail {
	row?: Row;
	missing?: string;
}

/** Reads full details, several at a time, until the time is up or the platform lets nothing more through. */
async function fetchDetails(
	platform: Platform,
	events: readonly WatchEvent[],
	{ parallel, until }: ReadPace,
): Promise<Map<StationKey, Detail>> {
	const details = new Map<StationKey, Detail>();
	const keys = [...new Set(events.map(({ station }) => station))];
	for (const group of chunk(keys, parallel)) {
		if (Date.now() >= until) break;
		const found = await Promise.all(group.map(async (key) => await fetchDetail(platform, key)));
		group.forEach((key, index) => {
			const detail = found[index];
			if (detail) details.set(key, detail);
		});
		if (found.includes(undefined)) break;
	}
	return details;
}

/** @returns undefined where the platform could not answer just now */
async function fetchDetail(platform: Platform, key: StationKey): Promise<Detail | undefined> {
	const found = await orElse(platform.getStation(String(rowId(key))), (error) => error instanceof PlatformError);
	if ('value' in found) return { row: found.value };
	// The event is true whether or not its detail may be read: it goes out with what the list says.
	if (isPassing(found.error)) return undefined;
	return { missing: found.error instanceof Error ? found.error.message : String(found.error) };
}
