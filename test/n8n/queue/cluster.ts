import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { installN8n } from '../install.ts';
import { N8nProcess, startN8n } from '../n8n.ts';
import { startStandIn, type Pair } from '../showcase.ts';
import { atEnd, cleanEnvironment, freePort, run, temporaryFolder } from '../tools.ts';

/** n8n in queue mode (a main instance, a worker, PostgreSQL and Redis) and the stand-in platform. */
export interface Cluster extends Pair {
	/** Runs what follows. The server of the pair is main: editor, webhooks, polls. */
	worker: N8nProcess;
	/** Queries n8n's database for one number. */
	count: (from: string) => Promise<number>;
}

const ADVICE =
	'This needs PostgreSQL and Redis. On Debian or Ubuntu, as root: "apt-get install -y postgresql redis-server".';

/** @throws with what to install, if a program is missing */
export async function startCluster(settings: Record<string, string> = {}): Promise<Cluster> {
	const postgres = await startPostgres();
	const installation = await installN8n('2');
	const env = {
		...postgres.env,
		...(await startRedis()),
		...settings,
		EXECUTIONS_MODE: 'queue',
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
		// All of them must be able to decrypt the same credentials.
		N8N_ENCRYPTION_KEY: randomBytes(16).toString('hex'),
	};
	// Main sets up the database that workers expect.
	const main = await startN8n(installation, env);
	// A folder of its own, as in a container of its own.
	const worker = await N8nProcess.prepare(installation, 'worker', { ...env, WEBHOOK_URL: main.n8n.url });
	await worker.start();
	return { ...main, platform: await startStandIn(), worker, count: postgres.count };
}

async function startRedis(): Promise<Record<string, string>> {
	await run('redis-server', ['--version'], { advice: ADVICE });
	const port = String(await freePort());
	const redis = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' });
	atEnd(() => redis.kill('SIGKILL'));
	return { QUEUE_BULL_REDIS_HOST: '127.0.0.1', QUEUE_BULL_REDIS_PORT: port };
}

/** PostgreSQL refuses to run as root; its package creates an account for it. */
const IS_ROOT = process.getuid?.() === 0;
const AS_POSTGRES = IS_ROOT ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : ['env'];

/** A server of its own, empty: one that Debian would start need not run. */
async function startPostgres(): Promise<Pick<Cluster, 'count'> & { env: Record<string, string> }> {
	const folder = temporaryFolder();
	if (IS_ROOT) await run('chown', ['postgres', folder], { advice: ADVICE });
	// Debian keeps PostgreSQL's programs where the PATH does not lead.
	const path = [...globSync('/usr/lib/postgresql/*/bin').sort().reverse(), process.env.PATH].join(delimiter);
	const options = { cwd: folder, env: { ...cleanEnvironment(), PATH: path } };
	const execute = async (...words: string[]) => {
		const [command = '', ...args] = [...AS_POSTGRES, ...words];
		return await run(command, args, { ...options, advice: ADVICE });
	};
	const control = ['pg_ctl', '-D', join(folder, 'data')];
	await execute(...control, 'initdb', '-o', '--auth=trust --username=n8n --encoding=UTF8 --locale=C --no-sync');
	// It listens only in its own folder, so that no port can be taken. The data need not survive a crash.
	const settings = `-c listen_addresses= -c unix_socket_directories=${folder} -c fsync=off`;
	await execute(...control, '-w', '-l', join(folder, 'log'), '-o', settings, 'start');
	const [command = '', ...stop] = [...AS_POSTGRES, ...control, '-m', 'immediate', 'stop'];
	atEnd(() => execFileSync(command, stop, { ...options, stdio: 'ignore' }));
	return {
		count: async (from) => {
			const query = ['-tAc', `SELECT count(*) FROM ${from}`];
			return Number(await execute('psql', '-h', folder, '-U', 'n8n', '-d', 'postgres', '--no-psqlrc', ...query));
		},
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: folder,
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_DATABASE: 'postgres',
		},
	};
}
