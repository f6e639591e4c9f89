import { DateTime } from 'luxon';

import { DAY_MS } from './durations';

/** The platform writes `YYYY-MM-DDThh:mm:ss`; other services may write a space for the T, a fraction or a zone. */
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const LONGEST = 80;

/** Years outside stand for no time at all: 0001-01-01 is an empty date in some languages, 9999 "never". */
const FIRST_YEAR = 1900;
const LAST_YEAR = 9000;
/** So does the day on which other languages begin to count: in UTC, or on a clock of the platform. */
const DAY_ZERO = '1970-01-01';
/** A year that was cut short, such as 0026. It stands for nothing: 0000 and 0001 do. */
const CUT_YEAR = /^0(?!00[01])/;
/** In any time zone. */
const FIRST_TIME = Date.UTC(FIRST_YEAR, 0, 1) - DAY_MS;
const YEAR_ONE = Date.parse('0001-01-01T00:00:00Z');

/** The time in a field of a row, in milliseconds since the epoch, or undefined. Without a zone it is UTC. */
export function readTime(value: unknown): number | undefined {
	const text = timeText(value);
	if (text === undefined || !isInUse(text)) return undefined;
	const time = instantOf(text);
	return Number.isNaN(time) || time === 0 ? undefined : time;
}

/** Whether this is written as a time, but stands for none, such as 0001-01-01T00:00:00. */
export function isPlaceholderTime(value: unknown): boolean {
	const text = timeText(value);
	return text !== undefined && !CUT_YEAR.test(text) && (!isInUse(text) || instantOf(text) === 0);
}

/** Whether no row is of that time, in milliseconds since the epoch, nor has it for no time, as 0001-01-01 in any time zone. */
export function isBeforeAllRows(time: number): boolean {
	return time < FIRST_TIME && Math.abs(time - YEAR_ONE) > DAY_MS;
}

function timeText(value: unknown): string | undefined {
	if (typeof value !== 'string' || value.length > LONGEST) return undefined;
	const text = value.trim();
	return TIME.test(text) ? text : undefined;
}

function isInUse(text: string): boolean {
	const year = Number(text.slice(0, 4));
	return year >= FIRST_YEAR && year <= LAST_YEAR && !text.startsWith(DAY_ZERO);
}

function instantOf(text: string): number {
	return DateTime.fromISO(text.replace(' ', 'T'), { zone: 'utc' }).toMillis();
}
