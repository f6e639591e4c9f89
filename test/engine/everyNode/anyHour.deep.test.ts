import range from 'lodash/range.js';
import { DateTime } from 'luxon';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { setTimeOfDay } from '../../support/clock.ts';
import { IS_DEEP } from '../../support/draws.ts';
import { credentialFor, runNode } from '../../support/harness.ts';

/**
 * The days of a workflow in its own time zone, where the clock is set back, so that one has 25 hours. All periods in all
 * zones: test/unit/shared/dsquery/values/periods.deep.test.ts.
 */
const DAYS = [
	['Europe/Berlin', '2026-10-25'],
	['America/Los_Angeles', '2026-11-01'],
] as const;
const HOURS = IS_DEEP ? range(24) : [0, 23];
const MOMENTS = DAYS.flatMap(([timezone, day]) => HOURS.map((hour) => [timezone, day, hour] as const));

let platform: StandIn;
beforeAll(async () => {
	platform = await startPlatform({ sessions: 0, stations: 6 });
});
afterAll(async () => {
	await platform.close();
	jest.useRealTimers();
});

describe.each(MOMENTS)('%s, %s, hour %i', (timezone, day, hour) => {
	const time = `${String(hour).padStart(2, '0')}:${hour % 2 ? '59:59' : '00:00'}`;
	const now = DateTime.fromISO(`${day}T${time}`, { zone: timezone });
	const today = now.startOf('day');
	const tomorrow = today.plus({ days: 1 });
	const threeDaysAgo = today.minus({ days: 3 });
	const sixHoursAgo = now.minus({ hours: 6 });
	/** Sessions that began at the edges of the periods, a second before and behind them, and each hour of three days. */
	const starts = [
		...[threeDaysAgo, today, tomorrow, sixHoursAgo, now].flatMap((edge) =>
			[-1, 0, 1].map((seconds) => edge.plus({ seconds })),
		),
		...range(72).map((hours) => now.minus({ hours })),
	];
	const within = (from: DateTime, to: DateTime) => starts.filter((start) => start >= from && start < to);

	beforeAll(() => {
		setTimeOfDay(now.toMillis());
		platform.reset();
		for (const start of starts) platform.startSession({ startedAt: start.toMillis(), status: 4, energy: 1 });
	});

	const during = (period: string) => ({
		startedAtUtc: [{ operator: 'InPeriod', period, ...(period === 'lastHours' ? { hours: 6 } : { days: 3 }) }],
	});
	async function run(type: string, parameters: INodeParameters, items?: IDataObject[]): Promise<IDataObject[]> {
		const { json, error } = await runNode({
			type,
			credential: credentialFor(platform),
			timezone,
			parameters,
			items,
		});
		expect(error).toBeUndefined();
		return json;
	}

	it.each([
		['today', today, tomorrow],
		['lastDays', threeDaysAgo, today],
		['lastHours', sixHoursAgo, now],
	])('%s: Get Many returns the sessions of that time', async (period, from, to) => {
		const rows = await run('chargingSessions', { operation: 'getAll', returnAll: true, filters: during(period) });
		const expected = within(from, to).map((start) => start.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss"));
		expect(rows.map(({ StartedAtUtc }) => StartedAtUtc).sort()).toEqual(expected.sort());
	});

	it('Summarize gives each of the last days its sessions, and compares with the days before', async () => {
		const [summary] = await run('chargingSessions', {
			operation: 'summary',
			filters: during('lastDays'),
			groupBy: ['day'],
			compareWith: 'previousPeriod',
		});
		const days = [3, 2, 1].map((ago) => today.minus({ days: ago }));
		const byDay = summary?.byDay as IDataObject[];
		expect(byDay.map(({ day: date, count }) => [date, count])).toEqual(
			days.map((date) => [date.toISODate(), within(date, date.plus({ days: 1 })).length]),
		);
	});

	it('Export writes the sessions of today, in a file named by this day', async () => {
		const parameters = { operation: 'exportByFilter', filters: during('today') };
		expect(await run('chargingSessionsCsvExport', parameters)).toMatchObject([
			{ fileName: `charging-sessions-${day}.csv`, sessionCount: within(today, tomorrow).length },
		]);
	});

	it('Availability counts an outage that began yesterday from the beginning of today up to now', async () => {
		const since = today.minus({ hours: 1 }).toISO();
		const outage = { incidentId: 'outage', stationId: 1, since };
		const watched = { kind: 'watching', since, until: now.toISO(), openIncidents: [outage], stations: 6, polls: 99 };
		const stations = await run('chargingStations', { operation: 'availability', period: 'today', result: 'stations' }, [
			watched,
			{ kind: 'incident', ...outage, until: null },
		]);
		const station = stations.find(({ stationId }) => stationId === 1);
		expect(station?.downMinutes).toBeCloseTo(now.diff(today, 'minutes').minutes);
	});
});
