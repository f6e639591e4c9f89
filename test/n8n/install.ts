import { createHash } from 'node:crypto';
import {
	copyFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

import { findProgram, howToInstall } from './requirements.ts';
import { exclusively, REPOSITORY, run, type Log } from './tools.ts';

/** The versions of n8n that the package is tested with. Each has its own package.json and lock file. */
export const N8N_FOLDERS = {
	/** The version that the package is developed against. */
	'2': join(REPOSITORY, 'test/n8n'),
	/** The oldest line that the package supports. */
	'1': join(REPOSITORY, 'test/n8n/v1'),
} as const;

export type N8nLine = keyof typeof N8N_FOLDERS;

export const N8N_LINES: readonly N8nLine[] = ['2', '1'];

/** An n8n that is ready to start. */
export interface N8nInstallation {
	/** The exact version, for instance "2.41.1". */
	version: string;
	/** The folder whose node_modules holds n8n. */
	folder: string;
	/** n8n's command-line program, to be run by Node 24. */
	bin: string;
}

const HEARTBEAT_MS = 15_000;

/**
 * Installs n8n on first use and returns at once if it is there already. Logs its progress at least every 15 seconds.
 * Can be interrupted at any point: the packages are moved into place when they are complete, so the type check and the
 * tests never meet half of them. Concurrent runs do not collide: the second waits for the first.
 *
 * @throws if there is no compiler, or if npm or the compiler fails, with the end of their output and what to do
 */
export async function installN8n(line: N8nLine = '2', log: Log = console.log): Promise<N8nInstallation> {
	const folder = N8N_FOLDERS[line];
	const wanted = fingerprint(folder);
	if (installed(folder, wanted)) return describe(folder);
	const missing = ['g++', 'make', 'python3'].filter((name) => !findProgram(name));
	if (missing.length > 0) throw new Error(howToInstall(missing));
	const lock = join(folder, '.cache/install.lock');
	return await exclusively(lock, 'Another run is installing n8n. Waiting for it.', log, async () => {
		if (!installed(folder, wanted)) await install(folder, wanted, log);
		return describe(folder);
	});
}

async function install(folder: string, wanted: string, log: Log): Promise<void> {
	const started = Date.now();
	const { dependencies } = readJson<{ dependencies: { n8n: string } }>(join(folder, 'package.json'));
	log(`Installing n8n ${dependencies.n8n}, once: about 2100 packages, 2.3 GB, 2 to 8 minutes.`);
	const workshop = join(folder, '.cache/installation');
	rmSync(workshop, { recursive: true, force: true });
	mkdirSync(workshop, { recursive: true });
	for (const file of ['package.json', 'package-lock.json', '.npmrc'])
		copyFileSync(join(folder, file), join(workshop, file));
	const heartbeat = setInterval(() => log(`  ${since(started)}: not ready yet`), HEARTBEAT_MS);
	try {
		await run('npm', ['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--no-progress'], {
			cwd: workshop,
			advice: 'npm could not install n8n. Check the connection to the package registry, then start again.',
		});
		log(`  ${since(started)}: packages are in place, now sqlite3 (the only part that needs a compiler)`);
		await buildSqlite(workshop);
		// Loading it reveals a build for another machine or Node now, not as a puzzling exit of n8n later.
		await run(process.execPath, ['-e', "require('sqlite3')"], {
			cwd: workshop,
			advice: 'sqlite3 was built, but this Node cannot load it.',
		});
	} finally {
		clearInterval(heartbeat);
	}
	writeFileSync(markerFile(workshop), wanted);
	const modules = join(folder, 'node_modules');
	if (existsSync(modules)) renameSync(modules, join(workshop, 'replaced'));
	renameSync(join(workshop, 'node_modules'), modules);
	rmSync(workshop, { recursive: true });
	log(`n8n ${dependencies.n8n} is installed (${since(started)}).`);
}

/**
 * Compiles only sqlite3, unless another line of n8n has compiled that version: everything else that n8n needs comes
 * prebuilt. sqlite3 uses Node-API, so the headers of any Node work, and those of the machine save a download.
 */
async function buildSqlite(folder: string): Promise<void> {
	const sqlite = (place: string) => join(place, 'node_modules/sqlite3');
	const versionIn = (place: string) => readJson<{ version: string }>(join(sqlite(place), 'package.json')).version;
	const built = Object.values(N8N_FOLDERS).find(
		(other) => installed(other, fingerprint(other)) && versionIn(other) === versionIn(folder),
	);
	if (built !== undefined) {
		cpSync(join(sqlite(built), 'build'), join(sqlite(folder), 'build'), { recursive: true });
		return;
	}
	const nodeGyp = join(folder, 'node_modules/node-gyp/bin/node-gyp.js');
	const programs = (process.env.PATH ?? '').split(delimiter).filter((path) => existsSync(join(path, 'node')));
	const prefixes = programs.map((path) => dirname(dirname(realpathSync(join(path, 'node')))));
	const headers = [...prefixes, '/usr', '/usr/local'].find((prefix) =>
		existsSync(join(prefix, 'include/node/common.gypi')),
	);
	await run(process.execPath, [nodeGyp, 'rebuild', '--jobs', 'max', ...(headers ? [`--nodedir=${headers}`] : [])], {
		cwd: sqlite(folder),
		advice: 'sqlite3 could not be built. It needs a C++ compiler, make, Python and the headers of Node.',
	});
}

/** What an installation must have been made from to be valid: the same packages, on the same kind of machine. */
function fingerprint(folder: string): string {
	const hash = createHash('sha256');
	for (const file of ['package.json', 'package-lock.json']) hash.update(readFileSync(join(folder, file)));
	return `${hash.digest('hex')} ${process.platform}-${process.arch} ${process.versions.modules}\n`;
}

/** The marker is beside the modules, so that deleting them deletes it too. */
const markerFile = (folder: string) => join(folder, 'node_modules/.installed');

function installed(folder: string, wanted: string): boolean {
	return existsSync(markerFile(folder)) && readFileSync(markerFile(folder), 'utf8') === wanted;
}

function describe(folder: string): N8nInstallation {
	const home = join(folder, 'node_modules/n8n');
	const { version } = readJson<{ version: string }>(join(home, 'package.json'));
	return { version, folder, bin: join(home, 'bin/n8n') };
}

function since(started: number): string {
	const seconds = Math.round((Date.now() - started) / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function readJson<T>(file: string): T {
	return JSON.parse(readFileSync(file, 'utf8')) as T;
}
