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

it('begins weeks on Monday, across the turn of the year too', () => {
	expect(span({ name: 'thisWeek' }, '2027-01-03T12:00:00Z', 'UTC')).toEqual([
		'2026-12-28T00:00:00',
		'2027-01-04T00:00:00',
	]);
	expect(span({ name: 'lastMonth' }, '2024-03-31T12:00:00Z', 'UTC')).toEqual([
		'2024-02-01T00:00:00',
		'2024-03-01T00:00:00',
	]);
});

it.each<[string, string, string, string[]]>([
	['23 hours', BERLIN, '2026-03-29T12:00:00Z', ['2026-03-28T23:00:00', '2026-03-29T22:00:00']],
	['25 hours', BERLIN, '2026-10-25T12:00:00Z', ['2026-10-24T22:00:00', '2026-10-25T23:00:00']],
	[
		'no midnight, São Paulo',
		'America/Sao_Paulo',
		'2018-11-04T12:00:00Z',
		['2018-11-04T03:00:00', '2018-11-05T02:00:00'],
	],
	['no midnight, Beirut', 'Asia/Beirut', '2024-03-31T12:00:00Z', ['2024-03-30T22:00:00', '2024-03-31T21:00:00']],
	['no midnight, Cairo', 'Africa/Cairo', '2024-04-26T12:00:00Z', ['2024-04-25T22:00:00', '2024-04-26T21:00:00']],
	['two midnights, Azores', 'Atlantic/Azores', '2026-10-25T12:00:00Z', ['2026-10-25T00:00:00', '2026-10-26T01:00:00']],
	['two midnights, Havana', 'America/Havana', '2024-11-03T12:00:00Z', ['2024-11-03T04:00:00', '2024-11-04T05:00:00']],
	[
		'half an hour more, Lord Howe',
		'Australia/Lord_Howe',
		'2026-04-05T06:00:00Z',
		['2026-04-04T13:00:00', '2026-04-05T13:30:00'],
	],
	[
		'the day before a skipped one, Apia',
		'Pacific/Apia',
		'2011-12-30T09:00:00Z',
		['2011-12-29T10:00:00', '2011-12-30T10:00:00'],
	],
])('a day with %s', (_, zone, now, expected) => {
	expect(span({ name: 'today' }, now, zone)).toEqual(expected);
});

it('returns its ends in the given zone', () => {
	const { from } = periodSpan({ name: 'thisYear' }, new Date('2026-11-18T12:00:00Z'), BERLIN);
	expect(from.toISO()).toBe(DateTime.fromISO('2026-01-01', { zone: BERLIN }).toISO());
	expect(PERIODS).toHaveLength(12);
});
