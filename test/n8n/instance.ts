import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { parse as parseFlatted } from 'flatted';
import type {
	ExecutionStatus,
	ICredentialDataDecryptedObject,
	IDataObject,
	INode,
	IRunExecutionData,
	IWorkflowBase,
} from 'n8n-workflow';

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

/** A workflow as it is exported from n8n and imported again. */
export type WorkflowFile = Pick<IWorkflowBase, 'name' | 'nodes' | 'connections' | 'settings'>;

/** What running a workflow gave. */
export interface Execution {
	id: string;
	status: ExecutionStatus;
	data: IRunExecutionData;
}

/** The answer of a credential's test, as the editor shows it. */
export interface CredentialTestAnswer {
	status: 'OK' | 'Error';
	message: string;
}

const STARTUP_MS = 180_000;
const SHUTDOWN_MS = 30_000;
const EXECUTION_MS = 300_000;
const POLL_MS = 200;
const LOG_TAIL_CHARS = 4000;
const EMAIL = 'owner@example.com';
/** n8n ties a session to the browser that opened it; to n8n, this client is one browser. */
const BROWSER_ID = 'n8n-nodes-charging-network-tests';

/**
 * A real n8n that is thrown away after use: its own user folder, port and owner, the package installed as a community
 * package. It listens on this machine only and calls nobody.
 *
 * `create`, then `start`; `dispose` at the end, whatever happened. Should the process end without it, n8n is killed.
 */
export class N8nInstance {
	readonly url: string;
	readonly owner: { readonly email: string; readonly password: string };
	/** The folder n8n keeps everything in. Removed by `dispose`. */
	readonly userFolder: string;
	/** Everything n8n printed since the instance was created, restarts included. */
	readonly logFile: string;
	private readonly installation: N8nInstallation;
	private readonly env: NodeJS.ProcessEnv;
	private server: ChildProcess | undefined;
	private cookie = '';
	private hasOwner = false;

	private constructor(options: InstanceOptions, userFolder: string, port: number, brokerPort: number) {
		this.installation = options.installation;
		this.userFolder = userFolder;
		this.logFile = join(userFolder, 'n8n.log');
		this.url = `http://127.0.0.1:${port}`;
		// n8n asks for an upper-case letter and a digit.
		this.owner = { email: EMAIL, password: `N8n-${randomBytes(6).toString('hex')}` };
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
			...(options.installation.version.startsWith('2.') ? { N8N_DISABLED_MODULES: 'mcp-registry' } : {}),
			...options.env,
		};
		process.once('exit', this.kill);
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
		await this.logIn();
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
		process.off('exit', this.kill);
		rmSync(this.userFolder, { recursive: true, force: true, maxRetries: 5 });
	}

	/** What n8n printed last, for messages about what went wrong. */
	logTail(): string {
		return this.log().slice(-LOG_TAIL_CHARS);
	}

	/**
	 * Calls n8n's own REST interface as the owner; `path` begins after `/rest`. Returns what stands under `data`.
	 *
	 * @throws with n8n's message when it refuses
	 */
	async request<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object): Promise<T> {
		const response = await fetch(`${this.url}/rest${path}`, {
			method,
			headers: { 'content-type': 'application/json', 'browser-id': BROWSER_ID, cookie: this.cookie },
			...(body ? { body: JSON.stringify(body) } : {}),
		});
		const text = await response.text();
		if (!response.ok) throw new Error(`n8n answered ${method} ${path} with ${response.status}: ${text.slice(0, 500)}`);
		const session = response.headers.getSetCookie().find((cookie) => cookie.startsWith('n8n-auth='));
		if (session) this.cookie = session.split(';')[0] ?? '';
		return (JSON.parse(text) as { data: T }).data;
	}

	/** Saves a credential and returns its id. */
	async createCredential(name: string, type: string, data: ICredentialDataDecryptedObject): Promise<string> {
		return (await this.request<{ id: string }>('POST', '/credentials', { name, type, data })).id;
	}

	/** Runs a credential's test the way its dialog does. */
	async testCredential(
		name: string,
		type: string,
		data: ICredentialDataDecryptedObject,
	): Promise<CredentialTestAnswer> {
		return await this.request('POST', '/credentials/test', { credentials: { id: '', name, type, data } });
	}

	/** Saves a workflow and returns its id. */
	async importWorkflow({ name, nodes, connections, settings }: WorkflowFile): Promise<string> {
		const workflow = { name, nodes, connections, settings: settings ?? {} };
		return (await this.request<{ id: string }>('POST', '/workflows', workflow)).id;
	}

	/**
	 * Runs a saved workflow as *Execute Workflow* does, from its first trigger, and waits for the end.
	 *
	 * @throws when it has not ended after five minutes; an execution that ends badly is returned as it is
	 */
	async execute(workflowId: string): Promise<Execution> {
		const workflowData = await this.request<IWorkflowBase>('GET', `/workflows/${workflowId}`);
		const trigger = workflowData.nodes.find(isTrigger);
		if (!trigger) throw new Error(`"${workflowData.name}" has no trigger node to start from.`);
		const { executionId } = await this.request<{ executionId: string }>('POST', `/workflows/${workflowId}/run`, {
			workflowData,
			triggerToStartFrom: { name: trigger.name },
		});
		return await this.executionEnd(executionId);
	}

	private async executionEnd(id: string): Promise<Execution> {
		const deadline = Date.now() + EXECUTION_MS;
		for (;;) {
			const { status, data } = await this.request<{ status: ExecutionStatus; data: string }>(
				'GET',
				`/executions/${id}`,
			);
			if (!UNFINISHED.includes(status)) return { id, status, data: parseFlatted(data) as IRunExecutionData };
			if (Date.now() > deadline) throw new Error(`Execution ${id} has not ended after five minutes.`);
			await sleep(POLL_MS);
		}
	}

	private async logIn(): Promise<void> {
		const { email, password } = this.owner;
		if (this.hasOwner) {
			await this.request('POST', '/login', { emailOrLdapLoginId: email, password });
		} else {
			await this.request('POST', '/owner/setup', { email, password, firstName: 'Charging', lastName: 'Operator' });
			this.hasOwner = true;
		}
	}

	private log(): string {
		return readFileSync(this.logFile, 'utf8');
	}
}

const UNFINISHED: readonly ExecutionStatus[] = ['new', 'running', 'waiting', 'unknown'];

const isTrigger = ({ type, disabled }: INode) => !disabled && /trigger$/i.test(type);

const isRunning = (server: ChildProcess) => server.exitCode === null && server.signalCode === null;

/** The items a node gave on its first output in its last run; none when it did not run. */
export function outputOf(execution: Execution, node: string): IDataObject[] {
	const output = execution.data.resultData.runData[node]?.at(-1)?.data?.main?.[0];
	return (output ?? []).map(({ json }) => json);
}
