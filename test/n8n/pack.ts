import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { run } from './tools.ts';

interface PackageJson {
	name: string;
	version: string;
	dependencies?: Record<string, string>;
	devDependencies?: Record<string, string>;
	peerDependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
}

/**
 * Packs the built package in `source` as it is published, and returns the path of the tarball in `target`.
 *
 * @throws if npm cannot pack it
 */
export async function packPackage(source: string, target: string): Promise<string> {
	mkdirSync(target, { recursive: true });
	await run('npm', ['pack', '--ignore-scripts', '--pack-destination', target], {
		cwd: source,
		advice: 'npm could not pack the package.',
	});
	const tarball = readdirSync(target).find((name) => name.endsWith('.tgz'));
	if (!tarball) throw new Error(`npm pack left no tarball in ${target}.`);
	return join(target, tarball);
}

/** Unpacks a tarball made by `npm pack` into `target`, without its top folder. */
export async function unpackPackage(tarball: string, target: string): Promise<void> {
	mkdirSync(target, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'], {
		cwd: target,
		advice: `${tarball} could not be unpacked.`,
	});
}

/**
 * Installs a tarball into n8n's user folder as n8n installs community packages: unpacked into
 * `.n8n/nodes/node_modules`, without its development, peer and optional dependencies, listed in the folder's
 * package.json. n8n would run npm for the dependencies; here a package with dependencies is refused, since ours must
 * have none.
 */
export async function installTarball(tarball: string, userFolder: string): Promise<void> {
	const packed = await run('tar', ['-xzOf', tarball, 'package/package.json'], {
		cwd: userFolder,
		advice: `${tarball} holds no package.json.`,
	});
	const { name, version, dependencies = {}, ...rest } = JSON.parse(packed) as PackageJson;
	if (Object.keys(dependencies).length > 0) throw new Error(`${name} has runtime dependencies, and must have none.`);
	const nodes = join(userFolder, '.n8n/nodes');
	const home = join(nodes, 'node_modules', name);
	await unpackPackage(tarball, home);
	delete rest.devDependencies;
	delete rest.peerDependencies;
	delete rest.optionalDependencies;
	writePackage(home, { name, version, ...rest });
	writePackage(nodes, { name: 'installed-nodes', version: '0.0.0', dependencies: { [name]: version } });
}

function writePackage(folder: string, content: PackageJson): void {
	writeFileSync(join(folder, 'package.json'), JSON.stringify(content, null, 2));
}
