/** Finds a value that may be an integer beyond 2^53. Most answers have none. */
const MAY_BE_LARGE = /[[:,\s]-?\d{16,}(?![\d.eE])/;
/** Escaped characters, quotation marks and long numbers, to tell numbers within a text from others. */
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

/** A value somewhere in JSON, with the names that lead to it; entries of lists by index. */
interface JsonNode {
	names: readonly string[];
	value: unknown;
}

/** Far more than a refusal or the answer to a sign-in needs. */
const MOST_NODES = 1_000;
const DEEPEST = 12;

/** The values in JSON of any shape, outer ones first, objects and lists included. Bounded in number and depth. */
export function collectJsonNodes(root: unknown): JsonNode[] {
	const nodes: JsonNode[] = [{ names: [], value: root }];
	for (const { names, value } of nodes) {
		if (typeof value !== 'object' || value === null || names.length >= DEEPEST) continue;
		for (const name in value) {
			if (nodes.length >= MOST_NODES) return nodes;
			nodes.push({ names: [...names, name.slice(0, 100)], value: Reflect.get(value, name) });
		}
	}
	return nodes;
}

/** Whether a value of JSON is an object, and no list. */
export function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name without case, spaces, _ and -, to compare it. */
export function normalizeName(name: string): string {
	return name.toLowerCase().replace(/[\s_-]/g, '');
}
