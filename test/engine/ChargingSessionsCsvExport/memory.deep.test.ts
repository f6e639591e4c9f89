import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { allIds, platformExport } from '../../support/export.ts';
import { measureExport, MEGABYTE } from '../../support/memoryReport.ts';

const SESSIONS = process.env.DEEP ? 100_000 : 6_000;

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: SESSIONS, stations: 100 });
	Object.assign(platform.behaviour.csv, { bom: true, finalNewline: false });
	// Half a kilobyte more each, so that holding the file, or the rows of the list, would show.
	platform.db.exec(`UPDATE sessions SET Note = '"Öl", ' || hex(randomblob(250)) || char(10) || 'second line'`);
});
afterAll(async () => {
	await platform.close();
});

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test(`${SESSIONS} sessions by filter: less than 80 MB over an idle n8n that has exported before, and the file equals the platform's single export`, async () => {
	const report = await measureExport(platform);
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
