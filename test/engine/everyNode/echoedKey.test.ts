import type { ServerResponse } from 'node:http';
import type { IDataObject, INodeParameters, NodeError } from 'n8n-workflow';

import { installFastClock, type FastClock } from '../../support/clock.ts';
import { visibleText } from '../../support/engine.ts';
import { credentialFor, runNode, userCredentialFor } from '../../support/harness.ts';
import { dropdowns, NEEDED, operations, type Operation } from '../../support/nodes.ts';
import { ownKey, ScriptedServer, sendJson, type Received } from '../../support/scriptedServer';
import { TriggerRig } from '../../support/trigger/rig.ts';
import { TARGETS, type Target } from '../../support/trigger/targets.ts';

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

/** Names of fields: the key itself, and inside others. */
const named = (key: string): IDataObject => ({
	[key]: key,
	[`my ${key}`]: 7,
	'ann@example.com': 7,
	[`${key}AtUtc`]: '2026-11-01T00:00:00',
	[`End${key}`]: '2026-11-01T00:00:00',
});
/** More than any message may quote. */
const long = (key: string) => `${'long name '.repeat(20)}${key.repeat(3)}${'x'.repeat(100_000)}`;
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

/** In answers that are read: every operation, trigger and dropdown meets them in its own way. */
const IN_ROWS: Record<string, Echo> = {
	'in names and values of rows': rows((key) => [row(key, 1), row(key, 2)]),
	'in a name of 100,000 characters': rows((key) => [row(key, 1, { [long(key)]: key })]),
	'as the Id': rows((key) => [row(key, key), row(key, `${key}2`)]),
	'as each status': rows((key) => [row(key, 1, { Status: key, NetworkStatus: key, StartedAtUtc: key })]),
	'in one row, again and again': rows((key) => [row(key, 1), row(key, 1)], { TotalCount: 70 }),
	'as the count': (key, request, response) =>
		rows((one) => [row(one, 1)], { TotalCount: key, [key]: key, next: key })(key, request, response),
	'as an entry that is no row': rows((key) => [key, { [key]: key }]),
};

/** In answers that no node can use: they become messages in one place. */
const IN_REFUSALS: Record<string, Echo> = {
	'in an object that is no list': body(200, named),
	'as the name of a list': body(200, (key) => ({ [key]: [{ [key]: key }], total: key })),
	'as JSON text': body(200, (key) => key),
	'in damaged JSON': text(200, (key) => `{"${key}":"${key}`),
	'in the title of a page': text(200, (key) => `<html><title>${key}</title>${key}</html>`, 'text/html'),
	'in a redirect': text(302, (key) => key),
	...Object.fromEntries(
		[202, 400, 401, 403, 404, 429, 500].map((status) => [`in a refusal ${status}`, body(status, refusal)]),
	),
	'in a refusal as text': text(400, (key) => `Property ${key} of ${long(key)}`),
	'in what the sign-in gives': (key, { method }, response) =>
		sendJson(response, method === 'POST' ? 200 : 401, { [key]: '', [`a ${key}`]: { [key]: 7 } }),
};
/** One list, one row, charge points, the export, and findings. */
const FEW: Operation[] = [
	{ type: 'chargingSessions', operation: 'getAll' },
	{ type: 'chargingStations', operation: 'get' },
	{ type: 'chargingStations', operation: 'getChargePoints' },
	{ type: 'chargingSessionsCsvExport', operation: 'exportByIds' },
	{ type: 'chargingNetworkList', operation: 'checkPlatform' },
];

const filters = { other: [{ field: 'Colour|text', textOperator: 'Eq', value: 'red' }] };
/** What the operations of all nodes need, and names that are not there. */
const PARAMETERS: INodeParameters = {
	...NEEDED,
	...{ groupBy: ['field'], groupByField: 'Nowhere', groupByDateField: 'StartedAtUtc', chargePointField: 'Nowhere' },
	statusField: 'Nowhere',
};

/** Whether a run shows the key, or is long; a word that begins like the key tells too much, too. */
function expectSilence(of: object, key: string, ...seen: unknown[]): void {
	expect({ of, shows: visibleText(...seen).includes(key.slice(0, 12)) }).toEqual({ of, shows: false });
}

/** A credential, with whose key each request is answered. */
function credentialOf(echo: Echo) {
	const apiKey = ownKey();
	server.script((request, response) => echo(apiKey, request, response));
	return { ...credentialFor({ baseUrl: server.baseUrl, key: apiKey }), apiKey };
}

async function runAll(echo: Echo, all: readonly Operation[]): Promise<void> {
	for (const { type, operation } of all) {
		const credential = credentialOf(echo);
		for (const more of [{}, { filters, returnAll: true }]) {
			const parameters = { operation, ...PARAMETERS, ...more };
			const { error, hints, json } = await runNode({ type, credential, parameters });
			// Findings are words of ours; other items are rows.
			const items = operation === 'checkPlatform' ? json : [];
			expectSilence({ type, operation }, credential.apiKey, error, hints, items);
			for (const { message } of hints) expect(message.length).toBeLessThan(5_000);
			expect(`${error?.message} ${error?.description}`.length).toBeLessThan(5_000);
		}
	}
}

async function watch(echo: Echo, { type, parameters }: Target): Promise<void> {
	const credential = credentialOf(echo);
	const settings = { ...parameters, statusField: 'Nowhere' };
	const rig = new TriggerRig('memory', settings, credential, {}, type);
	const thrown = await rig.activate().catch((error: NodeError) => error);
	if (!thrown) await rig.tick();
	const { error } = await runNode({ type, credential, parameters: settings, mode: 'manual' });
	expectSilence({ type }, credential.apiKey, thrown, rig.errors, rig.logs, error);
	expect(`${thrown?.message} ${thrown?.description}`.length).toBeLessThan(5_000);
}

describe.each(Object.entries(IN_ROWS))('a platform that repeats the key %s', (_, echo) => {
	it('no operation shows it', async () => await runAll(echo, await operations()), 120_000);

	it('no trigger shows it', async () => {
		for (const target of TARGETS) await watch(echo, target);
	}, 120_000);

	it('no report shows it, an e-mail address that is the name of a field, or the host; none is long', async () => {
		const credential = credentialOf(echo);
		const parameters = { ...PARAMETERS, operation: 'checkPlatform', checkedLists: 'other', result: 'oneReport' };
		const { json } = await runNode({ type: 'chargingNetworkList', credential, parameters });
		const { report } = (json as Array<{ report: string }>)[0] ?? { report: '' };
		expectSilence({ report }, credential.apiKey, report);
		expect(report).toContain('## Check Platform');
		expect(report.length).toBeLessThan(100_000);
		expect(report).not.toContain('ann@example');
		if (/answers and accepts/.test(report)) expect(report).not.toContain(new URL(server.baseUrl).host);
	}, 60_000);

	it('no dropdown that cannot be filled shows it', async () => {
		const credential = credentialOf(echo);
		for (const { where, load } of await dropdowns({ parameters: PARAMETERS, credential })) {
			const thrown = await load().catch((error: unknown) => error);
			if (thrown instanceof Error) expectSilence({ where }, credential.apiKey, thrown);
		}
	}, 60_000);
});

describe.each(Object.entries(IN_REFUSALS))('a platform that repeats the key %s', (_, echo) => {
	it('no node shows it', async () => {
		await runAll(echo, FEW);
		for (const target of TARGETS.slice(0, 1)) await watch(echo, target);
	});

	it('no message of a signed-in user shows the password or the token', async () => {
		const ask = async (secret: string, operation: string, password = secret) => {
			const user = { ...userCredentialFor(server), password };
			const parameters = { ...PARAMETERS, authentication: 'signedInUser', operation };
			const { error, hints } = await runNode({ type: 'chargingStations', credential: {}, user, parameters });
			expectSilence({ operation }, secret, error, hints);
		};
		const password = ownKey();
		server.script((request, response) => echo(password, request, response));
		await ask(password, 'count');
		const token = ownKey();
		server.script((request, response) => {
			if (request.method === 'POST') sendJson(response, 200, { token });
			else echo(token, request, response);
		});
		const another = ownKey();
		for (const operation of ['getAll', 'getChargePoints']) await ask(token, operation, another);
	});
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
