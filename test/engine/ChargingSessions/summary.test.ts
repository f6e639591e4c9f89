import { readFileSync } from 'node:fs';

import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { evaluate } from '../../support/expression.ts';
import { credentialFor, editorContext, runNode } from '../../support/harness.ts';
import { during } from '../../support/summary.ts';

const ZONE = 'Europe/Berlin';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 0, stations: 2 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

interface Session {
	at: string;
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
	for (const { at, end = null, status = 4, kWh = 1, station = 'A' } of sessions) {
		insert.run(status, at, end, kWh, station, 'EUR');
	}
}

const summarize = async (parameters: INodeParameters = {}) =>
	await runNode({
		type: 'chargingSessions',
		credential: credentialFor(platform),
		parameters: { operation: 'summary', groupBy: [], options: {}, ...parameters },
		timezone: ZONE,
	});

const notesOf = ({ hints }: Awaited<ReturnType<typeof summarize>>) => hints.map(({ message }) => message);
const byStation = { groupBy: ['field'], groupByField: 'StationName' };
const RATE = { measures: { values: [{ function: 'successRate' }] } };

/** Figures of these sessions, by the names of the columns. */
const figures = (count: number, kWh: number, missing = 0) => ({
	...{ count, EnergyConsumed_sum: kWh, EnergyConsumed_missing: missing },
});

describe('one item', () => {
	it('has the figures of all sessions, and of each status, day and value of a field', async () => {
		store(
			{ at: '2026-10-01T08:00:00', kWh: 0.1, station: 'Depot' },
			{ at: '2026-10-01T22:30:00', kWh: 0.2, station: 'Depot' },
			{ at: '2026-10-04T10:00:00', kWh: null, station: 'Harbour', status: 6 },
			{ at: '2026-10-04T11:00:00', kWh: 20, station: 'Market', status: 17 },
		);
		const groupBy = ['status', 'day', 'field'];
		const result = await summarize({ groupBy, groupByField: 'stationname', options: { maxGroups: 2 } });
		expect(result.json).toEqual([
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
		expect(notesOf(result)).toEqual([
			'Values of StationName are ordered by the sum of EnergyConsumed, highest first: you get the first 2. All others together (1) are in otherValues.',
		]);
		expect(result.items[0]?.pairedItem).toEqual({ item: 0 });
	});

	it('is of the sessions that match the filter, with each day of its period', async () => {
		store(...['2026-10-01T21:59:59', '2026-10-01T22:00:00', '2026-10-04T21:59:59'].map((at) => ({ at })), {
			at: '2026-10-02T12:00:00',
			status: 6,
		});
		const filters = {
			...during('2026-10-02T00:00:00', '2026-10-05T00:00:00'),
			status: [{ operator: 'Eq', value: '4' }],
		};
		const { json } = await summarize({ groupBy: ['day'], filters });
		expect(json).toMatchObject([{ count: 2, period: { from: '2026-10-02', to: '2026-10-04' } }]);
		expect(json[0]?.byDay).toMatchObject([1, 0, 1].map((count, index) => ({ day: `2026-10-0${2 + index}`, count })));
	});

	it.each(['={{ "Status, Field" }}', `={{ '["status","field"]' }}`])(
		'has the groups that an AI model writes as text: %s',
		async (groupBy) => {
			store({ at: '2026-10-01T08:00:00' });
			const { json } = await summarize({ groupBy, groupByField: 'Currency|text' });
			expect(json).toMatchObject([{ byStatus: [{ count: 1 }], groupedBy: 'Currency', byField: [{ Currency: 'EUR' }] }]);
			expect(json[0]).not.toHaveProperty('byDay');
		},
	);
});

describe('an item per group', () => {
	it('gives the top stations, and all others in one last item unless they are not wanted', async () => {
		store(...[3, 9, 1, 5].map((kWh, index) => ({ at: '2026-10-01T08:00:00', kWh, station: `S${index}` })));
		const top = async (options: INodeParameters) =>
			await summarize({ ...byStation, result: 'itemPerGroup', options: { maxGroups: 2, ...options } });
		const listed = [
			{ StationName: 'S1', ...figures(1, 9) },
			{ StationName: 'S3', ...figures(1, 5) },
		];
		expect((await top({ showAllOthers: true })).json).toEqual([
			...listed,
			{ StationName: null, ...figures(2, 4), isOther: true, groups: 2 },
		]);
		const short = await top({});
		expect(short.json).toEqual(listed);
		expect(notesOf(short)).toEqual([
			'Groups are ordered by the sum of EnergyConsumed, highest first: you get the first 2. All others (2) are left out; Options > Show All Others adds them as one item.',
		]);
	});

	it('gives the success rate of stations with enough sessions, the lowest first, by the codes that count', async () => {
		const sessions = { A: [4, 6, 2], B: [4, 4, 6], C: [6], D: [4, 4, 2] };
		for (const [station, statuses] of Object.entries(sessions)) {
			store(...statuses.map((status) => ({ at: '2026-10-01T08:00:00', station, status })));
		}
		const rated = async (options: INodeParameters) => {
			const lowestFirst = { orderGroupsBy: 'successRate_lowest', minimumSessions: 2, ...options };
			const result = await summarize({ ...byStation, ...RATE, result: 'itemPerGroup', options: lowestFirst });
			const rates = result.json.map(({ StationName, successRate, successRateSessions }) => [
				StationName,
				successRate,
				successRateSessions,
			]);
			return { rates, notes: notesOf(result) };
		};
		expect(await rated({})).toEqual({
			rates: [
				['A', 50, 2],
				['B', 66.67, 3],
				['D', 100, 2],
			],
			notes: [
				expect.stringMatching(
					/^Groups are ordered by success rate, lowest first: you get the first 3 among those with at least 2 sessions\. /,
				),
			],
		});
		expect((await rated({ finishedCodes: '4, 2' })).rates).toEqual([
			['A', 66.67, 3],
			['B', 66.67, 3],
			['D', 100, 3],
		]);
	});

	it('has a column for each of two group fields and the status', async () => {
		store({ at: '2026-10-01T08:00:00', station: 'Depot', kWh: 2 });
		const { json } = await summarize({
			groupBy: ['status', 'field'],
			groupByField: 'Currency',
			groupByField2: 'stationname',
			result: 'itemPerGroup',
			measures: { values: [{ field: '={{ "energyconsumed" }}', function: 'SUM' }, { field: 'price|number' }] },
		});
		const group = { status: 4, StatusName: 'Finished', Currency: 'EUR', StationName: 'Depot' };
		expect(json).toEqual([{ ...group, count: 1, EnergyConsumed_sum: 2, price_sum: 0 }]);
	});
});

describe('Duration', () => {
	const measures = { values: [{ function: 'duration', endField: 'EndedAtUtc' }] };
	const at = '2026-10-21T10:00:00';

	it('adds up hours, and counts apart what has no end', async () => {
		const ends = [
			'2026-10-21T11:00:00',
			'2026-10-21T12:30:00',
			null,
			'0001-01-01T00:00:00',
			'2026-10-21T09:59:59',
			'soon',
		];
		store(...ends.map((end) => ({ at, end })));
		const result = await summarize({ measures });
		expect(result.json[0]).toMatchObject({
			...{ count: 6, duration: 3.5, durationAverage: 1.75, durationLongest: 2.5, durationWithoutEnd: 2 },
		});
		expect(notesOf(result)).toEqual([
			'2 sessions have something other than a time that is not before the start in EndedAtUtc. The figures of that field leave it out.',
		]);
	});

	it('of no session is nothing', async () => {
		const { json } = await summarize({ measures });
		expect(json[0]).toMatchObject({ duration: 0, durationAverage: null, durationLongest: null, durationWithoutEnd: 0 });
	});

	it('of a session that goes on after the period is whole, and one from before is none of it', async () => {
		store({ at, end: '2026-10-22T10:00:00' }, { at: '2026-10-20T21:00:00', end: at });
		const { json } = await summarize({ measures, filters: during('2026-10-21T00:00:00', '2026-10-22T00:00:00') });
		expect(json).toMatchObject([{ count: 1, duration: 24 }]);
	});

	it('says how busy charge points are, as the recipe shows', async () => {
		const [, recipe = ''] = readFileSync('docs/recipes.md', 'utf8').split('## How busy charge points are');
		const [section = ''] = recipe.split(/^## /m);
		const sessions = [...section.matchAll(/^\| [AB] \| (\d+ \w+, [\d:]+) \| (\d+ \w+, [\d:]+) \| (\d+) \|$/gm)];
		expect(sessions).toHaveLength(3);
		const utc = (written = '') =>
			DateTime.fromFormat(`2026 ${written}`, 'yyyy d MMMM, HH:mm', { zone: ZONE })
				.toUTC()
				.toFormat("yyyy-MM-dd'T'HH:mm:ss");
		store(...sessions.map(([, from, to]) => ({ at: utc(from), end: utc(to) })));
		const { json } = await summarize({ measures, filters: during('2026-10-01T00:00:00', '2026-11-01T00:00:00') });
		const [, hours, possible, percent] =
			/together (\d+) hours.*?(\d+) hours.*?\*\*([\d.]+) %\*\*/s.exec(section.replaceAll(/\s+/g, ' ')) ?? [];
		expect(sessions.reduce((sum, found) => sum + Number(found[3]), 0)).toBe(Number(hours));
		expect(json[0]?.duration).toBe(Number(hours));
		const now = DateTime.fromISO('2026-11-15T12:00:00', { zone: ZONE });
		const [, expression = ''] = /(\{\{ \(100 .*? \}\})/.exec(section) ?? [];
		expect(evaluate(`=${expression}`, { input: json, now })).toBeCloseTo((100 * Number(hours)) / (2 * 745), 9);
		expect(Number(possible)).toBe(2 * 745);
		expect(Number(percent)).toBe(Number(((100 * Number(hours)) / Number(possible)).toFixed(2)));
	});
});

describe('Compare With', () => {
	it('gives the figures of the month before and the change, and reads no more than the two months', async () => {
		store(
			...Array.from({ length: 300 }, () => ({ at: '2026-08-15T12:00:00' })),
			...['2026-09-05T12:00:00', '2026-09-06T12:00:00'].map((at) => ({ at, kWh: 2 })),
			...['2026-10-05T12:00:00', '2026-10-06T12:00:00', '2026-10-07T12:00:00'].map((at) => ({ at, status: 6 })),
		);
		const { json } = await summarize({
			filters: during('2026-10-01T00:00:00', '2026-11-01T00:00:00'),
			groupBy: ['status'],
			compareWith: 'previousPeriod',
		});
		expect(json).toMatchObject([
			{
				...{ count: 3, count_previous: 2, count_difference: 1, count_differencePercent: 50 },
				...{ EnergyConsumed_sum: 3, EnergyConsumed_sum_previous: 4, EnergyConsumed_sum_difference: -1 },
				comparedWith: { from: '2026-09-01', to: '2026-09-30' },
				byStatus: [
					{ status: 4, count: 0, count_previous: 2 },
					{ status: 6, count: 3, count_previous: 0 },
				],
			},
		]);
		expect(platform.requests).toHaveLength(2);
	});

	it('compares the last days by their dates, whatever day it is', async () => {
		const compared = async (compareWith: string) =>
			notesOf(
				await summarize({
					filters: { startedAtUtc: [{ operator: 'InPeriod', period: 'lastDays', days: 14 }] },
					compareWith,
				}),
			);
		const ago = (days: number, years = 0) => DateTime.now().setZone(ZONE).minus({ days }).minus({ years }).toISODate();
		expect(await compared('previousPeriod')).toEqual([`Compared with the sessions from ${ago(28)} to ${ago(15)}.`]);
		expect(await compared('previousYear')).toEqual([`Compared with the sessions from ${ago(14, 1)} to ${ago(1, 1)}.`]);
	});

	it('also takes the period from a JSON condition', async () => {
		store(...['2026-09-30T12:00:00', '2026-10-01T12:00:00', '2026-10-01T13:00:00'].map((at) => ({ at, kWh: 11 })));
		const Filters = [
			{ Field: 'startedatutc', Operator: 'Gte', Value: '2026-10-01T00:00:00' },
			{ Field: 'StartedAtUtc', Operator: 'Lt', Value: '2026-10-02T00:00:00' },
			{ Field: 'EnergyConsumed', Operator: 'Gt', Value: '10' },
		];
		const filters = { json: [{ json: JSON.stringify({ Logic: 'And', Filters }) }] };
		const { json } = await summarize({ filters, compareWith: 'previousPeriod' });
		expect(json).toMatchObject([{ count: 2, count_previous: 1 }]);
	});

	it('compares a leap day with nothing a year before, and sends no request for it', async () => {
		const filters = during('2028-02-29T00:00:00', '2028-03-01T00:00:00');
		const { json } = await summarize({ filters, compareWith: 'previousYear' });
		expect(json[0]).toMatchObject({ count: 0, comparedWith: null, count_previous: 0 });
		expect(platform.requests).toHaveLength(1);
	});
});

it('says that no session has the field, and which fields there are', async () => {
	store({ at: '2026-10-01T08:00:00' });
	const { error } = await summarize({ groupBy: ['field'], groupByField: 'Depot' });
	expect(error?.message).toBe('None of the sessions has a field Depot to group by');
	expect(error?.description).toMatch(/StationName/);
});

it('stops early when the field has too many values', async () => {
	platform.db.exec(
		`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 14000)
		 INSERT INTO sessions (Id, Status, StartedAtUtc) SELECT i, 4, '2026-11-20T00:00:00' FROM n`,
	);
	const { error } = await summarize({ groupBy: ['field'], groupByField: 'Id' });
	expect(error?.message).toBe('Sessions cannot be grouped by Id: it has too many different values');
	expect(platform.requests.length).toBeLessThan(125);
});

const since = { startedAtUtc: [{ operator: 'Gte', value: '2026-10-01T00:00:00' }] };
const october = during('2026-10-01T00:00:00', '2026-11-01T00:00:00');
const withStatus = { ...october, status: [{ operator: 'Eq', value: '4' }] };
const field = (groupByField: string, more: INodeParameters = {}) => ({ groupBy: ['field'], groupByField, ...more });
const measure = (values: INodeParameters) => ({ measures: { values: [values] } });

it.each<[INodeParameters, string | RegExp]>([
	[{ groupBy: 'station' }, 'Group By: "station" is none of: status, day, week, month, weekday, hour, field.'],
	[{ groupBy: '={{ $json.none }}' }, 'Group By: a list of names is needed here, but this is nothing.'],
	[field('={{ " " }}'), /^Group By Field Name or ID: nothing is chosen/],
	[field('A,B'), 'Group By Field Name or ID: one field is needed here, but these are several.'],
	[field('A', { groupByField2: '={{ "" }}' }), /^Second Field.*: nothing is chosen/],
	[field('A', { groupByField2: 'a' }), /^Second Field.*: this is the same field/],
	[
		field('Id', { options: { maxGroups: 0 } }),
		'Options > Max Groups: a whole number of 1 or more is needed, but it is 0.',
	],
	[{ compareWith: 'previousPeriod' }, /^Compare With: for this the filter needs one period on Started At/],
	[{ compareWith: 'previousYear', filters: since }, /^Compare With: for this the filter needs one period/],
	[
		{ compareWith: 'previousYear', logic: 'Or', filters: withStatus },
		/^Compare With: for this the filter needs one period/,
	],
	[{ result: 'chart' }, /^Result: "chart" is none of: oneItem, itemPerGroup/],
	[{ result: 'itemPerGroup', groupBy: [] }, /^Group By: choose a group/],
	[
		{ result: 'itemPerGroup', ...field('A', { groupBy: ['day', 'status', 'field'], groupByField2: 'B' }) },
		/^Group By: these are 4, but an item per group can combine 3/,
	],
	[measure({ field: '' }), /^Measures: measure 1: Field Name or ID: nothing is chosen/],
	[
		measure({ field: 'Price', function: 'median' }),
		/^Measures: measure 1: Function: "median" is none of: average, distinct, duration, max, min, missing, successRate, sum\.$/,
	],
	[measure({ function: 'duration', endField: '' }), /^Measures: measure 1: End Field Name or ID: nothing is chosen/],
	[{ options: { orderGroupsBy: 'Price_sum' } }, /is none of: group, count, EnergyConsumed_sum, EnergyConsumed_missing/],
	[
		{ ...RATE, options: { failedCodes: '6,4' } },
		/^Options > Failed Status Codes: “?"?4”?"? cannot count as finished and as failed/,
	],
	[
		{ ...RATE, options: { finishedCodes: '={{ "" }}' } },
		/^Options > Finished Status Codes: at least one status code is needed here/,
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
		[{ field: 'Price' }, { field: 'Price', function: 'max' }, { function: 'successRate' }],
		[
			...['Price, sum: Price_sum', 'Price, maximum: Price_max'],
			...['Success Rate: successRate', 'Success Rate, Lowest First: successRate_lowest'],
		],
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
