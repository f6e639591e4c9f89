import { ask, idsWhere, page, SESSIONS, STATIONS } from './client.ts';
import { startPlatform } from './index.ts';
import type { StandIn } from './index.ts';
import { OPERATORS } from './query.ts';

let platform: StandIn;

const ROWS: Array<[id: number, status: number, energy: number | null, started: string, user: string | null]> = [
	[1, 4, 9, '2026-02-28T23:59:59', 'Anna'],
	[2, 4, 10, '2026-03-01T00:00:00', 'anna'],
	[3, 6, 100, '2026-03-01T00:00:01', 'Ängela, "Ä"'],
	[4, 1, null, '2026-03-31T23:59:59', null],
	[5, 2, 10.5, '2025-03-01T12:30:15', 'Bob'],
	[10, 5, 0, '2026-03-01T12:30:15', 'Boby'],
];

beforeAll(async () => {
	platform = await startPlatform({ sessions: 0, stations: 12 });
});
beforeEach(() => {
	platform.reset();
	const insert = platform.db.prepare(
		'INSERT INTO sessions (Id, Status, EnergyConsumed, StartedAtUtc, UserName, IsRoaming) VALUES (?, ?, ?, ?, ?, ?)',
	);
	for (const row of ROWS) insert.run(...row, row[0] % 2);
});
afterAll(() => platform.close());

const refusal = async (dsquery: unknown, path = SESSIONS) => {
	const { status, json } = await ask(platform, path, { dsquery });
	return { status, message: (json as { Message?: string } | undefined)?.Message ?? '' };
};
const condition = (Field: unknown, Operator: unknown, Value: unknown) => ({ Field, Operator, Value });
const filter = (Logic: unknown, ...Filters: unknown[]) => ({ Logic, Filters });
const ids = async (dsquery: object) => (await page(platform, SESSIONS, dsquery)).Items.map(({ Id }) => Id);
const sorted = (...Sorts: Array<[string, unknown]>) =>
	ids({ Sort: { Sorts: Sorts.map(([Field, Dir]) => ({ Field, Dir })) } });

describe('operators', () => {
	test.each([
		// Numbers compare as numbers: as text, "9" would be greater than "100".
		['EnergyConsumed', 'Eq', '10', [2]],
		['EnergyConsumed', 'Eq', '10.00', [2]],
		['EnergyConsumed', 'Eq', '1e2', [3]],
		['EnergyConsumed', 'Neq', '10', [1, 3, 4, 5, 10]],
		['EnergyConsumed', 'Lt', '10', [1, 10]],
		['EnergyConsumed', 'Lte', '10', [1, 2, 10]],
		['EnergyConsumed', 'Gt', '10', [3, 5]],
		['EnergyConsumed', 'Gte', '10', [2, 3, 5]],
		['EnergyConsumed', 'In', '9,100,-1', [1, 3]],
		['EnergyConsumed', 'GtLt', '9,100', [2, 5]],
		['EnergyConsumed', 'GteLte', '9,100', [1, 2, 3, 5]],
		['EnergyConsumed', 'GteLt', '9,100', [1, 2, 5]],
		['EnergyConsumed', 'GtLte', '9,100', [2, 3, 5]],
		['EnergyConsumed', 'GteLte', '100,9', []],
		['Id', 'Gt', '3', [4, 5, 10]],
		['Id', 'In', '10,2', [2, 10]],
		['Status', 'Eq', '4', [1, 2]],
		['Status', 'In', '4,6', [1, 2, 3]],
		['Status', 'Neq', '4', [3, 4, 5, 10]],
		// Dates compare as timestamps.
		['StartedAtUtc', 'Lt', '2026-03-01T00:00:00', [1, 5]],
		['StartedAtUtc', 'GteLt', '2026-02-28T23:59:59,2026-03-31T23:59:59', [1, 2, 3, 10]],
		// Truncated to the unit: the month of a year, not the month of every year.
		['StartedAtUtc', 'IsYear', '2026-07-01T00:00:00', [1, 2, 3, 4, 10]],
		['StartedAtUtc', 'IsMonth', '2026-03-15T08:00:00', [2, 3, 4, 10]],
		['StartedAtUtc', 'IsDate', '2026-03-01T23:59:59', [2, 3, 10]],
		['StartedAtUtc', 'IsHour', '2026-03-01T00:59:59', [2, 3]],
		['StartedAtUtc', 'IsMinute', '2026-03-01T12:30:59', [10]],
		['StartedAtUtc', 'IsSecond', '2026-03-01T00:00:01', [3]],
		// Text compares as text, case-sensitively.
		['UserName', 'Eq', 'anna', [2]],
		['UserName', 'Neq', 'anna', [1, 3, 4, 5, 10]],
		['UserName', 'Contains', 'nn', [1, 2]],
		['UserName', 'Contains', '%', []],
		['UserName', 'Contains', '"Ä"', [3]],
		['UserName', 'StartsWith', 'Bob', [5, 10]],
		['UserName', 'StartsWith', 'Ä', [3]],
		['UserName', 'EndsWith', 'nna', [1, 2]],
		['UserName', 'EndsWith', 'b', [5]],
		['UserName', 'EndsWith', '', [1, 2, 3, 5, 10]],
		['UserName', 'In', 'Bob,Anna,x', [1, 5]],
		['UserName', 'Gte', 'Boby', [2, 3, 10]],
		['UserName', 'GteLt', 'Anna,Boby', [1, 5]],
		['IsRoaming', 'Eq', 'true', [1, 3, 5]],
		['IsRoaming', 'Neq', 'True', [2, 4, 10]],
		['IsRoaming', 'In', 'true,false', [1, 2, 3, 4, 5, 10]],
	])('%s %s %s', async (field, operator, value, expected) => {
		expect(await idsWhere(platform, field, operator, value)).toEqual(expected);
	});

	test('all 20 are accepted by name in any case and by number', async () => {
		expect(OPERATORS).toHaveLength(20);
		for (const [number, name] of OPERATORS.entries()) {
			const isText = /Contains|With$/.test(name);
			const isDate = name.startsWith('Is');
			const isRange = /^G.+L/.test(name);
			const field = isText ? 'UserName' : isDate ? 'StartedAtUtc' : 'Id';
			const value = isText ? 'Bob' : isDate ? '2026-03-01T00:00:00' : isRange ? '2,5' : '3';
			const expected = await idsWhere(platform, field, name, value);
			expect(expected.length).toBeGreaterThan(0);
			expect(await idsWhere(platform, field, number, value)).toEqual(expected);
			expect(await idsWhere(platform, field, name.toUpperCase(), value)).toEqual(expected);
		}
	});

	test('other numbers and names are refused, and the message says where they are', async () => {
		for (const operator of ['Equals', 20, -1, 1.5, '0', true, null]) {
			const { status, message } = await refusal({ Filter: filter('And', condition('Id', operator, '1')) });
			expect([status, message]).toEqual([400, expect.stringContaining('Filter.Filters[0].Operator')]);
		}
	});
});

describe('values', () => {
	test.each([
		['number', { Field: 'EnergyConsumed', Operator: 'Gt', Value: 20 }],
		['null', { Field: 'EnergyConsumed', Operator: 'Gt', Value: null }],
		['left out', { Field: 'EnergyConsumed', Operator: 'Gt' }],
		['list', { Field: 'Id', Operator: 'In', Value: ['1', '2'] }],
		['boolean', { Field: 'IsRoaming', Operator: 'Eq', Value: true }],
	])('a Value that is not a string is refused: %s', async (_name, entry) => {
		const { status, message } = await refusal({ Filter: filter('And', entry) });
		expect([status, message]).toEqual([400, expect.stringContaining('Filter.Filters[0].Value')]);
	});

	test.each([
		['EnergyConsumed', 'Gt', 'much'],
		['EnergyConsumed', 'Gt', ''],
		['EnergyConsumed', 'Gt', '1,5'],
		['EnergyConsumed', 'GteLt', '5'],
		['EnergyConsumed', 'GteLt', '1,2,3'],
		['EnergyConsumed', 'In', '1,,2'],
		['Id', 'Eq', '1.5'],
		['Id', 'Eq', '99999999999999999999'],
		['Status', 'Eq', 'finished'],
		['IsRoaming', 'Eq', 'yes'],
		['IsRoaming', 'Gt', 'true'],
		['StartedAtUtc', 'Gt', '2026-03-01'],
		['StartedAtUtc', 'Gt', '2026-03-01T00:00:00Z'],
		['StartedAtUtc', 'Gt', '2026-03-01T00:00:00.000'],
		['StartedAtUtc', 'Gt', '2026-03-01T00:00:00+01:00'],
		['StartedAtUtc', 'Gt', '2026-02-30T00:00:00'],
		['StartedAtUtc', 'Gt', '2026-03-01T24:00:00'],
		['StartedAtUtc', 'IsDate', '2026-03-01'],
		['EnergyConsumed', 'IsDate', '2026-03-01T00:00:00'],
		['UserName', 'IsYear', '2026-03-01T00:00:00'],
		['EnergyConsumed', 'Contains', '1'],
		['StartedAtUtc', 'StartsWith', '2026'],
	])('%s %s "%s" is refused and the message names the property', async (field, operator, value) => {
		const { status, message } = await refusal({ Filter: filter('And', condition(field, operator, value)) });
		expect([status, message]).toEqual([400, expect.stringContaining(`'${field}'`)]);
	});
});

describe('groups', () => {
	test('And, Or and nesting combine', async () => {
		const finished = condition('Status', 'Eq', '4');
		const failed = condition('Status', 'Eq', '6');
		const much = condition('EnergyConsumed', 'Gt', '9');
		expect(await ids({ Filter: filter('And', finished, much) })).toEqual([2]);
		expect(await ids({ Filter: filter('Or', finished, failed) })).toEqual([1, 2, 3]);
		expect(await ids({ Filter: filter('And', much, filter('Or', finished, failed)) })).toEqual([2, 3]);
		expect(await ids({ Filter: filter('Or', failed, filter('And', finished, much)) })).toEqual([2, 3]);
	});

	test('accept Logic and Dir by name in any case or by number, and refuse others', async () => {
		const both = [condition('Status', 'Eq', '4'), condition('Id', 'Eq', '3')];
		for (const and of ['And', 'AND', 'and', 0]) expect(await ids({ Filter: filter(and, ...both) })).toEqual([]);
		for (const or of ['Or', 'oR', 1]) expect(await ids({ Filter: filter(or, ...both) })).toEqual([1, 2, 3]);
		for (const asc of ['Asc', 'asc', 0]) expect((await sorted(['Id', asc]))[0]).toBe(1);
		for (const desc of ['Desc', 'DESC', 1]) expect((await sorted(['Id', desc]))[0]).toBe(10);
		expect((await refusal({ Filter: filter('Xor', ...both) })).message).toContain('Filter.Logic');
		expect((await refusal({ Sort: { Sorts: [{ Field: 'Id', Dir: 2 }] } })).message).toContain('Sort.Sorts[0].Dir');
	});

	test('property names match in any case', async () => {
		const dsquery = {
			pager: { SKIP: 0, take: 5 },
			FILTER: { logic: 'And', fIlTeRs: [{ field: 'Id', OPERATOR: 'Gt', value: '2' }] },
			sort: { sorts: [{ FIELD: 'Id', dir: 'Desc' }] },
		};
		expect(await ids(dsquery)).toEqual([10, 5, 4, 3]);
	});

	test('nest to any depth, and hold thousands of conditions', async () => {
		let deep: unknown = condition('Id', 'Eq', '3');
		for (let level = 0; level < 1500; level++) {
			deep = filter(level % 2 ? 'And' : 'Or', deep, condition('Id', level % 2 ? 'Gt' : 'Eq', level % 2 ? '0' : '99'));
		}
		expect(await ids({ Filter: deep })).toEqual([3]);
		const many = Array.from({ length: 5000 }, (_, index) => condition('Id', 'Eq', String(index + 5)));
		expect(await ids({ Filter: filter('Or', ...many) })).toEqual([5, 10]);
	});
});

describe('sort', () => {
	test('several entries apply in the order given, then the natural order', async () => {
		expect(await sorted(['Status', 'Asc'], ['EnergyConsumed', 'Desc'])).toEqual([4, 5, 2, 1, 10, 3]);
		expect(await sorted(['IsRoaming', 'Desc'])).toEqual([1, 3, 5, 2, 4, 10]);
		platform.behaviour.naturalOrder = 'idDesc';
		expect(await sorted(['IsRoaming', 'Desc'])).toEqual([5, 3, 1, 10, 4, 2]);
		expect((await page(platform, SESSIONS)).Items[0]).toMatchObject({ Id: 10 });
	});

	test('equal rows come in any order when the list has no natural order', async () => {
		platform.behaviour.naturalOrder = 'random';
		const orders = new Set<string>();
		for (let index = 0; index < 20; index++) orders.add(String(await sorted(['IsRoaming', 'Desc'])));
		expect(orders.size).toBeGreaterThan(1);
		for (const order of orders) expect(order.split(',').slice(0, 3).sort()).toEqual(['1', '3', '5']);
		expect(await sorted(['Id', 'Asc'])).toEqual([1, 2, 3, 4, 5, 10]);
	});

	test.each([
		['first', [4, 10, 1, 2, 5, 3], [3, 5, 2, 1, 10, 4]],
		['last', [10, 1, 2, 5, 3, 4], [4, 3, 5, 2, 1, 10]],
		['alwaysFirst', [4, 10, 1, 2, 5, 3], [4, 3, 5, 2, 1, 10]],
		['alwaysLast', [10, 1, 2, 5, 3, 4], [3, 5, 2, 1, 10, 4]],
	] as const)('rows without a value sort %s', async (placement, ascending, descending) => {
		platform.behaviour.nullPlacement = placement;
		expect(await sorted(['EnergyConsumed', 'Asc'])).toEqual(ascending);
		expect(await sorted(['EnergyConsumed', 'Desc'])).toEqual(descending);
	});
});

describe('pages', () => {
	test('without dsquery the first 10 rows are returned; with it, the rows asked for', async () => {
		const all = await page(platform, STATIONS);
		expect(all.Items.map(({ Id }) => Id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
		expect(all.TotalCount).toBe(12);
		const next = await page(platform, STATIONS, { Pager: { Skip: 10, Take: 10 } });
		expect(next.Items.map(({ Id }) => Id)).toEqual([11, 12]);
		expect(next.TotalCount).toBe(12);
		expect((await page(platform, STATIONS, { Pager: { Skip: 11 } })).Items).toHaveLength(1);
		expect((await page(platform, STATIONS, {})).Items).toHaveLength(10);
		platform.behaviour.defaultTake = 3;
		expect((await page(platform, STATIONS)).Items).toHaveLength(3);
	});

	test('TotalCount counts what the filter matches, whatever the page', async () => {
		const answer = await page(platform, SESSIONS, {
			Pager: { Skip: 5, Take: 1 },
			Filter: filter('And', condition('Id', 'Gt', '2')),
		});
		expect(answer).toEqual({ Items: [], TotalCount: 4 });
	});

	test('a Skip or Take that is not a whole number of 0 or more is refused', async () => {
		for (const Pager of [{ Skip: -1 }, { Take: -5 }, { Take: '10' }, { Skip: 1.5 }, [], 3, 'all']) {
			expect((await refusal({ Pager })).message).toContain('Pager');
		}
	});

	test('Take 0 returns no rows or the default page, or is refused', async () => {
		const dsquery = { Pager: { Take: 0 } };
		expect(await page(platform, SESSIONS, dsquery)).toEqual({ Items: [], TotalCount: 6 });
		platform.behaviour.takeZero = 'default';
		expect(await ids(dsquery)).toHaveLength(6);
		platform.behaviour.takeZero = 'refuse';
		expect((await refusal(dsquery)).status).toBe(400);
	});
});

describe('a query that breaks the specification is refused with 400', () => {
	test('a filter or sort property that this list does not have, by name', async () => {
		const byFilter = await refusal({ Filter: filter('And', condition('Colour', 'Eq', 'x')) });
		expect([byFilter.status, byFilter.message]).toEqual([400, expect.stringContaining("'Colour'")]);
		const bySort = await refusal({
			Sort: {
				Sorts: [
					{ Field: 'Id', Dir: 'Asc' },
					{ Field: 'Shape', Dir: 'Asc' },
				],
			},
		});
		expect([bySort.status, bySort.message]).toEqual([400, expect.stringContaining("'Shape'")]);
		expect((await refusal({ Filter: filter('And', condition('Name', 'Eq', 'x')) })).message).toContain("'Name'");
		// Fields that only the detail has are not properties of the list's objects.
		const evses = { Filter: filter('And', condition('EVSEs', 'Contains', 'x')) };
		expect((await refusal(evses, STATIONS)).message).toContain("'EVSEs'");
	});

	test.each([
		['not JSON', '{"Pager":'],
		['empty', ''],
		['a list', []],
		['a text', '"x"'],
		['null', 'null'],
		['a condition as Filter', { Filter: condition('Id', 'Eq', '1') }],
		['a list as Filter', { Filter: [condition('Id', 'Eq', '1')] }],
		['Filters that are no list', { Filter: { Logic: 'And', Filters: condition('Id', 'Eq', '1') } }],
		['a group without Filters', { Filter: { Logic: 'And' } }],
		['a group without Logic', { Filter: { Filters: [condition('Id', 'Eq', '1')] } }],
		['an empty group', { Filter: filter('And') }],
		['an empty inner group', { Filter: filter('And', condition('Id', 'Eq', '1'), filter('Or')) }],
		['group and condition in one', { Filter: filter('And', { ...condition('Id', 'Eq', '1'), ...filter('And') }) }],
		['a condition without Operator', { Filter: filter('And', { Field: 'Id', Value: '1' }) }],
		['a condition without Field', { Filter: filter('And', { Operator: 'Eq', Value: '1' }) }],
		['a filter that is null', { Filter: filter('And', null) }],
		['a Sort that is a list', { Sort: [{ Field: 'Id', Dir: 'Asc' }] }],
		['a Sort without Sorts', { Sort: {} }],
		['a Sorts entry without Dir', { Sort: { Sorts: [{ Field: 'Id' }] } }],
		['a property twice', '{"Pager":{"Take":1},"PAGER":{"Take":2}}'],
		['an unknown part', { Filters: [condition('Id', 'Eq', '1')] }],
		['an unknown property', { Pager: { Top: 5 } }],
	])('%s', async (_name, dsquery) => {
		expect((await refusal(dsquery)).status).toBe(400);
	});

	test('dsquery sent twice', async () => {
		expect((await ask(platform, `${SESSIONS}?dsquery={}&dsquery={}`)).status).toBe(400);
	});
});

describe('switches for what the specification leaves open', () => {
	test('Neq does not match rows without a value', async () => {
		platform.behaviour.nullNeq = 'noMatch';
		expect(await idsWhere(platform, 'EnergyConsumed', 'Neq', '10')).toEqual([1, 3, 5, 10]);
	});

	test('filters and sort ignore the case of text, umlauts included', async () => {
		expect(await sorted(['UserName', 'Asc'])).toEqual([4, 1, 5, 10, 2, 3]);
		platform.behaviour.collation = 'nocase';
		expect(await idsWhere(platform, 'UserName', 'Eq', 'ANNA')).toEqual([1, 2]);
		expect(await idsWhere(platform, 'UserName', 'In', 'ANNA,bob')).toEqual([1, 2, 5]);
		expect(await idsWhere(platform, 'UserName', 'Contains', 'äNG')).toEqual([3]);
		expect(await idsWhere(platform, 'UserName', 'StartsWith', 'bOB')).toEqual([5, 10]);
		expect(await idsWhere(platform, 'UserName', 'EndsWith', 'NNA')).toEqual([1, 2]);
		expect(await sorted(['UserName', 'Asc'])).toEqual([4, 1, 2, 5, 10, 3]);
	});

	test('Field names match in any case, or only exactly', async () => {
		expect(await idsWhere(platform, 'energyconsumed', 'Gt', '10')).toEqual([3, 5]);
		platform.behaviour.fieldCase = 'sensitive';
		const { status, message } = await refusal({ Filter: filter('And', condition('energyconsumed', 'Gt', '10')) });
		expect([status, message]).toEqual([400, expect.stringContaining("'energyconsumed'")]);
	});

	test('unknown properties are ignored', async () => {
		platform.behaviour.unknownProperties = 'ignore';
		expect(await ids({ Pager: { Take: 1, Top: 5 }, Extra: 1 })).toEqual([1]);
	});

	test('enums left out mean their first value', async () => {
		platform.behaviour.omittedEnums = 'default';
		expect(await ids({ Filter: { Filters: [{ Field: 'Id', Value: '3' }] } })).toEqual([3]);
		expect(await ids({ Sort: { Sorts: [{ Field: 'Id' }] }, Pager: { Take: 1 } })).toEqual([1]);
	});

	test('enum numbers start at 1', async () => {
		platform.behaviour.enumBase = 1;
		expect(await idsWhere(platform, 'Id', 1, '3')).toEqual([3]);
		expect(await idsWhere(platform, 'StartedAtUtc', 20, '2026-03-01T00:00:01')).toEqual([3]);
		expect((await refusal({ Filter: filter(0, condition('Id', 1, '3')) })).status).toBe(400);
	});

	test('empty groups match everything or nothing', async () => {
		platform.behaviour.emptyGroup = 'all';
		expect(await ids({ Filter: filter('And') })).toHaveLength(6);
		platform.behaviour.emptyGroup = 'none';
		expect(await ids({ Filter: filter('And') })).toHaveLength(0);
		expect(await ids({ Filter: filter('Or', condition('Id', 'Eq', '3'), filter('And')) })).toEqual([3]);
	});

	test('operators that compare the order of text are refused', async () => {
		platform.behaviour.orderedText = 'refuse';
		for (const [operator, value] of [
			['Gt', 'a'],
			['GteLt', 'a,b'],
		]) {
			expect((await refusal({ Filter: filter('And', condition('UserName', operator, value)) })).status).toBe(400);
		}
		expect(await idsWhere(platform, 'UserName', 'Eq', 'Bob')).toEqual([5]);
	});

	test('text operators work on other fields', async () => {
		platform.behaviour.textOperatorsOnNonText = 'cast';
		expect(await idsWhere(platform, 'Id', 'StartsWith', '1')).toEqual([1, 10]);
		expect(await idsWhere(platform, 'StartedAtUtc', 'Contains', '-02-')).toEqual([1]);
	});

	test('dates are accepted in other forms', async () => {
		platform.behaviour.dateValues = 'lenient';
		expect(await idsWhere(platform, 'StartedAtUtc', 'IsDate', '2026-03-01')).toEqual([2, 3, 10]);
		expect(await idsWhere(platform, 'StartedAtUtc', 'Eq', '2026-03-01T00:00:01Z')).toEqual([3]);
		expect(await idsWhere(platform, 'StartedAtUtc', 'Eq', '2026-03-01T00:00:01.000')).toEqual([3]);
		expect(await idsWhere(platform, 'StartedAtUtc', 'Gt', '2026-03-01T12:30:14.999')).toEqual([4, 10]);
		expect((await refusal({ Filter: filter('And', condition('StartedAtUtc', 'Eq', 'today')) })).status).toBe(400);
	});

	test('spaces in lists count, or are trimmed', async () => {
		expect(await idsWhere(platform, 'UserName', 'In', 'Anna, Bob')).toEqual([1]);
		platform.behaviour.listSpaces = 'trim';
		expect(await idsWhere(platform, 'UserName', 'In', 'Anna, Bob')).toEqual([1, 5]);
		expect(await idsWhere(platform, 'Id', 'GteLte', '2 , 4')).toEqual([2, 3, 4]);
	});

	test('status values are accepted by name', async () => {
		platform.behaviour.statusValueNames = true;
		expect(await idsWhere(platform, 'Status', 'In', 'Finished,failed')).toEqual([1, 2, 3]);
		expect(await idsWhere(platform, 'Status', 'Eq', '4')).toEqual([1, 2]);
	});
});
