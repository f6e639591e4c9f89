import type { IDataObject } from 'n8n-workflow';

import type { Row } from '../shared/platform';
import { toIso } from '../shared/trigger/items';
import type { Surroundings } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { WatchEvent } from './state/types';

/** An event with what is known about its station. */
export interface ReadyEvent {
	event: WatchEvent;
	/** The station's row, or its full detail where that was asked for. */
	station: Row | null;
	name: string | null;
	/** Why the full detail is not there although it was asked for. */
	detailMissing?: string;
}

/** What an item says of an event. */
export function toJson(
	{ event, station, name, detailMissing }: ReadyEvent,
	{ environment, zone }: Surroundings,
): IDataObject {
	return {
		eventId: event.id,
		event: event.name,
		stationId: rowId(event.station),
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

/** The name of a station from its row. */
export function nameOf(row: Row | null | undefined): string | undefined {
	const name = row?.Name;
	return typeof name === 'string' && name !== '' ? name : undefined;
}
