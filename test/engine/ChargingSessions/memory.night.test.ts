import { startPlatform, type StandIn } from '../../platform/index.ts';
import { runWithin } from '../../support/memoryReport.ts';
import {
	byMonthAndStation,
	during,
	spreadOverTwoYears,
	STATIONS_BY_MONTH,
	stationsByMonthBySql,
	summaryBySql,
} from '../../support/summary.ts';

const SESSIONS = 100_000;
const MINUTES_MS = 480_000;

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: SESSIONS, stations: 250 });
}, 120_000);
afterAll(async () => await platform.close());

it(
	`two fields of ${SESSIONS} sessions need no more memory than whole sessions`,
	async () => {
		platform.behaviour.idType = 'text';
		const output = { output: 'selected', outputFields: ['Id', 'EnergyConsumed'] };
		const report = await runWithin(100, platform, { operation: 'getAll', returnAll: true, ...output });
		expect(report).toEqual({ rows: SESSIONS });
	},
	MINUTES_MS,
);

it(
	`a summary of ${SESSIONS} sessions takes less than 50 MB and matches SQL`,
	async () => {
		platform.behaviour.idType = 'text';
		const { figures, ...report } = await runWithin(50, platform, {
			operation: 'summary',
			groupBy: ['status', 'day', 'field'],
			groupByField: 'StationName',
			options: { maxGroups: 5 },
		});
		expect(report).toEqual({ rows: 1 });
		expect(figures?.[0]).toMatchObject(summaryBySql(platform, 'Europe/Berlin'));
	},
	MINUTES_MS,
);

it(
	`three measures of ${SESSIONS} sessions by station and month, against the year before, match SQL in less than 50 MB`,
	async () => {
		platform.behaviour.idType = 'integer';
		spreadOverTwoYears(platform);
		const before = platform.requests.length;
		const { error, figures = [] } = await runWithin(50, platform, STATIONS_BY_MONTH);
		const requests = platform.requests.slice(before).filter(({ path }) => path === '/api/charging-sessions/v1');
		expect(error).toBeUndefined();
		expect(byMonthAndStation(figures)).toEqual(stationsByMonthBySql(platform, 'Europe/Berlin'));
		// Two lists, each with its lanes.
		expect(requests.length).toBeLessThanOrEqual(SESSIONS / 100 + 2 * 3 * 4);
	},
	MINUTES_MS,
);

it(
	`durations of ${SESSIONS} sessions take less than 50 MB, and one request for each 100 rows`,
	async () => {
		platform.behaviour.idType = 'integer';
		const before = platform.requests.length;
		const { error, figures = [] } = await runWithin(50, platform, {
			operation: 'summary',
			filters: during('2020-01-01T00:00:00', '2027-01-01T00:00:00'),
			measures: { values: [{ function: 'duration', endField: 'EndedAtUtc' }] },
			groupBy: ['month', 'field'],
			groupByField: 'StationName',
		});
		expect(error).toBeUndefined();
		expect(figures[0]?.count).toBe(SESSIONS);
		expect(platform.requests.length - before).toBeLessThanOrEqual(SESSIONS / 100 + 3 * 4 + 5);
	},
	MINUTES_MS,
);
