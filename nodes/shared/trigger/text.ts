import round from 'lodash/round';
import { DateTime } from 'luxon';

import { formatDuration, isBlank } from '../text';
import { MINUTE_MS } from '../dsquery/values/durations';
import type { Row } from '../platform';

/** Longest piece of a sentence that came from the platform, in characters. */
const LONGEST_PIECE = 100;
/** What a digest's text has at most. Discord takes 2,000 characters. */
const MOST_LINES = 20;
const LONGEST_TEXT = 1_900;
/** Line breaks, control characters, halves of a sign that was cut, and what turns the direction of text. */
const UNSEEN = /[\s\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]+/gu;

/**
 * What came from the platform, as it may stand in a sentence: somebody else wrote it. On one line, not too long, and
 * without the signs that mention people or hide a link in chats and HTML. Every composed `text` uses it.
 */
export function formatValue(value: unknown): string {
	const text =
		String(value)
			.slice(0, 10 * LONGEST_PIECE)
			.replace(UNSEEN, ' ')
			.trim() || '?';
	const signs = [...text.replaceAll('<', '‹').replaceAll('>', '›')];
	return signs.length > LONGEST_PIECE ? `${signs.slice(0, LONGEST_PIECE - 1).join('')}…` : signs.join('');
}

/** The lines of several events as one message that every chat takes: the first ones, and how many more there are. */
export function digestText(lines: readonly string[], heading: readonly string[] = []): string {
	const withFirst = (count: number) => {
		const more = lines.length - count;
		return [...heading, ...lines.slice(0, count), ...(more > 0 ? [`and ${more.toLocaleString('en')} more`] : [])].join(
			'\n',
		);
	};
	let count = Math.min(lines.length, MOST_LINES);
	while (count > 1 && withFirst(count).length > LONGEST_TEXT) count--;
	return withFirst(count);
}

/** A length of time in minutes, for items. */
export function toMinutes(ms: number): number {
	return round(Math.max(0, ms) / MINUTE_MS, 1);
}

/** "from 04:46 to 05:10" */
export function formatTimeRange(from: number, to: number, now: number, zone: string): string {
	return `from ${formatTime(from, now, zone)} to ${formatTime(to, now, zone)}`;
}

/** The time of day, with the date if it is not today. */
export function formatTime(time: number, now: number, zone: string): string {
	const [at, today] = [time, now].map((ms) => DateTime.fromMillis(ms, { zone, locale: 'en' }));
	return at?.toFormat(at.hasSame(today ?? at, 'day') ? 'HH:mm' : 'd LLL HH:mm') ?? '';
}

/** ", for 10 minutes"; nothing for less than one. */
export function formatForDuration(ms: number): string {
	const whole = Math.round(ms / MINUTE_MS) * MINUTE_MS;
	return whole < MINUTE_MS ? '' : `, for ${formatDuration(whole)}`;
}

/** The name of a row; undefined if it shows nothing. */
export function rowName(row: Row | null | undefined): string | undefined {
	const name = row?.Name;
	return typeof name === 'string' && !isBlank(name) ? name : undefined;
}

/** An ISO 8601 time in whole seconds with the offset of the zone, for people and for n8n's date functions. */
export function toIso(ms: number, zone: string): string {
	const second = Math.floor(ms / 1000) * 1000;
	const inZone = DateTime.fromMillis(second, { zone });
	const time = inZone.isValid ? inZone : DateTime.fromMillis(second, { zone: 'utc' });
	return time.toISO({ suppressMilliseconds: true }) ?? new Date(second).toISOString();
}
