import fc from 'fast-check';

import type { DayPeriodName, Period } from '../../../../../nodes/shared/dsquery/values/periods';
import { DAY_PERIODS, periodSpan } from '../../../../../nodes/shared/dsquery/values/periods';
import { draws, IS_DEEP } from '../../../../support/draws.ts';

const HOUR = 3_600_000;

/** Zones with every kind of clock change. Deep mode adds all zones that this machine knows. */
const ZONES = [
	'UTC',
	'Europe/Berlin',
	'Europe/Dublin',
	'Europe/Moscow',
	'Atlantic/Azores',
	'America/New_York',
	'America/St_Johns',
	'America/Sao_Paulo',
	'America/Havana',
	'America/Santiago',
	'America/Asuncion',
	'America/Caracas',
	'America/Godthab',
	'Africa/Cairo',
	'Africa/Casablanca',
	'Asia/Beirut',
	'Asia/Amman',
	'Asia/Gaza',
	'Asia/Tehran',
	'Asia/Kolkata',
	'Asia/Kathmandu',
	'Asia/Pyongyang',
	'Australia/Lord_Howe',
	'Australia/Adelaide',
	'Pacific/Apia',
	'Pacific/Chatham',
	'Pacific/Kiritimati',
	'Pacific/Kwajalein',
	'Antarctica/Troll',
];
const ALL_ZONES = IS_DEEP ? [...new Set([...ZONES, ...Intl.supportedValuesOf('timeZone')])] : ZONES;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local date of an instant, using only Intl. */
function localDate(instant: number, zone: string): string {
	let format = formats.get(zone);
	if (!format) {
		format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' });
		formats.set(zone, format);
	}
	return format.format(instant);
}

const day = (date: string) => new Date(`${date}T00:00:00Z`);
const text = (date: Date) => date.toISOString().slice(0, 10);
function shift(
	date: string,
	{ days = 0, months = 0, years = 0 }: { days?: number; months?: number; years?: number },
): string {
	const moved = day(date);
	moved.setUTCFullYear(moved.getUTCFullYear() + years, moved.getUTCMonth() + months, moved.getUTCDate() + days);
	return text(moved);
}

/** The first day of a period and the first day after it, by counting calendar days. */
function expectedDays(name: DayPeriodName, today: string, days: number): [string, string] {
	const monday = shift(today, { days: -((day(today).getUTCDay() + 6) % 7) });
	const first = `${today.slice(0, 7)}-01`;
	const newYear = `${today.slice(0, 4)}-01-01`;
	const quarter = shift(newYear, { months: 3 * Math.floor(day(today).getUTCMonth() / 3) });
	switch (name) {
		case 'today':
			return [today, shift(today, { days: 1 })];
		case 'yesterday':
			return [shift(today, { days: -1 }), today];
		case 'thisWeek':
			return [monday, shift(monday, { days: 7 })];
		case 'lastWeek':
			return [shift(monday, { days: -7 }), monday];
		case 'thisMonth':
			return [first, shift(first, { months: 1 })];
		case 'lastMonth':
			return [shift(first, { months: -1 }), first];
		case 'thisQuarter':
			return [quarter, shift(quarter, { months: 3 })];
		case 'lastQuarter':
			return [shift(quarter, { months: -3 }), quarter];
		case 'thisYear':
			return [newYear, shift(newYear, { years: 1 })];
		case 'lastYear':
			return [shift(newYear, { years: -1 }), newYear];
		case 'lastDays':
			return [shift(today, { days: -days }), today];
	}
}

/** The first whole second at which the local date is that day or later, found from local dates only. */
function startOfDay(date: string, zone: string): number {
	const noon = day(date).getTime();
	// Walks by quarter hours from the day before: local dates only run forward, except where clocks go back over
	// midnight. There, the first midnight counts.
	let instant = noon - 40 * HOUR;
	while (localDate(instant, zone) < date) instant += HOUR / 4;
	instant -= HOUR / 4;
	while (localDate(instant, zone) < date) instant += 1000;
	return instant;
}

const YEAR_2100 = Date.UTC(2100, 0, 1);

/** By zone, instants up to ten days before its clock changes, found by comparing UTC offsets every ten days. */
const changes = new Map<string, number[]>();
function clockChanges(zone: string): number[] {
	let found = changes.get(zone);
	if (found) return found;
	const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'longOffset' });
	const offset = (instant: number) => clock.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value;
	found = [];
	let before = offset(Date.UTC(1985, 0, 1));
	for (let instant = Date.UTC(1985, 0, 1); instant < Date.UTC(2030, 0, 1); instant += 240 * HOUR) {
		const now = offset(instant);
		if (now !== before) found.push(instant - 240 * HOUR);
		before = now;
	}
	changes.set(zone, found);
	return found;
}

const zoneAndNow = fc.constantFrom(...ALL_ZONES).chain((zone) => {
	const near = clockChanges(zone);
	const anytime = fc.integer({ min: Date.UTC(1985, 0, 2), max: YEAR_2100 });
	const now =
		near.length === 0
			? anytime
			: fc.oneof(
					anytime,
					fc.tuple(fc.constantFrom(...near), fc.integer({ min: -24 * HOUR, max: 264 * HOUR })).map(([a, b]) => a + b),
				);
	return fc.record({ zone: fc.constant(zone), now });
});

it('spans whole local days in every zone, across all clock changes', () => {
	fc.assert(
		fc.property(
			zoneAndNow,
			fc.constantFrom(...DAY_PERIODS),
			fc.integer({ min: 1, max: 400 }),
			({ zone, now }, name, days) => {
				const period: Period = name === 'lastDays' ? { name, days } : { name };
				const [first, after] = expectedDays(name, localDate(now, zone), days);
				const { from, to } = periodSpan(period, new Date(now), zone);
				expect([zone, from.toMillis(), to.toMillis()]).toEqual([
					zone,
					startOfDay(first, zone),
					startOfDay(after, zone),
				]);
			},
		),
		{ numRuns: draws(6_000) },
	);
});

it('ends yesterday exactly where today begins', () => {
	fc.assert(
		fc.property(zoneAndNow, ({ zone, now }) => {
			const today = periodSpan({ name: 'today' }, new Date(now), zone);
			expect(periodSpan({ name: 'yesterday' }, new Date(now), zone).to.toMillis()).toBe(today.from.toMillis());
			expect(today.from.toMillis()).toBeLessThanOrEqual(now);
			expect(today.to.toMillis()).toBeGreaterThanOrEqual(today.from.toMillis());
		}),
		{ numRuns: draws(6_000) },
	);
});
