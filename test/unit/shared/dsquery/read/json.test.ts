import { DateTime } from 'luxon';

import { SESSIONS, STATIONS } from '../../../../../nodes/shared/resources';
import { OPERATORS } from '../../../../../nodes/shared/dsquery/operators';
import { faultsOf } from '../../../../support/dsquery/faults.ts';
import { readJson } from '../../../../support/dsquery/read.ts';

const read = (value: unknown) => readJson(value, { catalogue: SESSIONS });
const faults = (value: unknown) => faultsOf(() => read(value));
const status = (value: unknown, operator: unknown = 'Eq') => ({ Field: 'Status', Operator: operator, Value: value });

const nested = (levels: number) =>
	`${'{"Logic":"And","Filters":['.repeat(levels)}${JSON.stringify(status('4'))}${']}'.repeat(levels)}`;

describe('what it takes', () => {
	const tree = { field: 'Status', operator: 'Eq', value: '4' };

	it('a condition, a group or a whole dsquery object, as object or as text', () => {
		const condition = status('4');
		const group = { Logic: 'Or', Filters: [condition, { Logic: 'And', Filters: [condition] }] };
		const grouped = { logic: 'Or', filters: [tree, { logic: 'And', filters: [tree] }] };
		expect(read(condition)).toEqual({ filter: tree, sorts: [] });
		expect(read(group)).toEqual({ filter: grouped, sorts: [] });
		const query = { Filter: group, Sort: { Sorts: [{ Field: 'startedatutc', Dir: 'desc' }] } };
		const sorts = [{ field: 'StartedAtUtc', direction: 'Desc' }];
		expect(read(query)).toEqual({ filter: grouped, sorts });
		for (const value of [condition, group, query]) expect(read(JSON.stringify(value, null, 2))).toEqual(read(value));
	});

	it('property names and enum names in any case', () => {
		expect(read({ lOGIC: 'AND', FILTERS: [{ FIELD: 'status', operator: 'eQ', vAlue: '4' }] })).toEqual({
			filter: { logic: 'And', filters: [tree] },
			sorts: [],
		});
	});

	it('enum values by number, which pass through', () => {
		const read1 = read({ Filter: { Logic: 1, Filters: [status('4', 9)] }, Sort: { Sorts: [{ Field: 'Id', Dir: 0 }] } });
		expect(read1).toEqual({
			filter: { logic: 1, filters: [{ field: 'Status', operator: 9, value: '4' }] },
			sorts: [{ field: 'Id', direction: 0 }],
		});
	});

	it('every operator by name', () => {
		for (const operator of OPERATORS) {
			const value = operator.startsWith('Is') ? '2026-01-01T00:00:00' : '1,2';
			expect(read({ Field: 'Whatever', Operator: operator, Value: value })).toEqual({
				filter: { field: 'Whatever', operator, value },
				sorts: [],
			});
		}
	});

	it('values that are not text yet', () => {
		const value = (raw: unknown, field = 'Status', operator = 'Eq') =>
			read({ Field: field, Operator: operator, Value: raw }).filter;
		expect(value(4)).toMatchObject({ value: '4' });
		expect(value([4, 6], 'Status', 'In')).toMatchObject({ value: '4,6' });
		expect(value([10, 20], 'EnergyConsumed', 'GteLt')).toMatchObject({ value: '10,20' });
		expect(value(true, 'Roaming')).toMatchObject({ value: 'true' });
		const time = DateTime.fromISO('2026-11-15T01:00:00+01:00');
		expect(value(time, 'StartedAtUtc', 'Gte')).toMatchObject({ value: '2026-11-15T00:00:00' });
	});

	it('field names, correcting the spelling of known ones only', () => {
		const field = (name: string) => read({ Field: name, Operator: 'Eq', Value: '1' }).filter;
		expect(field(' energyCONSUMED ')).toMatchObject({ field: 'EnergyConsumed' });
		expect(field('driverName')).toMatchObject({ field: 'driverName' });
	});

	it('null for parts that are not there', () => {
		expect(read({ Filter: { Logic: 'And', Filters: [status('4')] }, Sort: null, Pager: null }).sorts).toEqual([]);
	});

	it('an id comparison for stations, whose ids may be numbers', () => {
		const condition = { Field: 'id', Operator: 'Gt', Value: '100' };
		expect(readJson(condition, { catalogue: STATIONS }).filter).toEqual({ field: 'Id', operator: 'Gt', value: '100' });
	});

	it('100 levels of groups', () => {
		let { filter } = read(nested(100));
		let levels = 0;
		while ('filters' in filter) {
			levels++;
			const [inner] = filter.filters;
			if (!inner) break;
			filter = inner;
		}
		expect(levels).toBe(100);
		expect(filter).toEqual(tree);
	});
});

it('accepts text that only looks like a repeated property', () => {
	const text = JSON.stringify({
		Logic: 'And',
		Filters: [
			{ Field: 'Driver', Operator: 'Eq', Value: '"Value": "Value": {' },
			{ Field: 'Value', Operator: 'Eq', Value: 'Value' },
		],
	});
	expect(read(text).filter).toMatchObject({ filters: [{ field: 'Driver' }, { field: 'Value' }] });
});

it.each([
	['{"Logic":"Or","Filters":[{"Field":"Id","\\u0046ield":"Status","Operator":"Eq","Value":"}"}]}', 'Field', 1],
	['{"a":{"b":[{"c":"\\\\"},{"c":"{"}],"b":1}}', 'b', 1],
	['{"":1,"":2}', '', 1],
	['{"__proto__":1,\n"__proto__":2}', '__proto__', 2],
])('refuses a property that is there twice: %s', (text, name, line) => {
	expect(faults(text)).toEqual([`: the property "${name}" is there twice, again in line ${line}. Keep one of them.`]);
});
