import fc from 'fast-check';
import memoize from 'lodash/memoize';

import type { DayPeriodName, ChosenPeriod } from '../../../../../nodes/shared/dsquery/values/periods';
import { DAY_PERIODS, periodSpan } from '../../../../../nodes/shared/dsquery/values/periods';
import { draws } from '../../../../support/draws.ts';

const HOUR = 3_600_000;
/** Zones with every kind of clock change, each with a day of one: at midnight, by half an hour, or by a whole day. */
const ODD_DAYS = [
	['Europe/Berlin', '2026-03-29'],
	['Atlantic/Azores', '2026-10-25'],
	['America/St_Johns', '2006-10-29'],
	['America/Sao_Paulo', '2018-11-04'],
	['America/Havana', '2024-11-03'],
	['America/Caracas', '2016-05-01'],
	['Asia/Kathmandu', '1986-01-01'],
	['Australia/Lord_Howe', '2026-04-05'],
	['Pacific/Apia', '2011-12-30'],
] as const;

const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
const formatOf = memoize((timeZone: string) => new Intl.DateTimeFormat('en-CA', { timeZone, ...parts }));
/** The local date of an instant, using only Intl. */
const localDate = (instant: number, zone: string) => formatOf(zone).format(instant);

const day = (date: string) => new Date(`${date}T00:00:00Z`);
function shift(date: string, by: { days?: number; months?: number; years?: number }): string {
	const moved = day(date);
	const { days = 0, months = 0, years = 0 } = by;
	moved.setUTCFullYear(moved.getUTCFullYear() + years, moved.getUTCMonth() + months, moved.getUTCDate() + days);
	return moved.toISOString().slice(0, 10);
}

/** The first day of a period and the first day after it, by counting calendar days. */
function expectedDays(name: DayPeriodName, today: string, days: number): [string, string] {
	const monday = shift(today, { days: -((day(today).getUTCDay() + 6) % 7) });
	const first = `${today.slice(0, 7)}-01`;
	const newYear = `${today.slice(0, 4)}-01-01`;
	const quarter = shift(newYear, { months: 3 * Math.floor(day(today).getUTCMonth() / 3) });
	const expected: Record<DayPeriodName, [string, string]> = {
		today: [today, shift(today, { days: 1 })],
		yesterday: [shift(today, { days: -1 }), today],
		thisWeek: [monday, shift(monday, { days: 7 })],
		lastWeek: [shift(monday, { days: -7 }), monday],
		thisMonth: [first, shift(first, { months: 1 })],
		lastMonth: [shift(first, { months: -1 }), first],
		thisQuarter: [quarter, shift(quarter, { months: 3 })],
		lastQuarter: [shift(quarter, { months: -3 }), quarter],
		thisYear: [newYear, shift(newYear, { years: 1 })],
		lastYear: [shift(newYear, { years: -1 }), newYear],
		lastDays: [shift(today, { days: -days }), today],
	};
	return expected[name];
}

/** The first second at which the local date is that day or later. Where clocks go back over midnight, the first one. */
function startOfDay(date: string, zone: string): number {
	let instant = day(date).getTime() - 40 * HOUR;
	while (localDate(instant, zone) < date) instant += HOUR / 4;
	instant -= HOUR / 4;
	while (localDate(instant, zone) < date) instant += 1000;
	return instant;
}

const zoneAndNow = fc
	.tuple(fc.constantFrom(...ODD_DAYS), fc.integer({ min: Date.UTC(1985, 0, 2), max: Date.UTC(2100, 0, 1) }))
	.chain(([[zone, odd], anytime]) =>
		fc
			.oneof(
				fc.constant(anytime),
				fc.integer({ min: -48, max: 96 }).map((hours) => day(odd).getTime() + hours * HOUR),
			)
			.map((now) => ({ zone, now })),
	);

function check(period: ChosenPeriod & { name: DayPeriodName }, now: number, zone: string): void {
	const { from, to } = periodSpan(period, new Date(now), zone);
	const expected = expectedDays(period.name, localDate(now, zone), period.days ?? 0);
	const [begin, end] = expected.map((date) => startOfDay(date, zone));
	expect({ ...period, from: from.toMillis(), to: to.toMillis() }).toEqual({ ...period, from: begin, to: end });
	expect(from.zoneName).toBe(zone);
}

it.each(ODD_DAYS)('%s: the day of the clock change, %s, is as long as it is', (zone, date) => {
	const noon = startOfDay(date, zone) + 12 * HOUR;
	check({ name: 'today' }, noon, zone);
	check({ name: 'yesterday' }, noon + 24 * HOUR, zone);
	check({ name: 'thisWeek' }, noon, zone);
});

it('spans whole local days in every zone, across all clock changes, and ends exactly where the next day begins', () => {
	fc.assert(
		fc.property(zoneAndNow, fc.integer({ min: 1, max: 400 }), ({ zone, now }, days) => {
			for (const name of DAY_PERIODS) check({ name, days }, now, zone);
		}),
		{ numRuns: draws(1_000) },
	);
});
