import partition from 'lodash/partition';

import { withDetail } from '../shared/list/chargePoints';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { sampleAt, watchingSample } from '../shared/trigger/events/samples';
import type { EventJson } from '../shared/trigger/items';
import { rowKey } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { readDetails } from '../shared/trigger/reading/details';
import { firstRows } from '../shared/trigger/reading/lists';
import type { NothingToShow } from '../shared/trigger/run';
import type { StatusValue } from '../shared/trigger/types';
import { sampleOf } from '../shared/trigger/watch/rules';
import { UNKNOWN } from '../shared/trigger/watch/status';
import { toJson, toWatchingJson } from './items';
import { checkStatusField, statusesIn } from './read';
import type { ChargePointSettings } from './settings';
import { keyOf } from './state/points';
import type { ChargePoint, StationKey } from './state/types';

/** Stations that a manual test looks at: each costs a request. */
const STATIONS_SAMPLED = 10;
/** Charge points out of order, and all charge points, that it shows at most. */
const ACTIVE_SAMPLES = 2;
const SAMPLES = 3;

type Readable = [subject: ChargePoint, value: StatusValue];

/** Items made from real charge points in their current state, as the trigger would send them. */
export async function sampleEvents(poll: Poll<ChargePointSettings>): Promise<EventJson[]> {
	const { settings, now } = poll;
	const { rule } = settings;
	const stations = await readSome(poll);
	checkStatusField(poll, stations);
	const readable: Readable[] = [];
	const unreadable: ChargePoint[] = [];
	for (const [station, detail] of stations) {
		for (const [point, value] of statusesIn(detail, settings)) {
			if (value === UNKNOWN) unreadable.push({ station, point });
			else readable.push([{ station, point }, value]);
		}
	}
	const isIn = (value: StatusValue) => rule.kind === 'inState' && rule.isIn(value);
	const [active, others] = partition(readable, ([, value]) => isIn(value));
	const shown = [...active.slice(0, ACTIVE_SAMPLES), ...others].slice(0, SAMPLES);
	const events = shown.map(([subject, value]) => sampleOf(rule, subject, { isIn: isIn(value), value }, sampleAt(now)));
	const items = events.map((event) => toJson(poll, event, stations.get(event.station) ?? {}));
	if (settings.reportsWatching && items.length > 0) {
		const watching = watchingSample(events, ({ station, point }) => keyOf(station, point), unreadable, now);
		const counts = { stations: stations.size, chargePoints: readable.length + unreadable.length };
		items.push(toWatchingJson(poll, { ...watching, counts }));
	}
	return items;
}

async function readSome(poll: Poll<ChargePointSettings>): Promise<Map<StationKey, Row>> {
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

export function nothingToShow({ filter }: ChargePointSettings): NothingToShow {
	return {
		list: STATIONS,
		filter,
		none: (which) => `The first ${STATIONS_SAMPLED} charging stations${which} have no charge points`,
		description:
			'Check the filter, and that the API key belongs to the organization whose stations you expect. Get Charge Points of the node Charging Stations shows which stations have charge points.',
	};
}
