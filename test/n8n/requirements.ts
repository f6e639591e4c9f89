import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Finds a program in these folders or else in the PATH. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
	return [...folders, ...(process.env.PATH ?? '').split(delimiter)]
		.map((folder) => join(folder, name))
		.find((file) => existsSync(file));
}

/** Instructions for a user whose machine lacks these Debian packages. */
export function howToInstall(packages: readonly string[]): string {
	return (
		'This needs programs that are not on this machine. On Debian or Ubuntu, as root:\n\n' +
		`  apt-get update\n  apt-get install -y ${packages.join(' ')}\n\nThen start again.`
	);
}
