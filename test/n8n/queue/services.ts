import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findProgram } from '../requirements.ts';
import { cleanEnvironment, freePort, run, until, type Later } from '../tools.ts';

/** PostgreSQL and Redis on this machine, started for one n8n and removed with it. */
export interface Services {
	/** The settings with which n8n reaches them. */
	env: Record<string, string>;
	/** Queries n8n's database; one line of text for each row. */
	query: (sql: string) => Promise<string[]>;
}

/** Where Debian keeps PostgreSQL's server programs, which are not in the PATH. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const PROGRAMS = {
	postgresql: ['initdb', 'postgres', 'pg_isready', 'psql'],
	'redis-server': ['redis-server', 'redis-cli'],
} as const;

const START_ATTEMPTS = 5;

/** Debian packages with a program that this machine lacks. The servers themselves need not run. */
export function missingServices(): string[] {
	return Object.entries(PROGRAMS).flatMap(([name, programs]) => (programs.every(find) ? [] : [name]));
}

/** Starts both on this machine, empty. Registers with `later` what stops them and removes their files. */
export async function startServices(later: Later): Promise<Services> {
	const account = unprivileged();
	const folder = mkdtempSync(join(tmpdir(), 'charging-network-services-'));
	if (account) chownSync(folder, account.uid, account.gid);
	const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
	process.once('exit', removeFolder);
	later(() => {
		process.off('exit', removeFolder);
		removeFolder();
	});
	const place: Place = { folder, account, later };
	const redisPort = await startRedis(place);
	const query = await startPostgres(place);
	return {
		query,
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: folder,
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_DATABASE: 'postgres',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redisPort),
		},
	};
}

interface Place {
	folder: string;
	/** The account to run the programs as, if not this user. */
	account: Account | undefined;
	later: Later;
}

interface Account {
	uid: number;
	gid: number;
}

async function startPostgres({ folder, account, later }: Place): Promise<Services['query']> {
	const data = join(folder, 'postgres');
	const advice = 'PostgreSQL could not be started.';
	const connection = ['-h', folder, '-U', 'n8n', '-d', 'postgres'];
	const options = ['--auth=trust', '--username=n8n', '--encoding=UTF8', '--locale=C', '--no-sync'];
	await run(program('initdb'), ['-D', data, ...options], { cwd: folder, account, advice });
	// It listens only in its own folder, so that no port can be taken. The data need not survive a crash.
	const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off', 'max_connections=100'];
	const args = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
	const server = launch('postgres', args, { folder, account, later }, 'SIGINT', 'SIGQUIT');
	await until('PostgreSQL accepts connections', async () => {
		if (hasEnded(server)) throw new Error(`${advice}\n${readFileSync(logOf(folder, 'postgres'), 'utf8')}`);
		return await succeeds(run(program('pg_isready'), connection, { cwd: folder, advice }));
	});
	return async (sql) => {
		const args = [...connection, '--no-psqlrc', '-v', 'ON_ERROR_STOP=1', '-tAc', sql];
		const output = await run(program('psql'), args, { cwd: folder, advice: `PostgreSQL refuses: ${sql}` });
		return output.split('\n').filter((line) => line !== '');
	};
}

/** @returns the port on this machine */
async function startRedis(place: Place): Promise<number> {
	const { folder } = place;
	for (let attempt = 1; ; attempt++) {
		const port = await freePort();
		const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
		const server = launch('redis-server', args, place, 'SIGTERM', 'SIGKILL');
		const isThere = await until('Redis answers', async () => {
			if (hasEnded(server)) return 'no' as const;
			const ping = run(program('redis-cli'), ['-p', String(port), 'ping'], { cwd: folder, advice: 'no answer' });
			return (await succeeds(ping)) && ('yes' as const);
		});
		if (isThere === 'yes') return port;
		// Another program may have taken the port in between.
		if (attempt === START_ATTEMPTS) {
			throw new Error(`Redis could not be started.\n${readFileSync(logOf(folder, 'redis-server'), 'utf8')}`);
		}
	}
}

/** Starts a server. It gets the signal `gently` at the end, or `atOnce` if this process ends before. */
function launch(
	name: string,
	args: readonly string[],
	{ folder, account, later }: Place,
	gently: NodeJS.Signals,
	atOnce: NodeJS.Signals,
): ChildProcess {
	const log = openSync(logOf(folder, name), 'a');
	// Detached: a Ctrl-C in the terminal reaches only us, so that n8n is stopped before the servers it needs.
	const server = spawn(program(name), args, {
		cwd: folder,
		env: cleanEnvironment(),
		stdio: ['ignore', log, log],
		detached: true,
		...account,
	});
	closeSync(log);
	const wreck = () => server.kill(atOnce);
	process.once('exit', wreck);
	later(async () => {
		process.off('exit', wreck);
		if (hasEnded(server)) return;
		const ended = new Promise((resolve) => server.once('exit', resolve));
		server.kill(gently);
		await ended;
	});
	return server;
}

/** PostgreSQL refuses to run as root; its package creates an account for it. Other users run both as themselves. */
function unprivileged(): Account | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const id = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));
	return { uid: id('-u'), gid: id('-g') };
}

function program(name: string): string {
	const file = find(name);
	if (!file) throw new Error(`${name} is not on this machine.`);
	return file;
}

function find(name: string): string | undefined {
	const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
	const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
	return findProgram(
		name,
		newestFirst.map((version) => join(DEBIAN_POSTGRES, version, 'bin')),
	);
}

const logOf = (folder: string, name: string) => join(folder, `${name}.log`);

const hasEnded = (server: ChildProcess) => server.exitCode !== null || server.signalCode !== null;

const succeeds = (work: Promise<unknown>) =>
	work.then(
		() => true,
		() => false,
	);
