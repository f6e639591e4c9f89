import { DateTime } from 'luxon';

import type { Period, PeriodName } from '../../../../nodes/shared/dsquery/values/periods';
import { periodSpan } from '../../../../nodes/shared/dsquery/values/periods';
import { comparedWith } from '../../../../nodes/shared/summary/comparison';

const local = (text: string, zone: string) => DateTime.fromISO(text, { zone });

/** The span compared with, in local times, and how far back it is. */
function compare(
	from: string,
	to: string,
	name: 'previousPeriod' | 'previousYear' = 'previousPeriod',
	{ zone = 'Europe/Berlin', now = '2030-01-01T00:00:00', isLastDays = false } = {},
) {
	const given = { from: local(from, zone), to: local(to, zone) };
	const { span, shift } = comparedWith(given, name, zone, local(now, zone).toJSDate(), isLastDays);
	const show = (time: DateTime) => time.toFormat("yyyy-MM-dd'T'HH:mm").replace('T00:00', '');
	return [show(span.from), show(span.to), shift.amount, shift.unit];
}

describe('the period before', () => {
	it.each([
		['a day', '2026-11-03', '2026-11-04', ['2026-11-02', '2026-11-03', 1, 'days']],
		['a week', '2026-11-16', '2026-11-23', ['2026-11-09', '2026-11-16', 7, 'days']],
		['a month', '2026-11-01', '2026-12-01', ['2026-10-01', '2026-11-01', 1, 'months']],
		['February', '2026-02-01', '2026-03-01', ['2026-01-01', '2026-02-01', 1, 'months']],
		['a quarter', '2026-07-01', '2026-10-01', ['2026-04-01', '2026-07-01', 3, 'months']],
		['a year', '2026-01-01', '2027-01-01', ['2025-01-01', '2026-01-01', 12, 'months']],
		['10 days', '2026-11-10', '2026-11-20', ['2026-10-31', '2026-11-10', 10, 'days']],
		['a day of 25 hours', '2026-10-25', '2026-10-26', ['2026-10-24', '2026-10-25', 1, 'days']],
		['the week after clocks changed', '2026-10-26', '2026-11-02', ['2026-10-19', '2026-10-26', 7, 'days']],
		['some hours', '2026-11-03T08:00', '2026-11-03T20:00', ['2026-11-02T08:00', '2026-11-02T20:00', 1, 'days']],
		[
			'24 hours, set forward',
			'2026-03-28T12:00',
			'2026-03-29T13:00',
			['2026-03-27T12:00', '2026-03-28T12:00', 1, 'days'],
		],
	])('of %s', (_, from, to, expected) => expect(compare(from, to)).toEqual(expected));

	it.each<[PeriodName, unknown[]]>([
		['thisQuarter', ['2026-07-01', '2026-08-22T10:30', 3, 'months']],
		['lastQuarter', ['2026-04-01', '2026-07-01', 3, 'months']],
	])('of %s is the quarter before, or its elapsed part', (name, expected) => {
		const zone = 'Europe/Berlin';
		const now = '2026-11-22T10:30:00';
		const given = periodSpan({ name } as Period, local(now, zone).toJSDate(), zone);
		expect(compare(given.from.toISO() ?? '', given.to.toISO() ?? '', 'previousPeriod', { now })).toEqual(expected);
	});

	it('of the last days is as many days before, even if they are a whole month or whole weeks today', () => {
		const lastDays = (from: string, to: string, name: 'previousPeriod' | 'previousYear') =>
			compare(from, to, name, { isLastDays: true });
		const month = ['2026-11-01', '2026-12-01'] as const;
		expect(lastDays(...month, 'previousPeriod')).toEqual(['2026-10-02', '2026-11-01', 30, 'days']);
		const weeks = ['2026-11-16', '2026-11-23'] as const;
		expect(lastDays(...weeks, 'previousPeriod')).toEqual(['2026-11-09', '2026-11-16', 7, 'days']);
		expect(lastDays(...weeks, 'previousYear')).toEqual(['2025-11-16', '2025-11-23', 12, 'months']);
	});

	it('of the last hours is a day earlier, or as many days earlier as the hours span', () => {
		const zone = 'Europe/Berlin';
		const now = '2026-11-22T10:30:00';
		const lastHours = (hours: number) => {
			const { from, to } = periodSpan({ name: 'lastHours', hours }, local(now, zone).toJSDate(), zone);
			return compare(from.toISO() ?? '', to.toISO() ?? '', 'previousPeriod', { now });
		};
		expect(lastHours(6)).toEqual(['2026-11-21T04:30', '2026-11-21T10:30', 1, 'days']);
		expect(lastHours(48)).toEqual(['2026-11-18T10:30', '2026-11-20T10:30', 2, 'days']);
	});

	it('of an unfinished month or week is the same elapsed part', () => {
		const month = (now: string, from = '2026-11-01', to = '2026-12-01') => compare(from, to, 'previousPeriod', { now });
		expect(month('2026-11-22T10:30:00')).toEqual(['2026-10-01', '2026-10-22T10:30', 1, 'months']);
		// There is no 30 February, so by 30 March all of February is compared.
		expect(month('2026-03-30T10:30:00', '2026-03-01', '2026-04-01').slice(0, 2)).toEqual(['2026-02-01', '2026-03-01']);
		expect(month('2026-02-28T12:00:00', '2026-02-01', '2026-03-01').slice(1, 2)).toEqual(['2026-01-28T12:00']);
		expect(compare('2026-11-16', '2026-11-23', 'previousPeriod', { now: '2026-11-18T09:00:00' })).toEqual([
			'2026-11-09',
			'2026-11-11T09:00',
			7,
			'days',
		]);
	});

	it('begins at the start of a day, even one without a midnight', () => {
		const zone = 'America/Santiago';
		// Clocks went from 24:00 on 5 September to 1:00.
		expect(compare('2026-09-06T01:00', '2026-09-07', 'previousPeriod', { zone })).toEqual([
			'2026-09-05',
			'2026-09-06T01:00',
			1,
			'days',
		]);
		expect(compare('2026-09-07', '2026-09-08', 'previousPeriod', { zone }).slice(0, 2)).toEqual([
			'2026-09-06T01:00',
			'2026-09-07',
		]);
	});
});

describe('the same a year before', () => {
	it.each([
		['a month', '2026-11-01', '2026-12-01', ['2025-11-01', '2025-12-01', 12, 'months']],
		['a month of whole weeks', '2027-02-01', '2027-03-01', ['2026-02-01', '2026-03-01', 12, 'months']],
		['February after a leap year', '2025-02-01', '2025-03-01', ['2024-02-01', '2024-03-01', 12, 'months']],
		['whole weeks: the same weekdays', '2026-11-16', '2026-11-23', ['2025-11-17', '2025-11-24', 364, 'days']],
		['a day', '2026-11-20', '2026-11-21', ['2025-11-20', '2025-11-21', 12, 'months']],
		['a leap day: no such day', '2028-02-29', '2028-03-01', ['2027-03-01', '2027-03-01', 12, 'months']],
		['days after a leap day', '2028-02-29', '2028-03-07', ['2027-03-01', '2027-03-07', 12, 'months']],
	])('for %s', (_, from, to, expected) => expect(compare(from, to, 'previousYear')).toEqual(expected));
});
