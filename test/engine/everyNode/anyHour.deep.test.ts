import { DateTime } from 'luxon';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { setTimeOfDay } from '../../support/clock.ts';
import { IS_DEEP } from '../../support/draws.ts';
import { credentialFor, runNode } from '../../support/harness.ts';

/** Periods of a workflow in its own time zone, on days on which the clock is set back, so that they have 25 hours. */
const DAYS = [
	['Europe/Berlin', '2026-10-25'],
	['America/Los_Angeles', '2026-11-01'],
] as const;
const HOURS = IS_DEEP ? Array.from({ length: 24 }, (_, hour) => hour) : [0, 23];
const MOMENTS = DAYS.flatMap(([timezone, day]) => HOURS.map((hour) => [timezone, day, hour] as const));

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

let platform: StandIn;
beforeAll(async () => {
	platform = await startPlatform({ sessions: 0, stations: 6 });
});
afterAll(async () => {
	await platform.close();
	jest.useRealTimers();
});

describe.each(MOMENTS)('%s, %s, hour %i', (timezone, day, hour) => {
	let now: DateTime;
	let starts: DateTime[];

	/** Sessions that began at the edges of all periods, a second before and behind them, and each hour of three days. */
	beforeAll(() => {
		const time = `${String(hour).padStart(2, '0')}:${hour % 2 ? '59:59' : '00:00'}`;
		now = DateTime.fromISO(`${day}T${time}`, { zone: timezone });
		setTimeOfDay(now.toMillis());
		const edges = Object.values(PERIODS).flatMap((period) => period(now));
		starts = [
			...edges.flatMap((edge) => [-1, 0, 1].map((seconds) => edge.plus({ seconds }))),
			...Array.from({ length: 72 }, (_, hours) => now.minus({ hours })),
		];
		platform.reset();
		for (const start of starts) platform.startSession({ startedAt: start.toMillis(), status: 4, energy: 1 });
	});

	const during = (period: string) => ({
		startedAtUtc: [{ operator: 'InPeriod', period, ...(period === 'lastHours' ? { hours: 6 } : { days: 3 }) }],
	});
	const within = (period: string) => {
		const [from, to] = PERIODS[period]?.(now) ?? [];
		return starts.filter((start) => from && to && start >= from && start < to);
	};
	async function run(type: string, parameters: INodeParameters, items?: IDataObject[]): Promise<IDataObject[]> {
		const { json, error } = await runNode({
			...{ type, credential: credentialFor(platform), timezone, parameters, items },
		});
		expect(error).toBeUndefined();
		return json;
	}

	it.each(Object.keys(PERIODS))('%s: Get Many returns the sessions of these days', async (period) => {
		const rows = await run('chargingSessions', { operation: 'getAll', returnAll: true, filters: during(period) });
		const expected = within(period).map((start) => start.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss"));
		expect(rows.map(({ StartedAtUtc }) => StartedAtUtc).sort()).toEqual(expected.sort());
	});

	it('Summarize gives each of the last days its sessions, and compares with the days before', async () => {
		const [summary] = await run('chargingSessions', {
			...{ operation: 'summary', filters: during('lastDays'), groupBy: ['day'], compareWith: 'previousPeriod' },
		});
		const days = [3, 2, 1].map((ago) => now.startOf('day').minus({ days: ago }).toISODate());
		const countOf = (date: unknown) => within('lastDays').filter((start) => start.toISODate() === date).length;
		const byDay = summary?.byDay as IDataObject[];
		expect(byDay.map(({ day: date, count }) => [date, count])).toEqual(days.map((date) => [date, countOf(date)]));
	});

	it('Export writes the sessions of today, in a file named by this day', async () => {
		const parameters = { operation: 'exportByFilter', filters: during('today') };
		expect(await run('chargingSessionsCsvExport', parameters)).toMatchObject([
			{ fileName: `charging-sessions-${day}.csv`, sessionCount: within('today').length },
		]);
	});

	it('Availability counts an outage that began yesterday from the beginning of today up to now', async () => {
		const today = now.startOf('day');
		const since = today.minus({ hours: 1 }).toISO();
		const outage = { incidentId: 'outage', stationId: 1, since };
		const watched = { kind: 'watching', since, until: now.toISO(), openIncidents: [outage], stations: 6, polls: 99 };
		const stations = await run('chargingStations', { operation: 'availability', period: 'today', result: 'stations' }, [
			watched,
			{ kind: 'incident', ...outage, until: null },
		]);
		const station = stations.find(({ stationId }) => stationId === '1');
		expect(station?.downMinutes).toBeCloseTo(now.diff(today, 'minutes').minutes);
	});
});
