import { startPlatform, type StandIn } from '../../platform/index.ts';
import { runWithin } from '../../support/memoryReport.ts';
import { during } from '../../support/summary.ts';

const SESSIONS = 50_000;
const MINUTES_MS = 400_000;
let platform: StandIn;
beforeAll(async () => (platform = await startPlatform({ sessions: SESSIONS, stations: 250 })), MINUTES_MS);
afterAll(async () => await platform.close());

it(
	`${SESSIONS} sessions, 25 MB of items, are read with 50 MB of memory`,
	async () =>
		expect(await runWithin(50, platform, { operation: 'getAll', returnAll: true })).toEqual({ rows: SESSIONS }),
	MINUTES_MS,
);

it(
	'their last start at each of 250 stations takes 500 requests and less than 15 MB',
	async () => {
		const before = platform.requests.length;
		const { rows, error } = await runWithin(15, platform, {
			...{ operation: 'summary', result: 'itemPerGroup', groupBy: ['field'], groupByField: 'StationName' },
			measures: { values: [{ function: 'max', field: 'StartedAtUtc' }] },
			filters: during('2000-01-01T00:00:00', '2040-01-01T00:00:00'),
		});
		expect({ rows, error }).toEqual({ rows: 250 });
		expect(platform.requests.length - before).toBeLessThanOrEqual(SESSIONS / 100 + 12);
	},
	MINUTES_MS,
);
