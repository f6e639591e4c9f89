import { Settings } from 'luxon';

import { and, condition, or } from '../../../../../nodes/shared/dsquery/compose';
import type { OperatorName } from '../../../../../nodes/shared/dsquery/operators';
import type { FilterNode } from '../../../../../nodes/shared/dsquery/types';
import { coveredDays, periodOf } from '../../../../../nodes/shared/dsquery/values/coveredDays';

// Of n8n, if nobody has set another.
Settings.defaultZone = 'America/New_York';

const started = (operator: OperatorName, value: string) => condition('startedAtUtc', operator, value);
const days = (zone: string, ...nodes: FilterNode[]) => {
	const covered = coveredDays(and(...nodes), zone, 'StartedAtUtc');
	return covered && `${covered.from}..${covered.to}`;
};
const year = started('IsYear', '2026-01-01T00:00:00');

// The days of other filters: test/unit/ChargingSessionsCsvExport/fileName.test.ts.

it('a moment covers its day, and an hour in UTC its day in UTC, wherever the workflow is', () => {
	expect(days('UTC', started('Eq', '2026-10-01T23:59:59'))).toBe('2026-10-01..2026-10-01');
	expect(days('Asia/Tokyo', started('IsHour', '2026-10-05T23:00:00'))).toBe('2026-10-05..2026-10-05');
});

it('a UTC year and another bound cover the days that both allow', () => {
	expect(days('UTC', year, started('Gte', '2026-10-01T00:00:00'))).toBe('2026-10-01..2026-12-31');
	expect(days('UTC', started('Lt', '2026-02-01T00:00:00'), year)).toBe('2026-01-01..2026-01-31');
	expect(days('Europe/Berlin', year, started('GteLt', '2026-09-30T22:00:00,2026-10-31T23:00:00'))).toBe(
		'2026-10-01..2026-10-31',
	);
	expect(days('UTC', year, started('IsMonth', '2026-03-01T00:00:00'))).toBe('2026-03-01..2026-03-31');
	expect(days('UTC', year, started('Gte', '2027-01-01T00:00:00'))).toBeUndefined();
});

it('an Or of one condition covers its days', () => {
	expect(days('UTC', { logic: 'Or', filters: [year] })).toBe('2026-01-01..2026-12-31');
});

describe('the period of a filter', () => {
	const range = started('GteLt', '2026-10-01T00:00:00,2026-11-01T00:00:00');
	const finished = condition('Status', 'Eq', '4');
	const period = (...nodes: FilterNode[]) => {
		const found = periodOf(and(...nodes), 'StartedAtUtc');
		return found && [found.span.from.toUTC().toISO(), found.span.to.toUTC().toISO(), found.rest];
	};
	const OCTOBER = ['2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z'];

	it.each([
		['a range', [range], undefined],
		['a range beside others', [range, finished], and(finished)],
		['a month', [started('IsMonth', '2026-10-05T00:00:00')], undefined],
		['two ends', [started('Gte', '2026-10-01T00:00:00'), started('Lt', '2026-11-01T00:00:00')], undefined],
		['ends that leave themselves out', [started('GtLte', '2026-09-30T23:59:59,2026-10-31T23:59:59')], undefined],
		['a range in an inner And', [finished, and(range, finished)], and(finished, and(finished))],
	] as Array<[string, FilterNode[], unknown]>)('is found in %s', (_, nodes, rest) => {
		expect(period(...nodes)).toEqual([...OCTOBER, rest]);
	});

	it.each([
		['one end', [started('Gte', '2026-10-01T00:00:00')]],
		['no start', [finished]],
		['an Or', [or(range, finished)]],
		['a range, and an Or about the start', [range, or(started('IsDate', '2026-10-05T00:00:00'), finished)]],
		['a range, and a start that is left out', [range, started('Neq', '2026-10-05T00:00:00')]],
		['ends that leave nothing', [range, started('Gte', '2026-12-01T00:00:00')]],
	] as Array<[string, FilterNode[]]>)('is not found with %s', (_, nodes) => expect(period(...nodes)).toBeUndefined());

	it('is not found without a filter', () => expect(periodOf(undefined, 'StartedAtUtc')).toBeUndefined());
});
