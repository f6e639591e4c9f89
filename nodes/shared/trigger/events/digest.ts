import countBy from 'lodash/countBy';
import groupBy from 'lodash/groupBy';
import last from 'lodash/last';
import maxBy from 'lodash/maxBy';
import type { INodeExecutionData } from 'n8n-workflow';

import { fieldAt } from '../../dsquery/fieldName';
import { isBlank, isRecord } from '../../text';
import { shortHash } from '../hash';
import type { EventJson } from './items';
import type { PollSettings } from '../parameters';
import { digestText, shown } from '../text';

/**
 * The output items: one for each event, one for all of them, or one for each value of a field of their rows. Each event has
 * a copy of its row, as a later node may change it.
 */
export function toItems(
	found: readonly EventJson[],
	{ output, digestField }: Pick<PollSettings, 'output' | 'digestField'>,
): INodeExecutionData[] {
	const events = found.map((event) => structuredClone(event));
	if (output === 'items') return events.map((json) => ({ json }));
	const groups = Object.values(groupBy(events, (event) => JSON.stringify(valueOf(event, digestField))));
	return groups.map((group) => ({ json: digestOf(group, digestField) }));
}

function digestOf(events: readonly EventJson[], digestField: string | undefined): EventJson {
	const { detectedAt = '', environment = '', sample } = maxBy(events, (each) => Date.parse(each.detectedAt)) ?? {};
	const digestValue = valueOf(events[0], digestField);
	const heading =
		digestValue === null ? `Without ${shown(digestField)}:` : `${shown(digestField)} ${shown(inWords(digestValue))}:`;
	const lines = events.map(({ text }) => text);
	return {
		text: digestText(lines, digestField === undefined ? [] : [heading]),
		event: 'digest',
		...(digestField !== undefined && { digestField, digestValue }),
		eventCount: events.length,
		counts: countBy(events, ({ event }) => event),
		eventId: shortHash(events.map(({ eventId }) => eventId)),
		...{ detectedAt, environment, ...(sample && { sample }) },
		events: [...events],
	};
}

/** The value of a field in the row of an event, its last property; of a row that is gone, as it was. Null if it has none. */
function valueOf(event: EventJson | undefined, field: string | undefined) {
	const row = [last(Object.values(event ?? {})), event?.before].find(isRecord);
	const value = row && field !== undefined ? fieldAt(row, field)?.value : undefined;
	return isBlank(value) ? null : (value as EventJson[string]);
}

function inWords(value: unknown): unknown {
	return typeof value === 'object' ? JSON.stringify(value) : value;
}
