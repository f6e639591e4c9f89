import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

import type { Query } from '../../../../../nodes/shared/dsquery/types';
import { openConnection } from '../../../../../nodes/shared/platform';
import { keepRows } from '../../../../../nodes/shared/platform/lists/kept';
import { SESSIONS, STATIONS } from '../../../../../nodes/shared/resources';
import { installFastClock, type FastClock } from '../../../../support/clock';
import {
	API_KEY,
	contexts,
	errorOf,
	openFor,
	ownKey,
	ScriptedServer,
	sendJson,
	sendRows,
} from '../../../../support/scriptedServer';

const QUERY: Query = { sorts: [{ field: 'Id', direction: 'Asc' }], pager: { skip: 0, take: 2 } };
const server = new ScriptedServer();

let clock: FastClock;
beforeAll(async () => {
	clock = installFastClock(10);
	await server.start();
});
afterAll(async () => {
	clock.restore();
	await server.stop();
});

const open = async (options?: Parameters<typeof openFor>[1]) => await openFor(server, options);

describe('reading a page', () => {
	it('sends the key and the query, and returns the rows as they came', async () => {
		server.script((_, response) => sendRows(response, [{ Id: 9007199254740991, EnergyConsumed: 1.5, Extra: null }], 7));
		const apiKey = ownKey();
		const platform = await open({ credential: { apiKey: `  ${apiKey}\n` } });
		await expect(platform.getPage(SESSIONS, QUERY)).resolves.toEqual({
			rows: [{ Id: 9007199254740991, EnergyConsumed: 1.5, Extra: null }],
			totalCount: 7,
		});
		const [request] = server.received;
		expect(request?.url.pathname).toBe('/api/charging-sessions/v1');
		expect(request?.headers['api-key']).toBe(apiKey);
		expect(JSON.parse(request?.url.searchParams.get('dsquery') ?? '')).toEqual({
			Pager: { Skip: 0, Take: 2 },
			Sort: { Sorts: [{ Field: 'Id', Dir: 'Asc' }] },
		});
		expect(platform.stats).toMatchObject({ requests: 1, rateLimitWaitMs: expect.closeTo(0, -1) as number });
	});

	it('keeps using the key it started with if the credential is edited meanwhile', async () => {
		server.script((_, response) => sendRows(response, []));
		const old = { environment: 'test', testUrl: server.baseUrl, apiKey: ownKey() };
		let now = old;
		const platform = await openConnection(contexts(server, { credentialNow: () => now }).execute());
		now = { ...old, testUrl: 'https://elsewhere.example', apiKey: 'another-key' };
		await platform.getPage(SESSIONS, QUERY);
		expect(server.received[0]?.headers['api-key']).toBe(old.apiKey);
	});

	it('reads the detail of a station whose id is any text', async () => {
		server.script((_, response) => sendJson(response, 200, { Id: 'a/b?c', EVSEs: [] }));
		const platform = await open();
		await expect(platform.getStation('a/b?c')).resolves.toEqual({ Id: 'a/b?c', EVSEs: [] });
		expect(server.received[0]?.url.pathname).toBe('/api/charging-stations/v1/a%2Fb%3Fc');
	});
});

describe('an answer that is not the envelope', () => {
	const cases: Array<[string, string, unknown, string, RegExp]> = [
		[
			'a web page',
			'text/html',
			'<!DOCTYPE html><title>Sign in</title>',
			'not-the-platform',
			/got a web page, “Sign in”/,
		],
		['other JSON', 'application/json', { users: [], secret: 'x' }, 'not-the-platform', /got JSON with users, secret/],
		['no Items', 'application/json', { TotalCount: 3 }, 'invalid-answer', /no list of Items/],
		[
			'Items of text',
			'application/json',
			{ Items: [{}, 'a'], TotalCount: 2 },
			'invalid-answer',
			/entry 2 of Items is text/,
		],
		['plain text', 'text/plain', 'It works!', 'invalid-answer', /not JSON/],
	];
	it.each(cases)('%s is refused after one request', async (_, type, body, kind, message) => {
		server.script((_request, response) => {
			response.writeHead(200, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body));
		});
		const error = await errorOf((await open()).getPage(SESSIONS, QUERY));
		expect(error.kind).toBe(kind);
		expect(error.message).toMatch(message);
		expect(server.received).toHaveLength(1);
	});

	it.each([
		['missing', undefined],
		['-1', -1],
		['null', null],
		['true or false', true],
		['“1,500”', '1,500'],
		['“[hidden]”', 'key'],
	])('rows come without a count where TotalCount is %s', async (shown, totalCount) => {
		const apiKey = ownKey();
		server.script((_, response) =>
			sendJson(response, 200, { Items: [{ Id: 1 }], TotalCount: totalCount === 'key' ? apiKey : totalCount }),
		);
		const platform = await open({ credential: { apiKey } });
		const page = await platform.getPage(SESSIONS, QUERY);
		expect(page).toEqual({ rows: [{ Id: 1 }], uncounted: `TotalCount is ${shown}` });
		await expect(platform.list(SESSIONS).count(undefined)).rejects.toThrow(
			`does not count charging sessions: TotalCount is ${shown}`,
		);
	});

	it.each([
		['204', 204, ''],
		['an empty body', 200, ''],
		['null', 200, 'null'],
	])('a list answered with %s has no rows', async (_, status, body) => {
		server.script((_request, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body));
		const platform = await open();
		for (const list of [SESSIONS, STATIONS]) {
			const sink = keepRows();
			await platform.list(list).read({ query: QUERY, paging: { pageSize: 10, parallel: 1 }, sink });
			expect(sink.pages).toEqual([]);
			expect(await platform.list(list).count(undefined)).toBe(0);
		}
	});

	it('a filter that is too long for a gateway only behind the first page is called too long', async () => {
		const value = '1'.repeat(1_450);
		const filter: Query['filter'] = { logic: 'And', filters: [{ field: 'Name', operator: 'Eq', value }] };
		server.script((_, response, index) =>
			index === 0
				? sendRows(
						response,
						Array.from({ length: 10 }, (_, row) => ({ Id: row + 1, Name: value })),
						500,
					)
				: sendJson(response, 404, {}),
		);
		const reading = (await open()).list(STATIONS).read({
			query: { ...QUERY, filter },
			paging: { pageSize: 10, parallel: 4 },
			sink: keepRows(),
		});
		expect((await errorOf(reading)).message).toContain('the filter is too long');
	});

	it('a role that may not see one station says nothing of the others', async () => {
		server.script(({ url }, response) =>
			url.pathname.endsWith('/7')
				? sendJson(response, 403, { Message: 'Your role does not allow this station' })
				: sendJson(response, 200, { Id: 8 }),
		);
		const platform = await open();
		expect((await errorOf(platform.getStation('7'))).kind).toBe('role-insufficient');
		expect(await platform.getStation('8')).toEqual({ Id: 8 });
	});

	it('a station may come without an Id, and is never another one', async () => {
		const platform = await open();
		for (const body of [{ Id: '7', EVSEs: [{ Id: 71 }] }, { EVSEs: [{ Id: 71 }] }]) {
			server.script((_, response) => sendJson(response, 200, body));
			expect(await platform.getStation('7')).toMatchObject({ EVSEs: [{ Id: 71 }] });
		}
		server.script((_, response) => sendJson(response, 200, { Id: 8 }));
		expect((await errorOf(platform.getStation('7'))).message).toMatch(/station 8, not the station 7/);
		for (const body of [[{ Id: 7 }], { Items: [] }, [], { Locations: [{ City: 'Bern' }] }]) {
			server.script((_, response) => sendJson(response, 200, body));
			expect((await errorOf(platform.getStation('7'))).kind).toBe('not-the-platform');
		}
		for (const [status, body] of [
			[204, ''],
			[410, '{}'],
			[200, 'null'],
		] as const) {
			server.script((_, response) => response.writeHead(status, { 'content-type': 'application/json' }).end(body));
			expect((await errorOf(platform.getStation('7'))).message).toBe('There is no charging station with the ID “7”');
		}
	});

	it('an answer that unpacks to more than 8 MB is not read to its end', async () => {
		const bomb = gzipSync(Buffer.alloc(400 * 1024 * 1024, '['), { level: 1 });
		server.script((_, response) =>
			response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(bomb),
		);
		const platform = await open();
		const before = process.memoryUsage().rss;
		const error = await errorOf(platform.getPage(SESSIONS, QUERY));
		expect(error).toMatchObject({ kind: 'invalid-answer', transient: false });
		expect(`${error.message} ${error.description}`).toMatch(/larger than 8 MB.*Page Size/);
		expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
		expect(server.received).toHaveLength(1);
	});

	it('an answer that breaks off is read again', async () => {
		server.script((_, response, index) => {
			if (index === 0) response.writeHead(200, { 'content-type': 'application/json' }).end('{"Items":[{"Id":1},{"I');
			else sendRows(response, [{ Id: 1 }]);
		});
		const platform = await open();
		await expect(platform.getPage(SESSIONS, QUERY)).resolves.toMatchObject({ rows: [{ Id: 1 }] });
		expect(platform.stats.requests).toBe(2);
	});

	it.each(['{"Items":[{"Id":NaN}],"TotalCount":1}', '{"Items":[],"TotalCount":0}}'])(
		'invalid JSON is reported as cut off or damaged: %s',
		async (body) => {
			server.script((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(body));
			const error = await errorOf((await open()).getPage(SESSIONS, QUERY));
			expect(`${error.message} ${error.description}`).toMatch(/cut off or damaged.*JSON is incomplete/);
		},
	);

	it('an answer that always breaks off is given up after three requests', async () => {
		server.script((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"Items":['));
		const error = await errorOf((await open()).getPage(SESSIONS, QUERY));
		expect(error).toMatchObject({ kind: 'invalid-answer', transient: true });
		expect(error.message).toMatch(/cut off/);
		expect(server.received).toHaveLength(3);
	});
});

it('a 403 with Retry-After is a rate limit, and is waited for', async () => {
	server.script((_request, response, index) => {
		if (index === 0) sendJson(response, 403, { message: 'Quota exceeded' }, { 'retry-after': '1' });
		else sendRows(response, [{ Id: 7 }]);
	});
	const platform = await open({ credential: { apiKey: ownKey() } });
	expect((await platform.getPage(SESSIONS, QUERY)).rows).toEqual([{ Id: 7 }]);
	expect(platform.stats.requests).toBe(2);
	expect(platform.stats.rateLimitWaitMs).toBeGreaterThan(0);
});

describe('trying again', () => {
	it.each([400, 401, 403, 404, 409, 413, 414, 418])('never tries again after a %i', async (status) => {
		server.script((_, response) => sendJson(response, status, {}));
		await errorOf((await open()).getPage(SESSIONS, QUERY));
		expect(server.received).toHaveLength(1);
	});

	it('a 408 is tried again', async () => {
		server.script((_, response, index) => (index < 2 ? sendJson(response, 408, {}) : sendRows(response, [])));
		await expect((await open()).getPage(SESSIONS, QUERY)).resolves.toEqual({ rows: [], totalCount: 0 });
		expect(server.received).toHaveLength(3);
	});

	it('does not wait for a 503 that asks for longer than it may, and says until when', async () => {
		server.script((_, response) => sendJson(response, 503, {}, { 'retry-after': '120' }));
		const platform = await open({ platform: { maxRateLimitWaitMs: 60_000 } });
		const error = await errorOf(platform.getPage(SESSIONS, QUERY));
		expect(error).toMatchObject({ kind: 'server-failure', status: 503, transient: true });
		expect(error.message).toBe('The platform asks to wait 2 minutes, longer than this node may wait');
		expect(error.description).toMatch(
			/^The platform cannot answer at the moment \(status 503\), so nothing is sent until \d{4}-.*\. Raise Max Rate Limit Wait in Options \(now 1 minute\), or run the workflow later\.$/,
		);
		expect(server.received).toHaveLength(1);
	});

	it('a port where nothing listens is a network fault that names the host', async () => {
		const gone = new ScriptedServer();
		await gone.start();
		await gone.stop();
		const error = await errorOf((await open({ credential: { testUrl: gone.baseUrl } })).getPage(SESSIONS, QUERY));
		expect(error).toMatchObject({ kind: 'network-failure', transient: true });
		expect(error.message).toBe(`${gone.baseUrl.slice(7)} refused the connection`);
	});
});

describe('addresses that cannot work', () => {
	it('https where only http is spoken is not tried again', async () => {
		server.script((_, response) => sendRows(response, []));
		const platform = await open({ credential: { testUrl: server.baseUrl.replace('http:', 'https:') } });
		const error = await errorOf(platform.getPage(SESSIONS, QUERY));
		expect(error.message).toMatch(/does not speak HTTPS on this port/);
		expect(platform.stats.requests).toBe(1);
	});
});

describe('the rate limit', () => {
	it('holds back every request of the key on all connections, and counts the wait once', async () => {
		let refusedAt = 0;
		server.script((_, response) => {
			if (refusedAt > 0) return sendRows(response, []);
			refusedAt = Date.now();
			sendJson(response, 429, {}, { 'retry-after': '1' });
		});
		const apiKey = ownKey();
		const [one, two] = [await open({ credential: { apiKey } }), await open({ credential: { apiKey } })];
		const first = one.getPage(SESSIONS, QUERY);
		while (refusedAt === 0) await delay(5);
		await delay(50);
		const waitingSince = Date.now();
		const others = [two, one, two].map(async (platform) => await platform.getPage(STATIONS, QUERY));
		await Promise.all([first, ...others]);
		const elapsed = Date.now() - waitingSince;
		const [, ...later] = server.received;
		expect(later).toHaveLength(4);
		for (const { at } of later) expect(at - refusedAt).toBeGreaterThanOrEqual(1_000);
		// Two of its requests waited at the same time.
		expect(two.stats.rateLimitWaitMs).toBeLessThanOrEqual(elapsed);
	});
});

describe('the export', () => {
	const csv = async (stream: AsyncIterable<Buffer>) => {
		const chunks: Buffer[] = [];
		for await (const chunk of stream) chunks.push(chunk);
		return Buffer.concat(chunks).toString('utf8');
	};

	it('posts the ids and hands out every byte', async () => {
		server.script((_, response) =>
			response.writeHead(200, { 'content-type': 'text/csv' }).end('\uFEFFId;Energy\r\n1;2,5\r\n'),
		);
		const platform = await open();
		expect(await platform.exportSessions([1, 2], csv)).toBe('\uFEFFId;Energy\r\n1;2,5\r\n');
		const [request] = server.received;
		expect(request).toMatchObject({ method: 'POST', body: '{"Ids":[1,2]}' });
		expect(request?.headers['content-type']).toMatch(/^application\/json/);
		expect(request?.headers['api-key']).toMatch(API_KEY);
	});

	it('reads what a refusal says', async () => {
		server.script((_, response) => sendJson(response, 400, { Detail: 'Too many ids, at most 200 are allowed' }));
		const error = await errorOf((await open()).exportSessions([1], csv));
		expect(error.kind).toBe('too-large');
		expect(error.description).toContain('at most 200');
	});

	it('does not take an answer with status 202 for a file', async () => {
		server.script((_, response) => response.writeHead(202).end());
		const { message } = await errorOf((await open()).exportSessions([1], csv));
		expect(message).toBe("The platform's answer cannot be used: it has status 202");
	});

	it('reads status 204 as an empty file', async () => {
		server.script((_, response) => response.writeHead(204).end());
		expect(await (await open()).exportSessions([1], csv)).toBe('');
	});

	it('is retried until the file has arrived whole, with the waits and tries of every other request', async () => {
		server.script((_, response, index) => {
			if (index === 0) return void response.writeHead(502).end();
			response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '100' });
			response.write('Id\n1\n', () => setTimeout(() => response.destroy(), 50));
		});
		expect((await errorOf((await open()).exportSessions([1], csv))).kind).toBe('network-failure');
		expect(server.received).toHaveLength(3);
	});

	it('ends when the execution is stopped while the file arrives', async () => {
		server.script((_, response) => {
			response.writeHead(200, { 'content-type': 'text/csv' });
			response.write('Id\n');
		});
		const stop = new AbortController();
		setTimeout(() => stop.abort(), 50);
		const error = await errorOf((await open({ signal: stop.signal })).exportSessions([1], csv));
		expect(error.kind).toBe('canceled');
	});
});
