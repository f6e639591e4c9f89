import type { IDataObject } from 'n8n-workflow';

import type { EventJson } from '../items';
import { rowId, type RowKey } from '../keys';
import type { Poll } from '../poll';
import { clock, duration, minutes, period, shown } from '../text';
import type { StatusValue } from '../../dsquery/catalogue';
import type { Change } from '../watch/watch';
import type { Sentence, Words } from './records';

/** A change as its item tells it. @typeParam Subject what it happened to, as the trigger names it */
export type WatchEvent<Subject> = Subject &
	Pick<Change, 'name' | 'since' | 'until' | 'incidentId' | 'id'> & {
		from: StatusValue;
		to: StatusValue;
		isRemoved?: boolean;
		/** When the poll that found it ran. */
		detectedAt: number;
	};

interface About {
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
	about: Pick<Words, 'name' | 'field' | 'times'>,
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
