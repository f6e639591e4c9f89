import { DateTime } from 'luxon';

/** The platform writes `YYYY-MM-DDThh:mm:ss`; other services may write a space for the T, a fraction or a zone. */
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const LONGEST = 80;

/** Years outside stand for no time at all: 0001-01-01 is an empty date in some languages, 9999 "never". */
const FIRST_YEAR = 1900;
const LAST_YEAR = 9000;

/** The time in a field of a row, in milliseconds since the epoch, or undefined. Without a zone it is UTC. */
export function readTime(value: unknown): number | undefined {
	if (typeof value !== 'string' || value.length > LONGEST || !TIME.test(value.trim())) return undefined;
	const time = DateTime.fromISO(value.trim().replace(' ', 'T'), { zone: 'utc' });
	return time.isValid && isInUse(time.year) ? time.toMillis() : undefined;
}

/** Whether this is written as a time, but stands for none, such as 0001-01-01T00:00:00. */
export function isNoTime(value: unknown): boolean {
	if (typeof value !== 'string' || value.length > LONGEST || !TIME.test(value.trim())) return false;
	return !isInUse(Number(value.trim().slice(0, 4)));
}

function isInUse(year: number): boolean {
	return year >= FIRST_YEAR && year <= LAST_YEAR;
}
