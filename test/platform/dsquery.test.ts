import { ask, page, SESSIONS, STATIONS } from './client.ts';
import { startPlatform } from './index.ts';
import type { StandIn } from './index.ts';
import { OPERATORS, type Operator } from './query.ts';

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

const MEANINGS: Array<[field: string, operator: Operator, value: string, expected: number[]]> = [
	['EnergyConsumed', 'Eq', '10.00', [2]],
	['UserName', 'Eq', 'anna', [2]],
	['IsRoaming', 'Eq', 'true', [1, 3, 5]],
	['UserName', 'Neq', 'anna', [1, 3, 4, 5, 10]],
	['EnergyConsumed', 'Lt', '10', [1, 10]],
	['EnergyConsumed', 'Lte', '10', [1, 2, 10]],
	// As text, "9" would be greater than "100".
	['EnergyConsumed', 'Gt', '9', [2, 3, 5]],
	['EnergyConsumed', 'Gte', '10', [2, 3, 5]],
	['UserName', 'Contains', '%', []],
	['UserName', 'Contains', '"Ä"', [3]],
	['UserName', 'StartsWith', 'Bob', [5, 10]],
	['UserName', 'EndsWith', 'a', [1, 2]],
	['Id', 'In', '2,5,7', [2, 5]],
	['Id', 'GtLt', '2,5', [3, 4]],
	['Id', 'GteLte', '2,5', [2, 3, 4, 5]],
	['Id', 'GteLt', '2,5', [2, 3, 4]],
	['Id', 'GtLte', '2,5', [3, 4, 5]],
	['StartedAtUtc', 'IsDate', '2026-03-01T08:00:00', [2, 3, 10]],
	['StartedAtUtc', 'IsMonth', '2026-03-15T00:00:00', [2, 3, 4, 10]],
	['StartedAtUtc', 'IsYear', '2026-01-01T00:00:00', [1, 2, 3, 4, 10]],
	['StartedAtUtc', 'IsHour', '2026-03-01T00:59:59', [2, 3]],
	['StartedAtUtc', 'IsMinute', '2026-03-01T12:30:00', [10]],
	['StartedAtUtc', 'IsSecond', '2026-03-01T00:00:01', [3]],
];

describe('operators', () => {
	test.each(MEANINGS)('%s %s %s', async (field, operator, value, expected) => {
		expect(await ids({ Filter: filter('And', condition(field, operator, value)) })).toEqual(expected);
	});

	test('all 20 are accepted by name and by number', async () => {
		expect(new Set(MEANINGS.map(([, operator]) => operator))).toEqual(new Set(OPERATORS));
		expect(OPERATORS).toHaveLength(20);
		for (const [field, operator, value, expected] of MEANINGS) {
			const byNumber = condition(field, OPERATORS.indexOf(operator), value);
			expect(await ids({ Filter: filter('And', byNumber) })).toEqual(expected);
		}
	});
});

test('property names match in any case', async () => {
	const dsquery = {
		pager: { SKIP: 0, take: 5 },
		FILTER: { logic: 'And', fIlTeRs: [{ field: 'Id', OPERATOR: 'Gt', value: '2' }] },
		sort: { sorts: [{ FIELD: 'Id', dir: 'Desc' }] },
	};
	expect(await ids(dsquery)).toEqual([10, 5, 4, 3]);
});

test('groups nest to any depth, and hold hundreds of conditions', async () => {
	let deep: unknown = condition('Id', 'Eq', '3');
	for (let level = 0; level < 300; level++) {
		deep = filter(level % 2 ? 'And' : 'Or', deep, condition('Id', level % 2 ? 'Gt' : 'Eq', level % 2 ? '0' : '99'));
	}
	expect(await ids({ Filter: deep })).toEqual([3]);
	const many = Array.from({ length: 900 }, (_, index) => condition('Id', 'Eq', String(index + 5)));
	expect(await ids({ Filter: filter('Or', ...many) })).toEqual([5, 10]);
	const others = filter('And', condition('UserName', 'Neq', 'anna'), condition('Id', 'Gt', '4'));
	expect(await ids({ Filter: others })).toEqual([5, 10]);
});

test('several sorts apply in the order given, then the natural order', async () => {
	expect(await sorted(['Status', 'Asc'], ['EnergyConsumed', 'Desc'])).toEqual([4, 5, 2, 1, 10, 3]);
	expect(await sorted(['IsRoaming', 1])).toEqual([1, 3, 5, 2, 4, 10]);
	// Rows without a value are below every value.
	expect(await sorted(['EnergyConsumed', 'Asc'])).toEqual([4, 10, 1, 2, 5, 3]);
	expect(await sorted(['EnergyConsumed', 'Desc'])).toEqual([3, 5, 2, 1, 10, 4]);
});

test('without dsquery the first 10 rows are returned; with it, the rows asked for; TotalCount counts all that match', async () => {
	const all = await page(platform, STATIONS);
	expect([all.Items.map(({ Id }) => Id), all.TotalCount]).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 12]);
	const next = await page(platform, STATIONS, { Pager: { Skip: 10, Take: 10 } });
	expect([next.Items.map(({ Id }) => Id), next.TotalCount]).toEqual([[11, 12], 12]);
	expect(
		await page(platform, SESSIONS, { Pager: { Skip: 5 }, Filter: filter('And', condition('Id', 'Gt', '2')) }),
	).toEqual({ Items: [], TotalCount: 4 });
});

describe('a query that breaks the specification is refused with 400', () => {
	test.each([
		['Colour', 'Eq', 'x'],
		['EVSEs', 'Contains', 'x'],
		['EnergyConsumed', 'Gt', 'much'],
		['EnergyConsumed', 'GteLt', '5'],
		['EnergyConsumed', 'Contains', '1'],
		['Id', 'Eq', '1.5'],
		['IsRoaming', 'Gt', 'true'],
		['StartedAtUtc', 'Gt', '2026-03-01'],
		['StartedAtUtc', 'Gt', '2026-02-30T00:00:00'],
		['EnergyConsumed', 'IsDate', '2026-03-01T00:00:00'],
	])('%s %s "%s", and the message names the property', async (field, operator, value) => {
		const { status, message } = await refusal({ Filter: filter('And', condition(field, operator, value)) });
		expect([status, message]).toEqual([400, expect.stringContaining(`'${field}'`)]);
	});

	test('a sort property that this list does not have, by name', async () => {
		const { status, message } = await refusal({ Sort: { Sorts: [{ Field: 'Shape', Dir: 'Asc' }] } });
		expect([status, message]).toEqual([400, expect.stringContaining("'Shape'")]);
	});

	test.each([
		['not JSON', '{"Pager":'],
		['a list', []],
		['a condition as Filter', { Filter: condition('Id', 'Eq', '1') }],
		['an empty group', { Filter: filter('And') }],
		['a group without Logic', { Filter: { Filters: [condition('Id', 'Eq', '1')] } }],
		['another operator', { Filter: filter('And', condition('Id', 'Equals', '1')) }],
		['a Value that is a number', { Filter: filter('And', condition('Id', 'Eq', 1)) }],
		['a property twice', '{"Pager":{"Take":1},"PAGER":{"Take":2}}'],
		['an unknown property', { Pager: { Top: 5 } }],
		['a negative Skip', { Pager: { Skip: -1 } }],
	])('%s', async (_name, dsquery) => {
		expect((await refusal(dsquery)).status).toBe(400);
	});
});
