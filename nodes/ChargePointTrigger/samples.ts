import partition from 'lodash/partition';

import { withDetail } from '../shared/list/chargePoints';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import type { EventJson } from '../shared/trigger/events/items';
import { rowKey, type RowKey } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { readDetails } from '../shared/trigger/reading/details';
import { firstRows } from '../shared/trigger/reading/lists';
import { type NothingToShow, sampleOf } from '../shared/trigger/samples';
import { type Seen, UNKNOWN } from '../shared/trigger/watch/watch';
import { watchingSample } from '../shared/trigger/watching';
import { itemsOf } from './items';
import { keyOf } from './points';
import { checkStatusField, statusesIn } from './read';
import type { ChargePointSettings } from './settings';

/** Stations that a manual test looks at: each costs a request. */
const STATIONS_SAMPLED = 10;
/** Charge points out of order, and all charge points, that it shows at most. */
const ACTIVE_SAMPLES = 2;
const SAMPLES = 3;

/** Items made from real charge points in their current state, as the trigger would send them. */
export async function sampleEvents(poll: Poll<ChargePointSettings>): Promise<EventJson[]> {
	const { settings, now } = poll;
	const { rule } = settings;
	const stations = await readSome(poll);
	checkStatusField(poll, stations);
	const points = [...stations].flatMap(([station, detail]) =>
		[...statusesIn(detail, settings)].map(([point, value]) => [keyOf(station, point), value] as const),
	);
	const [unreadable, readable] = partition(points, ([, value]) => value === UNKNOWN);
	const isIn = (value: Seen) => rule.kind === 'state' && typeof value !== 'symbol' && rule.isIn(value);
	const [active, others] = partition(readable, ([, value]) => isIn(value));
	const shown = [...active.slice(0, ACTIVE_SAMPLES), ...others].slice(0, SAMPLES);
	const changes = shown.map(([key, value]) => sampleOf(rule, key, value, now));
	const counts = { stations: stations.size, chargePoints: points.length };
	const isWatched = settings.reportsWatching && changes.length > 0;
	const watched = watchingSample(
		changes,
		unreadable.map(([key]) => key),
		now,
	);
	const round = { began: now, isSure: true, isEnd: true, polls: 1, counts };
	return itemsOf(poll, { changes, watched: isWatched ? watched : undefined }, { stations, round });
}

async function readSome(poll: Poll<ChargePointSettings>): Promise<Map<RowKey, Row>> {
	const { filter } = poll.settings;
	const rows = await firstRows(poll, STATIONS, { filter, direction: 'Asc', take: STATIONS_SAMPLED });
	const byKey = new Map(rows.map((row) => [rowKey(row.Id), row]));
	const keys = [...byKey.keys()].filter((key) => key !== undefined);
	const { found, rateLimit } = await readDetails(poll, keys, poll.pace('last'));
	if (rateLimit) throw rateLimit;
	const details = [...found];
	const [first] = details;
	if (first && !first[1].ok && details.every(([, { ok }]) => !ok)) throw first[1].error;
	return new Map(
		details.flatMap(([key, answer]) => (answer.ok ? [[key, withDetail(byKey.get(key) ?? {}, answer.value)]] : [])),
	);
}

export function nothingToShow(): NothingToShow {
	return {
		list: STATIONS,
		none: (which) => `The first ${STATIONS_SAMPLED} charging stations${which} have no charge points`,
		description:
			'Check the filter, and that the API key belongs to the organization whose stations you expect. Get Charge Points of the node Charging Stations shows which stations have charge points.',
	};
}
