import { execFile, type ExecFileException, type ExecFileOptions } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** The folder of the package under test: npm makes it the working folder of everything here. */
export const REPOSITORY = process.cwd();

const endings: (() => void)[] = [];

/** Does this when the process ends, also by a signal. What was begun last ends first. */
export const atEnd = (end: () => void) => endings.unshift(end);

process.once('exit', () => endings.forEach((end) => end()));
// A signal alone would end the process without `exit`, and what it started would run on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.once(signal, () => process.exit(process.exitCode ?? 130));
}

/** A new folder, which is removed when the process ends. */
export function temporaryFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'charging-network-'));
	atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
	return folder;
}

/** Runs a command-line program to its end. If something is not possible, only the message is printed. */
export async function runProgram(work: () => Promise<void>): Promise<never> {
	try {
		await work();
		process.exit();
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	}
}

const TAIL_CHARS = 3000;

interface RunOptions extends ExecFileOptions {
	/** What to tell the user if the program does not succeed; the end of its output follows. */
	advice: string;
}

/**
 * Runs another program to its end without showing its output, and returns its standard output.
 *
 * @throws with the advice and the end of the output if it does not succeed
 */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<string> {
	const { advice, ...others } = options;
	try {
		const settings = { env: cleanEnvironment(), maxBuffer: Infinity, ...others, encoding: 'utf8' } as const;
		return (await promisify(execFile)(command, args, settings)).stdout;
	} catch (error) {
		const { message, stdout = '' } = error as ExecFileException;
		throw new Error(`${advice}\n${(stdout + message).slice(-TAIL_CHARS)}`, { cause: error });
	}
}

/**
 * The environment without what npm and a test runner add for their own child processes (it would affect npm in another
 * folder and how n8n starts), and without settings of another n8n on this machine.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
	const foreign =
		/^(npm_(package|lifecycle)_.*|npm_command|npm_config_local_prefix|INIT_CWD|JEST_.*|NODE_ENV|NODE_OPTIONS|(N8N|DB|QUEUE|EXECUTIONS|OFFLOAD|WEBHOOK)_.*|PG[A-Z]+)$/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

const PATIENCE_MS = 300_000;
const INSTALLATION_MS = 3_600_000;

/**
 * Runs work while no other process does so under the same lock file: an exclusive transaction on a small SQLite
 * database, which the operating system ends with the process, however that ends.
 */
export async function exclusively<T>(file: string, work: () => Promise<T>): Promise<T> {
	mkdirSync(dirname(file), { recursive: true });
	const database = new DatabaseSync(file, { timeout: 0 });
	try {
		if (!isBegun(database)) {
			console.log('Another run is at this. Waiting for it.');
			await until('the end of the other run', () => isBegun(database), INSTALLATION_MS);
		}
		return await work();
	} finally {
		database.close();
	}
}

function isBegun(database: DatabaseSync): boolean {
	try {
		database.exec('BEGIN EXCLUSIVE');
		return true;
	} catch {
		return false;
	}
}

/** Below the ports that the operating system gives to outgoing connections, so that none of those takes it. */
const PORTS = { from: 15_000, to: 32_000 };

/** A TCP port on this machine that is free at the moment. */
export async function freePort(): Promise<number> {
	const port = randomInt(PORTS.from, PORTS.to);
	const isFree = await new Promise<boolean>((resolve) => {
		const server = createServer().once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
	return isFree ? port : await freePort();
}

/**
 * Polls `condition` five times a second until it returns something truthy, and returns that.
 *
 * @throws with `what` after the time limit
 */
export async function until<T>(
	what: string,
	condition: () => T | Promise<T>,
	withinMs = PATIENCE_MS,
): Promise<Exclude<T, undefined | false>> {
	const deadline = Date.now() + withinMs;
	for (;;) {
		const found = await condition();
		if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
		if (Date.now() > deadline) throw new Error(`Not seen within ${withinMs / 1000} s: ${what}.`);
		await sleep(200);
	}
}
