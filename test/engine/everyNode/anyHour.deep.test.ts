import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { IS_DEEP } from '../../support/draws.ts';
import { runExport } from '../../support/export.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';
import { setTimeOfDay } from '../../support/timeOfDay.ts';

/** Days on which the clock is set back, so that the day has 25 hours. */
const DAYS = [
	['Europe/Berlin', '2026-10-25'],
	['America/Los_Angeles', '2026-11-01'],
] as const;
const HOURS = IS_DEEP ? Array.from({ length: 24 }, (_, hour) => hour) : [0, 23];

/** The first day of each period and the day behind it, in words of luxon. */
const PERIODS: Record<string, (now: DateTime) => [DateTime, DateTime]> = {
	today: (now) => [now.startOf('day'), now.startOf('day').plus({ days: 1 })],
	yesterday: (now) => [now.startOf('day').minus({ days: 1 }), now.startOf('day')],
	thisWeek: (now) => [now.startOf('week'), now.startOf('week').plus({ weeks: 1 })],
	lastWeek: (now) => [now.startOf('week').minus({ weeks: 1 }), now.startOf('week')],
	thisMonth: (now) => [now.startOf('month'), now.startOf('month').plus({ months: 1 })],
	lastMonth: (now) => [now.startOf('month').minus({ months: 1 }), now.startOf('month')],
	lastDays: (now) => [now.startOf('day').minus({ days: 3 }), now.startOf('day')],
	lastHours: (now) => [now.minus({ hours: 6 }), now],
};

const wire = (time: DateTime) => time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss");

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 300, stations: 6 });
});
afterAll(async () => {
	await platform.close();
	jest.useRealTimers();
});

/** Sessions that began at the edges of all periods, a second before and behind them, and each hour of three days. */
function startSessions(now: DateTime): DateTime[] {
	const edges = Object.values(PERIODS).flatMap((period) => period(now));
	const starts = [
		...edges.flatMap((edge) => [-1, 0, 1].map((seconds) => edge.plus({ seconds }))),
		...Array.from({ length: 72 }, (_, hours) => now.minus({ hours })),
	];
	platform.reset();
	platform.db.exec(`DELETE FROM sessions WHERE Id NOT IN (SELECT Id FROM sessions ORDER BY Id LIMIT ${starts.length})`);
	const ids = platform.db.prepare('SELECT Id FROM sessions ORDER BY Id').all();
	const update = platform.db.prepare(
		'UPDATE sessions SET StartedAtUtc = ?, Status = 4, EnergyConsumed = 1 WHERE Id = ?',
	);
	starts.forEach((start, index) => update.run(wire(start), Number(ids[index]?.Id)));
	return starts;
}

describe.each(DAYS)('%s', (timezone, day) => {
	describe.each(HOURS)(`on ${day} at %i o'clock`, (hour) => {
		let now: DateTime;
		let starts: DateTime[];
		const during = (period: string) => ({
			startedAtUtc: [{ operator: 'InPeriod', period, ...(period === 'lastHours' ? { hours: 6 } : { days: 3 }) }],
		});
		const within = (period: string) => {
			const [from, to] = PERIODS[period]?.(now) ?? [];
			return starts.filter((start) => from && to && start >= from && start < to);
		};
		const run = async (type: string, parameters: IDataObject, options: Partial<RunOptions> = {}) =>
			await runNode({
				type,
				credential: credentialFor(platform),
				timezone,
				parameters: parameters as never,
				...options,
			});

		beforeAll(() => {
			now = DateTime.fromISO(`${day}T${String(hour).padStart(2, '0')}:${hour % 2 ? '59:59' : '00:00'}`, {
				zone: timezone,
			});
			setTimeOfDay(now.toMillis());
			starts = startSessions(now);
		});

		it.each(Object.keys(PERIODS))('%s: Get Many returns the sessions of these days', async (period) => {
			const { json } = await run('chargingSessions', { operation: 'getAll', returnAll: true, filters: during(period) });
			const expected = within(period).map(wire).sort();
			expect(json.map(({ StartedAtUtc }) => StartedAtUtc).sort()).toEqual(expected);
		});

		it('Summarize gives each of the last days its sessions, and compares with the days before', async () => {
			const { json } = await run('chargingSessions', {
				...{ operation: 'summary', filters: during('lastDays'), groupBy: ['day'], compareWith: 'previousPeriod' },
			});
			const byDay = PERIODS.lastDays?.(now)[0];
			const days = [0, 1, 2].map((plus) => byDay?.plus({ days: plus }).toISODate());
			const expected = days.map((date) => [
				date,
				within('lastDays').filter((start) => start.toISODate() === date).length,
			]);
			expect((json[0]?.byDay as IDataObject[]).map(({ day: date, count }) => [date, count])).toEqual(expected);
		});

		it('Export writes the sessions of today, in a file named by this day', async () => {
			const { items } = await runExport(
				platform,
				{ operation: 'exportByFilter', filters: during('today') },
				{ timezone },
			);
			expect(items[0]?.json).toMatchObject({
				fileName: `charging-sessions-${day}.csv`,
				sessionCount: within('today').length,
			});
		});

		it('Availability counts an outage that began yesterday from the beginning of today up to now', async () => {
			const today = now.startOf('day');
			const began = today.minus({ hours: 1 });
			const outage = { incidentId: 'outage', stationId: 1, since: began.toISO() };
			const parameters = { operation: 'availability', period: 'today', result: 'stations' };
			const items = [
				{ kind: 'watching', since: began.toISO(), until: now.toISO(), openIncidents: [outage], stations: 6, polls: 99 },
				{ kind: 'incident', ...outage, until: null },
			];
			const { json, error } = await run('chargingStations', parameters, { items });
			expect(error).toBeUndefined();
			const station = json.find(({ stationId }) => stationId === '1');
			expect(station?.downMinutes).toBeCloseTo(now.diff(today, 'minutes').minutes);
		});
	});
});
