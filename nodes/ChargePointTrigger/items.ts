import type { Row } from '../shared/platform';
import { unreadableJson, unreadText } from '../shared/trigger/items';
import type { EventJson } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { minutes, nameOf, period } from '../shared/trigger/text';
import { pointsIn } from './read';
import type { ChargePointSettings } from './settings';
import { isPlace, pointId } from './state/points';
import type { ChargePointEvent, WatchingEvent } from './state/types';
import { textOf } from './text';

/** What uptime calls incidents of this trigger. */
const CAUSE = 'chargePoint';

/** The JSON of the item for an event. @param station the detail of its station */
export function toJson(poll: Poll<ChargePointSettings>, event: ChargePointEvent, station: Row): EventJson {
	const { name, point, since, until, detectedAt } = event;
	const stationName = nameOf(station) ?? null;
	return {
		stationName,
		text: textOf(event, stationName ?? `Station ${rowId(event.station)}`, poll.zone),
		event: name,
		since: poll.iso(since),
		until: until === null ? null : poll.iso(until),
		durationMinutes: minutes((until ?? detectedAt) - since),
		stationId: rowId(event.station),
		chargePointId: pointId(point),
		knownBy: isPlace(point) ? 'place' : 'id',
		cause: name === 'statusChanged' ? null : CAUSE,
		incidentId: event.incidentId,
		eventId: event.id,
		statusField: poll.settings.statusField,
		from: event.from,
		to: event.to,
		detectedAt: poll.iso(detectedAt),
		environment: poll.connection.environment,
		chargePoint: pointsIn(station).get(point) ?? null,
		station,
	};
}

/** The JSON of the item for a time that was watched. */
export function toWatchingJson(poll: Poll, event: WatchingEvent): EventJson {
	const { from, to, polls, stations, chargePoints, openIncidents, unreadable, detectedAt } = event;
	const watched = `${chargePoints} charge points of ${stations} stations were watched`;
	const every = polls > 0 ? `, each about every ${minutes((to - from) / polls)} minutes` : '';
	return {
		event: event.name,
		text: `${watched} ${period(from, to, detectedAt, poll.zone)}${every}. Out of order at the end: ${openIncidents.length}.${unreadText(unreadable)}`,
		cause: CAUSE,
		from: poll.iso(from),
		to: poll.iso(to),
		durationMinutes: minutes(to - from),
		polls,
		stations,
		chargePoints,
		openIncidents: openIncidents.map(({ incidentId, station, point, since }) => ({
			incidentId,
			stationId: rowId(station),
			chargePointId: pointId(point),
			since: poll.iso(since),
		})),
		unreadable: unreadableJson(unreadable, pointId),
		incidentId: null,
		eventId: event.id,
		detectedAt: poll.iso(detectedAt),
		environment: poll.connection.environment,
	};
}
