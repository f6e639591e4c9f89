import type { Row } from '../shared/platform';
import type { EventJson } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import type { StationEvent } from './state/types';

/** What is known about the station of an event. */
export interface AboutStation {
	/** The station's row, or its full detail where that was asked for. */
	station: Row | null;
	name: string | null;
	/** Why the full detail is not there although it was asked for. */
	detailMissing?: string;
}

/** What an item says of an event. */
export function toJson(poll: Poll, event: StationEvent, { station, name, detailMissing }: AboutStation): EventJson {
	return {
		eventId: event.id,
		event: event.name,
		stationId: rowId(event.station),
		stationName: name,
		dimension: event.dimension,
		from: event.from,
		to: event.to,
		since: poll.iso(event.since),
		detectedAt: poll.iso(event.detectedAt),
		durationSeconds: event.durationSeconds,
		environment: poll.platform.environment,
		...(detailMissing !== undefined && { detailMissing }),
		station,
	};
}

/** The name of a station from its row. */
export function nameOf(row: Row | null | undefined): string | undefined {
	const name = row?.Name;
	return typeof name === 'string' && name !== '' ? name : undefined;
}
