import { escaped, readAnswerText, safeText } from './answerText';
import type { AnswerText } from './answerText';
import type { Endpoint } from '../http/endpoint';
import { PlatformError } from './errors';
import type { PlatformErrorDetails } from './errors';
import { headerText } from './retryAfter';
import type { AccountKind, FailureKind } from '../types';

/** An answer that is not what was asked for, with what is needed to explain it. */
export interface Refusal {
	status: number;
	/** Lower-case names. */
	headers: Record<string, unknown>;
	/** Text, or what the host has already parsed. */
	body: unknown;
	endpoint: Endpoint;
	baseUrl: string;
	environment: string;
	account: AccountKind;
	/** Texts that must not appear in a message: the API key, or the user's password and token. */
	secrets: readonly string[];
	/** Fields that the query filters and sorts by. */
	fields?: readonly string[];
	/** What the query compares them with. */
	values?: readonly string[];
	/** The part of the query that takes the most room: 'the 400 values of "Id"'. */
	longestPart?: string;
	/** How long a 429 or 5xx asks to wait, in milliseconds. */
	retryAfterMs?: number;
}

/** A 2xx answer that could be read. */
export interface Answer<Body> {
	body: Body;
	/** The same answer as a refusal, to explain why it cannot be used. */
	asRefusal: Refusal;
}

/** Longer names are not searched for in the platform's message. */
const LONGEST_NAME = 80;
const SCOPE_NAME = /\b([a-z][a-z0-9-]{0,60}:read(?:write)?)\b/i;
const PORTAL = 'on the API keys page of the operator portal';
/** What messages call the account that sends a request. */
export const ACCOUNT_NAMES: Readonly<Record<AccountKind, string>> = {
	apiKey: 'API key',
	signedInUser: 'signed-in user',
};
/** Authentication rule 3: endpoints without a scope refuse keys, and the specification shows none for this one. */
const TRY_SIGNED_IN =
	'This endpoint may not accept API keys. Try the signed-in user: at the top of this node, choose or create a credential of the type Charging Network Signed-In User API (in n8n 1, first set Authentication to Signed-In User).';

/**
 * Whether the status promises the data asked for. Some frameworks answer every POST with 201, and proxies change 200 to
 * 203.
 */
export function isAnswered(status: number): boolean {
	return status === 200 || status === 201 || status === 203;
}

/** Turns a refusal of any body shape into the error that says what happened and what to do next. */
export function describeRefusal(refusal: Refusal): PlatformError {
	const { status, endpoint } = refusal;
	const text = readAnswerText(refusal.body);
	const explain = explainer(refusal, text);
	if (status >= 300 && status < 400) return redirected(refusal);
	if (status >= 200 && status < 300) return notTheData(refusal, text);

	if (status >= 400 && status < 500 && status !== 429) {
		const code = text.code?.toLowerCase().replace(/[^a-z]/g, '') ?? '';
		const words = text.isWebPage ? '' : text.all;
		if (/licen[cs]einactive/.test(code)) return licenseInactive(explain);
		if (/scopeinsufficient/.test(code)) return scopeMissing(refusal, text, explain);
		if (status === 403 && /\bscopes?\b/i.test(words)) return scopeMissing(refusal, text, explain);
		if (status === 403 && /\blicen[cs]e\b/i.test(words)) return licenseInactive(explain);
	}

	switch (status) {
		case 400:
		case 422:
			return queryRefused(refusal, text, explain);
		case 401:
			return unauthorized(refusal, explain);
		case 403:
			return forbidden(refusal, text, explain);
		case 404:
		case 410:
			return notFound(refusal, text, explain);
		case 407:
			return explain('configuration', 'A proxy asks n8n to sign in (status 407)', [
				'Ask your n8n admin to check the proxy settings of n8n.',
			]);
		case 408:
			return explain('server-fault', 'The platform did not receive the request in time (status 408)', [
				'This is usually temporary. Try again later; if this keeps happening, check your proxies.',
			]);
		case 413:
			return explain('too-large', 'The request is too large for the platform', [
				endpoint.kind === 'export'
					? 'Lower IDs per Request in Options.'
					: `Shorten ${refusal.longestPart ?? 'the filter'}, or split it over several input items.`,
			]);
		case 414:
		case 431:
			return explain('url-too-long', 'The filter is too long for a request', [
				`Shorten ${refusal.longestPart ?? 'the longest list of values in the filter'}, or split it over several input items.`,
			]);
		case 429:
			return explain('rate-limited', `The rate limit of the ${ACCOUNT_NAMES[refusal.account]} is used up`, [
				'Wait a while, or spread the work over a longer time.',
			]);
	}
	if (status >= 500) {
		const who = text.isWebPage ? 'A gateway in front of the platform' : 'The platform';
		return explain('server-fault', `${who} cannot answer at the moment (status ${status})`, [
			"This is usually temporary. Try again later; if this keeps happening, tell the platform's support.",
		]);
	}
	if (status === 405) return wrongAddress(refusal, explain);
	return explain('query-refused', `The platform refused the request with status ${status}`, [
		'Check the node’s settings and the base URL in the credential.',
	]);
}

/** A 2xx answer that is not what the endpoint promises. `found` says in a few words what came instead. */
export function unexpectedAnswer(
	refusal: Refusal,
	kind: 'not-the-platform' | 'invalid-answer',
	found: string,
): PlatformError {
	const { endpoint, baseUrl, status, secrets } = refusal;
	const safe = safeText(found, secrets);
	if (kind === 'not-the-platform') {
		return new PlatformError(kind, `The server at ${hostOf(baseUrl)} is not the platform: ${safe}`, {
			description: `Check the base URL in the credential (${baseUrl}). It may be that of the operator portal or another service, or a sign-in page or proxy may have answered instead.`,
			status,
		});
	}
	return new PlatformError(kind, `The platform's answer cannot be used: ${safe}`, {
		description: `The answer to the request for ${endpoint.plural} does not match the platform's specification. Try again; if this keeps happening, tell the platform's support or check your proxies.`,
		status,
	});
}

/** Text that begins like JSON but is not valid. */
export function cutOff(baseUrl: string): PlatformError {
	return new PlatformError('invalid-answer', `The answer from ${hostOf(baseUrl)} was cut off or damaged`, {
		description:
			'Its JSON is incomplete or invalid. Try again later; if this keeps happening, check your proxies or lower Page Size in Options.',
		status: 200,
		transient: true,
	});
}

/** An answer that was not read to its end. */
export function tooLarge(baseUrl: string, mostBytes: number): PlatformError {
	const megabytes = mostBytes / 1024 ** 2;
	return new PlatformError('invalid-answer', `The answer of ${hostOf(baseUrl)} is larger than ${megabytes} MB`, {
		description: 'It was not read to its end. Lower Page Size in Options, so that each answer is smaller.',
		status: 200,
	});
}

/** Host and port of a base URL, for messages. */
export function hostOf(baseUrl: string): string {
	return URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
}

type Explain = (
	kind: FailureKind,
	message: string,
	steps: readonly string[],
	details?: PlatformErrorDetails,
) => PlatformError;

/** Adds what the platform itself said to the next steps. */
function explainer(refusal: Refusal, text: AnswerText): Explain {
	const said = safeText(text.message ?? '', refusal.secrets);
	const code = safeText(text.code ?? '', refusal.secrets);
	return (kind, message, steps, details) => {
		const quote = [said && `“${said}”`, code && !said.includes(code) && `(${code})`].filter(Boolean).join(' ');
		const who = text.isWebPage ? 'The web page says' : 'The platform says';
		return new PlatformError(kind, message, {
			description: [...steps, quote && `${who}: ${quote}`].filter(Boolean).join(' '),
			status: refusal.status,
			retryAfterMs: refusal.retryAfterMs,
			...details,
		});
	};
}

function unauthorized({ account, endpoint, environment }: Refusal, explain: Explain): PlatformError {
	if (account === 'signedInUser') {
		return explain('unauthorized', 'The platform does not accept the token that it gave the signed-in user', [
			'Check in the credential that the base URL is that of the API and, where Token Field is filled in, that it names the token.',
		]);
	}
	if (endpoint.scope === undefined) {
		return explain('unauthorized', `The platform does not accept this API key for ${endpoint.plural}`, [
			TRY_SIGNED_IN,
			'If this key fails in other nodes too, it may be mistyped, revoked or regenerated.',
		]);
	}
	return explain('unauthorized', 'The platform does not accept this API key', [
		'It may be mistyped, revoked, or regenerated (then the old secret stops working at once).',
		`Check the API key in the credential and that it belongs to the ${environment} environment; a company admin sees ${PORTAL} whether it is still active.`,
	]);
}

function scopeMissing({ account, endpoint, secrets }: Refusal, text: AnswerText, explain: Explain): PlatformError {
	const named = SCOPE_NAME.exec(text.all)?.[1];
	const scope = named === undefined ? endpoint.scope : safeText(named.toLowerCase(), secrets);
	// No scope is named, and the endpoint has no known one.
	if (scope === undefined) return notAllowed({ account, endpoint }, explain);
	return explain(
		'scope-missing',
		`The ${ACCOUNT_NAMES[account]} lacks the scope ${scope}`,
		[
			account === 'apiKey'
				? `Ask a company admin to grant it ${PORTAL} (readwrite includes read). A grant takes about a minute to take effect.`
				: 'Ask a company admin what this user may do.',
		],
		{ scope },
	);
}

function notAllowed({ account, endpoint }: Pick<Refusal, 'account' | 'endpoint'>, explain: Explain): PlatformError {
	const message = `The ${ACCOUNT_NAMES[account]} is not allowed to read ${endpoint.plural}`;
	if (account === 'signedInUser') {
		return explain('forbidden', message, ['Ask a company admin what this user may do in the operator portal.']);
	}
	const check = `Ask a company admin to check the key's role and scopes ${PORTAL}.`;
	return explain('forbidden', message, endpoint.scope === undefined ? [TRY_SIGNED_IN, check] : [check]);
}

function licenseInactive(explain: Explain): PlatformError {
	return explain('license-inactive', 'The API license of your organization is not active', [
		'The platform refuses all API keys until the license is active and paid. Ask your billing contact; the same key works again afterwards. Trying again before that does not help.',
	]);
}

function forbidden({ account, endpoint }: Refusal, text: AnswerText, explain: Explain): PlatformError {
	if (text.isWebPage) {
		return explain('forbidden', 'A gateway in front of the platform refused the request (status 403)', [
			"It may only let certain networks or addresses through. Ask the platform's support, or check the base URL in the credential.",
		]);
	}
	if (/\b(?:role|privileges?|accountant|company\s?admin)\b|_ROLE_|_ROLE\b|\bROLE_/i.test(`${text.code} ${text.all}`)) {
		return explain(
			'role-insufficient',
			`The role of the ${ACCOUNT_NAMES[account]} does not allow reading ${endpoint.plural}`,
			[
				account === 'apiKey'
					? 'A key has the role Accountant or CompanyAdmin, chosen when it was created. Ask a company admin for a key whose role allows this.'
					: 'Ask a company admin for a role that allows this, or sign in as another user.',
			],
		);
	}
	return notAllowed({ account, endpoint }, explain);
}

function queryRefused(refusal: Refusal, text: AnswerText, explain: Explain): PlatformError {
	const { endpoint } = refusal;
	const words = text.isWebPage ? '' : text.all;
	if (endpoint.kind === 'export') {
		if (/\b(?:too (?:many|large|long|big)|at most|no more than|maximum|exceed\w*|limit(?:ed)?)\b/i.test(words)) {
			return explain('too-large', 'The platform does not export this many sessions at once', [
				'Lower IDs per Request in Options.',
			]);
		}
		return explain('query-refused', 'The platform did not accept the session IDs', [
			'Check that they are IDs of charging sessions.',
		]);
	}
	if (endpoint.kind === 'station') {
		return explain(
			'query-refused',
			`The platform did not accept “${safeText(endpoint.id ?? '', refusal.secrets)}” as a station ID`,
			['Choose the station from the list, or use the Id of a row that Get Many returns.'],
		);
	}
	const property = nameIn(words, refusal);
	// The property “Take”, not the verb.
	if (property === undefined && /\bTake\b|\b[Pp]age ?[Ss]ize\b/.test(words)) {
		return explain('too-large', `The platform does not give this many ${endpoint.plural} at once`, [
			'Lower Page Size in Options.',
		]);
	}
	const value = property === undefined ? undefined : valueIn(words, refusal);
	if (value !== undefined) {
		return explain(
			'query-refused',
			`The platform does not accept the value “${value}” for the field “${property}”`,
			[`Check the value in Filters: it must be of the kind that “${property}” holds in the rows of this node.`],
			{ property },
		);
	}
	if (property !== undefined) {
		return explain(
			'query-refused',
			`The platform does not accept the field “${property}” for ${endpoint.plural}`,
			[
				`Check “${property}” in Filters and in Sort: the name must be spelled as in the rows that come out of this node, and the operator and the value must suit it.`,
			],
			{ property },
		);
	}
	if (text.isWebPage && refusal.longestPart !== undefined) {
		return explain('query-refused', 'A gateway in front of the platform did not accept the request (status 400)', [
			`The filter may be too long for it. Shorten ${refusal.longestPart}, or check the base URL in the credential.`,
		]);
	}
	return explain('query-refused', `The platform did not accept the query for ${endpoint.plural}`, [
		'Check the fields, operators and values in Filters and Sort.',
	]);
}

function notFound(refusal: Refusal, text: AnswerText, explain: Explain): PlatformError {
	const { endpoint } = refusal;
	if (endpoint.typed) {
		return explain('not-found', `The platform has no list at ${endpoint.path}`, [
			'Choose one From List, or check the path. If this credential fails in other nodes too, check its base URL.',
		]);
	}
	if (endpoint.kind !== 'station' || text.isWebPage) return wrongAddress(refusal, explain);
	return explain(
		'not-found',
		`There is no charging station with the ID “${safeText(endpoint.id ?? '', refusal.secrets)}”`,
		[
			`Choose the station from the list, or check the ID: it must be the Id of a station of your organization in the ${refusal.environment} environment.`,
		],
	);
}

function wrongAddress({ baseUrl, status }: Refusal, explain: Explain): PlatformError {
	const api = /\/api$/i.test(baseUrl) ? ' Leave out /api at its end: the nodes add it themselves.' : '';
	return explain('not-the-platform', `The platform's API was not found at ${baseUrl} (status ${status})`, [
		`Check the base URL in the credential.${api}`,
	]);
}

function redirected({ status, headers, baseUrl, account, secrets }: Refusal): PlatformError {
	const location = headerText(headers, 'location')?.slice(0, 2_000) ?? '';
	const target = location !== '' && URL.canParse(location, baseUrl) ? new URL(location, baseUrl) : undefined;
	const own = target?.origin === new URL(baseUrl).origin;
	const to = target ? ` to ${own ? 'another of its pages' : safeText(target.origin, secrets)}` : '';
	return new PlatformError('redirected', `${hostOf(baseUrl)} redirects${to} (status ${status})`, {
		description: `${account === 'apiKey' ? 'The API key is' : 'The sign-in is'} never sent to another address. Enter the final address as the base URL in the credential; where this is a sign-in page, the base URL is not that of the API.`,
		status,
	});
}

function notTheData(refusal: Refusal, text: AnswerText): PlatformError {
	const { status } = refusal;
	if (text.isWebPage) {
		const title = safeText(text.message ?? '', refusal.secrets).slice(0, 80);
		return unexpectedAnswer(refusal, 'not-the-platform', title ? `got a web page, “${title}”` : 'got a web page');
	}
	return unexpectedAnswer(refusal, 'invalid-answer', isAnswered(status) ? 'it is not JSON' : `it has status ${status}`);
}

/**
 * The property that a message names: a quoted field of the query, else the first one mentioned. Any quoted name if the
 * query has no fields.
 */
function nameIn(words: string, { fields = [], secrets }: Refusal): string | undefined {
	const mentioned = fields
		.filter((field) => field.length <= LONGEST_NAME)
		.map((field) => ({ field, at: words.search(new RegExp(`(?<![\\w.])${escaped(field)}(?!\\w)`)) }))
		.filter(({ at }) => at >= 0)
		.sort((a, b) => a.at - b.at || b.field.length - a.field.length);
	const quoted = /['"‘’“”`]([A-Za-z_][\w.]{0,80})['"‘’“”`]/.exec(words)?.[1];
	const asSent = fields.find((field) => field.toLowerCase() === quoted?.toLowerCase());
	const name = asSent ?? mentioned[0]?.field ?? (fields.length === 0 ? quoted : undefined);
	return name === undefined ? undefined : safeText(name, secrets);
}

/** The value of the query that a message quotes. */
function valueIn(words: string, { fields = [], values = [], secrets }: Refusal): string | undefined {
	const quoted = [...words.matchAll(/['"‘“`](?=([^'"‘’“”`]{1,80})['"’”`])/g)].map(([, text = '']) => text);
	const value = quoted.find((text) => values.includes(text) && !fields.includes(text));
	return value === undefined ? undefined : safeText(value, secrets);
}
