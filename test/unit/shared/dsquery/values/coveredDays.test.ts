/** The days and the period of a filter. Most names of files: test/unit/ChargingSessionsCsvExport/fileName.test.ts. */
import { Settings } from 'luxon';

import { and, condition } from '../../../../../nodes/shared/dsquery/compose';
import type { OperatorName } from '../../../../../nodes/shared/dsquery/operators';
import type { FilterNode, FilterGroup } from '../../../../../nodes/shared/dsquery/types';
import { coveredDays, splitPeriod } from '../../../../../nodes/shared/dsquery/values/coveredDays';

// Of n8n, if nobody has set another.
Settings.defaultZone = 'America/New_York';

const started = (operator: OperatorName, value: string) => condition('startedAtUtc', operator, value);
const group = (logic: FilterGroup['logic'], ...filters: FilterNode[]): FilterGroup => ({ logic, filters });
const year = started('IsYear', '2026-01-01T00:00:00');
const october = started('GteLt', '2026-10-01T00:00:00,2026-11-01T00:00:00');
const finished = condition('Status', 'Eq', '4');

it.each<[string, string, string, FilterNode[]]>([
	['a moment', '2026-10-01', '2026-10-01', [started('Eq', '2026-10-01T21:59:59')]],
	['an hour in UTC', '2026-10-05', '2026-10-05', [started('IsHour', '2026-10-05T23:00:00')]],
	['a year in UTC and a start', '2026-10-01', '2026-12-31', [year, started('Gte', '2026-09-30T22:00:00')]],
	['an end and a year in UTC', '2026-01-01', '2026-01-31', [started('Lt', '2026-01-31T23:00:00'), year]],
	['a year and a month in UTC', '2026-03-01', '2026-03-31', [year, started('IsMonth', '2026-03-01T00:00:00')]],
	[
		'a range to an inclusive midnight',
		'2026-10-01',
		'2026-10-30',
		[started('GteLte', '2026-09-30T22:00:00,2026-10-30T23:00:00')],
	],
	[
		'an inclusive end within a day',
		'2026-10-01',
		'2026-12-05',
		[year, started('GteLte', '2026-10-01T08:00:00,2026-12-05T08:00:00')],
	],
	['midnight itself', '2026-10-31', '2026-10-31', [started('Eq', '2026-10-30T23:00:00')]],
	['an Or of one condition', '2026-01-01', '2026-12-31', [group('Or', year)]],
])('%s covers the days from %s to %s', (_, from, to, nodes) => {
	expect(coveredDays(and(...nodes), 'Europe/Berlin', 'StartedAtUtc')).toEqual({ from, to });
});

describe('the period of a filter', () => {
	it.each<[string, FilterNode[], unknown]>([
		['a range beside others', [october, finished], and(finished)],
		['a month', [started('IsMonth', '2026-10-05T00:00:00')], undefined],
		['two ends', [started('Gte', '2026-10-01T00:00:00'), started('Lt', '2026-11-01T00:00:00')], undefined],
		['ends that leave themselves out', [started('GtLte', '2026-09-30T23:59:59,2026-10-31T23:59:59')], undefined],
		['a range in an inner And', [finished, group('And', october, finished)], and(finished, and(finished))],
	])('is found in %s', (_, nodes, rest) => {
		const { span, rest: others } = splitPeriod(and(...nodes), 'StartedAtUtc') ?? {};
		expect([span?.from.toISO(), span?.to.toISO()]).toEqual(['2026-10-01T00:00:00.000Z', '2026-11-01T00:00:00.000Z']);
		expect(others).toEqual(rest);
	});

	it.each<[string, FilterNode[]]>([
		['a range, and an Or about the start', [october, group('Or', started('IsDate', '2026-10-05T00:00:00'), finished)]],
		['a range, and a start that is left out', [october, started('Neq', '2026-10-05T00:00:00')]],
		['ends that leave nothing', [october, started('Gte', '2026-12-01T00:00:00')]],
	])('is not found with %s', (_, nodes) => expect(splitPeriod(and(...nodes), 'StartedAtUtc')).toBeUndefined());
});
