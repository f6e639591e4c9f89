import { DateTime } from 'luxon';
import type { SQLInputValue } from 'node:sqlite';

import type { StandIn } from '../platform/index.ts';

/** The energies of the stand-in have three digits: as whole thousandths SQLite adds them without rounding. */
const FIGURES = `count(*) AS count, coalesce(sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)), 0) / 1000.0 AS energyConsumed,
	count(*) - count(EnergyConsumed) AS withoutEnergy`;

/** What a summary must say, by SQL written by hand. `where` is the condition of the filter. */
export function summaryBySql({ db }: Pick<StandIn, 'db'>, zone: string, where = '1 = 1') {
	const all = (sql: string, ...values: SQLInputValue[]) =>
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
		energyConsumed: figures?.energyConsumed,
		withoutEnergy: figures?.withoutEnergy,
		firstStartedAt: iso(ends?.first).toISO(),
		lastStartedAt: iso(ends?.last).toISO(),
		withoutStart: 0,
		byStatus: all(
			`SELECT Status AS status, CASE Status WHEN 4 THEN 'Finished' WHEN 6 THEN 'Failed' ELSE 'Code ' || Status END AS label, ${FIGURES}
			 FROM sessions WHERE ${where} GROUP BY Status ORDER BY Status`,
		),
		byDay: days,
		byField: all(
			`SELECT StationName AS value, ${FIGURES} FROM sessions WHERE ${where}
			 GROUP BY StationName ORDER BY count(*) DESC, StationName LIMIT 5`,
		),
	};
}

/** The months from the first, each with the instants at which it begins and ends, as the platform writes times. */
function monthsFrom(first: string, count: number, zone: string) {
	const wire = (time: DateTime) => time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss");
	return Array.from({ length: count }, (_, index) => {
		const begin = DateTime.fromISO(first, { zone }).plus({ months: index });
		return { month: begin.toFormat('yyyy-MM'), from: wire(begin), to: wire(begin.plus({ months: 1 })) };
	});
}

/** The figures that sessions of some months must have by station and month, by SQL: whole numbers, divided once. */
export function tableBySql({ db }: Pick<StandIn, 'db'>, zone: string, first: string, count: number) {
	const table = new Map<string, Record<string, unknown>>();
	for (const { month, from, to } of monthsFrom(first, count, zone)) {
		const rows = db
			.prepare(
				`SELECT StationName, count(*) AS count, count(Price) AS priced, count(DISTINCT UserName) AS drivers,
				 coalesce(sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)), 0) AS energy,
				 coalesce(sum(CAST(round(Price * 100) AS INTEGER)), 0) AS price
				 FROM sessions WHERE StartedAtUtc >= ? AND StartedAtUtc < ? GROUP BY StationName`,
			)
			.all(from, to);
		for (const row of rows) {
			table.set(`${month} ${String(row.StationName)}`, {
				count: row.count,
				EnergyConsumed_sum: Number(row.energy) / 1000,
				Price_average: row.priced === 0 ? null : Number(row.price) / (100 * Number(row.priced)),
				UserName_distinct: row.drivers,
			});
		}
	}
	return table;
}
