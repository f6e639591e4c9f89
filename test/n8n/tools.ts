import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** The folder of the package under test: npm makes it the working folder of everything here. */
export const REPOSITORY = process.cwd();

/** Logs one line of progress for the user. */
export type Log = (line: string) => void;

/** Registers what to stop or remove at the end, last registered first. */
export type Later = (stop: () => Promise<void> | void) => void;

interface RunOptions {
	cwd: string;
	/** What to tell the user if the program fails; the end of its output follows. */
	advice: string;
	env?: NodeJS.ProcessEnv;
	/** The account to run it as. Default: this user. */
	account?: { uid: number; gid: number };
}

/** Thrown by `withCleanup` when the user pressed Ctrl-C before the work was done. */
class Interrupted extends Error {
	constructor() {
		super('Interrupted.');
		this.name = 'Interrupted';
	}
}

const TAIL_CHARS = 3000;

/**
 * Runs work that starts things, and stops all of them when it ends: normally, with an exception, or because the user
 * pressed Ctrl-C (a second Ctrl-C ends the process without waiting).
 *
 * @throws Interrupted after a Ctrl-C, when everything is stopped
 */
export async function withCleanup<T>(work: (later: Later) => Promise<T>): Promise<T> {
	const stops: (() => Promise<void> | void)[] = [];
	let closing = false;
	const later: Later = (stop) => {
		// Stops at once what an interrupted start still brings up.
		if (closing) void stop();
		else stops.push(stop);
	};
	let interrupt: () => void = () => undefined;
	const interrupted = new Promise<never>((_resolve, reject) => {
		interrupt = () => {
			if (closing) process.exit(130);
			reject(new Interrupted());
		};
	});
	process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
	const task = work(later);
	// After a Ctrl-C nothing awaits the work, so its failure is ignored.
	task.catch(() => undefined);
	try {
		return await Promise.race([task, interrupted]);
	} finally {
		closing = true;
		for (const stop of stops.reverse()) await stop();
		process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
	}
}

/**
 * Runs a command-line program and ends the process with the exit code it returns: 1 after an exception, whose message
 * is printed, and `interrupted` after a Ctrl-C. Kills programs that `run` started and that are still running.
 */
export async function endWith(work: () => Promise<number>, interrupted = 130): Promise<never> {
	try {
		process.exit(await work());
	} catch (error) {
		if (error instanceof Interrupted) {
			console.log('\nEverything is stopped.');
			process.exit(interrupted);
		}
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	}
}

/** Node's test runner ends on a signal without an `exit` event; n8n would then run on, and its folder stay. */
export function cleanUpOnSignals(): void {
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
}

const children = new Set<ChildProcess>();
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/**
 * Runs a program to its end without showing its output, and returns its standard output.
 *
 * @throws with the advice and the end of the output if the program cannot be started or does not exit with 0
 */
export function run(command: string, args: readonly string[], options: RunOptions): Promise<string> {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, {
			cwd: options.cwd,
			env: options.env ?? cleanEnvironment(),
			stdio: ['ignore', 'pipe', 'pipe'],
			...options.account,
		});
		children.add(child);
		let output = '';
		let tail = '';
		child.stdout.on('data', (chunk: Buffer) => {
			output += chunk.toString();
			tail = (tail + chunk.toString()).slice(-TAIL_CHARS);
		});
		child.stderr.on('data', (chunk: Buffer) => (tail = (tail + chunk.toString()).slice(-TAIL_CHARS)));
		child.on('error', (cause) => reject(new Error(`${options.advice}\n${cause.message}`, { cause })));
		child.on('close', (code, signal) => {
			children.delete(child);
			if (code === 0) resolve(output);
			else reject(new Error(`${options.advice}\n${command} ended with ${signal ?? String(code)}:\n${tail}`));
		});
	});
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

/**
 * Runs work while no other process does so under the same lock file; logs once that it waits.
 *
 * The lock is an exclusive transaction on a small SQLite database. The operating system releases it when the process
 * ends, however it ends, so no stale lock is left behind.
 */
export async function exclusively<T>(file: string, waiting: string, log: Log, work: () => Promise<T>): Promise<T> {
	mkdirSync(dirname(file), { recursive: true });
	const database = new DatabaseSync(file, { timeout: 0 });
	try {
		for (let told = false; !isBegun(database); told = true) {
			if (!told) log(waiting);
			await sleep(1000);
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
	for (;;) {
		const port = randomInt(PORTS.from, PORTS.to);
		if (await isFree(port)) return port;
	}
}

function isFree(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const server = createServer().once('error', () => resolve(false));
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
}

/**
 * Polls `condition` five times a second until it returns something truthy, and returns that.
 *
 * @throws with `what` after the time limit, five minutes by default
 */
export async function until<T>(
	what: string,
	condition: () => T | Promise<T>,
	withinMs = 300_000,
): Promise<Exclude<T, undefined | false>> {
	const deadline = Date.now() + withinMs;
	for (;;) {
		const found = await condition();
		if (found !== undefined && found !== false) return found as Exclude<T, undefined | false>;
		if (Date.now() > deadline) throw new Error(`Not seen within ${withinMs / 1000} s: ${what}.`);
		await sleep(200);
	}
}
