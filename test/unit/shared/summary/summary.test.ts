import { SESSIONS } from '../../../../nodes/shared/resources';
import { Collector } from '../../../../nodes/shared/summary/collector';
import type { Part, Plan } from '../../../../nodes/shared/summary/plan';
import { summaryOf } from '../../../../nodes/shared/summary/summary';
import type { Measure } from '../../../../nodes/shared/summary/measures';
import type { Row } from '../../../../nodes/shared/platform/types';
import { nearest, plus, readDecimal, ZERO } from '../../../../nodes/shared/summary/decimals';
import { localDays } from '../../../../nodes/shared/summary/groups';

const namesOf = (names: readonly string[]) => names.join(', ');
const PLAN: Plan = {
	rows: 'sessions',
	list: SESSIONS,
	dateField: 'StartedAtUtc',
	zone: 'Europe/Berlin',
	today: '2026-11-21',
	timeNames: { first: 'firstStartedAt', last: 'lastStartedAt', without: 'withoutStart' },
	now: {},
	measures: ['sum', 'missing'].map((name) => ({ field: 'EnergyConsumed', function: name as Measure['function'] })),
	groupBy: [{ by: 'status' }, { by: 'day' }],
	breakdowns: [],
	result: 'oneItem',
	maxGroups: 100,
	orderGroupsBy: 'count',
	minimumSessions: 0,
	showAllOthers: false,
};

const field = (name: string) => ({ by: 'field' as const, field: name });

/** The summary of some rows, compared with `earlier` ones if the plan has some. */
function summarize(rows: Row[], more: Partial<Plan> = {}, earlier: Row[] = []) {
	const merged = { ...PLAN, ...more };
	const { groupBy, result } = merged;
	const plan = { ...merged, breakdowns: result === 'oneItem' ? groupBy.map((each) => [each]) : [groupBy] };
	const collect = (part: Part, all: Row[]) => {
		const collector = new Collector(plan, part);
		collector.add(all);
		return collector;
	};
	const collected = { now: collect(plan.now, rows), earlier: plan.earlier && collect(plan.earlier, earlier) };
	const { items, notes } = summaryOf(plan, collected, namesOf);
	return { items, json: items[0] ?? {}, hints: notes };
}

const row = (StartedAtUtc: unknown, EnergyConsumed: unknown = 1, more: Row = {}): Row =>
	({ Status: 4, StartedAtUtc, EnergyConsumed, ...more }) as Row;

describe('decimal sums', () => {
	const sum = (...values: Array<number | string>) =>
		nearest(values.reduce((total, value) => plus(total, readDecimal(value) ?? ZERO), ZERO));

	it.each([
		[[0.1, 0.2], 0.3],
		[[0.1, 0.2, -0.3], 0],
		[[1e21, 1, -1e21], 1],
		[[1e-7, 2e-7], 3e-7],
		[['12.50', '0.5', '1e1'], 23],
		[[70.571, 0, 1.1, 1.1], 72.771],
		[[1e16, 1, 1, 1, 1], 10_000_000_000_000_004],
		[[5e-324, 5e-324], 1e-323],
		[[], 0],
	])('%p add up to %p', (values, expected) => {
		expect(sum(...values)).toBe(expected);
		expect(sum(...[...values].reverse())).toBe(expected);
	});

	it.each([null, undefined, '', 'n/a', '1,5', true, [], {}, '1e999', Number.NaN])('%p is not a number', (value) => {
		expect(readDecimal(value)).toBeUndefined();
	});
});

describe('days', () => {
	const dayOf = (time: string, zone: string) => localDays(zone)(Date.parse(time)).day;

	it.each([
		['2026-10-24T22:00:00Z', 'Europe/Berlin', '2026-10-25'],
		['2026-10-25T22:59:59Z', 'Europe/Berlin', '2026-10-25'],
		['2026-10-25T23:00:00Z', 'Europe/Berlin', '2026-10-26'],
		['2026-03-28T23:00:00Z', 'Europe/Berlin', '2026-03-29'],
		['2026-03-29T21:59:59Z', 'Europe/Berlin', '2026-03-29'],
		['2026-03-29T22:00:00Z', 'Europe/Berlin', '2026-03-30'],
		['2026-06-30T18:14:59Z', 'Asia/Kathmandu', '2026-06-30'],
		['2026-06-30T18:15:00Z', 'Asia/Kathmandu', '2026-07-01'],
		// The 30th did not exist: clocks went from the 29th to the 31st.
		['2011-12-30T09:59:59Z', 'Pacific/Apia', '2011-12-29'],
		['2011-12-30T10:00:00Z', 'Pacific/Apia', '2011-12-31'],
		// Midnight came twice: the day begins with the first, as in On Day (Local).
		['2010-11-07T02:45:00Z', 'America/St_Johns', '2010-11-07'],
		['0001-01-01T00:00:00Z', 'UTC', '0001-01-01'],
	])('%s in %s is on %s', (time, zone, day) => expect(dayOf(time, zone)).toBe(day));

	it('without sessions are listed between the first and the last session', () => {
		const { json } = summarize([row('2026-11-03T12:00:00'), row('2026-11-01T12:00:00', 0.5)]);
		expect(json.byDay).toEqual([
			{ day: '2026-11-01', count: 1, EnergyConsumed_sum: 0.5, EnergyConsumed_missing: 0 },
			{ day: '2026-11-02', count: 0, EnergyConsumed_sum: 0, EnergyConsumed_missing: 0 },
			{ day: '2026-11-03', count: 1, EnergyConsumed_sum: 1, EnergyConsumed_missing: 0 },
		]);
	});

	const listed = (rows: Row[], days: Part['days']) =>
		(summarize(rows, { now: { days } }).json.byDay as Array<{ day: string }>).map(({ day }) => day.slice(5));

	it("are those of the filter's period up to today, and those of sessions outside it", () => {
		expect(listed([], { from: '2026-11-19', to: '2026-11-30' })).toEqual(['11-19', '11-20', '11-21']);
		expect(listed([row('2026-11-18T12:00:00')], { from: '2026-11-19', to: '2026-11-20' })).toEqual([
			'11-18',
			'11-19',
			'11-20',
		]);
		expect(listed([], { from: '2026-12-01', to: '2026-12-31' })).toEqual([]);
		expect(listed([], undefined)).toEqual([]);
	});

	it('without sessions are left out of a span of decades', () => {
		expect(listed([row('1901-01-01T00:00:00'), row('2026-11-18T12:00:00')], undefined)).toEqual(['01-01', '11-18']);
	});
});

describe('a summary', () => {
	it('names known codes, and counts missing codes and times', () => {
		const { json, hints } = summarize([
			row('2026-11-01T00:30:00', 10, { Status: 6 }),
			row('2026-11-01T12:00:00', 20.5, { Status: '4' }),
			row('2026-11-01T12:00:00.250', null, { Status: 2 }),
			row(null, 'n/a', { Status: null }),
		]);
		expect(json).toMatchObject({
			count: 4,
			EnergyConsumed_sum: 30.5,
			EnergyConsumed_missing: 1,
			firstStartedAt: '2026-11-01T01:30:00.000+01:00',
			lastStartedAt: '2026-11-01T13:00:00.250+01:00',
			withoutStart: 1,
			timeZone: 'Europe/Berlin',
			period: null,
		});
		expect(json.byStatus).toEqual([
			{ status: 2, StatusName: 'Code 2', count: 1, EnergyConsumed_sum: 0, EnergyConsumed_missing: 1 },
			{ status: 4, StatusName: 'Finished', count: 1, EnergyConsumed_sum: 20.5, EnergyConsumed_missing: 0 },
			{ status: 6, StatusName: 'Failed', count: 1, EnergyConsumed_sum: 10, EnergyConsumed_missing: 0 },
			{ status: null, StatusName: 'No status', count: 1, EnergyConsumed_sum: 0, EnergyConsumed_missing: 0 },
		]);
		expect(hints).toEqual([
			'One session has something other than a number in EnergyConsumed. The figures of that field leave it out.',
			'One session has no valid time in StartedAtUtc. They are counted, but belong to no day.',
		]);
	});

	it('of nothing is zero', () => {
		expect(summarize([], { groupBy: [...PLAN.groupBy, field('StationName')] })).toEqual({
			items: [expect.anything()],
			json: {
				count: 0,
				EnergyConsumed_sum: 0,
				EnergyConsumed_missing: 0,
				firstStartedAt: null,
				lastStartedAt: null,
				withoutStart: 0,
				timeZone: 'Europe/Berlin',
				period: null,
				byStatus: [],
				byDay: [],
				groupedBy: 'StationName',
				byField: [],
				otherValues: { groups: 0, count: 0, EnergyConsumed_sum: 0, EnergyConsumed_missing: 0 },
			},
			hints: [],
		});
	});

	it('keeps values of another type apart, and spells the field as the rows do', () => {
		const rows = ['1', 1, true, null].map((Lane) => row('2026-11-01T12:00:00', 1, { Lane }));
		const { json } = summarize([...rows, row('2026-11-01T12:00:00')], { groupBy: [field('lane')] });
		expect(json.groupedBy).toBe('Lane');
		expect((json.byField as Row[]).map(({ Lane, count }) => [Lane, count])).toEqual([
			[null, 2],
			[1, 1],
			['1', 1],
			[true, 1],
		]);
	});

	it.each([
		['a field that no session has', 'Depot', [row('2026-11-01T12:00:00')], /^None of the sessions has a field Depot/],
		['a list', 'EVSEs', [row('2026-11-01T12:00:00', 1, { EVSEs: [1] })], /it holds a list or an object$/],
		[
			'more values than a group can have',
			'Id',
			Array.from({ length: 10_001 }, (_, Id) => row('2026-11-01T12:00:00', 1, { Id })),
			/it has too many different values$/,
		],
	])('cannot be grouped by %s', (_, name, rows, message) => {
		expect(() => summarize(rows, { groupBy: [field(name)] })).toThrow(message);
	});
});

describe('measures', () => {
	const measured = (values: unknown[], names: Measure['function'][], more: Partial<Plan> = {}) =>
		summarize(
			values.map((Price) => row('2026-11-01T12:00:00', 1, { Price } as Row)),
			{ groupBy: [], measures: names.map((name) => ({ field: 'Price', function: name })), ...more },
		);

	it('are as exact as the values in the rows', () => {
		const { json, hints } = measured([0.1, '0.2', null, 0.3, 0.3], ['sum', 'average', 'min', 'max', 'distinct']);
		expect(json).toMatchObject({
			count: 5,
			Price_sum: 0.9,
			Price_average: 0.225,
			Price_min: 0.1,
			Price_max: 0.3,
			Price_distinct: 3,
		});
		expect(json).not.toHaveProperty('EnergyConsumed_sum');
		expect(hints).toEqual([]);
	});

	it.each([
		[[0.1, 0.2, 0.3], 0.2],
		[[1, 1, 0], 2 / 3],
		[['9007199254740993', '9007199254740995'], 9007199254740994],
		[[-1, -1, 0], -2 / 3],
		[[1e-7, 2e-7], 1.5e-7],
	])('the average of %p is %p', (values, expected) => {
		expect(measured(values, ['average']).json.Price_average).toBe(expected);
	});

	it('of no values are 0 or null', () => {
		const names: Measure['function'][] = ['sum', 'average', 'min', 'max', 'distinct'];
		const empty = { Price_sum: 0, Price_average: null, Price_min: null, Price_max: null, Price_distinct: 0 };
		expect(measured([null, ''], names).json).toMatchObject(empty);
		expect(measured([], names).json).toMatchObject(empty);
	});

	it('leave out values that are not numbers, and say in how many rows', () => {
		const { json, hints } = measured(['n/a', 2, true], ['distinct', 'sum', 'average']);
		expect(json).toMatchObject({ Price_sum: 2, Price_average: 2, Price_distinct: 3 });
		expect(hints).toEqual([
			'2 sessions have something other than a number in Price. The figures of that field leave it out.',
		]);
	});

	it('of a field that no session has are null, with a note; sums are 0 if the specification names it', () => {
		const bare: Row = { Id: 1, StartedAtUtc: '2026-11-01T12:00:00' };
		expect(summarize([bare], { groupBy: [] })).toMatchObject({
			json: { EnergyConsumed_sum: 0, EnergyConsumed_missing: 1 },
			hints: [
				'None of the sessions has a field EnergyConsumed, so its figures are 0 or empty. If this is not a quiet period, check the name in Measures. The sessions have: Id, StartedAtUtc.',
			],
		});
		const measures: Measure[] = [
			{ field: 'Prize', function: 'sum' },
			{ field: 'Prize', function: 'distinct' },
		];
		const { json, hints } = summarize([bare], { groupBy: [], measures });
		expect(json).toMatchObject({ count: 1, Prize_sum: null, Prize_distinct: null });
		expect(hints[0]).toBe(
			'None of the sessions has a field Prize, so its figures are empty. If this is not a quiet period, check the name in Measures. The sessions have: Id, StartedAtUtc.',
		);
		expect(summarize([], { groupBy: [], measures })).toMatchObject({ json: { Prize_sum: 0 }, hints: [] });
	});

	it('read a status in one way, whether it is a code, a text, a name or an object', () => {
		const rows = [4, '04', 'Finished', ' finished', { id: 4 }, 'Resting'].map((Status) =>
			row('2026-11-01T12:00:00', 1, { Status } as Row),
		);
		const { json } = summarize(rows, { groupBy: [{ by: 'status' }] });
		expect(json.byStatus).toMatchObject([
			{ status: 4, StatusName: 'Finished', count: 5 },
			{ status: 'Resting', StatusName: 'Resting', count: 1 },
		]);
	});

	it('say what is odd in the earlier rows of a comparison, too', () => {
		const now = [row('2026-11-01T12:00:00', 105)];
		const before = [row('2026-10-01T12:00:00', '10,5'), row('soon')];
		const compared = { shift: { unit: 'months' as const, amount: 1 } };
		expect(summarize(now, { earlier: compared }, before).hints).toEqual([
			'One earlier session has something other than a number in EnergyConsumed. The figures of that field leave it out.',
			'One earlier session has no valid time in StartedAtUtc. They are counted, but belong to no day.',
		]);
	});

	it('are also of fields inside an object, and so are groups: a field of that very name comes first', () => {
		const rows = [
			row('2026-11-01T12:00:00', 1, { Cost: { InclVat: 0.1, Currency: 'EUR' } }),
			row('2026-11-01T12:00:00', 1, { Cost: { InclVat: '0.2', Currency: 'EUR' } }),
			row('2026-11-01T12:00:00', 1, { Cost: null }),
			row('2026-11-01T12:00:00', 1, { 'Cost.InclVat': 5, Cost: { InclVat: 9, Currency: 'CHF' } }),
		];
		const measures: Measure[] = [{ field: 'Cost.InclVat', function: 'sum' }];
		const { items, hints } = summarize(rows, {
			measures,
			groupBy: [field('cost.currency')],
			result: 'itemPerGroup',
			orderGroupsBy: 'group',
		});
		expect(items).toEqual([
			{ 'Cost.Currency': 'CHF', count: 1, 'Cost.InclVat_sum': 5 },
			{ 'Cost.Currency': 'EUR', count: 2, 'Cost.InclVat_sum': 0.3 },
			{ 'Cost.Currency': null, count: 1, 'Cost.InclVat_sum': 0 },
		]);
		expect(hints).toEqual([]);
		expect(() => summarize(rows, { groupBy: [field('Cost')] })).toThrow(/it holds a list or an object$/);
	});

	it('give the success rate in percent of finished and failed sessions, and how many these are', () => {
		const outcomes = { finished: [4], failed: [6, 'broken'] };
		const measures: Measure[] = [{ field: 'Status', function: 'successRate', outcomes }];
		const rated = (...statuses: unknown[]) =>
			summarize(
				statuses.map((Status) => row('2026-11-01T12:00:00', 1, { Status } as Row)),
				{ groupBy: [], measures },
			);
		expect(rated(4, '4', 4, 6, 'broken', 2, null).json).toMatchObject({ successRate: 60, successRateSessions: 5 });
		expect(rated('04', 'finished', { Id: '4' }, 'Failed ', ' 6').json).toMatchObject({ successRate: 60 });
		expect(rated(4, 4, 6).json).toMatchObject({ successRate: 66.67, successRateSessions: 3 });
		expect(rated(2)).toMatchObject({ json: { successRate: null, successRateSessions: 0 }, hints: [] });
	});

	it.each([
		['a list', [[1]], 'sum', /^Sessions cannot be measured by Price: it holds a list or an object$/],
		['an object', [{ a: 1 }], 'distinct', /^Sessions cannot be measured by Price/],
		[
			'too many different values',
			Array.from({ length: 100_001 }, (_, index) => index),
			'distinct',
			/^The different values of Price cannot be counted: there are too many$/,
		],
	] as const)('refuse %s', (_, values, name, message) => {
		expect(() => measured([...values], [name])).toThrow(message);
	});
});

describe('groups of time', () => {
	it('are weeks, months, weekdays and hours of local time', () => {
		const { json } = summarize([row('2026-12-31T23:30:00'), row('2027-01-03T12:00:00')], {
			groupBy: [{ by: 'week' }, { by: 'month' }, { by: 'weekday' }, { by: 'hour' }],
		});
		const none = { count: 0, EnergyConsumed_sum: 0, EnergyConsumed_missing: 0 };
		const one = { count: 1, EnergyConsumed_sum: 1, EnergyConsumed_missing: 0 };
		const both = { count: 2, EnergyConsumed_sum: 2, EnergyConsumed_missing: 0 };
		expect(json).toMatchObject({
			byWeek: [{ week: '2026-W53', ...both }],
			byMonth: [{ month: '2027-01', ...both }],
			byWeekday: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'].map(
				(weekdayLabel, index) => ({
					weekday: index + 1,
					weekdayLabel,
					...(/Fri|Sun/.test(weekdayLabel) ? one : none),
				}),
			),
			byHour: Array.from({ length: 24 }, (_, hour) => ({ hour, ...(hour === 0 || hour === 13 ? one : none) })),
		});
	});

	it('combine with other groups into one item each, including rows without a time', () => {
		const { items } = summarize(
			[row('2026-11-01T12:00:00'), row('2026-11-01T13:00:00', 0.5, { Status: 6 }), row(null)],
			{ result: 'itemPerGroup', groupBy: [{ by: 'month' }, { by: 'status' }], orderGroupsBy: 'group' },
		);
		expect(items).toEqual([
			{
				month: '2026-11',
				status: 4,
				StatusName: 'Finished',
				count: 1,
				EnergyConsumed_sum: 1,
				EnergyConsumed_missing: 0,
			},
			{
				month: '2026-11',
				status: 6,
				StatusName: 'Failed',
				count: 1,
				EnergyConsumed_sum: 0.5,
				EnergyConsumed_missing: 0,
			},
			{ month: null, status: 4, StatusName: 'Finished', count: 1, EnergyConsumed_sum: 1, EnergyConsumed_missing: 0 },
		]);
	});

	it('are refused, naming both fields, if together they have too many values', () => {
		const rows = Array.from({ length: 10_001 }, (_, Lane) => row('2026-11-01T12:00:00', 1, { Lane }));
		expect(() => summarize(rows, { result: 'itemPerGroup', groupBy: [{ by: 'day' }, field('Lane')] })).toThrow(
			'Sessions cannot be grouped by day and Lane: together they have too many different values',
		);
	});
});

describe('the first and the last time', () => {
	const measures: Measure[] = [
		{ field: 'EndedAtUtc', function: 'min' },
		{ field: 'EndedAtUtc', function: 'max' },
	];
	const ended = (end: unknown, Lane = 'A') => row('2026-11-02T12:00:00', 1, { EndedAtUtc: end, Lane } as Row);
	const rows = [
		...['2026-11-03T10:00:00', '2026-11-02T23:30:00+02:00', null, '0001-01-01T00:00:00'].map((end) => ended(end)),
		ended('2026-10-01T10:00:00', 'B'),
		ended(null, 'C'),
	];
	const byLane = (more: Partial<Plan> = {}) =>
		summarize(rows, { measures, groupBy: [field('Lane')], result: 'itemPerGroup', ...more }).items;

	it('are in the time zone of the workflow, and null in a group without any', () => {
		expect(byLane()).toEqual([
			{
				...{ Lane: 'A', count: 4 },
				EndedAtUtc_min: '2026-11-02T22:30:00.000+01:00',
				EndedAtUtc_max: '2026-11-03T11:00:00.000+01:00',
			},
			{
				...{ Lane: 'B', count: 1 },
				EndedAtUtc_min: '2026-10-01T12:00:00.000+02:00',
				EndedAtUtc_max: '2026-10-01T12:00:00.000+02:00',
			},
			{ Lane: 'C', count: 1, EndedAtUtc_min: null, EndedAtUtc_max: null },
		]);
		const { json, hints } = summarize(rows, { measures });
		expect(json).toMatchObject({ EndedAtUtc_min: '2026-10-01T12:00:00.000+02:00' });
		expect(hints).toEqual([]);
	});

	it('order groups, and are of the groups beyond the most as well', () => {
		const items = byLane({ orderGroupsBy: 'EndedAtUtc_max', maxGroups: 1, showAllOthers: true });
		expect(items).toMatchObject([
			{ Lane: 'A' },
			{ Lane: null, groups: 2, EndedAtUtc_max: '2026-10-01T12:00:00.000+02:00' },
		]);
	});

	it('have no difference to those before', () => {
		const earlier: Part = { shift: { unit: 'days', amount: 7 }, days: { from: '2026-10-26', to: '2026-10-26' } };
		const { json } = summarize(rows, { measures, earlier }, [ended('2026-10-26T10:00:00')]);
		expect(json).toMatchObject({
			EndedAtUtc_max_previous: '2026-10-26T11:00:00.000+01:00',
			EndedAtUtc_max_difference: null,
			EndedAtUtc_max_differencePercent: null,
		});
	});

	it('are left out where the field has numbers, and what is neither is said', () => {
		const { json, hints } = summarize([...rows, ended(7), ended('soon')], { measures });
		expect(json).toMatchObject({ EndedAtUtc_min: 7, EndedAtUtc_max: 7 });
		expect(hints).toEqual([
			'One session has something other than a number or a time in EndedAtUtc. The figures of that field leave it out.',
		]);
		const summed = summarize(rows, { measures: [...measures, { field: 'EndedAtUtc', function: 'sum' }] });
		expect(summed.hints[0]).toMatch(/^3 sessions have something other than a number in EndedAtUtc/);
	});
});

describe('a field that is called as a column', () => {
	const rows = [
		...[1, 2].map((minute) => row(`2026-11-02T12:0${minute}:00`, 1, { count: 'a' })),
		row('2026-11-03T12:00:00', 1, { count: 'b' }),
	].map((each) => ({ ...each, day: 'x', StatusName: 'y', isOther: 'z', EnergyConsumed_sum_previous: 'v' }));
	const items = (more: Partial<Plan>) => summarize(rows, { result: 'itemPerGroup', ...more }).items;

	it('is another column: figures keep theirs', () => {
		expect(items({ groupBy: [field('count')] })).toEqual([
			{ count_group: 'a', count: 2, EnergyConsumed_sum: 2, EnergyConsumed_missing: 0 },
			{ count_group: 'b', count: 1, EnergyConsumed_sum: 1, EnergyConsumed_missing: 0 },
		]);
	});

	it('also if it is called as a part of the time, a status, a mark or a compared figure', () => {
		expect(items({ groupBy: [{ by: 'day' }, field('day')] })[0]).toMatchObject({ day: '2026-11-02', day_group: 'x' });
		expect(items({ groupBy: [{ by: 'status' }, field('StatusName')] })[0]).toMatchObject({
			StatusName: 'Finished',
			StatusName_group: 'y',
		});
		const cut = items({ groupBy: [field('isOther'), field('count')], maxGroups: 1, showAllOthers: true });
		expect(cut.map(({ isOther }) => isOther)).toEqual([undefined, true]);
		expect(cut[0]).toMatchObject({ isOther_group: 'z', count_group: 'a' });
		const earlier: Part = { shift: { unit: 'days', amount: 7 } };
		expect(items({ groupBy: [field('EnergyConsumed_sum_previous')], earlier })[0]).toMatchObject({
			EnergyConsumed_sum_previous: 0,
			EnergyConsumed_sum_previous_group: 'v',
		});
	});
});

describe('compared with before', () => {
	const month: Part = { shift: { unit: 'months', amount: 1 }, days: { from: '2026-01-01', to: '2026-01-31' } };

	it('one item has both figures and the change, in every group', () => {
		const { json, hints } = summarize(
			[row('2026-02-02T12:00:00', 3, { Lane: 'A' }), row('2026-02-02T13:00:00', 2, { Lane: 'A' })],
			{
				groupBy: [{ by: 'day' }, field('Lane')],
				now: { days: { from: '2026-02-01', to: '2026-02-02' } },
				earlier: month,
			},
			[row('2026-01-02T12:00:00', 4, { Lane: 'A' }), row('2026-01-31T12:00:00', 1, { Lane: 'B' })],
		);
		const change = (what: string, kWh: number | null) => ({ [`EnergyConsumed_sum_${what}`]: kWh });
		expect(json).toMatchObject({
			comparedWith: { from: '2026-01-01', to: '2026-01-31' },
			count: 2,
			EnergyConsumed_sum: 5,
			...{ count_previous: 2, count_difference: 0, count_differencePercent: 0 },
			...change('previous', 5),
			...change('difference', 0),
			...change('differencePercent', 0),
			...{ EnergyConsumed_missing_previous: 0, EnergyConsumed_missing_differencePercent: null },
		});
		expect(json.byDay).toMatchObject([
			{ day: '2026-02-01', count: 0, ...change('previous', 0), ...change('differencePercent', null) },
			{ day: '2026-02-02', count: 2, ...change('previous', 4), ...change('differencePercent', 25) },
		]);
		expect(json.byDay).toHaveLength(2);
		// There is no 31 February.
		expect(json.onlyPreviousByDay).toMatchObject({
			groups: 1,
			count: 0,
			...change('previous', 1),
			...change('differencePercent', -100),
		});
		expect(json.byField).toMatchObject([
			{ Lane: 'A', EnergyConsumed_sum: 5, ...change('previous', 4) },
			{ Lane: 'B', EnergyConsumed_sum: 0, ...change('previous', 1) },
		]);
		expect(hints).toEqual(['Compared with the sessions from 2026-01-01 to 2026-01-31.']);
	});

	it.each(['oneItem', 'itemPerGroup'] as const)('percentages have two decimals at most, in the result %s', (result) => {
		const outcomes = { finished: [4], failed: [6] };
		const statuses = (...codes: number[]) => codes.map((Status) => row('2026-02-02T12:00:00', 3, { Status }));
		const { json } = summarize(
			statuses(4, 4, 6),
			{
				result,
				groupBy: [{ by: 'weekday' }],
				measures: [{ field: 'Status', function: 'successRate', outcomes }],
				now: { days: { from: '2026-02-02', to: '2026-02-02' } },
				earlier: { shift: { unit: 'days', amount: 7 }, days: { from: '2026-01-26', to: '2026-01-26' } },
			},
			statuses(4, 4, 4, 4, 6, 6, 6),
		);
		expect(json).toMatchObject({
			...{ successRate: 66.67, successRate_previous: 57.14, successRate_difference: 9.52 },
			...{ count_difference: -4, count_differencePercent: -57.14 },
		});
		expect(json).not.toHaveProperty('successRate_differencePercent');
	});
});
