import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import build from './build.ts';

/** Runs once before all of Jest's tests. What they put into the folder for temporary files goes when they have ended. */
export default function beforeAllTests(): void {
	build();
	const folder = mkdtempSync(join(tmpdir(), 'charging-network-tests-'));
	process.env.TMPDIR = folder;
	process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}
