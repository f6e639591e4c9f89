import { CredentialTestContext } from 'n8n-core';
import type { ICredentialDataDecryptedObject, INodeCredentialTestResult } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { loadPackage, runNode } from '../../support/harness.ts';
import { ownKey, ScriptedServer, sendJson, sendRows } from '../../support/scriptedServer.ts';

// What a person reads who presses Test in a credential.

const server = new ScriptedServer();
beforeAll(async () => await server.start());
afterAll(async () => await server.stop());

/** Tests a credential with the helpers that n8n passes to its test. */
async function test(fields: ICredentialDataDecryptedObject = {}): Promise<INodeCredentialTestResult> {
	const { nodeTypes } = await loadPackage();
	const type = nodeTypes.chargingSessions?.type;
	const { methods = {} } = type ? NodeHelpers.getVersionedNodeType(type) : {};
	const name = 'password' in fields ? 'ChargingNetworkUserApi' : 'ChargingNetworkApi';
	const data = { environment: 'test', testUrl: server.baseUrl, apiKey: ownKey(), ...fields };
	const context = new CredentialTestContext({} as ConstructorParameters<typeof CredentialTestContext>[0]);
	const result = await methods.credentialTest?.[`test${name}`]?.call(context, { id: '1', name: 'c', type: name, data });
	if (!result) throw new Error('This credential has no test');
	return result;
}

type Response = Parameters<typeof sendJson>[0];
const html = { 'content-type': 'text/html' };
const page = (response: Response, status: number, title: string) =>
	response.writeHead(status, html).end(`<html><title>${title}</title></html>`);
const noScope = (scope: string) => ({ Code: 'API_KEY_SCOPE_INSUFFICIENT', Message: `Requires ${scope}` });
const scopeOf = (path: string) => (path.includes('stations') ? 'charging-stations:read' : 'charging-sessions:read');
const WHAT_NEXT = 'To see what this platform does, run Charging Network List > Check Platform once.';

it('says which environment it reached and what the key can do', async () => {
	server.script((_, response) => sendRows(response, [], 3));
	expect(await test()).toEqual({
		status: 'OK',
		message: `Reached the test environment at ${server.baseUrl}. The key can read charging sessions and charging stations. ${WHAT_NEXT}`,
	});
	const paths = server.received.map(({ url }) => url.pathname);
	expect(paths).toEqual(['/api/charging-sessions/v1', '/api/charging-stations/v1']);
});

it('a key that lacks a scope passes, and the scope is named', async () => {
	server.script(({ url }, response) =>
		url.pathname.includes('stations')
			? sendJson(response, 403, noScope(scopeOf(url.pathname)))
			: sendRows(response, []),
	);
	const { status, message } = await test();
	expect(status).toBe('OK');
	expect(message).toMatch(/can read charging sessions\..*lacks the scope charging-stations:read/);
	server.script(({ url }, response) => sendJson(response, 403, noScope(scopeOf(url.pathname))));
	expect((await test()).message).toMatch(/lacks the scope charging-sessions:read and charging-stations:read/);
});

const REFUSED: Array<[string, (response: Response) => unknown, RegExp]> = [
	['an unknown key', (response) => sendJson(response, 401, {}), /does not accept this API key.*revoked/],
	['a role that is too low', (response) => sendJson(response, 403, 'Role Accountant'), /role of the API key/],
	['a wrong address', (response) => page(response, 404, 'Not found'), /API was not found at http/],
	['a web page', (response) => page(response, 200, 'Portal'), /not the platform: got a web page, “Portal”/],
	['an outage', (response) => sendJson(response, 503, 'maintenance'), /cannot answer at the moment.*maintenance/],
];
it.each(REFUSED)('%s gets its own sentence after one request of each list', async (_, answer, sentence) => {
	server.script((_request, response) => void answer(response));
	expect(await test()).toEqual({ status: 'Error', message: expect.stringMatching(sentence) as string });
	expect(server.received).toHaveLength(2);
});

it('an inactive license is not asked about twice', async () => {
	server.script((_, response) => sendJson(response, 403, { Code: 'PUBLIC_API_LICENSE_INACTIVE' }));
	expect(await test()).toEqual({ status: 'Error', message: expect.stringMatching(/license.*not active/) as string });
	expect(server.received).toHaveLength(1);
});

describe('a key that can read one list is usable, whatever the other one answers', () => {
	const OTHERS: Array<[string, (response: Response) => unknown, RegExp]> = [
		['a role', (response) => sendJson(response, 403, 'Role Accountant'), /The role of the API key/],
		['401', (response) => sendJson(response, 401, {}), /The platform does not accept this API key/],
		['404', (response) => page(response, 404, 'Not found'), /API was not found|status 404 in place of/],
		['500', (response) => sendJson(response, 500, {}), /The platform cannot answer at the moment/],
		['400', (response) => sendJson(response, 400, {}), /The platform did not accept the query/],
		['a firewall', (response) => page(response, 403, 'Blocked'), /A gateway in front of the platform refused/],
		['a web page', (response) => page(response, 200, 'Portal'), /got a web page/],
	];
	it.each(OTHERS.flatMap((one) => ['stations', 'sessions'].map((list) => [one[0], list, one] as const)))(
		'%s for %s is a sentence in a green result',
		async (_, refused, [, answer, sentence]) => {
			server.script(({ url }, response) =>
				url.pathname.includes(refused) ? void answer(response) : sendRows(response, []),
			);
			const { status, message } = await test();
			expect(status).toBe('OK');
			const readable = refused === 'stations' ? 'sessions' : 'stations';
			expect(message).toContain(`can read charging ${readable}.`);
			expect(message).toContain(`Charging ${refused} could not be read: `);
			expect(message).toMatch(sentence);
		},
	);

	it('so is one for whose other list a gateway answers without any content', async () => {
		server.script(({ url }, response) =>
			url.pathname.includes('stations') ? response.writeHead(204).end() : sendRows(response, []),
		);
		const { status, message } = await test();
		expect(status).toBe('OK');
		expect(message).toMatch(/can read charging sessions\. Charging stations could not be read: .*nothing in place of/);
	});

	it('so is one whose rate limit is used up after the first list', async () => {
		server.script(({ url }, response) =>
			url.pathname.includes('stations') ? sendJson(response, 429, {}, { 'retry-after': '60' }) : sendRows(response, []),
		);
		const { status, message } = await test();
		expect(status).toBe('OK');
		expect(message).toMatch(/can read charging sessions\. Charging stations could not be read: The rate limit/);
	});

	it('so is one that lacks the scope of one list, where the other one is refused', async () => {
		server.script(({ url }, response) =>
			url.pathname.includes('stations')
				? sendJson(response, 500, {})
				: sendJson(response, 403, noScope(scopeOf(url.pathname))),
		);
		const { status, message } = await test();
		expect(status).toBe('OK');
		expect(message).toMatch(/lacks the scope charging-sessions:read.*Charging stations could not be read: /);
	});

	it.each([200, 204])('a status %i without any content says nothing about the key', async (code) => {
		server.script((_, response) => response.writeHead(code).end());
		const { status, message } = await test();
		expect(status).toBe('Error');
		expect(message).toMatch(/answered with nothing in place of charging sessions/);
	});

	it('where neither can be read, what will not pass by itself is said', async () => {
		server.script(({ url }, response) => sendJson(response, url.pathname.includes('stations') ? 401 : 500, {}));
		expect(await test()).toEqual({ status: 'Error', message: expect.stringMatching(/does not accept/) as string });
	});
});

it.each([
	[{ testUrl: '' }, /base URL of the test environment is empty/],
	[{ environment: 'staging' }, /environment "staging", which is neither production nor test/],
	[{ environment: '' }, /no environment/],
	[{ testUrl: 'http://platform.example' }, /unencrypted.*Allow Plain HTTP/],
	[{ apiKey: '' }, /no API key/],
	[{ apiKey: '“quoted”' }, /character that cannot be sent/],
])('%j is refused without a request', async (fields, sentence) => {
	server.script((_, response) => sendRows(response, []));
	expect(await test(fields)).toEqual({ status: 'Error', message: expect.stringMatching(sentence) as string });
	expect(server.received).toHaveLength(0);
});

it('an expression may write the environment as the panel does', async () => {
	server.script((_, response) => sendRows(response, []));
	const { message } = await test({ environment: ' Test ', productionUrl: 'https://production.example' });
	expect(message).toContain(`Reached the test environment at ${server.baseUrl}.`);
});

it('says what it cut off the base URL', async () => {
	server.script((_, response) => sendRows(response, []));
	const { status, message } = await test({ testUrl: `${server.baseUrl}/api/charging-sessions/v1?x=1` });
	expect([status, message]).toEqual(['OK', expect.stringMatching(/was cut off/)]);
});

it('shares the rate limit with the workflows that use the key', async () => {
	server.script((_, response) => sendJson(response, 429, {}, { 'retry-after': '3000' }));
	const apiKey = ownKey();
	expect((await test({ apiKey })).message).toMatch(/rate limit.*50 minutes/);
	const credential = { environment: 'test', testUrl: server.baseUrl, apiKey };
	const { error } = await runNode({ type: 'chargingSessions', credential, parameters: { operation: 'count' } });
	expect(error?.message).toMatch(/asks to wait 50 minutes/);
	expect(server.received).toHaveLength(1);
});

describe('for a signed-in user', () => {
	const password = 'Tr0ub4dor & 3 µ';
	let accounts = 0;
	const testUser = async (fields: ICredentialDataDecryptedObject = {}) => {
		const result = await test({ email: `tester${++accounts}@example.test`, password, ...fields });
		for (const secret of [password, 'token-of-test']) expect(result.message).not.toContain(secret);
		return result;
	};
	type Answer = (response: Response) => unknown;
	const script = (signIn: Answer, list: Answer = (response) => sendRows(response, [])) =>
		server.script(({ url }, response) => (url.pathname === '/token' ? signIn(response) : list(response)));
	const signedIn: Answer = (response) => sendJson(response, 200, { data: { AccessToken: 'token-of-test-1234' } });

	it('signs in, reads one row of each list with the token, and says so', async () => {
		script(signedIn);
		expect(await testUser()).toEqual({
			status: 'OK',
			message: `Reached the test environment at ${server.baseUrl}. Signing in works. The user can read charging sessions and charging stations. ${WHAT_NEXT}`,
		});
		const [, ...others] = server.received;
		expect(others.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer token-of-test-1234'));
	});

	it.each(['tester\u200b@example.test', '\u202atester@example.test', 'tester @example.test'])(
		'an email address with a character that cannot be seen is refused without a request: %j',
		async (email) => {
			script(signedIn);
			const message = expect.stringMatching(/^The email address contains .* cannot be seen\./) as string;
			expect(await testUser({ email })).toEqual({ status: 'Error', message });
			expect(server.received).toHaveLength(0);
		},
	);

	it('reports what is refused after one request, and shows no secret', async () => {
		script((response) => sendJson(response, 200, { key: 'token-of-test' }));
		expect((await testUser()).message).toMatch(/These fields are there: key\./);
		expect(server.received).toHaveLength(1);
		script(signedIn, (response) => sendJson(response, 401, { message: 'token-of-test-1234 is odd' }));
		expect((await testUser()).message).toMatch(/does not accept the token.*\[hidden\] is odd/);
		script(signedIn, (response) => sendJson(response, 403, {}));
		expect((await testUser()).message).toMatch(/signed-in user is not allowed to read charging sessions/);
	});

	it('signs in each time, as a token in memory says nothing about the password of today, nor does a refusal', async () => {
		const email = 'again@example.test';
		for (const isRight of [true, false, false, true]) {
			script(isRight ? signedIn : (response) => sendJson(response, 401, {}));
			expect((await testUser({ email })).status).toBe(isRight ? 'OK' : 'Error');
		}
	});
});
