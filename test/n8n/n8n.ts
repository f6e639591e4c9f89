import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { N8nClient } from './client.ts';
import type { N8nInstallation } from './install.ts';
import { unpackTarball } from './pack.ts';
import { atEnd, cleanEnvironment, freePort, temporaryFolder, until } from './tools.ts';

/** Not UTC, and with daylight saving time: "last month" is not a month of UTC there. */
export const TIMEZONE = 'Europe/Berlin';

/** What each of n8n's programs prints once it is ready. n8n answers before it has started its active workflows. */
const READY_LINES = { start: 'Editor is now accessible', worker: 'n8n worker is now ready' } as const;

/** Very generous: a start takes seconds, and minutes only on a busy machine. */
const STARTUP_MS = 600_000;
/** n8n gives itself half a minute. */
const SHUTDOWN_MS = 180_000;
const LOG_TAIL_CHARS = 4000;

/** n8n's own settings, as environment variables. */
type Settings = Record<string, string>;

/** Nothing here may depend on, or report to, an outside service. */
const ALONE: Settings = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_REINSTALL_MISSING_PACKAGES: 'false',
};

/** One n8n program with the package in it, which can be started, stopped, killed and started again. */
export class N8nProcess {
	/** What it printed since it was started last. */
	readonly logFile: string;
	private readonly bin: string;
	private readonly kind: keyof typeof READY_LINES;
	private readonly userFolder: string;
	private readonly settings: Settings;
	private server: ChildProcess | undefined;

	private constructor(bin: string, kind: keyof typeof READY_LINES, userFolder: string, settings: Settings) {
		this.bin = bin;
		this.kind = kind;
		this.userFolder = userFolder;
		this.settings = settings;
		this.logFile = join(userFolder, 'n8n.log');
		atEnd(() => this.kill());
	}

	/** Makes a folder for it, and unpacks the package there. Nothing runs yet. */
	static async prepare(
		{ line, bin }: N8nInstallation,
		kind: keyof typeof READY_LINES,
		settings: Settings,
	): Promise<N8nProcess> {
		const userFolder = temporaryFolder();
		await unpackTarball(join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-charging-network'));
		return new N8nProcess(bin, kind, userFolder, {
			...ALONE,
			N8N_USER_FOLDER: userFolder,
			N8N_RUNNERS_BROKER_PORT: String(await freePort()),
			GENERIC_TIMEZONE: TIMEZONE,
			// The default of 2.x. Without it, data tables in 1.x that are used twice at a time fail until n8n is restarted.
			DB_SQLITE_POOL_SIZE: '3',
			// This module, new in 2.x, fetches a list from n8n's servers at every start.
			...(line === '1' ? {} : { N8N_DISABLED_MODULES: 'mcp-registry' }),
			...settings,
		});
	}

	/** @throws with the end of its log if it exits or is not ready within ten minutes */
	async start(): Promise<void> {
		const log = openSync(this.logFile, 'w');
		// Its own process group: a Ctrl-C in the terminal reaches only us, and its runners are killed with it.
		const server = spawn(process.execPath, [this.bin, this.kind], {
			cwd: this.userFolder,
			env: { ...cleanEnvironment(), ...this.settings },
			stdio: ['ignore', log, log],
			detached: true,
		});
		closeSync(log);
		this.server = server;
		const isReady = () => {
			if (server.exitCode !== null) throw new Error('it has ended');
			return this.log().includes(READY_LINES[this.kind]);
		};
		await until('it is ready', isReady, STARTUP_MS).catch((cause: Error) => {
			const tail = this.log().slice(-LOG_TAIL_CHARS);
			throw new Error(`"n8n ${this.kind}" did not start, ${cause.message}. Its log:\n${tail}`, { cause });
		});
	}

	/** Asks it to shut down and waits for it. */
	async stop(): Promise<void> {
		if (!this.server || this.server.exitCode !== null) return;
		const ended = once(this.server, 'exit', { signal: AbortSignal.timeout(SHUTDOWN_MS) });
		this.server.kill('SIGTERM');
		await ended;
		this.kill();
	}

	/** Kills it and its runners at once, like a power cut. Its folder stays. */
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

	log(): string {
		return readFileSync(this.logFile, 'utf8');
	}
}

/** A real n8n on this machine, with the package and an owner and nothing else yet. */
export interface N8n {
	installation: N8nInstallation;
	server: N8nProcess;
	/** Logged in as the owner. */
	n8n: N8nClient;
}

export async function startN8n(installation: N8nInstallation, settings: Settings = {}): Promise<N8n> {
	console.log(`Starting n8n ${installation.version}`);
	const port = String(await freePort());
	const n8n = new N8nClient(`http://127.0.0.1:${port}`);
	const server = await N8nProcess.prepare(installation, 'start', {
		N8N_PORT: port,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_EDITOR_BASE_URL: n8n.url,
		N8N_SECURE_COOKIE: 'false',
		...settings,
	});
	await server.start();
	await n8n.setUpOwner();
	return { installation, server, n8n };
}
