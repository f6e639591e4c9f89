import { startPlatform } from '../../platform/index.ts';
import { runWithin } from '../../support/memoryReport.ts';

it('the last start of 50,000 sessions at each of 250 stations takes 500 requests and less than 15 MB', async () => {
	const platform = await startPlatform({ sessions: 50_000, stations: 250 });
	const parameters = {
		...{ operation: 'summary', result: 'itemPerGroup', groupBy: ['field'], groupByField: 'StationName' },
		measures: { values: [{ function: 'max', field: 'StartedAtUtc' }] },
		filters: { startedAtUtc: [{ operator: 'GteLt', from: '2000-01-01T00:00:00', to: '2040-01-01T00:00:00' }] },
	};
	const { rows, error } = await runWithin(15, platform, parameters);
	const requests = platform.requests.length;
	await platform.close();
	expect({ rows, error }).toEqual({ rows: 250 });
	expect(requests).toBeLessThanOrEqual(500 + 12);
}, 400_000);
