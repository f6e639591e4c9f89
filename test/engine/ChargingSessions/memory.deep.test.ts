import { startPlatform, type StandIn } from '../../platform/index.ts';
import { measureMemory, MEGABYTE } from '../../support/memoryReport.ts';
import {
	byMonthAndStation,
	spreadOverTwoYears,
	STATIONS_BY_MONTH,
	stationsByMonthBySql,
	summaryBySql,
} from '../../support/summary.ts';
import { IS_DEEP } from '../../support/draws.ts';

const SESSIONS = IS_DEEP ? 100_000 : 4_000;

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: SESSIONS, stations: 250 });
}, 120_000);
afterAll(async () => await platform.close());
beforeEach(() => Object.assign(platform.behaviour, { idType: 'integer' }));

it.each([
	['simplified', { output: 'simplified' }],
	['two fields of each', { output: 'selected', outputFields: ['Id', 'EnergyConsumed'] }],
])(
	`reduced rows of ${SESSIONS} sessions need no more memory than whole ones: %s`,
	async (_, output) => {
		const { rows, error, growth } = await measureMemory(platform, { operation: 'getAll', returnAll: true, ...output });
		const whole = await measureMemory(platform, { operation: 'getAll', returnAll: true });
		expect({ rows, error }).toEqual({ rows: SESSIONS });
		// n8n itself takes a few megabytes, whatever is read.
		expect(growth).toBeLessThan(whole.growth + 5 * MEGABYTE);
	},
	480_000,
);

it.each(['integer', 'text'] as const)(
	`a summary of ${SESSIONS} sessions takes less than 40 MB and matches SQL, with %s Ids`,
	async (idType) => {
		platform.behaviour.idType = idType;
		const { rows, error, growth, figures } = await measureMemory(platform, {
			operation: 'summary',
			groupBy: ['status', 'day', 'field'],
			groupByField: 'StationName',
			options: { maxGroups: 5 },
		});
		expect({ rows, error }).toEqual({ rows: 1 });
		expect(figures?.[0]).toMatchObject(summaryBySql(platform, 'Europe/Berlin'));
		expect(growth / MEGABYTE).toBeLessThan(40);
		if (IS_DEEP) process.stdout.write(`${idType} Ids: ${(growth / MEGABYTE).toFixed(1)} MB\n`);
	},
	240_000,
);

it(`three measures of ${SESSIONS} sessions by station and month, against the year before, match SQL in less than 40 MB`, async () => {
	spreadOverTwoYears(platform);
	const before = platform.requests.length;
	const { error, growth, figures = [] } = await measureMemory(platform, STATIONS_BY_MONTH);
	const requests = platform.requests.slice(before).filter(({ path }) => path === '/api/charging-sessions/v1');
	expect(error).toBeUndefined();
	expect(byMonthAndStation(figures)).toEqual(stationsByMonthBySql(platform, 'Europe/Berlin'));
	expect(growth / MEGABYTE).toBeLessThan(40);
	// Two lists, each with its lanes, and the two warm-up pages of the measurement.
	expect(requests.length).toBeLessThanOrEqual(SESSIONS / 100 + 2 * 3 * 4 + 2);
	if (IS_DEEP)
		process.stdout.write(
			`${figures.length} groups, ${requests.length} requests: ${(growth / MEGABYTE).toFixed(1)} MB\n`,
		);
}, 480_000);
