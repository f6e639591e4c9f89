import { startPlatform, type StandIn } from '../../platform/index.ts';
import { allIds, byIds, EXPORT_PATH, fileOf, platformExport, runExport } from '../../support/export.ts';

let platform: StandIn;
beforeAll(async () => (platform = await startPlatform({ sessions: 100, stations: 5 })));
afterAll(async () => await platform.close());

test('where n8n does not keep files on disk, it gets the same file, and a broken part ends the export', async () => {
	const ids = allIds(platform);
	const { items } = await runExport(platform, byIds(ids.join(), { idsPerRequest: 30 }));
	expect((await fileOf(items[0])).equals(await platformExport(platform, ids))).toBe(true);
	expect(items[0]?.binary?.data?.id).toBeUndefined();

	platform.faults.add({ kind: 'html', status: 200, match: { path: EXPORT_PATH, nth: 3 } });
	platform.requests.length = 0;
	const { error } = await runExport(platform, byIds(ids.join(), { idsPerRequest: 30 }));
	expect(error?.message).toBe('Got a web page instead of CSV');
});
