/** Platforms that repeat the key wherever an answer can: rows are passed on, but no message, note or finding shows it. */
import type { ServerResponse } from 'node:http';
import type { IDataObject, INodeParameters, NodeError } from 'n8n-workflow';

import { installFastClock, type FastClock } from '../../support/clock.ts';
import { visibleText } from '../../support/text.ts';
import { credentialFor, runNode, userCredentialFor } from '../../support/harness.ts';
import { dropdowns, NEEDED, operations, type Operation } from '../../support/nodes.ts';
import { ownKey, ScriptedServer, sendJson, sendRows, type Received } from '../../support/scriptedServer';
import { TriggerRig } from '../../support/trigger/rig.ts';
import { TARGETS, type Target } from '../../support/trigger/targets.ts';

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

/** Names of fields: the key itself, inside others, and in more than any message may quote. */
const named = (key: string): IDataObject => ({
	[key]: key,
	[`my ${key}`]: 7,
	[`${'long name '.repeat(20)}${key.repeat(3)}${'x'.repeat(10_000)}`]: key,
	'ann@example.com': 7,
	[`End${key}`]: '2026-11-01T00:00:00',
});
const row = (key: string, id: unknown, more: IDataObject = {}) => ({
	Id: id,
	Name: key,
	Status: 4,
	NetworkStatus: 2,
	EnergyConsumed: 5,
	StartedAtUtc: '2026-11-01T00:00:00',
	...named(key),
	EVSEs: [named(key), { ...named(key), Id: key }],
	...more,
});
const HEADERS = (key: string) => ({
	'content-type': `application/json; charset=${key}`,
	'x-ratelimit': key,
	date: key,
	'retry-after': '600',
	link: `<${key}>; rel="next"`,
});
const rows = (make: (key: string) => unknown, more: (key: string) => IDataObject = () => ({})): Echo => {
	return (key, { url, method }, response) => {
		if (method === 'POST') return void response.end(`${key};${key}\r\n1;${key}\r\n${key};2\r\n`);
		const isDetail = /\/v1\/./.test(url.pathname);
		sendJson(response, 200, isDetail ? row(key, 1) : { Items: make(key), TotalCount: 2, ...more(key) }, HEADERS(key));
	};
};
const body = (status: number, make: (key: string) => unknown): Echo => {
	return (key, _, response) => sendJson(response, status, make(key), HEADERS(key));
};
const refusal = (key: string) => ({ [key]: key, Code: `CODE_${key}`, Message: `The property '${key}' is not ${key}` });

/** In answers that are read: every operation, trigger and dropdown meets them in its own way. */
const IN_ROWS: Array<[string, Echo]> = [
	['in names and values of rows', rows((key) => [row(key, 1), row(key, 2)])],
	['as the Id', rows((key) => [row(key, key), row(key, `${key}2`)])],
	['as each status', rows((key) => [row(key, 1, { Status: key, NetworkStatus: key, StartedAtUtc: key })])],
	[
		'as the count',
		rows(
			(key) => [row(key, 1)],
			(key) => ({ TotalCount: key, [key]: key, next: key }),
		),
	],
];

/** In answers that no node can use: they become messages in one place. */
const IN_REFUSALS: Array<[string, Echo]> = [
	['as an entry that is no row', rows((key) => [key, { [key]: key }])],
	['in an object that is no list', body(200, named)],
	[
		'in a page, and where it redirects',
		(key, _, response) => {
			const headers = { 'content-type': 'text/html', location: `https://${key}.example/${key}` };
			response.writeHead(302, headers).end(`<html><title>${key}</title>${key}</html>`);
		},
	],
	...[400, 401, 403, 429, 500].map((status): [string, Echo] => [`in a refusal ${status}`, body(status, refusal)]),
	[
		'in what the sign-in gives',
		(key, { method }, response) =>
			sendJson(response, method === 'POST' ? 200 : 401, { [key]: '', [`a ${key}`]: { [key]: 7 } }),
	],
];
/** One list, one row, the export, and findings. */
const FEW: Operation[] = [
	{ type: 'chargingSessions', operation: 'getAll' },
	{ type: 'chargingStations', operation: 'get' },
	{ type: 'chargingSessionsCsvExport', operation: 'exportByIds' },
	{ type: 'chargingNetworkList', operation: 'checkPlatform' },
];

const filters = { other: [{ field: 'Colour|text', textOperator: 'Eq', value: 'red' }] };
/** What the operations of all nodes need, and names that are not there. */
const PARAMETERS: INodeParameters = {
	...NEEDED,
	groupBy: ['field'],
	groupByField: 'Nowhere',
	groupByDateField: 'StartedAtUtc',
	chargePointField: 'Nowhere',
	statusField: 'Nowhere',
};

/** Whether a run shows the key, or an e-mail address, or a message is long; what begins like the key tells too much, too. */
function expectSilence(of: object, key: string, thrown: unknown, ...seen: unknown[]): void {
	const { message, description } = (thrown ?? {}) as Partial<NodeError>;
	const text = visibleText(thrown, ...seen);
	const shows = [key.slice(0, 12), 'ann@example'].filter((secret) => text.includes(secret));
	expect({ of, shows, isLong: `${message} ${description}`.length > 5_000 }).toEqual({ of, shows: [], isLong: false });
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
		const report = { checkedLists: 'other', result: 'oneReport' };
		for (const more of [{}, operation === 'checkPlatform' ? report : { filters, returnAll: true }]) {
			const parameters = { operation, ...PARAMETERS, ...more };
			const { error, hints, json } = await runNode({ type, credential, parameters });
			// Findings are words of ours; other items are rows.
			const items = operation === 'checkPlatform' ? json : [];
			expectSilence({ type, operation }, credential.apiKey, error, hints, items);
			for (const { message } of hints) expect(message.length).toBeLessThan(5_000);
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
}

describe.each(IN_ROWS)('a platform that repeats the key %s', (_, echo) => {
	it('no operation shows it', async () => await runAll(echo, await operations()), 120_000);

	it('no trigger shows it', async () => {
		for (const target of TARGETS) await watch(echo, target);
	}, 120_000);

	it('no dropdown that cannot be filled shows it', async () => {
		const credential = credentialOf(echo);
		for (const { where, load } of await dropdowns({ parameters: PARAMETERS, credential })) {
			const thrown = await load().catch((error: unknown) => error);
			if (thrown instanceof Error) expectSilence({ where }, credential.apiKey, thrown);
		}
	}, 60_000);
});

describe.each(IN_REFUSALS)('a platform that repeats the key %s', (_, echo) => {
	it('no node shows it', async () => {
		await runAll(echo, FEW);
		for (const target of TARGETS.slice(0, 1)) await watch(echo, target);
	});

	it('no message of a signed-in user shows the password or the token', async () => {
		const [password, token] = [ownKey(), ownKey()];
		for (const secret of [password, token]) {
			server.script((request, response) => {
				if (secret === token && request.method === 'POST') sendJson(response, 200, { token });
				else echo(secret, request, response);
			});
			const user = { ...userCredentialFor(server), password: secret === token ? ownKey() : password };
			const parameters = { ...PARAMETERS, authentication: 'signedInUser', operation: 'getAll' };
			const { error, hints } = await runNode({ type: 'chargingStations', credential: {}, user, parameters });
			expectSilence({ secret }, secret, error, hints);
		}
	});
});

it('a key that is a word of our sentences is hidden in what is quoted alone, in messages and notes', async () => {
	const credential = credentialFor({ baseUrl: server.baseUrl, key: 'platform' });
	const parameters = { operation: 'getAll', filters: { status: [{ operator: 'In', values: ['6'] }] } };
	const ask = async (others: number) => {
		const all = Array.from({ length: others }, (_, index) => ({ Id: `a${index}`, Status: 6 }));
		server.script((_, response) => sendRows(response, [...all, { Id: 'platform', Status: 4 }]));
		return await runNode({ type: 'chargingSessions', credential, parameters });
	};
	expect((await ask(0)).error?.message).toMatch(
		/^Session “\[hidden\]” has Status 4, but .* was asked for: the platform does not apply the condition/,
	);
	const notes = (await ask(40)).hints.map(({ message }) => message);
	expect(notes).toEqual([expect.stringMatching(/^Session “\[hidden\]” has Status 4.*it may just have changed/)]);
});
