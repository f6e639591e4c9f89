import upperFirst from 'lodash/upperFirst';

import { knownField, statusName, type StatusValue } from '../shared/dsquery/catalogue';
import { HOUR_MS } from '../shared/dsquery/values/durations';
import { counted } from '../shared/text';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { eventJson, stationWords } from '../shared/trigger/events/items';
import type { EventJson } from '../shared/trigger/events/items';
import { rowId, type RowKey } from '../shared/trigger/keys';
import type { Poll } from '../shared/trigger/poll';
import { type Details, MOST_DETAILS, readDetails } from '../shared/trigger/reading/details';
import type { Compared } from '../shared/trigger/watch/steps';
import { nameOf } from '../shared/trigger/text';
import type { Change, RuleOf } from '../shared/trigger/watch/watch';
import { watchingJson } from '../shared/trigger/watching';
import { SENTENCES } from './events';
import type { StationsFound } from './read';
import { partsOf } from './rules';
import type { StationSettings } from './settings';

type StationPoll = Poll<StationSettings>;

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
	const { cause = null } = poll.settings;
	const [station] = partsOf(change.key);
	const detail = details?.found.get(station);
	const shown = isGone(change) ? null : ((detail?.ok ? detail.value : row) ?? null);
	const stationName = nameOf(shown) ?? poll.memory.stationNames.get(station);
	return eventJson(poll, SENTENCES, change, {
		...{ station, stationName, cause: change.incidentId === null ? null : cause },
		...aboutStatus(poll.settings, change, stationWords(stationName, station)),
		rows: { ...(shown && details && missingIn(details, station)), station: shown },
	});
}

/** @param name what the station is called in the sentence */
function aboutStatus(settings: StationSettings, change: Change, name: string) {
	const status = statusOf(settings, change);
	const field = knownField(STATIONS, status.dimension ?? '');
	const often = change.name === 'unstable' && settings.rule.kind === 'often' ? oftenOf(settings.rule) : undefined;
	const times = often && `${often.outages} outages within ${counted(often.withinHours, 'hour')}`;
	return {
		status: { ...status, StatusName: status.dimension && statusName(field?.codes, status.to), ...often },
		words: { name, times, field: field?.label ?? status.dimension ?? undefined },
		nameOfValue: (value: StatusValue) => statusName(field?.codes, value),
	};
}

/** How many outages in how many hours are reported. */
function oftenOf({ count, withinMs }: RuleOf<'often'>) {
	return { outages: count, withinHours: withinMs / HOUR_MS };
}

/** Which status it is about, and what the item calls its values before and now. */
function statusOf({ rule, called, dimension }: StationSettings, { name, key, from, to }: Change) {
	if (name === 'added' || name === 'removed') return { dimension: null, from: null, to: null };
	if (!called || rule.kind === 'values') {
		return { dimension: partsOf(key)[1], from: from as StatusValue, to: to as StatusValue };
	}
	const isBegin = name === rule.opens;
	const { inside, outside } = called;
	return { dimension, from: isBegin ? outside : inside, to: isBegin ? inside : outside };
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
