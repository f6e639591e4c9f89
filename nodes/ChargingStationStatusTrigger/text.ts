import { knownField, statusName } from '../shared/dsquery/catalogue';
import { STATIONS } from '../shared/resources';
import { clock, duration, period } from '../shared/trigger/text';
import type { StationEvent } from './state/types';

/**
 * One or two sentences in English: "Zürich Market Square 003 has been offline since 04:46, for 10 minutes."
 *
 * @param name what the station is called
 */
export function textOf(event: StationEvent, name: string, zone: string): string {
	const { since, until, detectedAt } = event;
	const began = clock(since, detectedAt, zone);
	const lasted = until === null ? duration(detectedAt - since) : '';
	const ended = until === null ? '' : `${period(since, until, detectedAt, zone)}${duration(until - since)}`;
	switch (event.name) {
		case 'offline':
			return `${name} has been offline since ${began}${lasted}.`;
		case 'backOnline':
			return `${name} is back online. It was offline ${ended}.`;
		case 'startedMatching':
			return `${name} has matched the filter since ${began}${lasted}.`;
		case 'stoppedMatching':
			return `${name} no longer matches the filter. It did ${ended}.`;
		case 'statusChanged':
			return changeText(event, name, began);
		case 'added':
			return `${name} is new.`;
		case 'removed':
			return `${name} no longer exists.`;
	}
}

function changeText({ dimension, from, to }: StationEvent, name: string, at: string): string {
	const field = knownField(STATIONS, dimension ?? '');
	const label = field?.label ?? dimension;
	const [before, after] = [from, to].map((code) => statusName(field?.codes, code));
	if (before === null) return `${label} of ${name} is ${after ?? 'not set'}.`;
	return `${label} of ${name} changed from ${before} to ${after ?? 'not set'} at ${at}.`;
}
