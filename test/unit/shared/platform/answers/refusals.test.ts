import { NodeApiError, type INode } from 'n8n-workflow';

import { readAnswerText } from '../../../../../nodes/shared/platform/answers/answerText';
import { safeText } from '../../../../../nodes/shared/platform/answers/safeText';
import { SESSIONS_EXPORT, stationEndpoint } from '../../../../../nodes/shared/platform/http/endpoint';
import { and, condition } from '../../../../../nodes/shared/dsquery/compose';
import { networkFailure } from '../../../../../nodes/shared/platform/answers/networkFailure';
import { describeRefusal } from '../../../../../nodes/shared/platform/answers/refusals';
import type { Answer } from '../../../../../nodes/shared/platform/types';
import { REFUSAL } from '../../../../support/scriptedConnection.ts';
import { API_KEY } from '../../../../support/scriptedServer.ts';

const refuse = (status: number, body: unknown, more: Partial<Answer> = {}) =>
	describeRefusal({ ...REFUSAL, status, body: typeof body === 'string' ? body : JSON.stringify(body), ...more });

/** A query that filters by these fields. */
const asking = (...fields: string[]): Partial<Answer> => ({
	query: { filter: and(...fields.map((field) => condition(field, 'Eq', '0'))), sorts: [] },
});
const LONG: Partial<Answer> = {
	query: { filter: and(condition('Id', 'In', Array.from({ length: 900 }, (_, id) => id).join(','))), sorts: [] },
};

/** The same code and sentence in every shape that platforms and gateways use. */
function shapes(code: string, message: string): Array<[string, string]> {
	const json = (value: unknown) => JSON.stringify(value);
	return [
		['flat', json({ ErrorCode: code, Message: message })],
		['flat, lower case', json({ error_code: code, error_description: message })],
		['code as error', json({ error: code, message })],
		['nested', json({ error: { code, details: { message } } })],
		['deeply nested', json({ a: { b: { c: { fault: { faultstring: message, detail: { errorcode: code } } } } } })],
		['deep in lists', json({ fault: { detail: { inner: [{ context: { info: { errorcode: code, message } } }] } } })],
		['list', json([{ code, message }])],
		[
			'list of errors',
			json({
				errors: [
					{ code, message },
					{ code: 'OTHER_CODE', message },
				],
			}),
		],
		['map of errors', json({ title: 'Refused', errors: { [code]: [message] } })],
		[
			'problem+json',
			json({ type: `https://e.example/${code}`, title: 'Forbidden', status: 403, detail: message, traceId: '0' }),
		],
		['JSON in a string', json({ error: json({ Code: code, Message: message }) })],
		['JSON as a string', json(json({ Code: code, Message: message }))],
		['plain text', `${code}: ${message}`],
		[
			'web page',
			`<!DOCTYPE html><html><head><title>${code}: ${message}</title><style>x{}</style></head><body></body></html>`,
		],
		['XML', `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`],
	];
}

const SENTENCES = {
	license: ['PUBLIC_API_LICENSE_INACTIVE', 'The subscription is unpaid'],
	scope: ['API_KEY_SCOPE_INSUFFICIENT', 'This endpoint requires charging-sessions:readwrite'],
	field: ['BAD_REQUEST', "'Energy' is not a property of ChargingSession"],
	value: ['BAD_REQUEST', "Filter.Filters[0].Value: 'yes' is not a valid boolean for property 'IsRoaming'."],
} as const;
const ROAMING = { filter: and(condition('IsRoaming', 'In', 'no,yes'), condition('yes!', 'Eq', '0')), sorts: [] };
const NAMES = shapes('', '').map(([name]) => name);

describe.each(NAMES)('a refusal in the shape %s', (name) => {
	const bodyOf = (what: keyof typeof SENTENCES) => {
		const [code, message] = SENTENCES[what];
		return new Map(shapes(code, message)).get(name);
	};

	it('shows the licence code', () => {
		const error = refuse(403, bodyOf('license'));
		expect(error).toMatchObject({ kind: 'license-inactive', transient: false });
		expect(error.description).toContain('The subscription is unpaid');
	});

	it('shows the scope code, and the scope is named', () => {
		const error = refuse(403, bodyOf('scope'));
		expect(error).toMatchObject({ kind: 'scope-missing', scope: 'charging-sessions:readwrite' });
		expect(error.message).toContain('charging-sessions:readwrite');
		expect(error.description).toMatch(/readwrite includes read.*about a minute/);
	});

	// A gateway's page shows nothing of what the platform said.
	if (name === 'web page') return;

	it('names an unknown field, or the value of one', () => {
		const error = refuse(400, bodyOf('field'), asking('Id', 'Energy'));
		expect(error).toMatchObject({ kind: 'query-refused', property: 'Energy' });
		expect(error.message).toContain('“Energy”');
		const other = refuse(400, bodyOf('value'), { query: ROAMING });
		expect(other.message).toBe('The platform does not accept the value “yes” for the field “IsRoaming”');
		expect(other.property).toBe('IsRoaming');
	});
});

it('the scope is that of the endpoint when the platform names none', () => {
	expect(refuse(403, '{"Code":"API_KEY_SCOPE_INSUFFICIENT"}').scope).toBe('charging-sessions:read');
});

describe('an unknown field', () => {
	it('is distinguished from other fields of the query that the text mentions', () => {
		const body = { Message: 'Unknown property "Name". Known are Id, Status.' };
		expect(refuse(400, body, asking('Status', 'Name')).property).toBe('Name');
	});

	it('is found without quotation marks, spelled as it was sent', () => {
		expect(refuse(400, 'No such property: StartedAt', asking('StartedAt', 'Started')).property).toBe('StartedAt');
		expect(refuse(400, "Unknown property 'startedat'", asking('StartedAt')).property).toBe('StartedAt');
	});

	it('is told from a value that has its name', () => {
		const energy = { query: { filter: and(condition('Energy', 'In', 'Energy,5')), sorts: [] } };
		expect(refuse(400, "Unknown property 'Energy'", energy).message).toBe(
			'The platform does not accept the field “Energy” for charging sessions',
		);
	});

	it('is not made up when the text names none', () => {
		const error = refuse(400, { Message: 'Invalid value' }, asking('Id'));
		expect(error.property).toBeUndefined();
		expect(error.description).toContain('“Invalid value”');
	});
});

it('entities in a page are not decoded into markup', () => {
	const page = '<html><title>Stop &lt;img src=x onerror=alert(1)&gt; &amp; &quot;go&quot;</title></html>';
	expect(readAnswerText(page).message).toBe('Stop &lt;img src=x onerror=alert(1)&gt; & "go"');
});

describe('each refusal has its own kind and next step', () => {
	const page = '<html><head><title>Blocked</title></head></html>';
	const station = stationEndpoint('77/8');
	it.each<[string, number, unknown, Partial<Answer>, string, RegExp, RegExp]>([
		['403 role code', 403, { Code: 'USER_ROLE_INSUFFICIENT' }, {}, 'role-insufficient', /role/, /CompanyAdmin/],
		['403 scope without code', 403, 'Missing scope', {}, 'scope-missing', /charging-sessions:read/, /grant/],
		[
			'403 with other words about a license',
			403,
			'Upgrade your license plan to see billing',
			{},
			'forbidden',
			/not allowed/,
			/scopes.*“Upgrade/,
		],
		['403 with another license code', 403, { code: 'SEAT_LICENSE_INACTIVE' }, {}, 'forbidden', /not allowed/, /scopes/],
		[
			'403 quota',
			403,
			'Out of call volume quota.',
			{},
			'forbidden',
			/^The call quota of the API key is used up$/,
			/“Out of/,
		],
		[
			'403 quota of a role',
			403,
			{ Message: 'Quota of this role exceeded' },
			{},
			'forbidden',
			/call quota/,
			/replenished/,
		],
		['403 other', 403, {}, {}, 'forbidden', /not allowed/, /role and scopes/],
		['403 page', 403, page, {}, 'forbidden', /gateway/, /“Blocked”/],
		['400 other', 400, '', {}, 'query-refused', /did not accept the query/, /values in this node\./],
		['404 list', 404, '', {}, 'not-the-platform', /not found at https:\/\/api.example.com/, /base URL/],
		['404 under /api', 404, '', { baseUrl: 'https://a.example/api' }, 'not-the-platform', /\/api/, /Leave out \/api/],
		[
			'404 station',
			404,
			{},
			{ endpoint: station },
			'not-found',
			/no charging station with the ID “77\/8”/,
			/test environment/,
		],
		['404 station, empty', 404, '', { endpoint: station }, 'not-found', /77\/8/, /list/],
		['404 station, page', 404, page, { endpoint: station }, 'not-the-platform', /not found at/, /base URL/],
		['400 station', 400, {}, { endpoint: station }, 'query-refused', /“77\/8”/, /Get Many/],
		['413', 413, '', LONG, 'url-too-long', /too long/, /Shorten the filter/],
		['404 of a long filter', 404, '', LONG, 'url-too-long', /filter is too long.*404/, /Shorten the filter.*base URL/],
		['413 export', 413, '', { endpoint: SESSIONS_EXPORT }, 'too-large', /at once/, /IDs per Request/],
		[
			'400 export, size',
			400,
			'At most 200 ids',
			{ endpoint: SESSIONS_EXPORT },
			'too-large',
			/at once/,
			/IDs per Request/,
		],
		['414', 414, page, LONG, 'url-too-long', /too long/, /Shorten the filter/],
		['500', 500, {}, {}, 'server-failure', /platform cannot answer.*500/, /later/],
		[
			'302',
			302,
			'',
			{ headers: { location: '/login?k=1' } },
			'redirected',
			/redirects to another of its pages/,
			/never sent to another/,
		],
		['304', 304, '', {}, 'redirected', /304/, /base URL/],
		['405', 405, '', {}, 'not-the-platform', /405/, /base URL/],
		['407', 407, '', {}, 'configuration', /proxy/, /n8n admin/],
		['418', 418, '', {}, 'query-refused', /418/, /base URL/],
	])('%s', (_, status, body, more, kind, message, next) => {
		const error = refuse(status, body, more);
		expect(error.kind).toBe(kind);
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(next);
		expect(error.status).toBe(status);
		// The platform's own words, in quotation marks, may be anything.
		const own = `${error.message} ${error.description}`.replace(/“[^”]*”/g, '');
		expect(own).not.toMatch(/\b(error|problem|failure|mistake)/i);
	});
});

describe('what is shown of a body', () => {
	it('is the sentence, not the identifiers around it', () => {
		const body = { traceId: 'a b c', instance: '/x y', timestamp: 'now or then', info: { reason: 'No more room' } };
		expect(readAnswerText(JSON.stringify(body)).message).toBe('No more room');
	});

	it('is short and on one line', () => {
		const { description } = refuse(500, `many\n\n${'words '.repeat(500)}`);
		expect(description.length).toBeLessThan(600);
		expect(description).not.toContain('\n');
	});

	it.each([null, 7, [], {}, [[[]]], 'null', '[]', '\u0000'])('survives %j', (body) => {
		expect(refuse(500, body).kind).toBe('server-failure');
	});

	it('survives nesting to any depth', () => {
		const deep = '['.repeat(100_000) + ']'.repeat(100_000);
		expect(refuse(500, deep).kind).toBe('server-failure');
	});

	it.each([
		`key ${API_KEY}`,
		`key ${API_KEY.toUpperCase()}`,
		`key ${encodeURIComponent(API_KEY)}`,
		`begins with ${API_KEY.slice(0, 14)}...`,
		`Authorization: Bearer abc.def-123`,
		`api-key=some0ther5ecret`,
		`token 0123456789abcdef0123456789abcdefX`,
	])('holds no key: %s', (text) => {
		const safe = safeText(text, [API_KEY]);
		expect(safe).toContain('[hidden]');
		for (const secret of [API_KEY, API_KEY.slice(0, 14), 'def-123', 'some0ther5ecret', '0123456789abcdef0']) {
			expect(safe.toLowerCase()).not.toContain(secret.toLowerCase());
		}
	});

	it('holds no short key either', () => {
		expect(safeText('key abc123 is unknown', ['abc123'])).toBe('key [hidden] is unknown');
	});

	it('leaves ordinary words, names and trace ids alone', () => {
		const text = 'The API key: unknown. StartedAtUtc 3f2504e0-4f89-11d3-9a0c-0305e82c3301';
		expect(safeText(text, [API_KEY])).toBe(text);
	});
});

describe('network faults', () => {
	const wrapped = (code: string, name = 'AxiosError', message = '') => {
		const inner = Object.assign(new Error(message), { code, name, config: { headers: { 'API-KEY': API_KEY } } });
		return new NodeApiError({ name: 'Charging Sessions' } as INode, inner as never);
	};
	it.each<[string, string, RegExp, boolean]>([
		['ECONNREFUSED', 'network-failure', /api.example.com refused the connection/, true],
		['ENOTFOUND', 'network-failure', /host api.example.com was not found/, true],
		['EAI_AGAIN', 'network-failure', /was not found/, true],
		['ECONNRESET', 'network-failure', /broke off/, true],
		['ERR_BAD_RESPONSE', 'network-failure', /broke off/, true],
		['ETIMEDOUT', 'network-failure', /did not answer completely in time/, true],
		['EHOSTUNREACH', 'network-failure', /cannot be reached/, true],
		[
			'CERT_HAS_EXPIRED',
			'network-failure',
			/certificate of api.example.com is not accepted \(CERT_HAS_EXPIRED\)/,
			false,
		],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'network-failure', /certificate/, false],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'network-failure', /certificate/, false],
		['EPROTO', 'network-failure', /does not speak HTTPS/, false],
		['EWHATEVER', 'network-failure', /could not be completed \(EWHATEVER\)/, true],
	])('%s', (code, kind, message, transient) => {
		const error = networkFailure(wrapped(code), 'api.example.com', [API_KEY]);
		expect(error.kind).toBe(kind);
		expect(error.message).toMatch(message);
		expect(error.transient).toBe(transient);
	});

	it('an address that n8n itself blocks is a configuration fault', () => {
		const error = networkFailure(wrapped('', 'SsrfBlockedIpError'), '10.0.0.1', [API_KEY]);
		expect(error).toMatchObject({ kind: 'configuration', transient: false });
		expect(error.message).toBe('n8n does not allow requests to 10.0.0.1');
	});

	it('looks into grouped faults', () => {
		const group = Object.assign(new Error(''), { errors: [{ code: 'ECONNREFUSED' }] });
		expect(networkFailure({ cause: group }, 'h', [API_KEY]).message).toBe('h refused the connection');
	});
});

describe('a 403 about a quota', () => {
	it.each([
		['Out of call volume quota. Quota will be replenished in 02:30:15.', 9_015_000],
		['Out of call volume quota. Quota will be replenished in 3.00:00:10.', 259_210_000],
	])('is waited for where its words say how long: %s', (message, retryAfterMs) => {
		const error = refuse(403, { statusCode: 403, message });
		expect(error).toMatchObject({ kind: 'rate-limited', retryAfterMs });
		expect(error.message).toBe('The call quota of the API key is used up');
	});

	it('is not seen in a refusal for a scope', () => {
		expect(refuse(403, { Code: 'API_KEY_SCOPE_INSUFFICIENT', Message: 'No quota here' }).kind).toBe('scope-missing');
	});
});
