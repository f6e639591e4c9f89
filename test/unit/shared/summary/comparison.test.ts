import { DateTime } from 'luxon';

import { comparisonPeriodOf } from '../../../../nodes/shared/summary/comparison';

const local = (text: string, zone: string) => DateTime.fromISO(text, { zone });

/** The span compared with, in local times, and how far back it is. */
function compare(
	[from, to]: readonly [string, string],
	{
		name = 'previousPeriod' as 'previousPeriod' | 'previousYear',
		zone = 'Europe/Berlin',
		now = '2030-01-01',
		isLastDays = false,
	} = {},
) {
	const given = { from: local(from, zone), to: local(to, zone) };
	const { span, shift } = comparisonPeriodOf(given, name, zone, local(now, zone).toJSDate(), isLastDays);
	const show = (time: DateTime) => time.toFormat("yyyy-MM-dd'T'HH:mm").replace('T00:00', '');
	return [show(span.from), show(span.to), shift.amount, shift.unit];
}

describe('the period before', () => {
	it.each([
		['a week', ['2026-11-16', '2026-11-23'], ['2026-11-09', '2026-11-16', 7, 'days']],
		['a month', ['2026-11-01', '2026-12-01'], ['2026-10-01', '2026-11-01', 1, 'months']],
		['10 days', ['2026-11-10', '2026-11-20'], ['2026-10-31', '2026-11-10', 10, 'days']],
		['a day of 25 hours', ['2026-10-25', '2026-10-26'], ['2026-10-24', '2026-10-25', 1, 'days']],
		['some hours', ['2026-11-03T08:00', '2026-11-03T20:00'], ['2026-11-02T08:00', '2026-11-02T20:00', 1, 'days']],
		[
			'a day around the change to summer',
			['2026-03-28T12:00', '2026-03-29T13:00'],
			['2026-03-27T12:00', '2026-03-28T12:00', 1, 'days'],
		],
	] as const)('of %s', (_, span, expected) => expect(compare(span)).toEqual(expected));

	it('of the last days is as many days before, even if they are a whole month or whole weeks today', () => {
		const lastDays = { isLastDays: true };
		expect(compare(['2026-11-01', '2026-12-01'], lastDays)).toEqual(['2026-10-02', '2026-11-01', 30, 'days']);
		expect(compare(['2026-11-16', '2026-11-23'], { ...lastDays, name: 'previousYear' })).toEqual([
			'2025-11-16',
			'2025-11-23',
			12,
			'months',
		]);
	});

	it('of an unfinished month or week is the same elapsed part', () => {
		const november = compare(['2026-11-01', '2026-12-01'], { now: '2026-11-22T10:30:00' });
		expect(november).toEqual(['2026-10-01', '2026-10-22T10:30', 1, 'months']);
		// There is no 30 February, so by 30 March all of February is compared.
		const march = compare(['2026-03-01', '2026-04-01'], { now: '2026-03-30T10:30:00' });
		expect(march).toEqual(['2026-02-01', '2026-03-01', 1, 'months']);
		const week = compare(['2026-11-16', '2026-11-23'], { now: '2026-11-18T09:00:00' });
		expect(week).toEqual(['2026-11-09', '2026-11-11T09:00', 7, 'days']);
	});

	it('begins at the start of a day, even one without a midnight', () => {
		const zone = 'America/Santiago';
		// Clocks went from 24:00 on 5 September to 1:00.
		expect(compare(['2026-09-06T01:00', '2026-09-07'], { zone })).toEqual([
			'2026-09-05',
			'2026-09-06T01:00',
			1,
			'days',
		]);
		expect(compare(['2026-09-07', '2026-09-08'], { zone })).toEqual(['2026-09-06T01:00', '2026-09-07', 1, 'days']);
	});
});

it.each([
	['a month of whole weeks', ['2027-02-01', '2027-03-01'], ['2026-02-01', '2026-03-01', 12, 'months']],
	['whole weeks: the same weekdays', ['2026-11-16', '2026-11-23'], ['2025-11-17', '2025-11-24', 364, 'days']],
	['a day', ['2026-11-20', '2026-11-21'], ['2025-11-20', '2025-11-21', 12, 'months']],
	['a leap day: no such day', ['2028-02-29', '2028-03-01'], ['2027-03-01', '2027-03-01', 12, 'months']],
] as const)('the same a year before, for %s', (_, span, expected) =>
	expect(compare(span, { name: 'previousYear' })).toEqual(expected),
);
