/** What is asked of the platform: values in every form, whole forms, JSON. Single conditions of the form: filters.deep.test.ts. */
import { runInNewContext } from 'node:vm';
import { DateTime } from 'luxon';

import { FORM_OPERATORS, OPERATORS, type FieldType } from '../../../../nodes/shared/dsquery/operators';
import { writeQuery } from '../../../../nodes/shared/dsquery/write';
import { STATIONS } from '../../../../nodes/shared/resources';
import { CONTEXT, line, readForm, readJson, readSorts } from './read.ts';

const id = (operator: string, value: unknown) => ({ id: [{ operator, value, values: value }] });
const status = (operator: string, value: unknown) => ({ status: [{ operator, value, values: value }] });
const other = (field: string, entry: object) => ({ other: [{ field, ...entry }] });
const json = { Field: 'Id', Operator: 'Gt', Value: '5' };

it('conditions are in the order of the menu, then groups', () => {
	const groups = [
		{ logic: 'Or', filters: { ...status('Eq', 4), json: [{ json }] } },
		{ logic: 'And', filters: id('Lt', 9) },
	];
	expect(line(readForm({ groups, ...id('Eq', 5), ...status('Eq', 6) }))).toBe(
		'Status Eq 6 And Id Eq 5 And (Status Eq 4 Or Id Gt 5) And (Id Lt 9)',
	);
	expect(line(readForm({ ...status('NotIn', ['4', '6']), ...id('Eq', 5) }, 'or'))).toBe(
		'(Status Neq 4 And Status Neq 6) Or Id Eq 5',
	);
});

it('an untouched form asks for everything, and other lists have their own fields', () => {
	expect(readForm({})).toBeUndefined();
	expect(readForm({ status: [], groups: [] })).toBeUndefined();
	const stations = { name: [{ operator: 'StartsWith', value: 'North' }], ...id('In', 'a, b') };
	expect(line(readForm(stations, 'And', { ...CONTEXT, schema: STATIONS }))).toBe('Name StartsWith North And Id In a,b');
});

it('keeps in mind that a period was one of last days: Summarize compares it with the days before', () => {
	const filter = readForm({ startedAtUtc: [{ operator: 'InPeriod', period: 'lastDays', days: 7 }] });
	expect(filter?.filters).toMatchObject([{ operator: 'GteLt', isLastDays: true }]);
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
		['number', 'Eq', -0, '0'],
		['number', 'Eq', 1e-7, '0.0000001'],
		['number', 'Eq', ' 20.50 ', '20.5'],
		['number', 'Eq', '+.50', '0.5'],
		['number', 'Eq', 10n, '10'],
		['number', 'Eq', '-9007199254740993', '-9007199254740993'],
		['number', 'GteLt', [10, '20.5'], '10,20.5'],
		['number', 'GteLte', [5, 5], '5,5'],
		['code', 'Eq', ' 04.0 ', '4'],
		['code', 'Eq', 'FINISHED ', '4'],
		['text', 'Contains', '  Main Street, north ', '  Main Street, north '],
		// The line end of a copied cell.
		['text', 'Eq', ' D1\n', 'D1'],
		['text', 'Neq', 'D1 ', 'D1'],
		['any', 'Eq', 'D1\r\n', 'D1'],
		// It would find more, or less.
		['text', 'StartsWith', 'D1 ', 'D1 '],
		['any', 'EndsWith', ' 1', ' 1'],
		['any', 'Contains', ' 1 ', ' 1 '],
		['any', 'Eq', false, 'false'],
		['any', 'Eq', local, NOON],
		['any', 'GteLt', ['b', 'a'], 'b,a'],
		['any', 'GteLt', ['9', '10'], '9,10'],
		['date', 'Eq', local, NOON],
		['date', 'Eq', { toMillis: () => Date.parse(`${NOON}Z`), isLuxonDateTime: true }, NOON],
		['date', 'Eq', new Date(`${NOON}Z`), NOON],
		['date', 'Eq', runInNewContext(`new Date("${NOON}Z")`), NOON],
		['date', 'Eq', '2026-11-15T13:00+01', NOON],
		['date', 'Eq', '2026-11-15 08:30:00', '2026-11-15T07:30:00'],
		['date', 'Eq', '2026-11-15T17:45:00+05:45[Asia/Kathmandu]', NOON],
		['date', 'Eq', '20261115T130000', NOON],
		// What platforms write for no time is asked for, too.
		['date', 'Eq', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00'],
		['date', 'Gt', '1970-01-01T00:00:00Z', '1970-01-01T00:00:00'],
		['date', 'Gte', '1900-01-01T00:00:00', '1899-12-31T23:00:00'],
		['date', 'Lt', '9999-12-31T00:00:00Z', '9999-12-31T00:00:00'],
		['date', 'IsYear', '0001', '0001-01-01T00:00:00'],
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
		['any', 'IsSecond', '2026-11-15T08:31:22', '2026-11-15T08:31:22'],
		// A field of unknown type: a whole time is one, in the zone of the workflow.
		['any', 'Gte', '2026-10-01T00:30', '2026-09-30T22:30:00'],
		['any', 'Lt', '2026-10-01 00:30:00', '2026-09-30T22:30:00'],
		['any', 'Eq', '2026-10-01T00:30:00.000+02:00', '2026-09-30T22:30:00'],
		['any', 'GteLt', ['2026-10-01T00:00', '2026-11-01T00:00:00Z'], '2026-09-30T22:00:00,2026-11-01T00:00:00'],
		// What only begins like one is text, and a part of a text is.
		['any', 'Eq', '2026-10-01T00:30 North', '2026-10-01T00:30 North'],
		['any', 'Contains', '2026-10-01T00:30', '2026-10-01T00:30'],
		['any', 'Eq', '2026-10-01', '2026-10-01'],
		['text', 'Eq', '2026-10-01T00:30', '2026-10-01T00:30'],
	])('%s %s %p is %s', (type, operator, raw, written) => {
		expect(write(type, operator, raw)).toBe(written);
	});

	it('of a list of firmware versions is sent as it is written, also in JSON', () => {
		const versions = '[1.10, 1.9, "1.200"]';
		for (const field of ['Firmware|text', 'Firmware']) {
			const entry = { textOperator: 'In', anyOperator: 'In', value: versions };
			expect(line(readForm(other(field, entry)))).toBe('Firmware In 1.10,1.9,1.200');
		}
		expect(line(readJson(`{"Field":"Firmware","Operator":"In","Value":${versions}}`))).toBe(
			'Firmware In 1.10,1.9,1.200',
		);
		expect(line(readJson('{"Field":"Firmware","Operator":"Eq","Value":1.10}'))).toBe('Firmware Eq 1.10');
		expect(line(readForm(other('Name|text', { textOperator: 'In', value: ['a\n', ' b'] })))).toBe('Name In a,b');
	});
});

describe('a date without a time', () => {
	/** What is asked of a field, in the form. */
	const asked = (type: FieldType, operator: string, ...[from, to]: string[]) =>
		line(
			readForm(
				other(`X|${type}`, {
					[`${type}Operator`]: operator,
					value: from,
					date: from,
					from,
					to,
					fromDate: from,
					toDate: to,
				}),
			),
		).slice('X '.length);

	it.each<[string, string[], string]>([
		['Lte', ['2026-10-31'], 'Lt 2026-10-31T23:00:00'],
		['Lt', ['2026-10-31'], 'Lt 2026-10-30T23:00:00'],
		['Gt', ['2026-10-31'], 'Gte 2026-10-31T23:00:00'],
		['Gte', ['2026-10-31'], 'Gte 2026-10-30T23:00:00'],
		['GteLte', ['2026-10-01', '2026-10-31'], 'GteLt 2026-09-30T22:00:00,2026-10-31T23:00:00'],
		['GteLt', ['2026-10-01', '2026-11-01'], 'GteLt 2026-09-30T22:00:00,2026-10-31T23:00:00'],
		['GtLt', ['2026-09-30', '2026-11-01'], 'GteLt 2026-09-30T22:00:00,2026-10-31T23:00:00'],
		['GtLte', ['2026-09-30', '2026-10-31'], 'GteLt 2026-09-30T22:00:00,2026-10-31T23:00:00'],
		// The end with a time keeps its own.
		['GtLte', ['2026-10-01', '2026-10-31T08:00'], 'GteLte 2026-10-01T22:00:00,2026-10-31T07:00:00'],
		['GtLte', ['2026-10-01T00:00:00', '2026-10-31'], 'GtLt 2026-09-30T22:00:00,2026-10-31T23:00:00'],
		// The day on which clocks change, the same day twice, and the last day of all.
		['GteLte', ['2026-10-25', '2026-10-25'], 'GteLt 2026-10-24T22:00:00,2026-10-25T23:00:00'],
		['Lte', ['9999-12-31'], 'Lt 9999-12-31T23:00:00'],
	])('%s %j means whole local days: %s', (operator, ends, expected) => {
		for (const type of ['date', 'any'] as const) expect(asked(type, operator, ...ends)).toBe(expected);
	});

	it.each([
		['Lte', '2026-10-31', 'Lt 2026-11-01T00:00:00'],
		['Gt', '2026-10-31', 'Gte 2026-11-01T00:00:00'],
		['GteLte', '2026-10-01,2026-10-31', 'GteLt 2026-10-01T00:00:00,2026-11-01T00:00:00'],
		['GtLte', '2026-10-01,2026-10-31T08:00', 'GteLte 2026-10-02T00:00:00,2026-10-31T08:00:00'],
		['Lte', '9999-12-31', 'Lt 9999-12-31T23:59:59'],
		['Gte', '2026-10-01T00:30', 'Gte 2026-10-01T00:30:00'],
		['Gte', '2026-10-01T00:30+02:00', 'Gte 2026-09-30T22:30:00'],
	])('in JSON, %s %s means whole days in UTC: %s', (operator, value, expected) => {
		for (const field of ['StartedAtUtc', 'EndedAtUtc']) {
			expect(line(readJson({ Field: field, Operator: operator, Value: value }))).toBe(`${field} ${expected}`);
		}
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

	it.each<[string, unknown, string]>([
		['a condition', condition, 'Status Eq 4'],
		['a group', group, 'Status Eq 4 Or (Status Eq 4)'],
		['a whole query', { Filter: group, Sort: null, Pager: null }, 'Status Eq 4 Or (Status Eq 4)'],
		['names in any case', { lOGIC: 'AND', FILTERS: [{ FIELD: 'status', operator: 'eQ', vAlue: '4' }] }, 'Status Eq 4'],
		['a large integer', { Field: 'Id', Operator: 'Gt', Value: '9007199254740993' }, 'Id Gt 9007199254740993'],
		[
			'a time without a zone: UTC',
			{ Field: 'StartedAtUtc', Operator: 'Gte', Value: '2026-11-15T00:00:00' },
			'StartedAtUtc Gte 2026-11-15T00:00:00',
		],
		['a field that is not public', { Field: 'driverName', Operator: 'Eq', Value: '1' }, 'driverName Eq 1'],
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
