import type { Row } from '../shared/platform';
import { eventJson, stationWords } from '../shared/trigger/events/items';
import type { EventJson } from '../shared/trigger/events/items';
import { rowId } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import type { Compared } from '../shared/trigger/watch/steps';
import { minutes, nameOf, shown } from '../shared/trigger/text';
import type { StatusValue } from '../shared/dsquery/catalogue';
import type { Change } from '../shared/trigger/watch/watch';
import { watchingJson } from '../shared/trigger/watching';
import { SENTENCES } from './events';
import { CHARGE_POINT_CAUSE, isByPosition, partsOf, pointId } from './points';
import { type PointsFound, pointsIn } from './read';
import type { ChargePointSettings } from './settings';

type PointPoll = Poll<ChargePointSettings>;

/** The items about what happened to charge points, and about the time that was watched. */
export function itemsOf(
	poll: PointPoll,
	{ changes, watched }: Pick<Compared, 'changes' | 'watched'>,
	{ stations, round }: Pick<PointsFound, 'stations' | 'round'>,
): EventJson[] {
	const items = changes.map((change) => toJson(poll, change, stations.get(partsOf(change.key)[0])));
	const counts = round?.counts ?? { stations: 0, chargePoints: 0 };
	return watched ? [toWatchingJson(poll, watched, counts), ...items] : items;
}

/** @param detail the detail of its station, unless that is gone */
function toJson(poll: PointPoll, change: Change, detail: Row | undefined): EventJson {
	const { statusField, cause = null } = poll.settings;
	const [station, point = ''] = partsOf(change.key);
	const stationName = nameOf(detail) ?? poll.memory.stationNames.get(station);
	const isPlace = isByPosition(point);
	const name = `Charge point ${shown(pointId(point))} of ${stationWords(stationName, station)}`;
	const json = eventJson(poll, SENTENCES, change, {
		...{ station, stationName, cause },
		part: { chargePointId: pointId(point), knownBy: isPlace ? 'place' : 'id' },
		status: { statusField, from: change.from as StatusValue, to: change.to as StatusValue },
		words: { name },
		rows: { chargePoint: (detail && pointsIn(detail).get(point)) ?? null, station: detail ?? null },
	});
	const note = ' It has no ID and is known by its place in the list of the station.';
	return isPlace ? { ...json, text: `${json.text}${note}` } : json;
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
