import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { N8nClient } from './client.ts';
import type { N8nInstallation } from './install.ts';
import { installTarball } from './pack.ts';
import { cleanEnvironment, freePort } from './tools.ts';

export interface InstanceOptions {
	installation: N8nInstallation;
	/** The package to install, as `npm pack` made it. */
	tarball: string;
	/** The time zone workflows are run in, as an IANA name. Default: UTC. */
	timezone?: string;
	/** Further settings of n8n, which win over the instance's own. */
	env?: Record<string, string>;
}

const STARTUP_MS = 180_000;
const SHUTDOWN_MS = 30_000;
const POLL_MS = 200;
const LOG_TAIL_CHARS = 4000;
const EMAIL = 'owner@example.com';

/**
 * A real n8n that is thrown away after use: its own user folder, port and owner, the package installed as a community
 * package. It listens on this machine only and calls nobody.
 *
 * `create`, then `start`; `dispose` at the end, whatever happened. Should the process end without it, n8n is killed and
 * its folder removed.
 */
export class N8nInstance extends N8nClient {
	/** The folder n8n keeps everything in. Removed by `dispose`. */
	readonly userFolder: string;
	/** Everything n8n printed since the instance was created, restarts included. */
	readonly logFile: string;
	private readonly installation: N8nInstallation;
	private readonly env: NodeJS.ProcessEnv;
	private server: ChildProcess | undefined;
	private hasOwner = false;

	private constructor(options: InstanceOptions, userFolder: string, port: number, brokerPort: number) {
		// n8n asks for an upper-case letter and a digit.
		super(`http://127.0.0.1:${port}`, { email: EMAIL, password: `N8n-${randomBytes(6).toString('hex')}` });
		this.installation = options.installation;
		this.userFolder = userFolder;
		this.logFile = join(userFolder, 'n8n.log');
		this.env = {
			...cleanEnvironment(),
			N8N_USER_FOLDER: userFolder,
			N8N_PORT: String(port),
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_EDITOR_BASE_URL: this.url,
			N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			N8N_SECURE_COOKIE: 'false',
			GENERIC_TIMEZONE: options.timezone ?? 'UTC',
			// Nothing here may depend on, or report to, a service elsewhere.
			N8N_DIAGNOSTICS_ENABLED: 'false',
			N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
			N8N_DYNAMIC_BANNERS_ENABLED: 'false',
			N8N_TEMPLATES_ENABLED: 'false',
			N8N_HIRING_BANNER_ENABLED: 'false',
			N8N_PERSONALIZATION_ENABLED: 'false',
			N8N_VERIFIED_PACKAGES_ENABLED: 'false',
			N8N_REINSTALL_MISSING_PACKAGES: 'false',
			// This module, new in 2.x, fetches a list from n8n's servers at every start.
			...(options.installation.version.startsWith('1.') ? {} : { N8N_DISABLED_MODULES: 'mcp-registry' }),
			...options.env,
		};
		process.once('exit', this.wreck);
	}

	/**
	 * Lays the user folder and installs the package into it. Nothing runs yet.
	 *
	 * @throws when the tarball cannot be installed; nothing is left behind then
	 */
	static async create(options: InstanceOptions): Promise<N8nInstance> {
		const userFolder = mkdtempSync(join(tmpdir(), 'charging-network-n8n-'));
		try {
			await installTarball(options.tarball, userFolder);
			return new N8nInstance(options, userFolder, await freePort(), await freePort());
		} catch (error) {
			rmSync(userFolder, { recursive: true, force: true });
			throw error;
		}
	}

	/**
	 * Starts n8n, waits until its workflows are running, and logs in (as the owner, who is made on the first start).
	 *
	 * @throws with the end of n8n's log when it ends or is not ready within three minutes
	 */
	async start(): Promise<void> {
		const log = openSync(this.logFile, 'a');
		// A process group of its own: a Ctrl-C in the terminal reaches only us, and n8n is stopped in good order.
		const server = spawn(process.execPath, [this.installation.bin, 'start'], {
			cwd: this.userFolder,
			env: this.env,
			stdio: ['ignore', log, log],
			detached: true,
		});
		closeSync(log);
		this.server = server;
		const printedBefore = this.log().length;
		const deadline = Date.now() + STARTUP_MS;
		// n8n answers before it has started its active workflows; this line comes after.
		while (!this.log().slice(printedBefore).includes('Editor is now accessible')) {
			if (!isRunning(server)) throw new Error(`n8n ended while starting:\n${this.logTail()}`);
			if (Date.now() > deadline) throw new Error(`n8n was not ready within three minutes:\n${this.logTail()}`);
			await sleep(POLL_MS);
		}
		if (this.hasOwner) await this.logIn();
		else await this.setUpOwner();
		this.hasOwner = true;
	}

	/** Makes a saved workflow live: its triggers run from now on, and whenever n8n starts. */
	async publish(id: string): Promise<void> {
		const { versionId } = await this.request<{ versionId: string }>('GET', `/workflows/${id}`);
		// 1.x has no address of its own for this.
		if (this.isV1) await this.request('PATCH', `/workflows/${id}`, { active: true, versionId });
		else await this.request('POST', `/workflows/${id}/activate`, { versionId });
	}

	/** Ends what `publish` began. */
	async unpublish(id: string): Promise<void> {
		const { versionId } = await this.request<{ versionId: string }>('GET', `/workflows/${id}`);
		if (this.isV1) await this.request('PATCH', `/workflows/${id}`, { active: false, versionId });
		else await this.request('POST', `/workflows/${id}/deactivate`, {});
	}

	private get isV1(): boolean {
		return this.installation.version.startsWith('1.');
	}

	/** Asks n8n to shut down, waits for it, and kills it when it takes longer than 30 seconds. */
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

	/** Kills n8n and the runners it started, at once, as a power cut would. The user folder stays. */
	readonly kill = (): void => {
		const pid = this.server?.pid;
		this.server = undefined;
		if (pid === undefined) return;
		try {
			process.kill(-pid, 'SIGKILL');
		} catch {
			// The whole group is gone already.
		}
	};

	/** Stops n8n and removes everything it wrote. */
	async dispose(): Promise<void> {
		await this.stop();
		process.off('exit', this.wreck);
		this.wreck();
	}

	private readonly wreck = (): void => {
		this.kill();
		rmSync(this.userFolder, { recursive: true, force: true, maxRetries: 5 });
	};

	/** What n8n printed last, for messages about what went wrong. */
	logTail(): string {
		return this.log().slice(-LOG_TAIL_CHARS);
	}

	private log(): string {
		return readFileSync(this.logFile, 'utf8');
	}
}

const isRunning = (server: ChildProcess) => server.exitCode === null && server.signalCode === null;
