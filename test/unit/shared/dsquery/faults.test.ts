/** What people read when a filter or a sort cannot be used: where, what, and what to do. */
import { DateTime, Duration } from 'luxon';

import { faultsOf, readForm, readSorts } from './read.ts';

const faults = (filters: unknown, logic: unknown = 'And') => faultsOf(() => readForm(filters, logic));

const EMPTY =
	'nothing is filled in. Enter a value, or remove the condition; if this is an expression, it came out empty: check the data that it reads.';
const NOT_A_DATE = 'Use a date such as 2026-01-31 or 2026-01-31T18:00:00.';
const SEVERAL =
	'stands for several fields, but one value is needed here. Use a single field from inside it, such as {{ $json.driver.name }} instead of {{ $json.driver }}.';

describe('in the form', () => {
	const energy = (entry: object) => ({ energyConsumed: [entry] });
	const started = (entry: object) => ({ startedAtUtc: [entry] });
	const status = (entry: object) => ({ status: [entry] });

	it.each<[unknown, string]>([
		...[{ logic: 'Or', filters: {} }, { logic: 'Or' }].map((group): [unknown, string] => [
			{ groups: [group] },
			'Filters > Group 1: this group is empty. Add a condition to it, or remove the group.',
		]),
		[
			{ groups: [{ filters: energy({ operator: 'Eq', value: 1 }) }] },
			'Filters > Group 1 > This Group Must Match: this is missing or empty. Use All Conditions (AND) or Any Condition (OR).',
		],
		// Field and operator
		[
			{ other: [{ field: '|note', anyOperator: 'Eq', value: '1' }] },
			'Filters > Any Other Field 1 > Field: no field is chosen. Choose one, or remove this entry. An expression must give the name of a field, such as Id.',
		],
		[
			status({ operator: '' }),
			'Filters > Status 1 > Operator: no operator is chosen. Choose one, or remove the condition.',
		],
		[
			status({ operator: 'Contains', value: '4' }),
			'Filters > Status 1 > Operator: "Contains" does not fit Status. Choose one of: Is Any Of, Is None Of, Equals, Does Not Equal.',
		],
		[
			{ other: [{ field: 'Status|date', dateOperator: 'InPeriod', period: 'today' }] },
			'Filters > Any Other Field 1 > Operator: "In Period" does not fit Status. Choose one of: Is Any Of, Is None Of, Equals, Does Not Equal.',
		],
		// Empty values
		...[undefined, null, '', ' \t', '\u200b', Number.NaN, []].map((value): [unknown, string] => [
			energy({ operator: 'Gt', value }),
			`Filters > Energy Consumed 1 > Value: ${EMPTY}`,
		]),
		[status({ operator: 'In', values: [] }), `Filters > Status 1 > Values: ${EMPTY}`],
		[started({ operator: 'LocalDay', value: '' }), `Filters > Started At 1 > Date: ${EMPTY}`],
		[
			status({ operator: 'In', values: '4,,6' }),
			'Filters > Status 1 > Values: value 2 of 3 is empty. Remove it, or check the expression it comes from.',
		],
		// Values of another kind
		[
			energy({ operator: 'Gt', value: '20,5' }),
			'Filters > Energy Consumed 1 > Value: "20,5" is not a number. Use only digits, with a point before the decimals, such as 1234.5.',
		],
		[
			energy({ operator: 'Gt', value: '{{ $json.x }}' }),
			'Filters > Energy Consumed 1 > Value: "{{ $json.x }}" is not a number. If it is meant as an expression, switch the field from Fixed to Expression.',
		],
		[energy({ operator: 'Gt', value: { a: 1 } }), `Filters > Energy Consumed 1 > Value: this ${SEVERAL}`],
		[
			energy({ operator: 'Gt', value: new Date(0) }),
			'Filters > Energy Consumed 1 > Value: a number is needed here, but this is a date. Use another field.',
		],
		[
			energy({ operator: 'Gt', value: [4] }),
			'Filters > Energy Consumed 1 > Value: this is a list, but one value is needed here. For several values choose Is Any Of or, where it is not offered, add a Group with Any Condition (OR) and one condition for each value.',
		],
		[
			{ id: [{ operator: 'Eq', value: 2 ** 53 }] },
			'Filters > Session ID 1 > Value: 9007199254740992 is so large a number that its last digits may have changed on the way. Type the digits here, or have its source give them as text, in quotes.',
		],
		[
			{ other: [{ field: 'Driver|text', textOperator: 'Eq', value: '[object Object]' }] },
			`Filters > Any Other Field 1 > Value: "[object Object]" ${SEVERAL}`,
		],
		[
			status({ operator: 'Eq', value: 'expired' }),
			'Filters > Status 1 > Value: "expired" is not a status code. Choose one from the list, or enter a whole number such as 4.',
		],
		[
			status({ operator: 'NotIn', values: '4, six' }),
			'Filters > Status 1 > Values: value 2 of 2: "six" is not a status code. Choose one from the list, or enter a whole number such as 4.',
		],
		[
			{ other: [{ field: 'Name|text', textOperator: 'In', value: ['Main Street, north', 'x'] }] },
			'Filters > Any Other Field 1 > Values: value 1 of 2, "Main Street, north", holds a comma, and the platform would read it as two values. Add a Group with Any Condition (OR), and in it one Equals for each value.',
		],
		[
			energy({ operator: 'In', values: Array.from({ length: 10_001 }, () => 1) }),
			'Filters > Energy Consumed 1 > Values: these are 10001 values; at most 10000 are possible. Split them over several nodes.',
		],
		// Dates and periods
		...['15.11.2026', '12:00', '2026', '2026-11', '2026-02-30', 'tomorrow', '20251112', '2026-W05', '2026-319'].map(
			(value): [unknown, string] => [
				started({ operator: 'Gte', value }),
				`Filters > Started At 1 > Date: "${value}" is not a date. ${NOT_A_DATE}`,
			],
		),
		[
			started({ operator: 'Gte', value: 1763164800000 }),
			`Filters > Started At 1 > Date: a date is needed here, but this is a number. ${NOT_A_DATE} To a number of milliseconds since 1970, add .toDateTime() in the expression; to one of seconds, .toDateTime('s').`,
		],
		[
			started({ operator: 'IsDate', value: Duration.fromObject({ days: 7 }) }),
			"Filters > Started At 1 > Date: this is a length of time. For a date, use for example {{ $now.minus({ days: 7 }) }}; for a number, add .as('hours') in the expression.",
		],
		...[DateTime.invalid('test'), 'Invalid DateTime'].map((value): [unknown, string] => [
			started({ operator: 'Gte', value }),
			'Filters > Started At 1 > Date: this is not a valid date. Check the expression that it comes from.',
		]),
		[
			started({ operator: 'Gte', value: DateTime.fromObject({ year: 12_000 }) }),
			'Filters > Started At 1 > Date: the year of this date is 12000; only 1 to 9999 are possible. Check the expression.',
		],
		[
			started({ operator: 'InPeriod' }),
			'Filters > Started At 1 > Period: no period is chosen. Choose one, or choose another operator.',
		],
		[
			started({ operator: 'InPeriod', period: 'lastDecade' }),
			'Filters > Started At 1 > Period: "lastDecade" is not a period. Use one of: today, yesterday, thisWeek, lastWeek, thisMonth, lastMonth, thisQuarter, lastQuarter, thisYear, lastYear, lastDays, lastHours.',
		],
		...[0, 1.5, 'seven', 36_501, null].map((days): [unknown, string] => [
			started({ operator: 'InPeriod', period: 'lastDays', days }),
			`Filters > Started At 1 > Days: a whole number from 1 to 36500 is needed, but this is ${typeof days === 'string' ? `"${days}"` : (days ?? 'nothing')}.`,
		]),
		[
			started({ operator: 'OlderThan', amount: 1, unit: 'weeks' }),
			'Filters > Started At 1 > Unit: "weeks" is not a unit. Use one of: minutes, hours, days, months.',
		],
		[
			started({ operator: 'OlderThan', amount: 36_500, unit: 'months' }),
			'Filters > Started At 1 > Amount: 36500 months ago is before the year 1. Enter a smaller amount.',
		],
		// Ranges
		[
			started({ operator: 'GteLt', from: '2026-11-02', to: '2026-11-01' }),
			'Filters > Started At 1: From (2026-11-02) comes after To (2026-11-01), so nothing can match. Swap them.',
		],
		[
			energy({ operator: 'GteLt', from: 5, to: '5.0' }),
			'Filters > Energy Consumed 1: From (5) and To (5.0) are the same, and this operator does not include both, so nothing can match. Enter a higher or later To, or choose Between (From ≤ Value ≤ To), in JSON "GteLte".',
		],
		[energy({ operator: 'GtLt', from: 5 }), `Filters > Energy Consumed 1 > To: ${EMPTY}`],
		[
			{ other: [{ field: 'Whatever', anyOperator: 'GteLt', from: 'a,b', to: 'c' }] },
			'Filters > Any Other Field 1 > From: "a,b" holds a comma, which the platform would read as the border between From and To. Use two conditions instead, one for each end.',
		],
	])('%j', (filters, sentence) => {
		expect(faults(filters)).toEqual([sentence]);
	});

	it('of the logic', () => {
		expect(faults({}, 'Xor')).toEqual([
			'Must Match: "Xor" is not possible here. Use All Conditions (AND) or Any Condition (OR).',
		]);
		expect(faults({}, null)).toEqual([
			'Must Match: this is missing or empty. Use All Conditions (AND) or Any Condition (OR).',
		]);
	});

	it('all of them, by their labels and in the order of the form', () => {
		const form = {
			...energy({ operator: 'GteLt', from: '', to: undefined }),
			...status({ operator: 'In', values: [] }),
			groups: [{ logic: 'Or', filters: status({ operator: 'Eq', value: null }) }],
		};
		expect(faults(form)).toEqual([
			`Filters > Status 1 > Values: ${EMPTY}`,
			`Filters > Energy Consumed 1 > From: ${EMPTY}`,
			`Filters > Energy Consumed 1 > To: ${EMPTY}`,
			`Filters > Group 1 > Status 1 > Value: ${EMPTY}`,
		]);
	});
});

describe('in the sort', () => {
	it.each<[unknown, string]>([
		[
			{ by: [{ field: '|note', direction: 'Asc' }] },
			'Sort > Field 1: no field is chosen. Choose one, or remove this entry. An expression must give the name of a field, such as Id.',
		],
		[
			{ by: [{ field: 'Id', direction: 'up' }] },
			'Sort > Field 1 > Direction: "up" is not possible here. Use Ascending (Asc) or Descending (Desc).',
		],
		[
			{
				by: [
					{ field: 'Id', direction: 'Asc' },
					{ field: 'ID|number', direction: 'Desc' },
				],
			},
			'Sort > Field 2: another entry above sorts by "Id" already. Remove one of the two.',
		],
	])('%j', (sort, sentence) => {
		expect(faultsOf(() => readSorts(sort))).toEqual([sentence]);
	});
});

describe('in Filter as JSON', () => {
	const status = (value: unknown, operator: unknown = 'Eq') => ({ Field: 'Status', Operator: operator, Value: value });
	const nested = (levels: number) =>
		`${'{"Logic":"And","Filters":['.repeat(levels)}${JSON.stringify(status('4'))}${']}'.repeat(levels)}`;
	const looped: { Logic: string; Filters: unknown[] } = { Logic: 'And', Filters: [] };
	looped.Filters.push(looped, looped);
	const OPERATORS =
		'one of: Eq, Neq, Lt, Lte, Gt, Gte, Contains, StartsWith, EndsWith, In, GteLte, GteLt, GtLte, GtLt, IsDate, IsMonth, IsYear, IsHour, IsMinute, IsSecond';
	const EXAMPLE = '{ "Field": "Status", "Operator": "Eq", "Value": "4" }';
	const NO_NODE = `not a condition or a group. Put one in its place, such as ${EXAMPLE}, or remove it.`;
	const NO_LIST =
		'A group needs "Filters": [ ... ] with at least one condition between [ and ]; if it has none, remove the whole group.';
	const NO_FILTER =
		': "Filter" is missing or null, so there is no condition. Add "Filter": { ... } to the JSON, or remove this entry.';
	const NOT_PART =
		'is not part of a filter. Remove it from the JSON, and use Sort, Return All or Limit of this node instead, where it has them.';
	const TOO_DEEP =
		': groups lie inside groups more than 100 levels deep, or without end. Use fewer levels, or check the expression that makes them.';

	it.each<[string, unknown, string]>([
		[
			'nothing',
			'',
			': nothing is filled in. Enter a filter as JSON, or remove this entry; if it is an expression, it came out empty: check the data that it reads.',
		],
		['null', 'null', `: this is null, ${NO_NODE}`],
		['text', '"Status"', `: this is text, ${NO_NODE}`],
		[
			'a list',
			[status('4')],
			': a list does not say whether all or any of its conditions must match. Put it into a group: { "Logic": "And", "Filters": [ ... ] }.',
		],
		['an empty object', {}, ': there is nothing between { and }. Put a condition there, or remove this entry.'],
		['no filter', { Sort: null }, NO_FILTER],
		['an empty filter', { Filter: null }, NO_FILTER],
		['a sort', { Filter: status('4'), Sort: { Sorts: [{ Field: 'Id', Dir: 'Asc' }] } }, ` > Sort: "Sort" ${NOT_PART}`],
		['a pager', { Filter: status('4'), Pager: {} }, ` > Pager: "Pager" ${NOT_PART}`],
		[
			'no logic',
			{ Filters: [status('4')] },
			' > Logic: this is missing or empty. Use "And" (all conditions must match) or "Or" (one is enough).',
		],
		['no filters', { Logic: 'And' }, ` > Filters: this is missing. ${NO_LIST}`],
		['filters that are no list', { Logic: 'And', Filters: {} }, ` > Filters: this is an object. ${NO_LIST}`],
		['an empty group', { Logic: 'And', Filters: [] }, ` > Filters: this is an empty list. ${NO_LIST}`],
		['a number in a group', { Logic: 'And', Filters: [7] }, ` > Filters, entry 1: this is a number, ${NO_NODE}`],
		[
			'no field',
			{ Field: ' ', Operator: 'Eq', Value: 'x' },
			' > Field: nothing is filled in. Enter the name of a field, such as Id.',
		],
		[
			'a number as field',
			{ Field: 5, Operator: 'Eq', Value: 'x' },
			' > Field: this is a number. Enter the name of a field in double quotes, such as "Id".',
		],
		['no operator', status('4', '='), ` > Operator: "=" is not possible here. Use ${OPERATORS}.`],
		...[
			['Equals', 'Eq'],
			['is any of', 'In'],
			['Before', 'Lt'],
		].map(([label = '', name = '']): [string, unknown, string] => [
			'an operator by its label',
			status('4', label),
			` > Operator: "${label}" is its name in the form. In JSON, write ${name}.`,
		]),
		[
			'another operator',
			status('4', 'contains'),
			' > Operator: "Contains" does not fit Status. Use one of: Eq, Neq, Lt, Lte, Gt, Gte, In, GteLte, GteLt, GtLte, GtLt.',
		],
		['a number for an operator', status('4', 3), ` > Operator: 3 is not possible here. Use ${OPERATORS}.`],
		['no value', { Field: 'Id', Operator: 'Eq' }, ` > Value: ${EMPTY}`],
		[
			'half a range',
			{ Field: 'EnergyConsumed', Operator: 'GteLt', Value: '5' },
			' > Value: a range needs two values with one comma between them, low first, such as "10,20".',
		],
		[
			'an open range',
			{ Field: 'EnergyConsumed', Operator: 'GteLt', Value: '5,' },
			' > Value: a range needs two values with one comma between them, low first, such as "10,20".',
		],
		[
			'a range with a wrong end',
			{ Field: 'EnergyConsumed', Operator: 'GteLt', Value: '5,x' },
			' > Value, high end: "x" is not a number. Use only digits, with a point before the decimals, such as 1234.5.',
		],
		[
			'another property',
			{ ...status('4'), Not: true },
			' > Not: "Not" does not belong in a condition, which has only Field, Operator and Value. Remove it.',
		],
		[
			'two spellings',
			{ ...status('4'), FIELD: 'Id' },
			' > FIELD: "Field" and "FIELD" count as the same name. Keep one of them.',
		],
		[
			'a property twice',
			'{"Field":"Id","Operator":"Eq","Value":"1",\n"Value":"2"}',
			': the property "Value" is there twice, again in line 2. Keep one of them.',
		],
		['too many groups', nested(101), TOO_DEEP],
		['itself', looped, TOO_DEEP],
	])('%s', (_, json, sentence) => {
		expect(faults({ json: [{ json }] })).toContain(`Filters > Filter as JSON 1${sentence}`);
	});

	it.each(['{\n  "Field": "Id",\n  "Operator" "Eq"\n}', '{“a”:1}', 'Status = 4', '{"a":1', "{'a':1}"])('%s', (json) => {
		const [fault = ''] = faults({ json: [{ json }] });
		expect(fault).toContain(
			`Filters > Filter as JSON 1: this is not JSON. Write it like ${EXAMPLE}: straight double quotes, a colon after each name, every bracket closed. The exact reason: `,
		);
		if (json.includes('\n')) expect(fault).toMatch(/position 32|line 3/);
	});

	it.each([
		['{"Logic":"Or","Filters":[{"Field":"Id","\\u0046ield":"Status","Operator":"Eq","Value":"}"}]}', 'Field', 1],
		['{"a":{"b":[{"c":"\\\\"},{"c":"{"}],"b":1}}', 'b', 1],
		['{"__proto__":1,\n"__proto__":2}', '__proto__', 2],
	])('a property twice: %s', (json, name, line) => {
		const [fault] = faults({ json: [{ json }] });
		expect(fault).toContain(`: the property "${name}" is there twice, again in line ${line}. Keep one of them.`);
	});

	it('thousands of faults: the first 20, and how many there are', () => {
		const Filters = Array.from({ length: 4000 }, () => ({ Field: '', Operator: 'Equalz', Value: [] }));
		const read = () => readForm({ json: [{ json: { Logic: 'Both', Filters } }] });
		expect(faultsOf(read)).toHaveLength(20);
		expect(read).toThrow(/\nAnd 11981 more places to change\.$/);
	});
});
