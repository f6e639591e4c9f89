import { setTimeout as delay } from 'node:timers/promises';

import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { readCredential } from '../../../../../nodes/shared/platform/account/credential';
import { SESSIONS } from '../../../../../nodes/shared/resources';
import { installFastClock, type FastClock } from '../../../../support/clock.ts';
import {
	errorOf,
	page,
	ScriptedPlatform,
	type CallerOptions,
	type Scripted,
} from '../../../../support/scriptedConnection.ts';

const PASSWORD = 'Tr0ub4dor & 3 µ';
const QUERY = { sorts: [], pager: { skip: 0, take: 1 } };
const platform = new ScriptedPlatform();

let clock: FastClock;
beforeAll(() => (clock = installFastClock()));
afterAll(() => clock.restore());

let accounts = 0;
/** Each test has its own account, since tokens and holds outlive a test. */
const account = () => ({ email: `person${++accounts}@example.test`, password: PASSWORD });
const ask = async (user: ICredentialDataDecryptedObject, caller?: CallerOptions) =>
	await platform.connect(user, caller).getPage(SESSIONS, QUERY);

const isSignIn = ({ url }: { url: string }) => url.endsWith('/token');
const signIns = () => platform.requests.filter(isSignIn);
const tokens = () =>
	platform.requests.filter((request) => !isSignIn(request)).map(({ headers }) => headers?.Authorization);

/** A platform that gives the tokens token-1, token-2 and so on, and accepts them until a test says otherwise. */
function platformWithTokens() {
	const state = { given: 0, expired: new Set<number>() };
	platform.answer(async (request) => {
		if (isSignIn(request)) {
			await delay(20);
			return { body: { access_token: `token-${++state.given}` } };
		}
		const number = Number(/token-(\d+)$/.exec(request.headers?.Authorization as string)?.[1]);
		return state.expired.has(number) ? { status: 401, body: { message: 'No' } } : page([{ Id: 1 }]);
	});
	return state;
}

it('sends e-mail address and password once, then the token, also for the next execution', async () => {
	platformWithTokens();
	const user = { ...account(), password: `  ${PASSWORD}` };
	for (let execution = 0; execution < 2; execution++) await ask(user);
	expect(signIns()).toHaveLength(1);
	expect(signIns()[0]).toMatchObject({ method: 'POST', body: { Email: user.email, Password: `  ${PASSWORD}` } });
	expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-1']);
});

it.each([
	['password', { password: 'another' }],
	['e-mail address', { email: 'somebody-else@example.test' }],
	['address', { testUrl: 'https://elsewhere.example.com' }],
	['token field', { answerField: 'token' }],
])('a token is not used any more once the %s is edited', (_, edited) => {
	const user = { environment: 'test', testUrl: 'https://api.example.com', ...account() };
	const keyOf = (fields: ICredentialDataDecryptedObject) => readCredential('signedInUser', fields).keyId;
	expect(keyOf({ ...user, ...edited })).not.toBe(keyOf(user));
	expect(keyOf({ ...user })).toBe(keyOf(user));
});

it('a token that expires is renewed once for all requests of two executions that are refused together', async () => {
	const { expired } = platformWithTokens();
	const user = account();
	const connections = [platform.connect(user), platform.connect(user)];
	const askAll = async () =>
		await Promise.all(
			connections.flatMap((one) => Array.from({ length: 8 }, async () => await one.getPage(SESSIONS, QUERY))),
		);
	await askAll();
	expired.add(1);
	await askAll();
	expect(signIns()).toHaveLength(2);
});

it('eight requests together try a password once if it is wrong when the token expires', async () => {
	const user = account();
	let isExpired = false;
	platform.answer((request) => {
		if (isExpired) return { status: 401 };
		return isSignIn(request) ? { body: { token: 'token-of-before' } } : page([]);
	});
	const connection = platform.connect(user);
	await connection.getPage(SESSIONS, QUERY);
	isExpired = true;
	const errors = await Promise.all(Array.from({ length: 8 }, () => errorOf(connection.getPage(SESSIONS, QUERY))));
	expect(signIns()).toHaveLength(2);
	for (const { message } of errors) expect(message).toMatch(/email address and password/);
});

it('waits as long as the answer to a sign-in says, then goes on', async () => {
	platform.answer((request, index) => {
		if (!isSignIn(request)) return page([{ Id: 7 }]);
		return index === 0 ? { status: 429, headers: { 'retry-after': '10' } } : { body: { token: 'a-token-that-works' } };
	});
	const began = performance.now();
	expect((await ask(account())).rows).toEqual([{ Id: 7 }]);
	expect(performance.now() - began).toBeGreaterThanOrEqual(10_000);
});

it('ends when the execution is stopped during sign-in, without blocking the account for others', async () => {
	const user = account();
	const stop = new AbortController();
	platform.answer(async () => await new Promise(() => undefined));
	const stopped = errorOf(ask(user, { signal: stop.signal }));
	while (platform.requests.length === 0) await delay(5);
	const waiting = ask(user);
	platformWithTokens();
	stop.abort();
	expect((await stopped).kind).toBe('canceled');
	expect((await waiting).rows).toEqual([{ Id: 1 }]);
});

/**
 * Answers to POST /token, what a user reads, and how often two runs ask: only what is about the account itself, or asks to
 * wait, holds the second. More: test/engine/everyNode/signedInUser.test.ts.
 */
it.each<[string, Scripted, RegExp, number]>([
	['a refusal with 400', { status: 400, body: { error: 'invalid_grant' } }, /email address and password/, 1],
	['an inactive license', { status: 403, body: { Code: 'PUBLIC_API_LICENSE_INACTIVE' } }, /license/i, 1],
	['a rate limit of an hour', { status: 429, headers: { 'retry-after': '3600' } }, /asks to wait 1 hour/, 1],
	['an empty object', { body: {} }, /holds no token/, 2],
	['a web page', { body: '<html><title>Portal</title></html>' }, /not the platform: got a web page, “Portal”/, 2],
	['a page of a gateway', { status: 403, body: '<html><h1>Forbidden</h1></html>' }, /gateway.*403/, 2],
	['another place', { status: 404 }, /not found.*404/, 2],
	['other fields', { body: { user: { name: 'Jo' }, key: 'secret' } }, /usual name.*key, user\.name.*Token Field/, 2],
	['a fault of the platform', { status: 503 }, /cannot answer.*503/, 6],
])('%s: a clear message without secrets', async (_, answer, message, requests) => {
	platform.answer(() => answer);
	const user = account();
	const error = await errorOf(ask(user));
	const shown = `${error.message} ${error.description}`;
	expect(shown).toMatch(message);
	expect(shown).not.toMatch(/The API key|Jo"|secret|Tr0ub4dor/);
	await errorOf(ask(user));
	expect(platform.requests).toHaveLength(requests);
});

it.each([
	[{ email: '' }, /no email address/],
	[{ password: '' }, /no password/],
	[{ testUrl: 'http://platform.example.com' }, /password would travel unencrypted/],
])('the credential %j is refused before anything is sent', (fields, message) => {
	expect(() => platform.connect({ ...account(), ...fields })).toThrow(message);
});
