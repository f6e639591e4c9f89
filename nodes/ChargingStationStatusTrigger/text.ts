import round from 'lodash/round';
import { DateTime } from 'luxon';

import { knownField, statusName } from '../shared/dsquery/catalogue';
import { STATIONS } from '../shared/resources';
import type { StationEvent } from './state/types';

/** A length of time in minutes, for items. */
export function minutes(ms: number): number {
	return round(Math.max(0, ms) / 60_000, 1);
}

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

/** "from 04:46 to 05:10" */
export function period(from: number, to: number, now: number, zone: string): string {
	return `from ${clock(from, now, zone)} to ${clock(to, now, zone)}`;
}

/** The time of day, with the date if it is not today. */
function clock(time: number, now: number, zone: string): string {
	const [at, today] = [time, now].map((ms) => DateTime.fromMillis(ms, { zone, locale: 'en' }));
	return at?.toFormat(at.hasSame(today ?? at, 'day') ? 'HH:mm' : 'd LLL HH:mm') ?? '';
}

/** ", for 10 minutes"; nothing for less than one. */
function duration(ms: number): string {
	const total = Math.round(ms / 60_000);
	if (total < 1) return '';
	const [days, hours, rest] = [Math.floor(total / 1440), Math.floor((total % 1440) / 60), total % 60];
	const parts = [count(days, 'day'), count(hours, 'hour'), count(rest, 'minute')].filter(Boolean);
	return `, for ${parts.join(' ')}`;
}

function count(number: number, noun: string): string {
	return number === 0 ? '' : `${number} ${noun}${number === 1 ? '' : 's'}`;
}
