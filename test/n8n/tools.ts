import { spawn, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

/** The folder of the package under test. Everything here is started through npm, which makes it the working folder. */
export const REPOSITORY = process.cwd();

/** Takes one line of progress for the user. */
export type Log = (line: string) => void;

/** Registers what is to be stopped or removed at the end, last registered first. */
export type Later = (stop: () => Promise<void> | void) => void;

export interface RunOptions {
	cwd: string;
	/** What to tell the user when the program does not end well; the end of its output follows. */
	advice: string;
	env?: NodeJS.ProcessEnv;
	/** Whom to run it as. Default: this user. */
	account?: { uid: number; gid: number };
}

/** Thrown by `withCleanup` when the user pressed Ctrl-C before the work was done. */
export class Interrupted extends Error {
	constructor() {
		super('Interrupted.');
		this.name = 'Interrupted';
	}
}

const TAIL_CHARS = 3000;

/**
 * Does work that starts things, and stops all of them when it ends: well, with an exception, or because the user
 * pressed Ctrl-C (a second Ctrl-C ends the process without waiting).
 *
 * @throws Interrupted after a Ctrl-C, when everything is stopped
 */
export async function withCleanup<T>(work: (later: Later) => Promise<T>): Promise<T> {
	const stops: (() => Promise<void> | void)[] = [];
	let closing = false;
	const later: Later = (stop) => {
		// What an interrupted start still brings up is stopped on arrival.
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
	// After a Ctrl-C nobody waits for the work; that it then ends badly is no news.
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
 * Runs a command-line program and ends the process with the exit code it gives: 1 after an exception, whose message is
 * printed, and `interrupted` after a Ctrl-C. Programs that `run` started and that are still busy are killed.
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

/** Node's test runner ends on a signal without telling anybody; then n8n would run on, and its folder stay. */
export function cleanUpOnSignals(): void {
	for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
}

const children = new Set<ChildProcess>();
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/**
 * Runs a program to its end without showing its output, and returns what it wrote to standard output.
 *
 * @throws with the advice and the end of the output when the program cannot be started or does not end with 0
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
 * The environment without what npm and a test runner add to it for their own child (it would follow into an npm run in
 * another folder, and change how n8n starts), and without settings of another n8n on the same machine.
 */
export function cleanEnvironment(): NodeJS.ProcessEnv {
	const foreign =
		/^(npm_(package|lifecycle)_.*|npm_command|npm_config_local_prefix|INIT_CWD|JEST_.*|NODE_ENV|NODE_OPTIONS|(N8N|DB|QUEUE|EXECUTIONS|OFFLOAD|WEBHOOK)_.*|PG[A-Z]+)$/;
	return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)));
}

/**
 * Does work while no other process does work under the same lock file; says once that it waits for one.
 *
 * The lock is an exclusive transaction on that file, a small SQLite database. The operating system gives such a lock up by itself when the
 * process ends, however it ends, so no stale lock can be left behind.
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

/** Below the ports that the operating system gives to outgoing connections: none of those takes it meanwhile. */
const PORTS = { from: 15_000, to: 32_000 };

/** A TCP port on this machine that nobody listens on at the moment. */
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
 * Waits until `condition`, asked every fifth of a second, gives something that counts as true, and returns it.
 *
 * @throws with `what` when that has not come about within the time, five minutes unless told otherwise
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
		if (Date.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s in vain: ${what}.`);
		await sleep(200);
	}
}
