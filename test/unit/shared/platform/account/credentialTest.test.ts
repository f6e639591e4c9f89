import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';

import { openConnection } from '../../../../../nodes/shared/platform';
import { testChargingNetworkApi, testChargingNetworkUserApi } from '../../../../../nodes/shared/platform';
import { SESSIONS } from '../../../../../nodes/shared/resources';
import { API_KEY, contexts, ScriptedServer, sendJson, sendRows } from '../../../../support/scriptedServer';

const server = new ScriptedServer();
beforeAll(async () => await server.start());
afterAll(async () => await server.stop());

let keys = 0;
async function test(fields: ICredentialDataDecryptedObject = {}): Promise<INodeCredentialTestResult> {
	const apiKey = `${API_KEY}test${++keys}`;
	const data = { environment: 'test', testUrl: server.baseUrl, apiKey, ...fields };
	// The same helpers that n8n passes to a credential test.
	const context = new CredentialTestContext({} as ConstructorParameters<typeof CredentialTestContext>[0]);
	return await testChargingNetworkApi.call(context, { id: '1', name: 'c', type: 'chargingNetworkApi', data });
}

const noScope = (scope: string) => ({ Code: 'API_KEY_SCOPE_INSUFFICIENT', Message: `Requires ${scope}` });

it('says which environment it reached and what the key can do', async () => {
	server.script((_, response) => sendRows(response, [], 3));
	const result = await test();
	expect(result).toEqual({
		status: 'OK',
		message: `Reached the test environment at ${server.baseUrl}. The key can read charging sessions and charging stations. To see what this platform does, run Charging Network List > Check Platform once.`,
	});
	expect(server.received.map(({ url }) => url.pathname)).toEqual([
		'/api/charging-sessions/v1',
		'/api/charging-stations/v1',
	]);
	for (const { headers, url } of server.received) {
		expect(headers['api-key']).toContain(API_KEY);
		expect(JSON.parse(url.searchParams.get('dsquery') ?? '')).toEqual({ Pager: { Skip: 0, Take: 1 } });
	}
});

it('a key that lacks a scope passes, and the scope is named', async () => {
	server.script((request, response) => {
		if (request.url.pathname.includes('stations')) sendJson(response, 403, noScope('charging-stations:read'));
		else sendRows(response, []);
	});
	const result = await test();
	expect(result.status).toBe('OK');
	expect(result.message).toMatch(/can read charging sessions\..*lacks the scope charging-stations:read/);
});

it('a key that lacks both scopes passes too', async () => {
	server.script((request, response) =>
		sendJson(
			response,
			403,
			noScope(request.url.pathname.includes('stations') ? 'charging-stations:read' : 'charging-sessions:read'),
		),
	);
	const result = await test();
	expect(result.status).toBe('OK');
	expect(result.message).toMatch(/lacks the scope charging-sessions:read and charging-stations:read/);
});

it.each<[string, number, string, string, RegExp]>([
	['an unknown key', 401, 'text/plain', '', /does not accept this API key.*revoked/],
	[
		'an inactive licence',
		403,
		'application/json',
		'{"Code":"PUBLIC_API_LICENSE_INACTIVE"}',
		/license of your organization is not active/,
	],
	[
		'a role that is too low',
		403,
		'application/json',
		'{"Message":"Role Accountant is not enough"}',
		/role of the API key/,
	],
	['a wrong address', 404, 'text/html', '<html><title>Not found</title></html>', /API was not found at http/],
	['a web page', 200, 'text/html', '<html><title>Portal</title></html>', /not the platform: got a web page, “Portal”/],
	[
		'another service',
		200,
		'application/json',
		'{"name":"other","version":2}',
		/not the platform: got JSON with name, version/,
	],
	['plain text', 200, 'text/plain', 'It works!', /answer cannot be used: it is not JSON\. Check the base URL first\./],
	['plain text with 201', 201, 'text/plain', 'It works!', /answer cannot be used: it is not JSON\./],
	['a redirect', 302, 'text/html', '', /redirects/],
	['an outage', 503, 'text/plain', 'down for maintenance', /cannot answer at the moment.*down for maintenance/],
])('%s gets its own sentence after one request', async (_, status, type, body, sentence) => {
	server.script((_request, response) =>
		response.writeHead(status, { 'content-type': type, location: 'https://portal.example/login' }).end(body),
	);
	const result = await test();
	expect(result.status).toBe('Error');
	expect(result.message).toMatch(sentence);
	expect(server.received).toHaveLength(1);
});

it('names an address that refuses the connection', async () => {
	const result = await test({ testUrl: 'http://127.0.0.1:1' });
	expect(result).toMatchObject({
		status: 'Error',
		message: expect.stringMatching(/127.0.0.1:1 refused the connection/) as string,
	});
});

it.each([
	[{ testUrl: '' }, /base URL of the test environment is empty/],
	[{ environment: 'production' }, /base URL of the production environment is empty/],
	[{ testUrl: 'http://platform.example' }, /unencrypted.*Allow Plain HTTP/],
	[{ apiKey: '' }, /no API key/],
	[{ apiKey: '“quoted”' }, /character that cannot be sent/],
])('%j is refused without a request', async (fields, sentence) => {
	server.script((_, response) => sendRows(response, []));
	const result = await test(fields);
	expect(result.status).toBe('Error');
	expect(result.message).toMatch(sentence);
	expect(server.received).toHaveLength(0);
});

it('says what it cut off the base URL', async () => {
	server.script((_, response) => sendRows(response, []));
	const result = await test({ testUrl: `${server.baseUrl}/api/charging-sessions/v1?x=1` });
	expect(result).toMatchObject({ status: 'OK', message: expect.stringMatching(/was cut off/) as string });
});

it('shares the rate limit with the workflows that use the key', async () => {
	server.script((_, response) => sendJson(response, 429, {}, { 'retry-after': '30' }));
	const apiKey = `${API_KEY}shared`;
	const first = await test({ apiKey });
	expect(first).toMatchObject({ status: 'Error', message: expect.stringMatching(/rate limit.*30 seconds/) as string });
	const platform = await openConnection(contexts(server, { credential: { apiKey } }).editor());
	await expect(platform.getPage(SESSIONS, { sorts: [] })).rejects.toThrow(/try again in/);
	expect(server.received).toHaveLength(1);
});

describe('for a signed-in user', () => {
	const PASSWORD = 'Tr0ub4dor & 3 µ';
	let accounts = 0;

	async function testUser(fields: ICredentialDataDecryptedObject = {}): Promise<INodeCredentialTestResult> {
		const email = `tester${++accounts}@example.test`;
		const data = { environment: 'test', testUrl: server.baseUrl, email, password: PASSWORD, ...fields };
		const context = new CredentialTestContext({} as ConstructorParameters<typeof CredentialTestContext>[0]);
		const credential = { id: '1', name: 'c', type: 'chargingNetworkUserApi', data };
		const result = await testChargingNetworkUserApi.call(context, credential);
		expect(result.message).not.toContain(PASSWORD);
		expect(result.message).not.toContain('token-of-test');
		return result;
	}

	type Answer = (response: Parameters<typeof sendJson>[0]) => unknown;
	const script = (signIn: Answer, list: Answer = (response) => sendRows(response, [])) =>
		server.script((request, response) => (request.url.pathname === '/token' ? signIn(response) : list(response)));
	const signedIn: Answer = (response) => sendJson(response, 200, { data: { AccessToken: 'token-of-test-1234' } });

	it('signs in, reads one row of each list with the token, and says so', async () => {
		script(signedIn);
		expect(await testUser()).toEqual({
			status: 'OK',
			message: `Reached the test environment at ${server.baseUrl}. Signing in works. The user can read charging sessions and charging stations. To see what this platform does, run Charging Network List > Check Platform once.`,
		});
		const [first, ...others] = server.received;
		expect(first?.method).toBe('POST');
		expect(JSON.parse(first?.body ?? '')).toMatchObject({ Password: PASSWORD });
		expect(others.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer token-of-test-1234'));
	});

	it.each<[string, Answer, RegExp]>([
		['a wrong password', (response) => sendJson(response, 401, {}), /does not accept this email address and password/],
		['no token', (response) => sendJson(response, 200, { key: 'token-of-test' }), /These fields are there: key\./],
		[
			'a rate limit',
			(response) => sendJson(response, 429, {}, { 'retry-after': '20' }),
			/rate limit.*try again in 20 seconds/,
		],
	])('reports %s after one request', async (_, signIn, message) => {
		script(signIn);
		const result = await testUser();
		expect(result.message).toMatch(message);
		expect(result.status).toBe('Error');
		expect(server.received).toHaveLength(1);
	});

	it('signs in each time: a token in memory says nothing about the password of today', async () => {
		script(signedIn);
		const email = 'twice@example.test';
		expect((await testUser({ email })).status).toBe('OK');
		script((response) => sendJson(response, 401, {}));
		expect((await testUser({ email })).message).toMatch(/does not accept this email address/);
	});

	it('reports a token that is refused at once', async () => {
		script(signedIn, (response) => sendJson(response, 401, { message: 'token-of-test-1234 is odd' }));
		expect((await testUser()).message).toMatch(/does not accept the token.*\[hidden\] is odd/);
	});

	it('reports a user who may not read anything', async () => {
		script(signedIn, (response) => sendJson(response, 403, {}));
		expect((await testUser()).message).toMatch(/signed-in user is not allowed to read charging sessions/);
	});
});
