import { writeQuery } from '../../dsquery/write';
import type { PlatformAnswer, FailureKind } from '../types';
import type { RefusalText } from './refusalText';
import { headerText } from './retryAfter';
import { sanitizeText } from './safeText';

/** A refusal, and what is found in it, to choose its rule. */
export interface RefusalContext extends PlatformAnswer {
	text: RefusalText;
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

interface RefusalRule {
	/** 4xx stands for 400 to 499, 5xx for 500 and above. */
	status: string;
	/** What else must be the case. */
	where?: (clues: RefusalContext) => boolean;
	kind: FailureKind;
	/** Which of the clues becomes a property of the error. */
	about?: 'scope' | 'field';
	message: (clues: RefusalContext) => string;
	advice: (clues: RefusalContext) => string;
}

const isPage = ({ text }: RefusalContext) => text.isWebPage;
const isExport = ({ endpoint }: RefusalContext) => endpoint.kind === 'export';
const isStation = ({ endpoint }: RefusalContext) => endpoint.kind === 'station';
const isKey = ({ account }: RefusalContext) => account === 'apiKey';
/** The one code that the specification has for it: other words about a license may mean a part of the product. */
export const isLicenseCode = (code: string | undefined) => code === 'PUBLIC_API_LICENSE_INACTIVE';
const ROLE = /\b(?:role|privileges?|accountant|company\s?admin)\b|_ROLE_|_ROLE\b|\bROLE_/i;
const TOO_MANY = /\b(?:too (?:many|large|long|big)|at most|no more than|maximum|exceed\w*|limit(?:ed)?)\b/i;
/** The property “Take”, not the verb. */
const PAGE_SIZE = /\bTake\b|\b[Pp]age ?[Ss]ize\b/;
/** Gateways refuse longer queries, some with 404; encoded. */
const SAFE_QUERY_LENGTH = 1_500;
const isLong = ({ query }: RefusalContext) =>
	query !== undefined && encodeURIComponent(writeQuery(query)).length > SAFE_QUERY_LENGTH;

const named = (clues: RefusalContext) => (isKey(clues) ? 'API key' : 'signed-in user');
const idOf = ({ endpoint, secrets }: RefusalContext) => sanitizeText(endpoint.id ?? '', secrets);
// Authentication rule 3: endpoints without a scope refuse keys, and the specification shows none for this one.
const trySignedIn = ({ endpoint }: RefusalContext) =>
	endpoint.scope === undefined
		? 'This endpoint may not accept API keys. Try the signed-in user: at the top of this node, choose or create a credential of the type Charging Network Signed-In User API (in n8n 1, first set Authentication to Signed-In User). '
		: '';

const IF_IN_OTHERS = 'If this credential fails in other nodes too, check its base URL.';
const withoutApi = ({ baseUrl }: RefusalContext) =>
	/\/api$/i.test(baseUrl) ? ' Leave out /api at its end: the nodes add it themselves.' : '';

/**
 * What it means that a gateway answered in place of the platform: neither that there is nothing, nor that there is nothing
 * more.
 *
 * @param what "status 404"
 * @param of "charging sessions"
 */
export const interrupted = (what: string, of: string) => `The platform answered with ${what} in place of ${of}`;
export const INTERRUPTED_ADVICE =
	"Gateways answer so while the platform is being updated, so it says nothing about what there is. Run the node again later; if this keeps happening, tell the platform's support.";

const QUOTA = {
	message: (clues) => `The call quota of the ${named(clues)} is used up`,
	advice: () =>
		'Run the workflow again when it is replenished, or ask a company admin about the quota of the subscription.',
} satisfies Partial<RefusalRule>;

/**
 * What a refusal means and what the user reads: the first rule that matches. `server-failure` is tried again, at most
 * three times in all, `rate-limited` and a 503 that says for how long are waited for (`http/rateLimitGate.ts`), no other refusal is; but a signed-in
 * user's 401 costs the token, and the request is sent once more with a new one.
 */
export const RULES: readonly RefusalRule[] = [
	{
		status: '3xx',
		kind: 'redirected',
		message: (clues) => `${hostOf(clues.baseUrl)} redirects${targetOf(clues)} (status ${clues.status})`,
		advice: (clues) =>
			`${isKey(clues) ? 'The API key' : 'The sign-in'} is never sent to another address. Enter the final address as the base URL in the credential; where this is a sign-in page, the base URL is not that of the API.`,
	},
	{
		status: '429',
		kind: 'rate-limited',
		message: (clues) => `The rate limit of the ${named(clues)} is used up`,
		advice: () => 'Wait a while, or spread the work over a longer time.',
	},
	{
		status: '4xx',
		where: ({ text }) => isLicenseCode(text.code),
		kind: 'license-inactive',
		message: () => 'The API license of your organization is not active',
		advice: () =>
			'The platform refuses all API keys until the license is active and paid. Ask your billing contact; the same key works again afterwards. Trying again before that does not help.',
	},
	{
		status: '403',
		where: ({ isAboutQuota, retryAfterMs }) => isAboutQuota && retryAfterMs !== undefined,
		kind: 'rate-limited',
		...QUOTA,
	},
	{ status: '403', where: ({ isAboutQuota }) => isAboutQuota, kind: 'forbidden', ...QUOTA },
	{
		status: '4xx',
		where: ({ missingScope }) => missingScope !== undefined,
		kind: 'scope-missing',
		about: 'scope',
		message: (clues) => `The ${named(clues)} lacks the scope ${clues.missingScope}`,
		advice: (clues) =>
			isKey(clues)
				? 'Ask a company admin to grant it on the API keys page of the operator portal (readwrite includes read). A grant takes about a minute to take effect: if it was just given, try again then.'
				: 'Ask a company admin what this user may do.',
	},
	{
		status: '403',
		where: ({ retryAfterMs }) => retryAfterMs !== undefined,
		kind: 'rate-limited',
		message: () => 'The platform asks to wait before the next request (status 403)',
		advice: () => 'Wait a while, or spread the work over a longer time.',
	},
	{
		status: '403',
		where: isPage,
		kind: 'forbidden',
		message: () => 'A gateway in front of the platform refused the request (status 403)',
		advice: () =>
			"It may only let certain networks or addresses through. Ask the platform's support, or check the base URL in the credential.",
	},
	{
		status: '403',
		where: ({ text, isAboutScope }) => !isAboutScope && ROLE.test(`${text.code} ${text.all}`),
		kind: 'role-insufficient',
		message: (clues) => `The role of the ${named(clues)} does not allow reading ${clues.endpoint.plural}`,
		advice: (clues) =>
			isKey(clues)
				? 'A key has the role Accountant or CompanyAdmin, chosen when it was created. Ask a company admin for a key whose role allows this.'
				: 'Ask a company admin for a role that allows this, or sign in as another user.',
	},
	{
		status: '403',
		kind: 'forbidden',
		message: (clues) => `The ${named(clues)} is not allowed to read ${clues.endpoint.plural}`,
		advice: (clues) =>
			isKey(clues)
				? `${trySignedIn(clues)}Ask a company admin to check the key's role and scopes on the API keys page of the operator portal.`
				: 'Ask a company admin what this user may do in the operator portal.',
	},
	{
		status: '401',
		where: ({ endpoint, account }) => account === 'apiKey' && endpoint.scope === undefined,
		kind: 'unauthorized',
		message: ({ endpoint }) => `The platform does not accept this API key for ${endpoint.plural}`,
		advice: (clues) =>
			`${trySignedIn(clues)}If this key fails in other nodes too, it may be mistyped, revoked or regenerated.`,
	},
	{
		status: '401',
		kind: 'unauthorized',
		message: (clues) =>
			isKey(clues)
				? 'The platform does not accept this API key'
				: 'The platform does not accept the token that it gave the signed-in user',
		advice: (clues) =>
			isKey(clues)
				? `It may be mistyped, revoked, or regenerated (then the old secret stops working at once). Check the API key in the credential and that it belongs to the ${clues.environment} environment; a company admin sees on the API keys page of the operator portal whether it is still active.`
				: 'Check in the credential that the base URL is that of the API and, where Token Field is filled in, that it names the token.',
	},
	{
		status: '400 413 422',
		where: (clues) => isExport(clues) && (clues.status === 413 || TOO_MANY.test(clues.words)),
		kind: 'too-large',
		message: () => 'The platform does not export this many sessions at once',
		advice: () => 'Lower IDs per Request in Options.',
	},
	{
		status: '400 422',
		where: isExport,
		kind: 'query-refused',
		message: () => 'The platform did not accept the session IDs',
		advice: () => 'Check that they are IDs of charging sessions.',
	},
	{
		status: '400 422',
		where: isStation,
		kind: 'query-refused',
		message: (clues) => `The platform did not accept “${idOf(clues)}” as a station ID`,
		advice: () => 'Choose the station from the list, or use the Id of a row that Get Many returns.',
	},
	{
		status: '400 422',
		where: ({ field, words }) => field === undefined && PAGE_SIZE.test(words),
		kind: 'too-large',
		message: ({ endpoint }) => `The platform does not give this many ${endpoint.plural} at once`,
		advice: () => 'Set Page Size in Options to fewer rows.',
	},
	{
		status: '400 422',
		where: ({ value }) => value !== undefined,
		kind: 'query-refused',
		about: 'field',
		message: ({ field, value }) => `The platform does not accept the value “${value}” for the field “${field}”`,
		advice: ({ field }) =>
			`Check the value in Filters: it must be of the kind that “${field}” holds in the rows of this node.`,
	},
	{
		status: '400 422',
		where: ({ field }) => field !== undefined,
		kind: 'query-refused',
		about: 'field',
		message: ({ endpoint, field }) => `The platform does not accept the field “${field}” for ${endpoint.plural}`,
		advice: ({ field }) =>
			`Check “${field}” in this node: the name must be spelled as in the rows that come out of this node, and the operator and the value must suit it.`,
	},
	{
		status: '400 422',
		kind: 'query-refused',
		message: ({ endpoint }) => `The platform did not accept the query for ${endpoint.plural}`,
		advice: () => 'Check the fields, operators and values in this node.',
	},
	{
		status: '404 410',
		where: ({ endpoint }) => endpoint.typed === true,
		kind: 'not-found',
		message: ({ endpoint }) => `The platform has no list at ${endpoint.path}`,
		advice: () =>
			`Check the path: the operation Check Platform names likely lists that the credential can read. ${IF_IN_OTHERS}`,
	},
	{
		status: '404 410',
		where: (clues) => isStation(clues) && !isPage(clues),
		kind: 'not-found',
		message: (clues) => `There is no charging station with the ID “${idOf(clues)}”`,
		// Without an answer before, the base URL may be that of something else.
		advice: ({ environment, hasAnswered }) =>
			`Choose the station from the list, or check the ID: it must be the Id of a station of your organization in the ${environment} environment.${hasAnswered ? '' : ` ${IF_IN_OTHERS}`}`,
	},
	{
		status: '404',
		where: isLong,
		kind: 'url-too-long',
		message: () => 'The platform was not found, or the filter is too long for a request (status 404)',
		advice: () =>
			'Shorten the filter, or split it over several input items. If that does not help, check the base URL in the credential.',
	},
	{
		status: '404 405 410',
		where: ({ hasAnswered }) => hasAnswered === true,
		kind: 'not-the-platform',
		message: ({ status, endpoint }) => interrupted(`status ${status}`, endpoint.plural),
		advice: () => INTERRUPTED_ADVICE,
	},
	{
		status: '404 405 410',
		kind: 'not-the-platform',
		message: ({ baseUrl, status }) => `The platform's API was not found at ${baseUrl} (status ${status})`,
		advice: (clues) => `Check the base URL in the credential.${withoutApi(clues)}`,
	},
	{
		status: '407',
		kind: 'configuration',
		message: () => 'A proxy asks n8n to sign in (status 407)',
		advice: () => 'Ask your n8n admin to check the proxy settings of n8n.',
	},
	{
		status: '413 414 431',
		kind: 'url-too-long',
		message: () => 'The filter is too long for a request',
		advice: () => 'Shorten the filter, or split it over several input items.',
	},
	{
		status: '408 5xx',
		kind: 'server-failure',
		message: (clues) =>
			`${isPage(clues) ? 'A gateway in front of the platform' : 'The platform'} cannot answer at the moment (status ${clues.status})`,
		advice: () => "This is usually temporary. Try again later; if this keeps happening, tell the platform's support.",
	},
];

export const FALLBACK_RULE: Omit<RefusalRule, 'status'> = {
	kind: 'query-refused',
	message: ({ status }) => `The platform refused the request with status ${status}`,
	advice: () => 'Check the node’s settings and the base URL in the credential.',
};

/** Where a redirect leads, without its path. */
function targetOf({ headers, baseUrl, secrets }: PlatformAnswer): string {
	const location = headerText(headers, 'location')?.slice(0, 2_000) ?? '';
	if (location === '' || !URL.canParse(location, baseUrl)) return '';
	const { origin } = new URL(location, baseUrl);
	return ` to ${origin === new URL(baseUrl).origin ? 'another of its pages' : sanitizeText(origin, secrets)}`;
}

/** Host and port of a base URL, for messages. */
export function hostOf(baseUrl: string): string {
	return new URL(baseUrl).host;
}
