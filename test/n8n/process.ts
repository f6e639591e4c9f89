import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { N8nInstallation } from './install.ts';

interface N8nProcessOptions {
	installation: N8nInstallation;
	/** The arguments of n8n's command-line program, for instance `['start']`. */
	args: readonly string[];
	/** The folder it keeps everything in. Removed by `dispose`. */
	userFolder: string;
	/** What it prints once it is ready. */
	readyLine: string;
}

/** Very generous: a start takes seconds, and minutes only on a busy machine. */
const STARTUP_MS = 600_000;
/** Half a minute by default in n8n; the queue mode tests set 150 s. */
const SHUTDOWN_MS = 180_000;
const POLL_MS = 200;
const LOG_TAIL_CHARS = 4000;

/**
 * One n8n program on this machine, which can be started, stopped, killed and started again. Always `dispose` it at the
 * end; if our process ends without it, the program is killed and its folder removed.
 */
export class N8nProcess {
	/** Everything it printed, restarts included. */
	readonly logFile: string;
	private readonly options: N8nProcessOptions;
	private server: ChildProcess | undefined;

	constructor(options: N8nProcessOptions) {
		this.options = options;
		this.logFile = join(options.userFolder, 'n8n.log');
		process.once('exit', this.killAndRemove);
	}

	/**
	 * Starts it and waits until it is ready.
	 *
	 * @throws with the end of its log if it exits or is not ready within ten minutes
	 */
	async start(env: NodeJS.ProcessEnv): Promise<void> {
		const { installation, args, userFolder, readyLine } = this.options;
		const printedBefore = this.log().length;
		const log = openSync(this.logFile, 'a');
		// Its own process group: a Ctrl-C in the terminal reaches only us, and we stop n8n cleanly.
		const server = spawn(process.execPath, [installation.bin, ...args], {
			cwd: userFolder,
			env,
			stdio: ['ignore', log, log],
			detached: true,
		});
		closeSync(log);
		this.server = server;
		const name = `n8n ${args.join(' ')}`;
		const deadline = Date.now() + STARTUP_MS;
		while (!this.log().slice(printedBefore).includes(readyLine)) {
			if (!isRunning(server)) throw new Error(`"${name}" ended while starting:\n${this.logTail()}`);
			if (Date.now() > deadline) throw new Error(`"${name}" was not ready within ten minutes:\n${this.logTail()}`);
			await sleep(POLL_MS);
		}
	}

	/** Asks it to shut down and waits for it. Kills it after three minutes. */
	async stop(): Promise<void> {
		const server = this.server;
		if (!server || !isRunning(server)) return;
		const ended = new Promise((resolve) => server.once('exit', resolve));
		server.kill('SIGTERM');
		const patience = new AbortController();
		await Promise.race([ended, sleep(SHUTDOWN_MS, undefined, { signal: patience.signal }).catch(() => undefined)]);
		patience.abort();
		this.kill();
		await ended;
	}

	/** Kills it and its runners at once, like a power cut. */
	kill(): void {
		const pid = this.server?.pid;
		this.server = undefined;
		if (pid === undefined) return;
		try {
			process.kill(-pid, 'SIGKILL');
		} catch {
			// The whole group is gone already.
		}
	}

	/** Stops it and removes everything it wrote. */
	async dispose(): Promise<void> {
		await this.stop();
		process.off('exit', this.killAndRemove);
		this.killAndRemove();
	}

	private readonly killAndRemove = (): void => {
		this.kill();
		rmSync(this.options.userFolder, { recursive: true, force: true, maxRetries: 5 });
	};

	/** Everything it printed so far. */
	log(): string {
		return existsSync(this.logFile) ? readFileSync(this.logFile, 'utf8') : '';
	}

	private logTail(): string {
		return this.log().slice(-LOG_TAIL_CHARS);
	}
}

const isRunning = (server: ChildProcess) => server.exitCode === null && server.signalCode === null;
