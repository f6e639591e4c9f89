import { DateTime } from 'luxon';

import type { Period } from '../../../../../nodes/shared/dsquery/values/periods';
import { PERIODS, periodSpan } from '../../../../../nodes/shared/dsquery/values/periods';

const BERLIN = 'Europe/Berlin';
const span = (period: Period, now: string, zone = BERLIN) => {
	const { from, to } = periodSpan(period, new Date(now), zone);
	return [from, to].map((end) => end.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss"));
};

describe('a Wednesday in winter', () => {
	const now = '2026-11-18T12:00:00Z';
	it.each<[Period, string[]]>([
		[{ name: 'today' }, ['2026-11-17T23:00:00', '2026-11-18T23:00:00']],
		[{ name: 'yesterday' }, ['2026-11-16T23:00:00', '2026-11-17T23:00:00']],
		[{ name: 'thisWeek' }, ['2026-11-15T23:00:00', '2026-11-22T23:00:00']],
		[{ name: 'lastWeek' }, ['2026-11-08T23:00:00', '2026-11-15T23:00:00']],
		[{ name: 'thisMonth' }, ['2026-10-31T23:00:00', '2026-11-30T23:00:00']],
		[{ name: 'lastMonth' }, ['2026-09-30T22:00:00', '2026-10-31T23:00:00']],
		[{ name: 'thisQuarter' }, ['2026-09-30T22:00:00', '2026-12-31T23:00:00']],
		[{ name: 'lastQuarter' }, ['2026-06-30T22:00:00', '2026-09-30T22:00:00']],
		[{ name: 'thisYear' }, ['2025-12-31T23:00:00', '2026-12-31T23:00:00']],
		[{ name: 'lastYear' }, ['2024-12-31T23:00:00', '2025-12-31T23:00:00']],
		[{ name: 'lastDays', days: 7 }, ['2026-11-10T23:00:00', '2026-11-17T23:00:00']],
		[{ name: 'lastDays', days: 30 }, ['2026-10-18T22:00:00', '2026-11-17T23:00:00']],
		[{ name: 'lastHours', hours: 36 }, ['2026-11-17T00:00:00', '2026-11-18T12:00:00']],
	])('%p', (period, expected) => {
		expect(span(period, now)).toEqual(expected);
	});

	it('counts the days in the zone, not in UTC', () => {
		expect(span({ name: 'today' }, '2026-11-18T23:30:00Z')).toEqual(['2026-11-18T23:00:00', '2026-11-19T23:00:00']);
		expect(span({ name: 'today' }, now, 'Pacific/Kiritimati')).toEqual(['2026-11-18T10:00:00', '2026-11-19T10:00:00']);
	});
});

// Days of clock changes: periods.deep.test.ts.

it('returns its ends in the given zone', () => {
	const { from } = periodSpan({ name: 'thisYear' }, new Date('2026-11-18T12:00:00Z'), BERLIN);
	expect(from.toISO()).toBe(DateTime.fromISO('2026-01-01', { zone: BERLIN }).toISO());
	expect(PERIODS).toHaveLength(12);
});
