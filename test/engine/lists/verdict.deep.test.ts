import fc from 'fast-check';

import type { OperatorName } from '../../../nodes/shared/dsquery/operators';
import type { FilterNode } from '../../../nodes/shared/dsquery/types';
import { brokenPart, emptyPart, oppositeOf, verdictOf } from '../../../nodes/shared/dsquery/verdict';
import { SESSIONS } from '../../../nodes/shared/resources';
import { startPlatform, type StandIn } from '../../platform/index.ts';
import { draws } from '../../support/draws.ts';
import { ListSource } from '../../support/lists/unknownReader.ts';

const RUNS = draws(20_000);

let platform: StandIn;
let source: ListSource;
beforeAll(async () => {
	platform = await startPlatform({ sessions: 120, stations: 0, locations: 0, idGaps: 2 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	source = new ListSource(platform, 'sessions');
});

const number = fc.oneof(
	fc.integer({ min: -5, max: 260 }),
	fc.integer({ min: 0, max: 8000 }).map((cents) => cents / 100),
);
const time = fc
	.integer({ min: 0, max: 400 * 86_400 })
	.map((seconds) => new Date(Date.UTC(2025, 0, 1) + seconds * 1000).toISOString().slice(0, 19));
const plain = fc.constantFrom<OperatorName>('Eq', 'Neq', 'Lt', 'Lte', 'Gt', 'Gte');
const range = fc.constantFrom<OperatorName>('GtLt', 'GteLte', 'GteLt', 'GtLte');
const of = (field: fc.Arbitrary<string>, value: fc.Arbitrary<string | number>) =>
	fc.oneof(
		fc.record({ field, operator: plain, value: value.map(String) }),
		fc.record({ field, operator: range, value: fc.tuple(value, value).map(String) }),
		fc.record({
			field,
			operator: fc.constant<OperatorName>('In'),
			value: fc.array(value, { minLength: 1, maxLength: 4 }).map(String),
		}),
	);
const whole = fc.integer({ min: 0, max: 250 });
const condition: fc.Arbitrary<FilterNode> = fc.oneof(
	of(fc.constantFrom('Status', 'status', 'Id'), whole),
	of(fc.constant('EnergyConsumed'), number),
	of(fc.constant('StartedAtUtc'), time),
	fc.record({ field: fc.constant('UserName'), operator: plain, value: fc.constantFrom('a', 'Berg', 'x') }),
);
const { filter } = fc.letrec<{ filter: FilterNode }>((tie) => ({
	filter: fc.oneof(
		{ maxDepth: 3 },
		condition,
		fc.record({
			logic: fc.constantFrom('And' as const, 'Or' as const),
			filters: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
		}),
	),
}));

const asked = async (node: FilterNode) => {
	const page = await source.getPage({
		filter: { logic: 'And', filters: [node] },
		sorts: [],
		pager: { skip: 0, take: 1000 },
	});
	return new Set(page.rows.map(({ Id: id }) => id));
};

it('never contradicts a platform that filters as specified, whatever it does with rounding, nulls and case', async () => {
	let decided = 0;
	let all = 0;
	await fc.assert(
		fc.asyncProperty(
			filter,
			fc.constantFrom('binary' as const, 'nocase' as const),
			fc.constantFrom('match' as const, 'noMatch' as const),
			fc.constantFrom(0, 1, 2, 9),
			fc.boolean(),
			async (node, collation, nullNeq, digits, cutsTimes) => {
				Object.assign(platform.behaviour, { collation, nullNeq, timestampFractions: cutsTimes });
				source.requests = 0;
				const wrong: object[] = [];
				const matching = await asked(node);
				const { rows } = await source.getPage({ sorts: [], pager: { skip: 0, take: 1000 } });
				for (const row of rows) {
					const { EnergyConsumed: energy, StartedAtUtc: start } = row;
					// What is shown may be rounded, and what is compared not.
					const shown = {
						...row,
						...(typeof energy === 'number' && { EnergyConsumed: Number(energy.toFixed(digits)) }),
						...(cutsTimes && typeof start === 'string' && { StartedAtUtc: start.slice(0, 19) }),
					};
					const verdict = verdictOf(node, shown, SESSIONS);
					const matches = matching.has(row.Id);
					if (matches && emptyPart(node, shown)) wrong.push({ 'matches without a value': shown });
					all++;
					if (verdict === 'unsure') continue;
					decided++;
					if ((verdict === 'yes') !== matches) wrong.push({ verdict, shown });
				}
				expect(wrong).toEqual([]);
			},
		),
		{ numRuns: RUNS },
	);
	expect(decided).toBeGreaterThan(all / 2);
});

it('the opposite of a filter matches the rows with values that the filter does not', async () => {
	await fc.assert(
		fc.asyncProperty(of(fc.constant('Status'), whole), async (node) => {
			source.requests = 0;
			const opposite = oppositeOf(node);
			expect(opposite).toBeDefined();
			if (!opposite) return;
			const [one, other] = [await asked(node), await asked(opposite)];
			expect(one.size + other.size).toBe(120);
			expect([...one].filter((id) => other.has(id))).toEqual([]);
		}),
		{ numRuns: RUNS },
	);
});

describe('what decides nothing', () => {
	const verdict = (field: string, operator: OperatorName, value: string, shown: unknown) =>
		verdictOf({ field, operator, value }, { [field]: shown }, SESSIONS);

	it.each([
		['a fraction, for equality', 'EnergyConsumed', 'Eq', '12.5', 12.5],
		['a number within 0.01 of a bound', 'EnergyConsumed', 'Gt', '12.5', 12.49],
		['a whole number that may be rounded', 'EnergyConsumed', 'Gt', '12.4', 12],
		['null', 'Status', 'Eq', '4', null],
		['a name where a code was asked for', 'Status', 'Eq', '4', 'Finished'],
		['a code where a name was asked for', 'Status', 'Eq', 'Finished', 6],
		['text, whatever its case', 'Name', 'Eq', 'Berg', 'Tal'],
		['an Id that comes as text', 'Id', 'Gt', '10', '9'],
		['a second', 'StartedAtUtc', 'Lt', '2026-01-01T00:00:00', '2026-01-01T00:00:01'],
		['a time without a zone', 'StartedAt', 'Lt', '2026-01-01T00:00:00', '2027-01-01T00:00:00'],
		['the year 1', 'EndedAtUtc', 'Gt', '2026-01-01T00:00:00', '0001-01-01T00:00:00'],
		['the year 9999', 'EndedAtUtc', 'Lt', '2026-01-01T00:00:00', '9999-12-31T23:59:59'],
		['a number beyond 2^53', 'Meter', 'Gt', '1', 2 ** 60],
		['an operator that is a part of a time', 'StartedAtUtc', 'IsYear', '2026-01-01T00:00:00', '2024-01-01T00:00:00'],
	] as const)('%s', (_, field, operator, value, shown) => {
		expect(verdict(field, operator, value, shown)).toBe('unsure');
	});

	it('but codes, true and false, and times further apart do', () => {
		expect(verdict('Status', 'Eq', '4', 6)).toBe('no');
		expect(verdict('Status', 'In', '4, 6', 6)).toBe('yes');
		expect(verdict('EnergyConsumed', 'Gt', '30', '9.5')).toBe('no');
		expect(verdict('IsPaid', 'Eq', 'true', false)).toBe('no');
		expect(verdict('StartedAtUtc', 'GteLt', '2026-01-01T00:00:00,2026-02-01T00:00:00', '2026-02-01T00:00:05')).toBe(
			'no',
		);
	});
});

it('names the part of a filter that a row does not satisfy', () => {
	const status = (value: string) => ({ field: 'Status', operator: 'Eq' as const, value });
	const either: FilterNode = { logic: 'Or', filters: [status('4'), status('6')] };
	const row = { Id: 17, Status: 5 };
	expect(
		brokenPart({ logic: 'And', filters: [{ field: 'Name', operator: 'Eq', value: 'x' }, status('4')] }, row, SESSIONS),
	).toEqual(status('4'));
	expect(brokenPart(either, row, SESSIONS)).toBe(either);
	expect(brokenPart(either, { Status: 4 }, SESSIONS)).toBeUndefined();
});
