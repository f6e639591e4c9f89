import assert from 'node:assert/strict';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { after, it } from 'node:test';

import { N8nClient } from '../client.ts';
import { exampleFiles } from '../showcase.ts';
import { cleanEnvironment, REPOSITORY, until } from '../tools.ts';

/** A terminal in which `npm start` is ready. */
interface Terminal {
	/** npm's own process, which leads the terminal's foreground process group. */
	npm: number;
	url: string;
	/** The first capture group in what it printed. */
	find: (pattern: RegExp) => string;
	/** Waits for its end, and returns everything it printed. */
	ended: Promise<string>;
}

/** `npm start`, as it is run after cloning the repository. */
export function startTests(): void {
	const terminals: ChildProcess[] = [];
	after(() => terminals.forEach((terminal) => terminal.kill('SIGTERM')));

	async function start(): Promise<Terminal> {
		const terminal = spawn('npm', ['start', '--', '--sessions', '500', '--stations', '20'], {
			cwd: REPOSITORY,
			env: { ...cleanEnvironment(), TZ: 'UTC' },
			stdio: ['ignore', 'pipe', 'pipe'],
			detached: true,
		});
		terminals.push(terminal);
		let printed = '';
		const ended = new Promise<string>((resolve) => terminal.once('close', () => resolve(printed)));
		for (const stream of [terminal.stdout, terminal.stderr]) {
			stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
		}
		const isReady = () => {
			assert.equal(terminal.exitCode, null, printed);
			return printed.includes('Press Ctrl-C to stop.');
		};
		// As long as n8n may take to start.
		await until('it is ready', isReady, 600_000);
		const find = (pattern: RegExp) => pattern.exec(printed)?.[1] ?? '';
		return { npm: terminal.pid ?? 0, url: find(/^ {2}(http:\S+)$/m), find, ended };
	}

	async function assertStopped({ ended, url }: Terminal): Promise<void> {
		assert.match(await ended, /Everything is stopped/);
		await assert.rejects(fetch(url), 'n8n is still running');
	}

	it('prints the URL, the login and the key, has the examples in it, and ends with Ctrl-C', async () => {
		const terminal = await start();
		const { url, find } = terminal;
		const n8n = new N8nClient(url, { email: find(/E-mail +(\S+)/), password: find(/Password +(\S+)/) });
		await n8n.logIn();
		const workflows = await n8n.request<Array<{ id: string; tags: unknown[] }>>('GET', '/workflows');
		assert.equal(workflows.length, exampleFiles().length);
		assert.ok(
			workflows.every(({ tags }) => tags.length === 1),
			'a workflow has no tag',
		);
		const first = workflows.filter(({ id }) => find(new RegExp(`(/workflow/${id})`)) !== '');
		assert.equal(first.length, 3);
		const { timezone } = await n8n.request<{ timezone: string }>('GET', '/settings');
		const offered = await n8n.request<Record<string, string>>('GET', '/options/timezones');
		assert.ok(timezone in offered, `n8n does not offer the time zone ${timezone}`);

		const list = `${find(/Base URL +(\S+)/)}/api/charging-stations/v1`;
		assert.equal((await fetch(list, { headers: { 'API-KEY': find(/API key +(\S+)/) } })).status, 200);

		// What it prints to make things happen can be pasted.
		const offline = execFileSync('sh', ['-c', find(/goes offline:\n +(curl .+)$/m)]).toString();
		assert.deepEqual(JSON.parse(offline), { changed: 1 });

		// Ctrl-C reaches every process in the terminal's foreground.
		process.kill(-terminal.npm, 'SIGINT');
		await assertStopped(terminal);
	});

	it('ends when only npm gets the signal', async () => {
		const terminal = await start();
		process.kill(terminal.npm, 'SIGINT');
		await assertStopped(terminal);
	});
}
