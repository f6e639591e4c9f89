import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nClient, newOwner } from './client.ts';
import type { N8nInstallation } from './install.ts';
import { installTarball } from './pack.ts';
import { N8nProcess } from './process.ts';
import { cleanEnvironment, freePort } from './tools.ts';

interface InstanceOptions {
	installation: N8nInstallation;
	/** The package to install, as packed by `npm pack`. */
	tarball: string;
	/** The time zone of the workflows, as an IANA name. Default: UTC. */
	timezone?: string;
	/** Further settings of n8n, which override the instance's own. */
	env?: Record<string, string>;
}

/**
 * The settings of every n8n here: it listens only on this machine, has its own folder and contacts no outside service.
 * A main instance also needs its address.
 */
export function n8nEnvironment(
	{ installation, timezone, env }: InstanceOptions,
	userFolder: string,
	brokerPort: number,
): NodeJS.ProcessEnv {
	return {
		...cleanEnvironment(),
		N8N_USER_FOLDER: userFolder,
		N8N_RUNNERS_BROKER_PORT: String(brokerPort),
		GENERIC_TIMEZONE: timezone ?? 'UTC',
		// Nothing here may depend on, or report to, an outside service.
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_REINSTALL_MISSING_PACKAGES: 'false',
		// The default of 2.x. Without it, data tables in 1.x that are used twice at a time fail until n8n is restarted.
		DB_SQLITE_POOL_SIZE: '3',
		// This module, new in 2.x, fetches a list from n8n's servers at every start.
		...(installation.version.startsWith('1.') ? {} : { N8N_DISABLED_MODULES: 'mcp-registry' }),
		...env,
	};
}

/**
 * Creates a folder for an n8n and installs the package into it, as a community package.
 *
 * @throws if the tarball cannot be installed; nothing is left behind
 */
export async function layUserFolder(tarball: string): Promise<string> {
	const userFolder = mkdtempSync(join(tmpdir(), 'charging-network-n8n-'));
	try {
		await installTarball(tarball, userFolder);
		return userFolder;
	} catch (error) {
		rmSync(userFolder, { recursive: true, force: true });
		throw error;
	}
}

/**
 * A disposable real n8n: its own user folder, port and owner, the package installed as a community package. It listens
 * only on this machine and contacts no outside service.
 *
 * `create`, then `start`, and always `dispose` at the end. If the process ends without it, n8n is killed and its folder
 * removed.
 */
export class N8nInstance extends N8nClient {
	private readonly installation: N8nInstallation;
	private readonly server: N8nProcess;
	private readonly env: NodeJS.ProcessEnv;
	private hasOwner = false;

	private constructor(options: InstanceOptions, userFolder: string, port: number, brokerPort: number) {
		super(`http://127.0.0.1:${port}`, newOwner());
		const { installation } = options;
		this.installation = installation;
		this.server = new N8nProcess({
			installation,
			args: ['start'],
			userFolder,
			// n8n answers before it has started its active workflows; this line comes after.
			readyLine: 'Editor is now accessible',
		});
		this.env = {
			N8N_PORT: String(port),
			N8N_LISTEN_ADDRESS: '127.0.0.1',
			N8N_EDITOR_BASE_URL: this.url,
			N8N_SECURE_COOKIE: 'false',
			...n8nEnvironment(options, userFolder, brokerPort),
		};
	}

	/**
	 * Creates the user folder and installs the package into it. Nothing runs yet.
	 *
	 * @throws if the tarball cannot be installed; nothing is left behind
	 */
	static async create(options: InstanceOptions): Promise<N8nInstance> {
		const [port, brokerPort] = [await freePort(), await freePort()];
		return new N8nInstance(options, await layUserFolder(options.tarball), port, brokerPort);
	}

	/**
	 * Starts n8n, waits until its workflows are running, and logs in as the owner, who is created on the first start.
	 *
	 * @throws with the end of n8n's log if it exits or is not ready within ten minutes
	 */
	async start(): Promise<void> {
		await this.server.start(this.env);
		if (this.hasOwner) await this.logIn();
		else await this.setUpOwner();
		this.hasOwner = true;
	}

	/** Makes a saved workflow live: its triggers run from now on, and whenever n8n starts. */
	async publish(id: string): Promise<void> {
		const { versionId } = await this.request<{ versionId: string }>('GET', `/workflows/${id}`);
		// 1.x has no endpoint for this.
		if (this.isV1) await this.request('PATCH', `/workflows/${id}`, { active: true, versionId });
		else await this.request('POST', `/workflows/${id}/activate`, { versionId });
	}

	private get isV1(): boolean {
		return this.installation.version.startsWith('1.');
	}

	/** Asks n8n to shut down and waits for it. Kills it after three minutes. */
	async stop(): Promise<void> {
		await this.server.stop();
	}

	/** Kills n8n and its runners at once, like a power cut. The user folder stays. */
	kill(): void {
		this.server.kill();
	}

	/** Stops n8n and removes everything it wrote. */
	async dispose(): Promise<void> {
		await this.server.dispose();
	}

	/** Everything n8n printed since the instance was created, restarts included. */
	get logFile(): string {
		return this.server.logFile;
	}
}
