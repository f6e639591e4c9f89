import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds a program in the PATH, or in one of these folders before it. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
	return [...folders, ...(process.env.PATH ?? '').split(delimiter)]
		.map((folder) => join(folder, name))
		.find((file) => existsSync(file));
}

/** What to tell a user whose machine lacks these packages of Debian's. */
export function howToInstall(packages: readonly string[]): string {
	return (
		'This needs programs that are not on this machine. On Debian or Ubuntu, as root:\n\n' +
		`  apt-get update\n  apt-get install -y ${packages.join(' ')}\n\nThen start again.`
	);
}

/** Tells it and lets the process end without success where packages are missing. Returns whether some are. */
export function refuseWithout(packages: readonly string[]): boolean {
	if (packages.length === 0) return false;
	console.error(howToInstall(packages));
	process.exitCode = 1;
	return true;
}
