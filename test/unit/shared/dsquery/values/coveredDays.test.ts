import { and, condition } from '../../../../../nodes/shared/dsquery/compose';
import type { FilterNode, OperatorName } from '../../../../../nodes/shared/dsquery/types';
import { coveredDays } from '../../../../../nodes/shared/dsquery/values/coveredDays';

const started = (operator: OperatorName, value: string) => condition('startedAtUtc', operator, value);
const days = (zone: string, ...nodes: FilterNode[]) => {
	const covered = coveredDays(and(...nodes), zone);
	return covered && `${covered.from}..${covered.to}`;
};
const year = started('IsYear', '2026-01-01T00:00:00');

it('a range is covered in local days', () => {
	expect(days('Europe/Berlin', started('GteLt', '2026-09-30T22:00:00,2026-10-31T23:00:00'))).toBe(
		'2026-10-01..2026-10-31',
	);
	expect(days('UTC', started('GtLte', '2026-10-01T00:00:00,2026-10-02T00:00:00'))).toBe('2026-10-01..2026-10-02');
	expect(days('UTC', started('Eq', '2026-10-01T23:59:59'))).toBe('2026-10-01..2026-10-01');
});

it.each([
	['IsYear', '2026-01-01..2026-12-31'],
	['IsMonth', '2026-10-01..2026-10-31'],
	['IsDate', '2026-10-05..2026-10-05'],
	['IsHour', '2026-10-05..2026-10-05'],
] as const)('%s covers days in UTC, wherever the workflow is', (operator, covered) => {
	expect(days('Asia/Tokyo', started(operator, '2026-10-05T23:00:00'))).toBe(covered);
});

it('a year in UTC beside another bound covers what both leave', () => {
	expect(days('UTC', year, started('Gte', '2026-10-01T00:00:00'))).toBe('2026-10-01..2026-12-31');
	expect(days('UTC', started('Lt', '2026-02-01T00:00:00'), year)).toBe('2026-01-01..2026-01-31');
	expect(days('Europe/Berlin', year, started('GteLt', '2026-09-30T22:00:00,2026-10-31T23:00:00'))).toBe(
		'2026-10-01..2026-10-31',
	);
	expect(days('UTC', year, started('IsMonth', '2026-03-01T00:00:00'))).toBe('2026-03-01..2026-03-31');
	expect(days('UTC', year, started('Gte', '2027-01-01T00:00:00'))).toBeUndefined();
});

it('what only one of several may match bounds nothing', () => {
	expect(days('UTC', { logic: 'Or', filters: [year, condition('Status', 'Eq', '4')] })).toBeUndefined();
	expect(days('UTC', { logic: 'Or', filters: [year] })).toBe('2026-01-01..2026-12-31');
	expect(days('UTC', { logic: 'And', filters: [{ logic: 'And', filters: [year] }] })).toBe('2026-01-01..2026-12-31');
	expect(days('UTC', started('Gte', '2026-10-01T00:00:00'))).toBeUndefined();
	expect(days('UTC', condition('EndedAtUtc', 'IsYear', '2026-01-01T00:00:00'))).toBeUndefined();
	expect(coveredDays(undefined, 'UTC')).toBeUndefined();
});
