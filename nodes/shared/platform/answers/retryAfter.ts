/** Difference between the clocks up to which the local one is trusted with the platform's dates, in milliseconds. */
const CLOCKS_AGREE_MS = 2_000;
/** A Date header holds whole seconds, so the platform's clock may be this much further. */
const DATE_RESOLUTION_MS = 1_000;

/**
 * How long a response asks to be left alone, counted from its arrival, in milliseconds. Never shorter than asked:
 * seconds count from the arrival; an HTTP date is read with the local clock where the response's own Date header shows
 * that both clocks agree, else as its distance to that Date.
 *
 * @param headers response headers, lower-case names
 * @param receivedAt arrival, milliseconds since 1970
 * @returns undefined when there is no header, it cannot be read, or it asks for no wait at all
 */
export function retryAfterMs(headers: Record<string, unknown>, receivedAt: number): number | undefined {
	const value = headerText(headers, 'retry-after');
	if (value === undefined) return undefined;
	if (/^\d+(?:\.\d+)?$/.test(value)) return positive(Math.ceil(Number(value) * 1_000));
	const wanted = readHttpDate(value);
	if (wanted === undefined) return undefined;
	const sent = readHttpDate(headerText(headers, 'date') ?? '');
	if (sent === undefined) return positive(wanted - receivedAt);
	const ahead = receivedAt - sent;
	if (Math.abs(ahead) > CLOCKS_AGREE_MS) return positive(wanted - sent);
	// What the local clock is certainly ahead of the platform's must be waited on top.
	return positive(wanted - receivedAt + Math.max(0, ahead - DATE_RESOLUTION_MS));
}

/** A header's value as text; header names are lower-case in n8n. A list gives its first value. */
export function headerText(headers: Record<string, unknown>, name: string): string | undefined {
	const value: unknown = headers[name];
	const first: unknown = Array.isArray(value) ? value[0] : value;
	if (typeof first === 'number') return String(first);
	return typeof first === 'string' && first.trim() !== '' ? first.trim() : undefined;
}

/** Dates of the three forms of RFC 9110; anything else, such as a bare number, is no date. */
function readHttpDate(text: string): number | undefined {
	if (!/^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/i.test(text)) return undefined;
	// The asctime form carries no zone but means GMT like the others.
	const time = Date.parse(/GMT$|[+-]\d{4}$/i.test(text) ? text : `${text} GMT`);
	return Number.isNaN(time) ? undefined : time;
}

function positive(ms: number): number | undefined {
	return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
