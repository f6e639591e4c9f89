import { runInNewContext } from 'node:vm';
import { DateTime, Duration } from 'luxon';

import type { OperatorName } from '../../../../../nodes/shared/dsquery/types';
import type { ValueField } from '../../../../../nodes/shared/dsquery/values/values';
import { ValueWriter } from '../../../../../nodes/shared/dsquery/values/values';

const ENERGY: ValueField = { name: 'EnergyConsumed', type: 'number' };
const ID: ValueField = { name: 'Id', type: 'number' };
const STATUS: ValueField = { name: 'Status', type: 'code', codes: [{ code: 4, label: 'Finished' }] };
const STARTED: ValueField = { name: 'StartedAtUtc', type: 'date' };
const NAME: ValueField = { name: 'Name', type: 'text' };
const UNKNOWN: ValueField = { name: 'Whatever', type: 'any' };
const ALL = [ENERGY, STATUS, STARTED, NAME, UNKNOWN];
const BERLIN = 'Europe/Berlin';

/** What a writer gives, or what it refuses. */
const written = (field: ValueField, zone: string, write: (writer: ValueWriter) => string | undefined) => {
	const refusals: string[] = [];
	const value = write(new ValueWriter(field, zone, (message) => void refusals.push(message)));
	return value === undefined ? { refusal: refusals.join(' ') } : { value };
};
const shown = (result: ReturnType<typeof written>) => result.value ?? `refused: ${result.refusal}`;

const write = (raw: unknown, field: ValueField, operator: OperatorName = 'Eq', zone = BERLIN) =>
	shown(written(field, zone, (writer) => writer.single(raw, operator)));
const list = (raw: unknown, field: ValueField) => shown(written(field, BERLIN, (writer) => writer.list(raw)));
const range = (
	from: unknown,
	to: unknown,
	field: ValueField,
	operator: 'GtLt' | 'GteLt' | 'GteLte' | 'GtLte' = 'GteLt',
) => {
	const refusals: string[] = [];
	const refuse = (end: string) => (message: string) => void refusals.push(`${end}: ${message}`);
	const writer = new ValueWriter(field, BERLIN, refuse('range'));
	return writer.range(from, to, operator, { from: refuse('from'), to: refuse('to') }) ?? refusals;
};
const wire = (raw: unknown, field: ValueField, operator?: OperatorName) =>
	written(field, 'UTC', (writer) => writer.wire(raw, operator));
const localDay = (raw: unknown, zone = BERLIN) => written(NAME, zone, (writer) => writer.localDay(raw));

const NOT_FILLED = /^refused: nothing is filled in\. Enter a value, or remove the condition/;

describe('empty values', () => {
	const empties: Array<[string, unknown]> = [
		['undefined', undefined],
		['null', null],
		['no text', ''],
		['blanks', ' \t\n'],
		['no-break space', '\u00a0'],
		['zero-width space', '\u200b'],
		['NaN', Number.NaN],
		['an empty list', []],
	];
	it.each(empties)('refuses %s for every type and operator form', (_, raw) => {
		for (const field of ALL) {
			expect(write(raw, field)).toMatch(NOT_FILLED);
			expect(write(raw, field, 'IsDate')).toMatch(NOT_FILLED);
			expect(list(raw, field)).toMatch(NOT_FILLED);
			expect(range(raw, 5, field)).toContainEqual(expect.stringMatching(/^from: nothing is filled in/));
			expect(wire(raw, field, 'Eq')).toHaveProperty('refusal');
			expect(wire(raw, field)).toHaveProperty('refusal');
		}
		expect(localDay(raw)).toHaveProperty('refusal');
	});

	it.each(empties)('refuses a list with %s in it, and says which entry it is', (_, raw) => {
		for (const field of ALL) {
			expect(list(['4', raw], field)).toMatch(/^refused: value (2 of 2 is empty\. Remove it|1 of 2: )/);
		}
	});

	it('refuses blank entries of a comma list', () => {
		expect(list('4,,6', STATUS)).toBe(
			'refused: value 2 of 3 is empty. Remove it, or check the expression it comes from.',
		);
		expect(list('4,', NAME)).toMatch(/value 2 of 2 is empty/);
		expect(list(',', UNKNOWN)).toMatch(/value 1 of 2 is empty/);
	});
});

describe('numbers', () => {
	it.each<[unknown, string]>([
		[20, '20'],
		[20.5, '20.5'],
		[0, '0'],
		[-0, '0'],
		[-1.25, '-1.25'],
		[1e-7, '0.0000001'],
		[-1.5e-9, '-0.0000000015'],
		[1.25e-30, `0.${'0'.repeat(29)}125`],
		[5e-324, `0.${'0'.repeat(323)}5`],
		['20', '20'],
		[' 20.50 ', '20.5'],
		['+7', '7'],
		['007', '7'],
		['.5', '0.5'],
		['5.', '5'],
		['-0.0', '0'],
		[10n, '10'],
	])('writes %p as %s', (raw, value) => {
		expect(write(raw, ENERGY)).toBe(value);
	});

	it.each<[unknown, RegExp]>([
		['abc', /^refused: "abc" is not a number\. Write it in digits without separators or exponent, with a point/],
		['20,5', /"20,5" is not a number\. Write it in digits without separators/],
		["1'000", /without separators/],
		['1e3', /without separators or exponent/],
		['.', /is not a number/],
		['0x10', /is not a number/],
		[Infinity, /this number is infinite/],
		[true, /a number is needed here, but this is true or false/],
		[new Date(0), /a number is needed here, but this is a date/],
		[{ a: 1 }, /this is an object, but a single value is needed here/],
		[[1], /this is a list, but one value is needed here\. To compare with several values choose Is Any Of/],
		['[object Object]', /is what is left of an object or date turned into text/],
		[2 ** 53, /EnergyConsumed 9007199254740992 is above 9007199254740991/],
		[1e21, /is above 9007199254740991/],
	])('refuses %p', (raw, message) => {
		expect(write(raw, ENERGY)).toMatch(message);
	});

	it('refuses an id above 2^53 - 1 however it arrives, and says which', () => {
		expect(write(Number.MAX_SAFE_INTEGER, ID)).toBe('9007199254740991');
		expect(write('9007199254740993', ID)).toMatch(
			/^refused: Id 9007199254740993 is above 9007199254740991, .* rounded already\.$/,
		);
		expect(write(9007199254740993n, ID)).toMatch(/^refused: Id 9007199254740993 is above/);
		expect(list('1, 9007199254740993', ID)).toMatch(/^refused: value 2 of 2: Id 9007199254740993 is above/);
		expect(write('9007199254740993', ENERGY)).toBe('9007199254740993');
	});
});

describe('codes', () => {
	it.each<[unknown, string]>([
		[4, '4'],
		['4', '4'],
		[' 04 ', '4'],
		['4.0', '4'],
		['finished', '4'],
		['FINISHED ', '4'],
		[-1, '-1'],
	])('writes %p as %s', (raw, value) => {
		expect(write(raw, STATUS)).toBe(value);
	});

	it.each<[unknown, RegExp]>([
		['4.5', /"4\.5" is not a code\. Status codes are whole numbers such as 4\./],
		[4.5, /is not a code/],
		['expired', /"expired" is not a code/],
		['|note', /is not a code/],
		[true, /true is not a code/],
		[2 ** 60, /is not a code/],
	])('refuses %p', (raw, message) => {
		expect(write(raw, STATUS)).toMatch(message);
	});

	it('refuses a label for a field without known codes', () => {
		expect(write('finished', { name: 'Status', type: 'code' })).toMatch(/is not a code/);
	});
});

describe('text', () => {
	it('keeps text as typed, including commas and surrounding blanks', () => {
		expect(write('  Main Street, north ', NAME, 'Contains')).toBe('  Main Street, north ');
		expect(write('2026-11-15T00:00:00', UNKNOWN)).toBe('2026-11-15T00:00:00');
	});

	it('turns numbers, booleans and dates into text', () => {
		expect(write(12.5, UNKNOWN)).toBe('12.5');
		expect(write(false, UNKNOWN)).toBe('false');
		expect(write(DateTime.fromISO('2026-11-15T01:00:00+01:00'), UNKNOWN)).toBe('2026-11-15T00:00:00');
		expect(write(2 ** 53, NAME)).toMatch(/is above/);
	});

	it('refuses the text that a failed expression leaves, such as [object Object]', () => {
		expect(write('Station [object Object]', NAME)).toMatch(/left of an object or date turned into text/);
		expect(write('Invalid DateTime', NAME)).toMatch(/left of an object or date turned into text/);
	});
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
		['ISO text with an offset', '2026-11-15T01:00:00+01:00', '2026-11-15T00:00:00'],
		['ISO text with a short offset', '2026-11-15T01:00+01', '2026-11-15T00:00:00'],
		['the text of $now', '2026-11-15T01:00:00.000+01:00', '2026-11-15T00:00:00'],
		['what the date picker stores', '2026-11-15T00:00:00', '2026-11-14T23:00:00'],
		['a date alone', '2026-11-15', '2026-11-14T23:00:00'],
		['a date and time as in SQL', '2026-11-15 08:30:00', '2026-11-15T07:30:00'],
		['without seconds', '2026-11-15T08:30', '2026-11-15T07:30:00'],
		['summer time', '2026-07-15T08:30', '2026-07-15T06:30:00'],
		['a date and time with its zone by name', '2026-11-15T08:30:00+05:45[Asia/Kathmandu]', '2026-11-15T02:45:00'],
		['the basic form', '20261115T083000', '2026-11-15T07:30:00'],
	])('reads %s', (_, raw, value) => {
		expect(write(raw, STARTED)).toBe(value);
	});

	it('takes the first instant after a skipped time, and the first of a repeated time', () => {
		expect(write('2026-03-29T02:30:00', STARTED)).toBe('2026-03-29T01:00:00');
		expect(write('2026-10-25T02:30:00', STARTED)).toBe('2026-10-25T00:30:00');
		expect(write('2018-11-04', STARTED, 'Gte', 'America/Sao_Paulo')).toBe('2018-11-04T03:00:00');
	});

	it.each<[unknown, RegExp]>([
		['15.11.2026', /"15\.11\.2026" is not a date\. Use a date such as 2026-01-31 or 2026-01-31T18:00:00\./],
		['12:00', /is not a date/],
		['2026', /is not a date/],
		['2026-11', /is not a date/],
		['2026-02-30', /is not a date/],
		['tomorrow', /is not a date/],
		[Duration.fromObject({ days: 7 }), /a date is needed here, but this is a length of time/],
		['251112', /is not a date/],
		['20251112', /is not a date/],
		['202601', /is not a date/],
		['2026-W05', /is not a date/],
		['2026-W46-7', /is not a date/],
		['2026-319', /is not a date/],
		['2026-11-15T', /is not a date/],
		['2026-11-15T24:30', /is not a date/],
		[1763164800000, /a date is needed here, but this is a number/],
		[true, /a date is needed here, but this is true or false/],
		[new Date(Number.NaN), /this is not a valid date/],
		[DateTime.invalid('test'), /this is not a valid date/],
		['Invalid DateTime', /left of an object or date turned into text/],
		[DateTime.fromObject({ year: 12000 }), /outside the years 1 to 9999/],
	])('refuses %p', (raw, message) => {
		expect(write(raw, STARTED)).toMatch(message);
	});

	it('rounds a fraction of a second to the whole second that selects the same rows', () => {
		const half = '2026-11-15T08:00:00.500Z';
		expect(write(half, STARTED, 'Gte')).toBe('2026-11-15T08:00:01');
		expect(write(half, STARTED, 'Gt')).toBe('2026-11-15T08:00:00');
		expect(write(half, STARTED, 'Lt')).toBe('2026-11-15T08:00:01');
		expect(write(half, STARTED, 'Lte')).toBe('2026-11-15T08:00:00');
		expect(write(half, STARTED, 'Eq')).toMatch(/has a fraction of a second/);
		expect(write(half, STARTED, 'Neq')).toMatch(/has a fraction of a second/);
		expect(range(half, '2026-11-15T09:00:00.5Z', STARTED, 'GteLt')).toBe('2026-11-15T08:00:01,2026-11-15T09:00:01');
		expect(range(half, '2026-11-15T09:00:00.5Z', STARTED, 'GtLte')).toBe('2026-11-15T08:00:00,2026-11-15T09:00:00');
	});

	it('truncates values to the UTC unit and reads a date without a zone as UTC', () => {
		const at = '2026-11-15T08:31:22';
		expect(write(at, STARTED, 'IsYear')).toBe('2026-01-01T00:00:00');
		expect(write(at, STARTED, 'IsMonth')).toBe('2026-11-01T00:00:00');
		expect(write(at, STARTED, 'IsDate')).toBe('2026-11-15T00:00:00');
		expect(write(at, STARTED, 'IsHour')).toBe('2026-11-15T08:00:00');
		expect(write(at, STARTED, 'IsMinute')).toBe('2026-11-15T08:31:00');
		expect(write(at, STARTED, 'IsSecond')).toBe('2026-11-15T08:31:22');
		expect(write('2026', STARTED, 'IsYear')).toBe('2026-01-01T00:00:00');
		expect(write(2026, STARTED, 'IsYear')).toBe('2026-01-01T00:00:00');
		expect(wire(2026, STARTED, 'IsYear')).toEqual({ value: '2026-01-01T00:00:00' });
		expect(write(20260, STARTED, 'IsYear')).toMatch(/is not a date/);
		expect(write(2026, STARTED, 'IsMonth')).toMatch(/a date is needed here, but this is a number/);
		expect(write('2026-11', STARTED, 'IsMonth')).toBe('2026-11-01T00:00:00');
		expect(write('2026', STARTED, 'IsMonth')).toMatch(/is not a date/);
		// The UTC day of an instant, which is not the local day here.
		expect(write('2026-11-15T00:30:00+01:00', STARTED, 'IsDate')).toBe('2026-11-14T00:00:00');
	});

	it.each(['IsYear', 'IsMonth', 'IsDate'] as const)('refuses a value of %s that is not a date', (operator) => {
		expect(write(Duration.fromObject({ days: 7 }), STARTED, operator)).toMatch(/but this is a length of time/);
		for (const raw of ['251112', '202601', '2026-W05', '20260']) {
			expect(write(raw, STARTED, operator)).toMatch(/is not a date/);
		}
	});

	it('writes a local day as the instants between its two midnights', () => {
		const day = localDay;
		expect(day('2026-11-15T00:00:00')).toEqual({ value: '2026-11-14T23:00:00,2026-11-15T23:00:00' });
		expect(day('2026-03-29')).toEqual({ value: '2026-03-28T23:00:00,2026-03-29T22:00:00' });
		expect(day('2026-10-25')).toEqual({ value: '2026-10-24T22:00:00,2026-10-25T23:00:00' });
		expect(day('2026-11-14T23:30:00Z')).toEqual({ value: '2026-11-14T23:00:00,2026-11-15T23:00:00' });
		expect(day('2026-W05')).toHaveProperty('refusal');
		expect(day(Duration.fromMillis(0))).toHaveProperty('refusal');
		expect(day(new Date(Number.NaN))).toEqual({ refusal: expect.stringContaining('not a valid date') as string });
	});
});

describe('lists', () => {
	it('takes a list or text with commas', () => {
		expect(list([4, '6'], STATUS)).toBe('4,6');
		expect(list('4, 6', STATUS)).toBe('4,6');
		expect(list(4, STATUS)).toBe('4');
		expect(list('finished,6', STATUS)).toBe('4,6');
		expect(list([' a', 'b '], NAME)).toBe(' a,b ');
		expect(list('[4, 6]', STATUS)).toBe('4,6');
		expect(list('"4","6"', ENERGY)).toBe('4,6');
		expect(list('["Depot 1","Depot 2"]', NAME)).toBe('Depot 1,Depot 2');
		expect(list('"Depot 1", "Depot 2"', UNKNOWN)).toBe('Depot 1,Depot 2');
		expect(list(['2026-11-15', '2026-11-16T00:00:00Z'], STARTED)).toBe('2026-11-14T23:00:00,2026-11-16T00:00:00');
	});

	it('refuses an entry that contains a comma, and says what to do instead', () => {
		expect(list(['Main Street, north', 'x'], NAME)).toBe(
			'refused: value 1 of 2, "Main Street, north", holds a comma, and the platform would read it as two values. ' +
				'Use a group that matches any condition, with one Equals condition for each value.',
		);
	});

	it('says which entry does not fit', () => {
		expect(list('"Main Street, north", x', NAME)).toMatch(
			/^refused: value 1 of 2, "Main Street, north", holds a comma/,
		);
		expect(list('[]', NAME)).toMatch(NOT_FILLED);
		expect(list('["a", ""]', NAME)).toMatch(/value 2 of 2 is empty/);
		expect(list('4, six', STATUS)).toBe(
			'refused: value 2 of 2: "six" is not a code. Status codes are whole numbers such as 4.',
		);
		expect(list([[4]], STATUS)).toMatch(/value 1 of 1: this is a list/);
	});
});

describe('ranges', () => {
	it('writes low,high', () => {
		expect(range(10, '20.5', ENERGY)).toBe('10,20.5');
		expect(range('2026-11-01', '2026-12-01', STARTED)).toBe('2026-10-31T23:00:00,2026-11-30T23:00:00');
		expect(range(5, 5, ENERGY, 'GteLte')).toBe('5,5');
		expect(range('b', 'a', UNKNOWN)).toBe('b,a');
	});

	it('refuses a range whose low end is above its high end, compared by type', () => {
		expect(range(10, 9, ENERGY)).toEqual(['range: From (10) is above To (9), so nothing can match. Swap them.']);
		expect(range('10', '9', UNKNOWN)).toEqual([expect.stringContaining('is above To')]);
		expect(range('-2.5', '-2.75', ENERGY)).toEqual([expect.stringContaining('is above To')]);
		expect(range('2026-11-02', '2026-11-01', STARTED, 'GteLte')).toEqual([expect.stringContaining('is above To')]);
		expect(range('2026-11-02', '2026-11-01', UNKNOWN)).toEqual([expect.stringContaining('is above To')]);
		expect(range('9', '10', UNKNOWN)).toBe('9,10');
		// The value as typed, not as sent.
		expect(range('2026-11-02', '2026-11-01', STARTED)).toEqual([
			'range: From (2026-11-02) is above To (2026-11-01), so nothing can match. Swap them.',
		]);
	});

	it.each(['GtLt', 'GteLt', 'GtLte'] as const)('refuses equal ends of %s', (operator) => {
		expect(range('5', 5, ENERGY, operator)).toEqual([
			'range: From and To are both 5 and not both of them are included, so nothing can match. ' +
				'Move To further on, or choose the range that includes both ends.',
		]);
		expect(range('x', 'x', UNKNOWN, operator)).toHaveLength(1);
	});

	it('reports faults of both ends and refuses commas in them', () => {
		expect(range('', 'x', ENERGY)).toEqual([
			expect.stringMatching(/^from: nothing is filled in/),
			expect.stringMatching(/^to: "x" is not a number/),
		]);
		expect(range('a,b', 'c', UNKNOWN)).toEqual([
			expect.stringMatching(/^from: "a,b" holds a comma, which .* Use two conditions/),
		]);
	});
});

describe('values of JSON conditions', () => {
	it('reads times without a zone as UTC', () => {
		expect(wire('2026-11-15T00:00:00', STARTED, 'Gte')).toEqual({ value: '2026-11-15T00:00:00' });
		expect(wire('2026-11-15', STARTED, 'Gte')).toEqual({ value: '2026-11-15T00:00:00' });
		expect(wire('2026-11-15T01:00:00+01:00', STARTED, 'Gte')).toEqual({ value: '2026-11-15T00:00:00' });
	});

	it('takes ranges as text or list', () => {
		expect(wire('10,20', ENERGY, 'GteLt')).toEqual({ value: '10,20' });
		expect(wire([10, 20], ENERGY, 'GteLt')).toEqual({ value: '10,20' });
		const needsTwo = { refusal: 'a range needs two values with one comma between them, low first, such as "10,20".' };
		expect(wire('10', ENERGY, 'GteLt')).toEqual(needsTwo);
		expect(wire([1, 2, 3], ENERGY, 'GteLt')).toEqual(needsTwo);
		expect(wire(10, ENERGY, 'GteLt')).toEqual(needsTwo);
		expect(wire('20,10', ENERGY, 'GteLt')).toEqual({
			refusal: expect.stringContaining('is above To') as string,
		});
		expect(wire(',x', ENERGY, 'GteLt')).toEqual({
			refusal: expect.stringMatching(/^low end: nothing is filled in.*high end: "x" is not a number/) as string,
		});
	});

	it('keeps the text of fields it does not know', () => {
		expect(wire('a, b', UNKNOWN, 'In')).toEqual({ value: 'a,b' });
		expect(wire('4, 6', STATUS, 'In')).toEqual({ value: '4,6' });
		expect(wire('["a", "b"]', UNKNOWN, 'In')).toEqual({ value: 'a,b' });
		expect(wire('[10, 20]', ENERGY, 'GteLt')).toEqual({ value: '10,20' });
		expect(wire('"10","20"', UNKNOWN, 'GteLt')).toEqual({ value: '10,20' });
		expect(wire('whatever', UNKNOWN)).toEqual({ value: 'whatever' });
		expect(wire([4, 6], UNKNOWN)).toEqual({ value: '4,6' });
	});
});
