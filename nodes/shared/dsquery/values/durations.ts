import { counted } from '../faults';

/** Lengths of time, in milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const MOST_DAYS = 10_000;

/** "45 seconds", "10 minutes", "1 day 3 hours": rounded up, so that nobody tries again too early. */
export function lengthInWords(ms: number): string {
	if (ms > MOST_DAYS * DAY_MS) return `more than ${MOST_DAYS} days`;
	const seconds = Math.ceil(ms / SECOND_MS);
	if (seconds < 60) return counted(seconds, 'second');
	const total = Math.ceil(seconds / 60);
	const [days, hours, minutes] = [Math.floor(total / 1440), Math.floor((total % 1440) / 60), total % 60];
	const parts = [days > 0 && counted(days, 'day'), hours > 0 && counted(hours, 'hour')];
	return [...parts, minutes > 0 && counted(minutes, 'minute')].filter(Boolean).join(' ');
}
