import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import omit from 'lodash/omit';
import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type Fault, type StandIn } from '../../platform/index.ts';
import { installFastClock, type FastClock } from '../../support/clock.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';
import { NEEDED, operations } from '../../support/nodes.ts';
import { ownKey, ScriptedServer, sendJson, sendRows } from '../../support/scriptedServer';

// What all operations promise of a refusal: the same sentence and next step, and how often they ask.

const server = new ScriptedServer();
let platform: StandIn;
let clock: FastClock;
beforeAll(async () => {
	clock = installFastClock(40);
	await server.start();
	platform = await startPlatform({ sessions: 300, stations: 5 });
});
afterAll(async () => {
	clock.restore();
	await server.stop();
	await platform.close();
});
beforeEach(() => platform.reset());

interface Case {
	what: string;
	answer: (response: ServerResponse) => unknown;
	message: RegExp;
	next: RegExp;
	requests?: number;
}

const json =
	(status: number, body: unknown, headers: Record<string, string> = {}) =>
	(response: ServerResponse) =>
		sendJson(response, status, body, headers);
const page = (status: number) => (response: ServerResponse) =>
	response.writeHead(status, { 'content-type': 'text/html' }).end('<html><title>Sign in</title></html>');
const QUOTA = { message: 'Out of call volume quota. Quota will be replenished in 3.00:00:00.' };

const CASES: Case[] = [
	{ what: '401', answer: json(401, {}), message: /does not accept this API key/, next: /revoked/ },
	{
		what: 'a missing scope',
		answer: json(403, { Code: 'API_KEY_SCOPE_INSUFFICIENT', Message: 'Requires some-area:read' }),
		message: /^The API key lacks the scope some-area:read$/,
		next: /grant it.*about a minute.*“Requires some-area:read” \(API_KEY_SCOPE_INSUFFICIENT\)$/,
	},
	{
		what: 'the license',
		answer: json(403, { Code: 'PUBLIC_API_LICENSE_INACTIVE' }),
		message: /^The API license of your organization is not active$/,
		next: /billing contact/,
	},
	{ what: 'a role', answer: json(403, 'Role Accountant'), message: /^The role of the API key/, next: /CompanyAdmin/ },
	{
		what: 'a quota for days',
		answer: json(403, QUOTA),
		message: /^The platform asks to wait 3 days, longer than this node may wait$/,
		next: /call quota of the API key is used up, so nothing is sent until \d{4}-.*Max Rate Limit Wait/,
	},
	...[429, 503].map((status) => ({
		what: `${status} for an hour`,
		answer: json(status, {}, { 'retry-after': '3600' }),
		message: /^The platform asks to wait 1 hour, longer than this node may wait$/,
		next: /nothing is sent until \d{4}-/,
	})),
	{ what: '504', answer: json(504, {}), message: /cannot answer.*\(status 504\)$/, next: /temporary/, requests: 3 },
	{ what: 'a gateway’s 502', answer: page(502), message: /^A gateway .*502/, next: /says: “Sign in”/, requests: 3 },
	{
		what: 'a broken connection',
		answer: (response) => response.destroy(),
		message: /^The connection to 127\.0\.0\.1:\d+ broke off$/,
		next: /proxies and firewalls/,
		requests: 3,
	},
	{
		what: 'a redirect, which is not followed',
		answer: json(302, {}, { location: 'https://portal.example/login?key=1' }),
		message: /redirects to https:\/\/portal\.example \(status 302\)$/,
		next: /^The API key is never sent to another address\. Enter the final address/,
	},
	{ what: 'a web page', answer: page(200), message: /got a web page/i, next: /./ },
];

/** Others report what they find, or read no list. */
const LEFT_OUT = ['checkPlatform', 'availability'];

it.each(CASES)('$what', async ({ answer, message, next, requests = 1 }) => {
	for (const { type, operation } of await operations()) {
		if (LEFT_OUT.includes(operation)) continue;
		server.script((_, response) => void answer(response));
		const credential = { ...credentialFor({ baseUrl: server.baseUrl, key: '' }), apiKey: ownKey() };
		const { error } = await runNode({ type, credential, parameters: { ...NEEDED, operation } });
		const seen = { message: error?.message, next: error?.description, requests: server.received.length };
		expect({ type, operation, ...seen }).toEqual({
			type,
			operation,
			requests,
			message: expect.stringMatching(message) as string,
			next: expect.stringMatching(next) as string,
		});
	}
});

it.each([
	[
		400,
		'Pager.Take must be 50 at most',
		/^The platform does not give this many .* Set Page Size in Options to fewer rows/,
	],
	[414, '', /^The filter is too long for a request Shorten the filter, or split it/],
])('a page or a filter that is too long: %i %s', async (status, message, sentences) => {
	platform.faults.add({ kind: 'reply', status, body: { message } });
	expect(said(await run({ operation: 'getAll' }))).toMatch(sentences);
});

/** Beside its sentence: the status, the input item, and whether trying again may help. */
describe('what n8n is told of a refusal', () => {
	const GET = { operation: 'get', sessionId: '1' };
	it.each<[number, INodeParameters, object]>([
		[401, GET, { httpCode: '401', failure: { cause: 'credential-invalid' } }],
		[403, GET, { httpCode: '403', failure: { cause: 'configuration-invalid' } }],
		[429, GET, { httpCode: '429', failure: { cause: 'rate-limited', retryAfterMs: expect.any(Number) as number } }],
		[500, GET, { httpCode: '500', failure: { cause: 'temporarily-unavailable' } }],
		[200, { operation: 'count', filters: { id: [{ value: 'x' }] } }, { failure: { cause: 'configuration-invalid' } }],
	])('%s: %j', async (status, parameters, told) => {
		server.script((_, response) => sendJson(response, status, {}, status === 429 ? { 'retry-after': '3600' } : {}));
		const credential = credentialFor({ baseUrl: server.baseUrl, key: ownKey() });
		const { error } = await runNode({ type: 'chargingSessions', credential, parameters, items: [{}, {}] });
		expect(error).toMatchObject({ ...told, context: { itemIndex: 0 } });
	});
});

/** Runs a node with a key of its own: a hold is shared by all runs with one key. */
const run = async (parameters: INodeParameters, credential = {}, type: RunOptions['type'] = 'chargingSessions') =>
	await runNode({
		type,
		credential: {
			...credentialFor(platform),
			apiKey: platform.createKey({ scopes: ['charging-sessions:read'] }).secret,
			...credential,
		},
		parameters,
	});
const said = ({ error }: Awaited<ReturnType<typeof run>>) => `${error?.message} ${error?.description}`;
const ALL = { operation: 'getAll', returnAll: true };

it('an unknown field, a missing scope and an inactive license are told apart, and named', async () => {
	const filters = { other: [{ field: 'Colour|text', textOperator: 'Eq', value: 'red' }] };
	expect(said(await run({ operation: 'getAll', filters }))).toContain('Colour');
	const { secret } = platform.createKey({ scopes: ['charging-stations:read'] });
	expect(said(await run(ALL, { apiKey: secret }))).toContain('charging-sessions:read');
	platform.license.active = false;
	expect(said(await run(ALL))).toMatch(/license of your organization is not active/);
	expect(platform.requests.map(({ status }) => status)).toEqual([400, 403, 403]);
});

const ONCE: Array<[string, Fault]> = [
	['a dropped connection', { kind: 'drop' }],
	['a connection dropped half-way through the answer', { kind: 'dropMidBody' }],
	['an answer cut short', { kind: 'truncate' }],
	['a 500', { kind: 'status', status: 500 }],
	['a gateway page with 502', { kind: 'html', status: 502 }],
];
it.each(ONCE)('%s leads to a retry, and nothing is lost', async (_, fault) => {
	await run(ALL);
	const needed = platform.requests.length;
	platform.faults.add({ ...fault, match: { nth: 2 } });
	const { json, error } = await run(ALL);
	expect(error).toBeUndefined();
	expect(new Set(json.map(({ Id: id }) => id)).size).toBe(300);
	expect(platform.requests).toHaveLength(2 * needed + 1);
});

it('a base URL with spaces or an API path is corrected, and a hint says what was cut off', async () => {
	const { json, hints } = await run(ALL, { productionUrl: `  ${platform.baseUrl}/api/charging-stations/v1/ ` });
	expect(json).toHaveLength(300);
	expect(hints.map(({ message }) => message)).toEqual([
		'The base URL of the production environment ends with an API path, which was cut off: the nodes add it themselves.',
	]);
});

it('https where only http is spoken is named, and an address where nothing listens', async () => {
	const productionUrl = server.baseUrl.replace('http:', 'https:');
	expect(said(await run(ALL, { productionUrl }))).toMatch(/does not speak HTTPS on this port/);
	expect(said(await run(ALL, { productionUrl: 'http://127.0.0.1:1' }))).toMatch(
		/^127\.0\.0\.1:1 refused the connection/,
	);
});

it('an answer that unpacks to more than 8 MB is not read to its end', async () => {
	const bomb = gzipSync(Buffer.alloc(400 * 1024 ** 2, '['), { level: 1 });
	const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
	server.script((_, response) => response.writeHead(200, headers).end(bomb));
	const before = process.memoryUsage().rss;
	expect(said(await run(ALL, { productionUrl: server.baseUrl }))).toMatch(/larger than 8 MB.*Page Size/);
	expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
	expect(server.received).toHaveLength(1);
});

it('a credential that is edited during a run changes nothing of it: the key goes to its own host', async () => {
	const credential = { ...credentialFor({ baseUrl: server.baseUrl, key: '' }), apiKey: ownKey() };
	const { apiKey } = credential;
	server.script((_, response, index) => {
		Object.assign(credential, { productionUrl: platform.baseUrl, apiKey: 'another-key' });
		sendRows(response, index < 2 ? [{ Id: index + 1 }] : [], 2);
	});
	const { json } = await runNode({ type: 'chargingSessions', credential, parameters: ALL });
	expect(json).toHaveLength(2);
	expect(server.received.map(({ headers }) => headers['api-key'])).toEqual(server.received.map(() => apiKey));
	expect(platform.requests).toEqual([]);
});

it('the time limit of a request ends an answer that drips in slowly', async () => {
	clock.restore();
	platform.faults.add({ kind: 'drip', delayMs: 300, times: Infinity });
	const message = said(await run({ operation: 'getAll', options: { timeout: 1 } }));
	clock = installFastClock(40);
	expect(message).toMatch(/1 s/);
	expect(platform.requests).toHaveLength(3);
}, 30_000);

/** Gateways answer without rows while the platform behind them is away: that must not end a list. */
describe('an answer without rows', () => {
	const UPDATED = /being updated.*Run the node again later.*Rows read so far: \d+\./;
	const insteadOf = (what: string) => [`The platform answered with ${what} in place of charging sessions`, UPDATED];
	const noItems = [
		"The platform's answer cannot be used: it has no list of Items",
		/Try again.*Rows read so far: \d+\./,
	];
	const ANSWERS: Array<[fault: Fault, said: unknown[]]> = [
		[{ kind: 'html', status: 404 }, insteadOf('status 404')],
		[{ kind: 'status', status: 410 }, insteadOf('status 410')],
		[{ kind: 'status', status: 416 }, insteadOf('status 416')],
		[{ kind: 'reply', status: 204 }, insteadOf('nothing')],
		[{ kind: 'reply', body: 'null' }, insteadOf('nothing')],
		[{ kind: 'reply', body: { Items: null, TotalCount: 300 } }, noItems],
		[{ kind: 'reply', body: { TotalCount: 300 } }, noItems],
		[{ kind: 'reply', body: { Items: null } }, noItems],
		[{ kind: 'reply', body: { Items: [] } }, insteadOf('neither rows nor a count')],
		[{ kind: 'reply', body: { Items: [], TotalCount: null } }, insteadOf('neither rows nor a count')],
		[{ kind: 'reply', body: '[]' }, insteadOf('neither rows nor a count')],
	];
	const READINGS: Array<[parameters: INodeParameters, type?: string]> = [
		[ALL],
		[{ operation: 'getAll', limit: 200, sort: { by: [{ field: 'EnergyConsumed', direction: 'Asc' }] } }],
		[{ operation: 'summary' }],
		[{ operation: 'exportByFilter' }, 'chargingSessionsCsvExport'],
	];
	const COUNTING: (typeof READINGS)[number] = [{ operation: 'count' }];
	const read = async ([parameters, type]: (typeof READINGS)[number]) =>
		await run({ ...parameters, options: { pageSize: 25 } }, {}, type);

	it.each(ANSWERS)('%j in the middle is not the end of the list', async (fault, [message, next]) => {
		for (const reading of READINGS) {
			platform.reset();
			platform.faults.add({ ...fault, times: Infinity, match: { path: '/api/charging-sessions/v1', nth: 3 } });
			const { error, items } = await read(reading);
			expect(error?.message).toBe(message);
			expect(error?.description).toMatch(next as RegExp);
			expect(items).toEqual([]);
		}
	});

	it.each(ANSWERS)('%j once in the middle is asked for again, and nothing is lost', async (fault) => {
		for (const reading of READINGS) {
			platform.reset();
			const undisturbed = await read(reading);
			platform.faults.add({ ...fault, match: { path: '/api/charging-sessions/v1', nth: 3 } });
			const { error, json } = await read(reading);
			expect(error).toBeUndefined();
			const found = [undisturbed.json, json].map((rows) => rows.map((row) => omit(row, ['fileName', 'requests'])));
			expect(found[1]).toEqual(found[0]);
			expect(json).not.toEqual([]);
		}
	});

	it('a 404 at the beginning is a wrong address', async () => {
		for (const operation of ['getAll', 'count']) {
			platform.faults.add({ kind: 'html', status: 404 });
			expect(said(await run({ operation }))).toMatch(/^The platform's API was not found at http.* \(status 404\)/);
		}
	});

	it.each([
		['status 204', { kind: 'reply', status: 204 }],
		['an empty text', { kind: 'reply', body: '' }],
		['null', { kind: 'reply', body: 'null' }],
	] satisfies Array<[string, Fault]>)('%s at the beginning is an empty list, with a note', async (_, fault) => {
		for (const [parameters, type] of READINGS) {
			platform.faults.add(fault);
			const { error, hints } = await run(parameters, {}, type);
			expect([error, hints.map(({ message }) => message)[0]]).toEqual([
				undefined,
				'The platform answered without any content, which counts as no charging sessions.',
			]);
		}
	});

	it('an envelope without Items at the beginning is one only with the count 0', async () => {
		for (const reading of [...READINGS, COUNTING]) {
			platform.faults.add({ kind: 'reply', body: { Items: null, TotalCount: 300 }, times: 3 });
			expect((await read(reading)).error?.message).toBe(noItems[0]);
			platform.faults.add({ kind: 'reply', body: { Items: null, TotalCount: 0 } });
			expect((await read(reading)).error).toBeUndefined();
		}
	});
});

/** A base URL that has answered is right. */
describe('a 404 after answers sends nobody to the base URL', () => {
	const LIST = '/api/charging-sessions/v1';
	const CASES: Array<[what: string, type: string, parameters: INodeParameters, match: Fault['match']]> = [
		[
			'the list in which an export looks up what is missing',
			'chargingSessionsCsvExport',
			{ operation: 'exportByIds', sessionIds: '1, 2, 900000001' },
			({ path }) => path === LIST,
		],
		['the list for the second input item', 'chargingSessions', { operation: 'getAll' }, { path: LIST, nth: 2 }],
		[
			'the detail of a station from the list',
			'chargingStations',
			{ operation: 'getChargePoints' },
			({ path }) => !path.endsWith('/v1'),
		],
	];
	it.each(CASES)('%s', async (_, type, parameters, match) => {
		platform.faults.add({ kind: 'html', status: 404, times: Infinity, match });
		const credential = { ...credentialFor(platform), apiKey: platform.createKey().secret };
		const { error, items } = await runNode({ type, credential, parameters, items: [{}, {}] });
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/^The platform answered with status 404 in place of charging (sessions|stations)$/);
		expect(error?.description).toMatch(/being updated.*Run the node again later/);
		expect(error?.description).not.toMatch(/base URL/);
	});
});

/** A wrong base URL and an unknown station may both be answered with 404. */
it('a station that is not found alone sends to its ID and to the base URL; after an answer, to its ID', async () => {
	const credential = { ...credentialFor(platform), apiKey: platform.createKey().secret };
	const get = async (ids: readonly string[]) =>
		await runNode({
			type: 'chargingStations',
			credential,
			parameters: { operation: 'get', stationId: { __rl: true, mode: 'id', value: '={{ $json.id }}' } },
			items: ids.map((id) => ({ id })),
		});
	const BASE_URL = 'If this credential fails in other nodes too, check its base URL.';
	const alone = (await get(['77'])).error;
	expect(alone?.message).toBe('There is no charging station with the ID “77”');
	expect(alone?.description).toMatch(/check the ID/);
	expect(alone?.description).toContain(BASE_URL);
	const afterOne = (await get(['1', '77'])).error;
	expect(afterOne?.message).toBe('There is no charging station with the ID “77”');
	expect(afterOne?.description).not.toContain(BASE_URL);
});

/** What asks for one thing or one number has no list that may be empty. */
describe('an answer without content is neither “there is none” nor a count', () => {
	const NOTHING: Array<[Fault]> = [[{ kind: 'reply', status: 204 }], [{ kind: 'reply', body: '' }]];
	const ASKED: Array<[what: string, type: string, parameters: INodeParameters]> = [
		['charging sessions', 'chargingSessions', { operation: 'get', sessionId: '1' }],
		['the station "1"', 'chargingStations', { operation: 'get', stationId: '1' }],
		['the station "1"', 'chargingStations', { operation: 'getChargePoints', limit: 1 }],
		['charging sessions', 'chargingSessions', { operation: 'count' }],
		['charging stations', 'chargingStations', { operation: 'count' }],
	];
	const ask = async (type: string, parameters: INodeParameters) =>
		await runNode({
			type,
			credential: { ...credentialFor(platform), apiKey: platform.createKey().secret },
			parameters,
		});
	const isLast =
		({ operation }: INodeParameters) =>
		(request: { path: string }) =>
			operation !== 'getChargePoints' || !request.path.endsWith('/v1');

	it.each(NOTHING)('%j is asked for again, and then said', async (fault) => {
		for (const [what, type, parameters] of ASKED) {
			const undisturbed = await ask(type, parameters);
			platform.faults.add({ ...fault, match: isLast(parameters) });
			const { error, json } = await ask(type, parameters);
			expect([error, json]).toEqual([undefined, undisturbed.json]);
			expect(json).not.toEqual([]);
			platform.faults.add({ ...fault, match: isLast(parameters), times: 3 });
			expect(said(await ask(type, parameters))).toMatch(
				new RegExp(
					`^The platform answered with nothing in place of ${what} (Check the ID: .*)?Gateways answer so while`,
				),
			);
		}
	});
});
