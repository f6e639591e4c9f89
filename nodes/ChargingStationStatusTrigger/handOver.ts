import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import type { EventJson } from '../shared/trigger/items';
import { type Details, readDetails } from '../shared/trigger/reading/details';
import { lookUp } from '../shared/trigger/reading/lists';
import type { Poll } from '../shared/trigger/poll';
import type { HandOver } from '../shared/trigger/run';
import { nameOf } from '../shared/trigger/text';
import { toJson, toWatchingJson } from './items';
import { countStations, ofStations } from './read';
import type { StationSettings } from './settings';
import type { StationEvent, StationKey, TriggerEvent } from './state/types';

/**
 * Adds to each event what is known about its station. An event waits if there was no time to read its detail, but for
 * the rate limit only until the next poll. If the detail cannot be read, the event goes out without it.
 *
 * @param rows rows that this poll has already read
 */
export async function handOver(
	poll: Poll<StationSettings>,
	events: readonly TriggerEvent[],
	rows: Map<StationKey, Row>,
): Promise<HandOver<TriggerEvent>> {
	const { cause } = poll.settings.rule;
	const details = await readAbout(poll, events, rows);
	const watched = await countWatched(poll, events);
	const ready: EventJson[] = [];
	const waiting: TriggerEvent[] = [];
	for (const event of events) {
		if (!('station' in event)) ready.push(toWatchingJson(poll, event, cause ?? '', watched));
		else if (!isGone(event) && details && mayWait(poll, event, details)) waiting.push(event);
		else ready.push(complete(poll, event, { rows, details, cause }));
	}
	return { ready, waiting };
}

/** Reads the rows that are still unknown, and the details if they are asked for. */
async function readAbout(
	poll: Poll<StationSettings>,
	events: readonly TriggerEvent[],
	rows: Map<StationKey, Row>,
): Promise<Details | undefined> {
	const pace = poll.pace('last');
	const named = events.flatMap((event) => ('station' in event && !isGone(event) ? event.station : []));
	const stations = [...new Set(named)];
	const unknown = stations.filter((station) => !rows.has(station));
	if (unknown.length > 0) {
		const found = await lookUp(poll, { list: STATIONS }, unknown, pace);
		for (const [station, row] of found.rows) rows.set(station, row);
	}
	return poll.settings.fetchDetail ? await readDetails(poll, stations, pace) : undefined;
}

/** How many stations are watched, if an event says so. */
async function countWatched(poll: Poll<StationSettings>, events: readonly TriggerEvent[]): Promise<number | undefined> {
	const { event, filter } = poll.settings;
	// How many are watched for a match is not known: which part of the filter chooses them, the user knows.
	const isCounted = event === 'availability' && events.some(({ name }) => name === 'watching');
	return isCounted ? await poll.attempt(countStations(poll, filter)) : undefined;
}

/** The item of an event, with what is known about its station. */
function complete(
	poll: Poll<StationSettings>,
	event: StationEvent,
	known: { rows: ReadonlyMap<StationKey, Row>; details?: Details; cause?: string },
): EventJson {
	const { rows, details, cause } = known;
	const rememberedName = ofStations(poll).names.get(event.station);
	if (isGone(event)) return toJson(poll, event, { station: null, stationName: rememberedName, cause });
	const detail = details?.found.get(event.station);
	const station = (detail?.ok ? detail.value : rows.get(event.station)) ?? null;
	const isMissing = details !== undefined && !detail?.ok;
	const detailMissing = isMissing ? whyMissing(detail?.error ?? details.rateLimit) : undefined;
	return toJson(poll, event, { station, stationName: nameOf(station) ?? rememberedName, detailMissing, cause });
}

/** Whether the detail has not been read yet, and the event may wait for the next poll. */
function mayWait({ now }: Poll, { station, detectedAt }: StationEvent, { found, rateLimit }: Details): boolean {
	if (found.has(station)) return false;
	const isNew = detectedAt === now;
	return isNew || !rateLimit;
}

/** Nothing more can be read about its station. */
function isGone({ name, isRemoved }: StationEvent): boolean {
	return name === 'removed' || isRemoved === true;
}

function whyMissing(error: unknown): string {
	return error instanceof Error ? error.message : 'The detail could not be read';
}
