import mapKeys from 'lodash/mapKeys.js';
import omitBy from 'lodash/omitBy.js';
import sortBy from 'lodash/sortBy.js';
import { DateTime } from 'luxon';
import type { INodeParameters } from 'n8n-workflow';
import type { SqlValue } from '../platform/database.ts';

import type { StandIn } from '../platform/index.ts';

/** The stand-in's energies have three decimals: SQLite adds them as whole thousandths, without rounding. */
const FIGURES = `count(*) AS count, coalesce(sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)), 0) / 1000.0 AS EnergyConsumed_sum,
	count(*) - count(EnergyConsumed) AS EnergyConsumed_missing`;

/** The expected summary, by hand-written SQL. `where` is the condition of the filter. */
export function summaryBySql({ db }: Pick<StandIn, 'db'>, zone: string, where = '1 = 1') {
	const all = (sql: string, ...values: SqlValue[]) =>
		db
			.prepare(sql)
			.all(...values)
			.map((row) => ({ ...row }));
	const iso = (wire: unknown) => DateTime.fromISO(String(wire), { zone: 'utc' }).setZone(zone);
	const [ends] = all(`SELECT min(StartedAtUtc) AS first, max(StartedAtUtc) AS last FROM sessions WHERE ${where}`);
	const wire = (time: DateTime) => time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss");
	const days: Array<Record<string, unknown>> = [];
	for (let day = iso(ends?.first).startOf('day'); day <= iso(ends?.last); day = day.plus({ days: 1 })) {
		const [figures] = all(
			`SELECT ${FIGURES} FROM sessions WHERE (${where}) AND StartedAtUtc >= ? AND StartedAtUtc < ?`,
			wire(day),
			wire(day.plus({ days: 1 })),
		);
		days.push({ day: day.toISODate(), ...figures });
	}
	const [figures] = all(`SELECT ${FIGURES} FROM sessions WHERE ${where}`);
	return {
		count: figures?.count,
		EnergyConsumed_sum: figures?.EnergyConsumed_sum,
		EnergyConsumed_missing: figures?.EnergyConsumed_missing,
		firstStartedAt: iso(ends?.first).toISO(),
		lastStartedAt: iso(ends?.last).toISO(),
		withoutStart: 0,
		byStatus: all(
			`SELECT Status AS status, CASE Status WHEN 4 THEN 'Finished' WHEN 6 THEN 'Failed' ELSE 'Code ' || Status END AS StatusName, ${FIGURES}
			 FROM sessions WHERE ${where} GROUP BY Status ORDER BY Status`,
		),
		byDay: days,
		byField: all(
			`SELECT StationName, ${FIGURES} FROM sessions WHERE ${where}
			 GROUP BY StationName ORDER BY EnergyConsumed_sum DESC, StationName LIMIT 5`,
		),
	};
}

/** The months from the first one, each with its begin and end in the platform's time format. */
function monthsFrom(first: string, count: number, zone: string) {
	const wire = (time: DateTime) => time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss");
	return Array.from({ length: count }, (_, index) => {
		const begin = DateTime.fromISO(first, { zone }).plus({ months: index });
		return { month: begin.toFormat('yyyy-MM'), from: wire(begin), to: wire(begin.plus({ months: 1 })) };
	});
}

/** Spreads the sessions evenly over two years up to November 2026, so that each month has one a year before. */
export function spreadOverTwoYears({ db }: Pick<StandIn, 'db'>): void {
	db.exec(
		`UPDATE sessions SET StartedAtUtc = strftime('%Y-%m-%dT%H:%M:%S', '2024-10-31T23:00:00',
		 '+' || CAST(Id * 63072000.0 / (SELECT max(Id) + 1 FROM sessions) AS INTEGER) || ' seconds')`,
	);
}

export const during = (from: string, to: string) => ({ startedAtUtc: [{ operator: 'GteLt', from, to }] });
/** The second of the two years. */
export const LAST_YEAR = during('2025-11-01T00:00:00', '2026-11-01T00:00:00');

/** Three measures of that year's sessions by station and month, beside the year before. */
export const STATIONS_BY_MONTH: INodeParameters = {
	operation: 'summary',
	filters: LAST_YEAR,
	measures: {
		values: [
			{ field: 'EnergyConsumed', function: 'sum' },
			{ field: 'Price', function: 'average' },
			{ field: 'UserName', function: 'distinct' },
		],
	},
	groupBy: ['month', 'field'],
	groupByField: 'StationName',
	result: 'itemPerGroup',
	compareWith: 'previousYear',
	options: {},
};

const NONE = { count: 0, EnergyConsumed_sum: 0, Price_average: null, UserName_distinct: 0 };

/** These items by month and station, without their differences. */
export const byMonthAndStation = (items: readonly Record<string, unknown>[]) =>
	sortBy(
		items.map((item) => omitBy(item, (_, name) => /_difference/.test(name))),
		['month', 'StationName'],
	);

/** The items that STATIONS_BY_MONTH must give, in the order of byMonthAndStation. */
export function stationsByMonthBySql(platform: Pick<StandIn, 'db'>, zone: string) {
	const now = tableBySql(platform, zone, '2025-11-01');
	const before = tableBySql(platform, zone, '2024-11-01');
	const groups = new Map([...now].map(([key, { month, StationName }]) => [key, { month, StationName }]));
	for (const [key, { month, StationName }] of before) {
		groups.set(yearLater(key), { month: yearLater(month), StationName });
	}
	const earlier = new Map([...before].map(([key, { figures }]) => [yearLater(key), figures]));
	return byMonthAndStation(
		[...groups].map(([key, group]) => ({
			...group,
			...(now.get(key)?.figures ?? NONE),
			...mapKeys(earlier.get(key) ?? NONE, (_, name) => `${name}_previous`),
		})),
	);
}

const yearLater = (month: string) => `${Number(month.slice(0, 4)) + 1}${month.slice(4)}`;

/** The figures of twelve months by month and station: whole numbers, divided once. */
function tableBySql({ db }: Pick<StandIn, 'db'>, zone: string, first: string) {
	const table = new Map<string, { month: string; StationName: unknown; figures: Record<string, unknown> }>();
	for (const { month, from, to } of monthsFrom(first, 12, zone)) {
		const rows = db
			.prepare(
				`SELECT StationName, count(*) AS count, count(Price) AS priced, count(DISTINCT UserName) AS drivers,
				 coalesce(sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)), 0) AS energy,
				 coalesce(sum(CAST(round(Price * 100) AS INTEGER)), 0) AS price
				 FROM sessions WHERE StartedAtUtc >= ? AND StartedAtUtc < ? GROUP BY StationName`,
			)
			.all(from, to);
		for (const { StationName, count, priced, drivers, energy, price } of rows) {
			const figures = {
				count,
				EnergyConsumed_sum: Number(energy) / 1000,
				Price_average: priced === 0 ? null : Number(price) / (100 * Number(priced)),
				UserName_distinct: drivers,
			};
			table.set(`${month} ${String(StationName)}`, { month, StationName, figures });
		}
	}
	return table;
}
