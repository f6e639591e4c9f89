import { readFileSync } from 'node:fs';

import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { setTimeOfDay } from '../../support/clock.ts';
import { evaluate } from '../../support/expression.ts';
import { credentialFor, editorContext, runNode } from '../../support/harness.ts';
import { during } from '../../support/summary.ts';

// What is asked for and how it is told. Figures of all groups, by SQL: summary.deep.test.ts; odd values: test/unit/shared/summary.

const ZONE = 'Europe/Berlin';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 0, stations: 2 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

interface Session {
	at?: string;
	end?: string | null;
	status?: number;
	kWh?: number | null;
	station?: string;
}

/** Stores sessions with these values. Times are in UTC. */
function store(...sessions: Session[]): void {
	const insert = platform.db.prepare(
		'INSERT INTO sessions (Status, StartedAtUtc, EndedAtUtc, EnergyConsumed, StationName, Currency) VALUES (?, ?, ?, ?, ?, ?)',
	);
	for (const { at = '2026-10-01T08:00:00', end = null, status = 4, kWh = 1, station = 'A' } of sessions) {
		insert.run(status, at, end, kWh, station, 'EUR');
	}
}

async function summarize(parameters: INodeParameters = {}) {
	const result = await runNode({
		type: 'chargingSessions',
		credential: credentialFor(platform),
		parameters: { operation: 'summary', groupBy: [], options: {}, ...parameters },
		timezone: ZONE,
	});
	return { ...result, notes: result.hints.map(({ message }) => message) };
}

const byStation = { groupBy: ['field'], groupByField: 'StationName', result: 'itemPerGroup' };
const october = during('2026-10-01T00:00:00', '2026-11-01T00:00:00');

/** Figures of these sessions, by the names of the columns. */
const figures = (count: number, kWh: number, missing = 0) => ({
	count,
	EnergyConsumed_sum: kWh,
	EnergyConsumed_unusable: 0,
	EnergyConsumed_missing: missing,
});

it('one item has the figures of all sessions, and of each status, day and value of a field', async () => {
	store(
		{ at: '2026-10-01T08:00:00', kWh: 0.1, station: 'Depot' },
		{ at: '2026-10-01T22:30:00', kWh: 0.2, station: 'Depot' },
		{ at: '2026-10-04T10:00:00', kWh: null, station: 'Harbour', status: 6 },
		{ at: '2026-10-04T11:00:00', kWh: 20, station: 'Market', status: 17 },
	);
	const groupBy = ['status', 'day', 'field'];
	const { json, items, notes } = await summarize({
		groupBy,
		groupByField: 'stationname',
		options: { maxGroups: 2 },
	});
	expect(json).toEqual([
		{
			...figures(4, 20.3, 1),
			firstStartedAt: '2026-10-01T10:00:00.000+02:00',
			lastStartedAt: '2026-10-04T13:00:00.000+02:00',
			withoutStart: 0,
			timeZone: ZONE,
			period: null,
			byStatus: [
				{ status: 4, StatusName: 'Finished', ...figures(2, 0.3) },
				{ status: 6, StatusName: 'Failed', ...figures(1, 0, 1) },
				{ status: 17, StatusName: 'Code 17', ...figures(1, 20) },
			],
			byDay: [
				{ day: '2026-10-01', ...figures(1, 0.1) },
				{ day: '2026-10-02', ...figures(1, 0.2) },
				{ day: '2026-10-03', ...figures(0, 0) },
				{ day: '2026-10-04', ...figures(2, 20, 1) },
			],
			groupedBy: 'StationName',
			byField: [
				{ StationName: 'Market', ...figures(1, 20) },
				{ StationName: 'Depot', ...figures(2, 0.3) },
			],
			otherValues: { groups: 1, ...figures(1, 0, 1) },
		},
	]);
	expect(notes).toEqual([
		'Values of StationName are ordered by the sum of EnergyConsumed, highest first: you get the first 2. All others together (1) are in otherValues.',
	]);
	expect(items[0]?.pairedItem).toEqual({ item: 0 });
});

describe('an item per group', () => {
	it('is for the top stations; a note says what becomes of the others', async () => {
		store(...[3, 9, 1, 5].map((kWh, index) => ({ kWh, station: `S${index}` })));
		const { json, notes } = await summarize({ ...byStation, options: { maxGroups: 2 } });
		expect(json).toEqual([
			{ StationName: 'S1', ...figures(1, 9) },
			{ StationName: 'S3', ...figures(1, 5) },
		]);
		expect(notes).toEqual([
			'Groups are ordered by the sum of EnergyConsumed, highest first: you get the first 2. All others (2) are left out; Options > Show All Others adds them as one item.',
		]);
	});

	it('gives the success rate of stations with enough sessions, the lowest first, by the codes that count', async () => {
		const sessions = { A: [4, 6, 2], B: [4, 4, 6], C: [6], D: [4, 4, 2], E: [2, 2] };
		for (const [station, statuses] of Object.entries(sessions))
			store(...statuses.map((status) => ({ station, status })));
		const rated = async (codes: INodeParameters) => {
			const { json, notes } = await summarize({
				...byStation,
				measures: { values: [{ function: 'successRate' }] },
				options: { orderGroupsBy: 'successRate_lowest', minimumSessions: 2, ...codes },
			});
			const rates = json.map(({ StationName, successRate, successRateSessions }) => [
				StationName,
				successRate,
				successRateSessions,
			]);
			return { rates, notes };
		};
		const { rates, notes } = await rated({});
		expect(rates).toEqual([
			['A', 50, 2],
			['B', 66.67, 3],
			['D', 100, 2],
			['E', null, 0],
		]);
		expect(notes[0]).toMatch(
			/by success rate, lowest first: you get the first 4 among those with at least 2 sessions\. /,
		);
		expect((await rated({ finishedCodes: '4, 2' })).rates[0]).toEqual(['A', 66.67, 3]);
	});

	it.each([
		['4, Code 2', 60, undefined],
		['finished', 50, undefined],
		['9', 0, undefined],
		['Expired', 0, '"Expired"'],
		['foo, bar, 4', 50, '"foo", "bar"'],
	])(
		'takes codes and names for the success rate (%s), and says which names no session has',
		async (codes, rate, named) => {
			store({ status: 4 }, { status: 4 }, { status: 2 }, { status: 6 }, { status: 6 });
			const { json, notes } = await summarize({
				measures: { values: [{ function: 'successRate' }] },
				options: { finishedCodes: codes, failedCodes: 'Code 6' },
			});
			expect(json[0]?.successRate).toBe(rate);
			expect(notes).toEqual(
				named === undefined
					? []
					: [
							`None of the sessions has the status ${named}, so Success Rate does not count it. If your platform sends statuses as numbers, enter these in Finished Status Codes and Failed Status Codes, with commas between them: 4, 5.`,
						],
			);
		},
	);

	it.each(['4; 2', '4.000', 'Status=4'])('refuses a code for the success rate that is none: %s', async (codes) => {
		const { error } = await summarize({
			measures: { values: [{ function: 'successRate' }] },
			options: { finishedCodes: codes },
		});
		expect(error?.message).toMatch(/^Options > Finished Status Codes: ".*" is no status: /);
		expect(platform.requests).toEqual([]);
	});

	it('has a column for each of two group fields and the status', async () => {
		store({ station: 'Depot', kWh: 2 });
		const { json } = await summarize({
			groupBy: '={{ "Status, Field" }}',
			groupByField: 'Currency|text',
			groupByField2: 'stationname',
			result: 'itemPerGroup',
			measures: { values: [{ field: '={{ "energyconsumed" }}', function: 'SUM' }, { field: 'price|number' }] },
		});
		const group = { status: 4, StatusName: 'Finished', Currency: 'EUR', StationName: 'Depot' };
		const unusable = { EnergyConsumed_unusable: 0, price_unusable: 0 };
		expect(json).toEqual([{ ...group, count: 1, EnergyConsumed_sum: 2, price_sum: 0, ...unusable }]);
	});
});

describe('Duration', () => {
	const measures = { values: [{ function: 'duration', endField: 'EndedAtUtc' }] };

	it('adds up hours, and counts apart what has no end', async () => {
		const ends = [
			'2026-10-01T09:00:00',
			'2026-10-01T10:30:00',
			null,
			'0001-01-01T00:00:00',
			'2026-10-01T07:59:59',
			'soon',
		];
		store(...ends.map((end) => ({ end })));
		const { json, notes } = await summarize({ measures });
		expect(json[0]).toMatchObject({
			count: 6,
			duration: 3.5,
			durationAverage: 1.75,
			durationLongest: 2.5,
			durationWithoutEnd: 2,
			durationUnusable: 2,
		});
		expect(notes).toEqual([
			'2 sessions have something other than a time that is not before the start in EndedAtUtc. The figures of that field leave it out.',
		]);
	});

	it('says how busy charge points are, as the recipe shows: by whole sessions that began in the period', async () => {
		store(
			{ at: '2026-09-30T21:00:00', end: '2026-10-01T21:00:00' },
			{ at: '2026-10-03T06:00:00', end: '2026-10-04T18:00:00' },
			{ at: '2026-10-24T10:00:00', end: '2026-10-26T11:00:00' },
			{ at: '2026-10-31T21:00:00', end: '2026-11-01T01:00:00' },
		);
		const { json } = await summarize({ measures, filters: october });
		expect(json[0]).toMatchObject({ count: 3, duration: 89 });
		const [, expression] =
			/(\{\{ \(100 \* \$json.duration.*? \}\})/.exec(readFileSync('docs/recipes.md', 'utf8')) ?? [];
		const now = DateTime.fromISO('2026-11-15T12:00:00', { zone: ZONE });
		expect(evaluate(`=${expression}`, { input: json, now })).toBeCloseTo(5.97, 2);
	});
});

describe('Compare With', () => {
	afterEach(() => void jest.useRealTimers());

	it('gives the figures of the month before and the change, and reads no more than the two months', async () => {
		store(
			...Array.from({ length: 300 }, () => ({ at: '2026-08-15T12:00:00' })),
			...['2026-09-05T12:00:00', '2026-09-06T12:00:00'].map((at) => ({ at, kWh: 2 })),
			...['2026-10-05T12:00:00', '2026-10-06T12:00:00', '2026-10-07T12:00:00'].map((at) => ({ at, status: 6 })),
		);
		const { json } = await summarize({ filters: october, groupBy: ['status'], compareWith: 'previousPeriod' });
		expect(json).toMatchObject([
			{
				count: 3,
				count_previous: 2,
				count_difference: 1,
				count_differencePercent: 50,
				EnergyConsumed_sum: 3,
				EnergyConsumed_sum_previous: 4,
				EnergyConsumed_sum_difference: -1,
				period: { from: '2026-10-01', to: '2026-10-31' },
				comparedWith: { from: '2026-09-01', to: '2026-09-30' },
				byStatus: [
					{ status: 4, count: 0, count_previous: 2 },
					{ status: 6, count: 3, count_previous: 0 },
				],
			},
		]);
		expect(platform.requests).toHaveLength(2);
	});

	it('compares the last days by their dates, even if they are whole weeks today', async () => {
		setTimeOfDay(Date.parse('2026-11-23T08:00:00Z'));
		const filters = { startedAtUtc: [{ operator: 'InPeriod', period: 'lastDays', days: 14 }] };
		const before = await summarize({ filters, compareWith: 'previousPeriod' });
		expect(before.notes).toEqual(['Compared with the sessions from 2026-10-26 to 2026-11-08.']);
		const lastYear = await summarize({ filters, compareWith: 'previousYear' });
		expect(lastYear.notes).toEqual(['Compared with the sessions from 2025-11-09 to 2025-11-22.']);
	});

	it('also takes the period from a JSON condition, beside others', async () => {
		store(...['2026-09-30T12:00:00', '2026-10-01T12:00:00', '2026-10-01T13:00:00'].map((at) => ({ at, kWh: 11 })));
		store({ at: '2026-09-30T13:00:00', kWh: 9 });
		const Filters = [
			{ Field: 'startedatutc', Operator: 'Gte', Value: '2026-10-01T00:00:00' },
			{ Field: 'StartedAtUtc', Operator: 'Lt', Value: '2026-10-02T00:00:00' },
			{ Field: 'EnergyConsumed', Operator: 'Gt', Value: '10' },
		];
		const filters = { json: [{ json: JSON.stringify({ Logic: 'And', Filters }) }] };
		const { json } = await summarize({ filters, compareWith: 'previousPeriod' });
		expect(json).toMatchObject([{ count: 2, count_previous: 1 }]);
	});

	// Clocks are set back on 27 October 2024.
	it.each([
		['IsYear', '2024-01-01', ['2023-01-01', '2023-12-31'], '2023-01-01T00:00:00,2024-01-01T00:00:00'],
		['IsMonth', '2024-10-01', ['2024-09-01', '2024-09-30'], '2024-09-01T00:00:00,2024-10-01T00:00:00'],
		['IsDate', '2024-10-27', ['2024-10-26', '2024-10-26'], '2024-10-26T00:00:00,2024-10-27T00:00:00'],
		['IsHour', '2024-10-27', ['2024-10-26', '2024-10-26'], '2024-10-26T00:00:00,2024-10-26T01:00:00'],
	])('compares a period in UTC (%s %s) with the one before in UTC', async (operator, day, [from, to], earlier) => {
		const filters = { startedAtUtc: [{ operator, value: `${day}T00:00:00` }] };
		const { json } = await summarize({ filters, compareWith: 'previousPeriod' });
		expect(json).toMatchObject([{ comparedWith: { from, to } }]);
		expect(platform.requests.at(-1)?.dsquery).toMatchObject({
			Filter: { Filters: [{ Field: 'StartedAtUtc', Operator: 'GteLt', Value: earlier }] },
		});
	});

	const json = (Operator: string, Value: string) => ({
		json: [{ json: JSON.stringify({ Field: 'StartedAtUtc', Operator, Value }) }],
	});
	it.each([
		['a month', json('GteLt', '2026-10-01,2026-11-01'), '2026-09-01T00:00:00,2026-10-01T00:00:00'],
		['a day', json('GteLte', '2026-10-25,2026-10-25'), '2026-10-24T00:00:00,2026-10-25T00:00:00'],
		[
			'a month with Z',
			during('2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'),
			'2026-09-01T00:00:00,2026-10-01T00:00:00',
		],
		['a local month', october, '2026-08-31T22:00:00,2026-09-30T22:00:00'],
	])('compares days that Filter as JSON or a Z puts in UTC with days in UTC: %s', async (_, filters, earlier) => {
		await summarize({ filters, compareWith: 'previousPeriod' });
		expect(platform.requests.at(-1)?.dsquery).toMatchObject({
			Filter: { Filters: [{ Field: 'StartedAtUtc', Operator: 'GteLt', Value: earlier }] },
		});
	});

	// Clocks in Berlin skip the hour from 02:00 on 29 March 2026.
	it.each([
		['a leap day, a year before', 'previousYear', '2028-02-29T00:00:00', '2028-03-01T00:00:00'],
		['an hour that clocks skipped', 'previousPeriod', '2026-03-30T02:00:00', '2026-03-30T03:00:00'],
	])(
		'compares with nothing, not with 0, where there is no such time, and sends no request: %s',
		async (_, ...given) => {
			const [compareWith, from, to] = given;
			for (const result of ['oneItem', 'itemPerGroup']) {
				platform.reset();
				store({ at: '2028-02-29T12:00:00', kWh: 7 }, { at: '2026-03-30T00:30:00', kWh: 7 });
				const asked = { filters: during(from, to), compareWith, groupBy: ['status'], result };
				const { json, notes } = await summarize(asked);
				const nothing = { count: 1, count_previous: null, count_difference: null, count_differencePercent: null };
				const sums = { EnergyConsumed_sum: 7, EnergyConsumed_sum_previous: null };
				expect(json).toMatchObject([{ ...nothing, ...sums, ...(result === 'oneItem' && { comparedWith: null }) }]);
				expect(notes).toEqual([expect.stringMatching(/^There is no earlier time to compare with/)]);
				expect(platform.requests).toHaveLength(1);
			}
		},
	);
});

it.each(['oneItem', 'itemPerGroup'])(
	'items tell that the platform counts other than it sends, now or before, and nothing if it does not: %s',
	async (result) => {
		store({ at: '2026-10-05T12:00:00' }, { at: '2026-09-05T12:00:00' });
		const asked = { filters: october, groupBy: ['status'], compareWith: 'previousPeriod', result };
		expect((await summarize(asked)).json[0]).not.toHaveProperty('listNotes');
		platform.behaviour.totalCount = { offBy: 4 };
		const { json } = await summarize(asked);
		const listNotes = [expect.stringMatching(/^The platform sent 1 charging sessions but counts 5/)];
		expect(json).toMatchObject([{ count: 1, count_previous: 1, listNotes }]);
	},
);

it('says that no session has the field, and which fields there are', async () => {
	store({});
	const { error } = await summarize({ groupBy: ['field'], groupByField: 'Depot' });
	expect(error?.message).toBe('None of the sessions has a field Depot to group by');
	expect(error?.description).toMatch(/StationName/);
});

it('stops early when the fields have too many values together', async () => {
	platform.db.exec(
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 14000)
		 INSERT INTO sessions (Id, Status, StartedAtUtc) SELECT i, 4, '2026-11-20T00:00:00' FROM n`,
	);
	const { error } = await summarize({ ...byStation, groupBy: ['day', 'field'], groupByField: 'Id' });
	expect(error?.message).toBe('Sessions cannot be grouped by day and Id: together they have too many different values');
	expect(platform.requests.length).toBeLessThan(125);
});

const field = (groupByField: string, more: INodeParameters = {}) => ({ groupBy: ['field'], groupByField, ...more });
const measure = (values: INodeParameters) => ({ measures: { values: [values] } });
const needsPeriod = /^Compare With: for this the filter needs one period on Started At/;

it.each<[INodeParameters, string | RegExp]>([
	[{ groupBy: 'station' }, 'Group By: "station" is none of: status, day, week, month, weekday, hour, field.'],
	[field('={{ " " }}'), /^Group By Field Name or ID: this expression came out empty/],
	[field('A', { groupByField2: 'a' }), /^Second Field.*: this is the same field/],
	[{ compareWith: 'previousPeriod' }, needsPeriod],
	[
		{ compareWith: 'previousYear', logic: 'Or', filters: { ...october, status: [{ operator: 'Eq', value: '4' }] } },
		needsPeriod,
	],
	[{ result: 'itemPerGroup', groupBy: [] }, /^Group By: choose a group/],
	[
		{ result: 'itemPerGroup', ...field('A', { groupBy: ['day', 'status', 'field'], groupByField2: 'B' }) },
		/^Group By: these are 4, but an item per group can combine 3/,
	],
	[measure({ field: '' }), /^Measures: measure 1: Field Name or ID: nothing is chosen/],
	[measure({ field: 'Price', function: 'median' }), /^Measures: measure 1: Function: "median" is none of: average, /],
	[measure({ function: 'duration', endField: '' }), /^Measures: measure 1: End Field Name or ID: nothing is chosen/],
	[{ options: { orderGroupsBy: 'Price_sum' } }, /is none of: group, count, EnergyConsumed_sum, EnergyConsumed_missing/],
	[
		{ ...measure({ function: 'successRate' }), options: { failedCodes: '6,4' } },
		/^Options > Failed Status Codes: “?"?4”?"? cannot count as finished and as failed/,
	],
	[
		{ ...measure({ function: 'successRate' }), options: { finishedCodes: '={{ "" }}' } },
		/^Options > Finished Status Codes: this expression came out empty/,
	],
])('refuses %j before anything is sent', async (parameters, message) => {
	const { error } = await summarize(parameters);
	expect(error?.message).toMatch(message);
	expect(platform.requests).toHaveLength(0);
});

it.each<[INodeParameters[], string[]]>([
	[
		[],
		['Energy Consumed, sum: EnergyConsumed_sum', 'Energy Consumed, number of missing values: EnergyConsumed_missing'],
	],
	[
		[{ field: 'Price' }, { function: 'successRate' }],
		['Price, sum: Price_sum', 'Success Rate: successRate', 'Success Rate, Lowest First: successRate_lowest'],
	],
])('the measures %j are offered for ordering groups', async (values, offered) => {
	const { context, nodeType } = await editorContext({
		type: 'chargingSessions',
		credential: credentialFor(platform),
		parameters: { operation: 'summary', measures: values.length > 0 ? { values } : {} },
	});
	const orders = await nodeType.methods?.loadOptions?.getGroupOrders?.call(context);
	expect(orders?.slice(2).map(({ name, value }) => `${name}: ${String(value)}`)).toEqual(offered);
});
