import { DateTime } from 'luxon';

import { SESSIONS, STATIONS } from '../../../../../nodes/shared/resources';
import { FORM_OPERATORS } from '../../../../../nodes/shared/dsquery/operators';
import type { ReadContext } from '../../../../../nodes/shared/dsquery/read/condition';
import type { FieldType } from '../../../../../nodes/shared/dsquery/types';
import { faultsOf } from '../../../../support/dsquery/faults.ts';
import { readForm, readListQuery } from '../../../../support/dsquery/read.ts';

const SESSION_LIST: ReadContext = { catalogue: SESSIONS, zone: 'Europe/Berlin', now: new Date('2026-11-18T12:00:00Z') };
const STATION_LIST: ReadContext = { ...SESSION_LIST, catalogue: STATIONS };

const read = (filters: unknown, logic: unknown = 'And', context = SESSION_LIST) =>
	readForm({ filters, logic }, context);
const faults = (filters: unknown, logic: unknown = 'And', context = SESSION_LIST) =>
	faultsOf(() => read(filters, logic, context));
const one = (filters: unknown, context = SESSION_LIST) => {
	const group = read(filters, 'And', context);
	expect(group?.filters).toHaveLength(1);
	return group?.filters[0];
};
const NOT_FILLED =
	'nothing is filled in. Enter a value, or remove the condition; if this is an expression, it came out empty.';

describe('known fields', () => {
	it('reads a filter for finished sessions of last month above 20 kWh', () => {
		expect(
			read({
				status: [{ field: 'Status|code', operator: 'In', values: ['4'] }],
				startedAtUtc: [{ field: 'StartedAtUtc|date', operator: 'InPeriod', period: 'lastMonth' }],
				energyConsumed: [{ field: 'EnergyConsumed|number', operator: 'Gt', value: 20 }],
			}),
		).toEqual({
			logic: 'And',
			filters: [
				{ field: 'Status', operator: 'In', value: '4' },
				{ field: 'StartedAtUtc', operator: 'GteLt', value: '2026-09-30T22:00:00,2026-10-31T23:00:00' },
				{ field: 'EnergyConsumed', operator: 'Gt', value: '20' },
			],
		});
	});

	it('reads only the values its operator uses', () => {
		const stale = { value: '', values: [], from: 'x', to: null, period: 'never', days: -1 };
		expect(one({ energyConsumed: [{ ...stale, operator: 'Gt', value: 20 }] })).toMatchObject({ value: '20' });
		expect(one({ energyConsumed: [{ ...stale, operator: 'In', values: '1,2' }] })).toMatchObject({ value: '1,2' });
		expect(one({ energyConsumed: [{ ...stale, operator: 'GteLte', from: 1, to: '2' }] })).toMatchObject({
			value: '1,2',
		});
		expect(one({ startedAtUtc: [{ ...stale, operator: 'InPeriod', period: 'today' }] })).toMatchObject({
			operator: 'GteLt',
		});
	});

	it('reads the days of lastDays as text or number, and refuses other values', () => {
		const period = (days: unknown) => ({ startedAtUtc: [{ operator: 'InPeriod', period: 'lastDays', days }] });
		const week = {
			field: 'StartedAtUtc',
			operator: 'GteLt',
			value: '2026-11-10T23:00:00,2026-11-17T23:00:00',
			isLastDays: true,
		};
		expect(one(period(7))).toEqual(week);
		expect(one(period('7'))).toEqual(week);
		for (const days of [0, -1, 1.5, '', null, 'seven', 36_501, undefined]) {
			expect(faults(period(days))).toEqual([
				expect.stringMatching(
					/^Filters > Started At 1 > Days: .* cannot be used\. Enter a whole number from 1 to 36500\./,
				),
			]);
		}
	});

	it('reads the last hours, up to the present second', () => {
		const period = (hours: unknown) => ({ startedAtUtc: [{ operator: 'InPeriod', period: 'lastHours', hours }] });
		const context = { ...SESSION_LIST, now: new Date('2026-11-18T12:00:00.700Z') };
		expect(one(period(6), context)).toEqual({
			field: 'StartedAtUtc',
			operator: 'GteLt',
			value: '2026-11-18T06:00:00,2026-11-18T12:00:00',
		});
		expect(faults(period(0))).toEqual([
			'Filters > Started At 1 > Hours: 0 cannot be used. Enter a whole number from 1 to 36500.',
		]);
	});

	it.each([
		[24, 'hours', '2026-10-24T11:00:00'],
		['1', 'days', '2026-10-24T10:00:00'],
		[90, 'minutes', '2026-10-25T09:30:00'],
		[2, 'months', '2026-08-25T10:00:00'],
	])('reads More Than %s %s Ago, days by the calendar', (amount, unit, value) => {
		const context = { ...SESSION_LIST, now: new Date('2026-10-25T11:00:00Z') };
		expect(one({ startedAtUtc: [{ operator: 'OlderThan', amount, unit }] }, context)).toEqual({
			field: 'StartedAtUtc',
			operator: 'Lt',
			value,
		});
	});

	it('refuses an age with an invalid amount or unit', () => {
		expect(faults({ startedAtUtc: [{ operator: 'OlderThan', amount: 1.5, unit: 'weeks' }] })).toEqual([
			'Filters > Started At 1 > Amount: 1.5 cannot be used. Enter a whole number from 1 to 36500.',
			'Filters > Started At 1 > Unit: "weeks" is not a unit. Use one of: minutes, hours, days, months.',
		]);
		expect(faults({ startedAtUtc: [{ operator: 'OlderThan', amount: 36_500, unit: 'months' }] })).toEqual([
			'Filters > Started At 1 > Amount: this date lies outside the years 1 to 9999.',
		]);
		expect(faults({ startedAtUtc: [{ operator: 'OlderThan', amount: 1 }] })).toEqual([
			'Filters > Started At 1 > Unit: no unit is chosen. Choose one, or choose another operator.',
		]);
	});

	it('writes Is None Of as an And group, also where any condition is enough', () => {
		const none = (values: unknown) => ({ status: [{ operator: 'NotIn', values }], id: [{ operator: 'Eq', value: 5 }] });
		const differs = (value: string) => ({ field: 'Status', operator: 'Neq', value });
		expect(read(none(['4', '6']), 'Or')).toEqual({
			logic: 'Or',
			filters: [
				{ logic: 'And', filters: [differs('4'), differs('6')] },
				{ field: 'Id', operator: 'Eq', value: '5' },
			],
		});
		expect(read(none('Finished'))?.filters[0]).toEqual({ logic: 'And', filters: [differs('4')] });
		expect(faults(none([]))).toEqual([`Filters > Status 1 > Values: ${NOT_FILLED}`]);
	});

	it('refuses a decimal comma, naming the value', () => {
		expect(faults({ energyConsumed: [{ operator: 'Gt', value: '20,5' }] })).toEqual([
			'Filters > Energy Consumed 1 > Value: "20,5" is not a number. Write it in digits without separators or exponent, with a point before the decimals, such as 1234.5.',
		]);
	});

	it('reads a local day', () => {
		expect(one({ startedAtUtc: [{ operator: 'LocalDay', value: '2026-11-15T00:00:00' }] })).toEqual({
			field: 'StartedAtUtc',
			operator: 'GteLt',
			value: '2026-11-14T23:00:00,2026-11-15T23:00:00',
		});
		expect(faults({ startedAtUtc: [{ operator: 'LocalDay', value: '' }] })).toEqual([
			`Filters > Started At 1 > Date: ${NOT_FILLED}`,
		]);
	});

	it('reads station fields', () => {
		expect(
			read(
				{
					name: [{ operator: 'StartsWith', value: 'North' }],
					networkStatus: [{ operator: 'Neq', value: '1' }],
					hardwareStatus: [{ operator: 'In', values: [2, 3] }],
					id: [{ operator: 'In', values: 'a, b' }],
				},
				'Or',
				STATION_LIST,
			),
		).toEqual({
			logic: 'Or',
			filters: [
				{ field: 'Name', operator: 'StartsWith', value: 'North' },
				{ field: 'NetworkStatus', operator: 'Neq', value: '1' },
				{ field: 'HardwareStatus', operator: 'In', value: '2,3' },
				{ field: 'Id', operator: 'In', value: 'a,b' },
			],
		});
	});
});

describe('every operator of every type', () => {
	const values: Record<FieldType, unknown> = {
		number: 5,
		code: '4',
		date: '2026-11-15',
		boolean: 'yes',
		text: 'north',
		any: 'north',
	};
	const ends: Record<FieldType, [unknown, unknown]> = {
		number: [5, 6],
		code: [4, 6],
		date: ['2026-11-15', '2026-11-16'],
		boolean: ['', ''],
		text: ['a', 'b'],
		any: ['a', 'b'],
	};
	const WRITTEN_AS: Record<string, string> = {
		InPeriod: 'GteLt',
		LocalDay: 'GteLt',
		OlderThan: 'Lt',
		NotIn: 'Neq',
	};
	const cases = (Object.keys(FORM_OPERATORS) as FieldType[]).flatMap((type) =>
		FORM_OPERATORS[type].map(({ value }): [FieldType, string] => [type, value]),
	);

	it.each(cases)('%s %s', (type, operator) => {
		const [from, to] = ends[type];
		const date = values.date;
		const value = operator.startsWith('Is') ? '2026-11-15' : values[type];
		const entry = {
			[`${type}Operator`]: operator,
			value,
			date,
			from,
			to,
			fromDate: from,
			toDate: to,
			period: 'today',
			amount: 1,
			unit: 'days',
		};
		const found = one({ other: [{ field: `Whatever|${type}`, ...entry }] });
		const condition = found && 'filters' in found ? found.filters[0] : found;
		expect(condition).toMatchObject({
			field: 'Whatever',
			operator: WRITTEN_AS[operator] ?? operator,
		});
		// Without the value that the operator reads, the condition must be refused.
		const emptied = {
			...entry,
			value: '',
			date: null,
			from: '',
			to: undefined,
			fromDate: ' ',
			toDate: '',
			period: '',
			unit: '',
		};
		expect(faults({ other: [{ field: `Whatever|${type}`, ...emptied }] }).length).toBeGreaterThan(0);
	});
});

describe('other fields', () => {
	const filled = {
		numberOperator: 'Gte',
		codeOperator: 'Eq',
		dateOperator: 'GteLt',
		textOperator: 'Contains',
		anyOperator: 'Neq',
		value: '5',
		date: '2026-11-15',
		from: '',
		to: '',
		fromDate: '2026-11-01',
		toDate: '2026-11-02',
		period: 'today',
		days: 7,
	};
	it.each([
		['Price|number', { field: 'Price', operator: 'Gte', value: '5' }],
		['Kind|code', { field: 'Kind', operator: 'Eq', value: '5' }],
		['Ended|date', { field: 'Ended', operator: 'GteLt', value: '2026-10-31T23:00:00,2026-11-01T23:00:00' }],
		['Driver|text', { field: 'Driver', operator: 'Contains', value: '5' }],
		['Driver|any', { field: 'Driver', operator: 'Neq', value: '5' }],
		['Driver', { field: 'Driver', operator: 'Neq', value: '5' }],
		[' Driver | text ', { field: 'Driver', operator: 'Contains', value: '5' }],
		['Odd|name', { field: 'Odd|name', operator: 'Neq', value: '5' }],
		['energyconsumed', { field: 'EnergyConsumed', operator: 'Neq', value: '5' }],
		[
			'startedAtUtc|DATE',
			{ field: 'StartedAtUtc', operator: 'GteLt', value: '2026-10-31T23:00:00,2026-11-01T23:00:00' },
		],
	])('chooses operator and values of %s by its type', (field, condition) => {
		expect(one({ other: [{ field, ...filled }] })).toEqual(condition);
	});

	it('checks a known field by its own type, whatever type is stored', () => {
		expect(faults({ other: [{ ...filled, field: 'EnergyConsumed|text' }] })).toEqual([
			expect.stringMatching(
				/^Filters > Any Other Field 1 > Operator: "Contains" does not fit EnergyConsumed\. Choose one of: Equals, /,
			),
		]);
		expect(faults({ other: [{ ...filled, field: 'Status|date', dateOperator: 'InPeriod' }] })).toEqual([
			expect.stringContaining('"InPeriod" does not fit Status'),
		]);
		expect(faults({ other: [{ ...filled, field: 'EnergyConsumed', value: 'lots' }] })).toEqual([
			expect.stringMatching(/^Filters > Any Other Field 1 > Value: "lots" is not a number/),
		]);
		expect(one({ other: [{ ...filled, field: 'StartedAtUtc', anyOperator: 'Gte', value: '2026-11-15' }] })).toEqual({
			field: 'StartedAtUtc',
			operator: 'Gte',
			value: '2026-11-14T23:00:00',
		});
	});

	it('accepts yes, no, true and false for a boolean field, and refuses any other value by name', () => {
		const roaming = (value: unknown) => ({ other: [{ field: 'IsRoaming|boolean', booleanOperator: 'Eq', value }] });
		for (const yes of [true, 'true', 'Yes', ' YES ']) {
			expect(one(roaming(yes))).toEqual({ field: 'IsRoaming', operator: 'Eq', value: 'true' });
		}
		for (const no of [false, 'False', 'no']) expect(one(roaming(no))).toMatchObject({ value: 'false' });
		for (const [value, named] of [
			['maybe', '"maybe"'],
			[1, '1'],
			['constructor', '"constructor"'],
		]) {
			expect(faults(roaming(value))).toEqual([
				`Filters > Any Other Field 1 > Value: ${named} is neither Yes nor No. An expression gives true or false.`,
			]);
		}
		expect(faults(roaming(''))).toEqual([`Filters > Any Other Field 1 > Value: ${NOT_FILLED}`]);
	});

	it.each([undefined, null, '', '  ', '|text', '|note', 5, {}])('refuses %p as field', (field) => {
		expect(faults({ other: [{ ...filled, field }] })).toEqual([
			'Filters > Any Other Field 1 > Field: no field is chosen. Choose one, or remove this entry; if it is an expression, it gave no name of a field.',
		]);
	});

	it('reads values of UTC units as dates when the field has no known type', () => {
		expect(one({ other: [{ field: 'Ended', anyOperator: 'IsMonth', value: '2026-11-15' }] })).toMatchObject({
			value: '2026-11-01T00:00:00',
		});
	});
});

describe('JSON conditions', () => {
	const json = { Field: 'Id', Operator: 'Gt', Value: '5' };
	it('work like any other condition, at every level', () => {
		expect(
			read({
				status: [{ operator: 'Eq', value: 4 }],
				json: [{ json: JSON.stringify(json) }, { json }],
				groups: [{ logic: 'Or', filters: { json: [{ json }] } }],
			}),
		).toEqual({
			logic: 'And',
			filters: [
				{ field: 'Status', operator: 'Eq', value: '4' },
				{ field: 'Id', operator: 'Gt', value: '5' },
				{ field: 'Id', operator: 'Gt', value: '5' },
				{ logic: 'Or', filters: [{ field: 'Id', operator: 'Gt', value: '5' }] },
			],
		});
	});

	it('report their faults with the full path', () => {
		expect(
			faults({
				groups: [
					{
						logic: 'Or',
						filters: {
							json: [{ json: { Filter: { Logic: 'And', Filters: [json, { ...json, Operator: 'Equals' }] } } }],
						},
					},
				],
			}),
		).toEqual([
			'Filters > Group 1 > Filter as JSON 1 > Filter.Filters[1].Operator: "Equals" is not an operator, did you mean "Eq"?',
		]);
		expect(faults({ json: [{}] })).toEqual([
			expect.stringMatching(/^Filters > Filter as JSON 1: nothing is filled in/),
		]);
	});

	it('may contain one Sort, if the sort form is empty', () => {
		const query = { Filter: json, Sort: { Sorts: [{ Field: 'Id', Dir: 'Desc' }] } };
		const list = (filters: unknown, sort?: unknown) => readListQuery({ filters, logic: 'And', sort }, SESSION_LIST);
		const sorts = [{ field: 'Id', direction: 'Desc' }];
		expect(list({ json: [{ json: query }] }, {}).sorts).toEqual(sorts);
		expect(list({ groups: [{ logic: 'Or', filters: { json: [{ json: query }] } }] }).sorts).toEqual(sorts);
		expect(faultsOf(() => list({ json: [{ json: query }] }, { by: [{ field: 'Id', direction: 'Asc' }] }))).toEqual([
			'Filters > Filter as JSON 1 > Sort: the Sort form of this node holds a Sort as well. Keep one of the two.',
		]);
		expect(faultsOf(() => list({ json: [{ json: query }, { json: query }] }))).toEqual([
			'Filters > Filter as JSON 2 > Sort: Filters > Filter as JSON 1 holds a Sort as well. Keep one of the two.',
		]);
	});
});

describe('groups', () => {
	it('have each a logic of their own', () => {
		const status = [{ operator: 'Eq', value: 4 }];
		const leaf = { field: 'Status', operator: 'Eq', value: '4' };
		expect(
			read(
				{
					status,
					groups: [
						{ logic: 'And', filters: { status: [...status, ...status] } },
						{ logic: 'Or', filters: { status } },
					],
				},
				'Or',
			),
		).toEqual({
			logic: 'Or',
			filters: [leaf, { logic: 'And', filters: [leaf, leaf] }, { logic: 'Or', filters: [leaf] }],
		});
	});

	it.each([{}, { status: [] }, undefined])('are refused when empty (%p)', (filters) => {
		expect(faults({ groups: [{ logic: 'Or', filters }] })).toEqual([
			'Filters > Group 1: this group is empty. Add a condition to it, or remove the group.',
		]);
	});

	it('hold no groups: that is what JSON is for', () => {
		const filters: Record<string, unknown> = { id: [{ operator: 'Eq', value: 1 }] };
		filters.groups = [{ logic: 'Or', filters }];
		expect(faults(filters)).toEqual([
			'Filters > Group 1: a group cannot hold further groups. For groups within groups, use Filter as JSON.',
		]);
	});

	it('may not hold more conditions than a request can carry', () => {
		const group = { logic: 'And', filters: { id: Array.from({ length: 60 }, () => ({ operator: 'Eq', value: 1 })) } };
		expect(faults({ groups: Array.from({ length: 100 }, () => group) })).toEqual([
			'Filters: these are more than 5000 conditions, more than a request can carry.',
		]);
	});

	it('need a logic', () => {
		expect(faults({ groups: [{ filters: { id: [{ operator: 'Eq', value: 1 }] } }] })).toEqual([
			'Filters > Group 1 > Must Match: nothing is filled in; use And or Or.',
		]);
		expect(faults({ id: [{ operator: 'Eq', value: 1 }] }, 'Xor')).toEqual([
			'Must Match: "Xor" is not a logic, did you mean "Or"?',
		]);
		expect(faults({ id: [{ operator: 'Eq', value: 1 }] }, null)).toEqual([
			'Must Match: nothing is filled in; use And or Or.',
		]);
	});
});

describe('nothing to filter by', () => {
	it('means no filter when the form is empty or was never touched', () => {
		expect(readForm({}, SESSION_LIST)).toBeUndefined();
		expect(read({})).toBeUndefined();
		expect(read({ status: [], groups: [] }, 'Or')).toBeUndefined();
		expect(readListQuery({ filters: {}, logic: 'And', sort: {} }, SESSION_LIST)).toEqual({ sorts: [] });
	});

	it.each([undefined, null, '', 'all', 5, []])(
		'is refused when an expression returned %p for the whole form',
		(filters) => {
			expect(faults(filters)).toEqual([
				expect.stringMatching(
					/^Filters: conditions are needed here, but this is .*\. Fill in the form, or check the expression\.$/,
				),
			]);
		},
	);
});

it('reports every fault by its label and in the order of the form', () => {
	expect(
		faults({
			energyConsumed: [{ operator: 'GteLt', from: 20, to: 10 }],
			status: [
				{ operator: 'In', values: ['4'] },
				{ operator: 'Contains', value: '4' },
				{ operator: 'In', values: [] },
			],
			startedAtUtc: [
				{ operator: 'GteLt', from: '', to: undefined },
				{ operator: 'InPeriod', period: 'lastDecade' },
				{ operator: '' },
			],
			groups: [
				{
					logic: 'Or',
					filters: {
						status: [
							{ operator: 'Eq', value: 4 },
							{ operator: 'Eq', value: null },
						],
					},
				},
				{ logic: 'Or', filters: { name: [{ operator: 'Eq', value: 'x' }] } },
			],
			id: ['x'],
			other: { field: 'x' },
		}),
	).toEqual([
		'Filters > Status 2 > Operator: "Contains" does not fit Status. Choose one of: Is Any Of, Is None Of, Equals, Does Not Equal.',
		`Filters > Status 3 > Values: ${NOT_FILLED}`,
		`Filters > Started At 1 > From: ${NOT_FILLED}`,
		`Filters > Started At 1 > To: ${NOT_FILLED}`,
		'Filters > Started At 2 > Period: "lastDecade" is not a period. Use one of: today, yesterday, thisWeek, lastWeek, thisMonth, lastMonth, thisQuarter, lastQuarter, thisYear, lastYear, lastDays, lastHours.',
		'Filters > Started At 3 > Operator: no operator is chosen. Choose one, or remove the condition.',
		'Filters > Energy Consumed 1: From (20) is above To (10), so nothing can match. Swap them.',
		'Filters > Session ID 1: a condition is needed here, but this is text.',
		'Filters > Any Other Field: a list of conditions is needed here, but this is an object.',
		`Filters > Group 1 > Status 2 > Value: ${NOT_FILLED}`,
		'Filters > Group 2: "name" is not a kind of condition for a session. Remove it.',
	]);
});

it('reports faults of filter and sort together', () => {
	expect(
		faultsOf(() =>
			readListQuery(
				{
					filters: { id: [{ operator: 'Eq', value: '' }] },
					logic: 'And',
					sort: { by: [{ field: '', direction: 'Asc' }] },
				},
				SESSION_LIST,
			),
		),
	).toEqual([
		`Filters > Session ID 1 > Value: ${NOT_FILLED}`,
		'Sort > Field 1: no field is chosen. Choose one, or remove this entry; if it is an expression, it gave no name of a field.',
	]);
});

it('takes dates from expressions', () => {
	const from = DateTime.fromISO('2026-11-01T00:00:00', { zone: 'America/New_York' });
	expect(one({ startedAtUtc: [{ operator: 'GteLt', from, to: new Date('2026-11-02T00:00:00Z') }] })).toMatchObject({
		value: '2026-11-01T04:00:00,2026-11-02T00:00:00',
	});
});

it('works with a list that has no known fields', () => {
	const context: ReadContext = { ...SESSION_LIST, catalogue: { noun: 'location', fields: [] } };
	expect(one({ other: [{ field: 'City|text', textOperator: 'Eq', value: 'Bonn' }] }, context)).toEqual({
		field: 'City',
		operator: 'Eq',
		value: 'Bonn',
	});
	expect(faults({ status: [{ operator: 'Eq', value: 4 }] }, 'And', context)).toEqual([
		'Filters: "status" is not a kind of condition for a location. Remove it.',
	]);
});
