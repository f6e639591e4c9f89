import { randomBytes } from 'node:crypto';
import { after, before } from 'node:test';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { tarball, TIMEZONE } from '../e2e/lab.ts';
import { startReceiver, type Receiver } from '../e2e/receiver.ts';
import { installN8n } from '../install.ts';
import { layUserFolder, N8nInstance, n8nEnvironment, type InstanceOptions } from '../instance.ts';
import { N8nProcess } from '../process.ts';
import { freePort, until, type Later } from '../tools.ts';
import { startServices, type Services } from './services.ts';

/** A worker of n8n's queue mode, with its own folder, as in its own container. */
export class Worker {
	readonly name: string;
	private readonly program: N8nProcess;
	private readonly env: NodeJS.ProcessEnv;

	private constructor(name: string, options: InstanceOptions, userFolder: string, brokerPort: number) {
		this.name = name;
		this.env = n8nEnvironment(options, userFolder, brokerPort);
		this.program = new N8nProcess({
			installation: options.installation,
			// One execution at a time, so that two at once run on two workers.
			args: ['worker', '--concurrency=1'],
			userFolder,
			readyLine: 'n8n worker is now ready',
		});
	}

	/** Creates the worker's folder and installs the package into it. Nothing runs yet. */
	static async create(name: string, options: InstanceOptions): Promise<Worker> {
		return new Worker(name, options, await layUserFolder(options.tarball), await freePort());
	}

	async start(): Promise<void> {
		await this.program.start(this.env);
	}

	/** Asks it to shut down; it finishes its current work first. */
	async stop(): Promise<void> {
		await this.program.stop();
	}

	/** Whether it has started this execution. */
	hasTaken(executionId: string): boolean {
		return this.program.log().includes(`Worker started execution ${executionId} (`);
	}

	async dispose(): Promise<void> {
		await this.program.dispose();
	}
}

/** n8n in queue mode (a main instance, two workers, PostgreSQL and Redis), the stand-in platform and a receiver. */
export interface Cluster {
	platform: StandIn;
	services: Services;
	/** The main instance: editor, webhooks, polls. */
	n8n: N8nInstance;
	workers: readonly Worker[];
	receiver: Receiver;
	/** Registers what to stop when the tests are over. */
	later: Later;
}

/**
 * Workers check every 5 s for lost workers, which have not renewed their lock for 30 s (by default 30 and 60 s). Each
 * renews it every 3 s, so that a busy machine does not make it look dead.
 */
const STALLED = {
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
	QUEUE_WORKER_LOCK_DURATION: '30000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '3000',
};

/** How long a worker may take to finish its work on shutdown: enough for a slow machine. */
const SHUTDOWN = { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '150' };

/** Starts everything before the tests of the calling suite and stops it after them. Call the result in tests. */
export function useCluster(settings: Record<string, string> = {}): () => Cluster {
	const stops: (() => Promise<void> | void)[] = [];
	let cluster: Cluster | undefined;
	before(async () => {
		const later: Later = (stop) => stops.push(stop);
		cluster = await startCluster(settings, later);
	});
	after(async () => {
		for (const stop of stops.reverse()) await stop();
	});
	return () => {
		if (!cluster) throw new Error('n8n has not been started.');
		return cluster;
	};
}

async function startCluster(settings: Record<string, string>, later: Later): Promise<Cluster> {
	const options = { installation: await installN8n('2'), tarball: await tarball(), timezone: TIMEZONE };

	const platform = await startPlatform({
		now: new Date().toISOString().slice(0, 19),
		sessions: 20_000,
		stations: 250,
	});
	later(() => platform.close());
	const receiver = await startReceiver();
	later(() => receiver.close());

	console.log('Starting PostgreSQL and Redis');
	const services = await startServices(later);
	const env = {
		...services.env,
		...STALLED,
		...SHUTDOWN,
		...settings,
		EXECUTIONS_MODE: 'queue',
		// All of them must be able to decrypt the same credentials.
		N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex'),
	};

	console.log(`Starting n8n ${options.installation.version}: main and two workers`);
	const n8n = await N8nInstance.create({ ...options, env });
	later(() => n8n.dispose());
	// The main instance sets up the database that workers expect.
	await n8n.start();
	const workers = await Promise.all(
		['first worker', 'second worker'].map(async (name) => {
			// A worker has no address of its own and needs the public one.
			const worker = await Worker.create(name, { ...options, env: { ...env, WEBHOOK_URL: n8n.url } });
			later(() => worker.dispose());
			await worker.start();
			return worker;
		}),
	);
	return { platform, services, n8n, workers, receiver, later };
}

/** Waits until a worker has started an execution, and returns the worker. */
export async function workerOf({ workers }: Cluster, executionId: string): Promise<Worker> {
	return await until(`a worker takes up execution ${executionId}`, () =>
		workers.find((worker) => worker.hasTaken(executionId)),
	);
}
