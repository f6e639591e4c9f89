import type { ErrorBodyShape, Fault } from '../../platform/index.ts';
import { startPlatform, type StandIn } from '../../platform/index.ts';
import { installFastClock, type FastClock } from '../../support/clock.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';
import { visibleText } from '../../support/engine.ts';

let platform: StandIn;
let clock: FastClock;

beforeAll(async () => {
	clock = installFastClock(10);
	platform = await startPlatform({ sessions: 300, stations: 5 });
});
afterAll(async () => {
	clock.restore();
	await platform.close();
});
beforeEach(() => platform.reset());

const run = async (options: Partial<RunOptions> = {}) =>
	await runNode({
		type: 'chargingSessions',
		credential: {
			...credentialFor(platform),
			apiKey: platform.createKey({ scopes: ['charging-sessions:read'] }).secret,
		},
		parameters: { operation: 'getAll', returnAll: true },
		...options,
	});

const shapes: ErrorBodyShape[] = ['flat', 'nested', 'list', 'problem', 'text', 'html', 'empty'];
/** Shapes that carry the platform's code and message. An empty body leaves only the status. */
const telling = shapes.filter((shape) => shape !== 'empty');

describe.each(shapes)('with refusals written as %s', (shape) => {
	beforeEach(() => {
		platform.behaviour.errorBody = shape;
		platform.behaviour.echoKey = true;
	});

	it('an unknown key has a message of its own, which never shows the key', async () => {
		const secret = 'cn_live_4f9a8e7d6c5b4a392817';
		const result = await run({ credential: { ...credentialFor(platform), apiKey: secret } });
		expect(result.error?.message).toMatch(/key/i);
		expect(result.error?.description).toMatch(/revoked/i);
		expect(visibleText(result.error, result.items, result.hints, result.run.data)).not.toContain(secret);
		expect(platform.requests).toHaveLength(1);
	});
});

describe.each(telling)('with refusals written as %s', (shape) => {
	beforeEach(() => {
		platform.behaviour.errorBody = shape;
	});

	it('an unknown field is named', async () => {
		const { error } = await run({
			parameters: {
				operation: 'getAll',
				filters: { other: [{ field: 'Colour|text', textOperator: 'Eq', value: 'red' }] },
			},
		});
		expect(`${error?.message} ${error?.description}`).toContain('Colour');
		// The refused query is not sent again, and no rows are read for the names of other fields.
		expect(platform.requests.map(({ status }) => status)).toEqual([400]);
	});

	it('an inactive license and a missing scope have different messages', async () => {
		const other = platform.createKey({ scopes: ['charging-stations:read'] });
		const scope = await run({ credential: { ...credentialFor(platform), apiKey: other.secret } });
		expect(`${scope.error?.message} ${scope.error?.description}`).toContain('charging-sessions:read');
		platform.license.active = false;
		const license = await run();
		expect(`${license.error?.message} ${license.error?.description}`).toMatch(/licen[cs]e/i);
		expect(platform.requests).toHaveLength(2);
	});
});

describe('faults on the way', () => {
	const once: Array<[string, Fault]> = [
		['a dropped connection', { kind: 'drop' }],
		['a connection dropped half-way through the answer', { kind: 'dropMidBody' }],
		['an answer cut short', { kind: 'truncate' }],
		['a 500', { kind: 'status', status: 500 }],
		['a gateway page with 502', { kind: 'html', status: 502 }],
	];
	it.each(once)('%s leads to a retry, and nothing is lost', async (_, fault) => {
		await run();
		const needed = platform.requests.length;
		platform.faults.add({ ...fault, match: { nth: 2 } });
		const { json, error } = await run();
		expect(error).toBeUndefined();
		expect(new Set(json.map(({ Id: id }) => id)).size).toBe(300);
		expect(platform.requests).toHaveLength(2 * needed + 1);
	});

	it.each([
		['a web page', { kind: 'html' as const, status: 200 }],
		['another service', { kind: 'reply' as const, status: 200, body: { hello: 'world' } }],
	])('%s instead of the platform is recognized', async (_, fault) => {
		platform.faults.add({ ...fault, times: Infinity });
		const { error } = await run();
		expect(`${error?.message} ${error?.description}`).toMatch(/URL|not the charging|does not look like/i);
		expect(`${error?.message} ${error?.description}`).not.toContain('world');
	});

	it('a redirect is not followed: it would hand the key to another host', async () => {
		const elsewhere = await startPlatform({ sessions: 1 });
		platform.behaviour.redirectTo = `${elsewhere.baseUrl}/api/charging-sessions/v1`;
		const { error } = await run();
		expect(elsewhere.requests).toHaveLength(0);
		expect(`${error?.message} ${error?.description}`).toMatch(/redirect|another address/i);
		await elsewhere.close();
	});

	it('the message for a filter too long for a URL names the list to shorten', async () => {
		platform.behaviour.refuseUrlLongerThan = 2000;
		const ids = Array.from({ length: 900 }, (_, index) => index + 1).join(',');
		const { error } = await run({
			parameters: { operation: 'getAll', filters: { id: [{ operator: 'In', values: ids }] } },
		});
		expect(`${error?.message} ${error?.description}`).toMatch(/Id/);
		expect(`${error?.message} ${error?.description}`).toMatch(/900/);
	});

	it.each([
		['', /environment|URL/i],
		['http://platform.example.com', /https|allow/i],
		['ftp://platform.example.com', /https/i],
		['not a url at all', /URL/i],
	])('the base URL %j is refused before anything is sent', async (productionUrl, message) => {
		const { error } = await run({ credential: { ...credentialFor(platform), productionUrl } });
		expect(`${error?.message} ${error?.description}`).toMatch(message);
		expect(platform.requests).toHaveLength(0);
	});

	it.each(['  {}/ ', '{}/api/charging-sessions/v1', '{}/api/charging-stations/v1/'])(
		'the base URL %j is corrected',
		async (written) => {
			const { json } = await run({
				credential: { ...credentialFor(platform), productionUrl: written.replace('{}', platform.baseUrl) },
			});
			expect(json).toHaveLength(300);
		},
	);
});

describe('the time limit of a request', () => {
	beforeAll(() => clock.restore());

	it('the message says that the platform did not answer in time', async () => {
		platform.faults.add({ kind: 'stall', times: Infinity });
		const { error } = await run({ parameters: { operation: 'getAll', options: { timeout: 1 } } });
		expect(`${error?.message} ${error?.description}`).toMatch(/1 s/);
		expect(platform.requests).toHaveLength(3);
	}, 30_000);

	it('an answer that drips in slowly is also ended by the timeout', async () => {
		platform.faults.add({ kind: 'drip', delayMs: 300, times: Infinity });
		const { error } = await run({ parameters: { operation: 'getAll', options: { timeout: 1 } } });
		expect(`${error?.message} ${error?.description}`).toMatch(/1 s/);
	}, 30_000);
});

it.each([
	['Get Many', {}, { operation: 'getAll' }],
	['Count', {}, { operation: 'count' }],
	['Summarize', {}, { operation: 'summary' }],
	['the CSV export', { type: 'chargingSessionsCsvExport' as const }, { sessionsSource: 'filter' }],
])(
	'%s: a refused field that is nearly a known one is asked about, with no further request',
	async (_, node, parameters) => {
		const refusalOf = async (field: string) => {
			const filters = { other: [{ field: `${field}|text`, textOperator: 'Eq', value: 'x' }] };
			return (await run({ ...node, parameters: { ...parameters, filters } })).error?.description;
		};
		platform.requests.length = 0;
		expect(await refusalOf('Stauts')).toMatch(/^Did you mean “Status”\? Check “Stauts” in Filters/);
		expect(platform.requests).toHaveLength(1);
		expect(await refusalOf('Unheard')).toMatch(/^Check “Unheard”/);
	},
);
