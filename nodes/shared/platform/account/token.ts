import { parseJson } from '../answers/answerText';

/** Names under which services hand out a token, the likeliest first. Compared without case, spaces, _ and -. */
const TOKEN_NAMES = [
	'accesstoken',
	'token',
	'jwt',
	'jwttoken',
	'bearertoken',
	'bearer',
	'authtoken',
	'authenticationtoken',
	'apitoken',
	'sessiontoken',
	'securitytoken',
	'idtoken',
	'access',
] as const;

/** Fields that are named when none fits. */
const MAX_FIELDS = 12;
/** Values looked at; no answer to a sign-in is larger. */
const MAX_VALUES = 2_000;
/** A text that is a whole answer is a token from this length on. */
const SHORTEST_BARE_TOKEN = 16;

export type TokenSearch = { token: string } | { fields: string[] };

/**
 * Finds the token in the answer of POST /token: the specification does not show the field that carries it. Without a
 * name, the usual names are tried at any depth; a name or dotted path that the user gives replaces them.
 *
 * @param body text as received, or what a host has already parsed
 * @param named where the user says it is: `session.key`, or a name at any depth; empty for the usual names
 * @returns the token, or the paths of the fields that were there
 */
export function findToken(body: unknown, named: string): TokenSearch {
	const answer = unfolded(body);
	if (typeof answer === 'string' && named === '') {
		const bare = asToken(answer);
		return bare !== undefined && bare.length >= SHORTEST_BARE_TOKEN ? { token: bare } : { fields: [] };
	}
	const values = valuesOf(answer);
	const token = named === '' ? underUsualName(values) : underName(values, named);
	return token === undefined ? { fields: values.slice(0, MAX_FIELDS).map(({ path }) => path.join('.')) } : { token };
}

interface Value {
	/** Property names from the outside in; entries of lists by their number. */
	path: string[];
	value: unknown;
}

/** Everything in the answer that is no object or list, those further out first. */
function valuesOf(answer: unknown): Value[] {
	const values: Value[] = [];
	let level: Value[] = [{ path: [], value: answer }];
	for (let seen = 0; level.length > 0 && seen < MAX_VALUES; ) {
		const next: Value[] = [];
		for (const { path, value } of level) {
			const inner = unfolded(value);
			if (typeof inner !== 'object' || inner === null) {
				if (path.length > 0) values.push({ path, value: inner });
			} else {
				for (const [name, entry] of Object.entries(inner)) next.push({ path: [...path, name], value: entry });
			}
			seen++;
		}
		level = next;
	}
	return values;
}

function underUsualName(values: readonly Value[]): string | undefined {
	for (const name of TOKEN_NAMES) {
		const token = firstToken(values.filter(({ path }) => plain(path.at(-1) ?? '') === name));
		if (token !== undefined) return token;
	}
	return undefined;
}

/** The user's words: as a path from the outside, as the end of one, or as a name that itself holds dots. */
function underName(values: readonly Value[], named: string): string | undefined {
	const wanted = plain(named);
	const pathOf = ({ path }: Value) => plain(path.join('.'));
	return (
		firstToken(values.filter((value) => pathOf(value) === wanted)) ??
		firstToken(values.filter((value) => pathOf(value).endsWith(`.${wanted}`)))
	);
}

function firstToken(values: readonly Value[]): string | undefined {
	for (const { value } of values) {
		const token = asToken(value);
		if (token !== undefined) return token;
	}
	return undefined;
}

/** The text as it can be sent in a header, without a scheme in front; undefined for anything else. */
function asToken(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const token = value.trim().replace(/^Bearer\s+/i, '');
	return /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}

/** What stands in a text of JSON; any other value as it is. */
function unfolded(value: unknown): unknown {
	if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value;
	return parseJson(value) ?? value;
}

function plain(name: string): string {
	return name.toLowerCase().replace(/[\s_-]/g, '');
}
