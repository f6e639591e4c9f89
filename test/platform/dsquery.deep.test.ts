import fc from 'fast-check';

import { page, SESSIONS } from './client.ts';
import { startPlatform } from './index.ts';
import type { StandIn } from './index.ts';
import { draws } from '../support/draws.ts';

const RUNS = draws(5_000);

interface Row {
	Id: number;
	Status: number;
	EnergyConsumed: number | null;
	StartedAtUtc: string;
	UserName: string | null;
}
type Name = keyof Row;
interface Condition {
	Field: Name;
	Operator: string;
	Value: string;
}
interface Group {
	Logic: 'And' | 'Or';
	Filters: Node[];
}
type Node = Condition | Group;

let platform: StandIn;
let rows: Row[];

beforeAll(async () => {
	platform = await startPlatform({ sessions: 300, idGaps: 3 });
	rows = platform.db.prepare('SELECT * FROM sessions ORDER BY Id').all() as unknown as Row[];
});
afterAll(() => platform.close());

/** SQLite orders text by code point, JavaScript by UTF-16 unit: the same for the seed's names. */
const compare = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);

const UNITS: Record<string, number> = { IsDate: 10, IsMonth: 7, IsYear: 4, IsHour: 13, IsMinute: 16, IsSecond: 19 };

/** What each operator means, of the order of the row's value beside each part of the condition's. */
const MEANINGS: Record<string, (orders: number[]) => boolean> = {
	Eq: ([order]) => order === 0,
	Neq: ([order]) => order !== 0,
	Lt: ([order = 0]) => order < 0,
	Lte: ([order = 0]) => order <= 0,
	Gt: ([order = 0]) => order > 0,
	Gte: ([order = 0]) => order >= 0,
	In: (orders) => orders.includes(0),
	GtLt: ([low = 0, high = 0]) => low > 0 && high < 0,
	GteLte: ([low = 0, high = 0]) => low >= 0 && high <= 0,
	GteLt: ([low = 0, high = 0]) => low >= 0 && high < 0,
	GtLte: ([low = 0, high = 0]) => low > 0 && high <= 0,
};

function matches(row: Row, node: Node): boolean {
	if ('Filters' in node) {
		const inner = node.Filters.map((filter) => matches(row, filter));
		return node.Logic === 'And' ? inner.every(Boolean) : inner.some(Boolean);
	}
	const value = row[node.Field];
	if (value === null) return node.Operator === 'Neq';
	const text = String(value);
	switch (node.Operator) {
		case 'Contains':
			return text.includes(node.Value);
		case 'StartsWith':
			return text.startsWith(node.Value);
		case 'EndsWith':
			return text.endsWith(node.Value);
	}
	const orders = node.Value.split(',').map((part) => compare(value, typeof value === 'number' ? Number(part) : part));
	const length = UNITS[node.Operator];
	return MEANINGS[node.Operator]?.(orders) ?? text.slice(0, length) === node.Value.slice(0, length);
}

const COMPARING = ['Eq', 'Neq', 'Lt', 'Lte', 'Gt', 'Gte'];
const RANGES = ['GtLt', 'GteLte', 'GteLt', 'GtLte'];

/** Values taken from the rows, so that comparisons meet their boundaries. */
const stored = (field: Name) =>
	fc
		.nat(299)
		.map((index) => rows[index]?.[field] ?? null)
		.map((value) => (value === null ? (field === 'UserName' ? 'Zoë' : '10') : String(value).replaceAll(',', '')));

const conditionOn = (field: Name) => {
	const one = (operators: string[]) =>
		fc.record({ Field: fc.constant(field), Operator: fc.constantFrom(...operators), Value: stored(field) });
	const several = (operators: string[], minLength: number, maxLength: number) =>
		fc.record({
			Field: fc.constant(field),
			Operator: fc.constantFrom(...operators),
			Value: fc.array(stored(field), { minLength, maxLength }).map((values) => values.join(',')),
		});
	const forType =
		field === 'UserName'
			? one(['Contains', 'StartsWith', 'EndsWith'])
			: field === 'StartedAtUtc'
				? one(Object.keys(UNITS))
				: one(COMPARING);
	return fc.oneof(one(COMPARING), forType, several(['In'], 1, 4), several(RANGES, 2, 2));
};

const FIELDS: Name[] = ['Id', 'Status', 'EnergyConsumed', 'StartedAtUtc', 'UserName'];

const { group } = fc.letrec<{ group: Group; node: Node }>((tie) => ({
	group: fc.record({
		Logic: fc.constantFrom('And' as const, 'Or' as const),
		Filters: fc.array(tie('node'), { minLength: 1, maxLength: 4 }),
	}),
	node: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.oneof(...FIELDS.map(conditionOn)), tie('group')),
}));

const sorts = fc.uniqueArray(fc.record({ Field: fc.constantFrom(...FIELDS), Dir: fc.constantFrom('Asc', 'Desc') }), {
	maxLength: 3,
	selector: ({ Field }) => Field,
});

test('any filter, sort and page gives what JavaScript finds in the same rows', async () => {
	await fc.assert(
		fc.asyncProperty(group, sorts, fc.nat(40), fc.integer({ min: 1, max: 120 }), async (Filter, Sorts, Skip, Take) => {
			const expected = rows
				.filter((row) => matches(row, Filter))
				.sort((a, b) => {
					for (const { Field, Dir } of Sorts) {
						const [x, y] = [a[Field], b[Field]];
						const order = x === null || y === null ? Number(y === null) - Number(x === null) : compare(x, y);
						if (order) return Dir === 'Asc' ? order : -order;
					}
					return a.Id - b.Id;
				})
				.map(({ Id }) => Id);
			const answer = await page(platform, SESSIONS, { Pager: { Skip, Take }, Filter, Sort: { Sorts } });
			expect(answer.TotalCount).toBe(expected.length);
			expect(answer.Items.map(({ Id }) => Id)).toEqual(expected.slice(Skip, Skip + Take));
		}),
		{ numRuns: RUNS },
	);
});
