import type { Row } from '../shared/platform';
import { eventJson, stationWords, textOf, watchingJson } from '../shared/trigger/events/items';
import type { EventJson } from '../shared/trigger/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { minutes, nameOf, shown } from '../shared/trigger/text';
import type { WatchingEvent } from '../shared/trigger/watch/types';
import { SENTENCES } from './events';
import { ofChargePoints, pointsIn } from './read';
import type { ChargePointSettings } from './settings';
import { isByPosition, partsOf, pointId } from './state/points';
import type { ChargePointEvent } from './state/types';

/** What uptime calls incidents of this trigger. */
const CAUSE = 'chargePoint';

/** The JSON of the item for an event. @param station the detail of its station, unless that is gone */
export function toJson(poll: Poll<ChargePointSettings>, event: ChargePointEvent, station?: Row): EventJson {
	const { point, from, to } = event;
	const stationName = nameOf(station) ?? ofChargePoints(poll).names.get(event.station);
	return eventJson(poll, event, {
		stationName,
		text: pointText(event, stationName, poll.zone),
		part: { chargePointId: pointId(point), knownBy: isByPosition(point) ? 'place' : 'id' },
		cause: event.incidentId === null ? null : CAUSE,
		status: { statusField: poll.settings.statusField, from, to },
		rows: { chargePoint: (station && pointsIn(station).get(point)) ?? null, station: station ?? null },
	});
}

/** "Charge point 71 of Zürich Market Square 003 has been out of order since 04:46." */
export function pointText(event: ChargePointEvent, stationName: string | undefined, zone: string): string {
	const { station, point } = event;
	const name = `Charge point ${shown(pointId(point))} of ${stationWords(stationName, station)}`;
	const position = isByPosition(point) ? ' It has no ID and is known by its place in the list of the station.' : '';
	return `${textOf(SENTENCES, event, { name }, zone)}${position}`;
}

export function toWatchingJson(poll: Poll, event: WatchingEvent): EventJson {
	const { from, to, polls, counts = { stations: 0, chargePoints: 0 } } = event;
	return watchingJson(poll, event, {
		watched: `${counts.chargePoints} charge points of ${counts.stations} stations were watched`,
		every: polls > 0 ? `, each about every ${minutes((to - from) / polls)} minutes` : '',
		state: 'Out of order',
		cause: CAUSE,
		counts,
		idsOf(key) {
			const [station, point] = partsOf(key);
			return { stationId: rowId(station), chargePointId: pointId(point) };
		},
		pointId,
	});
}
