import { DateTime } from 'luxon';

import { SESSIONS, STATIONS } from '../../../../../nodes/shared/resources';
import { OPERATORS, QueryError } from '../../../../../nodes/shared/dsquery/types';
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
			expect(read({ Field: 'Whatever', Operator: operator, Value: '1,2' })).toEqual({
				filter: { field: 'Whatever', operator, value: '1,2' },
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

describe('what it refuses', () => {
	it('reports every fault with its path', () => {
		expect(
			faults({
				Filter: {
					Logic: 'Both',
					Filters: [
						status(''),
						{ Logic: 'Or', Filters: [] },
						{ Field: 'Id', Operator: 'Equals', Value: '5' },
						{ Field: ' ', Operator: 'Eq', Value: 'x' },
						{ Logic: 'And', Filters: [status('4'), status(null), 7] },
					],
				},
				Sort: { Sorts: [{ Field: 'Id', Dir: 'up' }] },
				Pager: { Skip: 0, Take: 10 },
			}),
		).toEqual([
			'Filter.Logic: "Both" is not a logic, use And or Or.',
			'Filter.Filters[0].Value: nothing is filled in. Enter a value, or remove the condition; if this is an expression, it came out empty.',
			'Filter.Filters[1].Filters: this list is empty. Put at least one entry into it, or remove it.',
			'Filter.Filters[2].Operator: "Equals" is not an operator, did you mean "Eq"?',
			'Filter.Filters[3].Field: nothing is filled in. Enter the name of a field, such as Id.',
			'Filter.Filters[4].Filters[1].Value: nothing is filled in. Enter a value, or remove the condition; if this is an expression, it came out empty.',
			'Filter.Filters[4].Filters[2]: this must be a condition or a group, but it is a number.',
			'Sort.Sorts[0].Dir: "up" is not a direction, did you mean "Asc"?',
			'Pager: remove it: paging is done by this node (Return All or Limit).',
		]);
	});

	it('puts the place of the JSON in the form before each path', () => {
		const place = 'Filters > Filter as JSON 1';
		const inForm = (value: unknown) => faultsOf(() => readJson(value, { catalogue: SESSIONS, place }));
		expect(inForm({ Field: 'Id', Operator: 'Eq' })).toEqual([
			expect.stringMatching(/^Filters > Filter as JSON 1 > Value: nothing is filled in/),
		]);
		expect(inForm('')).toEqual([
			'Filters > Filter as JSON 1: nothing is filled in. Enter a filter as JSON, or remove this entry; if it is an expression, it came out empty.',
		]);
	});

	it.each<[string, unknown, RegExp]>([
		['nothing', undefined, /^: nothing is filled in\. .* came out empty/],
		['null', null, /nothing is filled in/],
		['blank text', ' \n', /nothing is filled in/],
		['the text null', 'null', /but it is nothing\./],
		['a list', [status('4')], /a list does not say whether all or any .* Put it into a group/],
		['a number', 5, /it is a number\./],
		['text within text', '"abc"', /it is text\./],
		['an empty object', {}, /this object is empty, so there is no condition in it/],
		['only a sort', { Sort: { Sorts: [{ Field: 'Id', Dir: 'Asc' }] } }, /^Filter: there is no Filter/],
		[
			'a filter that came out empty',
			{ Filter: null },
			/^Filter: this must be a condition or a group, but it is nothing/,
		],
		['an undefined filter', { Filter: undefined }, /^Filter: there is no Filter/],
		['no filters', { Logic: 'And' }, /^Filters: this must be a list, but it is nothing/],
		['filters that are no list', { Logic: 'And', Filters: {} }, /^Filters: this must be a list, but it is an object/],
		['no logic', { Filters: [status('4')] }, /^Logic: nothing is filled in; use And or Or/],
		[
			'a number as field',
			{ Field: 5, Operator: 'Eq', Value: '1' },
			/^Field: the name of a field is needed here, but this is a number/,
		],
		['an object as value', status({ a: 1 }), /^Value: this is an object/],
		['a list as single value', status([4]), /^Value: this is a list/],
		[
			'a fitting operator',
			{ Field: 'energyconsumed', Operator: 'contains', Value: '2' },
			/^Operator: "Contains" does not fit EnergyConsumed\. Use one of: Eq, Neq, Lt, .*GtLte\.$/,
		],
		[
			'a UTC unit of a code',
			{ Field: 'Status', Operator: 'IsDate', Value: '2026-01-01' },
			/"IsDate" does not fit Status\. Use one of: Eq/,
		],
		[
			'a value of the wrong type',
			{ Field: 'EnergyConsumed', Operator: 'Gt', Value: 'lots' },
			/^Value: "lots" is not a number/,
		],
		['half a range', { Field: 'EnergyConsumed', Operator: 'GteLt', Value: '5' }, /^Value: a range needs two values/],
		['a blank within a list', { Field: 'Status', Operator: 'In', Value: '4,' }, /^Value: value 2 of 2 is empty/],
		[
			'sorting twice',
			{
				Filter: status('4'),
				Sort: {
					Sorts: [
						{ Field: 'Id', Dir: 'Asc' },
						{ Field: 'ID', Dir: 'Desc' },
					],
				},
			},
			/^Sort\.Sorts\[1\]\.Field: "Id" is sorted by twice/,
		],
		[
			'a sort of another shape',
			{ Filter: status('4'), Sort: [] },
			/^Sort: this must be an object with Sorts, but it is a list/,
		],
		[
			'a sort entry of another shape',
			{ Filter: status('4'), Sort: { Sorts: ['Id'] } },
			/^Sort\.Sorts\[0\]: this must be an object with Field and Dir/,
		],
	])('%s', (_, value, message) => {
		const found = faults(value);
		expect(found.length).toBeGreaterThan(0);
		expect(found.join('\n')).toMatch(message);
	});

	it('two property names that the platform reads as one', () => {
		expect(faults({ Field: 'Id', field: 'Status', Operator: 'Eq', Value: '1' })).toEqual([
			'field: "Field" and "field" are one property to the platform. Keep one of them.',
		]);
		expect(faults({ Logic: 'And', Filters: [status('4')], FILTERS: [status('6')] })).toEqual([
			'FILTERS: "Filters" and "FILTERS" are one property to the platform. Keep one of them.',
		]);
	});

	it.each([
		['{"Field":"Id","Operator":"Eq","Value":"1",\n"Value":"2"}', 'Value', 2],
		['{"Logic":"And","Filters":[{"Field":"Id","Operator":"Eq","Value":"1"}],"Filters" : []}', 'Filters', 1],
		['{"Logic":"Or","Filters":[{"Field":"Id","\\u0046ield":"Status","Operator":"Eq","Value":"}"}]}', 'Field', 1],
		['{"a":{"b":[{"c":"\\\\"},{"c":"{"}],"b":1}}', 'b', 1],
		['{"":1,"":2}', '', 1],
		['{"__proto__":1,"__proto__":2}', '__proto__', 1],
	])('a property that is there twice: %s', (text, name, line) => {
		expect(faults(text)).toEqual([`: the property "${name}" is there twice, again in line ${line}. Keep one of them.`]);
	});

	it('but accepts text that only looks like a repeated property', () => {
		const text = JSON.stringify({
			Logic: 'And',
			Filters: [
				{ Field: 'Driver', Operator: 'Eq', Value: '"Value": "Value": {' },
				{ Field: 'Value', Operator: 'Eq', Value: 'Value' },
			],
		});
		expect(faults(text)).toEqual([]);
	});

	it('unknown property names, with help', () => {
		expect(faults({ Field: 'Id', Op: 'Eq', Value: '1' })[0]).toBe(
			'Op: "Op" is not a property of a condition, did you mean "Operator"?',
		);
		expect(faults({ Field: 'Id', Operator: 'Eq', Value: '1', Not: true })).toEqual([
			'Not: "Not" is not a property of a condition, which has Field, Operator and Value.',
		]);
		expect(faults('{"Field":"Id","Operator":"Eq","Value":"1","__proto__":{"Value":"2"}}')).toEqual([
			'__proto__: "__proto__" is not a property of a condition, which has Field, Operator and Value.',
		]);
		expect(faults({ Logic: 'And', Filters: [{ Logic: 'Or', Filters: [status('4')], Sort: {} }] })).toEqual([
			'Filters[0].Sort: Sort belongs at the top level, beside Filter.',
		]);
	});

	it('groups that nest too deep or contain themselves', () => {
		const group: { Logic: string; Filters: unknown[] } = { Logic: 'And', Filters: [] };
		group.Filters.push(group, group);
		expect(faults(group)).toEqual([': this nests more than 100 groups, or contains itself.']);
		expect(faults(nested(101))).toEqual([': this nests more than 100 groups, or contains itself.']);
		expect(faults(nested(3000))).toEqual([': this nests more than 100 groups, or contains itself.']);
	});

	it('more conditions than a request can carry', () => {
		let group: unknown = status('4');
		for (let level = 0; level < 60; level++) group = { Logic: 'And', Filters: [group, group] };
		expect(faults(group)).toEqual([': these are more than 5000 conditions, more than a request can carry.']);
		expect(faults(`[${'1,'.repeat(100_000)}1]`)).toEqual([
			': this text has 200003 characters, more than a request can carry. At most 100000 are possible.',
		]);
	});

	it('thousands of faults, showing the first 20 and counting the others', () => {
		const conditions = Array.from({ length: 4000 }, () => ({ Field: '', Operator: 'Equalz', Value: [] }));
		let thrown: unknown;
		try {
			read({ Logic: 'Both', Filters: conditions });
		} catch (error) {
			thrown = error;
		}
		expect(thrown).toBeInstanceOf(QueryError);
		const { message, faults: shown, count } = thrown as QueryError;
		expect(shown).toHaveLength(20);
		expect(count).toBe(12_001);
		expect(message).toMatch(/^Logic: "Both" is not a logic.*\nFilters\[0\]\.Field: nothing is filled in/);
		expect(message).toMatch(/\nAnd 11981 more\.$/);
		expect(message.length).toBeLessThan(5000);
	});

	it('text that is not JSON, with line and column', () => {
		const at = (text: string) => faults(text)[0]?.replace(': this is not JSON: ', '');
		expect(at('{\n  "Field": "Id",\n  "Operator" "Eq"\n}')).toMatch(/^line 3, column 14: /);
		expect(at('{"Field": Id}')).toMatch(/"Field": Id/);
		expect(at('{"a":1,}')).toMatch(/^line 1, column 8: /);
		expect(at("{'a':1}")).toMatch(/^line 1, column 2: .* Use straight double quotes \("\)\.$/);
		expect(at('{“a”:1}')).toMatch(/Use straight double quotes/);
		expect(at('Status = 4')).toMatch(/ A condition begins with \{, as in \{ "Field": /);
		expect(at('{"a":1} x')).toMatch(/^line 1, column 9: /);
	});

	it.each([
		['a comma before a bracket', '{"Filters": [\n{"a": "1, ]"},\n]}', ' Remove the comma before ] in line 2.'],
		['a comma before a brace', '{"a": "1", }', ' Remove the comma before } in line 1.'],
		['a missing brace', '{"a": "1"', ' Add } at the end, or where it is missing.'],
		['two missing brackets', '{"Filters": [{"a": "}"}', ' Add ]} at the end, or where it is missing.'],
		['a bracket of the wrong kind', '{"Filters": [{"a": "1"}}]', ' The } in line 1 has no matching bracket.'],
		['curly quotes', '{“a”: 1}', ' Use straight double quotes (").'],
	])('says what to do about %s', (_, text, advice) => {
		const [fault = ''] = faults(text);
		expect(fault).toContain('this is not JSON: ');
		expect(fault.endsWith(advice)).toBe(true);
	});
});
