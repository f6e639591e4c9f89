import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { request } from 'undici';

import { ask, EXPORT, LOCATIONS, page, SESSIONS, STATIONS, type Envelope, type Reply } from './client.ts';
import { startPlatform } from './index.ts';
import type { StandIn } from './index.ts';
import { liveSessions } from './live.ts';

// That the stand-in is as specified. What its switches do is seen in the tests of the nodes that turn them.

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 200, stations: 5, idGaps: 4 });
});
beforeEach(() => platform.reset());
afterAll(() => platform.close());

const code = ({ json }: Reply) => (json as { Code?: string }).Code;
const statusOf = async (path: string, key?: string | null) => (await ask(platform, path, { key })).status;
const statuses = async (count: number, key?: string) => {
	const seen: number[] = [];
	for (let index = 0; index < count; index++) seen.push(await statusOf(SESSIONS, key));
	return seen;
};
const itemsOf = async (path: string) => (await page(platform, path, { Pager: { Skip: 0, Take: 1000 } })).Items;

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
	const body = { Email: 'admin@example.test', Password: 'correct-horse' };
	const { json } = await ask(platform, '/token', { key: null, body });
	const headers = { authorization: `Bearer ${(json as { AccessToken: string }).AccessToken}` };
	expect((await ask(platform, LOCATIONS, { key: null, headers })).status).toBe(200);
	expect((await ask(platform, '/token', { key: null, body: { ...body, Password: 'x' } })).status).toBe(401);
	expect(
		(await ask(platform, '/token', { key: null, body: { ...body, Email: 'two-factor@example.test' } })).status,
	).toBe(202);
	await ask(platform, SESSIONS);
	const records = JSON.stringify(platform.requests);
	for (const secret of ['correct-horse', headers.authorization, platform.key]) expect(records).not.toContain(secret);
});

test('refuses what there is not: 404 and 405, but 401 first for an unknown key', async () => {
	const paths = [`${STATIONS}/999`, `${STATIONS}/one`, '/api/unknown/v1'];
	expect(await Promise.all(paths.map((path) => statusOf(path)))).toEqual([404, 404, 404]);
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
		expect((await first('teams'))?.Id).toBe('team-000001');
		expect(await first('billing')).not.toHaveProperty('Id');
		platform.correctPrice(4, 12.5);
		expect((await list('audit-trail')).text).toContain('corrected the price of session 4 to 12.5');
	});

	test('come as CSV, one record a session, each field as it is; unknown Ids are left out', async () => {
		const items = await itemsOf(SESSIONS);
		const { status, text } = await ask(platform, EXPORT, {
			body: { Ids: [...items.map(({ Id }) => Id), items[0]?.Id, 99_999] },
		});
		const records: Array<Record<string, string>> = parse(text, { columns: true });
		expect([status, records.length]).toEqual([200, 200]);
		for (const [index, item] of items.entries()) {
			for (const [name, value] of Object.entries(item)) {
				const written = records[index]?.[name] ?? '';
				const same =
					typeof value === 'number'
						? Number(written) === value
						: written === String((value as string | boolean | null) ?? '');
				expect([name, value, written, same]).toEqual([name, value, written, true]);
			}
		}
		for (const body of [{ Ids: ['1'] }, { Ids: [1.5] }, { ids: [1] }, '{"Ids":[1']) {
			expect((await ask(platform, EXPORT, { body })).status).toBe(400);
		}
	});
});

test('faults hit the requests they match, in order and as often as told', async () => {
	platform.faults.add({ kind: 'status', status: 503, times: 2, match: { path: SESSIONS } });
	platform.faults.add({ kind: 'status', status: 504, match: { method: 'get' } });
	platform.faults.add({ kind: 'truncate', match: ({ dsquery }) => dsquery !== undefined });
	const seen: number[] = [];
	for (const path of [SESSIONS, STATIONS, SESSIONS, SESSIONS]) seen.push(await statusOf(path));
	expect(seen).toEqual([503, 504, 503, 200]);
	expect((await ask(platform, SESSIONS, { dsquery: {} })).json).toBeUndefined();
	expect((await ask(platform, SESSIONS, { dsquery: {} })).status).toBe(200);
	platform.faults.add({ kind: 'status', status: 500, match: { nth: 2 } });
	expect(await statuses(3)).toEqual([200, 500, 200]);
	platform.faults.add({ kind: 'drop' });
	await expect(ask(platform, SESSIONS)).rejects.toThrow(/other side closed/);
	platform.faults.add({ kind: 'stall', delayMs: 60_000 });
	await expect(ask(platform, SESSIONS, { signal: AbortSignal.timeout(300) })).rejects.toThrow();
});

test('reset restores rows, keys, behaviour and licence, and forgets requests and faults', async () => {
	const before = await itemsOf(SESSIONS);
	platform.db.exec('DELETE FROM sessions WHERE Id > 3');
	platform.behaviour.errorBody = 'text';
	platform.license.active = false;
	platform.faults.add({ kind: 'drop' });
	platform.revoke(platform.keyId);
	platform.reset();
	expect(platform.requests).toEqual([]);
	expect(await itemsOf(SESSIONS)).toEqual(before);
	expect(platform.behaviour.errorBody).toBe('flat');
});

test('live sessions start and end by themselves until stopped', () => {
	jest.useFakeTimers();
	const end = liveSessions(platform, 60);
	const count = (where = '') =>
		Number(platform.db.prepare(`SELECT count(*) AS n FROM sessions WHERE EndedAtUtc > '2026-11-21' ${where}`).get()?.n);
	jest.advanceTimersByTime(20 * 60_000);
	end();
	const ended = count();
	expect(ended).toBeGreaterThan(400);
	jest.advanceTimersByTime(60_000);
	expect(count()).toBe(ended);
	jest.useRealTimers();
});

describe('by curl', () => {
	async function control(method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
		const answer = await request(`${platform.baseUrl}/__control${path}`, {
			method,
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		return { status: answer.statusCode, json: (await answer.body.json()) as Record<string, unknown> };
	}

	test('switches are shown and changed; one that does not exist is refused by name and changes nothing', async () => {
		expect((await control('GET', '/behaviour')).json).toMatchObject({ latencyMs: 0, rateLimit: null });
		await control('PUT', '/behaviour', { errorBody: 'text', csv: { bom: true } });
		expect(platform.behaviour).toMatchObject({ errorBody: 'text', csv: { bom: true, delimiter: ',' } });
		for (const [changes, name] of [
			[{ latencyMs: 5, latency: 5 }, 'latency'],
			[{ csv: { bom: false, boom: true } }, 'csv.boom'],
		] as const) {
			const { status, json } = await control('PUT', '/behaviour', changes);
			expect([status, json.message]).toEqual([400, expect.stringContaining(`"${name}"`)]);
		}
		expect(platform.behaviour).toMatchObject({ latencyMs: 0, csv: { bom: true } });
	});

	test('faults, licence, keys, rows and sessions', async () => {
		await control('POST', '/faults', { kind: 'status', status: 503, times: null });
		expect(await statuses(2)).toEqual([503, 503]);
		await control('DELETE', '/faults');
		await control('PUT', '/license', { active: false });
		expect(await statuses(1)).toEqual([403]);
		await control('PUT', '/license', { active: true });
		const { secret } = (await control('POST', `/keys/${platform.keyId}/regenerate`)).json;
		expect([await statusOf(SESSIONS), await statusOf(SESSIONS, String(secret))]).toEqual([401, 200]);
		await control('PATCH', '/rows/stations/2', { NetworkStatus: 7, EVSEs: [{ Id: 1 }] });
		expect((await control('PATCH', '/rows/stations/*', { Status: 2 })).json).toEqual({ changed: 5 });
		const started = (await control('POST', '/sessions', { energy: 3.5 })).json.Id;
		await control('POST', `/sessions/${String(started)}/end`, { outcome: 'failed' });
		expect(platform.db.prepare('SELECT * FROM sessions WHERE Id = ?').get(Number(started))).toMatchObject({
			...{ Status: 6, EnergyConsumed: 3.5, EndedAtUtc: expect.stringMatching(/^\d{4}-/) as string },
		});
		expect(platform.db.prepare('SELECT NetworkStatus, Status FROM stations WHERE Id = 2').get()).toEqual({
			...{ NetworkStatus: 7, Status: 2 },
		});
		for (const [method, path, body, status] of [
			['POST', '/faults', { kind: 'explode' }, 400],
			['PATCH', '/rows/stations/99', { Status: 1 }, 404],
			['PATCH', '/rows/stations/1', { Colour: 1 }, 400],
			['POST', '/sessions/99999/end', {}, 404],
			['DELETE', '/keys/nobody', undefined, 404],
		] as const) {
			expect([path, (await control(method, path, body)).status]).toEqual([path, status]);
		}
	});
});

describe('npm run platform', () => {
	/** Runs the command until it prints `until` (or exits), calls `work`, stops it and returns its exit code. */
	async function run(
		args: readonly string[],
		until: RegExp | undefined,
		work: (output: string) => Promise<void> | void,
	) {
		const cli = [join('test', 'platform', 'cli.ts'), '--port', '0', ...args];
		const child = spawn(join('node_modules', '.bin', 'node'), cli, { stdio: ['ignore', 'pipe', 'pipe'] });
		const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
		let output = '';
		await new Promise<void>((resolve) => {
			for (const stream of [child.stdout, child.stderr]) {
				stream.setEncoding('utf8').on('data', (text: string) => {
					output += text;
					if (until?.test(output)) resolve();
				});
			}
			child.once('exit', () => resolve());
		});
		try {
			await work(output);
		} finally {
			child.kill('SIGTERM');
		}
		return await exit;
	}

	test('prints curl commands that work as printed', async () => {
		const code_ = await run(['--sessions', '50', '--stations', '3', '--key', 'fixed'], /Ctrl\+C/, async (output) => {
			expect(output).toContain('fixed');
			const commands = output.split('\n').filter((line) => line.startsWith('  curl -s'));
			expect(commands.length).toBeGreaterThan(12);
			// A revoked key would end the others.
			for (const command of commands.filter((line) => !/keys|faults|license|rateLimit/.test(line))) {
				const child = spawn('sh', ['-c', `${command} -f -o /dev/null`]);
				const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
				expect([command, code]).toEqual([command, 0]);
			}
		});
		expect(code_).toBe(0);
	});

	test.each([
		[['--behaviour', '{"colour":1}'], '"colour"'],
		[['--like', 'package.json'], 'no report of Check Platform'],
	])('says what is wrong with %j', async (args, text) => {
		expect(await run(args, undefined, (output) => expect(output).toContain(text))).toBe(1);
	});
});
