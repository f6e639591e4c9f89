import { exec, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ask, EXPORT, LOCATIONS, page, SESSIONS, STATIONS, type Envelope, type Reply } from './client.ts';
import { startPlatform } from './index.ts';
import type { StandIn } from './index.ts';

// That the stand-in is as specified. What its switches do is seen in the tests of the nodes that turn them.

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 200, stations: 5, idGaps: 4 });
});
beforeEach(() => platform.reset());
afterAll(() => platform.close());

const code = ({ json }: Reply) => (json as { Code?: string }).Code;
const statusOf = async (path: string, key?: string | null) => (await ask(platform, path, { key })).status;
const itemsOf = async (path: string) => (await page(platform, path, { Pager: { Take: 1000 } })).Items;

describe('keys', () => {
	test('need the scope of the endpoint; readwrite grants read, and the export is a read', async () => {
		const { secret: writer } = platform.createKey({ scopes: ['charging-sessions:readwrite'] });
		expect(await statusOf(SESSIONS, writer)).toBe(200);
		const { secret: stranger } = platform.createKey({ scopes: ['charging-stations:readwrite'] });
		const refused = await ask(platform, EXPORT, { key: stranger, body: { Ids: [1] } });
		expect([refused.status, code(refused)]).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT']);
		expect((await ask(platform, EXPORT, { body: { Ids: [1] } })).status).toBe(200);
		expect(await statusOf(LOCATIONS)).toBe(403);
	});

	test('get new scopes after a delay, and a new secret at once; revoked ones are unknown', async () => {
		const { id, secret } = platform.createKey({ scopes: ['charging-sessions:read'] });
		platform.rescope(id, ['charging-stations:read']);
		expect([await statusOf(SESSIONS, secret), await statusOf(STATIONS, secret)]).toEqual([200, 403]);
		platform.behaviour.scopeDelayMs = 0;
		expect([await statusOf(SESSIONS, secret), await statusOf(STATIONS, secret)]).toEqual([403, 200]);
		const renewed = platform.regenerate(id);
		expect([await statusOf(STATIONS, secret), await statusOf(STATIONS, renewed)]).toEqual([401, 200]);
		platform.revoke(id);
		expect([await statusOf(STATIONS, renewed), await statusOf(STATIONS, null)]).toEqual([401, 401]);
	});
});

test('a signed-in user reads with a token, and no record contains a secret', async () => {
	const signIn = async (changes: object) => {
		const body = { Email: 'admin@example.test', Password: 'correct-horse', ...changes };
		return await ask(platform, '/token', { key: null, body });
	};
	const { AccessToken: token } = (await signIn({})).json as { AccessToken: string };
	expect((await ask(platform, LOCATIONS, { key: null, token })).status).toBe(200);
	expect((await signIn({ Password: 'x' })).status).toBe(401);
	expect((await signIn({ Email: 'two-factor@example.test' })).status).toBe(202);
	await ask(platform, SESSIONS);
	const records = JSON.stringify(platform.requests);
	for (const secret of ['correct-horse', token, platform.key]) expect(records).not.toContain(secret);
});

test('refuses what there is not: 404 and 405, but 401 first for an unknown key', async () => {
	for (const path of [`${STATIONS}/999`, `${STATIONS}/one`, '/api/unknown/v1']) expect(await statusOf(path)).toBe(404);
	expect((await ask(platform, SESSIONS, { method: 'DELETE' })).status).toBe(405);
	expect(await statusOf('/api/unknown/v1', 'nobody')).toBe(401);
});

describe('rows', () => {
	test('are those of the specification, with others; a station has its details only alone', async () => {
		const [session] = await itemsOf(SESSIONS);
		expect(session).toMatchObject({ Id: expect.any(Number) as number, Status: expect.any(Number) as number });
		expect(session?.StartedAtUtc).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
		const [station] = await itemsOf(STATIONS);
		expect(station).not.toHaveProperty('EVSEs');
		const { json } = await ask(platform, `${STATIONS}/${String(station?.Id)}`);
		expect(json).toMatchObject({ ...station, EVSEs: expect.any(Array) as unknown[], Firmware: {}, Connectivity: {} });
		platform.db.exec(
			`INSERT INTO sessions (Id, Status, StartedAtUtc) VALUES (9007199254740993, 4, '2026-01-01T00:00:00')`,
		);
		const Filter = { Logic: 'And', Filters: [{ Field: 'Id', Operator: 'Eq', Value: '9007199254740993' }] };
		expect((await ask(platform, SESSIONS, { dsquery: { Filter } })).text).toContain('"Id":9007199254740993,');
	});

	test('of the other lists: no key for energy assets, text Ids for teams, none for billing; the audit trail grows', async () => {
		const scopes = ['teams', 'billing', 'audit-trail', 'energy-assets'].map((area) => `${area}:read`);
		const { secret: key } = platform.createKey({ name: 'reader', scopes });
		const list = async (area: string) => await ask(platform, `/api/${area}/v1`, { key });
		const first = async (area: string) => ((await list(area)).json as Envelope).Items[0];
		expect((await list('energy-assets')).status).toBe(401);
		expect((await first('teams'))?.Id).toBe('tea-000001');
		expect(await first('billing')).not.toHaveProperty('Id');
		platform.correctPrice(4, 12.5);
		const { text } = await list('audit-trail');
		expect(text).toContain('corrected the price of session 4 to 12.5');
		expect(text).toMatch(/"Actor":"reader","Action":"GET \/api\/teams\/v1","StatusCode":200/);
	});

	test('come as CSV, one record a session, each field as it is; unknown Ids are left out', async () => {
		platform.db.exec(`DELETE FROM sessions; INSERT INTO sessions VALUES
			(7, 4, 1.5, '2026-01-01T00:00:00', NULL, 1, 'A; "B", C', 2, ' Zoë ', 0.74, 'EUR', 1, 'two' || char(10) || 'lines')`);
		const { text } = await ask(platform, EXPORT, { body: { Ids: [7, 8, 7] } });
		expect(text).toBe(
			'Id,Status,EnergyConsumed,StartedAtUtc,EndedAtUtc,StationId,StationName,ConnectorNumber,UserName,Price,Currency,IsRoaming,Note\r\n' +
				'7,4,1.5,2026-01-01T00:00:00,,1,"A; ""B"", C",2, Zoë ,0.74,EUR,true,"two\nlines"\r\n',
		);
		for (const body of [{ Ids: ['1'] }, { Ids: [1.5] }, { ids: [1] }, '{"Ids":[1']) {
			expect((await ask(platform, EXPORT, { body })).status).toBe(400);
		}
	});
});

test('faults hit the requests they match, in order and as often as told', async () => {
	platform.faults.add({ kind: 'status', status: 503, times: 2, match: { path: SESSIONS } });
	platform.faults.add({ kind: 'status', status: 504, match: { method: 'GET' } });
	platform.faults.add({ kind: 'status', status: 500, match: ({ path }) => path === SESSIONS });
	platform.faults.add({ kind: 'status', status: 502, match: { nth: 6 } });
	const seen: number[] = [];
	for (const path of [SESSIONS, STATIONS, SESSIONS, SESSIONS, SESSIONS, SESSIONS, SESSIONS])
		seen.push(await statusOf(path));
	expect(seen).toEqual([503, 504, 503, 500, 200, 502, 200]);
	for (const kind of ['drop', 'dropMidBody'] as const) {
		platform.faults.add({ kind });
		await expect(ask(platform, SESSIONS)).rejects.toThrow(/other side closed/);
	}
	platform.faults.add({ kind: 'truncate' });
	expect((await ask(platform, SESSIONS)).json).toBeUndefined();
	platform.faults.add({ kind: 'drip', delayMs: 1 });
	expect((await ask(platform, SESSIONS)).json).toHaveProperty('Items');
});

test('reset restores rows, keys, behaviour and licence, and forgets requests and faults', async () => {
	const before = await itemsOf(SESSIONS);
	platform.db.exec('DELETE FROM sessions WHERE Id > 3');
	platform.behaviour.camelCase = true;
	platform.license.active = false;
	platform.faults.add({ kind: 'drop' });
	platform.revoke(platform.keyId);
	platform.reset();
	expect(platform.requests).toEqual([]);
	expect(await itemsOf(SESSIONS)).toEqual(before);
	expect(platform.behaviour.camelCase).toBe(false);
});

describe('by curl', () => {
	async function control(method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
		const { status, json } = await ask(platform, `/__control${path}`, { method, body });
		return { status, json: json as Record<string, unknown> };
	}

	test('switches are shown and changed; one that does not exist is refused by name', async () => {
		expect((await control('GET', '/behaviour')).json).toMatchObject({ latencyMs: 0, rateLimit: null });
		await control('PUT', '/behaviour', { camelCase: true, csv: { bom: true }, rateLimit: null });
		expect(platform.behaviour).toMatchObject({ camelCase: true, csv: { bom: true, delimiter: ',' } });
		const { status, json } = await control('PUT', '/behaviour', { csv: { boom: true } });
		expect([status, json.message]).toEqual([400, 'There is no switch "csv.boom"']);
	});

	test('faults, licence, keys, rows and sessions', async () => {
		await control('POST', '/faults', { kind: 'status', status: 503, times: null });
		expect([await statusOf(SESSIONS), await statusOf(SESSIONS)]).toEqual([503, 503]);
		await control('DELETE', '/faults');
		await control('PUT', '/license', { active: false });
		expect(await statusOf(SESSIONS)).toBe(403);
		await control('PUT', '/license', { active: true });
		await control('PATCH', '/rows/stations/2', { NetworkStatus: 7, EVSEs: [{ Id: 1 }] });
		expect((await control('PATCH', '/rows/stations/*', { Status: 2 })).json).toEqual({ changed: 5 });
		const { Id: started } = (await control('POST', '/sessions', { energy: 3.5 })).json;
		await control('PATCH', `/rows/sessions/${String(started)}`, { Status: 6 });
		expect((await itemsOf(SESSIONS)).at(-1)).toMatchObject({ Id: started, Status: 6, EnergyConsumed: 3.5 });
		expect((await itemsOf(STATIONS))[1]).toMatchObject({ NetworkStatus: 7, Status: 2 });
		const { secret } = (await control('POST', `/keys/${platform.keyId}/regenerate`)).json;
		expect([await statusOf(SESSIONS), await statusOf(SESSIONS, String(secret))]).toEqual([401, 200]);
	});

	test.each([
		['POST', '/faults', { kind: 'explode' }, 400],
		['PATCH', '/rows/stations/99', { Status: 1 }, 404],
		['PATCH', '/rows/stations/1', { Colour: 1 }, 400],
		['DELETE', '/keys/nobody', undefined, 404],
		['GET', '/nothing', undefined, 404],
	] as const)('%s %s %j is refused', async (method, path, body, status) => {
		expect((await control(method, path, body)).status).toBe(status);
	});
});

describe('npm run platform', () => {
	const CLI = [join('test', 'platform', 'cli.ts'), '--port', '0'];

	test('prints curl commands that work as printed', async () => {
		const child = spawn(process.execPath, [...CLI, '--sessions', '50', '--stations', '3', '--key', 'fixed']);
		let output = '';
		for await (const text of child.stdout) {
			output += String(text);
			if (output.includes('Ctrl+C')) break;
		}
		expect(output).toContain('fixed');
		const commands = output.split('\n').filter((line) => line.startsWith('  curl -s'));
		expect(commands.length).toBeGreaterThan(12);
		// A revoked key would end the others.
		for (const command of commands.filter((line) => !/keys|faults|license|rateLimit/.test(line))) {
			await promisify(exec)(`${command} -f -o /dev/null`);
		}
		child.kill('SIGTERM');
		expect(await once(child, 'exit')).toEqual([0, null]);
	});

	test.each([
		[['--behaviour', '{"colour":1}'], '"colour"'],
		[['--like', 'package.json'], 'no report of Check Platform'],
		[['--rows', 'UPDATE tokens SET Id = 1'], 'no such table: tokens'],
	])('says what is wrong with %j', async (args, text) => {
		const stderr = expect.stringContaining(text) as string;
		await expect(promisify(execFile)(process.execPath, [...CLI, ...args])).rejects.toMatchObject({ code: 1, stderr });
	});
});
