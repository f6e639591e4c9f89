import type { IDataObject } from 'n8n-workflow';

import type { EventJson } from '../items';
import { rowId } from '../keys';
import type { Poll } from '../poll';
import { clock, duration, minutes, period, shown } from '../text';
import type { RowKey, StatusValue } from '../types';
import type { WatchEvent, WatchingEvent } from '../watch/types';
import type { Sentence, Words } from './records';

export interface About {
	/** Undefined if that is not known. */
	stationName: string | undefined;
	text: string;
	/** Uptime counts incidents by cause. An event without a cause is none. */
	cause: string | null;
	/** Which part of the station it happened to. */
	part?: IDataObject;
	/** Which status it is about, and its values. */
	status: IDataObject;
	/** What is known of what it happened to. */
	rows: IDataObject;
}

export function eventJson(poll: Poll, event: WatchEvent<{ station: RowKey }>, about: About): EventJson {
	const { since, until, detectedAt } = event;
	return {
		stationName: about.stationName ?? null,
		text: about.text,
		event: event.name,
		since: poll.iso(since),
		until: until === null ? null : poll.iso(until),
		durationMinutes: minutes((until ?? detectedAt) - since),
		stationId: rowId(event.station),
		...about.part,
		cause: about.cause,
		incidentId: event.incidentId,
		...(event.isRemoved && { removed: true }),
		eventId: event.id,
		...about.status,
		detectedAt: poll.iso(detectedAt),
		environment: poll.connection.environment,
		...about.rows,
	};
}

/** What a station is called in a sentence. */
export function stationWords(stationName: string | undefined, station: RowKey): string {
	return shown(stationName ?? `Station ${rowId(station)}`);
}

/**
 * The sentence about an event.
 *
 * @param nameOfValue what a status value is called
 */
export function textOf(
	sentences: Readonly<Record<string, Sentence>>,
	{ name, since, until, detectedAt, from, to, isRemoved = false }: WatchEvent<object>,
	about: Pick<Words, 'name' | 'field'>,
	zone: string,
	nameOfValue: (value: StatusValue) => unknown = (value) => value,
): string {
	const said = (value: StatusValue) => (value === null ? undefined : shown(nameOfValue(value)));
	const words: Words = {
		...about,
		isRemoved,
		...{ from: said(from), to: said(to) },
		began: clock(since, detectedAt, zone),
		lasted: until === null ? duration(detectedAt - since) : '',
		ended: until === null ? '' : `${period(since, until, detectedAt, zone)}${duration(until - since)}`,
	};
	return sentences[name]?.(words) ?? '';
}

export interface AboutWatching {
	/** "12 stations were watched" */
	watched: string;
	/** ", each about every 5 minutes" */
	every?: string;
	/** What was watched for: in the sentence, and for uptime. */
	state: string;
	cause: string;
	counts: IDataObject;
	/** What an incident happened to, by its key. */
	idsOf(key: string): IDataObject;
	pointId?(point: RowKey): string;
}

export function watchingJson(poll: Poll, event: WatchingEvent, about: AboutWatching): EventJson {
	const { from, to, polls, openIncidents, unreadable, detectedAt } = event;
	const { watched, every = '', state, cause, counts, idsOf, pointId = String } = about;
	const time = period(from, to, detectedAt, poll.zone);
	const gaps =
		unreadable.length === 0 ? '' : ` Not watched all the time, because it could not be read: ${unreadable.length}.`;
	return {
		event: event.name,
		text: `${watched} ${time}${every}. ${state} at the end: ${openIncidents.length}.${gaps}`,
		cause,
		from: poll.iso(from),
		to: poll.iso(to),
		durationMinutes: minutes(to - from),
		polls,
		...counts,
		openIncidents: openIncidents.map(({ incidentId, key, since }) => ({
			incidentId,
			...idsOf(key),
			since: poll.iso(since),
		})),
		unreadable: unreadable.map(({ station, point }) => ({
			stationId: rowId(station),
			...(point !== undefined && { chargePointId: pointId(point) }),
		})),
		incidentId: null,
		eventId: event.id,
		detectedAt: poll.iso(detectedAt),
		environment: poll.connection.environment,
	};
}
