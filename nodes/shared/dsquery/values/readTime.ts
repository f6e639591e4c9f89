import { DateTime } from 'luxon';

/** The platform writes `YYYY-MM-DDThh:mm:ss`; other services may write a space for the T, a fraction or a zone. */
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const LONGEST = 80;

/** The time in a field of a row, in milliseconds since the epoch, or undefined. Without a zone it is UTC. */
export function readTime(value: unknown): number | undefined {
	if (typeof value !== 'string' || value.length > LONGEST || !TIME.test(value.trim())) return undefined;
	const time = DateTime.fromISO(value.trim().replace(' ', 'T'), { zone: 'utc' });
	return time.isValid ? time.toMillis() : undefined;
}
