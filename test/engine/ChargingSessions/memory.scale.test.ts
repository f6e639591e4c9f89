import { startPlatform, type StandIn } from '../../platform/index.ts';
import { measure } from '../../support/memory.ts';
import { during } from '../../support/summary.ts';

const SESSIONS = 50_000;
const MINUTES_MS = 400_000;
let platform: StandIn;
beforeAll(async () => (platform = await startPlatform({ sessions: SESSIONS, stations: 250 })), MINUTES_MS);
afterAll(async () => await platform.close());

it(
	`${SESSIONS} sessions, 25 MB of items, are read with 35 MB of memory`,
	async () => {
		const { rows, megabytes } = await measure(platform, 'chargingSessions', { operation: 'getAll', returnAll: true });
		expect(rows).toBe(SESSIONS);
		expect(megabytes).toBeLessThan(35);
	},
	MINUTES_MS,
);

it(
	'their last start at each of 250 stations takes 500 requests and less than 8 MB',
	async () => {
		const { rows, error, megabytes } = await measure(platform, 'chargingSessions', {
			operation: 'summary',
			result: 'itemPerGroup',
			groupBy: ['field'],
			groupByField: 'StationName',
			measures: { values: [{ function: 'max', field: 'StartedAtUtc' }] },
			filters: during('2000-01-01T00:00:00', '2040-01-01T00:00:00'),
		});
		expect({ rows, error }).toEqual({ rows: 250 });
		expect(megabytes).toBeLessThan(8);
		const asked = platform.requests.filter(({ query = '' }) => query.includes('"2040-01-01T00:00:00"'));
		expect(asked.length).toBeLessThanOrEqual(SESSIONS / 100 + 12);
	},
	MINUTES_MS,
);
