import type { ServerResponse } from 'node:http';
import type { IDataObject } from 'n8n-workflow';

import { openConnection } from '../../../../../nodes/shared/platform';
import { SESSIONS, STATIONS } from '../../../../../nodes/shared/resources';
import { toNodeError } from '../../../../../nodes/shared/operation/nodeError';
import { visibleText } from '../../../../support/engine';
import {
	contexts,
	errorOf,
	NODE,
	ScriptedServer,
	sendJson,
	sendRows,
	type ContextOptions,
	type Received,
} from '../../../../support/scriptedServer';

const server = new ScriptedServer();
beforeAll(async () => await server.start());
afterAll(async () => await server.stop());

const QUERY = { sorts: [{ field: 'Id', direction: 'Asc' as const }], pager: { skip: 0, take: 100 } };
const PASSWORD = 'Tr0ub4dor & 3 µ';

let accounts = 0;
/** What n8n has stored. Each test has its own account, since holds outlive a test. */
function account(fields: IDataObject = {}): IDataObject {
	const email = `person${++accounts}@example.test`;
	return { environment: 'test', testUrl: server.baseUrl, email, password: PASSWORD, ...fields };
}

const open = async (user: IDataObject, options: ContextOptions = {}) =>
	await openConnection(contexts(server, { ...options, user }).execute());

const isSignIn = ({ url }: Received) => url.pathname === '/token';
const signIns = () => server.received.filter(isSignIn);
const lists = () => server.received.filter((request) => !isSignIn(request));
const bearer = ({ headers }: Received) => headers.authorization ?? '';

/** A platform that issues tokens and accepts each for as long as the test says. */
function platform(options: { accepts?: (token: string, request: Received) => boolean; signInMs?: number } = {}) {
	const { accepts = () => true, signInMs = 0 } = options;
	let given = 0;
	server.script(async (request, response) => {
		if (isSignIn(request)) {
			const token = `token-${++given}-${'x'.repeat(20)}`;
			if (signInMs > 0) await new Promise((resolve) => setTimeout(resolve, signInMs));
			return sendJson(response, 200, { access_token: token });
		}
		const token = /^Bearer (token-.*)$/.exec(bearer(request))?.[1];
		if (token === undefined || !accepts(token, request)) return sendJson(response, 401, { message: 'No' });
		sendRows(response, [{ Id: 1 }]);
	});
}

const tokenNumber = (token: string) => Number(/^(?:Bearer )?token-(\d+)/.exec(token)?.[1] ?? Number.NaN);

describe('signing in', () => {
	it('sends e-mail address and password once, then the token, and stores nothing', async () => {
		platform();
		const user = account({ password: `  ${PASSWORD}` });
		const opened = await open(user);
		await opened.getPage(SESSIONS, QUERY);
		await opened.getPage(SESSIONS, QUERY);
		const [request] = signIns();
		expect(signIns()).toHaveLength(1);
		expect(request?.method).toBe('POST');
		expect(request?.headers['content-type']).toMatch(/^application\/json/);
		expect(JSON.parse(request?.body ?? '')).toEqual({ Email: user.email, Password: `  ${PASSWORD}` });
		expect(lists().map(bearer).map(tokenNumber)).toEqual([1, 1]);
		expect(lists().every(({ headers }) => headers['api-key'] === undefined)).toBe(true);
		expect(Object.keys(user).sort()).toEqual(['email', 'environment', 'password', 'testUrl']);
	});

	it('a token is used by the next execution, too', async () => {
		platform();
		const user = account();
		await (await open(user)).getPage(SESSIONS, QUERY);
		await (await open(user)).getPage(SESSIONS, QUERY);
		expect(signIns()).toHaveLength(1);
		expect(lists()).toHaveLength(2);
	});

	it.each([
		['password', { password: 'another' }],
		['e-mail address', { email: 'somebody-else@example.test' }],
	])('a token is not used any more once the %s is edited', async (_, edited) => {
		platform();
		const user = account();
		await (await open(user)).getPage(SESSIONS, QUERY);
		Object.assign(user, edited);
		await (await open(user)).getPage(SESSIONS, QUERY);
		expect(lists().map(bearer).map(tokenNumber)).toEqual([1, 2]);
	});

	it('a token is never sent to another address', async () => {
		platform();
		const user = account();
		await (await open(user)).getPage(SESSIONS, QUERY);
		const elsewhere = new ScriptedServer();
		await elsewhere.start();
		elsewhere.script((_, response) => sendJson(response, 404, {}));
		user.testUrl = elsewhere.baseUrl;
		await errorOf((await open(user)).getPage(SESSIONS, QUERY));
		expect(elsewhere.received.map(({ url }) => url.pathname)).toEqual(['/token']);
		await elsewhere.stop();
	});
});

it('a rate limit that a wrong password meets does not hold the rightful user, nor the other way round', async () => {
	const user = account();
	const wrong = { ...user, password: 'wrong' };
	const tooMany = () => server.script((_, response) => sendJson(response, 429, {}, { 'retry-after': '600' }));
	tooMany();
	await errorOf((await open(wrong)).getPage(SESSIONS, QUERY));
	platform();
	await (await open(user)).getPage(SESSIONS, QUERY);
	expect(lists()).toHaveLength(1);
	await errorOf((await open(wrong)).getPage(SESSIONS, QUERY));
	expect(signIns()).toHaveLength(1);
	tooMany();
	await errorOf((await open(user)).getPage(SESSIONS, QUERY));
	await errorOf((await open({ ...user })).getPage(SESSIONS, QUERY));
	expect(server.received).toHaveLength(1);
});

describe('a token that expires', () => {
	it('is renewed by the request that is refused', async () => {
		platform({ accepts: (token) => tokenNumber(token) !== 1 || lists().length === 1 });
		const user = account();
		const opened = await open(user);
		await opened.getPage(SESSIONS, QUERY);
		await opened.getPage(SESSIONS, QUERY);
		expect(lists().map(bearer).map(tokenNumber)).toEqual([1, 1, 2]);
	});

	it('is renewed once for eight requests that are refused together', async () => {
		let expired = false;
		platform({ accepts: (token) => tokenNumber(token) !== 1 || !expired, signInMs: 100 });
		const opened = await open(account());
		await opened.getPage(SESSIONS, QUERY);
		expired = true;
		await Promise.all(Array.from({ length: 8 }, () => opened.getPage(SESSIONS, QUERY)));
		expect(signIns()).toHaveLength(2);
		expect(lists().length).toBeLessThanOrEqual(1 + 8 + 8);
	});

	it('is renewed once for two executions', async () => {
		let expired = false;
		platform({ accepts: (token) => tokenNumber(token) !== 1 || !expired, signInMs: 100 });
		const user = account();
		const [one, two] = [await open(user), await open(user)];
		await one.getPage(SESSIONS, QUERY);
		await two.getPage(SESSIONS, QUERY);
		expired = true;
		const pages = [one, two].flatMap((each) => Array.from({ length: 8 }, () => each.getPage(SESSIONS, QUERY)));
		await Promise.all(pages);
		expect(signIns()).toHaveLength(2);
	});
});

/** Answers to POST /token, the message that a user gets, and how many sign-ins the node may send. */
const refusals: Array<[string, (response: ServerResponse) => unknown, RegExp, number]> = [
	[
		'a wrong password',
		(response) => sendJson(response, 401, { message: 'Bad credentials' }),
		/email address and password.*Bad credentials/s,
		1,
	],
	[
		'a refusal with 400',
		(response) => sendJson(response, 400, { error: 'invalid_grant' }),
		/email address and password/,
		1,
	],
	['a refusal with 403', (response) => sendJson(response, 403, {}), /email address and password/, 1],
	[
		'an inactive license',
		(response) => sendJson(response, 403, { Code: 'PUBLIC_API_LICENSE_INACTIVE' }),
		/license/i,
		1,
	],
	[
		'two factors',
		(response) => sendJson(response, 202, { challenge: 'abc' }),
		/second factor.*cannot be used unattended/s,
		1,
	],
	['an empty answer', (response) => response.writeHead(200).end(), /its answer is empty/, 1],
	['an empty object', (response) => sendJson(response, 200, {}), /holds no token/, 1],
	['a text', (response) => response.writeHead(200).end('You are signed in'), /holds no token.*neither JSON/s, 1],
	[
		'a web page',
		(response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html><title>Portal</title></html>'),
		/not the platform: got a web page, “Portal”/,
		1,
	],
	[
		'a page of a gateway',
		(response) => response.writeHead(403).end('<html><h1>Forbidden</h1></html>'),
		/gateway.*403/s,
		1,
	],
	['another place', (response) => response.writeHead(404).end(), /not found.*404/, 1],
	[
		'a redirect',
		(response) => response.writeHead(302, { location: 'https://portal.example.com/' }).end(),
		/redirects to https:\/\/portal/,
		1,
	],
	[
		'other fields',
		(response) => sendJson(response, 200, { user: { name: 'Jo' }, key: 'secret-value-123' }),
		/no field with a usual name.*key, user\.name.*Token Field/s,
		1,
	],
	['a fault of the platform', (response) => sendJson(response, 503, {}), /cannot answer.*503/, 3],
	['a broken connection', (response) => response.destroy(), /broke off/, 3],
	[
		'a rate limit longer than the patience',
		(response) => sendJson(response, 429, {}, { 'retry-after': '3600' }),
		/asks to wait/,
		1,
	],
];

it.each(refusals)(
	'%s: shows a clear message and does not retry too often',
	async (_, answer, message, again) => {
		server.script((request, response) => (isSignIn(request) ? answer(response) : sendRows(response, [])));
		const user = account();
		const opened = await open(user);
		const error = await errorOf(opened.getPage(SESSIONS, QUERY));
		expect(`${error.message} ${error.description}`).toMatch(message);
		expect(error.message).not.toMatch(/API key/);
		expect(signIns()).toHaveLength(again);
		expect(lists()).toHaveLength(0);
		const shown = visibleText(error, toNodeError(NODE, error));
		for (const secret of [PASSWORD, 'secret-value-123', 'Jo"']) expect(shown).not.toContain(secret);
		// Trying a wrong password again and again would lock the account.
		if (!error.transient) {
			await errorOf(opened.getPage(STATIONS, QUERY));
			expect(signIns()).toHaveLength(again);
		}
	},
	20_000,
);

it('two credentials with one e-mail address do not share a refusal', async () => {
	server.script((request, response) => {
		if (!isSignIn(request)) return sendRows(response, []);
		const { Password: password } = JSON.parse(request.body) as { Password: string };
		return password === PASSWORD
			? sendJson(response, 200, { token: 'a-token-that-works' })
			: sendJson(response, 401, {});
	});
	const right = account();
	const executionId = 'one execution';
	await errorOf((await open({ ...right, password: 'wrong' }, { executionId })).getPage(SESSIONS, QUERY));
	await expect((await open(right, { executionId })).getPage(SESSIONS, QUERY)).resolves.toMatchObject({ rows: [] });
});

it('waits as long as the answer to a sign-in says, then goes on', async () => {
	let refused = false;
	server.script((request, response) => {
		if (!isSignIn(request)) return sendRows(response, [{ Id: 7 }]);
		if (refused) return sendJson(response, 200, { token: 'a-token-that-works' });
		refused = true;
		sendJson(response, 429, {}, { 'retry-after': '1' });
	});
	const opened = await open(account());
	const { rows } = await opened.getPage(SESSIONS, QUERY);
	expect(rows).toEqual([{ Id: 7 }]);
	const [first, second] = signIns();
	expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
});

it('eight requests together try a password once if it is wrong when the token expires', async () => {
	let expired = false;
	server.script(async (request, response) => {
		if (isSignIn(request)) {
			await new Promise((resolve) => setTimeout(resolve, 50));
			return expired ? sendJson(response, 401, {}) : sendJson(response, 200, { token: 'token-of-before' });
		}
		if (expired) sendJson(response, 401, {});
		else sendRows(response, []);
	});
	const opened = await open(account());
	await opened.getPage(SESSIONS, QUERY);
	expired = true;
	const errors = await Promise.all(Array.from({ length: 8 }, () => errorOf(opened.getPage(SESSIONS, QUERY))));
	expect(signIns()).toHaveLength(2);
	for (const error of errors) expect(error.message).toMatch(/email address and password/);
});

it('ends when the execution is stopped during sign-in, without blocking the account for others', async () => {
	server.script((request) => void isSignIn(request));
	const user = account();
	const controller = new AbortController();
	const opened = await open(user, { signal: controller.signal });
	const reading = errorOf(opened.getPage(SESSIONS, QUERY));
	setTimeout(() => controller.abort(), 100);
	expect((await reading).kind).toBe('canceled');
	platform();
	expect((await (await open(user)).getPage(SESSIONS, QUERY)).rows).toEqual([{ Id: 1 }]);
});

it('never shows password or token, however the platform echoes them', async () => {
	const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
	server.script((request, response) => {
		if (isSignIn(request)) return sendJson(response, 200, { data: { accessToken: token } });
		sendJson(response, 403, { message: `Denied for ${bearer(request)} with the password ${PASSWORD}` });
	});
	const error = await errorOf((await open(account())).getPage(SESSIONS, QUERY));
	const shown = visibleText(error, toNodeError(NODE, error));
	expect(shown).toContain('Denied for');
	expect(shown).not.toContain(token);
	expect(shown).not.toContain(PASSWORD);
});

it.each([
	[{ email: '' }, /no email address/],
	[{ password: '' }, /no password/],
	[{ testUrl: 'http://platform.example.com' }, /password would travel unencrypted/],
	[{ testUrl: '' }, /base URL of the test environment is empty/],
])('the credential %j is refused before anything is sent', async (fields, message) => {
	server.script((_, response) => void response.end());
	const error = await errorOf(open(account(fields)));
	expect(`${error.message} ${error.description}`).toMatch(message);
	expect(server.received).toHaveLength(0);
});
