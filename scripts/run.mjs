// Runs a command of this repository with all it needs, on whatever Node.js 20.19 or newer the machine has:
//
//   node scripts/run.mjs [--n8n] [--browser] [COMMAND ARGUMENTS]
//
// First it says what the machine lacks. Then it installs the packages, where package-lock.json is not the one they were
// installed from, and Node 24 with them unless the machine has it. Then it runs the command with that Node. Without a
// command it only installs.
// --n8n: the command needs a real n8n, one part of which is compiled.
// --browser: the command needs Chromium, unless options choose other parts of it.
//
// npm's own "npm ci" runs no scripts of packages here (.npmrc), so this file has no dependencies and needs no build.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const NODE_24 = join(ROOT, 'node_modules/node');
/** Written last, so an installation that was interrupted does not count. */
const MARKER = join(ROOT, 'node_modules/.installed-from');
const LOCK = join(ROOT, '.cache/install.lock');
const HEARTBEAT_MS = 15_000;
/** One Ctrl-C arrives up to twice: from the terminal, and once more from npm. */
const SAME_SIGNAL_MS = 1000;

const inPath = (program) => process.env.PATH.split(delimiter).some((folder) => existsSync(join(folder, program)));

const hasChromium = () =>
	process.env.CHROMIUM !== undefined ||
	JSON.parse(readFileSync(join(ROOT, 'scripts/chromium.json'), 'utf8')).some((file) => existsSync(file));

/** What the machine lacks, one sentence each, with how to get it. */
function missing(needsN8n, needsBrowser) {
	const lacks = [];
	const [major, minor] = process.versions.node.split('.').map(Number);
	if (major < 20 || (major === 20 && minor < 19)) {
		lacks.push(`Node.js 20.19 or newer: this is ${process.versions.node}. See https://nodejs.org/en/download`);
	}
	if (process.platform === 'win32') {
		lacks.push('Linux or macOS. On Windows use WSL: https://learn.microsoft.com/windows/wsl/install');
	} else if (!inPath('npm')) {
		lacks.push('npm. It comes with Node.js from https://nodejs.org/en/download; on Debian: apt-get install -y npm');
	}
	const compiler = ['g++', 'make', 'python3'].filter((program) => !inPath(program));
	// With one n8n there, test/n8n/install.ts says it, if the other needs them.
	if (needsN8n && compiler.length > 0 && !existsSync(join(ROOT, 'test/n8n/node_modules/.installed'))) {
		lacks.push(
			`${compiler.join(', ')}, to build one part of n8n. On Debian or Ubuntu, as root:\n` +
				`    apt-get update && apt-get install -y ${compiler.join(' ')}`,
		);
	}
	// Where options choose the parts, test/n8n/panel.ts says it, if a part needs one.
	if (needsBrowser && !hasChromium()) {
		lacks.push(
			'Chromium, for the editor. On Debian or Ubuntu, as root:\n' +
				'    apt-get update && apt-get install -y chromium\n' +
				'    Where it is somewhere else, name its program in the variable CHROMIUM.',
		);
	}
	return lacks;
}

/** What an installation must have been made from to count. */
function fingerprint() {
	const lockFile = readFileSync(join(ROOT, 'package-lock.json'));
	return `${createHash('sha256').update(lockFile).digest('hex')} ${process.platform}-${process.arch}\n`;
}

/** The link to Node 24, in front of the machine's own Node in the PATH. */
const LINK = join(ROOT, 'node_modules/.bin/node');

const isNode24 = (version) => /^v?24\./.test(version);

const isInstalled = () =>
	existsSync(MARKER) &&
	readFileSync(MARKER, 'utf8') === fingerprint() &&
	(existsSync(LINK) || isNode24(process.versions.node));

async function install() {
	if (isInstalled()) return;
	await takeLock();
	try {
		if (isInstalled()) return;
		const started = Date.now();
		console.log('Installing the packages of this repository, once: about 1,100, a minute or two.');
		const heartbeat = setInterval(() => {
			console.log(`  ${Math.round((Date.now() - started) / 1000)} s: npm is still downloading and unpacking`);
		}, HEARTBEAT_MS);
		try {
			await succeed('npm', ['ci', '--no-progress', '--loglevel=error'], ROOT);
			// What runs this file may be the Node 24 of an earlier installation, and gone by now; so it is the machine's
			// that is asked.
			const machine = spawnSync('node', ['--version'], { env: environment(), encoding: 'utf8' }).stdout;
			if (!isNode24(machine)) {
				// The one script of a package that is needed: it downloads the Node.js of this machine's kind, which the
				// lock file does not list. A release is built by a Node 24 that was there before: no script runs for it.
				await succeed('node', ['installArchSpecificPackage.js'], NODE_24);
				// npm made no link to what was not there yet. With it, every npm script and npx run on Node 24.
				symlinkSync('../node/bin/node', LINK);
			}
		} finally {
			clearInterval(heartbeat);
		}
		writeFileSync(MARKER, fingerprint());
	} finally {
		rmSync(LOCK, { force: true });
	}
}

/** Lets one run install at a time. The lock of a process that has ended does not count. */
async function takeLock() {
	mkdirSync(dirname(LOCK), { recursive: true });
	for (let told = false; ; told = true) {
		try {
			writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
			return;
		} catch (error) {
			if (error.code !== 'EEXIST') throw error;
		}
		if (!isRunning(readFileSync(LOCK, 'utf8'))) rmSync(LOCK, { force: true });
		else if (!told) console.log('Another run is installing the packages. Waiting for it.');
		await new Promise((resolve) => setTimeout(resolve, 500));
	}
}

function isRunning(pid) {
	try {
		process.kill(Number(pid), 0);
		return true;
	} catch (error) {
		return error.code === 'EPERM';
	}
}

async function succeed(command, args, folder) {
	const status = await run(command, args, folder);
	if (signalled.signal) process.exit(128 + constants.signals[signalled.signal]);
	if (status === 0) return;
	console.error(
		'\nThe packages could not be installed. Check the connection to the package registry, then start again.',
	);
	process.exit(status);
}

/** The environment of what is run: with the programs of the packages first. */
function environment() {
	return { ...process.env, PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter) };
}

let running;
let signalled = { signal: '', at: 0 };

/** Runs a program to its end, and returns its exit code: 128 and more where a signal ended it, as a shell has it. */
function run(command, args, folder) {
	const env = environment();
	// npm tells its children which package they belong to. Another npm in another folder would believe it.
	if (folder !== ROOT) delete env.npm_config_local_prefix;
	// A process group of its own, which a signal reaches as a whole and once.
	running = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'], detached: true });
	return new Promise((resolve, reject) => {
		running.on('error', reject);
		running.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
	});
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
	process.on(signal, () => {
		const isRepeat = signalled.signal === signal && Date.now() - signalled.at < SAME_SIGNAL_MS;
		if (isRepeat) return;
		signalled = { signal, at: Date.now() };
		if (!running) process.exit(128 + constants.signals[signal]);
		try {
			process.kill(-running.pid, signal);
		} catch {
			// All of them have ended already.
		}
	});
}

const words = process.argv.slice(2);
const takes = (flag) => words[0] === flag && words.shift() !== undefined;
const needsN8n = takes('--n8n');
const needsBrowser = takes('--browser') && words.at(-1)?.endsWith('.ts');
const [command, ...args] = words;
const lacks = missing(needsN8n, needsBrowser);
if (lacks.length > 0) {
	console.error(`This machine lacks:\n\n${lacks.map((text) => `  ${text}\n`).join('')}\nThen start again.`);
	process.exit(1);
}
await install();
if (command) process.exit(await run(command, args, ROOT));
