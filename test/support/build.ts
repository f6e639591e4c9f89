import { execSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import fastGlob from 'fast-glob';

const SOURCES = ['nodes', 'credentials', 'icons', 'package.json', 'tsconfig*.json', 'gulpfile.js'];

/** Time of the latest change below these places, milliseconds since 1970. Removing a file changes its folder. */
function lastChange(places: readonly string[], onlyFiles: boolean): number {
	const patterns = places.flatMap((place) => [place, `${place}/**`]);
	const entries = fastGlob.sync(patterns, { stats: true, onlyFiles });
	return Math.max(0, ...entries.map(({ stats }) => stats?.mtimeMs ?? 0));
}

/**
 * Runs once before all tests. Engine tests load the built package: rebuilds it if a source is newer, so that they never
 * test old code. What the tests put into the folder for temporary files goes when they have ended.
 */
export default function build(): void {
	if (lastChange(SOURCES, false) > lastChange(['dist'], true)) execSync('npm run build', { stdio: 'inherit' });
	const folder = mkdtempSync(join(tmpdir(), 'charging-network-tests-'));
	process.env.TMPDIR = folder;
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}
