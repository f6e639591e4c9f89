import { NodeApiError, type INode } from 'n8n-workflow';

import { parseRefusalText } from '../../../../../nodes/shared/platform/answers/refusalText';
import { redactSecrets, sanitizeText } from '../../../../../nodes/shared/platform/answers/safeText';
import { SESSIONS_EXPORT, createStationEndpoint } from '../../../../../nodes/shared/platform/http/endpoint';
import { and, condition } from '../../../../../nodes/shared/dsquery/compose';
import { networkFailureError, timeoutError } from '../../../../../nodes/shared/platform/answers/networkFailure';
import { refusalError } from '../../../../../nodes/shared/platform/answers/refusals';
import type { PlatformAnswer } from '../../../../../nodes/shared/platform/types';
import { REFUSAL } from '../../../../support/scriptedConnection.ts';
import { API_KEY } from '../../../../support/scriptedServer.ts';

const refuse = (status: number, body: unknown, more: Partial<PlatformAnswer> = {}) =>
	refusalError({ ...REFUSAL, status, body: typeof body === 'string' ? body : JSON.stringify(body), ...more });

/** A query that filters by these fields. */
const asking = (...fields: string[]): Partial<PlatformAnswer> => ({
	query: { filter: and(...fields.map((field) => condition(field, 'Eq', '0'))), sorts: [] },
});
const askingFor = (field: string, values: string): Partial<PlatformAnswer> => ({
	query: { filter: and(condition(field, 'In', values), condition('yes!', 'Eq', '0')), sorts: [] },
});
const PAGE = '<html><head><title>Blocked</title></head></html>';

/** The shapes that platforms and gateways use, with a code and a sentence. */
const SHAPES: Record<string, (code: string, message: string) => unknown> = {
	flat: (code, message) => ({ ErrorCode: code, Message: message }),
	'flat, lower case': (code, message) => ({ error: code, error_description: message }),
	nested: (code, message) => ({ error: { code, details: { message } } }),
	'deep in lists': (code, message) => ({ fault: { detail: { inner: [{ context: { errorcode: code, message } }] } } }),
	'list of errors': (code, message) => ({
		errors: [
			{ code, message },
			{ code: 'OTHER_CODE', message },
		],
	}),
	'map of errors': (code, message) => ({ title: 'Refused', errors: { [code]: [message] } }),
	'problem+json': (code, message) => ({ type: `https://e.example/${code}`, title: 'Forbidden', detail: message }),
	'JSON as a string': (code, message) => JSON.stringify(JSON.stringify({ Code: code, Message: message })),
	'plain text': (code, message) => `${code}: ${message}`,
	XML: (code, message) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
	'web page': (code, message) =>
		`<!DOCTYPE html><html><head><title>${code}: ${message}</title><style>x{}</style></head><body></body></html>`,
};

describe.each(Object.entries(SHAPES))('a refusal in the shape %s', (name, bodyOf) => {
	it('shows the licence code', () => {
		const error = refuse(403, bodyOf('PUBLIC_API_LICENSE_INACTIVE', 'The subscription is unpaid'));
		expect(error).toMatchObject({ kind: 'license-inactive', transient: false });
		expect(error.description).toContain('The subscription is unpaid');
	});

	it('shows the scope code, and the scope is named', () => {
		const error = refuse(403, bodyOf('API_KEY_SCOPE_INSUFFICIENT', 'This requires charging-sessions:readwrite'));
		expect(error).toMatchObject({ kind: 'scope-missing', scope: 'charging-sessions:readwrite' });
		expect(error.message).toContain('charging-sessions:readwrite');
		expect(error.description).toMatch(/readwrite includes read.*about a minute/);
	});

	// A gateway's page shows nothing of what the platform said.
	if (name === 'web page') return;

	it('names an unknown field, or the value of one', () => {
		const unknown = bodyOf('BAD_REQUEST', "'Energy' is not a property of ChargingSession");
		const error = refuse(400, unknown, asking('Id', 'Energy'));
		expect(error).toMatchObject({ kind: 'query-refused', property: 'Energy' });
		expect(error.message).toContain('“Energy”');
		const wrong = bodyOf('BAD_REQUEST', "Filters[0].Value: 'yes' is not a valid boolean for property 'IsRoaming'.");
		expect(refuse(400, wrong, askingFor('IsRoaming', 'no,yes')).message).toBe(
			'The platform does not accept the value “yes” for the field “IsRoaming”',
		);
	});
});

it('the scope is that of the endpoint when the platform names none', () => {
	expect(refuse(403, '{"Code":"API_KEY_SCOPE_INSUFFICIENT"}').scope).toBe('charging-sessions:read');
});

it.each<[string, string, Partial<PlatformAnswer>, string | undefined]>([
	['beside others that the text mentions', 'Unknown "Name". Known are Id, Status.', asking('Status', 'Name'), 'Name'],
	['without quotation marks', 'No property: StartedAt', asking('StartedAt', 'Started'), 'StartedAt'],
	['spelled as it was sent', "Unknown property 'startedat'", asking('StartedAt'), 'StartedAt'],
	['told from a value that has its name', "Unknown 'Energy'", askingFor('Energy', 'Energy,5'), 'Energy'],
	['not made up when the text names none', 'Invalid value', asking('Id'), undefined],
])('an unknown field is found %s', (_, text, query, property) => {
	const error = refuse(400, { Message: text }, query);
	expect(error.property).toBe(property);
	expect(error.message).toMatch(property ? /does not accept the field/ : /did not accept the query/);
	expect(error.description).toContain(`“${text}”`);
});

const STATION = { endpoint: createStationEndpoint('77/8') };
const EXPORT = { endpoint: SESSIONS_EXPORT };
const LONG = askingFor('Id', Array.from({ length: 900 }, (_, id) => id).join(','));

it.each<[status: number, body: unknown, more: Partial<PlatformAnswer>, kind: string, says: RegExp]>([
	[
		302,
		'',
		{ headers: { location: '/login?k=1' } },
		'redirected',
		/redirects to another of its pages .* never sent to/,
	],
	[400, '', {}, 'query-refused', /did not accept the query .* values in this node\./],
	[400, {}, STATION, 'query-refused', /“77\/8” .* Get Many/],
	[400, {}, EXPORT, 'query-refused', /did not accept the session IDs/],
	[400, 'At most 200 ids', EXPORT, 'too-large', /at once .* IDs per Request/],
	[413, '', EXPORT, 'too-large', /at once .* IDs per Request/],
	[403, { Code: 'USER_ROLE_INSUFFICIENT' }, {}, 'role-insufficient', /role .* CompanyAdmin/],
	[403, 'Missing scope', {}, 'scope-missing', /charging-sessions:read .* grant/],
	// Other words and codes about a license may mean a part of the product.
	[403, 'Upgrade your license plan', {}, 'forbidden', /not allowed .* scopes .*“Upgrade/],
	[403, { code: 'SEAT_LICENSE_INACTIVE' }, {}, 'forbidden', /not allowed .* scopes/],
	[403, 'Out of call volume quota.', {}, 'forbidden', /^The call quota of the API key is used up .*“Out of/],
	[403, { Message: 'Quota of this role exceeded' }, {}, 'forbidden', /call quota .* replenished/],
	[403, { Code: 'API_KEY_SCOPE_INSUFFICIENT', Message: 'No quota here' }, {}, 'scope-missing', /lacks the scope/],
	[403, {}, {}, 'forbidden', /not allowed .* role and scopes/],
	[403, PAGE, {}, 'forbidden', /gateway .*“Blocked”/],
	[404, '', {}, 'not-the-platform', /not found at https:\/\/api\.example\.com .* base URL/],
	[404, '', { baseUrl: 'https://a.example/api' }, 'not-the-platform', /Leave out \/api/],
	[404, {}, STATION, 'not-found', /no charging station with the ID “77\/8” .* test environment/],
	[404, PAGE, STATION, 'not-the-platform', /not found at .* base URL/],
	[404, '', LONG, 'url-too-long', /filter is too long .*404.* Shorten the filter.* base URL/],
	[413, '', LONG, 'url-too-long', /too long .* Shorten the filter/],
	[407, '', {}, 'configuration', /proxy .* n8n admin/],
	[408, {}, {}, 'server-failure', /cannot answer .*408.* later/],
	[418, '', {}, 'query-refused', /418.* base URL/],
])('each refusal has its own kind and next step: %s %j %#', (status, body, more, kind, says) => {
	const error = refuse(status, body, more);
	expect([error.kind, error.status]).toEqual([kind, status]);
	const said = `${error.message} ${error.description}`;
	expect(said).toMatch(says);
	// The platform's own words, in quotation marks, may be anything.
	expect(said.replace(/“[^”]*”/g, '')).not.toMatch(/\b(error|problem|failure|mistake)/i);
});

it.each([
	['Quota will be replenished in 02:30:15.', 9_015_000],
	['Quota will be replenished in 3.00:00:10.', 259_210_000],
])('a quota is waited for where the words of a 403 say how long: %s', (message, retryAfterMs) => {
	expect(refuse(403, { statusCode: 403, message })).toMatchObject({ kind: 'rate-limited', retryAfterMs });
});

it.each([{ Message: 'Slow down' }, PAGE, ''])('a 403 with Retry-After is waited for, whatever it says: %j', (body) => {
	expect(refuse(403, body, { retryAfterMs: 5_000 })).toMatchObject({ kind: 'rate-limited', retryAfterMs: 5_000 });
});

it('a 403 about a scope is not waited for', () => {
	expect(refuse(403, { Code: 'API_KEY_SCOPE_INSUFFICIENT' }, { retryAfterMs: 5_000 }).kind).toBe('scope-missing');
});

describe('what is shown of a body', () => {
	it('is the sentence, not the identifiers around it', () => {
		const body = { traceId: 'a b c', instance: '/x y', timestamp: 'now or then', info: { reason: 'No more room' } };
		expect(parseRefusalText(JSON.stringify(body)).message).toBe('No more room');
	});

	it('is short and on one line, and its entities make no new markup', () => {
		expect(refuse(500, `many\n\n${'words '.repeat(500)}`).description).toMatch(/^.{1,600}$/);
		const page = '<html><title>Stop &lt;img src=x onerror=alert(1)&gt; &amp; &quot;go&quot;</title></html>';
		expect(parseRefusalText(page).message).toBe('Stop &lt;img src=x onerror=alert(1)&gt; & "go"');
	});

	it.each([null, 7, [[[]]], '[]', '\u0000', '['.repeat(100_000) + ']'.repeat(100_000)])(
		'survives what is no refusal, case %#',
		(body) => {
			expect(refuse(500, body).kind).toBe('server-failure');
		},
	);

	it.each([
		`key ${API_KEY}`,
		`key ${API_KEY.toUpperCase()}`,
		`begins with ${API_KEY.slice(0, 14)}...`,
		`Authorization: Bearer abc.def-123`,
		`api-key=some0ther5ecret`,
		`token 0123456789abcdef0123456789abcdefX`,
	])('holds no key: %s', (text) => {
		const safe = sanitizeText(text, [API_KEY]);
		expect(safe).toContain('[hidden]');
		for (const secret of [API_KEY.slice(0, 14), 'def-123', 'some0ther5ecret', '0123456789abcdef0']) {
			expect(safe.toLowerCase()).not.toContain(secret.toLowerCase());
		}
	});

	it.each(['as it is', 'as in a URL', 'as in JSON'])('holds no password %s', (how) => {
		const password = 'Tr0ub & "3" µ';
		const inJson = JSON.stringify(password).slice(1, -1);
		const spelled = how === 'as it is' ? password : how === 'as in a URL' ? encodeURIComponent(password) : inJson;
		expect(sanitizeText(`The user ${spelled} is unknown`, [password])).toBe('The user [hidden] is unknown');
	});

	it('holds no password, though a word of our own sentence may be one', () => {
		const text = 'The platform refused “the platform is away”';
		expect(redactSecrets(text, ['platform'])).toBe('The platform refused “the [hidden] is away”');
	});

	it('holds no short key either, but ordinary words, names and trace ids', () => {
		expect(sanitizeText('key abc123 is unknown', ['abc123'])).toBe('key [hidden] is unknown');
		const text = 'The API key: unknown. StartedAtUtc 3f2504e0-4f89-11d3-9a0c-0305e82c3301';
		expect(sanitizeText(text, [API_KEY])).toBe(text);
	});
});

describe('a request that got no answer', () => {
	const thrown = (code: string) => {
		const inner = Object.assign(new Error(), { code, name: 'AxiosError', config: { headers: { 'API-KEY': API_KEY } } });
		return new NodeApiError({ name: 'Charging Sessions' } as INode, inner as never);
	};
	const said = (error: unknown) => networkFailureError(error, 'api.example.com', [API_KEY]);

	it.each<[string, RegExp, boolean]>([
		['EAI_AGAIN', /^The host api\.example\.com was not found/, true],
		['ERR_BAD_RESPONSE', /broke off/, true],
		['ETIMEDOUT', /did not answer completely in time/, true],
		['EHOSTUNREACH', /cannot be reached/, true],
		['CERT_HAS_EXPIRED', /certificate of api\.example\.com is not accepted \(CERT_HAS_EXPIRED\)/, false],
		['DEPTH_ZERO_SELF_SIGNED_CERT', /certificate/, false],
		['ERR_TLS_CERT_ALTNAME_INVALID', /certificate/, false],
		['EWHATEVER', /could not be completed \(EWHATEVER\)/, true],
	])('%s has its own sentence', (code, message, transient) => {
		expect(said(thrown(code))).toMatchObject({ kind: 'network-failure', transient });
		expect(said(thrown(code)).message).toMatch(message);
	});

	it('in time is a matter of Request Timeout, and in a poll of its cap, once that is reached', () => {
		const poll = { timeoutMs: 7_200, maxRateLimitWaitMs: 0, waitsUntil: 0 };
		const next = (timeoutMs: number, more = {}) =>
			timeoutError('api.example.com', { timeoutMs, maxRateLimitWaitMs: 0, ...more }).description;
		expect(next(60_000)).toMatch(/raise Request Timeout in Options, or lower Page Size/);
		expect(next(5_000, { poll })).toMatch(
			/raise Request Timeout in Options \(a poll gives each request 7\.2 s at most\), or lower Page Size/,
		);
		expect(next(7_200, { poll })).toMatch(
			/^A poll gives each request 7\.2 s at most, whatever Request Timeout is\. The next poll asks again\..*lower Page Size/,
		);
	});

	it('has the reason that is among others', () => {
		const group = Object.assign(new Error(), { errors: [{ code: 'ECONNREFUSED' }] });
		expect(said({ cause: group }).message).toBe('api.example.com refused the connection');
	});
});
