import range from 'lodash/range';

import { SESSIONS } from '../../../../nodes/shared/resources';
import { RowAggregator } from '../../../../nodes/shared/summary/rowAggregator';
import type { SummaryPeriod, SummaryPlan } from '../../../../nodes/shared/summary/plan';
import { summaryOf } from '../../../../nodes/shared/summary/summary';
import type { Measure } from '../../../../nodes/shared/summary/measures';
import type { Row } from '../../../../nodes/shared/platform/types';
import { createLocalDayFinder } from '../../../../nodes/shared/summary/groups';

// Odd values, odd names and odd days. What people usually get: test/engine/ChargingSessions.

const PLAN: SummaryPlan = {
	rows: 'sessions',
	list: SESSIONS,
	dateField: 'StartedAtUtc',
	zone: 'Europe/Berlin',
	today: '2026-11-21',
	timeNames: { first: 'firstStartedAt', last: 'lastStartedAt', without: 'withoutStart' },
	now: {},
	measures: [{ field: 'EnergyConsumed', function: 'sum' }],
	groupBy: [],
	breakdowns: [],
	result: 'oneItem',
	maxGroups: 100,
	orderGroupsBy: 'group',
	minimumSessions: 0,
	showAllOthers: false,
};

/** Earlier rows. The days only say that there is such a time. */
const earlierBy = (amount: number, unit: 'days' | 'months') => ({
	shift: { unit, amount },
	days: { from: '2025-01-01', to: '2026-12-31' },
});

const field = (name: string) => ({ by: 'field' as const, field: name });

/** The summary of some rows, compared with `earlier` ones if the plan has some. */
function summarize(rows: Row[], more: Partial<SummaryPlan> = {}, earlier: Row[] = []) {
	const merged = { ...PLAN, ...more };
	const { groupBy, result } = merged;
	const plan = { ...merged, breakdowns: result === 'oneItem' ? groupBy.map((each) => [each]) : [groupBy] };
	const collect = (part: SummaryPeriod, all: Row[]) => {
		const collector = new RowAggregator(plan, part);
		collector.add(all);
		return collector;
	};
	const collected = { now: collect(plan.now, rows), earlier: plan.earlier && collect(plan.earlier, earlier) };
	const { items, notes } = summaryOf(plan, collected, (names) => names.join(', '));
	return { items, json: items[0] ?? {}, notes };
}

const NOTHING = { count: 0, EnergyConsumed_sum: 0, EnergyConsumed_unusable: 0 };
const NOON = '2026-11-01T12:00:00';
const row = (more: Record<string, unknown> = {}) =>
	({ Status: 4, StartedAtUtc: NOON, EnergyConsumed: 1, ...more }) as Row;

describe('days', () => {
	it.each([
		['2026-10-25T22:59:59Z', 'Europe/Berlin', '2026-10-25'],
		['2026-10-25T23:00:00Z', 'Europe/Berlin', '2026-10-26'],
		// The 30th did not exist: clocks went from the 29th to the 31st.
		['2011-12-30T10:00:00Z', 'Pacific/Apia', '2011-12-31'],
		// Midnight came twice: the day begins with the first, as in On Day (Local).
		['2010-11-07T02:45:00Z', 'America/St_Johns', '2010-11-07'],
	])('%s in %s is on %s', (time, zone, day) => expect(createLocalDayFinder(zone)(Date.parse(time)).day).toBe(day));

	it('the week of New Year is of the year that has most of its days', () => {
		const weeks = ['2024-12-30', '2026-12-31', '2027-01-01'].map(
			(day) => createLocalDayFinder('UTC')(Date.parse(day)).week,
		);
		expect(weeks).toEqual(['2025-W01', '2026-W53', '2026-W53']);
	});

	it.each<[string, Row[], SummaryPeriod['days'], string[]]>([
		['those of the period up to today', [], { from: '2026-11-19', to: '2026-11-30' }, ['11-19', '11-20', '11-21']],
		[
			'also those of sessions outside it',
			[row({ StartedAtUtc: '2026-11-18T12:00:00' })],
			{ from: '2026-11-19', to: '2026-11-20' },
			['11-18', '11-19', '11-20'],
		],
		['none of a period to come', [], { from: '2026-12-01', to: '2026-12-31' }, []],
		['no empty ones of decades', [row({ StartedAtUtc: '1901-01-01T00:00:00' }), row()], undefined, ['01-01', '11-01']],
	])('that are listed: %s', (_, rows, days, expected) => {
		const { json } = summarize(rows, { groupBy: [{ by: 'day' }], now: { days } });
		expect((json.byDay as Array<{ day: string }>).map(({ day }) => day.slice(5))).toEqual(expected);
		expect(json).not.toHaveProperty('onlyPreviousByDay');
	});

	it('of the month before that this month does not have are listed as one', () => {
		const now = { days: { from: '2026-02-01', to: '2026-02-28' } };
		const earlier = earlierBy(1, 'months');
		const january = [30, 31].map((day) => row({ StartedAtUtc: `2026-01-${day}T12:00:00` }));
		const { json } = summarize([], { groupBy: [{ by: 'day' }], now, earlier }, january);
		expect(json.onlyPreviousByDay).toMatchObject({ groups: 2, count: 0, count_previous: 2 });
	});

	it.each(['oneItem', 'itemPerGroup'] as const)(
		'that the month before does not have are compared with nothing, not with 0: 31 March (%s)',
		(result) => {
			const now = { days: { from: '2026-03-01', to: '2026-03-31' } };
			const march = ['27', '31'].map((day) => row({ StartedAtUtc: `2026-03-${day}T12:00:00` }));
			const groupBy = [{ by: 'day' as const }];
			const { items, json } = summarize(march, { groupBy, now, earlier: earlierBy(1, 'months'), result });
			const days = result === 'oneItem' ? (json.byDay as Row[]) : items;
			const compared = (day: string) =>
				Object.entries(days.find((each) => each.day === `2026-03-${day}`) ?? {}).filter(([name]) => /_/.test(name));
			const sums = [
				['EnergyConsumed_sum', 1],
				['EnergyConsumed_unusable', 0],
			];
			expect(compared('27')).toEqual(
				expect.arrayContaining([
					['count_previous', 0],
					['count_difference', 1],
				]),
			);
			expect(compared('31').filter(([, figure]) => figure !== null)).toEqual(sums);
		},
	);
});

it('weekdays are compared with the same weekdays, also a year earlier', () => {
	const earlier = earlierBy(12, 'months');
	const friday = [row({ StartedAtUtc: '2025-11-14T12:00:00' })];
	const saturday = [row({ StartedAtUtc: '2026-11-14T12:00:00' })];
	const { json } = summarize(saturday, { groupBy: [{ by: 'weekday' }], earlier }, friday);
	const compared = (json.byWeekday as Row[]).map((each) => [each.weekdayLabel, each.count, each.count_previous]);
	expect(compared.filter(([, now, before]) => now !== 0 || before !== 0)).toEqual([
		['Friday', 0, 1],
		['Saturday', 1, 0],
	]);
});

it('figures that rise from below zero rise in percent, too', () => {
	const of = (...sums: number[]) => sums.map((EnergyConsumed) => row({ EnergyConsumed }));
	const { json } = summarize(of(-1), { earlier: earlierBy(7, 'days') }, of(-4));
	expect(json).toMatchObject({ EnergyConsumed_sum_difference: 3, EnergyConsumed_sum_differencePercent: 75 });
});

describe('groups', () => {
	it('of no rows are empty lists, and figures are 0', () => {
		const { items } = summarize([], { groupBy: [{ by: 'status' }, { by: 'day' }, field('StationName')] });
		expect(items).toEqual([
			{
				...NOTHING,
				firstStartedAt: null,
				lastStartedAt: null,
				withoutStart: 0,
				timeZone: 'Europe/Berlin',
				period: null,
				byStatus: [],
				byDay: [],
				groupedBy: 'StationName',
				byField: [],
				otherValues: { groups: 0, ...NOTHING },
			},
		]);
	});

	it('keep values of another type apart, and spell the field as the rows do', () => {
		const rows = ['1', 1, true, null].map((Lane) => row({ Lane }));
		const { json } = summarize([...rows, row()], { groupBy: [field('lane')], orderGroupsBy: 'count' });
		expect(json.groupedBy).toBe('Lane');
		expect((json.byField as Row[]).map(({ Lane, count }) => [Lane, count])).toEqual([
			[null, 2],
			[1, 1],
			['1', 1],
			[true, 1],
		]);
	});

	it('come by name as in a dictionary, whatever their capitals and accents, as the rows of Get Many do', () => {
		const names = ['Zürich', 'eCar', 'Århus', 'Łódź', 'Ecar', 'Berlin', 'e-Mobil'];
		const { json } = summarize(
			names.map((Name) => row({ Name })),
			{ groupBy: [field('Name')] },
		);
		const inOrder = ['Århus', 'Berlin', 'e-Mobil', 'Ecar', 'eCar', 'Łódź', 'Zürich'];
		expect((json.byField as Row[]).map(({ Name }) => Name)).toEqual(inOrder);
	});

	it.each(['sum', 'max'] as const)(
		'with figures beyond 2^53 come by their last digit, too: Max Groups keeps the highest %s',
		(name) => {
			const rows = Object.entries({ A: '9007199254740992', B: '9007199254740993' });
			const { items } = summarize(
				rows.map(([Name, EnergyConsumed]) => row({ Name, EnergyConsumed })),
				{
					groupBy: [field('Name')],
					result: 'itemPerGroup',
					measures: [{ field: 'EnergyConsumed', function: name }],
					maxGroups: 1,
					orderGroupsBy: `EnergyConsumed_${name}`,
				},
			);
			expect(items).toMatchObject([{ Name: 'B', [`EnergyConsumed_${name}`]: '9007199254740993' }]);
		},
	);

	it('have one for what is missing, however the platform writes it: null, empty, blank, no time', () => {
		const rows = ['', null, ' ', '0001-01-01T00:00:00', 'Ann'].map((Driver) => row({ Driver, Status: Driver }));
		const groupBy = [field('Driver'), { by: 'status' as const }];
		expect(summarize([...rows, row({ Status: null })], { groupBy, result: 'itemPerGroup' }).items).toMatchObject([
			{ Driver: 'Ann', status: 'Ann', count: 1 },
			{ Driver: null, status: null, StatusName: 'No status', count: 5 },
		]);
	});

	it('spell a field inside an object as the rows do, also where the first row has no object', () => {
		const rows = [row({ Cost: null }), row({ Cost: { Currency: 'EUR' } })];
		const { json } = summarize(rows, { groupBy: [field('cost.currency')] });
		expect(json).toMatchObject({ groupedBy: 'Cost.Currency', byField: [{ 'Cost.Currency': 'EUR' }, { count: 1 }] });
	});

	it('have names for weekdays and statuses, and rows without a status or a time are one of their own', () => {
		const rows = [row(), row({ StartedAtUtc: null, Status: null }), row({ StartedAtUtc: 'soon', Status: 'Resting' })];
		const groupBy = (['month', 'weekday', 'status'] as const).map((by) => ({ by }));
		const { items, notes } = summarize(rows, { groupBy, result: 'itemPerGroup' });
		const none = { month: null, weekday: null, weekdayLabel: null };
		expect(items).toMatchObject([
			{ month: '2026-11', weekday: 7, weekdayLabel: 'Sunday', status: 4, StatusName: 'Finished' },
			{ ...none, status: 'Resting', StatusName: 'Resting' },
			{ ...none, status: null, StatusName: 'No status' },
		]);
		expect(notes).toEqual(['2 sessions have no valid time in StartedAtUtc. They are counted, but belong to no day.']);
	});
});

describe('measures', () => {
	const measured = (values: unknown[], ...names: Measure['function'][]) =>
		summarize(
			values.map((Price) => row({ Price })),
			{ measures: names.map((name) => ({ field: 'Price', function: name })) },
		);

	it.each<[unknown[], ...Array<number | null>]>([
		[[0.1, '0.2', null, 0.3, 0.3], 0.9, 0.225, 0.1, 0.3, 3],
		[[1e21, 1, -1e21, '-1.5e0'], -0.5, -0.125, -1e21, 1e21, 4],
		[[1, 1, 0], 2, 2 / 3, 0, 1, 2],
		[[null, '', ' ', '0001-01-01T00:00:00'], 0, null, null, null, 0],
	])('are as exact as the values %j', (values, sum, average, min, max, distinct) => {
		const { json, notes } = measured(values, 'sum', 'average', 'min', 'max', 'distinct');
		expect(json).toMatchObject({
			Price_sum: sum,
			Price_average: average,
			Price_min: min,
			Price_max: max,
			Price_distinct: distinct,
		});
		expect(notes).toEqual([]);
	});

	it('leave out values that are not numbers, and say in how many rows, now and before', () => {
		const { json, notes } = measured(['n/a', 2, true, '1,5', '1e999'], 'distinct', 'sum', 'average');
		expect(json).toMatchObject({ Price_sum: 2, Price_average: 2, Price_unusable: 4, Price_distinct: 5 });
		expect(notes).toEqual([
			'4 sessions have something other than a number in Price. The figures of that field leave it out.',
		]);
		const earlier = earlierBy(1, 'months');
		const compared = summarize([row()], { earlier }, [row({ EnergyConsumed: '10,5' })]);
		expect(compared.json).toMatchObject({ EnergyConsumed_unusable: 0, EnergyConsumed_unusable_previous: 1 });
		expect(compared.notes).toEqual([
			'One earlier session has something other than a number in EnergyConsumed. The figures of that field leave it out.',
			'Compared with the sessions from 2025-01-01 to 2026-12-31.',
		]);
	});

	it('count in each group how many values they could not use, beside the figures: once for each field', () => {
		const cell = (Lane: string, Price: unknown) => row({ Lane, Price, EndedAtUtc: Price, Price_unusable: Lane });
		const rows = [cell('A', 'n/a'), cell('A', '2026-11-02T12:00:00'), cell('A', 3), cell('B', null), cell('C', 'n/a')];
		const measures: Measure[] = [
			...(['max', 'sum', 'missing'] as const).map((name): Measure => ({ field: 'Price', function: name })),
			{ field: 'EndedAtUtc', function: 'duration' },
		];
		const groupBy = [field('Price_unusable')];
		const options = { groupBy, result: 'itemPerGroup', maxGroups: 2, showAllOthers: true } as const;
		for (const some of [measures, [...measures].reverse()]) {
			const { items } = summarize(rows, { ...options, measures: some });
			expect(items).toMatchObject([
				{ Price_unusable_group: 'A', Price_max: 3, Price_sum: 3, Price_unusable: 2, durationUnusable: 2 },
				{ Price_unusable_group: 'B', Price_sum: 0, Price_missing: 1, Price_unusable: 0, durationUnusable: 0 },
				{ isOther: true, Price_unusable: 1, durationUnusable: 1 },
			]);
		}
	});

	it('count 300 different values in each of 350 groups: the limit is of values, not of values in groups', () => {
		const rows = range(105_000).map((index) => ({ Lane: index % 350, Driver: `D${Math.floor(index / 350)}` }));
		const measures: Measure[] = [{ field: 'Driver', function: 'distinct' }];
		const plan = { measures, groupBy: [field('Lane')], result: 'itemPerGroup', dateField: undefined } as const;
		const { items } = summarize(rows as Row[], plan);
		expect(new Set(items.map(({ Driver_distinct: drivers }) => drivers))).toEqual(new Set([300]));
	});

	it('of a field that no session has are null, with a note; sums are 0 if the specification names it', () => {
		const bare: Row = { Id: 1, StartedAtUtc: NOON };
		const note = (name: string, figures: string) =>
			`None of the sessions has a field ${name}, so its figures are ${figures}. If this is not a quiet period, check the name in Measures. The sessions have: Id, StartedAtUtc.`;
		expect(summarize([bare])).toMatchObject({
			json: { EnergyConsumed_sum: 0 },
			notes: [note('EnergyConsumed', '0 or empty')],
		});
		const measures: Measure[] = [{ field: 'Prize', function: 'sum' }];
		expect(summarize([bare], { measures })).toMatchObject({
			json: { count: 1, Prize_sum: null },
			notes: [note('Prize', 'empty')],
		});
		expect(summarize([], { measures })).toMatchObject({ json: { Prize_sum: 0 }, notes: [] });
	});

	it('are also of fields inside an object, and so are groups: a field of that very name comes first', () => {
		const rows = [
			row({ Cost: { InclVat: 0.1, Currency: 'EUR' } }),
			row({ Cost: { InclVat: '0.2', Currency: 'EUR' } }),
			row({ Cost: null }),
			row({ 'Cost.InclVat': 5, Cost: { InclVat: 9, Currency: 'CHF' } }),
		];
		const measures: Measure[] = [{ field: 'Cost.InclVat', function: 'sum' }];
		const groupBy = [field('cost.currency')];
		expect(summarize(rows, { measures, groupBy, result: 'itemPerGroup' })).toMatchObject({
			items: [
				{ 'Cost.Currency': 'CHF', count: 1, 'Cost.InclVat_sum': 5 },
				{ 'Cost.Currency': 'EUR', count: 2, 'Cost.InclVat_sum': 0.3 },
				{ 'Cost.Currency': null, count: 1, 'Cost.InclVat_sum': 0 },
			],
			notes: [],
		});
		expect(() => summarize(rows, { groupBy: [field('Cost')] })).toThrow(
			/^Sessions cannot be grouped by Cost: it holds a list or an object$/,
		);
	});

	it('that are counted in several fields are too many together: the refusal names all of these fields, once each', () => {
		const rows = range(50_001).map((index) => ({ Price: index, Driver: `D${index}`, Site: { City: 'Köln' } }));
		const measures = ['Driver', 'Price', 'site.city', 'driver'].map(
			(field): Measure => ({ field, function: 'distinct' }),
		);
		measures.push({ field: 'EnergyConsumed', function: 'sum' });
		expect(() => summarize(rows, { measures, dateField: undefined })).toThrow(
			expect.objectContaining({
				message: 'The different values of Driver, Price and Site.City cannot be counted: together they are too many',
				description:
					'More than 100,000 different values would have to be kept. Narrow the filter, use fewer groups, or leave out one of these distinct counts.',
			}) as Error,
		);
	});

	it('refuse a list, an object and too many different values', () => {
		expect(() => measured([[1]], 'sum')).toThrow(
			/^Sessions cannot be measured by Price: it holds a list or an object$/,
		);
		expect(() => measured([{ a: 1 }], 'distinct')).toThrow(/^Sessions cannot be measured by Price/);
		const rows = range(100_001).map((Price) => ({ Price }));
		const distinct: Measure[] = [{ field: 'Price', function: 'distinct' }];
		expect(() => summarize(rows, { measures: distinct, dateField: undefined })).toThrow(
			/^The different values of Price cannot be counted: there are too many$/,
		);
	});
});

it('the first and the last time are in the time zone of the workflow, null without any, and left out beside numbers', () => {
	const measures = (['min', 'max'] as const).map((name): Measure => ({ field: 'EndedAtUtc', function: name }));
	const ended = (EndedAtUtc: unknown, Lane = 'A') => row({ EndedAtUtc, Lane });
	const rows = [
		...['2026-11-03T10:00:00', '2026-11-02T23:30:00+02:00', null, '0001-01-01T00:00:00'].map((end) => ended(end)),
		ended(null, 'B'),
		ended('2026-11-03T10:00:00', 'C'),
		ended(7, 'C'),
		ended('soon', 'C'),
	];
	const { items, notes } = summarize(rows, { measures, groupBy: [field('Lane')], result: 'itemPerGroup' });
	const [first, last] = ['2026-11-02T22:30:00.000+01:00', '2026-11-03T11:00:00.000+01:00'];
	expect(items).toEqual([
		{ Lane: 'A', count: 4, EndedAtUtc_unusable: 0, EndedAtUtc_min: first, EndedAtUtc_max: last },
		{ Lane: 'B', count: 1, EndedAtUtc_unusable: 0, EndedAtUtc_min: null, EndedAtUtc_max: null },
		{ Lane: 'C', count: 3, EndedAtUtc_unusable: 1, EndedAtUtc_min: 7, EndedAtUtc_max: 7 },
	]);
	expect(notes).toEqual([
		'One session has something other than a number or a time in EndedAtUtc. The figures of that field leave it out.',
	]);
});

it.each<[string, Partial<SummaryPlan>, object]>([
	['count', {}, { count_group: 'a', count: 2 }],
	['day', { groupBy: [{ by: 'day' }, field('day')] }, { day: '2026-11-01', day_group: 'x' }],
	['isOther', {}, { isOther_group: 'z', count: 3 }],
	[
		'StatusName',
		{ groupBy: [{ by: 'status' }, field('StatusName')] },
		{ StatusName: 'Finished', StatusName_group: 'w' },
	],
	['count_previous', { earlier: earlierBy(7, 'days') }, { count_previous: 0, count_previous_group: 'v' }],
])('a field that is called %s as a column is another column', (name, plan, expected) => {
	const rows = ['a', 'a', 'b'].map((count) =>
		row({ count, day: 'x', isOther: 'z', StatusName: 'w', count_previous: 'v' }),
	);
	const { json } = summarize(rows, { result: 'itemPerGroup', groupBy: [field(name)], ...plan });
	expect(json).toMatchObject(expected);
});

it('a status code of a rate that is a name is compared without case', () => {
	const measures: Measure[] = [
		{ field: 'Status', function: 'successRate', outcomes: { finished: [4], failed: ['expired'] } },
	];
	const { json } = summarize([row(), row({ Status: 'Expired' }), row({ Status: 'Idle' })], { measures });
	expect(json).toMatchObject({ successRate: 50, successRateSessions: 2 });
});

it('percentages have two decimals, and a rate changes by percentage points', () => {
	const measures: Measure[] = [{ field: 'Status', function: 'successRate', outcomes: { finished: [4], failed: [6] } }];
	const statuses = (...codes: number[]) => codes.map((Status) => row({ Status }));
	const { json } = summarize(
		statuses(4, 4, 6),
		{ measures, earlier: earlierBy(7, 'days') },
		statuses(4, 4, 4, 4, 6, 6, 6),
	);
	expect(json).toMatchObject({
		successRate: 66.67,
		successRate_previous: 57.14,
		successRate_difference: 9.52,
		count_difference: -4,
		count_differencePercent: -57.14,
	});
	expect(json).not.toHaveProperty('successRate_differencePercent');
});
