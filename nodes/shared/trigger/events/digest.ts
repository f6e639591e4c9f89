import countBy from 'lodash/countBy';
import groupBy from 'lodash/groupBy';
import maxBy from 'lodash/maxBy';
import type { INodeExecutionData } from 'n8n-workflow';

import { findFieldByPath } from '../../dsquery/fieldName';
import { isBlank, isRecord } from '../../text';
import { shortHash } from '../hash';
import type { EventJson } from './items';
import type { TriggerSettings } from '../parameters';
import { digestText, formatValue } from '../text';

/**
 * The output items: one for each event, one for all of them, or one for each value of a field of their rows. Each event has
 * a copy of its row, as a later node may change it.
 *
 * @param row the property of an event that has its row
 */
export function toOutputItems(
	found: readonly EventJson[],
	{ output, digestField }: Pick<TriggerSettings, 'output' | 'digestField'>,
	row: string,
): INodeExecutionData[] {
	const events = found.map((event) => structuredClone(event));
	if (output === 'items') return events.map((json) => ({ json }));
	const valueOf = (event: EventJson) => valueIn(rowOf(event, row), digestField);
	const groups = Object.values(groupBy(events, (event) => JSON.stringify(valueOf(event))));
	return groups.map((group) => ({ json: digestOf(group, digestField, group[0] ? valueOf(group[0]) : null) }));
}

/** @param digestValue the value that all events have in the digest field */
function digestOf(
	events: readonly EventJson[],
	digestField: string | undefined,
	digestValue: EventJson[string],
): EventJson {
	const { detectedAt = '', environment = '', sample } = maxBy(events, (each) => Date.parse(each.detectedAt)) ?? {};
	const heading =
		digestValue === null
			? `Without ${formatValue(digestField)}:`
			: `${formatValue(digestField)} ${formatValue(inWords(digestValue))}:`;
	const lines = events.map(({ text }) => text);
	return {
		text: digestText(lines, digestField === undefined ? [] : [heading]),
		event: 'digest',
		...(digestField !== undefined && { digestField, digestValue }),
		eventCount: events.length,
		counts: countBy(events, ({ event }) => event),
		eventId: shortHash(events.map(({ eventId }) => eventId)),
		detectedAt,
		environment,
		...(sample && { sample }),
		events: [...events],
	};
}

/** The row of an event; for a row that is gone, the values that it had. */
function rowOf(event: EventJson, row: string) {
	return [event[row], event.before].find(isRecord);
}

/** The value of a field in a row; null if it has none. */
function valueIn(row: ReturnType<typeof rowOf>, field: string | undefined) {
	const value = row && field !== undefined ? findFieldByPath(row, field)?.value : undefined;
	return isBlank(value) ? null : (value as EventJson[string]);
}

function inWords(value: unknown): unknown {
	return typeof value === 'object' ? JSON.stringify(value) : value;
}
