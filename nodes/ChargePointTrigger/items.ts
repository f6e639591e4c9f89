import type { Row } from '../shared/platform';
import { eventJson, stationWords, textOf, type WatchEvent } from '../shared/trigger/events/items';
import type { EventJson } from '../shared/trigger/items';
import { rowId, type RowKey } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import type { Compared } from '../shared/trigger/watch/steps';
import { minutes, nameOf, shown } from '../shared/trigger/text';
import type { StatusValue } from '../shared/dsquery/catalogue';
import type { Change } from '../shared/trigger/watch/watch';
import { watchingJson } from '../shared/trigger/watching';
import { SENTENCES } from './events';
import { CHARGE_POINT_CAUSE, isByPosition, partsOf, pointId, type PointKey } from './points';
import { type PointsFound, pointsIn } from './read';
import type { ChargePointSettings } from './settings';

type PointPoll = Poll<ChargePointSettings>;

/** The items about what happened to charge points, and about the time that was watched. */
export async function itemsOf(
	poll: PointPoll,
	{ changes, watched }: Pick<Compared, 'changes' | 'watched'>,
	{ stations, round }: Pick<PointsFound, 'stations' | 'round'>,
): Promise<EventJson[]> {
	const items = changes.map((change) => toJson(poll, change, stations.get(partsOf(change.key)[0])));
	const counts = round?.counts ?? { stations: 0, chargePoints: 0 };
	return await Promise.resolve(watched ? [toWatchingJson(poll, watched, counts), ...items] : items);
}

/** The JSON of the item for an event. @param station the detail of its station, unless that is gone */
function toJson(poll: PointPoll, change: Change, station: Row | undefined): EventJson {
	const [key, point = ''] = partsOf(change.key);
	const stationName = nameOf(station) ?? poll.memory.stationNames.get(key);
	const { from, to } = { from: change.from as StatusValue, to: change.to as StatusValue };
	const event = { ...change, from, to, station: key, point, detectedAt: poll.now };
	return eventJson(poll, event, {
		stationName,
		text: pointText(event, stationName, poll.zone),
		part: { chargePointId: pointId(point), knownBy: isByPosition(point) ? 'place' : 'id' },
		cause: poll.settings.cause ?? null,
		status: { statusField: poll.settings.statusField, from, to },
		rows: { chargePoint: (station && pointsIn(station).get(point)) ?? null, station: station ?? null },
	});
}

/** "Charge point 71 of Zürich Market Square 003 has been out of order since 04:46." */
export function pointText(
	event: WatchEvent<{ station: RowKey; point: PointKey }>,
	stationName: string | undefined,
	zone: string,
): string {
	const { station, point } = event;
	const name = `Charge point ${shown(pointId(point))} of ${stationWords(stationName, station)}`;
	const position = isByPosition(point) ? ' It has no ID and is known by its place in the list of the station.' : '';
	return `${textOf(SENTENCES, event, { name }, zone)}${position}`;
}

function toWatchingJson(
	poll: PointPoll,
	watched: NonNullable<Compared['watched']>,
	counts: { stations: number; chargePoints: number },
): EventJson {
	const { from, to, polls } = watched;
	return watchingJson(poll, watched, {
		watched: `${counts.chargePoints} charge points of ${counts.stations} stations were watched`,
		every: polls > 0 ? `, each about every ${minutes((to - from) / polls)} minutes` : '',
		state: 'Out of order',
		cause: CHARGE_POINT_CAUSE,
		counts,
		idsOf(key) {
			const [station, point] = partsOf(key);
			return { stationId: rowId(station), ...(point !== undefined && { chargePointId: pointId(point) }) };
		},
	});
}
