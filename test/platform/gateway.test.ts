import { ask, EXPORT, LOCATIONS, page, SESSIONS, STATIONS } from './client.ts';
import type { Reply } from './client.ts';
import { startPlatform } from './index.ts';
import type { ErrorBodyShape, StandIn } from './index.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 30, stations: 5 });
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
const statuses = async (count: number, key?: string) => {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) seen.push((await ask(platform, SESSIONS, key ? { key } : {})).status);
	return seen;
};

describe('API keys', () => {
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

	test('an inactive licence is refused before scopes are checked, and after the key', async () => {
		const { secret: key } = platform.createKey({ scopes: [] });
		platform.license.active = false;
		expect(code(await ask(platform, SESSIONS, { key }))).toBe('PUBLIC_API_LICENSE_INACTIVE');
		expect((await ask(platform, SESSIONS, { key: 'nobody' })).status).toBe(401);
		expect((await ask(platform, SESSIONS, { key: null })).status).toBe(401);
	});

	test('no record contains the secret', async () => {
		await ask(platform, SESSIONS, { headers: { authorization: 'Bearer hidden-token' } });
		expect(platform.requests[0]?.headers).toMatchObject({ 'api-key': '***', authorization: '***' });
		expect(JSON.stringify(platform.requests)).not.toContain(platform.key);
		expect(JSON.stringify(platform.requests)).not.toContain('hidden-token');
	});
});

test('no record contains a password, tokens expire when told to, and half a sign-in is refused', async () => {
	const body = { Email: 'admin@example.test', Password: 'correct-horse' };
	const { json } = await ask(platform, '/token', { key: null, body });
	expect(JSON.stringify(platform.requests)).not.toContain('correct-horse');
	const headers = { authorization: `Bearer ${(json as { AccessToken: string }).AccessToken}` };
	expect((await ask(platform, SESSIONS, { key: null, headers })).status).toBe(200);
	platform.expireTokens();
	expect((await ask(platform, SESSIONS, { key: null, headers })).status).toBe(401);
	expect((await ask(platform, '/token', { key: null, body: { Email: 'x' } })).status).toBe(400);
});

test('locations refuse keys with 403, or with 401 if set', async () => {
	expect((await ask(platform, LOCATIONS)).status).toBe(403);
	platform.behaviour.keyNotAcceptedStatus = 401;
	expect((await ask(platform, LOCATIONS)).status).toBe(401);
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
});

test('the oldest records are dropped beyond the limit', async () => {
	const small = await startPlatform({ sessions: 1, requestLogLimit: 2 });
	for (const Take of [1, 2, 3]) await ask(small, SESSIONS, { dsquery: { Pager: { Take } } });
	expect(small.requests.map(({ dsquery }) => dsquery)).toEqual([{ Pager: { Take: 2 } }, { Pager: { Take: 3 } }]);
	await small.close();
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
