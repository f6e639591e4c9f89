import { suggest } from '../../dsquery/suggest';
import type { Query } from '../../dsquery/types';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../dsquery/values/durations';
import { readAnswerText, safeText } from './answerText';
import type { AnswerText } from './answerText';
import type { Endpoint } from '../http/endpoint';
import { PlatformError } from './errors';
import { fieldIn, valueIn } from './namedIn';
import { fieldsOf, longestPartOf, placesOf, valuesOf } from './queryParts';
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
	query?: Query;
	/** How long a 429 or 5xx asks to wait, in milliseconds. */
	retryAfterMs?: number;
}

/** A 2xx answer that could be read. */
export interface Answer<Body> {
	body: Body;
	/** The same answer as a refusal, to explain why it cannot be used. */
	asRefusal: Refusal;
	/** Some characters of its text could not be read. */
	isGarbled?: boolean;
}

/**
 * Whether the status promises the data asked for. Some frameworks answer every POST with 201, and proxies change 200 to
 * 203.
 */
export function isAnswered(status: number): boolean {
	return status === 200 || status === 201 || status === 203;
}

/** What messages call the account that sends a request. */
export const ACCOUNT_NAMES: Readonly<Record<AccountKind, string>> = {
	apiKey: 'API key',
	signedInUser: 'signed-in user',
};

/** What is found in a refusal, to choose its rule. */
interface Clues extends Refusal {
	text: AnswerText;
	/** The platform's own words; empty for a web page. */
	words: string;
	/** The scope that is missing, if the refusal is about one that is known. */
	missingScope?: string;
	isAboutScope: boolean;
	isAboutQuota: boolean;
	/** The field, and the value, of the query that the words name. */
	field?: string;
	value?: string;
}

/** A text, or one for each kind of account. */
type Text = string | Readonly<Record<AccountKind, string>>;

/** Statuses, what else is looked for, kind, what happened, what to do next. {names} are filled in, see `FILLINGS`. */
type Rule = readonly [
	statuses: string,
	sign: (clues: Clues) => boolean,
	kind: FailureKind,
	message: Text,
	nextStep: Text,
];

const ANY = () => true;
const isKey = ({ account }: Clues) => account === 'apiKey';
const isPage = ({ text }: Clues) => text.isWebPage;
const isExport = ({ endpoint }: Clues) => endpoint.kind === 'export';
const isStation = ({ endpoint }: Clues) => endpoint.kind === 'station';
/** The one code that the specification has for it: other words about a license may mean a part of the product. */
export const isLicenseCode = (code: string | undefined) => code === 'PUBLIC_API_LICENSE_INACTIVE';
const ROLE = /\b(?:role|privileges?|accountant|company\s?admin)\b|_ROLE_|_ROLE\b|\bROLE_/i;
const TOO_MANY = /\b(?:too (?:many|large|long|big)|at most|no more than|maximum|exceed\w*|limit(?:ed)?)\b/i;
/** The property “Take”, not the verb. */
const PAGE_SIZE = /\bTake\b|\b[Pp]age ?[Ss]ize\b/;
const SCOPE_NAME = /\b([a-z][a-z0-9-]{0,60}:read(?:write)?)\b/i;

const FEWER_IDS = 'Lower IDs per Request in Options.';
const LICENSE_INACTIVE = [
	'license-inactive',
	'The API license of your organization is not active',
	'The platform refuses all API keys until the license is active and paid. Ask your billing contact; the same key works again afterwards. Trying again before that does not help.',
] as const;
const RATE_LIMITED = [
	'rate-limited',
	'The rate limit of the {account} is used up',
	'Wait a while, or spread the work over a longer time.',
] as const;

const QUOTA_USED_UP = [
	'The call quota of the {account} is used up',
	'Run the workflow again when it is replenished, or ask a company admin about the quota of the subscription.',
] as const;

/**
 * What a refusal means and what the user reads: the first rule that matches. A read that ends with `server-failure` is
 * sent again, at most three times in all (`http/retry.ts`), `rate-limited` and a 503 that says for how long are waited
 * for (`http/gate.ts`), and nothing else is tried again. 4xx stands for 400 to 499, 5xx for 500 and above.
 */
const RULES: readonly Rule[] = [
	[
		'3xx',
		ANY,
		'redirected',
		'{host} redirects{target} (status {status})',
		'{secret} is never sent to another address. Enter the final address as the base URL in the credential; where this is a sign-in page, the base URL is not that of the API.',
	],
	['429', ANY, ...RATE_LIMITED],

	['4xx', ({ text }) => isLicenseCode(text.code), ...LICENSE_INACTIVE],
	[
		'403',
		({ isAboutQuota, retryAfterMs }) => isAboutQuota && retryAfterMs !== undefined,
		'rate-limited',
		...QUOTA_USED_UP,
	],
	['403', ({ isAboutQuota }) => isAboutQuota, 'forbidden', ...QUOTA_USED_UP],
	[
		'4xx',
		({ missingScope }) => missingScope !== undefined,
		'scope-missing',
		'The {account} lacks the scope {scope}',
		{
			apiKey:
				'Ask a company admin to grant it on the API keys page of the operator portal (readwrite includes read). A grant takes about a minute to take effect.',
			signedInUser: 'Ask a company admin what this user may do.',
		},
	],
	['403', ({ retryAfterMs }) => retryAfterMs !== undefined, ...RATE_LIMITED],
	[
		'403',
		isPage,
		'forbidden',
		'A gateway in front of the platform refused the request (status 403)',
		"It may only let certain networks or addresses through. Ask the platform's support, or check the base URL in the credential.",
	],
	[
		'403',
		({ text }) => ROLE.test(`${text.code} ${text.all}`),
		'role-insufficient',
		'The role of the {account} does not allow reading {plural}',
		{
			apiKey:
				'A key has the role Accountant or CompanyAdmin, chosen when it was created. Ask a company admin for a key whose role allows this.',
			signedInUser: 'Ask a company admin for a role that allows this, or sign in as another user.',
		},
	],
	[
		'403',
		ANY,
		'forbidden',
		'The {account} is not allowed to read {plural}',
		{
			apiKey:
				"{trySignedIn}Ask a company admin to check the key's role and scopes on the API keys page of the operator portal.",
			signedInUser: 'Ask a company admin what this user may do in the operator portal.',
		},
	],
	[
		'401',
		(clues) => isKey(clues) && clues.endpoint.scope === undefined,
		'unauthorized',
		'The platform does not accept this API key for {plural}',
		'{trySignedIn}If this key fails in other nodes too, it may be mistyped, revoked or regenerated.',
	],
	[
		'401',
		ANY,
		'unauthorized',
		{
			apiKey: 'The platform does not accept this API key',
			signedInUser: 'The platform does not accept the token that it gave the signed-in user',
		},
		{
			apiKey:
				'It may be mistyped, revoked, or regenerated (then the old secret stops working at once). Check the API key in the credential and that it belongs to the {environment} environment; a company admin sees on the API keys page of the operator portal whether it is still active.',
			signedInUser:
				'Check in the credential that the base URL is that of the API and, where Token Field is filled in, that it names the token.',
		},
	],

	[
		'400 422',
		(clues) => isExport(clues) && TOO_MANY.test(clues.words),
		'too-large',
		'The platform does not export this many sessions at once',
		FEWER_IDS,
	],
	[
		'400 422',
		isExport,
		'query-refused',
		'The platform did not accept the session IDs',
		'Check that they are IDs of charging sessions.',
	],
	[
		'400 422',
		isStation,
		'query-refused',
		'The platform did not accept “{id}” as a station ID',
		'Choose the station from the list, or use the Id of a row that Get Many returns.',
	],
	[
		'400 422',
		({ field, words }) => field === undefined && PAGE_SIZE.test(words),
		'too-large',
		'The platform does not give this many {plural} at once',
		'Lower Page Size in Options.',
	],
	[
		'400 422',
		({ value }) => value !== undefined,
		'query-refused',
		'The platform does not accept the value “{value}” for the field “{field}”',
		'Check the value in Filters: it must be of the kind that “{field}” holds in the rows of this node.',
	],
	[
		'400 422',
		({ field }) => field !== undefined,
		'query-refused',
		'The platform does not accept the field “{field}” for {plural}',
		'{suggestion}Check “{field}” in {places}: the name must be spelled as in the rows that come out of this node, and the operator and the value must suit it.',
	],
	[
		'400 422',
		(clues) => isPage(clues) && longestPartOf(clues.query) !== undefined,
		'query-refused',
		'A gateway in front of the platform did not accept the request (status 400)',
		'The filter may be too long for it. Shorten {filter}, or check the base URL in the credential.',
	],
	[
		'400 422',
		ANY,
		'query-refused',
		'The platform did not accept the query for {plural}',
		'Check the fields, operators and values in {places}.',
	],

	[
		'404 410',
		({ endpoint }) => endpoint.typed === true,
		'not-found',
		'The platform has no list at {path}',
		'Check the path: the operation Check Platform names likely lists that the credential can read. If this credential fails in other nodes too, check its base URL.',
	],
	[
		'404 410',
		(clues) => isStation(clues) && !isPage(clues),
		'not-found',
		'There is no charging station with the ID “{id}”',
		'Choose the station from the list, or check the ID: it must be the Id of a station of your organization in the {environment} environment.',
	],
	[
		'404 405 410',
		ANY,
		'not-the-platform',
		"The platform's API was not found at {baseUrl} (status {status})",
		'Check the base URL in the credential.{withoutApi}',
	],
	[
		'407',
		ANY,
		'configuration',
		'A proxy asks n8n to sign in (status 407)',
		'Ask your n8n admin to check the proxy settings of n8n.',
	],
	['413', ANY, 'too-large', 'The request is too large for the platform', '{smaller}'],
	[
		'414 431',
		ANY,
		'url-too-long',
		'The filter is too long for a request',
		'Shorten {values}, or split it over several input items.',
	],
	[
		'408 5xx',
		ANY,
		'server-failure',
		'{who} cannot answer at the moment (status {status})',
		"This is usually temporary. Try again later; if this keeps happening, tell the platform's support.",
	],
];

const OTHER: Rule = [
	'',
	ANY,
	'query-refused',
	'The platform refused the request with status {status}',
	'Check the node’s settings and the base URL in the credential.',
];

/** What stands for the {names} in the rules. */
const FILLINGS: Readonly<Record<string, (clues: Clues) => string>> = {
	suggestion,
	account: ({ account }) => ACCOUNT_NAMES[account],
	plural: ({ endpoint }) => endpoint.plural,
	path: ({ endpoint }) => endpoint.path,
	id: ({ endpoint, secrets }) => safeText(endpoint.id ?? '', secrets),
	scope: ({ missingScope = '' }) => missingScope,
	field: ({ field = '' }) => field,
	value: ({ value = '' }) => value,
	places: ({ field, query }) => placesOf(query, field) || 'this node',
	filter: ({ query }) => longestPartOf(query) ?? 'the filter',
	values: ({ query }) => longestPartOf(query) ?? 'the longest list of values in the filter',
	smaller: (clues) =>
		isExport(clues)
			? FEWER_IDS
			: `Shorten ${longestPartOf(clues.query) ?? 'the filter'}, or split it over several input items.`,
	status: ({ status }) => String(status),
	environment: ({ environment }) => environment,
	baseUrl: ({ baseUrl }) => baseUrl,
	host: ({ baseUrl }) => hostOf(baseUrl),
	target: targetOf,
	who: (clues) => (isPage(clues) ? 'A gateway in front of the platform' : 'The platform'),
	secret: (clues) => (isKey(clues) ? 'The API key' : 'The sign-in'),
	withoutApi: ({ baseUrl }) =>
		/\/api$/i.test(baseUrl) ? ' Leave out /api at its end: the nodes add it themselves.' : '',
	// Authentication rule 3: endpoints without a scope refuse keys, and the specification shows none for this one.
	trySignedIn: ({ endpoint }) =>
		endpoint.scope === undefined
			? 'This endpoint may not accept API keys. Try the signed-in user: at the top of this node, choose or create a credential of the type Charging Network Signed-In User API (in n8n 1, first set Authentication to Signed-In User). '
			: '',
};

/** A known field of the list that the refused one is nearly spelled like, as a question with a space behind it. */
function suggestion({ field = '', endpoint: { known = [] } }: Clues): string {
	const meant = suggest(field, known, {});
	return meant === undefined || meant.toLowerCase() === field.toLowerCase() ? '' : `Did you mean “${meant}”? `;
}

/** Turns a refusal of any body shape into the error that says what happened and what to do next. */
export function describeRefusal(refusal: Refusal): PlatformError {
	const { status, account } = refusal;
	const text = readAnswerText(refusal.body);
	if (status >= 200 && status < 300) return notTheData(refusal, text);
	const clues = cluesIn(refusal, text);
	const [, , kind, message, nextStep] =
		RULES.find(([statuses, sign]) => isAmong(status, statuses) && sign(clues)) ?? OTHER;
	const filled = (template: Text) => {
		const form = typeof template === 'string' ? template : template[account];
		return form.replace(/\{(\w+)\}/g, (_, name: string) => FILLINGS[name]?.(clues) ?? '');
	};
	// What the message names, the error has as a detail, too.
	const names = (name: string) => typeof message === 'string' && message.includes(`{${name}}`);
	return new PlatformError(kind, filled(message), {
		description: [filled(nextStep), status < 400 ? '' : said(refusal, text)].filter(Boolean).join(' '),
		status,
		retryAfterMs: clues.retryAfterMs,
		scope: names('scope') ? clues.missingScope : undefined,
		property: names('field') ? clues.field : undefined,
	});
}

function isAmong(status: number, statuses: string): boolean {
	const hundreds = `${Math.min(5, Math.floor(status / 100))}xx`;
	return statuses.split(' ').some((each) => each === String(status) || each === hundreds);
}

function cluesIn(refusal: Refusal, text: AnswerText): Clues {
	const { status, endpoint, query, secrets } = refusal;
	const words = text.isWebPage ? '' : text.all;
	const hasScopeCode = /scopeinsufficient/.test(lettersOf(text.code));
	const isAboutScope = hasScopeCode || (status === 403 && /\bscopes?\b/i.test(words));
	const isAboutQuota = status === 403 && !hasScopeCode && /\bquotas?\b/i.test(words);
	const named = SCOPE_NAME.exec(text.all)?.[1];
	const isOwn = named === undefined || named.toLowerCase() === endpoint.scope;
	const scope = isOwn ? endpoint.scope : safeText(named.toLowerCase(), secrets);
	const isQuery = isAmong(status, '400 422');
	const asked = { fields: fieldsOf(query), values: valuesOf(query), secrets };
	const field = isQuery ? fieldIn(words, asked) : undefined;
	const value = field === undefined ? undefined : valueIn(words, asked);
	return {
		...refusal,
		retryAfterMs: refusal.retryAfterMs ?? (isAboutQuota ? replenishedInMs(words) : undefined),
		...{ text, words, isAboutQuota, isAboutScope, missingScope: isAboutScope ? scope : undefined, field, value },
	};
}

/** "Quota will be replenished in 02:30:15", or with days before it: 3.02:30:15. */
function replenishedInMs(words: string): number | undefined {
	const found = /\bin (?:(\d{1,4})\.)?(\d{1,2}):(\d\d):(\d\d)\b/.exec(words);
	if (!found) return undefined;
	const [days = 0, hours = 0, minutes = 0, seconds = 0] = found.slice(1).map((part) => Number(part ?? 0));
	return days * DAY_MS + hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS || undefined;
}

function lettersOf(code = ''): string {
	return code.toLowerCase().replace(/[^a-z]/g, '');
}

/** What the platform itself said. */
function said({ secrets }: Refusal, text: AnswerText): string {
	const message = safeText(text.message ?? '', secrets);
	const code = safeText(text.code ?? '', secrets);
	const quote = [message && `“${message}”`, code && !message.includes(code) && `(${code})`].filter(Boolean).join(' ');
	return quote && `${text.isWebPage ? 'The web page says' : 'The platform says'}: ${quote}`;
}

/** Where a redirect leads, without its path. */
function targetOf({ headers, baseUrl, secrets }: Refusal): string {
	const location = headerText(headers, 'location')?.slice(0, 2_000) ?? '';
	if (location === '' || !URL.canParse(location, baseUrl)) return '';
	const { origin } = new URL(location, baseUrl);
	return ` to ${origin === new URL(baseUrl).origin ? 'another of its pages' : safeText(origin, secrets)}`;
}

function notTheData(refusal: Refusal, text: AnswerText): PlatformError {
	const { status } = refusal;
	if (text.isWebPage) {
		const title = safeText(text.message ?? '', refusal.secrets).slice(0, 80);
		return unexpectedAnswer(refusal, 'not-the-platform', title ? `got a web page, “${title}”` : 'got a web page');
	}
	return unexpectedAnswer(refusal, 'invalid-answer', isAnswered(status) ? 'it is not JSON' : `it has status ${status}`);
}

/** A 2xx answer that is not what the endpoint promises. `found` says in a few words, without secrets, what came instead. */
export function unexpectedAnswer(
	refusal: Refusal,
	kind: 'not-the-platform' | 'invalid-answer',
	found: string,
): PlatformError {
	const { endpoint, baseUrl, status } = refusal;
	if (kind === 'not-the-platform') {
		return new PlatformError(kind, `The server at ${hostOf(baseUrl)} is not the platform: ${found}`, {
			description: `Check the base URL in the credential (${baseUrl}). It may be that of the operator portal or another service, or a sign-in page or proxy may have answered instead.`,
			status,
		});
	}
	return new PlatformError(kind, `The platform's answer cannot be used: ${found}`, {
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

const SMALLER = 'Lower Page Size in Options, so that each answer is smaller.';

/** An answer that was not read to its end. */
export function tooLarge(baseUrl: string, mostBytes: number): PlatformError {
	const megabytes = mostBytes / 1024 ** 2;
	return new PlatformError('invalid-answer', `The answer of ${hostOf(baseUrl)} is larger than ${megabytes} MB`, {
		description: `It was not read to its end. ${SMALLER}`,
		status: 200,
	});
}

/** Host and port of a base URL, for messages. */
export function hostOf(baseUrl: string): string {
	return new URL(baseUrl).host;
}
