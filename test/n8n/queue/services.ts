import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { findProgram, howToInstall } from '../requirements.ts';
import { cleanEnvironment, freePort, run, until, type Later } from '../tools.ts';

/** PostgreSQL and Redis on this machine, started for one n8n and removed with it. */
export interface Services {
	/** The settings with which n8n reaches them. */
	env: Record<string, string>;
	/** Queries n8n's database for one number. */
	count: (from: string) => Promise<number>;
}

/** Where Debian keeps PostgreSQL's server programs, which are not in the PATH. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';
const PROGRAMS = {
	postgresql: ['initdb', 'postgres', 'pg_isready', 'psql'],
	'redis-server': ['redis-server', 'redis-cli'],
} as const;

/**
 * Starts both on this machine, empty. Registers with `later` what stops them and removes their files.
 *
 * @throws with what to install, if a program is missing; servers that Debian would start need not run
 */
export async function startServices(later: Later): Promise<Services> {
	const missing = Object.entries(PROGRAMS).flatMap(([name, programs]) => (programs.every(find) ? [] : [name]));
	if (missing.length > 0) throw new Error(howToInstall(missing));
	const folder = mkdtempSync(join(tmpdir(), 'charging-network-services-'));
	later(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
	// PostgreSQL refuses to run as root; its package creates an account for it.
	const account = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
	if (account) chownSync(folder, account.uid, account.gid);

	const launch = (name: string, args: readonly string[]) => {
		// Detached: a Ctrl-C in the terminal reaches only us, so that n8n is stopped before the servers it needs.
		const options = { cwd: folder, env: cleanEnvironment(), detached: true, ...account } as const;
		const server = spawn(program(name), args, { ...options, stdio: 'ignore' });
		process.once('exit', () => server.kill('SIGKILL'));
		later(async () => await stop(server));
	};
	const answers = (name: string, args: readonly string[]) =>
		run(program(name), args, { cwd: folder, advice: 'no answer' }).then(
			() => true,
			() => false,
		);

	const port = String(await freePort());
	launch('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder]);
	await until('Redis answers', () => answers('redis-cli', ['-p', port, 'ping']));

	const data = join(folder, 'postgres');
	const advice = 'PostgreSQL could not be started.';
	const options = ['--auth=trust', '--username=n8n', '--encoding=UTF8', '--locale=C', '--no-sync'];
	await run(program('initdb'), ['-D', data, ...options], { cwd: folder, account, advice });
	// It listens only in its own folder, so that no port can be taken. The data need not survive a crash.
	const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off', 'max_connections=100'];
	launch('postgres', ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]);
	const connection = ['-h', folder, '-U', 'n8n', '-d', 'postgres'];
	await until('PostgreSQL answers', () => answers('pg_isready', connection));
	return {
		count: async (from) => {
			const args = [...connection, '--no-psqlrc', '-tAc', `SELECT count(*) FROM ${from}`];
			return Number(await run(program('psql'), args, { cwd: folder, advice: `PostgreSQL refuses: ${from}` }));
		},
		env: {
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: folder,
			DB_POSTGRESDB_USER: 'n8n',
			DB_POSTGRESDB_DATABASE: 'postgres',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: port,
		},
	};
}

/** SIGINT ends both at once and in order. */
async function stop(server: ChildProcess): Promise<void> {
	if (server.exitCode !== null || server.signalCode !== null) return;
	const ended = new Promise((resolve) => server.once('exit', resolve));
	server.kill('SIGINT');
	await ended;
}

const idOf = (kind: '-u' | '-g') => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));

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
