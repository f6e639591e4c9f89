import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, editorContext, runNode, type RunOptions } from '../../support/harness.ts';
import {
	byMonthAndStation,
	during,
	LAST_YEAR,
	spreadOverTwoYears,
	STATIONS_BY_MONTH,
	stationsByMonthBySql,
	summaryBySql,
} from '../../support/summary.ts';

const ZONE = 'Europe/Berlin';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 3_000, stations: 30 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const everything = {
	operation: 'summary',
	groupBy: ['status', 'day', 'field'],
	groupByField: 'stationname',
	options: { maxGroups: 5 },
};

const summarize = async (parameters: INodeParameters = {}, options: Partial<RunOptions> = {}) =>
	await runNode({
		type: 'chargingSessions',
		credential: credentialFor(platform),
		parameters: { ...everything, ...parameters },
		timezone: ZONE,
		...options,
	});

const listRequests = () => platform.requests.filter(({ path }) => path === '/api/charging-sessions/v1');

describe('Summarize', () => {
	it("gives one item with SQL's figures", async () => {
		const { json, status, hints, items } = await summarize();
		expect(status).toBe('success');
		expect(json).toHaveLength(1);
		expect(json[0]).toMatchObject(summaryBySql(platform, ZONE));
		expect(json[0]).toMatchObject({ groupedBy: 'StationName', timeZone: ZONE, period: null });
		expect(items[0]?.pairedItem).toEqual({ item: 0 });
		expect(hints.map(({ message }) => message)).toEqual([
			'Values of StationName are ordered by the sum of EnergyConsumed, highest first: you get the first 5. All others together (25) are in otherValues.',
		]);
		const others = json[0]?.otherValues as Record<string, number>;
		const shown = (json[0]?.byField as Array<Record<string, number>>).reduce(
			(sum, { count }) => sum + Number(count),
			0,
		);
		expect([others.groups, Number(others.count) + shown]).toEqual([25, 3000]);
		expect(listRequests().length).toBeLessThanOrEqual(30 + 3 * 4);
	});

	it('applies the filter form, and lists days of its period without sessions', async () => {
		platform.db.exec(`DELETE FROM sessions WHERE StartedAtUtc LIKE '2026-10-03%'`);
		const { json } = await summarize({
			groupBy: ['day'],
			filters: {
				status: [{ operator: 'In', values: ['4'] }],
				startedAtUtc: [{ operator: 'GteLt', from: '2026-10-01T00:00:00', to: '2026-10-31T00:00:00' }],
			},
		});
		const where = `Status = 4 AND StartedAtUtc >= '2026-09-30T22:00:00' AND StartedAtUtc < '2026-10-30T23:00:00'`;
		const { byDay, ...expected } = summaryBySql(platform, ZONE, where);
		expect(json[0]).toMatchObject({
			count: expected.count,
			EnergyConsumed_sum: expected.EnergyConsumed_sum,
			period: { from: '2026-10-01', to: '2026-10-30' },
		});
		expect(json[0]?.byDay).toHaveLength(30);
		expect((json[0]?.byDay as Array<{ count: number }>).filter((day) => day.count > 0)).toEqual(
			byDay.filter((day) => day.count !== 0),
		);
		expect(json[0]).not.toHaveProperty('byStatus');
		expect(json[0]).not.toHaveProperty('byField');
	});

	it('accepts groups as text, the way an AI model writes them', async () => {
		for (const groupBy of ['={{ "Status, Field" }}', `={{ '["status","field"]' }}`]) {
			const { json } = await summarize({ groupBy, groupByField: 'Currency|text' });
			expect(Object.keys(json[0] ?? {})).toEqual(expect.arrayContaining(['byStatus', 'byField']));
			expect(json[0]).toMatchObject({ groupedBy: 'Currency' });
			expect(json[0]).not.toHaveProperty('byDay');
		}
	});

	it('says that no session has the field, and which fields there are', async () => {
		const { error } = await summarize({ groupByField: 'Depot' });
		expect(error?.message).toBe('None of the sessions has a field Depot to group by');
		expect(error?.description).toMatch(/StationName/);
	});

	it('stops early when the field has too many values', async () => {
		platform.db.exec(
			`WITH RECURSIVE n(i) AS (SELECT 3001 UNION ALL SELECT i + 1 FROM n WHERE i < 14000)
			 INSERT INTO sessions (Id, Status, StartedAtUtc) SELECT i, 4, '2026-11-20T00:00:00' FROM n`,
		);
		const { error } = await summarize({ groupByField: 'Id' });
		expect(error?.message).toBe('Sessions cannot be grouped by Id: it has too many different values');
		expect(listRequests().length).toBeLessThan(125);
	});
});

describe('Summarize anything', () => {
	it('matches SQL by station and month, compared with the year before', async () => {
		spreadOverTwoYears(platform);
		const { json, error, hints } = await summarize(STATIONS_BY_MONTH);
		expect(error).toBeUndefined();
		expect(byMonthAndStation(json)).toEqual(stationsByMonthBySql(platform, ZONE));
		expect(hints.map(({ message }) => message)).toEqual(['Compared with the sessions from 2024-11-01 to 2025-10-31.']);
		expect(listRequests().length).toBeLessThanOrEqual(2 * (15 + 3 * 4));
	});

	it('gives the top stations by energy, and all others in one last item if that is asked for', async () => {
		const top10 = async (options: INodeParameters) =>
			await summarize({
				groupBy: ['field'],
				groupByField: 'StationName',
				result: 'itemPerGroup',
				options: { maxGroups: 10, ...options },
			});
		const short = await top10({});
		const { json } = await top10({ showAllOthers: true });
		expect(short.json).toEqual(json.slice(0, 10));
		expect(short.hints.map(({ message }) => message)).toEqual([
			'Groups are ordered by the sum of EnergyConsumed, highest first: you get the first 10. All others (20) are left out; Options > Show All Others adds them as one item.',
		]);
		const top = platform.db
			.prepare(
				`SELECT StationName, count(*) AS count, sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)) / 1000.0 AS EnergyConsumed_sum,
				 count(*) - count(EnergyConsumed) AS EnergyConsumed_missing
				 FROM sessions GROUP BY StationName ORDER BY EnergyConsumed_sum DESC`,
			)
			.all()
			.map((row) => ({ ...row }));
		expect(json.slice(0, 10)).toEqual(top.slice(0, 10));
		expect(json).toHaveLength(11);
		const others = top.slice(10).reduce((sum, { count }) => sum + Number(count), 0);
		expect(json[10]).toMatchObject({ StationName: null, isOther: true, groups: 20, count: others });
	});

	it('gives the last start at each station, as SQL does', async () => {
		const { json, hints } = await summarize({
			measures: { values: [{ field: 'startedatutc', function: 'max' }] },
			groupBy: ['field'],
			groupByField: 'StationName',
			result: 'itemPerGroup',
			options: { orderGroupsBy: 'StartedAtUtc_max' },
		});
		const bySql = platform.db
			.prepare(
				'SELECT StationName, max(StartedAtUtc) AS last FROM sessions GROUP BY StationName ORDER BY last DESC, StationName',
			)
			.all();
		expect(json.map(({ StationName, StartedAtUtc_max: last }) => [StationName, Date.parse(last as string)])).toEqual(
			bySql.map(({ StationName, last }) => [StationName, Date.parse(`${String(last)}Z`)]),
		);
		expect(hints).toEqual([]);
	});

	it('gives the success rate of stations with enough sessions, the lowest first, as SQL does', async () => {
		const rated = async (options: INodeParameters, result = 'itemPerGroup') =>
			await summarize({
				groupBy: ['field'],
				groupByField: 'StationName',
				result,
				measures: { values: [{ function: 'successRate' }] },
				options,
			});
		const bySql = (finished: string, least: number) =>
			platform.db
				.prepare(
					`SELECT StationName, count(*) AS count,
					 100.0 * sum(Status IN (${finished})) / nullif(sum(Status IN (${finished}, 6)), 0) AS successRate,
					 sum(Status IN (${finished}, 6)) AS successRateSessions
					 FROM sessions GROUP BY StationName HAVING count(*) >= ${least}
					 ORDER BY successRate IS NULL, successRate, StationName`,
				)
				.all()
				.map((row) => ({ ...row }));
		const inPercent = (rows: ReturnType<typeof bySql>) =>
			rows.map((row) => ({ ...row, successRate: Number(Number(row.successRate).toFixed(2)) }));
		const lowest = { orderGroupsBy: 'successRate_lowest', minimumSessions: 100 };
		const { json, hints } = await rated(lowest);
		expect(json.length).toBeGreaterThan(2);
		expect(json.length).toBeLessThan(30);
		expect(json).toEqual(inPercent(bySql('4', 100)));
		expect(hints[0]?.message).toMatch(
			/^Groups are ordered by success rate, lowest first: you get the first \d+ among those with at least 100 sessions\. /,
		);
		const more = await rated({ finishedCodes: '4, 2', orderGroupsBy: 'successRate_lowest' });
		expect(more.json).toEqual(inPercent(bySql('4, 2', 0)));
		const one = await rated({ maxGroups: 3 }, 'oneItem');
		expect((one.json[0]?.byField as Array<{ StationName: string }>).map(({ StationName }) => StationName)).toEqual(
			bySql('4', 0)
				.sort((a, b) => Number(b.successRate) - Number(a.successRate))
				.slice(0, 3)
				.map(({ StationName }) => StationName),
		);
	});

	it.each([
		['previousPeriod', 14, { days: 28 }, { days: 15 }],
		['previousPeriod', 365, { days: 730 }, { days: 366 }],
		['previousYear', 14, { days: 14, years: 1 }, { days: 1, years: 1 }],
	])('%s: the last %i days are compared by dates, whatever day it is', async (compareWith, days, first, last) => {
		const { hints } = await summarize({
			filters: { startedAtUtc: [{ operator: 'InPeriod', period: 'lastDays', days }] },
			groupBy: [],
			compareWith,
			options: {},
		});
		const day = ({ days: back, years = 0 }: { days: number; years?: number }) =>
			DateTime.now().setZone(ZONE).minus({ days: back }).minus({ years }).toISODate();
		expect(hints.map(({ message }) => message)).toEqual([
			`Compared with the sessions from ${day(first)} to ${day(last)}.`,
		]);
	});

	it('gives two group fields and the status a column each', async () => {
		const { json } = await summarize({
			groupBy: ['status', 'field'],
			groupByField: 'Currency',
			groupByField2: 'IsRoaming',
			result: 'itemPerGroup',
			measures: { values: [{ field: '={{ "price" }}', function: 'SUM' }, { field: 'energyconsumed|number' }] },
			options: { orderGroupsBy: 'group' },
		});
		expect(json[0]).toEqual({
			status: expect.any(Number) as number,
			StatusName: expect.any(String) as string,
			Currency: 'CHF',
			IsRoaming: false,
			count: expect.any(Number) as number,
			price_sum: expect.any(Number) as number,
			EnergyConsumed_sum: expect.any(Number) as number,
		});
	});

	it('compares one item with the month before, and reads no more than the two periods', async () => {
		const { json } = await summarize({
			filters: { ...during('2026-10-01T00:00:00', '2026-11-01T00:00:00'), status: [{ operator: 'In', values: ['4'] }] },
			groupBy: ['status'],
			compareWith: 'previousPeriod',
			options: {},
		});
		const where = (from: string, to: string) => `Status = 4 AND StartedAtUtc >= '${from}' AND StartedAtUtc < '${to}'`;
		const october = summaryBySql(platform, ZONE, where('2026-09-30T22:00:00', '2026-10-31T23:00:00'));
		const september = summaryBySql(platform, ZONE, where('2026-08-31T22:00:00', '2026-09-30T22:00:00'));
		expect(json[0]).toMatchObject({
			count: october.count,
			EnergyConsumed_sum: october.EnergyConsumed_sum,
			comparedWith: { from: '2026-09-01', to: '2026-09-30' },
			count_previous: september.count,
			EnergyConsumed_sum_previous: september.EnergyConsumed_sum,
			count_difference: Number(october.count) - Number(september.count),
			byStatus: [{ status: 4, count_previous: september.count }],
		});
		const pages = [october, september].reduce((sum, { count }) => sum + Math.ceil(Number(count) / 100), 0);
		expect(listRequests().length).toBeLessThanOrEqual(pages + 2 * 3 * 4);
	});

	it('also takes the period from a JSON condition', async () => {
		const json = JSON.stringify({
			Logic: 'And',
			Filters: [
				{ Field: 'startedatutc', Operator: 'Gte', Value: '2026-10-01T00:00:00' },
				{ Field: 'StartedAtUtc', Operator: 'Lt', Value: '2026-10-02T00:00:00' },
				{ Field: 'EnergyConsumed', Operator: 'Gt', Value: '10' },
			],
		});
		const { json: items } = await summarize({
			filters: { json: [{ json }] },
			groupBy: [],
			compareWith: 'previousPeriod',
			options: {},
		});
		const count = (from: string, to: string) =>
			platform.db
				.prepare(
					'SELECT count(*) AS count FROM sessions WHERE EnergyConsumed > 10 AND StartedAtUtc >= ? AND StartedAtUtc < ?',
				)
				.get(from, to)?.count;
		expect(items[0]).toMatchObject({
			count: count('2026-10-01T00:00:00', '2026-10-02T00:00:00'),
			count_previous: count('2026-09-30T00:00:00', '2026-10-01T00:00:00'),
		});
	});

	it('compares a leap day with nothing a year before, and sends no request for it', async () => {
		const { json } = await summarize({
			filters: during('2028-02-29T00:00:00', '2028-03-01T00:00:00'),
			groupBy: [],
			compareWith: 'previousYear',
			options: {},
		});
		expect(json[0]).toMatchObject({ count: 0, comparedWith: null, count_previous: 0 });
		expect(listRequests()).toHaveLength(1);
	});

	it.each([
		[{ groupBy: 'station' }, 'Group By: "station" is none of: status, day, week, month, weekday, hour, field.'],
		[{ groupBy: '={{ $json.none }}' }, 'Group By: a list of names is needed here, but this is nothing.'],
		[{ groupBy: ['field'], groupByField: '={{ " " }}' }, /^Group By Field Name or ID: nothing is chosen/],
		[
			{ groupBy: ['field'], groupByField: 'A,B' },
			'Group By Field Name or ID: one field is needed here, but these are several.',
		],
		[
			{ groupBy: ['field'], groupByField: 'Id', options: { maxGroups: 0 } },
			'Options > Max Groups: a whole number of 1 or more is needed, but it is 0.',
		],
		[{ compareWith: 'previousPeriod' }, /^Compare With: for this the filter needs one period on Started At/],
		[
			{ compareWith: 'previousYear', filters: { startedAtUtc: [{ operator: 'Gte', value: '2026-10-01T00:00:00' }] } },
			/^Compare With: for this the filter needs one period/,
		],
		[
			{ compareWith: 'previousYear', logic: 'Or', filters: { ...LAST_YEAR, status: [{ operator: 'Eq', value: '4' }] } },
			/^Compare With: for this the filter needs one period/,
		],
		[{ result: 'itemPerGroup', groupBy: [] }, /^Group By: choose a group/],
		[
			{ result: 'itemPerGroup', groupBy: ['day', 'status', 'field'], groupByField: 'A', groupByField2: 'B' },
			/^Group By: these are 4, but an item per group can combine 3/,
		],
		[{ groupBy: ['field'], groupByField: 'A', groupByField2: '={{ "" }}' }, /^Second Field.*: nothing is chosen/],
		[{ groupBy: ['field'], groupByField: 'A', groupByField2: 'a' }, /^Second Field.*: this is the same field/],
		[{ measures: { values: [{ field: '' }] } }, /^Measures: measure 1: Field Name or ID: nothing is chosen/],
		[
			{ measures: { values: [{ field: 'Price', function: 'median' }] } },
			/^Measures: measure 1: Function: "median" is none of: average, distinct, duration, max, min, missing, successRate, sum\.$/,
		],
		[
			{ options: { orderGroupsBy: 'Price_sum' } },
			/is none of: group, count, EnergyConsumed_sum, EnergyConsumed_missing/,
		],
		[
			{ measures: { values: [{ function: 'successRate' }] }, options: { failedCodes: '6,4' } },
			/^Options > Failed Status Codes: “?"?4”?"? cannot count as finished and as failed/,
		],
		[
			{ measures: { values: [{ function: 'successRate' }] }, options: { finishedCodes: '={{ "" }}' } },
			/^Options > Finished Status Codes: at least one status code is needed here/,
		],
		[{ result: 'chart' }, /^Result: "chart" is none of: oneItem, itemPerGroup/],
	])('refuses %j before anything is sent', async (parameters, message) => {
		const { error } = await summarize({ groupBy: [], options: {}, ...parameters } as INodeParameters);
		expect(error?.message).toMatch(message);
		expect(platform.requests).toHaveLength(0);
	});

	it('offers the chosen measures for ordering groups', async () => {
		const orders = async (parameters: INodeParameters) => {
			const { context, nodeType } = await editorContext({
				type: 'chargingSessions',
				credential: credentialFor(platform),
				parameters: { operation: 'summary', ...parameters },
			});
			const options = await nodeType.methods?.loadOptions?.getGroupOrders?.call(context);
			return options?.map(({ name, value }) => `${name}: ${String(value)}`).slice(2);
		};
		expect(await orders({})).toEqual([
			'Energy Consumed, sum: EnergyConsumed_sum',
			'Energy Consumed, number of missing values: EnergyConsumed_missing',
		]);
		const values = [...[{ field: 'Price' }, { field: 'Price', function: 'max' }], { function: 'successRate' }];
		expect(await orders({ measures: { values } })).toEqual([
			'Price, sum: Price_sum',
			'Price, maximum: Price_max',
			'Success Rate: successRate',
			'Success Rate, Lowest First: successRate_lowest',
		]);
	});
});
