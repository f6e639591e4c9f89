import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { StandIn } from '../../platform/index.ts';
import { startPlatform } from '../../platform/index.ts';
import { installFastClock, type FastClock } from '../../support/clock.ts';
import { credentialFor, editorContext, runNode, userCredentialFor, type RunOptions } from '../../support/harness.ts';
import { visibleText } from '../../support/text.ts';
import { descriptions } from '../../support/nodes.ts';

const SESSIONS = 730;
const PASSWORD = 'correct-horse';
let platform: StandIn;
let clock: FastClock;
let user: ReturnType<typeof userCredentialFor>;

beforeAll(async () => {
	clock = installFastClock(10);
	platform = await startPlatform({ sessions: SESSIONS, stations: 12, locations: 30 });
});
afterAll(async () => {
	clock.restore();
	await platform.close();
});
let accounts = 0;
beforeEach(() => {
	platform.reset();
	// Holds outlive a test, so each test has its own account.
	const email = `person${++accounts}@example.test`;
	platform.users.push({ email, password: PASSWORD });
	user = { ...userCredentialFor(platform), email };
});

/** Runs a node as the signed-in user and checks that nothing n8n keeps of the run contains a secret. */
async function run(type: string, parameters: INodeParameters, options: Partial<RunOptions> = {}) {
	const result = await runNode({
		type,
		credential: { ...credentialFor(platform), apiKey: 'never-used' },
		user,
		parameters: { authentication: 'signedInUser', ...parameters },
		...options,
	});
	const seen = visibleText(result.run, result.items, result.error, result.error?.cause, result.hints);
	for (const secret of [PASSWORD, ...platform.tokens]) expect(seen).not.toContain(secret);
	return result;
}

const signIns = () => platform.requests.filter(({ path }) => path === '/token');
const others = () => platform.requests.filter(({ path }) => path !== '/token');
const idsOf = (rows: IDataObject[]) => rows.map(({ Id: id }) => id);
const allIds = () =>
	platform.db
		.prepare('SELECT Id FROM sessions ORDER BY Id')
		.all()
		.map(({ Id: id }) => id);
const everything = { operation: 'getAll', returnAll: true };
const said = ({ error }: Awaited<ReturnType<typeof run>>) => `${error?.message} ${error?.description}`;

it.each([
	['AccessToken', '{"AccessToken":"%TOKEN%"}', ''],
	['a path that the user gives', '{"a":{"key":"no"},"b":{"key":"%TOKEN%"}}', 'b.key'],
])('reads sessions with the token under %s', async (_, body, answerField) => {
	platform.behaviour.token.body = body;
	user.answerField = answerField;
	const { json, status } = await run('chargingSessions', { operation: 'getAll', limit: 3 });
	expect(status).toBe('success');
	expect(idsOf(json)).toEqual(allIds().slice(-3).reverse());
	expect(signIns()).toHaveLength(1);
	expect(others().every(({ keyName }) => keyName === user.email)).toBe(true);
});

it('locations, stations and the export work for the user, with one sign-in, and the rate limit is waited out', async () => {
	const headers = { 'retry-after': '5' };
	platform.faults.add({ kind: 'status', status: 429, headers, match: { path: '/api/' } });
	expect((await run('chargingLocations', everything)).json).toHaveLength(30);
	expect((await run('chargingStations', everything)).json).toHaveLength(12);
	const station = { operation: 'get', stationId: { __rl: true, mode: 'id', value: '3' } };
	expect((await run('chargingStations', station)).json[0]?.EVSEs).toBeDefined();
	const exported = await run('chargingSessionsCsvExport', { operation: 'exportByIds', sessionIds: '1,2,3' });
	expect(exported.json[0]?.sessionCount).toBe(3);
	// The token is kept in memory, so one sign-in is enough for all of them.
	expect(signIns()).toHaveLength(1);
});

it('a token that expires while pages are read is renewed, and every session is returned once', async () => {
	platform.behaviour.token.uses = 4;
	const parameters = { ...everything, options: { pageSize: 50, parallelRequests: 8 } };
	const { json, status } = await run('chargingSessions', parameters);
	expect(status).toBe('success');
	expect(idsOf(json)).toEqual(allIds());
	// When a token expires, only the requests under way are refused.
	const refused = others().filter(({ status: answered }) => answered === 401);
	expect(refused.length).toBeLessThanOrEqual(signIns().length * 8);
	expect(signIns().length).toBeGreaterThan(2);
	expect(signIns().length).toBeLessThanOrEqual(1 + Math.ceil(others().length / 4));
});

it.each<[string, () => void, RegExp]>([
	[
		'a wrong password, which the platform quotes',
		() => {
			user.password = 'Wrong-horse-7';
			platform.faults.add({ kind: 'status', status: 401, body: { Message: 'Wrong-horse-7 is not right' } });
		},
		/does not accept this email address and password/,
	],
	['two factors', () => (user.email = 'two-factor@example.test'), /second factor.*cannot be used unattended/s],
])('%s: a clear message, and Retry On Fail does not try a refused password again', async (_, spoil, message) => {
	spoil();
	const result = await run('chargingSessions', everything, { node: { retryOnFail: true, maxTries: 4 } });
	expect(said(result)).toMatch(message);
	expect(visibleText(result.run, result.error)).not.toContain('Wrong-horse-7');
	expect([signIns().length, others().length]).toEqual([1, 0]);
});

it.each(['/token', '/api/charging-sessions/v1'])(
	'a redirect of %s takes no password or token elsewhere',
	async (path) => {
		platform.faults.add({ kind: 'reply', status: 302, headers: { location: 'http://127.0.0.1:1/' }, match: { path } });
		expect(said(await run('chargingSessions', everything))).toMatch(/redirects to http:\/\/127\.0\.0\.1:1 /);
	},
);

it('a wrong password is tried once in five minutes by all runs together, and once by each run that a person starts', async () => {
	const right = user.password;
	user.password = 'Wrong-horse-7';
	const ask = async (mode?: 'manual') => said(await run('chargingSessions', { operation: 'count' }, { mode }));
	expect(await ask()).toMatch(/does not accept this email address and password.*in five minutes at the earliest/s);
	expect(await ask()).toMatch(/said so before, so nothing was sent this time\. The next request is possible at/);
	expect(signIns()).toHaveLength(1);
	await ask('manual');
	expect(signIns()).toHaveLength(2);
	clock.forward(6 * 60_000);
	await ask();
	await ask();
	expect(signIns()).toHaveLength(3);
	user.password = right;
	expect((await run('chargingSessions', { operation: 'count' })).json).toEqual([{ count: SESSIONS }]);
});

it('refuses an expression, because n8n authenticates all items with one credential', async () => {
	const result = await run(
		'chargingSessions',
		{ authentication: '={{ $json.who }}', operation: 'getAll', limit: 1 },
		{ items: [{ who: 'signedInUser' }, { who: 'apiKey' }] },
	);
	expect(said(result)).toMatch(/cannot sign in with.*Authentication/s);
	expect(platform.requests).toHaveLength(0);
});

describe('the dropdowns', () => {
	async function editor(type: string, password = PASSWORD) {
		const { context, nodeType } = await editorContext({
			type,
			credential: { ...credentialFor(platform), apiKey: 'never-used' },
			user: { ...user, password },
			parameters: { authentication: 'signedInUser', operation: 'getAll' },
		});
		const { loadOptions, listSearch } = nodeType.methods ?? {};
		return {
			fields: async () => (await loadOptions?.getFields?.call(context))?.map(({ value }) => value),
			stations: async () => (await listSearch?.searchStations?.call(context, ''))?.results,
		};
	}

	it('are filled with the chosen account; with a wrong password for the same e-mail address, a shared n8n does not show the fields of the rightful user', async () => {
		expect(await (await editor('chargingSessions')).fields()).toContain('StationName|text');
		expect(await (await editor('chargingStations')).stations()).toHaveLength(12);
		expect(others().every(({ keyName }) => keyName === user.email)).toBe(true);
		expect(await (await editor('chargingSessions', 'wrong')).fields()).not.toContain('StationName|text');
	});

	it('try a wrong password once in five minutes, however often they are opened', async () => {
		const { fields } = await editor('chargingSessions', 'wrong');
		for (let time = 0; time < 4; time++) {
			await fields();
			clock.forward(60_000);
		}
		expect(signIns()).toHaveLength(1);
	});
});

it('action nodes offer API key and signed-in user, triggers only the API key', async () => {
	const ofKey = ['chargingNetworkApi', ['apiKey']];
	const ofUser = ['chargingNetworkUserApi', ['signedInUser']];
	for (const { polling, credentials = [] } of await descriptions()) {
		const offered = credentials.map(({ name, displayOptions }) => [name, displayOptions?.show?.authentication]);
		expect(offered).toEqual(polling ? [['chargingNetworkApi', undefined]] : [ofKey, ofUser]);
	}
});
