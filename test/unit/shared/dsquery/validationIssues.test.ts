/** What people read when a filter or a sort cannot be used: where, what, and what to do. */
import { DateTime, Duration } from 'luxon';

import { faultsOf, readForm, readSorts } from './read.ts';

const faults = (filters: unknown, logic: unknown = 'And') => faultsOf(() => readForm(filters, logic));
const at = (place: string, message: RegExp) => [{ place, message: expect.stringMatching(message) as string }];

const EMPTY =
	/^nothing is filled in\. Enter a value, or remove the condition; if this is an expression, it came out empty/;
const NOT_A_DATE = /is not a date\. Use a date such as 2026-01-31 or 2026-01-31T18:00:00\.$/;
const SEVERAL =
	/stands for several fields, .*Use a single field from inside it, such as \{\{ \$json\.driver\.name \}\}/;

const energy = (value: unknown) => ({ energyConsumed: [{ operator: 'Gt', value }] });
const energyFrom = (from: unknown, to: unknown) => ({ energyConsumed: [{ operator: 'GteLt', from, to }] });
const started = (entry: object) => ({ startedAtUtc: [entry] });
const date = (value: unknown) => started({ operator: 'Gte', value });
const status = (operator: string, value: unknown) => ({ status: [{ operator, value, values: value }] });
const other = (field: string, entry: object) => ({ other: [{ field, ...entry }] });

describe('in the form', () => {
	it.each<[string, unknown, RegExp]>([
		['Group 1', { groups: [{ logic: 'Or' }] }, /^this group is empty\. Add a condition to it, or remove the group\.$/],
		[
			'Group 1 > This Group Must Match',
			{ groups: [{ filters: energy(1) }] },
			/^this is missing or empty\. Use All Conditions \(AND\) or Any Condition \(OR\)\.$/,
		],
		['Any Other Field 1 > Field', other('|note', {}), /^no field is chosen\. Choose one, or remove this entry\./],
		['Status 1 > Operator', status('', '4'), /^no operator is chosen\. Choose one, or remove the condition\.$/],
		[
			'Status 1 > Operator',
			status('Contains', '4'),
			/^"Contains" does not fit Status\. Choose one of: Is Any Of, Is None Of, Equals, Does Not Equal\.$/,
		],
		[
			'Any Other Field 1 > Operator',
			other('Status|date', { dateOperator: 'InPeriod', period: 'today' }),
			/^"In Period" does not fit Status\. Choose one of: Is Any Of, /,
		],
		['Energy Consumed 1 > Value', energy(undefined), EMPTY],
		['Energy Consumed 1 > Value', energy('\u200b'), EMPTY],
		['Energy Consumed 1 > Value', energy(Number.NaN), EMPTY],
		['Energy Consumed 1 > Value', energy([]), EMPTY],
		['Status 1 > Values', status('In', '4,,6'), /^value 2 of 3 is empty\. Remove it, or check the expression/],
		['Energy Consumed 1 > Value', energy('20,5'), /^"20,5" is not a number\. .* a point before the decimals/],
		['Energy Consumed 1 > Value', energy('{{ $json.x }}'), /switch the field from Fixed to Expression\.$/],
		['Energy Consumed 1 > Value', energy({ a: 1 }), SEVERAL],
		['Any Other Field 1 > Value', other('Driver|text', { textOperator: 'Eq', value: '[object Object]' }), SEVERAL],
		['Energy Consumed 1 > Value', energy(new Date(0)), /^a number is needed here, but this is a date\./],
		[
			'Energy Consumed 1 > Value',
			energy([4]),
			/^this is a list, .* choose Is Any Of or, .* a Group with Any Condition/,
		],
		['Session ID 1 > Value', { id: [{ operator: 'Eq', value: 2 ** 53 }] }, /^9007199254740992 is so large a number/],
		['Status 1 > Value', status('Eq', 'expired'), /^"expired" is not a status code\. Choose one from the list, or/],
		['Status 1 > Values', status('NotIn', '4, six'), /^value 2 of 2: "six" is not a status code\./],
		[
			'Any Other Field 1 > Values',
			other('Name|text', { textOperator: 'In', value: ['Main Street, north', 'x'] }),
			/^value 1 of 2, "Main Street, north", holds a comma, .* and in it one Equals for each value\.$/,
		],
		['Status 1 > Values', status('In', Array(10_001).fill(4)), /^these are 10001 values; at most 10000 are/],
		['Started At 1 > Date', date('15.11.2026'), NOT_A_DATE],
		['Started At 1 > Date', date('2026-11'), NOT_A_DATE],
		['Started At 1 > Date', date('2026-02-30'), NOT_A_DATE],
		['Started At 1 > Date', date('20251112'), NOT_A_DATE],
		['Started At 1 > Date', date(1763164800000), /^a date is needed here, but this is a number\. .*\.toDateTime\(\)/],
		['Started At 1 > Date', date(Duration.fromObject({ days: 7 })), /^this is a length of time\. .* \$now\.minus\(/],
		['Started At 1 > Date', date(DateTime.invalid('test')), /^this is not a valid date\. Check the expression/],
		['Started At 1 > Date', date('Invalid DateTime'), /^this is not a valid date\. Check the expression/],
		...[45_992, 45_992.75, '45992'].map((number): [string, unknown, RegExp] => [
			'Started At 1 > Date',
			date(number),
			/^"?45992(\.75)?"? looks like a spreadsheet's number for a date\. .*'1899-12-30'/,
		]),
		[
			'Started At 1 > Date',
			date(DateTime.utc(12_000)),
			/^12000-01-01 00:00:00 UTC is outside of the years 1 to 9999\. Enter a date within them;/,
		],
		...[
			...[
				'0026-01-01',
				' 0026-01-01T00:00:00',
				'0001-06-01',
				'1026-01-01',
				DateTime.utc(26),
				new Date('0026-01-01'),
			].map((value) => date(value)),
			started({ operator: 'LocalDay', value: '0026-01-01' }),
			started({ operator: 'IsYear', value: '0026' }),
			started({ operator: 'IsMonth', value: '0026-05' }),
		].map((form): [string, unknown, RegExp] => [
			'Started At 1 > Date',
			form,
			/^".*(?:26|0001)-0[156]-01.*" is in the year (?:26|1|1026), and no row is that old\. Write the year with four digits, such as 2026\.$/,
		]),
		...[
			['9999-12-31T23:59:59Z', /^the local day of "9999-12-31T23:59:59Z": 10000-01-01 23:00:00 UTC is outside of/],
			['0001-01-01', /^the local day of "0001-01-01": 0000-12-31 .* UTC is outside of the years 1 to 9999\. Enter/],
			[new Date(8.64e15), /^the local day of a date: this date is outside of the years 1 to 9999\. Enter/],
		].map(([value, message]): [string, unknown, RegExp] => [
			'Started At 1 > Date',
			started({ operator: 'LocalDay', value }),
			message as RegExp,
		]),
		[
			'Started At 1 > Period',
			started({ operator: 'InPeriod' }),
			/^no period is chosen\. Choose one, or choose another/,
		],
		[
			'Started At 1 > Period',
			started({ operator: 'InPeriod', period: 'lastDecade' }),
			/^"lastDecade" is not a period\. Use one of: today, yesterday, .*lastHours\.$/,
		],
		...[0, 'seven', 36_501].map((days): [string, unknown, RegExp] => [
			'Started At 1 > Days',
			started({ operator: 'InPeriod', period: 'lastDays', days }),
			/^a whole number from 1 to 36500 is needed, but this is (0|"seven"|36501)\.$/,
		]),
		[
			'Started At 1 > Unit',
			started({ operator: 'OlderThan', amount: 1, unit: 'weeks' }),
			/^"weeks" is not a unit\. Use one of: minutes, hours, days, months\.$/,
		],
		[
			'Started At 1 > Amount',
			started({ operator: 'OlderThan', amount: 36_500, unit: 'months' }),
			/^36500 months ago is before the year 1900\. Enter a smaller amount\.$/,
		],
		[
			'Started At 1',
			started({ operator: 'GteLt', from: '2026-11-02', to: '2026-11-01' }),
			/^From \(2026-11-02\) comes after To \(2026-11-01\), so nothing can match\. Swap them\.$/,
		],
		...['GteLt', 'GtLte', 'GtLt'].map((operator): [string, unknown, RegExp] => [
			'Started At 1',
			started({ operator, from: '2026-11-01', to: '2026-11-01' }),
			/^From \(2026-11-01\) and To \(2026-11-01\) are the same, .* choose Between \(From ≤ Value ≤ To\)/,
		]),
		[
			'Started At 1',
			started({ operator: 'GtLt', from: '2026-11-01', to: '2026-11-02' }),
			/^nothing is between From \(2026-11-01\) and To \(2026-11-02\), since this operator leaves .* choose Between \(From ≤/,
		],
		[
			'Started At 1',
			started({ operator: 'GtLte', from: '2026-11-01', to: '2026-11-01T08:00' }),
			/^nothing is between From \(2026-11-01\) and To \(2026-11-01T08:00\)/,
		],
		...['Eq', 'Neq'].map((operator): [string, unknown, RegExp] => [
			'Started At 1 > Date',
			started({ operator, value: '2026-11-01' }),
			/^"2026-11-01" is a whole day, .* choose On Day \(Local\), or On Day \(UTC\), in JSON "IsDate"/,
		]),
		[
			'Energy Consumed 1',
			energyFrom(5, '5.0'),
			/^From \(5\) and To \(5\.0\) are the same, .* Enter a higher or later To, or choose Between \(From ≤ Value ≤ To\)/,
		],
		[
			'Any Other Field 1 > From',
			other('Whatever', { anyOperator: 'GteLt', from: 'a,b', to: 'c' }),
			/^"a,b" holds a comma, .* Use two conditions instead, one for each end\.$/,
		],
	])('%s is named, and what to do: %j', (place, filters, message) => {
		expect(faults(filters)).toEqual(at(`Filters > ${place}`, message));
	});

	it('of Must Match', () => {
		const message = /^"Xor" is not possible here\. Use All Conditions \(AND\) or Any Condition \(OR\)\.$/;
		expect(faults({}, 'Xor')).toEqual(at('Must Match', message));
	});

	it('all of them, by their labels and in the order of the form', () => {
		const form = { ...energyFrom('', undefined), ...status('In', []), groups: [{ logic: 'Or', filters: date(null) }] };
		expect(faults(form).map(({ place }) => place)).toEqual([
			'Filters > Status 1 > Values',
			'Filters > Energy Consumed 1 > From',
			'Filters > Energy Consumed 1 > To',
			'Filters > Group 1 > Started At 1 > Date',
		]);
	});
});

it.each<[string, object[], RegExp]>([
	['Field 1', [{ field: '|note', direction: 'Asc' }], /^no field is chosen\. Choose one, or remove this entry\./],
	['Field 1 > Direction', [{ field: 'Id', direction: 'up' }], /^"up" is not possible here\. Use Ascending \(Asc\) or/],
	[
		'Field 2',
		[
			{ field: 'Id', direction: 'Asc' },
			{ field: 'ID|number', direction: 'Desc' },
		],
		/^another entry above sorts by "Id" already\. Remove one of the two\.$/,
	],
])('in the sort, %s is named, and what to do', (place, by, message) => {
	expect(faultsOf(() => readSorts({ by }))).toEqual(at(`Sort > ${place}`, message));
});

describe('in Filter as JSON', () => {
	const is = (operator: unknown, value: unknown = '4') => ({ Field: 'Status', Operator: operator, Value: value });
	const range = (value: string) => ({ Field: 'EnergyConsumed', Operator: 'GteLt', Value: value });
	const NO_NODE = /, not a condition or a group\. Put one in its place, such as \{ "Field": /;
	const NO_LIST = /A group needs "Filters": \[ \.\.\. \] with at least one condition/;
	const NO_RANGE = /^a range needs two values with one comma between them, low first, such as "10,20"\.$/;

	it.each<[string, unknown, RegExp]>([
		['', '', /^nothing is filled in\. Enter a filter as JSON, or remove this entry;/],
		['', 'null', NO_NODE],
		['', [is('Eq')], /^a list does not say whether all or any .* Put it into a group: \{ "Logic": "And", /],
		['', {}, /^there is nothing between \{ and \}\. Put a condition there, or remove this entry\.$/],
		['', { Filter: null }, /^"Filter" is missing or null, so there is no condition\. Add "Filter"/],
		[
			' > Sort',
			{ Filter: is('Eq'), Sort: { Sorts: [] } },
			/^"Sort" is not part of a filter\. .* use Sort, Return All or/,
		],
		[
			' > Logic',
			{ Filters: [is('Eq')] },
			/^this is missing or empty\. Use "And" \(all conditions must match\) or "Or"/,
		],
		[' > Filters', { Logic: 'And' }, NO_LIST],
		[' > Filters', { Logic: 'And', Filters: {} }, NO_LIST],
		[' > Filters', { Logic: 'And', Filters: [] }, NO_LIST],
		[' > Filters, entry 1', { Logic: 'And', Filters: [7] }, NO_NODE],
		[' > Field', { ...is('Eq'), Field: ' ' }, /^nothing is filled in\. Enter the name of a field, such as Id\.$/],
		[' > Field', { ...is('Eq'), Field: 5 }, /^this is a number\. Enter the name of a field in double quotes/],
		[' > Operator', is('='), /^"=" is not possible here\. Use one of: Eq, Neq, .*, IsSecond\.$/],
		[' > Operator', is('is any of'), /^"is any of" is its name in the form\. In JSON, write In\.$/],
		[' > Operator', is('Before'), /^"Before" is its name in the form\. In JSON, write Lt\.$/],
		[' > Operator', is('contains'), /^"Contains" does not fit Status\. Use one of: Eq, Neq, .*, GtLt\.$/],
		[' > Value', { Field: 'Id', Operator: 'Eq' }, EMPTY],
		[' > Value', range('5'), NO_RANGE],
		[' > Value', range('5,'), NO_RANGE],
		[' > Value', range('5,10,20'), NO_RANGE],
		[' > Value, high end', range('5,x'), /^"x" is not a number\./],
		[
			' > Value',
			{ Field: 'StartedAtUtc', Operator: 'Eq', Value: '2026-11-01' },
			/^"2026-11-01" is a whole day, .*"IsDate"/,
		],
		[
			' > Value',
			{ Field: 'StartedAtUtc', Operator: 'In', Value: '2026-11-01,2026-11-02' },
			/^value 1 of 2: "2026-11-01" is a whole day, .*"IsDate"/,
		],
		[' > Not', { ...is('Eq'), Not: true }, /^"Not" does not belong in a condition, which has only Field, Operator and/],
		[' > FIELD', { ...is('Eq'), FIELD: 'Id' }, /^"Field" and "FIELD" count as the same name\. Keep one of them\.$/],
		['', '{\n  "Field": "Id",\n  "Operator" "Eq"\n}', /^this is not JSON\. Write it like \{.*(position 32|line 3)/],
		// JSON.parse would take the last.
		['', '{"Id":1,\n"Id":2}', /^the property "Id" is there twice, again in line 2\. Keep one of them\.$/],
		['', '{"Filters":[{"Field":"Id","\\u0046ield":"Status","Value":"}"}]}', /^the property "Field" is there twice/],
		['', '{"a":{"b":[{"c":"\\\\"},{"c":"{"}],"b":1}}', /^the property "b" is there twice/],
		['', '{"__proto__":1,"__proto__":2}', /^the property "__proto__" is there twice/],
	])('Filter as JSON 1%s is named, and what to do: %j', (place, json, message) => {
		expect(faults({ json: [{ json }] })).toContainEqual(at(`Filters > Filter as JSON 1${place}`, message)[0]);
	});

	it('groups within groups without end', () => {
		const looped: { Logic: string; Filters: unknown[] } = { Logic: 'And', Filters: [] };
		looped.Filters.push(looped, looped);
		const message = /^groups lie inside groups more than 100 levels deep, or without end\. Use fewer levels/;
		expect(faults({ json: [{ json: looped }] })).toEqual(at('Filters > Filter as JSON 1', message));
	});
});
