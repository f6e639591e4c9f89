import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import buildIfOlder from '../support/build.ts';
import { exclusively, REPOSITORY, run, temporaryFolder } from './tools.ts';

let packed: Promise<string> | undefined;

/** The path of the package, packed as it is published; built first if a source is newer, and once in this process. */
export function tarball(): Promise<string> {
	packed ??= pack();
	return packed;
}

async function pack(): Promise<string> {
	const folder = temporaryFolder();
	// A build removes the previous one's output, which another run may be packing.
	return await exclusively(join(REPOSITORY, 'test/n8n/.cache/build.lock'), async () => {
		console.log('Building and packing n8n-nodes-charging-network');
		buildIfOlder();
		const advice = 'npm could not pack the package.';
		const name = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { advice });
		return join(folder, name.trim());
	});
}

/** Unpacks it into `folder`, without its top folder. */
export async function unpackTarball(folder: string): Promise<void> {
	mkdirSync(folder, { recursive: true });
	const args = ['-xzf', await tarball(), '-C', folder, '--strip-components=1'];
	await run('tar', args, { advice: 'The package could not be unpacked.' });
}
