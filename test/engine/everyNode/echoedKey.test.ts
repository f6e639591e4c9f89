import type { ServerResponse } from 'node:http';
import type { IDataObject, INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import { installFastClock, type FastClock } from '../../support/clock.ts';
import { visibleText } from '../../support/engine.ts';
import { credentialFor, editorContext, loadPackage, runNode, userCredentialFor } from '../../support/harness.ts';
import { ownKey, ScriptedServer, sendJson, type Received } from '../../support/scriptedServer';
import { TriggerRig } from '../../support/trigger/rig.ts';
import { TARGETS } from '../../support/trigger/targets.ts';

// Platforms that repeat the key wherever an answer can: rows are passed on, but no message, note or finding shows it.

const server = new ScriptedServer();
let clock: FastClock;

beforeAll(async () => {
	clock = installFastClock(40);
	await server.start();
});
afterAll(async () => {
	clock.restore();
	await server.stop();
});

/** How an answer repeats the key, and where. */
type Echo = (key: string, request: Received, response: ServerResponse) => void;

const long = (key: string) => `${'long name '.repeat(20)}${key.repeat(3)}${'x'.repeat(100_000)}`;
/** Names of fields: the key itself, and inside others; one of 100,000 characters. */
const named = (key: string): IDataObject => ({
	[key]: key,
	[`my ${key}`]: 7,
	'ann@example.com': 7,
	[`${key}AtUtc`]: '2026-11-01T00:00:00',
	[`End${key}`]: '2026-11-01T00:00:00',
	[long(key)]: key,
});
const row = (key: string, id: unknown, more: IDataObject = {}) => ({
	...{ Id: id, Name: key, Status: 4, NetworkStatus: 2, EnergyConsumed: 5, StartedAtUtc: '2026-11-01T00:00:00' },
	...named(key),
	EVSEs: [named(key), { ...named(key), Id: key }],
	...more,
});
const HEADERS = (key: string) => ({
	...{
		[`x-ratelimit-${key.slice(0, 12)}`]: key,
		'x-ratelimit': key,
		'content-type': `application/json; charset=${key}`,
	},
	...{ 'retry-after': '600', link: `<${key}>; rel="next"`, date: key },
});
const rows = (make: (key: string) => unknown, more: IDataObject = {}): Echo => {
	return (key, { url, method }, response) => {
		if (method === 'POST') return void response.end(`${key};${key}\r\n1;${key}\r\n${key};2\r\n`);
		const isDetail = /\/v1\/./.test(url.pathname);
		sendJson(response, 200, isDetail ? row(key, 1) : { Items: make(key), TotalCount: 2, ...more }, HEADERS(key));
	};
};
const body = (status: number, make: (key: string) => unknown): Echo => {
	return (key, _, response) => sendJson(response, status, make(key), HEADERS(key));
};
const text = (status: number, make: (key: string) => string, type = 'text/plain'): Echo => {
	return (key, _, response) =>
		void response.writeHead(status, { 'content-type': type, location: `https://${key}.example/${key}` }).end(make(key));
};
const refusal = (key: string) => ({
	[key]: key,
	Code: `CODE_${key}`,
	Message: `The property '${key}' is unknown: ${key}`,
});

const ECHOES: Record<string, Echo> = {
	'in names and values of rows': rows((key) => [row(key, 1), row(key, 2)]),
	'as the Id': rows((key) => [row(key, key), row(key, `${key}2`)]),
	'as each status': rows((key) => [row(key, 1, { Status: key, NetworkStatus: key, StartedAtUtc: key })]),
	'in one row, again and again': rows((key) => [row(key, 1), row(key, 1)], { TotalCount: 70 }),
	'as the count': (key, request, response) =>
		rows((one) => [row(one, 1)], { TotalCount: key, [key]: key, next: key })(key, request, response),
	'as an entry that is no row': rows((key) => [key, { [key]: key }]),
	'in an object that is no list': body(200, named),
	'as the name of a list': body(200, (key) => ({ [key]: [{ [key]: key }], total: key })),
	'as JSON text': body(200, (key) => key),
	'in damaged JSON': text(200, (key) => `{"${key}":"${key}`),
	'in the title of a page': text(200, (key) => `<html><title>${key}</title>${key}</html>`, 'text/html'),
	'in a redirect': text(302, (key) => key),
	...Object.fromEntries(
		[202, 400, 401, 403, 404, 429, 500].map((status): [string, Echo] => [
			`in a refusal ${status}`,
			body(status, refusal),
		]),
	),
	'in a refusal as text': text(400, (key) => `Property ${key} of ${long(key)}`),
	'in what the sign-in gives': (key, { method }, response) =>
		sendJson(response, method === 'POST' ? 200 : 401, { [key]: '', [`a ${key}`]: { [key]: 7 } }),
};

/** A word that begins like the key tells too much, too. */
const tellsOf = (key: string) => key.slice(0, 12);
const filters = { other: [{ field: 'Colour|text', textOperator: 'Eq', value: 'red' }] };

/** What else the operations of all nodes need. */
const PARAMETERS: INodeParameters = {
	...{ sessionId: { __rl: true, mode: 'id', value: '1' }, stationId: { __rl: true, mode: 'id', value: '1' } },
	...{ list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' }, sessionIds: '1, 2' },
	...{ groupBy: ['field'], groupByField: 'Nowhere', chargePointField: 'Nowhere', chargePointValues: ['x'] },
	...{ groupByDateField: 'StartedAtUtc', groupField: 'Name' },
};

async function operations(): Promise<Array<{ type: string; operation: string }>> {
	const { nodeTypes } = await loadPackage();
	return Object.entries(nodeTypes).flatMap(([type, { type: nodeType }]) => {
		const { polling, properties } = nodeType.description as INodeTypeDescription;
		const options = (!polling && properties.find(({ name }) => name === 'operation')?.options) || [];
		return options.flatMap((option) => ('value' in option ? [{ type, operation: String(option.value) }] : []));
	});
}

describe.each(Object.entries(ECHOES))('a platform that repeats the key %s', (_, echo) => {
	/** Answers each request with the key, password or token that it came with. */
	function listen(secretOf: (request: Received) => string) {
		server.script((request, response) => echo(secretOf(request), request, response));
	}
	const credential = () => {
		const apiKey = ownKey();
		listen(() => apiKey);
		return { ...credentialFor({ baseUrl: server.baseUrl, key: apiKey }), apiKey };
	};

	it('no operation shows it', async () => {
		for (const { type, operation } of await operations()) {
			const own = credential();
			for (const more of [{}, { filters, returnAll: true }]) {
				const parameters = { operation, ...PARAMETERS, ...more };
				const { error, hints, json, run } = await runNode({ type, credential: own, parameters });
				// Findings are words of ours; other items are rows.
				const items = operation === 'checkPlatform' ? json : run.data.resultData.lastNodeExecuted;
				const seen = visibleText(error, hints, items);
				expect({ type, operation, shows: seen.includes(tellsOf(own.apiKey)) }).toEqual({
					type,
					operation,
					shows: false,
				});
				for (const { message } of hints) expect(message.length).toBeLessThan(5_000);
				expect(`${error?.message} ${error?.description}`.length).toBeLessThan(5_000);
			}
		}
	}, 120_000);

	it('no report shows it, an e-mail address that is the name of a field, or the host; none is long', async () => {
		const own = credential();
		for (const checkedLists of ['all', 'other']) {
			const parameters = { ...PARAMETERS, operation: 'checkPlatform', checkedLists, result: 'oneReport' };
			const { json } = await runNode({ type: 'chargingNetworkList', credential: own, parameters });
			const { report } = (json as Array<{ report: string }>)[0] ?? { report: '' };
			expect(report).toContain('## Check Platform');
			expect(report).not.toContain(tellsOf(own.apiKey));
			expect(report.length).toBeLessThan(100_000);
			expect(report).not.toContain('ann@example');
			if (/answers and accepts/.test(report)) expect(report).not.toContain(new URL(server.baseUrl).host);
		}
	}, 60_000);

	it('no message of a signed-in user shows the password or the token', async () => {
		const user = { ...userCredentialFor(server), password: ownKey() };
		listen(() => user.password);
		const parameters = { ...PARAMETERS, authentication: 'signedInUser', operation: 'count' };
		const { error, hints } = await runNode({ type: 'chargingStations', credential: {}, user, parameters });
		expect(visibleText(error, hints)).not.toContain(tellsOf(user.password));
		const token = ownKey();
		server.script((request, response) => {
			if (request.method === 'POST') sendJson(response, 200, { token });
			else echo(token, request, response);
		});
		const again = { ...userCredentialFor(server), password: ownKey() };
		for (const operation of ['count', 'getAll', 'getChargePoints']) {
			const run = await runNode({
				...{ type: 'chargingStations', credential: {}, user: again },
				parameters: { ...parameters, operation },
			});
			expect(visibleText(run.error, run.hints)).not.toContain(tellsOf(token));
		}
	}, 60_000);

	it('no trigger shows it', async () => {
		for (const { type, parameters } of TARGETS) {
			const own = credential();
			const settings = { ...parameters, statusField: 'Nowhere' };
			const rig = new TriggerRig('memory', settings, own, {}, type);
			const thrown = await rig.activate().catch((error: unknown) => error);
			if (!(thrown instanceof Error)) await rig.tick();
			const test = await runNode({ type, credential: own, parameters: settings, mode: 'manual' });
			const seen = visibleText(thrown, rig.errors, rig.logs, test.error);
			expect({ type, shows: seen.includes(tellsOf(own.apiKey)) }).toEqual({ type, shows: false });
			for (const error of [thrown, test.error]) {
				if (error instanceof Error) expect(error.message.length).toBeLessThan(2_000);
				if (error instanceof Error && 'description' in error)
					expect(String(error.description).length).toBeLessThan(5_000);
			}
		}
	}, 120_000);

	it('no dropdown that cannot be filled shows it', async () => {
		const { nodeTypes } = await loadPackage();
		for (const type of Object.keys(nodeTypes)) {
			const own = credential();
			const { context, nodeType } = await editorContext({ type, parameters: PARAMETERS, credential: own });
			const { loadOptions = {}, listSearch = {} } = nodeType.methods ?? {};
			const all = [
				...Object.values(loadOptions).map((load) => async () => await load.call(context)),
				...Object.values(listSearch).map((find) => async () => await find.call(context)),
			];
			for (const load of all) {
				const thrown = await load().catch((error: unknown): unknown => error);
				if (thrown instanceof Error) expect(visibleText(thrown)).not.toContain(tellsOf(own.apiKey));
			}
		}
	}, 60_000);
});

describe('a password that is a word of our sentences', () => {
	it.each(['platform', 'charging', 'answer', 'list'])('“%s” is hidden in what is quoted alone', async (secret) => {
		const of = async (answer: Echo, parameters: INodeParameters = {}) => {
			server.script((request, response) => answer(secret, request, response));
			const credential = { ...credentialFor({ baseUrl: server.baseUrl, key: secret }), apiKey: secret };
			const run = await runNode({
				...{ type: 'chargingSessions', credential, executionId: ownKey() },
				parameters: { operation: 'getAll', ...parameters },
			});
			return `${run.error?.message} ${run.error?.description}`;
		};
		const refused = await of(body(401, (key) => ({ Message: `The ${key} is unknown` })));
		expect(refused).toMatch(/^The platform does not accept this API key It may be mistyped/);
		expect(refused).toMatch(
			/Check the API key in the credential.*operator portal.* The platform says: “The \[hidden\] is unknown”$/,
		);
		expect(await of(body(200, () => ({ TotalCount: 7 })))).toMatch(
			/^The platform's answer cannot be used: it has no list of Items The answer to the request for charging sessions/,
		);
		expect(await of(rows((key) => [row(key, 1), key]))).toMatch(/cannot be used: entry 2 of Items is text The answer/);
		const contradicted = await of(
			rows((key) => [{ Id: key, Status: 4, Name: key }], { TotalCount: 1 }),
			{ filters: { status: [{ operator: 'In', values: ['6'] }] } },
		);
		expect(contradicted).toMatch(
			/^Session “\[hidden\]” has Status 4, but .* was asked for: the platform does not apply the condition/,
		);
	});
});
