/** What is asked of the platform for a filter: in the form, and as JSON. */
import { runInNewContext } from 'node:vm';
import { DateTime } from 'luxon';

import { FORM_OPERATORS, OPERATORS, type FieldType } from '../../../../nodes/shared/dsquery/operators';
import { writeQuery } from '../../../../nodes/shared/dsquery/write';
import { LOCATIONS, STATIONS } from '../../../../nodes/shared/resources';
import { CONTEXT, line, readForm, readJson, readSorts } from './read.ts';

const started = (entry: object) => ({ startedAtUtc: [entry] });
const energy = (entry: object) => ({ energyConsumed: [entry] });
const status = (entry: object) => ({ status: [entry] });
const other = (field: string, entry: object) => ({ other: [{ field, ...entry }] });
const json = { Field: 'Id', Operator: 'Gt', Value: '5' };
const WEEK = '2026-11-10T23:00:00,2026-11-17T23:00:00';
/** What is stored besides, of operators chosen before. */
const stale = { value: 'old', values: [], from: 'x', to: null, period: 'never', days: -1 };

it.each<[string, object, string]>([
	['values of a list', status({ operator: 'In', values: ['4', '6'] }), 'Status In 4,6'],
	['none of', status({ operator: 'NotIn', values: 'Finished, 6' }), 'Status Neq 4 And Status Neq 6'],
	['only what the operator uses', energy({ ...stale, operator: 'Gt', value: 20 }), 'EnergyConsumed Gt 20'],
	['a range', energy({ ...stale, operator: 'GteLte', from: 1, to: '2' }), 'EnergyConsumed GteLte 1,2'],
	[
		'a period',
		started({ ...stale, operator: 'InPeriod', period: 'lastMonth' }),
		'StartedAtUtc GteLt 2026-09-30T22:00:00,2026-10-31T23:00:00',
	],
	['last days', started({ operator: 'InPeriod', period: 'lastDays', days: '7' }), `StartedAtUtc GteLt ${WEEK}`],
	[
		'last hours, to the second',
		started({ operator: 'InPeriod', period: 'lastHours', hours: 6 }),
		'StartedAtUtc GteLt 2026-11-18T06:00:00,2026-11-18T12:00:00',
	],
	['hours ago', started({ operator: 'OlderThan', amount: 24, unit: 'hours' }), 'StartedAtUtc Lt 2026-11-17T12:00:00'],
	[
		'months ago, by the calendar',
		started({ operator: 'OlderThan', amount: '1', unit: 'months' }),
		'StartedAtUtc Lt 2026-10-18T11:00:00',
	],
	[
		'a day of 25 hours',
		started({ operator: 'LocalDay', value: '2026-10-25' }),
		'StartedAtUtc GteLt 2026-10-24T22:00:00,2026-10-25T23:00:00',
	],
	[
		'the day of an instant',
		started({ operator: 'LocalDay', value: '2026-11-14T23:30:00Z' }),
		'StartedAtUtc GteLt 2026-11-14T23:00:00,2026-11-15T23:00:00',
	],
	['another field', other('Price|number', { numberOperator: 'Gte', textOperator: 'Eq', value: '5' }), 'Price Gte 5'],
	['a field by name alone', other('Driver', { anyOperator: 'Neq', value: '5' }), 'Driver Neq 5'],
	['a name with a bar', other('Odd|name', { anyOperator: 'Neq', value: '5' }), 'Odd|name Neq 5'],
	['blanks around a name', other(' Driver | text ', { textOperator: 'Contains', value: '5' }), 'Driver Contains 5'],
	[
		'a known field, spelled otherwise',
		other('energyconsumed', { anyOperator: 'Eq', value: '5.0' }),
		'EnergyConsumed Eq 5',
	],
	[
		'a known date without its type',
		other('StartedAtUtc', { anyOperator: 'Gte', value: '2026-11-15' }),
		'StartedAtUtc Gte 2026-11-14T23:00:00',
	],
	['yes or no', other('Roaming|boolean', { booleanOperator: 'Eq', value: true }), 'Roaming Eq true'],
	['JSON', { json: [{ json: JSON.stringify(json) }, { json }] }, 'Id Gt 5 And Id Gt 5'],
	[
		'kinds in the order of the menu, then groups',
		{
			groups: [
				{ logic: 'Or', filters: { ...status({ operator: 'Eq', value: 4 }), json: [{ json }] } },
				{ logic: 'And', filters: { id: [{ operator: 'Lt', value: 9 }] } },
			],
			id: [{ operator: 'Eq', value: 5 }],
			...status({ operator: 'Eq', value: 6 }),
		},
		'Status Eq 6 And Id Eq 5 And (Status Eq 4 Or Id Gt 5) And (Id Lt 9)',
	],
	['no condition', { status: [], groups: [] }, ''],
])('%s', (_, filters, expected) => {
	expect(line(readForm(filters))).toBe(expected);
});

it('joins with Or, asks for the fields of other lists, and has no filter for an untouched form', () => {
	const none = { ...status({ operator: 'NotIn', values: ['4', '6'] }), id: [{ operator: 'Eq', value: 5 }] };
	expect(line(readForm(none, 'Or'))).toBe('(Status Neq 4 And Status Neq 6) Or Id Eq 5');
	const stations = { name: [{ operator: 'StartsWith', value: 'North' }], id: [{ operator: 'In', values: 'a, b' }] };
	const ofStations = readForm(stations, 'or', { ...CONTEXT, catalogue: STATIONS });
	expect(line(ofStations)).toBe('Name StartsWith North Or Id In a,b');
	const cities = other('City|text', { textOperator: 'Eq', value: 'Bonn' });
	expect(line(readForm(cities, 'And', { ...CONTEXT, catalogue: LOCATIONS }))).toBe('City Eq Bonn');
	expect(readForm({})).toBeUndefined();
});

it('keeps in mind that a period was one of last days: Summarize compares it with the days before', () => {
	const filter = readForm(started({ operator: 'InPeriod', period: 'lastDays', days: 7 }));
	expect(filter?.filters).toEqual([{ field: 'StartedAtUtc', operator: 'GteLt', value: WEEK, isLastDays: true }]);
});

describe('a value', () => {
	const write = (type: FieldType, operator: string, raw: unknown) => {
		const [from, to] = Array.isArray(raw) ? (raw as unknown[]) : [];
		const entry = { [`${type}Operator`]: operator, value: raw, date: raw, from, to, fromDate: from, toDate: to };
		return line(readForm(other(type === 'code' ? 'Status|code' : `X|${type}`, entry)))
			.split(' ')
			.slice(2)
			.join(' ');
	};
	const NOON = '2026-11-15T12:00:00';
	const HALF = '2026-11-15T08:00:00.500Z';
	const local = DateTime.fromISO('2026-11-15T13:00:00', { zone: 'Europe/Berlin' });

	it.each<[FieldType, string, unknown, string]>([
		['number', 'Eq', 20.5, '20.5'],
		['number', 'Eq', -0, '0'],
		['number', 'Eq', 1e-7, '0.0000001'],
		['number', 'Eq', ' 20.50 ', '20.5'],
		['number', 'Eq', '+07', '7'],
		['number', 'Eq', '.5', '0.5'],
		['number', 'Eq', '5.', '5'],
		['number', 'Eq', 10n, '10'],
		['number', 'Eq', '-9007199254740993', '-9007199254740993'],
		['number', 'In', '"4","6"', '4,6'],
		['number', 'GteLt', [10, '20.5'], '10,20.5'],
		['number', 'GteLte', [5, 5], '5,5'],
		['code', 'Eq', ' 04.0 ', '4'],
		['code', 'Eq', 'FINISHED ', '4'],
		['code', 'Eq', -1, '-1'],
		['code', 'In', 4, '4'],
		['code', 'In', 'finished,6', '4,6'],
		['text', 'Contains', '  Main Street, north ', '  Main Street, north '],
		['text', 'In', '["Depot 1","Depot 2"]', 'Depot 1,Depot 2'],
		['any', 'Eq', NOON, NOON],
		['any', 'Eq', 1e-7, '0.0000001'],
		['any', 'Eq', false, 'false'],
		['any', 'Eq', local, NOON],
		['any', 'GteLt', ['b', 'a'], 'b,a'],
		['any', 'GteLt', ['9', '10'], '9,10'],
		['date', 'Eq', local, NOON],
		['date', 'Eq', { toMillis: () => Date.parse(`${NOON}Z`), isLuxonDateTime: true }, NOON],
		['date', 'Eq', new Date(`${NOON}Z`), NOON],
		['date', 'Eq', runInNewContext(`new Date("${NOON}Z")`), NOON],
		['date', 'Eq', '2026-11-15T13:00+01', NOON],
		['date', 'Eq', '2026-11-15T13:00:00.000+01:00', NOON],
		['date', 'Eq', '2026-11-15', '2026-11-14T23:00:00'],
		['date', 'Eq', '2026-11-15 08:30:00', '2026-11-15T07:30:00'],
		['date', 'Eq', '2026-07-15T08:30', '2026-07-15T06:30:00'],
		['date', 'Eq', '2026-11-15T17:45:00+05:45[Asia/Kathmandu]', NOON],
		['date', 'Eq', '20261115T130000', NOON],
		// A time that clocks skip is the first one after it; of one that comes twice, the first.
		['date', 'Eq', '2026-03-29T02:30:00', '2026-03-29T01:00:00'],
		['date', 'Eq', '2026-10-25T02:30:00', '2026-10-25T00:30:00'],
		// A fraction of a second: the whole second that selects the same rows.
		['date', 'Gte', HALF, '2026-11-15T08:00:01'],
		['date', 'Gt', HALF, '2026-11-15T08:00:00'],
		['date', 'GteLt', [HALF, '2026-11-15T09:00:00.5Z'], '2026-11-15T08:00:01,2026-11-15T09:00:01'],
		// Operators in UTC cut the value in UTC.
		['date', 'IsYear', 2026, '2026-01-01T00:00:00'],
		['date', 'IsMonth', '2026-11', '2026-11-01T00:00:00'],
		['date', 'IsDate', '2026-11-15T00:30:00+01:00', '2026-11-14T00:00:00'],
		['date', 'IsHour', '2026-11-15T08:31:22', '2026-11-15T08:00:00'],
		['date', 'IsMinute', '2026-11-15T08:31:22', '2026-11-15T08:31:00'],
		['any', 'IsSecond', '2026-11-15T08:31:22', '2026-11-15T08:31:22'],
	])('%s %s %p is %s', (type, operator, raw, written) => {
		expect(write(type, operator, raw)).toBe(written);
	});
});

it('all operators of the specification are offered, those in UTC last', () => {
	const offered = Object.values(FORM_OPERATORS).flatMap((operators) => operators.map(({ value }) => value));
	expect(OPERATORS.filter((operator) => !offered.includes(operator))).toEqual([]);
	expect(FORM_OPERATORS.date.slice(-6).filter(({ name }) => !name.includes('(UTC)'))).toEqual([]);
});

it('sorts in the order of the form, by names as the platform spells them', () => {
	const by = [
		{ field: 'startedatutc', direction: 'Desc' },
		{ field: 'Price|number', direction: 'asc' },
	];
	expect(readSorts({ by })).toEqual([
		{ field: 'StartedAtUtc', direction: 'Desc' },
		{ field: 'Price', direction: 'Asc' },
	]);
});

describe('as JSON', () => {
	const condition = { Field: 'Status', Operator: 'Eq', Value: '4' };
	const group = { Logic: 'Or', Filters: [condition, { Logic: 'And', Filters: [condition] }] };
	const nested = (levels: number) =>
		'{"Logic":"And","Filters":['.repeat(levels) + JSON.stringify(condition) + ']}'.repeat(levels);

	it.each<[string, unknown, string]>([
		['a condition', condition, 'Status Eq 4'],
		['a group', group, 'Status Eq 4 Or (Status Eq 4)'],
		['a whole query', { Filter: group, Sort: null, Pager: null }, 'Status Eq 4 Or (Status Eq 4)'],
		['names in any case', { lOGIC: 'AND', FILTERS: [{ FIELD: 'status', operator: 'eQ', vAlue: '4' }] }, 'Status Eq 4'],
		['a number', { ...condition, Value: 4 }, 'Status Eq 4'],
		['a list', { Field: 'Status', Operator: 'In', Value: [4, 6] }, 'Status In 4,6'],
		['a list as text', { Field: 'Whatever', Operator: 'In', Value: 'a, b' }, 'Whatever In a,b'],
		['a range', { Field: 'Id', Operator: 'GteLt', Value: '10,20' }, 'Id GteLt 10,20'],
		['a range as list', { Field: 'Id', Operator: 'GteLt', Value: '[10, 20]' }, 'Id GteLt 10,20'],
		['true', { Field: 'Roaming', Operator: 'Eq', Value: true }, 'Roaming Eq true'],
		['a large integer', { Field: 'Id', Operator: 'Gt', Value: '9007199254740993' }, 'Id Gt 9007199254740993'],
		[
			'a time without a zone: UTC',
			{ Field: 'StartedAtUtc', Operator: 'Gte', Value: '2026-11-15T00:00:00' },
			'StartedAtUtc Gte 2026-11-15T00:00:00',
		],
		['a field that is not public', { Field: 'driverName', Operator: 'Eq', Value: '1' }, 'driverName Eq 1'],
		['100 levels of groups', nested(100), `${'('.repeat(99)}Status Eq 4${')'.repeat(99)}`],
		[
			'text that looks like a property',
			{ Logic: 'And', Filters: [{ Field: 'X', Operator: 'Eq', Value: '"Value": "Value": {' }] },
			'X Eq "Value": "Value": {',
		],
	])('%s', (_, value, expected) => {
		expect(line(readJson(value))).toBe(expected);
		if (typeof value === 'object') expect(line(readJson(JSON.stringify(value, null, 2)))).toBe(expected);
	});

	it('any operator of the specification', () => {
		for (const operator of OPERATORS) {
			const Value = operator.startsWith('Is') ? '2026-01-01T00:00:00' : '1,2';
			expect(line(readJson({ Field: 'Whatever', Operator: operator, Value }))).toBe(`Whatever ${operator} ${Value}`);
		}
	});
});

it('is written with the names of the specification', () => {
	const text = writeQuery({
		pager: { skip: 100, take: 50 },
		filter: readForm({ json: [{ json }] }),
		sorts: [{ field: 'Id', direction: 'Desc' }],
	});
	expect(JSON.parse(text)).toEqual({
		Pager: { Skip: 100, Take: 50 },
		Filter: { Logic: 'And', Filters: [json] },
		Sort: { Sorts: [{ Field: 'Id', Dir: 'Desc' }] },
	});
	expect(writeQuery({ sorts: [] })).toBe('{}');
});
