import { DateTime } from 'luxon';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Row } from '../shared/platform/types';
import { shortHash } from '../shared/watch/hash';
import { stationId } from '../shared/watch/keys';
import type { WatchEvent } from '../shared/watch/types';

/** An event with what is known about its station. */
export interface ReadyEvent {
	event: WatchEvent;
	/** The station's row, or its full detail where that was asked for. */
	station: Row | null;
	name: string | null;
	/** Why the full detail is not there although it was asked for. */
	detailMissing?: string;
}

export interface Surroundings {
	environment: string;
	/** The workflow's time zone, for the times in items. */
	zone: string;
}

/** The output items: one for each event, or one for all of them. */
export function toItems(
	events: readonly ReadyEvent[],
	output: 'items' | 'digest',
	surroundings: Surroundings,
): INodeExecutionData[] {
	const all = events.map((event) => toJson(event, surroundings));
	if (output === 'items' || all.length === 0) return all.map((json) => ({ json }));
	const counts: Record<string, number> = {};
	for (const { event } of events) counts[event.name] = (counts[event.name] ?? 0) + 1;
	return [
		{
			json: {
				eventId: shortHash(events.map(({ event }) => event.id)),
				event: 'digest',
				eventCount: all.length,
				counts,
				detectedAt: toIso(Math.max(...detectionTimes(events)), surroundings.zone),
				environment: surroundings.environment,
				events: all,
			},
		},
	];
}

/** Distinct times, so that a digest of any size can be spread into arguments. */
function detectionTimes(events: readonly ReadyEvent[]): Set<number> {
	return new Set(events.map(({ event }) => event.detectedAt));
}

function toJson({ event, station, name, detailMissing }: ReadyEvent, { environment, zone }: Surroundings): IDataObject {
	return {
		eventId: event.id,
		event: event.name,
		stationId: stationId(event.station),
		stationName: name,
		dimension: event.dimension,
		from: event.from,
		to: event.to,
		since: toIso(event.since, zone),
		detectedAt: toIso(event.detectedAt, zone),
		durationSeconds: event.durationSeconds,
		environment,
		...(detailMissing !== undefined && { detailMissing }),
		station,
	};
}

function toIso(ms: number, zone: string): string {
	const time = DateTime.fromMillis(ms, { zone });
	return (time.isValid ? time : DateTime.fromMillis(ms, { zone: 'utc' })).toISO() ?? new Date(ms).toISOString();
}

/** The name of a station from its row. */
export function nameOf(row: Row | null | undefined): string | undefined {
	const name = row?.Name;
	return typeof name === 'string' && name !== '' ? name : undefined;
}
