import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { allIds, platformExport } from '../../support/export.ts';
import { measure, MEGABYTE } from '../../support/memory.ts';

const SESSIONS = 100_000;

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: SESSIONS, stations: 100 });
	Object.assign(platform.behaviour.csv, { bom: true, finalNewline: false });
	// Adds half a kilobyte to each session, so that keeping the file or the list's rows in memory would show.
	platform.db.exec(`UPDATE sessions SET Note = '"Öl", ' || hex(randomblob(250)) || char(10) || 'second line'`);
});
afterAll(async () => {
	await platform.close();
});

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test(`${SESSIONS} sessions by filter need less than 40 MB more than a small export, and the file equals the single export`, async () => {
	const report = await measure(platform, 'chargingSessionsCsvExport', { operation: 'exportByFilter' });
	expect(report.json).toMatchObject({ sessionCount: SESSIONS, requestedCount: SESSIONS, missingCount: 0 });

	const single = await platformExport(platform, allIds(platform));
	const file = readFileSync(report.path ?? '');
	expect(file.length).toBe(single.length);
	expect(digest(file)).toBe(digest(single));

	expect(file.length).toBeGreaterThan(60 * MEGABYTE);
	// Compared with an n8n that has exported before, since code is loaded only once.
	expect(report.megabytes).toBeLessThan(40);
}, 900_000);
