import { knownField, statusName } from '../shared/dsquery/catalogue';
import { STATIONS } from '../shared/resources';
import { clock, duration, period, shown } from '../shared/trigger/text';
import type { StationEvent } from './state/types';

/**
 * One or two sentences in English: "Zürich Market Square 003 has been offline since 04:46, for 10 minutes."
 *
 * @param name what the station is called
 */
export function textOf(event: StationEvent, name: string, zone: string): string {
	const { since, until, detectedAt } = event;
	const station = shown(name);
	const began = clock(since, detectedAt, zone);
	const lasted = until === null ? duration(detectedAt - since) : '';
	const ended = until === null ? '' : `${period(since, until, detectedAt, zone)}${duration(until - since)}`;
	switch (event.name) {
		case 'offline':
			return `${station} has been offline since ${began}${lasted}.`;
		case 'backOnline':
			return `${station} is back online. It was offline ${ended}.`;
		case 'startedMatching':
			return `${station} has matched the filter since ${began}${lasted}.`;
		case 'stoppedMatching':
			return `${station} no longer matches the filter. It did ${ended}.`;
		case 'statusChanged':
			return changeText(event, station, began);
		case 'added':
			return `${station} is new.`;
		case 'removed':
			return `${station} no longer exists.`;
	}
}

function changeText({ dimension, from, to }: StationEvent, station: string, at: string): string {
	const field = knownField(STATIONS, dimension ?? '');
	const label = field?.label ?? dimension;
	const [before, after] = [from, to].map((code) => shown(statusName(field?.codes, code) ?? 'not set'));
	if (from === null) return `${label} of ${station} is ${after}.`;
	return `${label} of ${station} changed from ${before} to ${after} at ${at}.`;
}
