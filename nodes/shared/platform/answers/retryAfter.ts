/**
 * How long a response asks to wait, counted from its arrival, in milliseconds. Never shorter than asked: a date is
 * compared with the response's own Date header, if any, so that a wrong local clock does not matter.
 *
 * @param headers response headers, lower-case names
 * @returns undefined when there is no header, it cannot be read, or it asks for no wait at all
 */
export function retryAfterMs(headers: Record<string, unknown>): number | undefined {
	const value = headerText(headers, 'retry-after');
	if (value === undefined) return undefined;
	if (/^\d+(?:\.\d+)?$/.test(value)) return positive(Math.ceil(Number(value) * 1_000));
	const until = readHttpDate(value);
	if (until === undefined) return undefined;
	return positive(until - (readHttpDate(headerText(headers, 'date') ?? '') ?? Date.now()));
}

/** A header's value as text; header names are lower-case in n8n. For a list, its first value. */
export function headerText(headers: Record<string, unknown>, name: string): string | undefined {
	const value: unknown = headers[name];
	const first: unknown = Array.isArray(value) ? value[0] : value;
	if (typeof first === 'number') return String(first);
	return typeof first === 'string' && first.trim() !== '' ? first.trim() : undefined;
}

/** A date as headers have it, in milliseconds since 1970; undefined for anything else. */
function readHttpDate(text: string): number | undefined {
	if (text.length > 50 || !/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun).*GMT$/i.test(text)) return undefined;
	const time = Date.parse(text);
	return Number.isNaN(time) ? undefined : time;
}

/** Caps huge waits, so that calculations stay exact. */
function positive(ms: number): number | undefined {
	return ms > 0 ? Math.min(ms, Number.MAX_SAFE_INTEGER) : undefined;
}
