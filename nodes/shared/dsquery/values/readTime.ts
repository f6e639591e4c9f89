import { DateTime } from 'luxon';

/** `YYYY-MM-DDThh:mm:ss`, as the platform writes times; other services write a space, a fraction or a zone as well. */
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const LONGEST = 80;

/** The instant that a field of a row holds, in milliseconds since 1970; undefined where it holds no time. Without a zone it is UTC. */
export function readTime(value: unknown): number | undefined {
	if (typeof value !== 'string' || value.length > LONGEST || !TIME.test(value.trim())) return undefined;
	const time = DateTime.fromISO(value.trim().replace(' ', 'T'), { zone: 'utc' });
	return time.isValid ? time.toMillis() : undefined;
}
