import { noteLargeId } from './largeIds';

/** JSON of at most this length parses quickly, whatever is in it. */
export const SHORT_JSON = 100_000;
/**
 * Deepest JSON that is parsed, unless it is short. A hostile answer needs only one character per level, but parsing it
 * takes far longer.
 */
const MAX_DEPTH = 200;
/** Far more than the rows of a page have. */
const MAX_VALUES = 1_000_000;

/**
 * Stands before an integer that a number cannot hold exactly, while JSON is parsed. It cannot be guessed, so no text
 * that came begins with it.
 */
const MARK = `${Math.random()}:`;

/**
 * Parses text that should be JSON; undefined when it is not, or has too much in it. Ignores a byte order mark. Integers
 * that a number cannot hold exactly become the text that came. `largeId` tells such an Id from one that came as text.
 */
export function parseJson(text: string): unknown {
	if (excessOf(text)) return undefined;
	try {
		const json = text.replace(/^\uFEFF/, '');
		const exact = exactIntegers(json);
		return (exact === json ? JSON.parse(json) : JSON.parse(exact, unmarked)) as unknown;
	} catch {
		return undefined;
	}
}

function unmarked(this: object, name: string, value: unknown): unknown {
	if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
	const digits = value.slice(MARK.length);
	if (name.toLowerCase() === 'id') noteLargeId(this, digits);
	return digits;
}

/** JSON in which integers beyond 2^53 are marked texts. Linear: it goes from one text to the next. */
function exactIntegers(json: string): string {
	if (!/\d{16}/.test(json)) return json;
	const parts: string[] = [];
	for (let at = 0; at < json.length; ) {
		const from = json.indexOf('"', at);
		const begin = from < 0 ? json.length : from;
		const between = json.slice(at, begin);
		parts.push(between.replace(INTEGER, (digits) => (isExact(digits) ? digits : `"${MARK}${digits}"`)));
		at = endOfText(json, begin);
		parts.push(json.slice(begin, at));
	}
	return parts.join('');
}

/** Whole numbers of at least 16 digits, but not parts of others: 1234567890123456.5, 1E+20. */
const INTEGER = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

function isExact(digits: string): boolean {
	return Number.isSafeInteger(Number(digits));
}

/** The place behind a text in JSON. @param begin the place of its first quotation mark */
function endOfText(json: string, begin: number): number {
	for (let at = begin + 1; at < json.length; at++) {
		const sign = json[at];
		if (sign === '\\') at++;
		else if (sign === '"') return at + 1;
	}
	return json.length;
}

/** Whether JSON is nested so deeply, or has so many values, that reading it would block n8n for seconds. */
export function excessOf(text: string): 'deep' | 'many' | undefined {
	if (text.length <= SHORT_JSON) return undefined;
	let depth = 0;
	let values = 0;
	let inText = false;
	for (let at = 0; at < text.length; at++) {
		const sign = text[at];
		if (inText && sign === '\\') at++;
		else if (sign === '"') inText = !inText;
		else if (inText) continue;
		else if ((sign === '[' || sign === '{') && ++depth > MAX_DEPTH) return 'deep';
		else if (sign === ']' || sign === '}') depth--;
		else if (sign === ',' && ++values > MAX_VALUES) return 'many';
	}
	return undefined;
}
