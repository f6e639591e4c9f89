import { runInNewContext } from 'node:vm';
import { DateTime } from 'luxon';

import type { FieldType, OperatorName } from '../../../../../nodes/shared/dsquery/operators';
import { SESSIONS } from '../../../../../nodes/shared/resources';
import { readForm, readJson } from '../../../../support/dsquery/read.ts';

const BERLIN = 'Europe/Berlin';

/** What is sent for a value of a condition of the form. */
function write(raw: unknown, type: FieldType, operator: OperatorName | 'LocalDay' = 'Eq', zone = BERLIN) {
	const ends: readonly unknown[] = Array.isArray(raw) ? raw : [];
	const [from, to] = ends;
	const entry = { [`${type}Operator`]: operator, value: raw, date: raw, from, to, fromDate: from, toDate: to };
	const field = type === 'code' ? 'Status|code' : `Whatever|${type}`;
	const context = { catalogue: SESSIONS, zone, now: new Date() };
	const [condition] = readForm({ filters: { other: [{ field, ...entry }] } }, context)?.filters ?? [];
	return condition && 'value' in condition ? condition.value : undefined;
}

it.each<[unknown, string]>([
	[20, '20'],
	[20.5, '20.5'],
	[0, '0'],
	[-0, '0'],
	[-1.25, '-1.25'],
	[1e-7, '0.0000001'],
	[-1.5e-9, '-0.0000000015'],
	[' 20.50 ', '20.5'],
	['+7', '7'],
	['007', '7'],
	['.5', '0.5'],
	['5.', '5'],
	['-0.0', '0'],
	[10n, '10'],
	[Number.MAX_SAFE_INTEGER, '9007199254740991'],
	['9007199254740993', '9007199254740993'],
	['-9007199254740993', '-9007199254740993'],
])('writes the number %p as %s', (raw, value) => {
	expect(write(raw, 'number')).toBe(value);
});

it.each<[unknown, string]>([
	[4, '4'],
	[' 04 ', '4'],
	['4.0', '4'],
	['FINISHED ', '4'],
	[-1, '-1'],
])('writes the code %p as %s', (raw, value) => {
	expect(write(raw, 'code')).toBe(value);
});

it('keeps text as typed, and turns numbers, booleans and dates into text', () => {
	expect(write('  Main Street, north ', 'text', 'Contains')).toBe('  Main Street, north ');
	expect(write('2026-11-15T00:00:00', 'any')).toBe('2026-11-15T00:00:00');
	expect(write(12.5, 'any')).toBe('12.5');
	expect(write(false, 'any')).toBe('false');
	expect(write(DateTime.fromISO('2026-11-15T01:00:00+01:00'), 'any')).toBe('2026-11-15T00:00:00');
});

describe('dates', () => {
	const fromOtherRealm: unknown = runInNewContext('new Date("2026-11-15T00:00:00Z")');
	const fromOtherLuxon = { toMillis: () => Date.UTC(2026, 10, 15), isLuxonDateTime: true };

	it.each<[string, unknown, string]>([
		['a luxon DateTime', DateTime.fromISO('2026-11-15T01:00:00', { zone: BERLIN }), '2026-11-15T00:00:00'],
		['a DateTime of another copy of luxon', fromOtherLuxon, '2026-11-15T00:00:00'],
		['a Date', new Date('2026-11-15T00:00:00Z'), '2026-11-15T00:00:00'],
		['a Date of another realm', fromOtherRealm, '2026-11-15T00:00:00'],
		['ISO text in UTC', '2026-11-15T00:00:00Z', '2026-11-15T00:00:00'],
		['ISO text with a short offset', '2026-11-15T01:00+01', '2026-11-15T00:00:00'],
		['the text of $now', '2026-11-15T01:00:00.000+01:00', '2026-11-15T00:00:00'],
		['what the date picker stores', '2026-11-15T00:00:00', '2026-11-14T23:00:00'],
		['a date alone', '2026-11-15', '2026-11-14T23:00:00'],
		['a date and time as in SQL', '2026-11-15 08:30:00', '2026-11-15T07:30:00'],
		['summer time', '2026-07-15T08:30', '2026-07-15T06:30:00'],
		['a date and time with its zone by name', '2026-11-15T08:30:00+05:45[Asia/Kathmandu]', '2026-11-15T02:45:00'],
		['the basic form', '20261115T083000', '2026-11-15T07:30:00'],
		['a skipped time: the first instant after it', '2026-03-29T02:30:00', '2026-03-29T01:00:00'],
		['a repeated time: the first one', '2026-10-25T02:30:00', '2026-10-25T00:30:00'],
	])('reads %s', (_, raw, value) => {
		expect(write(raw, 'date')).toBe(value);
	});

	it('rounds a fraction of a second to the whole second that selects the same rows', () => {
		const half = '2026-11-15T08:00:00.500Z';
		expect(write(half, 'date', 'Gte')).toBe('2026-11-15T08:00:01');
		expect(write(half, 'date', 'Gt')).toBe('2026-11-15T08:00:00');
		expect(write(half, 'date', 'Lt')).toBe('2026-11-15T08:00:01');
		expect(write(half, 'date', 'Lte')).toBe('2026-11-15T08:00:00');
		expect(write([half, '2026-11-15T09:00:00.5Z'], 'date', 'GteLt')).toBe('2026-11-15T08:00:01,2026-11-15T09:00:01');
	});

	it('cuts values to the UTC unit and reads a date without a zone as UTC', () => {
		const at = '2026-11-15T08:31:22';
		expect(write(at, 'date', 'IsYear')).toBe('2026-01-01T00:00:00');
		expect(write(at, 'date', 'IsMonth')).toBe('2026-11-01T00:00:00');
		expect(write(at, 'date', 'IsDate')).toBe('2026-11-15T00:00:00');
		expect(write(at, 'date', 'IsHour')).toBe('2026-11-15T08:00:00');
		expect(write(at, 'date', 'IsMinute')).toBe('2026-11-15T08:31:00');
		expect(write(at, 'any', 'IsSecond')).toBe('2026-11-15T08:31:22');
		expect(write('2026', 'date', 'IsYear')).toBe('2026-01-01T00:00:00');
		expect(write(2026, 'date', 'IsYear')).toBe('2026-01-01T00:00:00');
		expect(write('2026-11', 'date', 'IsMonth')).toBe('2026-11-01T00:00:00');
		// The UTC day of an instant, which is not the local day here.
		expect(write('2026-11-15T00:30:00+01:00', 'date', 'IsDate')).toBe('2026-11-14T00:00:00');
	});

	it.each([
		['2026-11-15T00:00:00', '2026-11-14T23:00:00,2026-11-15T23:00:00'],
		['2026-03-29', '2026-03-28T23:00:00,2026-03-29T22:00:00'],
		['2026-10-25', '2026-10-24T22:00:00,2026-10-25T23:00:00'],
		['2026-11-14T23:30:00Z', '2026-11-14T23:00:00,2026-11-15T23:00:00'],
	])('writes the local day %s as the instants between its two midnights', (day, span) => {
		expect(write(day, 'date', 'LocalDay')).toBe(span);
	});
});

it.each<[unknown, FieldType, string]>([
	[[4, '6'], 'code', '4,6'],
	['4, 6', 'code', '4,6'],
	[4, 'code', '4'],
	['finished,6', 'code', '4,6'],
	['[4, 6]', 'code', '4,6'],
	['"4","6"', 'number', '4,6'],
	['["Depot 1","Depot 2"]', 'text', 'Depot 1,Depot 2'],
	['"Depot 1", "Depot 2"', 'any', 'Depot 1,Depot 2'],
])('writes the list %p of a %s field as %s', (raw, type, value) => {
	expect(write(raw, type, 'In')).toBe(value);
});

it('writes ranges as low,high', () => {
	expect(write([10, '20.5'], 'number', 'GteLt')).toBe('10,20.5');
	expect(write(['2026-11-01', '2026-12-01'], 'date', 'GteLt')).toBe('2026-10-31T23:00:00,2026-11-30T23:00:00');
	expect(write([5, 5], 'number', 'GteLte')).toBe('5,5');
	expect(write(['b', 'a'], 'any', 'GteLt')).toBe('b,a');
	expect(write(['9', '10'], 'any', 'GteLt')).toBe('9,10');
});

it.each<[string, OperatorName, unknown, string]>([
	['StartedAtUtc', 'Gte', '2026-11-15T00:00:00', '2026-11-15T00:00:00'],
	['StartedAtUtc', 'Gte', '2026-11-15T01:00:00+01:00', '2026-11-15T00:00:00'],
	['Id', 'GteLt', '10,20', '10,20'],
	['Id', 'GteLt', [10, 20], '10,20'],
	['Id', 'GteLt', '[10, 20]', '10,20'],
	['Id', 'Gt', '9007199254740993', '9007199254740993'],
	['Whatever', 'In', 'a, b', 'a,b'],
	['Whatever', 'Eq', 'whatever', 'whatever'],
])('in JSON, where times without a zone are UTC: %s %s %p', (name, operator, raw, value) => {
	const { filter } = readJson({ Field: name, Operator: operator, Value: raw }, { catalogue: SESSIONS });
	expect(filter).toEqual({ field: name, operator, value });
});
