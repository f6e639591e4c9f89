import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { request } from 'undici';

import { ask, page, SESSIONS, STATIONS } from './client.ts';
import { startPlatform } from './index.ts';
import { liveSessions } from './live.ts';
import type { StandIn } from './index.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 20, stations: 4 });
});
beforeEach(() => platform.reset());
afterAll(() => platform.close());

async function control(method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown) {
	const answer = await request(`${platform.baseUrl}/__control${path}`, {
		method,
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	return { status: answer.statusCode, json: await answer.body.json() };
}

test('behaviour is shown in full and changed switch by switch', async () => {
	const { json } = await control('GET', '/behaviour');
	expect(json).toMatchObject({ latencyMs: 0, rateLimit: null, takeClamp: null, csv: { bom: false } });
	const rateLimit = { limit: 1, windowMs: 60_000, window: 'fixed', retryAfter: 'seconds' };
	await control('PUT', '/behaviour', { rateLimit, errorBody: 'text', csv: { bom: true } });
	expect(platform.behaviour).toMatchObject({ errorBody: 'text', csv: { bom: true, delimiter: ',' } });
	expect([(await ask(platform, SESSIONS)).status, (await ask(platform, SESSIONS)).status]).toEqual([200, 429]);
	await control('PUT', '/behaviour', { rateLimit: null });
	expect((await ask(platform, SESSIONS)).status).toBe(200);
});

test('a switch that does not exist is refused by name and changes nothing', async () => {
	for (const [changes, name] of [
		[{ latencyMs: 5, latency: 5 }, 'latency'],
		[{ csv: { bom: true, boom: true } }, 'csv.boom'],
	] as const) {
		expect(await control('PUT', '/behaviour', changes)).toMatchObject({
			status: 400,
			json: { message: expect.stringContaining(`"${name}"`) as string },
		});
	}
	expect(platform.behaviour).toMatchObject({ latencyMs: 0, csv: { bom: false } });
});

test('faults are queued, shown and cleared', async () => {
	expect(await control('POST', '/faults', { kind: 'status', status: 503, times: null })).toMatchObject({
		status: 201,
		json: [{ fault: { kind: 'status', status: 503 } }],
	});
	expect([(await ask(platform, SESSIONS)).status, (await ask(platform, STATIONS)).status]).toEqual([503, 503]);
	await control('DELETE', '/faults');
	expect((await ask(platform, SESSIONS)).status).toBe(200);
	expect(await control('POST', '/faults', { kind: 'explode' })).toMatchObject({ status: 400 });
});

test('sessions can be started and ended', async () => {
	const { status, json } = await control('POST', '/sessions', { minutesAgo: 90, energy: 3.5 });
	const { Id: id } = json as { Id: number };
	expect([status, id]).toEqual([201, 21]);
	const newest = async () =>
		(await page(platform, SESSIONS, { Sort: { Sorts: [{ Field: 'Id', Dir: 'Desc' }] }, Pager: { Skip: 0, Take: 1 } }))
			.Items[0];
	const started = await newest();
	expect(started).toMatchObject({ Id: id, Status: 1, EnergyConsumed: 3.5, EndedAtUtc: null });
	const minutes = (Date.now() - Date.parse(`${String(started?.StartedAtUtc)}Z`)) / 60_000;
	expect(Math.round(minutes)).toBe(90);
	await control('POST', `/sessions/${id}/end`, { outcome: 'failed' });
	expect(await newest()).toMatchObject({ Id: id, Status: 6, EndedAtUtc: expect.stringMatching(/^\d{4}-/) as string });
	expect(await control('POST', '/sessions/999/end')).toMatchObject({ status: 404 });
	expect(await control('POST', `/sessions/${id}/end`, { outcome: 'exploded' })).toMatchObject({ status: 400 });
	expect(await control('POST', '/sessions', { minutes: 5 })).toMatchObject({ status: 400 });
});

test('live sessions start and end by themselves until stopped', () => {
	jest.useFakeTimers();
	const end = liveSessions(platform, 60);
	jest.advanceTimersByTime(20 * 60_000);
	end();
	const count = (where: string) =>
		Number(platform.db.prepare(`SELECT count(*) AS n FROM sessions WHERE Id > 20 ${where}`).get()?.n);
	const [all, over] = [count(''), count('AND Status IN (4, 5, 6)')];
	expect(all).toBeGreaterThan(800);
	expect(over).toBeGreaterThan(all / 2);
	expect(over).toBeLessThan(all);
	jest.advanceTimersByTime(60_000);
	expect(count('')).toBe(all);
	jest.useRealTimers();
});

test('the licence and the keys can be changed', async () => {
	await control('PUT', '/license', { active: false });
	expect((await ask(platform, SESSIONS)).status).toBe(403);
	await control('PUT', '/license', { active: true });
	expect(await control('PUT', '/license', { active: 'yes' })).toMatchObject({ status: 400 });

	const created = await control('POST', '/keys', { name: 'second', role: 'Accountant', scopes: [], secret: 'known' });
	expect(created).toMatchObject({ status: 201, json: { name: 'second', secret: 'known' } });
	const { id } = created.json as { id: string };
	expect((await ask(platform, SESSIONS, { key: 'known' })).status).toBe(403);
	platform.behaviour.scopeDelayMs = 0;
	await control('PUT', `/keys/${id}`, { scopes: ['charging-sessions:read'] });
	expect((await ask(platform, SESSIONS, { key: 'known' })).status).toBe(200);
	const { secret: key } = (await control('POST', `/keys/${id}/regenerate`)).json as { secret: string };
	expect((await ask(platform, SESSIONS, { key: 'known' })).status).toBe(401);
	expect((await ask(platform, SESSIONS, { key })).status).toBe(200);
	await control('DELETE', `/keys/${id}`);
	expect((await ask(platform, SESSIONS, { key })).status).toBe(401);
	expect((await control('GET', '/keys')).json).toContainEqual(
		expect.objectContaining({ name: 'second', revoked: true }),
	);
	expect((await control('DELETE', '/keys/nobody')).status).toBe(404);
});

test('rows are added, changed one by one or all, and removed', async () => {
	await control('PATCH', '/rows/stations/2', { NetworkStatus: 7, HardwareStatus: null });
	expect((await ask(platform, `${STATIONS}/2`)).json).toMatchObject({ NetworkStatus: 7, HardwareStatus: null });
	expect(await control('PATCH', '/rows/stations/*', { NetworkStatus: 1 })).toMatchObject({ json: { changed: 4 } });
	const started = { StartedAtUtc: '2026-11-20T00:00:00', Status: 1, IsRoaming: true };
	expect(await control('POST', '/rows/sessions', started)).toMatchObject({ status: 201, json: { Id: 21 } });
	const last = await page(platform, SESSIONS, { Pager: { Skip: 20, Take: 1 } });
	expect(last.Items).toMatchObject([{ Id: 21, IsRoaming: true }]);
	await control('DELETE', '/rows/sessions/21');
	expect((await page(platform, SESSIONS)).TotalCount).toBe(20);
	expect((await control('GET', '/audit')).json).toContainEqual(
		expect.objectContaining({ actor: 'operator portal', action: 'removed sessions/21' }),
	);
	expect((await control('PATCH', '/rows/stations/99', { Status: 1 })).status).toBe(404);
	expect((await control('PATCH', '/rows/stations/1', { Colour: 1 })).status).toBe(400);
	expect((await control('PATCH', '/rows/people/1', { Name: 'x' })).status).toBe(404);
});

test('the request list leaves out calls to the control API, and reset restores the rows', async () => {
	await ask(platform, SESSIONS);
	expect((await control('GET', '/requests')).json).toMatchObject([{ path: SESSIONS, status: 200 }]);
	expect((await control('GET', `/requests?since=${Date.now() + 1000}`)).json).toEqual([]);
	await control('DELETE', '/requests');
	expect(platform.requests).toEqual([]);
	await control('PATCH', '/rows/stations/*', { NetworkStatus: 9 });
	await control('POST', '/reset');
	expect((await page(platform, STATIONS)).Items).not.toContainEqual(expect.objectContaining({ NetworkStatus: 9 }));
	expect((await control('GET', '/nothing')).status).toBe(404);
});

describe('npm run platform', () => {
	const node = join('node_modules', '.bin', 'node');
	const cli = join('test', 'platform', 'cli.ts');

	/** Runs the command until it prints `until` (or exits), calls `work`, stops it and returns its exit code. */
	async function run(
		args: string[],
		until: RegExp | undefined,
		work: (output: string) => Promise<void>,
	): Promise<number | null> {
		const child = spawn(node, [cli, '--port', '0', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
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

	test('--json prints a line of JSON with the key, and the platform has the rows asked for', async () => {
		const args = ['--json', '--sessions', '7', '--stations', '3', '--key', 'fixed', '--behaviour', '{"idType":"text"}'];
		const code = await run(args, /\n/, async (output) => {
			const { baseUrl, key } = JSON.parse(output) as { baseUrl: string; key: string };
			expect(key).toBe('fixed');
			const answer = await request(`${baseUrl}${SESSIONS}`, { headers: { 'api-key': key } });
			expect(await answer.body.json()).toMatchObject({
				TotalCount: 7,
				Items: [{ Id: 'ses-000001' }, {}, {}, {}, {}, {}, {}],
			});
		});
		expect(code).toBe(0);
	});

	test('prints curl commands that work as printed', async () => {
		await run(['--sessions', '50', '--stations', '3'], /Ctrl\+C/, async (output) => {
			expect(output).toContain('/__control/faults');
			const commands = output
				.split('\n')
				.filter((line) => line.startsWith('  curl -sG') || line.startsWith('  curl -s -H'));
			expect(commands.length).toBeGreaterThanOrEqual(5);
			for (const command of commands) {
				const child = spawn('sh', ['-c', `${command} -f -o /dev/null`]);
				const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
				expect([command, code]).toEqual([command, 0]);
			}
		});
	});

	test('says what is wrong with an option', async () => {
		for (const [args, text] of [
			[['--sessions', 'many'], 'whole number'],
			[['--behaviour', '{"colour":1}'], '"colour"'],
			[['--now', 'today'], 'YYYY-MM-DDThh:mm:ss'],
		] as const) {
			const code = await run([...args], undefined, (output) => {
				expect(output).toContain(text);
				return Promise.resolve();
			});
			expect(code).toBe(1);
		}
	});
});
