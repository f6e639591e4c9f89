import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import omit from 'lodash/omit';

/** The arguments with which package.json starts a script, up to the program's own. */
function wordsOf(script: string): string[] {
	const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
	return (scripts[script] ?? '').replace('exec node scripts/run.mjs ', '').split(' ');
}

it('npm run test:n8n without Chromium says so before packages are installed', () => {
	const checkout = mkdtempSync(join(tmpdir(), 'charging-network-run-'));
	try {
		mkdirSync(join(checkout, 'scripts'));
		copyFileSync('scripts/run.mjs', join(checkout, 'scripts/run.mjs'));
		writeFileSync(join(checkout, 'scripts/chromium.json'), '["/nowhere/chromium"]');
		const program = join(checkout, 'scripts/run.mjs');
		const { status, stderr, stdout } = spawnSync(process.execPath, [program, ...wordsOf('test:n8n')], {
			env: omit(process.env, 'CHROMIUM'),
			encoding: 'utf8',
		});
		expect(stderr).toContain('This machine lacks:');
		expect(stderr).toContain('apt-get install -y chromium');
		expect({ status, stdout, installed: existsSync(join(checkout, 'node_modules')) }).toEqual({
			status: 1,
			stdout: '',
			installed: false,
		});
	} finally {
		rmSync(checkout, { recursive: true });
	}
});
