import { ask, EXPORT, LOCATIONS, page, SESSIONS, STATIONS } from './client.ts';
import type { Reply } from './client.ts';
import { startPlatform } from './index.ts';
import type { ErrorBodyShape, StandIn } from './index.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 30, stations: 5, locations: 3 });
});
beforeEach(() => platform.reset());
afterEach(() => jest.restoreAllMocks());
afterAll(() => platform.close());

/** Moves the clock of the stand-in, which runs in this process, without waiting. */
function clockAhead(ms: number): void {
	jest.restoreAllMocks();
	const now = Date.now;
	jest.spyOn(Date, 'now').mockImplementation(() => now() + ms);
}

const code = ({ json }: Reply) => (json as { Code?: string }).Code;
const message = ({ json }: Reply) => (json as { Message: string }).Message;
const statuses = async (count: number, key?: string) => {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) seen.push((await ask(platform, SESSIONS, key ? { key } : {})).status);
	return seen;
};

describe('API keys', () => {
	test('the ready-made key reads sessions and stations', async () => {
		expect((await page(platform, SESSIONS)).TotalCount).toBe(30);
		expect((await page(platform, STATIONS)).TotalCount).toBe(5);
	});

	test('a missing, an unknown and a revoked key are answered 401', async () => {
		const { id, secret } = platform.createKey();
		expect((await ask(platform, SESSIONS, { key: secret })).status).toBe(200);
		platform.revoke(id);
		expect((await ask(platform, SESSIONS, { key: secret })).status).toBe(401);
		expect((await ask(platform, SESSIONS, { key: 'nobody' })).status).toBe(401);
		expect((await ask(platform, SESSIONS, { key: null })).status).toBe(401);
	});

	test('regenerating gives a new secret and stops the old one at once', async () => {
		const { id, secret } = platform.createKey();
		const fresh = platform.regenerate(id);
		expect((await ask(platform, SESSIONS, { key: secret })).status).toBe(401);
		expect((await ask(platform, SESSIONS, { key: fresh })).status).toBe(200);
	});

	test('a missing scope is answered 403 and the message names it', async () => {
		const { secret } = platform.createKey({ scopes: ['charging-sessions:read'] });
		const reply = await ask(platform, STATIONS, { key: secret });
		expect(reply.status).toBe(403);
		expect(code(reply)).toBe('API_KEY_SCOPE_INSUFFICIENT');
		expect(message(reply)).toContain('charging-stations:read');
		expect((await ask(platform, `${STATIONS}/1`, { key: secret })).status).toBe(403);
	});

	test('readwrite grants read; the export counts as a read', async () => {
		const writer = platform.createKey({ scopes: ['charging-sessions:readwrite'] });
		expect((await ask(platform, SESSIONS, { key: writer.secret })).status).toBe(200);
		const reader = platform.createKey({ scopes: ['charging-sessions:read'] });
		expect((await ask(platform, EXPORT, { key: reader.secret, body: { Ids: [1] } })).status).toBe(200);
		const stranger = platform.createKey({ scopes: ['charging-stations:readwrite'] });
		expect(code(await ask(platform, EXPORT, { key: stranger.secret, body: { Ids: [1] } }))).toBe(
			'API_KEY_SCOPE_INSUFFICIENT',
		);
	});

	test('granted and withdrawn scopes take effect after the delay', async () => {
		const { id, secret } = platform.createKey({ scopes: ['charging-sessions:read'] });
		platform.rescope(id, ['charging-stations:read']);
		expect((await ask(platform, SESSIONS, { key: secret })).status).toBe(200);
		expect((await ask(platform, STATIONS, { key: secret })).status).toBe(403);
		platform.behaviour.scopeDelayMs = 0;
		expect((await ask(platform, SESSIONS, { key: secret })).status).toBe(403);
		expect((await ask(platform, STATIONS, { key: secret })).status).toBe(200);
	});

	test('an inactive licence is answered with 403 before scopes are checked, and the key works again afterwards', async () => {
		const { secret } = platform.createKey({ scopes: [] });
		platform.license.active = false;
		for (const key of [platform.key, secret]) {
			const reply = await ask(platform, SESSIONS, { key });
			expect(reply.status).toBe(403);
			expect(code(reply)).toBe('PUBLIC_API_LICENSE_INACTIVE');
		}
		expect((await ask(platform, SESSIONS, { key: 'nobody' })).status).toBe(401);
		platform.license.active = true;
		expect((await ask(platform, SESSIONS)).status).toBe(200);
	});

	test('the role Accountant may read stations unless the rules refuse it', async () => {
		const { secret } = platform.createKey({ role: 'Accountant' });
		expect((await ask(platform, STATIONS, { key: secret })).status).toBe(200);
		platform.behaviour.roleRules = { accountantRefused: ['charging-stations'], code: undefined };
		const reply = await ask(platform, STATIONS, { key: secret });
		expect(reply.status).toBe(403);
		expect(message(reply)).toContain('Accountant');
		expect(code(reply)).toBeUndefined();
		expect((await ask(platform, SESSIONS, { key: secret })).status).toBe(200);
		expect((await ask(platform, STATIONS)).status).toBe(200);
	});

	test('the audit trail names the key for every action', async () => {
		const { secret } = platform.createKey({ name: 'billing robot', scopes: ['charging-sessions:read'] });
		await ask(platform, EXPORT, { key: secret, body: { Ids: [1] } });
		await ask(platform, STATIONS, { key: secret });
		expect(platform.audit.filter(({ actor }) => actor === 'billing robot')).toMatchObject([
			{ action: `POST ${EXPORT}`, status: 200 },
			{ action: `GET ${STATIONS}`, status: 403 },
		]);
		expect(platform.audit).toContainEqual(expect.objectContaining({ action: 'created API key billing robot' }));
	});

	test('no record contains the secret', async () => {
		await ask(platform, SESSIONS, { headers: { authorization: 'Bearer hidden-token' } });
		expect(platform.requests[0]?.headers).toMatchObject({ 'api-key': '***', authorization: '***' });
		expect(JSON.stringify(platform.requests)).not.toContain(platform.key);
		expect(JSON.stringify(platform.requests)).not.toContain('hidden-token');
	});
});

describe('POST /token', () => {
	const signIn = (Email: string, Password = 'correct-horse') =>
		ask(platform, '/token', { key: null, body: { Email, Password } });

	test('returns a token that works even where keys are refused', async () => {
		const reply = await signIn('ADMIN@example.test');
		expect(reply.status).toBe(200);
		const { AccessToken } = reply.json as { AccessToken: string };
		const headers = { authorization: `Bearer ${AccessToken}` };
		expect((await ask(platform, SESSIONS, { key: null, headers })).status).toBe(200);
		expect((await ask(platform, LOCATIONS, { key: null, headers })).status).toBe(200);
		platform.behaviour.token.lifetimeMs = 0;
		expect((await ask(platform, SESSIONS, { key: null, headers })).status).toBe(401);
	});

	test('keeps the password out of the records, and its tokens expire when told to', async () => {
		const { AccessToken } = (await signIn('admin@example.test')).json as { AccessToken: string };
		expect(JSON.stringify(platform.requests)).not.toContain('correct-horse');
		const headers = { authorization: `Bearer ${AccessToken}` };
		platform.behaviour.token.uses = 1;
		expect((await ask(platform, SESSIONS, { key: null, headers })).status).toBe(200);
		expect((await ask(platform, SESSIONS, { key: null, headers })).status).toBe(401);
		platform.behaviour.token.uses = undefined;
		platform.expireTokens();
		expect((await ask(platform, SESSIONS, { key: null, headers })).status).toBe(401);
	});

	test('returns the token at the path that the switch sets', async () => {
		platform.behaviour.token.path = 'data.access.token';
		expect((await signIn('admin@example.test')).json).toEqual({
			data: { access: { token: expect.any(String) as string } },
		});
	});

	test('answers 202 for two factors, 401 for a wrong password, 400 or 415 for an invalid request', async () => {
		expect((await signIn('two-factor@example.test')).status).toBe(202);
		expect((await signIn('admin@example.test', 'wrong')).status).toBe(401);
		expect((await ask(platform, '/token', { key: null, body: { Email: 'x' } })).status).toBe(400);
		const text = { 'content-type': 'text/plain' };
		expect((await ask(platform, '/token', { key: null, body: '{}', headers: text })).status).toBe(415);
	});
});

describe('locations', () => {
	test('refuse keys with 403, or with 401 if set', async () => {
		expect((await ask(platform, LOCATIONS)).status).toBe(403);
		platform.behaviour.keyNotAcceptedStatus = 401;
		expect((await ask(platform, LOCATIONS)).status).toBe(401);
	});

	test('answer in each shape once they accept keys', async () => {
		const { secret: key } = platform.createKey({ scopes: ['locations:read'] });
		platform.behaviour.locations.acceptsKeys = true;
		expect((await ask(platform, LOCATIONS)).status).toBe(403);
		expect((await ask(platform, LOCATIONS, { key })).json).toMatchObject({ TotalCount: 3 });
		platform.behaviour.locations.shape = 'array';
		expect((await ask(platform, LOCATIONS, { key })).json).toHaveLength(3);
		platform.behaviour.locations.shape = 'object';
		const dsquery = { Pager: { Skip: 1, Take: 1 } };
		expect((await ask(platform, LOCATIONS, { key, dsquery })).json).toMatchObject({ Locations: [{ Id: 2 }] });
		platform.behaviour.locations.shape = 'data';
		expect((await ask(platform, LOCATIONS, { key, dsquery })).json).toMatchObject({ data: { TotalCount: 3 } });
		platform.behaviour.locations.shape = 'single';
		expect((await ask(platform, LOCATIONS, { key, dsquery })).json).toMatchObject({ Id: 2 });
	});

	test('apply only the parts of the query that the switches allow, and can lack an Id', async () => {
		platform.behaviour.locations.acceptsKeys = true;
		platform.behaviour.locations.idName = undefined;
		platform.behaviour.lists.listensTo = { filter: false, sort: true, skip: false, take: true };
		const { secret: key } = platform.createKey({ scopes: ['locations:read'] });
		const noRow = { Logic: 'And', Filters: [{ Field: 'Nothing', Operator: 'Eq', Value: 'x' }] };
		const dsquery = { Pager: { Skip: 1, Take: 2 }, Filter: noRow };
		const { json } = await ask(platform, LOCATIONS, { key, dsquery });
		expect(json).toMatchObject({ TotalCount: 3, Items: [{ Name: expect.any(String) as string }, {}] });
		expect(JSON.stringify(json)).not.toContain('"Id"');
		const byId = { Sort: { Sorts: [{ Field: 'Id', Dir: 'Asc' }] } };
		expect((await ask(platform, LOCATIONS, { key, dsquery: byId })).status).toBe(400);
	});
});

describe('rate limit', () => {
	const limit = { limit: 2, windowMs: 60_000, window: 'fixed', retryAfter: 'seconds' } as const;

	test('allows each key its limit, then answers 429 with Retry-After', async () => {
		platform.behaviour.rateLimit = limit;
		expect(await statuses(3)).toEqual([200, 200, 429]);
		const { secret } = platform.createKey();
		expect(await statuses(3, secret)).toEqual([200, 200, 429]);
		const reply = await ask(platform, SESSIONS);
		expect(Number(reply.headers['retry-after'])).toBeGreaterThan(55);
		expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(60);
		const record = platform.requests.at(-1);
		expect(record?.retryAfter).toBe(reply.headers['retry-after']);
		expect(record?.waitUntil).toBeGreaterThan(Date.now() + 50_000);
	});

	test.each(['fixed', 'sliding'] as const)('lets requests through again after a %s window', async (window) => {
		platform.behaviour.rateLimit = { ...limit, window };
		expect(await statuses(3)).toEqual([200, 200, 429]);
		clockAhead(60_000);
		expect(await statuses(3)).toEqual([200, 200, 429]);
	});

	test('a sliding window frees one place at a time, a fixed one all at once', async () => {
		const seen: Record<string, number[]> = {};
		for (const window of ['fixed', 'sliding'] as const) {
			platform.reset();
			platform.behaviour.rateLimit = { ...limit, window };
			clockAhead(0);
			await statuses(1);
			clockAhead(40_000);
			await statuses(1);
			clockAhead(70_000);
			seen[window] = await statuses(2);
		}
		expect(seen).toEqual({ fixed: [200, 200], sliding: [200, 429] });
	});

	test('writes Retry-After in every form', async () => {
		const told = async (retryAfter: 'date' | 'none' | 'zero' | 'garbage' | 'seconds', retryAfterSeconds?: number) => {
			platform.behaviour.rateLimit = {
				...limit,
				limit: 0,
				retryAfter,
				...(retryAfterSeconds ? { retryAfterSeconds } : {}),
			};
			return (await ask(platform, SESSIONS)).headers['retry-after'];
		};
		const date = String(await told('date'));
		expect(date).toMatch(/^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/);
		expect(Date.parse(date)).toBeGreaterThan(Date.now() + 50_000);
		expect(await told('none')).toBeUndefined();
		expect(await told('zero')).toBe('0');
		expect(await told('garbage')).toBe('in a moment');
		expect(await told('seconds', 7)).toBe('7');
	});

	test('a clock that is ahead shows in both Date and Retry-After', async () => {
		platform.behaviour.rateLimit = { ...limit, limit: 0, retryAfter: 'date' };
		platform.behaviour.clockSkewMs = 3_600_000;
		const { headers } = await ask(platform, SESSIONS);
		const ahead = Date.parse(String(headers['retry-after'])) - Date.parse(String(headers.date));
		expect(ahead).toBeGreaterThan(55_000);
		expect(ahead).toBeLessThan(65_000);
		expect(Date.parse(String(headers.date))).toBeGreaterThan(Date.now() + 3_500_000);
	});

	test('unknown keys are refused without being counted', async () => {
		platform.behaviour.rateLimit = limit;
		expect(await statuses(4, 'nobody')).toEqual([401, 401, 401, 401]);
	});
});

describe('refusals', () => {
	const shapes: Array<[ErrorBodyShape, RegExp]> = [
		['flat', /^{"Code":"PUBLIC_API_LICENSE_INACTIVE","Message":"[^"]+"}$/],
		['nested', /^{"error":{"code":"PUBLIC_API_LICENSE_INACTIVE","message":"[^"]+"}}$/],
		['list', /^{"errors":\[{"errorCode":"PUBLIC_API_LICENSE_INACTIVE",/],
		['problem', /"status":403,"detail":"[^"]+","errorCode":"PUBLIC_API_LICENSE_INACTIVE"/],
		['deep', /{"info":{"errorcode":"PUBLIC_API_LICENSE_INACTIVE",/],
		['text', /^PUBLIC_API_LICENSE_INACTIVE: /],
		['html', /<h1>403 Forbidden<\/h1>[^]*PUBLIC_API_LICENSE_INACTIVE/],
		['empty', /^$/],
	];

	test.each(shapes)('have the shape %s', async (shape, expected) => {
		platform.license.active = false;
		platform.behaviour.errorBody = shape;
		const reply = await ask(platform, SESSIONS);
		expect(reply.status).toBe(403);
		expect(reply.text).toMatch(expected);
		const types: Partial<Record<ErrorBodyShape, string>> = {
			problem: 'application/problem+json; charset=utf-8',
			text: 'text/plain; charset=utf-8',
			html: 'text/html; charset=utf-8',
			empty: undefined,
		};
		const json = 'application/json; charset=utf-8';
		expect(reply.headers['content-type']).toBe(shape in types ? types[shape] : json);
	});

	test.each(shapes.filter(([shape]) => shape !== 'empty'))('repeat the key when told to: %s', async (shape) => {
		platform.behaviour.errorBody = shape;
		platform.license.active = false;
		expect((await ask(platform, SESSIONS)).text).not.toContain(platform.key);
		platform.behaviour.echoKey = true;
		expect((await ask(platform, SESSIONS)).text).toContain(platform.key);
	});

	test('are 404 for unknown stations and paths, 405 for other methods, but 401 first for an unknown key', async () => {
		expect((await ask(platform, `${STATIONS}/999`)).status).toBe(404);
		expect((await ask(platform, `${STATIONS}/one`)).status).toBe(404);
		expect((await ask(platform, '/api/unknown/v1')).status).toBe(404);
		expect((await ask(platform, SESSIONS, { method: 'DELETE' })).status).toBe(405);
		expect((await ask(platform, `${STATIONS}/1`, { method: 'POST' })).status).toBe(405);
		expect((await ask(platform, '/api/unknown/v1', { key: 'nobody' })).status).toBe(401);
	});

	test('a long URL is answered 414, a large body 413, when limits are set', async () => {
		const filter = (length: number) => ({
			Filter: { Logic: 'And', Filters: [{ Field: 'UserName', Operator: 'Eq', Value: 'x'.repeat(length) }] },
		});
		expect((await ask(platform, SESSIONS, { dsquery: filter(60_000) })).status).toBe(200);
		platform.behaviour.refuseUrlLongerThan = 2048;
		expect((await ask(platform, SESSIONS, { dsquery: filter(2000) })).status).toBe(414);
		expect((await ask(platform, SESSIONS, { dsquery: filter(20) })).status).toBe(200);
		platform.behaviour.refuseBodyLargerThan = 20;
		expect((await ask(platform, EXPORT, { body: { Ids: [1, 2, 3, 4, 5, 6, 7] } })).status).toBe(413);
		expect((await ask(platform, EXPORT, { body: { Ids: [1] } })).status).toBe(200);
	});

	test('are a redirect when redirectTo is set', async () => {
		platform.behaviour.redirectTo = 'https://elsewhere.example/login';
		const reply = await ask(platform, SESSIONS);
		expect(reply.status).toBe(302);
		expect(reply.headers.location).toBe('https://elsewhere.example/login');
	});
});

describe('records', () => {
	test('hold what was asked and how it was answered', async () => {
		const dsquery = { Pager: { Skip: 0, Take: 1 } };
		await ask(platform, SESSIONS, { dsquery });
		await ask(platform, EXPORT, { body: { Ids: [1] } });
		expect(platform.requests).toMatchObject([
			{ method: 'GET', path: SESSIONS, query: JSON.stringify(dsquery), dsquery, status: 200, keyName: 'n8n' },
			{ method: 'POST', path: EXPORT, query: undefined, body: { Ids: [1] }, status: 200, aborted: false },
		]);
		const [first] = platform.requests;
		expect(first?.doneAt).toBeGreaterThanOrEqual(first?.at ?? Infinity);
	});

	test('show a client that disconnected before the answer', async () => {
		platform.behaviour.latencyMs = 5000;
		const asked = ask(platform, SESSIONS, { signal: AbortSignal.timeout(100) });
		await expect(asked).rejects.toThrow();
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(platform.requests).toMatchObject([
			{ aborted: true, status: undefined, doneAt: expect.any(Number) as number },
		]);
	});

	test('the oldest are dropped beyond the limit', async () => {
		const small = await startPlatform({ sessions: 1, requestLogLimit: 2 });
		for (const Take of [1, 2, 3]) await ask(small, SESSIONS, { dsquery: { Pager: { Take } } });
		expect(small.requests.map(({ dsquery }) => dsquery)).toEqual([{ Pager: { Take: 2 } }, { Pager: { Take: 3 } }]);
		await small.close();
	});
});

test('reset restores rows, keys, behaviour and licence, and clears records and faults', async () => {
	const before = await page(platform, SESSIONS, { Pager: { Take: 100 } });
	platform.db.exec('DELETE FROM sessions WHERE Id > 3; UPDATE stations SET NetworkStatus = 9');
	platform.behaviour.errorBody = 'text';
	platform.license.active = false;
	platform.faults.add({ kind: 'drop' });
	platform.revoke(platform.keyId);
	platform.reset();
	expect(platform.requests).toEqual([]);
	expect(await page(platform, SESSIONS, { Pager: { Take: 100 } })).toEqual(before);
	expect(platform.db.prepare('SELECT count(*) AS n FROM stations WHERE NetworkStatus = 9').get()).toEqual({ n: 0 });
	expect(platform.behaviour.errorBody).toBe('flat');
});
