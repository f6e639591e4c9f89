import { startPlatform } from '../../platform/index.ts';
import { runWithin } from '../../support/memoryReport.ts';

it('a summary of 50,000 sessions, 25 MB of items, takes less than 15 MB', async () => {
	const platform = await startPlatform({ sessions: 50_000, stations: 250 });
	const byStation = { operation: 'summary', groupBy: ['month', 'field'], groupByField: 'StationName' };
	const { rows, error } = await runWithin(15, platform, byStation);
	await platform.close();
	expect({ rows, error }).toEqual({ rows: 1 });
}, 400_000);
