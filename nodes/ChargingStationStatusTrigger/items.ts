import upperFirst from 'lodash/upperFirst';

import { knownField, statusName } from '../shared/dsquery/catalogue';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { unreadableJson, unreadText } from '../shared/trigger/items';
import type { EventJson } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { minutes, period } from '../shared/trigger/text';
import type { StationEvent, WatchingEvent } from './state/types';
import { textOf } from './text';

/** What is known about an event's station. */
export interface AboutStation {
	/** The station's row, or its full detail if that was requested. */
	station: Row | null;
	name: string | null;
	/** Why a requested full detail is missing. */
	detailMissing?: string;
	/** What the user calls it when a station matches the filter. */
	cause?: string;
}

/** Uptime counts incidents by cause. An event without a cause is none. */
function causeOf(name: StationEvent['name'], cause: string | undefined): string | null {
	if (name === 'offline' || name === 'backOnline') return 'offline';
	return name === 'startedMatching' || name === 'stoppedMatching' ? (cause ?? null) : null;
}

/** The JSON of the item for an event. */
export function toJson(poll: Poll, event: StationEvent, about: AboutStation): EventJson {
	const { station, name, detailMissing, cause } = about;
	const { since, until, detectedAt } = event;
	return {
		stationName: name,
		text: textOf(event, name ?? `Station ${rowId(event.station)}`, poll.zone),
		event: event.name,
		since: poll.iso(since),
		until: until === null ? null : poll.iso(until),
		durationMinutes: minutes((until ?? detectedAt) - since),
		stationId: rowId(event.station),
		cause: causeOf(event.name, cause),
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

/**
 * The JSON of the item for a time that was watched.
 *
 * @param cause what was watched for
 * @param stations how many stations were watched, if that is known
 */
export function toWatchingJson(poll: Poll, event: WatchingEvent, cause: string, stations?: number): EventJson {
	const { from, to, polls, openIncidents, unreadable, detectedAt } = event;
	const many =
		stations === undefined ? 'The stations were' : `${stations} ${stations === 1 ? 'station was' : 'stations were'}`;
	const open = `${upperFirst(cause)} at the end: ${openIncidents.length}.${unreadText(unreadable)}`;
	return {
		event: event.name,
		text: `${many} watched ${period(from, to, detectedAt, poll.zone)}. ${open}`,
		cause,
		from: poll.iso(from),
		to: poll.iso(to),
		durationMinutes: minutes(to - from),
		polls,
		stations: stations ?? null,
		openIncidents: openIncidents.map(({ incidentId, station, since }) => ({
			incidentId,
			stationId: rowId(station),
			since: poll.iso(since),
		})),
		unreadable: unreadableJson(unreadable),
		incidentId: null,
		eventId: event.id,
		detectedAt: poll.iso(detectedAt),
		environment: poll.connection.environment,
	};
}
