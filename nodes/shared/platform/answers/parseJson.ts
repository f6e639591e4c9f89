/** Where a value stands that may be an integer beyond 2^53. Most answers have none. */
const MAY_BE_LARGE = /[[:,\s]-?\d{16,}(?![\d.eE])/;
/** What is looked at one by one: a sign behind a backslash, the end of a text, and long numbers. */
const TOKENS = /\\.|"|-?\d[\d.eE+-]{15,}/g;

/**
 * Parses text that should be JSON; undefined when it is not. Ignores a byte order mark. Integers that a number cannot
 * hold exactly become the text that came. Linear.
 */
export function parseJson(text: string): unknown {
	const json = text.replace(/^\uFEFF/, '');
	try {
		return JSON.parse(MAY_BE_LARGE.test(json) ? withLargeAsText(json) : json) as unknown;
	} catch {
		return undefined;
	}
}

function withLargeAsText(json: string): string {
	let isInText = false;
	return json.replace(TOKENS, (token) => {
		if (token === '"') isInText = !isInText;
		return isInText || !isLargeInteger(token) ? token : `"${token}"`;
	});
}

function isLargeInteger(text: string): boolean {
	return /^-?\d{16,}$/.test(text) && !Number.isSafeInteger(Number(text));
}
