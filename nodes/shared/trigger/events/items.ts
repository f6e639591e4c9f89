import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import type { StatusValue } from '../../dsquery/listSchema';
import { shortHash } from '../hash';
import { type RowKey, rowId } from '../keys';
import type { Poll } from '../poll';
import { formatTime, formatForDuration, toMinutes, formatTimeRange, formatValue } from '../text';
import type { DetectedChange } from '../watch/alertRule';
import type { Sentence, EventSentenceValues } from './records';

/** The properties of every event; triggers add their own. */
export interface EventJson extends IDataObject {
	/** A sentence for a chat or a mail. */
	text: string;
	eventId: string;
	event: string;
	/** ISO 8601. */
	detectedAt: string;
	environment: string;
	/** Set in what a manual test shows, so that it is never taken for something that happened. */
	sample?: true;
}

/** New ids for each manual test, so that a node that removes duplicates lets every test through. */
export function sampleId(): string {
	return shortHash(randomUUID());
}

/** What a manual test shows for an event: marked, in its text too, with the whole row still last. */
export function markAsSample(json: EventJson): EventJson {
	const entries = Object.entries({ ...json, text: `Sample: ${json.text}` });
	return Object.fromEntries([...entries.slice(0, -1), ['sample', true], ...entries.slice(-1)]) as EventJson;
}

/** What an item about a station, or a part of it, says besides times. */
interface StationEventContent {
	station: RowKey;
	/** Undefined if that is not known. */
	stationName: string | undefined;
	/** Which part of the station it happened to. */
	part?: IDataObject;
	/** The cause by which uptime counts the incident; null if it is none. */
	cause: string | null;
	/** Which status it is about, and its values. */
	status: IDataObject & { from: StatusValue; to: StatusValue };
	/** Words for the sentence. */
	words: Pick<EventSentenceValues, 'name' | 'field' | 'times'>;
	/** What the sentence calls a status value. */
	nameOfValue?(value: StatusValue): unknown;
	/** The rows of the station and of the part. */
	rows: IDataObject;
}

export function createStationEvent(
	poll: Poll,
	sentences: Readonly<Record<string, Sentence>>,
	change: DetectedChange,
	about: StationEventContent,
): EventJson {
	const { since, until, isRemoved } = change;
	return {
		stationName: about.stationName ?? null,
		text: sentences[change.name]?.(wordsOf(poll, change, about)) ?? '',
		event: change.name,
		since: poll.iso(since),
		until: until === null ? null : poll.iso(until),
		durationMinutes: toMinutes((until ?? poll.now) - since),
		stationId: rowId(about.station),
		...about.part,
		cause: about.cause,
		incidentId: change.incidentId,
		...(isRemoved && { removed: true }),
		eventId: change.id,
		...about.status,
		detectedAt: poll.iso(poll.now),
		environment: poll.connection.environment,
		...about.rows,
	};
}

function wordsOf(
	{ now, zone }: Poll,
	{ since, until, isRemoved }: DetectedChange,
	about: StationEventContent,
): EventSentenceValues {
	const { words, status, nameOfValue = (value: StatusValue) => value } = about;
	const said = (value: StatusValue) => (value === null ? undefined : formatValue(nameOfValue(value)));
	return {
		...words,
		isRemoved,
		from: said(status.from),
		to: said(status.to),
		began: formatTime(since, now, zone),
		lasted: until === null ? formatForDuration(now - since) : '',
		ended: until === null ? '' : `${formatTimeRange(since, until, now, zone)}${formatForDuration(until - since)}`,
	};
}

/** What a station is called in a sentence. */
export function stationInWords(stationName: string | undefined, station: RowKey): string {
	return formatValue(stationName ?? `Station ${rowId(station)}`);
}
