import { sleep as delay } from 'n8n-workflow';

import type { Query } from '../../../../../nodes/shared/dsquery/types';
import { openConnection } from '../../../../../nodes/shared/platform';
import { SESSIONS } from '../../../../../nodes/shared/resources';
import { installFastClock, type FastClock } from '../../../../support/clock';
import {
	contexts,
	errorOf,
	openFor,
	ownKey,
	ScriptedServer,
	sendJson,
	sendRows,
} from '../../../../support/scriptedServer';

const QUERY: Query = { sorts: [{ field: 'Id', direction: 'Asc' }], pager: { skip: 0, take: 2 } };
const MINUTE = 60_000;
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
afterEach(() => jest.restoreAllMocks());

type Options = Parameters<typeof openFor>[1] & { apiKey?: string };

const open = async ({ apiKey = ownKey(), ...options }: Options = {}) =>
	await openFor(server, { ...options, credential: { apiKey } });

const ask = async (options: Options) => await (await open(options)).getPage(SESSIONS, QUERY);

/** Moves the clock that measures waits. */
function passTime(ms: number): void {
	const before = performance.now.bind(performance);
	jest.spyOn(performance, 'now').mockImplementation(() => before() + ms);
}

/** Moves the system clock. */
function setClock(ms: number): void {
	const before = Date.now.bind(Date);
	jest.spyOn(Date, 'now').mockImplementation(() => before() + ms);
}

const tooMany = (retryAfter?: string, headers: Record<string, string> = {}) =>
	server.script((_, response) =>
		sendJson(response, 429, {}, { ...headers, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) }),
	);
const answering = () => server.script((_, response) => sendRows(response, []));

describe('a refusal that says when to come back', () => {
	it.each([
		[503, {}],
		[503, '<html><title>Maintenance</title></html>'],
		[403, 'Out of call volume quota'],
	])('is waited out: %i with Retry-After, %j', async (status, body) => {
		server.script((_, response, index) =>
			index < 4 ? sendJson(response, status, body, { 'retry-after': '2' }) : sendRows(response, []),
		);
		await ask({});
		expect(server.received).toHaveLength(5);
		const times = server.received.map(({ at }) => at);
		for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(2_000);
	});

	it('holds other requests of the key: a 503', async () => {
		server.script((_, response) => sendJson(response, 503, {}, { 'retry-after': '86400' }));
		const apiKey = ownKey();
		for (let run = 0; run < 2; run++) expect((await errorOf(ask({ apiKey }))).message).toMatch(/asks to wait 1 day,/);
		expect(server.received).toHaveLength(1);
	});

	it('is named by a quota, with the time', async () => {
		server.script((_, response) =>
			sendJson(response, 403, { message: 'Out of call volume quota. Quota will be replenished in 5.00:00:00.' }),
		);
		const error = await errorOf(ask({}));
		expect(error.message).toBe('The platform asks to wait 5 days, longer than this node may wait');
		expect(error.description).toMatch(/^The call quota of the API key is used up, so nothing is sent until \d{4}/);
	});
});

describe('an absurd Retry-After', () => {
	const absurd = [
		String(Math.floor(Date.now() / 1000)),
		'86400',
		'1000000000000000',
		'9'.repeat(400),
		'Fri, 31 Dec 9999 23:59:59 GMT',
	];

	it.each(absurd)(
		'of "%s" holds the key for as long as it says, and the message says until when',
		async (retryAfter) => {
			tooMany(retryAfter);
			const apiKey = ownKey();
			for (let run = 0; run < 2; run++) {
				const error = await errorOf(ask({ apiKey }));
				expect(error.kind).toBe('rate-limited');
				expect(`${error.message} ${error.description}`).not.toMatch(/Invalid|NaN|Infinity/);
				expect(error.description).toMatch(/until (?:\d{4,5}-\d\d-\d\d \d\d:\d\d:\d\d|a date far ahead)/);
				if (run === 0) passTime(15 * MINUTE);
			}
			expect(server.received).toHaveLength(1);
		},
	);

	it.each(absurd)('of "%s" still lets each manual execution ask once', async (retryAfter) => {
		tooMany(retryAfter);
		const apiKey = ownKey();
		await errorOf(ask({ apiKey }));
		const executionId = apiKey;
		for (let item = 0; item < 3; item++) await errorOf(ask({ apiKey, mode: 'manual', executionId }));
		expect(server.received).toHaveLength(2);
		answering();
		await ask({ apiKey, mode: 'manual' });
		await ask({ apiKey });
		expect(server.received).toHaveLength(2);
	});
});

it('when the hold ends, one request asks for all, and another refusal holds the key again', async () => {
	const apiKey = ownKey();
	tooMany('600');
	await errorOf(ask({ apiKey }));
	passTime(10 * MINUTE);
	server.script(async (_, response) => {
		await delay(300);
		sendJson(response, 429, {}, { 'retry-after': '500' });
	});
	const errors = await Promise.all(Array.from({ length: 8 }, () => errorOf(ask({ apiKey }))));
	expect(server.received).toHaveLength(1);
	for (const { message } of errors) expect(message).toMatch(/asks to wait 9 minutes/);
});

it.each([-3_600_000, 3_600_000])('a wait does not change when the clock is set by %i ms', async (ms) => {
	let refusedAt = 0;
	server.script((_, response, index) => {
		if (index > 0) return sendRows(response, []);
		refusedAt = performance.now();
		sendJson(response, 429, {}, { 'retry-after': '1' });
	});
	const platform = await open();
	const page = platform.getPage(SESSIONS, QUERY);
	while (server.received.length === 0) await delay(5);
	await delay(100);
	setClock(ms);
	await page;
	expect(performance.now() - refusedAt).toBeGreaterThanOrEqual(990);
	expect(platform.stats.rateLimitWaitMs).toBeGreaterThan(0);
	expect(platform.stats.rateLimitWaitMs).toBeLessThan(MINUTE);
});

it('an inactive licence is asked about again after five minutes, whatever the clock is set to', async () => {
	server.script((_, response) => sendJson(response, 403, { Code: 'PUBLIC_API_LICENSE_INACTIVE' }));
	const apiKey = ownKey();
	await errorOf(ask({ apiKey }));
	setClock(-3 * 60 * MINUTE);
	passTime(4 * MINUTE);
	await errorOf(ask({ apiKey }));
	expect(server.received).toHaveLength(1);
	jest.restoreAllMocks();
	passTime(5 * MINUTE);
	await errorOf(ask({ apiKey }));
	expect(server.received).toHaveLength(2);
	await errorOf(ask({ apiKey }));
	expect(server.received).toHaveLength(2);
});

it('eight runs that share a limit have fewer requests refused than answered', async () => {
	// Twelve requests per half second, in fixed windows like those of a gateway.
	let window = { began: 0, count: 0 };
	let refused = 0;
	server.script(async (_, response) => {
		const now = performance.now();
		if (now - window.began >= 500) window = { began: now, count: 0 };
		await delay(10);
		if (++window.count <= 12) return sendRows(response, []);
		refused++;
		const leftMs = Math.max(1, window.began + 500 - now);
		sendJson(response, 429, {}, { 'retry-after': (leftMs / 1000).toFixed(3) });
	});
	const apiKey = ownKey();
	const platforms = await Promise.all(Array.from({ length: 8 }, () => open({ apiKey })));
	await Promise.all(
		platforms.flatMap((platform) =>
			Array.from({ length: 4 }, async () => {
				for (let page = 0; page < 3; page++) await platform.getPage(SESSIONS, QUERY);
			}),
		),
	);
	expect(server.received.length - refused).toBe(96);
	expect(refused).toBeLessThan(96);
});

it('a run that may wait no longer says how long it waited and what the platform asks for now', async () => {
	server.script((_, response, index) => sendJson(response, 429, {}, { 'retry-after': index === 0 ? '30' : '120' }));
	const error = await errorOf(ask({ platform: { maxRateLimitWaitMs: 40_000 } }));
	expect(error.message).toMatch(/asks to wait 2 minutes/);
	expect(error.description).toMatch(/waited [1-9]\d? s/);
	expect(error.description).toMatch(/now 40 seconds/);
});

it('a dropdown never asks while the key is held', async () => {
	tooMany('30');
	const apiKey = ownKey();
	const made = contexts(server, { credential: { apiKey } });
	for (let time = 0; time < 2; time++) {
		const error = await errorOf((await openConnection(made.editor())).getPage(SESSIONS, QUERY));
		expect(error.message).toMatch(/try again in (30|2\d) seconds$/);
	}
	expect(server.received).toHaveLength(1);
});

it('a run waits no longer than it may for another one that gets no answer after a hold', async () => {
	server.script((_, response, index) => {
		if (index === 0) sendJson(response, 429, {}, { 'retry-after': '1' });
	});
	const apiKey = ownKey();
	const runs = Array.from({ length: 6 }, () =>
		errorOf(ask({ apiKey, platform: { maxRateLimitWaitMs: 5_000, timeoutMs: 3_000 } })),
	);
	const errors = await Promise.all(runs);
	const notSent = errors.filter(({ message }) => /, and the platform has not answered since$/.test(message));
	expect(notSent.length).toBeGreaterThan(0);
	for (const { description } of notSent) {
		expect(description).toMatch(/^It has waited \d+ seconds while another request of the same key was tried/);
	}
	// Each of them would have tried three times, one after another.
	expect(server.received.length).toBeLessThan(12);
});
