import { knownField, statusName } from '../shared/dsquery/catalogue';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import type { EventJson } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import type { StationEvent, WatchingEvent } from './state/types';
import { minutes, period, textOf } from './text';

/** What is known about an event's station. */
export interface AboutStation {
	/** The station's row, or its full detail if that was requested. */
	station: Row | null;
	name: string | null;
	/** Why a requested full detail is missing. */
	detailMissing?: string;
}

/** The JSON of the item for an event. */
export function toJson(poll: Poll, event: StationEvent, { station, name, detailMissing }: AboutStation): EventJson {
	const { since, until, detectedAt } = event;
	return {
		stationName: name,
		event: event.name,
		since: poll.iso(since),
		until: until === null ? null : poll.iso(until),
		durationMinutes: minutes((until ?? detectedAt) - since),
		text: textOf(event, name ?? `Station ${rowId(event.station)}`, poll.zone),
		stationId: rowId(event.station),
		incidentId: event.incidentId,
		eventId: event.id,
		dimension: event.dimension,
		from: event.from,
		to: event.to,
		StatusName: event.dimension === null ? null : statusName(knownField(STATIONS, event.dimension)?.codes, event.to),
		detectedAt: poll.iso(detectedAt),
		environment: poll.connection.environment,
		...(detailMissing !== undefined && { detailMissing }),
		station,
	};
}

/** The JSON of the item for a time that was watched. */
export function toWatchingJson(poll: Poll, event: WatchingEvent, stations: number | undefined): EventJson {
	const { from, to, polls, openIncidents, detectedAt } = event;
	const many =
		stations === undefined ? 'The stations were' : `${stations} ${stations === 1 ? 'station was' : 'stations were'}`;
	return {
		event: event.name,
		from: poll.iso(from),
		to: poll.iso(to),
		durationMinutes: minutes(to - from),
		text: `${many} watched ${period(from, to, detectedAt, poll.zone)}. Offline at the end: ${openIncidents.length}.`,
		polls,
		stations: stations ?? null,
		openIncidents: openIncidents.map(({ incidentId, station, since }) => ({
			incidentId,
			stationId: rowId(station),
			since: poll.iso(since),
		})),
		incidentId: null,
		eventId: event.id,
		detectedAt: poll.iso(detectedAt),
		environment: poll.connection.environment,
	};
}

/** The name of a station from its row. */
export function nameOf(row: Row | null | undefined): string | undefined {
	const name = row?.Name;
	return typeof name === 'string' && name !== '' ? name : undefined;
}
