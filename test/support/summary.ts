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
