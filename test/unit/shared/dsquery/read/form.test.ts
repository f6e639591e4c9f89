import { DateTime } from 'luxon';

import { SESSIONS, STATIONS } from '../../../../../nodes/shared/resources';
import { FORM_OPERATORS, type FieldType } from '../../../../../nodes/shared/dsquery/operators';
import type { ReadContext } from '../../../../../nodes/shared/dsquery/read/condition';
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

	it('reads the days of lastDays as text or number', () => {
		const period = (days: unknown) => ({ startedAtUtc: [{ operator: 'InPeriod', period: 'lastDays', days }] });
		const week = {
			field: 'StartedAtUtc',
			operator: 'GteLt',
			value: '2026-11-10T23:00:00,2026-11-17T23:00:00',
			isLastDays: true,
		};
		expect(one(period(7))).toEqual(week);
		expect(one(period('7'))).toEqual(week);
	});

	it('reads the last hours, up to the present second', () => {
		const period = (hours: unknown) => ({ startedAtUtc: [{ operator: 'InPeriod', period: 'lastHours', hours }] });
		const context = { ...SESSION_LIST, now: new Date('2026-11-18T12:00:00.700Z') };
		expect(one(period(6), context)).toEqual({
			field: 'StartedAtUtc',
			operator: 'GteLt',
			value: '2026-11-18T06:00:00,2026-11-18T12:00:00',
		});
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
	});

	it('reads a local day', () => {
		expect(one({ startedAtUtc: [{ operator: 'LocalDay', value: '2026-11-15T00:00:00' }] })).toEqual({
			field: 'StartedAtUtc',
			operator: 'GteLt',
			value: '2026-11-14T23:00:00,2026-11-15T23:00:00',
		});
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

	it('accepts yes, no, true and false for a boolean field', () => {
		const roaming = (value: unknown) => ({ other: [{ field: 'IsRoaming|boolean', booleanOperator: 'Eq', value }] });
		for (const yes of [true, 'true', 'Yes', ' YES ']) {
			expect(one(roaming(yes))).toEqual({ field: 'IsRoaming', operator: 'Eq', value: 'true' });
		}
		for (const no of [false, 'False', 'no']) expect(one(roaming(no))).toMatchObject({ value: 'false' });
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

	it('may contain one Sort, if the sort form is empty', () => {
		const query = { Filter: json, Sort: { Sorts: [{ Field: 'Id', Dir: 'Desc' }] } };
		const list = (filters: unknown, sort?: unknown) => readListQuery({ filters, logic: 'And', sort }, SESSION_LIST);
		const sorts = [{ field: 'Id', direction: 'Desc' }];
		expect(list({ json: [{ json: query }] }, {}).sorts).toEqual(sorts);
		expect(list({ groups: [{ logic: 'Or', filters: { json: [{ json: query }] } }] }).sorts).toEqual(sorts);
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
});

it('means no filter when the form is empty or was never touched', () => {
	expect(readForm({}, SESSION_LIST)).toBeUndefined();
	expect(read({ status: [], groups: [] }, 'Or')).toBeUndefined();
	expect(readListQuery({ filters: {}, logic: 'And', sort: {} }, SESSION_LIST)).toEqual({ sorts: [] });
});

it('reads the sort form in order, names spelled as the platform does', () => {
	const by = [
		{ field: 'startedatutc', direction: 'Desc' },
		{ field: 'Price|number', direction: 'asc' },
	];
	expect(readListQuery({ sort: { by } }, SESSION_LIST).sorts).toEqual([
		{ field: 'StartedAtUtc', direction: 'Desc' },
		{ field: 'Price', direction: 'Asc' },
	]);
});
