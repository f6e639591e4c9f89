import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from '@swc/core';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import type { MemoryReport } from '../../support/exportMemory.ts';
import { allIds, platformExport } from '../../support/export.ts';

const SESSIONS = process.env.DEEP ? 100_000 : 6_000;
const MEGABYTE = 1024 * 1024;
const PROGRAM = [
	'support/exportMemory.ts',
	'support/export.ts',
	'support/harness.ts',
	'support/credentialStore.ts',
	'support/setup.ts',
];
/** Below the package, where n8n's packages are found. */
const folder = join(process.cwd(), 'test', '.cache', `export-memory-${process.pid}`);

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: SESSIONS, stations: 100 });
	Object.assign(platform.behaviour.csv, { bom: true, finalNewline: false });
	// Half a kilobyte more each, so that holding the file, or the rows of the list, would show.
	platform.db.exec(`UPDATE sessions SET Note = '"Öl", ' || hex(randomblob(250)) || char(10) || 'second line'`);
	// n8n's packages cannot be imported as ES modules, so the program is made CommonJS, as jest makes its tests.
	for (const file of PROGRAM) {
		const { code } = transformSync(readFileSync(join('test', file), 'utf8'), {
			swcrc: false,
			module: { type: 'commonjs' },
			jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
		});
		mkdirSync(dirname(join(folder, file)), { recursive: true });
		writeFileSync(join(folder, file), code);
	}
	writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
});
afterAll(async () => {
	rmSync(folder, { recursive: true, force: true });
	await platform.close();
});

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test(`${SESSIONS} sessions by filter: less than 80 MB over an idle n8n that has exported before, and the file equals the platform's single export`, async () => {
	const resultFile = join(folder, 'report.json');
	await promisify(execFile)(process.execPath, ['--expose-gc', join(folder, 'support', 'exportMemory.ts')], {
		env: { ...process.env, PLATFORM_URL: platform.baseUrl, PLATFORM_KEY: platform.key, RESULT_FILE: resultFile },
	});
	const report = JSON.parse(readFileSync(resultFile, 'utf8')) as MemoryReport;
	expect(report.status).toBe('success');
	expect(report.json).toMatchObject({ sessionCount: SESSIONS, requestedCount: SESSIONS, missingCount: 0 });

	const single = await platformExport(platform, allIds(platform));
	const file = readFileSync(report.path);
	expect(file.length).toBe(single.length);
	expect(digest(file)).toBe(digest(single));

	const megabytes = (bytes: number) => (bytes / MEGABYTE).toFixed(0);
	if (process.env.DEEP) {
		process.stdout.write(
			`${SESSIONS} sessions, a file of ${megabytes(file.length)} MB: ${megabytes(report.idle)} MB idle, ` +
				`${megabytes(report.warm)} MB after a small export, ${megabytes(report.peak)} MB at the most\n`,
		);
	}
	// Idle is an n8n that has exported before: code that is loaded once is not what an export costs.
	expect((report.peak - report.warm) / MEGABYTE).toBeLessThan(80);
}, 900_000);
