import fc from 'fast-check';

import { PageOrder } from '../../../../nodes/shared/dsquery/order';
import type { SortEntry } from '../../../../nodes/shared/dsquery/types';
import { SESSIONS } from '../../../../nodes/shared/resources';
import { draws } from '../../../support/draws.ts';

const asc = (field: string): SortEntry => ({ field, direction: 'Asc' });
const desc = (field: string): SortEntry => ({ field, direction: 'Desc' });
const broken = (rows: Array<Record<string, unknown>>, ...sorts: SortEntry[]) => {
	const order = new PageOrder(sorts, SESSIONS);
	for (const row of rows) order.next(row);
	return order.misplaced.length;
};

it('finds numbers, times and Ids that are certainly the wrong way round', () => {
	const energy = (...values: unknown[]) => values.map((EnergyConsumed, Id) => ({ Id, EnergyConsumed }));
	expect(broken(energy(1, 2, 3), asc('EnergyConsumed'))).toBe(0);
	expect(broken(energy(1, 5, 9), desc('energyconsumed'))).toBe(2);
	// Sorted as text.
	expect(broken(energy(9.5, 85, 7, 61), desc('EnergyConsumed'))).toBe(2);
	// Numbers that come as text are numbers, other texts and Ids are not.
	expect(broken(energy('9.5', '85', '7', '61.0'), desc('EnergyConsumed'))).toBe(2);
	expect(broken(energy('9.5', '85,0', '7 kWh'), desc('EnergyConsumed'))).toBe(0);
	expect(broken([{ Id: '10' }, { Id: '9' }], asc('Id'))).toBe(0);
	// Nothing, another type, and what rounding may explain.
	expect(broken(energy(3, null, 2, 'x', 1), asc('EnergyConsumed'))).toBe(0);
	expect(broken(energy(3.001, 3), asc('EnergyConsumed'))).toBe(0);
	const start = (...values: string[]) => values.map((StartedAtUtc) => ({ StartedAtUtc }));
	expect(broken(start('2026-01-02T00:00:00', '2026-01-01T00:00:00'), asc('StartedAtUtc'))).toBe(1);
	expect(broken(start('2026-01-01T00:00:01', '2026-01-01T00:00:00.5'), asc('StartedAtUtc'))).toBe(0);
	expect(broken(start('9999-12-31T00:00:00', '2026-01-01T00:00:00'), asc('StartedAtUtc'))).toBe(0);
	// Codes may be sorted by their names; where they are equal, the next field decides.
	const rows = [
		{ Id: 3, Status: 6 },
		{ Id: 9, Status: 4 },
		{ Id: 5, Status: 4 },
	];
	expect(broken(rows, asc('Status'), asc('Id'))).toBe(1);
	expect(broken(rows, asc('Status'), desc('Id'))).toBe(0);
	expect(broken(rows, asc('Id'))).toBe(1);
});

it('never contradicts an honest platform, whatever it rounds or leaves out', () => {
	const row = fc.record({
		Id: fc.nat(50),
		Status: fc.constantFrom(1, 2, 4, null),
		EnergyConsumed: fc.option(fc.double({ min: -50, max: 50, noNaN: true })),
		StartedAtUtc: fc.option(fc.integer({ min: 1_700_000_000_000, max: 1_700_000_009_000 })),
	});
	const sortable = fc.constantFrom('Id', 'Status', 'EnergyConsumed', 'StartedAtUtc');
	const sorts = fc.uniqueArray(sortable, { minLength: 1, maxLength: 3 });
	fc.assert(
		fc.property(
			fc.array(row, { maxLength: 30 }),
			sorts,
			fc.boolean(),
			fc.integer({ min: 0, max: 3 }),
			fc.boolean(),
			(rows, fields, isDown, digits, isNullLast) => {
				const compare = (a: number | null, b: number | null) => {
					if (a === null || b === null) return (a === b ? 0 : a === null ? 1 : -1) * (isNullLast ? 1 : -1);
					return (a - b) * (isDown ? -1 : 1);
				};
				const sorted = [...rows].sort((a, b) =>
					fields.reduce((order, field) => order || compare(a[field], b[field]), 0),
				);
				const shown = sorted.map(({ Id, Status, EnergyConsumed, StartedAtUtc }) => ({
					Id,
					Status,
					EnergyConsumed: EnergyConsumed === null ? null : Number(EnergyConsumed.toFixed(digits)),
					StartedAtUtc: StartedAtUtc === null ? null : new Date(StartedAtUtc).toISOString().slice(0, 19),
				}));
				expect(broken(shown, ...fields.map(isDown ? desc : asc))).toBe(0);
			},
		),
		{ numRuns: draws() },
	);
});
