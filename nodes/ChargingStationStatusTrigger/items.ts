import upperFirst from 'lodash/upperFirst';

import { knownField, statusName } from '../shared/dsquery/catalogue';
import { HOUR_MS } from '../shared/dsquery/values/durations';
import { counted } from '../shared/text';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { eventJson, stationWords, textOf, type WatchEvent } from '../shared/trigger/events/items';
import type { EventJson } from '../shared/trigger/items';
import { rowId, type RowKey } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { type Details, readDetails } from '../shared/trigger/reading/details';
import type { Compared } from '../shared/trigger/watch/steps';
import { nameOf } from '../shared/trigger/text';
import type { Change } from '../shared/trigger/watch/watch';
import { watchingJson } from '../shared/trigger/watching';
import { SENTENCES } from './events';
import type { StationsFound } from './read';
import { partsOf } from './rules';
import type { StationSettings } from './settings';

type StationPoll = Poll<StationSettings>;

/** How many outages in how many hours are reported. */
interface Often {
	outages: number;
	withinHours: number;
}

/** The most details that a poll reads for its events. */
const MOST_DETAILS = 100;

/** The items about what happened to stations, and about the time that was watched. */
export async function itemsOf(
	poll: StationPoll,
	{ changes, watched }: Pick<Compared, 'changes' | 'watched'>,
	{ rows }: Pick<StationsFound, 'rows'>,
): Promise<EventJson[]> {
	const { settings } = poll;
	const there = new Set(changes.filter((change) => !isGone(change)).map(({ key }) => partsOf(key)[0]));
	const asked = [...there].slice(0, MOST_DETAILS);
	const details = settings.fetchDetail ? await readDetails(poll, asked, poll.pace('last')) : undefined;
	const items = changes.map((change) => toJson(poll, change, rows.get(partsOf(change.key)[0]), details));
	return watched ? [await toWatchingJson(poll, watched), ...items] : items;
}

/** Nothing more can be read about its station. */
function isGone({ name, isRemoved }: Change): boolean {
	return name === 'removed' || isRemoved;
}

/** @param row what the list says of the station, unless it is gone */
function toJson(poll: StationPoll, change: Change, row: Row | undefined, details: Details | undefined): EventJson {
	const [station] = partsOf(change.key);
	const detail = details?.found.get(station);
	const shown = isGone(change) ? null : ((detail?.ok ? detail.value : row) ?? null);
	const stationName = nameOf(shown) ?? poll.memory.stationNames.get(station);
	const event = eventOf(poll, change);
	return eventJson(poll, event, {
		stationName,
		text: stationText(event, stationName, poll.zone),
		cause: change.incidentId === null ? null : (poll.settings.cause ?? null),
		status: {
			...{ dimension: event.dimension, from: event.from, to: event.to },
			StatusName: event.dimension && statusName(knownField(STATIONS, event.dimension)?.codes, event.to),
			...event.often,
		},
		rows: {
			...(shown && details && missingIn(details, station)),
			station: shown,
		},
	});
}

/** "Zürich Market Square 003 has been offline since 04:46, for 10 minutes." */
export function stationText(
	event: WatchEvent<{ station: RowKey; dimension: string | null; often?: Often }>,
	stationName: string | undefined,
	zone: string,
): string {
	const { station, dimension, often } = event;
	const field = knownField(STATIONS, dimension ?? '');
	const about = {
		...{ name: stationWords(stationName, station), field: field?.label ?? dimension ?? undefined },
		times: often && `${often.outages} outages within ${counted(often.withinHours, 'hour')}`,
	};
	return textOf(SENTENCES, event, about, zone, (value) => statusName(field?.codes, value));
}

/** What happened, with what the item says of it. */
function eventOf({ settings, now }: StationPoll, change: Change) {
	const [station, dimension] = partsOf(change.key);
	const event = { ...change, station, detectedAt: now };
	if (change.name === 'added' || change.name === 'removed')
		return { ...event, dimension: null, often: undefined, from: null, to: null };
	const { rule } = settings;
	const often = rule.kind === 'often' ? { outages: rule.count, withinHours: rule.withinMs / HOUR_MS } : undefined;
	return { ...event, dimension: dimension ?? settings.dimension, often, ...valuesOf(settings, change) };
}

/** What the item calls the values before and now. */
function valuesOf({ rule, called }: StationSettings, { name, from, to }: Change) {
	if (!called || rule.kind === 'values') return { from: from as string | null, to: to as string | null };
	const values = [called.outside, called.inside] as const;
	return name === rule.opens ? { from: values[0], to: values[1] } : { from: values[1], to: values[0] };
}

/** Why the detail of a station is missing, if it is. */
function missingIn({ found, rateLimit }: Details, station: RowKey): { detailMissing?: string } {
	const detail = found.get(station);
	if (detail?.ok) return {};
	const error = detail?.error ?? rateLimit;
	if (error instanceof Error) return { detailMissing: error.message };
	return { detailMissing: `At most ${MOST_DETAILS} details are read in a poll, as time allows` };
}

/** The item about a time that was watched. How many stations match is not known where the filter is what is watched for. */
async function toWatchingJson(poll: StationPoll, watched: NonNullable<Compared['watched']>): Promise<EventJson> {
	const { filter, isFilter, cause = '' } = poll.settings;
	const count = isFilter ? undefined : await poll.attempt(poll.connection.list(STATIONS).count(filter));
	const many = count === undefined ? 'The stations were' : counted(count, 'station was', 'stations were');
	return watchingJson(poll, watched, {
		watched: `${many} watched`,
		state: upperFirst(cause),
		cause,
		counts: { stations: count ?? null },
		idsOf: (station) => ({ stationId: rowId(station) }),
	});
}
