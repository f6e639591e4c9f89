import { execSync } from 'node:child_process';

import fastGlob from 'fast-glob';

const SOURCES = ['nodes', 'credentials', 'icons', 'package.json', 'tsconfig*.json', 'gulpfile.js'];

/** Time of the latest change below these places, milliseconds since 1970. Removing a file changes its folder. */
function lastChange(places: readonly string[], onlyFiles: boolean): number {
	const patterns = places.flatMap((place) => [place, `${place}/**`]);
	const entries = fastGlob.sync(patterns, { stats: true, onlyFiles });
	return Math.max(0, ...entries.map(({ stats }) => stats?.mtimeMs ?? 0));
}

/** Engine tests load the built package. Rebuilds it if a source is newer, so that they never test old code. */
export default function build(): void {
	if (lastChange(SOURCES, false) > lastChange(['dist'], true)) execSync('npm run build', { stdio: 'inherit' });
}
