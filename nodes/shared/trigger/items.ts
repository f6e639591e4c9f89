import { randomUUID } from 'crypto';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { shortHash } from './hash';

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
export function asSample(json: EventJson): EventJson {
	const entries = Object.entries({ ...json, text: `Sample: ${json.text}` });
	return Object.fromEntries([...entries.slice(0, -1), ['sample', true], ...entries.slice(-1)]) as EventJson;
}

/** An ISO 8601 time in whole seconds with the offset of the zone, for people and for n8n's date functions. */
export function toIso(ms: number, zone: string): string {
	const second = Math.floor(ms / 1000) * 1000;
	const time = DateTime.fromMillis(second, { zone });
	const shown = time.isValid ? time : DateTime.fromMillis(second, { zone: 'utc' });
	return shown.toISO({ suppressMilliseconds: true }) ?? new Date(second).toISOString();
}
