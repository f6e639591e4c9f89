import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { after, it } from 'node:test';

import { N8nClient } from '../client.ts';
import { exampleFiles } from '../showcase.ts';
import { cleanEnvironment, REPOSITORY, until } from '../tools.ts';

/** `npm start`, as somebody runs it who has just cloned the repository. */
export function startTests(): void {
	let terminal: ChildProcess | undefined;
	after(() => terminal?.kill('SIGTERM'));

	it('prints where n8n is and who may log in, has the examples in it, and ends with Ctrl-C', async () => {
		terminal = spawn('npm', ['start', '--', '--sessions', '500', '--stations', '20'], {
			cwd: REPOSITORY,
			env: cleanEnvironment(),
			stdio: ['ignore', 'pipe', 'pipe'],
			detached: true,
		});
		let printed = '';
		const ended = new Promise((resolve) => terminal?.once('close', resolve));
		for (const stream of [terminal.stdout, terminal.stderr]) {
			stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
		}
		const find = (pattern: RegExp) => pattern.exec(printed)?.[1] ?? '';
		await until('it is ready', () => {
			assert.equal(terminal?.exitCode, null, printed);
			return printed.includes('Press Ctrl-C to stop.');
		});

		const url = find(/^ {2}(http:\S+)$/m);
		const n8n = new N8nClient(url, { email: find(/E-mail +(\S+)/), password: find(/Password +(\S+)/) });
		await n8n.logIn();
		const workflows = await n8n.request<unknown[]>('GET', '/workflows');
		assert.equal(workflows.length, exampleFiles().length);

		// Ctrl-C reaches every program of the terminal's foreground.
		process.kill(-(terminal.pid ?? 0), 'SIGINT');
		await ended;
		assert.match(printed, /Everything is stopped/);
		await assert.rejects(fetch(url), 'n8n is still running');
	});
}
