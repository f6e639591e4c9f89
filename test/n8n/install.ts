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

import { exclusively, REPOSITORY, run } from './tools.ts';

/** The versions of n8n that the package is tested with. Each has its own package.json and lock file. */
const N8N_FOLDERS = {
	/** The version that the package is developed against. */
	'2': join(REPOSITORY, 'test/n8n'),
	/** The oldest line that the package supports. */
	'1': join(REPOSITORY, 'test/n8n/v1'),
} as const;

export type N8nLine = keyof typeof N8N_FOLDERS;

export const N8N_LINES: readonly N8nLine[] = ['2', '1'];

/** An n8n that is ready to start. */
export interface N8nInstallation {
	line: N8nLine;
	/** The exact version, for instance "2.41.1". */
	version: string;
	/** n8n's command-line program, to be run by Node 24. */
	bin: string;
}

const HEARTBEAT_MS = 15_000;

/**
 * Installs n8n on first use. Can be interrupted at any point: the packages are moved into place when they are complete,
 * so the type check and the tests never meet half of them. Of runs side by side, the second waits for the first.
 *
 * @throws if npm or the compiler does not succeed, with the end of their output and what to do
 */
export async function installN8n(line: N8nLine): Promise<N8nInstallation> {
	const folder = N8N_FOLDERS[line];
	await exclusively(join(folder, '.cache/install.lock'), async () => {
		if (!isInstalled(folder)) await install(folder);
	});
	const home = join(folder, 'node_modules/n8n');
	return { line, version: versionIn(home), bin: join(home, 'bin/n8n') };
}

async function install(folder: string): Promise<void> {
	const started = Date.now();
	const tell = (what: string) => console.log(`  ${Math.round((Date.now() - started) / 1000)} s: ${what}`);
	console.log('Installing n8n, once: about 2100 packages, 2.3 GB, 2 to 8 minutes.');
	const workshop = join(folder, '.cache/installation');
	rmSync(workshop, { recursive: true, force: true });
	mkdirSync(workshop, { recursive: true });
	for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
		copyFileSync(join(folder, file), join(workshop, file));
	}
	const heartbeat = setInterval(() => tell('not ready yet'), HEARTBEAT_MS);
	try {
		await run('npm', ['ci', '--no-progress'], {
			cwd: workshop,
			advice: 'npm could not install n8n. Check the connection to the package registry, then start again.',
		});
		tell('packages are in place, now sqlite3 (the only part that needs a compiler)');
		await buildSqlite(workshop);
	} finally {
		clearInterval(heartbeat);
	}
	writeFileSync(markerIn(workshop), fingerprint(folder));
	const modules = join(folder, 'node_modules');
	if (existsSync(modules)) renameSync(modules, join(workshop, 'replaced'));
	renameSync(join(workshop, 'node_modules'), modules);
	rmSync(workshop, { recursive: true });
}

/**
 * Compiles only sqlite3, unless another line of n8n has compiled that version: everything else that n8n needs comes
 * prebuilt. sqlite3 uses Node-API, so the headers of any Node work, and those of the machine save a download.
 */
async function buildSqlite(folder: string): Promise<void> {
	const sqliteIn = (place: string) => join(place, 'node_modules/sqlite3');
	const home = sqliteIn(folder);
	const built = Object.values(N8N_FOLDERS)
		.filter(isInstalled)
		.map(sqliteIn)
		.find((other) => versionIn(other) === versionIn(home));
	if (built !== undefined) {
		cpSync(join(built, 'build'), join(home, 'build'), { recursive: true });
	} else {
		const programs = (process.env.PATH ?? '').split(delimiter).map((path) => join(path, 'node'));
		const prefixes = programs.filter(existsSync).map((file) => dirname(dirname(realpathSync(file))));
		const headers = [...prefixes, '/usr'].find((prefix) => existsSync(join(prefix, 'include/node/common.gypi')));
		const nodeGyp = join(folder, 'node_modules/node-gyp/bin/node-gyp.js');
		await run(process.execPath, [nodeGyp, 'rebuild', '--jobs', 'max', ...(headers ? [`--nodedir=${headers}`] : [])], {
			cwd: home,
			advice:
				'sqlite3 could not be built. It needs a C++ compiler, make, Python and the headers of Node. On Debian or Ubuntu, ' +
				'as root: "apt-get install -y g++ make python3".',
		});
	}
	// Loading it reveals a build for another machine or Node now, not as a puzzling exit of n8n later.
	await run(process.execPath, ['-e', "require('sqlite3')"], { cwd: folder, advice: 'Node cannot load sqlite3.' });
}

/** What an installation must have been made from to be valid: the same packages, on the same kind of machine. */
function fingerprint(folder: string): string {
	const hash = createHash('sha256');
	for (const file of ['package.json', 'package-lock.json']) hash.update(readFileSync(join(folder, file)));
	return `${hash.digest('hex')} ${process.platform}-${process.arch} ${process.versions.modules}\n`;
}

/** The marker is beside the modules, so that deleting them deletes it too. */
const markerIn = (folder: string) => join(folder, 'node_modules/.installed');

const isInstalled = (folder: string) =>
	existsSync(markerIn(folder)) && readFileSync(markerIn(folder), 'utf8') === fingerprint(folder);

function versionIn(home: string): string {
	return (JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }).version;
}
