import { randomBytes } from 'node:crypto';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { tarball, TIMEZONE, use } from '../e2e/lab.ts';
import { installN8n } from '../install.ts';
import { layUserFolder, N8nInstance, n8nEnvironment } from '../instance.ts';
import { N8nProcess } from '../process.ts';
import { freePort, until, type Later } from '../tools.ts';
import { startServices, type Services } from './services.ts';

/** n8n in queue mode (a main instance, a worker, PostgreSQL and Redis) and the stand-in platform. */
export interface Cluster {
	platform: StandIn;
	services: Services;
	/** The main instance: editor, webhooks, polls. */
	n8n: N8nInstance;
	/** Runs what follows. */
	worker: { start: () => Promise<void>; stop: () => Promise<void>; log: () => string };
	/** Registers what to stop when the tests are over. */
	later: Later;
}

/** Starts everything before the tests of the calling suite and stops it after them. Call the result in tests. */
export const useCluster = (settings: Record<string, string> = {}): (() => Cluster) =>
	use(async (later) => await startCluster(settings, later));

async function startCluster(settings: Record<string, string>, later: Later): Promise<Cluster> {
	const services = await startServices(later);
	const installation = await installN8n('2');
	const platform = await startPlatform({ now: new Date().toISOString().slice(0, 19), sessions: 1000, stations: 50 });
	later(() => platform.close());
	const env = {
		...services.env,
		...settings,
		EXECUTIONS_MODE: 'queue',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		// All of them must be able to decrypt the same credentials.
		N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex'),
	};
	const options = { installation, tarball: await tarball(), timezone: TIMEZONE, env };
	const n8n = await N8nInstance.create(options);
	later(() => n8n.dispose());
	// The main instance sets up the database that workers expect.
	await n8n.start();
	// A folder of its own, as in a container of its own.
	const userFolder = await layUserFolder(options.tarball);
	const program = new N8nProcess({ installation, args: ['worker'], userFolder, readyLine: 'n8n worker is now ready' });
	later(() => program.dispose());
	const workerEnv = n8nEnvironment(options, userFolder, await freePort());
	const worker = {
		start: async () => await program.start({ ...workerEnv, WEBHOOK_URL: n8n.url }),
		stop: async () => await program.stop(),
		log: () => program.log(),
	};
	await worker.start();
	return { platform, services, n8n, worker, later };
}

/** Waits until the worker has taken up an execution. */
export async function takenByWorker({ worker }: Cluster, executionId: string): Promise<void> {
	await until(`the worker takes up execution ${executionId}`, () =>
		worker.log().includes(`Worker started execution ${executionId} (`),
	);
}
