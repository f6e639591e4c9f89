import { startPlatform } from '../../platform/index.ts';
import { runWithin } from '../../support/memoryReport.ts';

it('50,000 sessions, 25 MB of items, are read with 50 MB of memory', async () => {
	const platform = await startPlatform({ sessions: 50_000 });
	const report = await runWithin(50, platform, { operation: 'getAll', returnAll: true });
	await platform.close();
	expect(report).toEqual({ rows: 50_000 });
}, 400_000);
