import { randomUUID } from 'crypto';
import partition from 'lodash/partition';

import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { HOUR_MS, MINUTE_MS } from '../shared/dsquery/values/durations';
import { shortHash } from '../shared/trigger/hash';
import type { EventJson } from '../shared/trigger/items';
import { rowKey } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { readDetails } from '../shared/trigger/reading/details';
import type { NothingToShow } from '../shared/trigger/run';
import type { StatusValue } from '../shared/trigger/types';
import { withDetail } from '../shared/node/chargePoints';
import { toJson, toWatchingJson } from './items';
import { checkField, entriesIn, statusesIn } from './read';
import type { ChargePointSettings } from './settings';
import { UNKNOWN } from '../shared/trigger/watch/status';
import type { Status } from '../shared/trigger/watch/status';
import type { ChargePointEvent, StationKey, WatchingEvent } from './state/types';

/** Stations that a manual test looks at: each costs a request. */
const STATIONS_SAMPLED = 10;
/** Charge points out of order, and all charge points, that it shows at most. */
const ACTIVE_SAMPLES = 2;
const SAMPLES = 3;
/** How long an ended incident lasted, in a sample. */
const LASTED_MS = 10 * MINUTE_MS;

/** Items made from real charge points in their current state, as the trigger would send them. */
export async function sampleEvents(poll: Poll<ChargePointSettings>): Promise<EventJson[]> {
	const { settings } = poll;
	const stations = await readSome(poll);
	checkField(poll, entriesIn(stations));
	const seen = [...stations].flatMap(([station, detail]) =>
		[...statusesIn(detail, settings)].map(([point, value]): Seen => ({ station, point, value })),
	);
	const unreadable = seen.filter(({ value }) => value === UNKNOWN);
	const readable = seen.flatMap(({ value, ...where }): Sampled[] => (value === UNKNOWN ? [] : [{ ...where, value }]));
	const [active, others] = partition(readable, ({ value }) => settings.outOfOrder?.has(value));
	const shown = [...active.slice(0, ACTIVE_SAMPLES), ...others].slice(0, SAMPLES);
	const events = shown.map((each) => sampleOf(poll, each));
	const items = events.map((event) => toJson(poll, event, stations.get(event.station) ?? {}));
	if (settings.reportsWatching && items.length > 0) {
		items.push(toWatchingJson(poll, { ...watchingSample(events, poll.now, stations.size, seen.length), unreadable }));
	}
	return items.map((json) => ({ ...json, text: `Sample: ${String(json.text)}` }));
}

/** The details of the first stations that match the filter. */
async function readSome(poll: Poll<ChargePointSettings>): Promise<Map<StationKey, Row>> {
	const { filter, onContradiction } = poll.settings;
	const sorts = [{ field: 'Id', direction: 'Asc' as const }];
	const query = { filter, sorts, pager: { skip: 0, take: STATIONS_SAMPLED } };
	const { rows } = await poll.connection.list(STATIONS).page(query, { filter, onContradiction });
	const byKey = new Map(rows.map((row) => [rowKey(row.Id), row]));
	const keys = [...byKey.keys()].filter((key) => key !== undefined);
	const { found, rateLimit } = await readDetails(poll, keys, poll.pace(1));
	if (rateLimit) throw rateLimit;
	const details = [...found];
	const [first] = details;
	if (first && !first[1].ok && details.every(([, { ok }]) => !ok)) throw first[1].error;
	return new Map(
		details.flatMap(([key, answer]) => (answer.ok ? [[key, withDetail(byKey.get(key) ?? {}, answer.value)]] : [])),
	);
}

/** A charge point, and its status now. */
type Seen = Pick<ChargePointEvent, 'station' | 'point'> & { value: Status };
/** One whose status can be read. */
type Sampled = Pick<ChargePointEvent, 'station' | 'point'> & { value: StatusValue };

/** What would be reported about a charge point as it is now. New ids for each test, so that none is a repeat. */
function sampleOf({ settings, now }: Poll<ChargePointSettings>, seen: Sampled): ChargePointEvent {
	const { outOfOrder, afterMs } = settings;
	const [id, other] = [shortHash(randomUUID()), shortHash(randomUUID())];
	const { value, ...where } = seen;
	const event = { ...where, from: null, to: value, detectedAt: now, id, until: null, since: now - afterMs };
	if (!outOfOrder) return { ...event, name: 'statusChanged', incidentId: null };
	if (outOfOrder.has(value)) return { ...event, name: 'outOfOrder', incidentId: id };
	return { ...event, name: 'backInOrder', incidentId: other, since: now - (afterMs || LASTED_MS), until: now };
}

/** An hour that has just ended. */
function watchingSample(
	events: readonly ChargePointEvent[],
	now: number,
	stations: number,
	chargePoints: number,
): WatchingEvent {
	const openIncidents = events.flatMap(({ incidentId, station, point, since, until }) =>
		incidentId === null || until !== null ? [] : { incidentId, station, point, since },
	);
	const [from, id] = [now - HOUR_MS, shortHash(randomUUID())];
	const watched = { from, to: now, polls: 12, stations, chargePoints, unreadable: [] };
	return { name: 'watching', ...watched, openIncidents, detectedAt: now, id };
}

/** Why there is nothing to show. */
export function nothingToShow({ filter }: ChargePointSettings): NothingToShow {
	const which = filter === undefined ? '' : ' that match the filter';
	return {
		message: `The first ${STATIONS_SAMPLED} charging stations${which} have no charge points, so there is nothing to show`,
		asked: filter && { list: STATIONS, filter },
		description:
			'Check the filter, and that the API key belongs to the organization whose stations you expect. Get Charge Points of the node Charging Stations shows which stations have charge points.',
	};
}
