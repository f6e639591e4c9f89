import { collectJsonNodes, parseJson, normalizeName } from '../answers/json';

/** Common names of the token field, likeliest first. Compared without case, spaces, _ and -. */
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
];

/** Most fields listed when none is the token. */
const MAX_FIELDS = 12;
/** A plain text answer counts as a token from this length on. */
const SHORTEST_BARE_TOKEN = 16;

type TokenSearch = { token: string } | { fields: string[] };

/**
 * Finds the token in the answer of POST /token: the specification does not show the field that carries it. Tries the
 * usual names, or only the name or dotted path that the user gives. Outer fields come first.
 *
 * @param named where the user says it is: `session.key`, or the end of such a path; empty for the usual names
 * @returns the token, or the paths of the fields that were there
 */
export function findToken(body: string, named: string): TokenSearch {
	const answer = parseJson(body) ?? body;
	if (typeof answer === 'string') {
		const token = asToken(answer);
		return named === '' && token !== undefined && token.length >= SHORTEST_BARE_TOKEN ? { token } : { fields: [] };
	}
	const fields = collectJsonNodes(answer)
		.filter(({ names, value }) => names.length > 0 && (typeof value !== 'object' || value === null))
		.map(({ names, value }) => ({ path: names.join('.'), value }));
	for (const name of named === '' ? TOKEN_NAMES : [normalizeName(named)]) {
		for (const { path, value } of fields) {
			const token = `.${normalizeName(path)}`.endsWith(`.${name}`) ? asToken(value) : undefined;
			if (token !== undefined) return { token };
		}
	}
	return { fields: fields.slice(0, MAX_FIELDS).map(({ path }) => path) };
}

/** The text as it can be sent in a header, without a scheme in front; undefined for anything else. */
function asToken(value: unknown): string | undefined {
	if (typeof value !== 'string') return undefined;
	const token = value.trim().replace(/^Bearer\s+/i, '');
	return /^[\x21-\x7e]+$/.test(token) ? token : undefined;
}
