import { DateTime } from 'luxon';
import type { Database, SqlValue } from '../platform/database.ts';

import type { StandIn } from '../platform/index.ts';

/** The stand-in's data, and the time zone of the workflows. */
export interface Ground {
	db: Database;
	timezone: string;
}

/** A row of an answer, reduced to the columns that are compared. */
export type ExpectedRow = Record<string, SqlValue>;

/** What one node of an example must return, found without the package: by hand-written SQL on the stand-in's tables. */
export interface Expectation {
	node: string;
	/** A description for the printed table. */
	says: string;
	/** Changes something at the platform just before the example is run. */
	before?: (platform: StandIn) => void;
	/** A query, or what else gives the rows. */
	rows: string | ((ground: Ground) => ExpectedRow[]);
	/** The values of a query's question marks. */
	values?: (zone: string) => string[];
}

export function expectedRows({ rows, values }: Expectation, ground: Ground): ExpectedRow[] {
	return typeof rows === 'string' ? all(ground.db, rows, ...(values?.(ground.timezone) ?? [])) : rows(ground);
}

const utc = (time: DateTime) => time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss");

/** A span of local days, weeks or months, counted from the current one, in the platform's time format. */
const spanOf =
	(unit: 'day' | 'week' | 'month') =>
	(from: number, to: number) =>
	(zone: string): [string, string] => {
		const now = DateTime.now().setZone(zone).startOf(unit);
		return [utc(now.plus({ [unit]: from })), utc(now.plus({ [unit]: to }))];
	};

const days = spanOf('day');
const weeks = spanOf('week');
const months = spanOf('month');

/** The order of texts with Return All, which no database has: Å beside A. */
const collator = new Intl.Collator('en', { sensitivity: 'base' });
export const alphabetical = (one: string, other: string) => collator.compare(one, other);

const STATION = 'Id, Name, NetworkStatus, Status, HardwareStatus';

const STARTED_BETWEEN = 'StartedAtUtc >= ? AND StartedAtUtc < ?';
/** The stand-in's energies have three decimals: SQLite adds them as whole thousandths, without rounding. */
const FIGURES = `count(*) AS count,
	coalesce(sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)), 0) / 1000.0 AS EnergyConsumed_sum,
	count(*) - count(EnergyConsumed) AS EnergyConsumed_missing`;

/** The energy of some sessions, in thousandths. */
const KWH = 'coalesce(sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)), 0)';

const offlineSamples: Expectation = {
	node: 'Station Offline or Back',
	says: 'a test shows the first 3 stations that are offline',
	rows: `SELECT 'offline' AS event, Id AS stationId, Name AS stationName FROM stations
	 WHERE NetworkStatus <> 1 ORDER BY Id LIMIT 3`,
};

/** One entry for each file in `examples/`. */
export const EXPECTATIONS: Readonly<Record<string, readonly Expectation[]>> = {
	'ask-your-network.json': [
		{
			node: 'Stations Down',
			says: 'how many stations are not online',
			rows: 'SELECT count(*) AS notOnline FROM stations WHERE NetworkStatus <> 1',
		},
		{
			node: 'A Station in Figures',
			says: "last month's sessions at the station with ID 1",
			rows: `SELECT Name AS station, count(*) AS sessions, ${KWH} / 1000.0 AS energyConsumed
			 FROM sessions JOIN stations ON stations.Id = 1 AND Name = StationName WHERE ${STARTED_BETWEEN}`,
			values: months(-1, 0),
		},
		{
			node: 'Sessions That Failed',
			says: 'how many sessions that began today failed',
			rows: `SELECT count(*) AS failed FROM sessions WHERE Status = 6 AND ${STARTED_BETWEEN}`,
			values: days(0, 1),
		},
	],
	'daily-summary-to-chat.json': [
		{
			node: 'Yesterday in Figures',
			says: "yesterday's sessions: how many, and their energy",
			rows: `SELECT ${FIGURES} FROM sessions WHERE ${STARTED_BETWEEN}`,
			values: days(-1, 0),
		},
		{ node: 'Message', says: 'one message', rows: () => [{}] },
	],
	'http-request-same-credential.json': [
		{
			node: 'The Answer',
			says: 'the station with ID 1',
			rows: 'SELECT Id, Name FROM stations WHERE Id = 1',
		},
	],
	'monthly-csv-export-by-mail.json': [
		{
			node: "Last Month's Sessions",
			says: 'one file with the finished sessions of last month',
			rows: `SELECT 'charging-sessions-' || ? || '.csv' AS fileName, count(*) AS sessionCount, 0 AS missingCount
			 FROM sessions WHERE Status = 4 AND ${STARTED_BETWEEN}`,
			values: (zone) => [DateTime.now().setZone(zone).minus({ months: 1 }).toFormat('yyyy-MM'), ...months(-1, 0)(zone)],
		},
	],
	'price-corrections.json': [
		{
			node: 'Sessions Exported Again',
			says: "a test shows last month's newest 3 sessions: of these one file",
			rows: () => [{ sessionCount: 3, missingCount: 0 }],
		},
	],
	'sessions-per-day-to-spreadsheet.json': [
		{
			node: 'One Row per Day',
			says: 'sessions and energy of each day of last month',
			rows: ({ db, timezone }) => {
				const first = DateTime.now().setZone(timezone).startOf('month').minus({ months: 1 });
				return Array.from({ length: first.daysInMonth ?? 0 }, (_, days) => first.plus({ days })).flatMap((day) =>
					all(
						db,
						`SELECT '${day.toFormat('yyyy-MM-dd')}' AS day, ${FIGURES} FROM sessions WHERE ${STARTED_BETWEEN}`,
						utc(day),
						utc(day.plus({ days: 1 })),
					),
				);
			},
		},
		{ node: 'Spreadsheet', says: 'one file', rows: () => [{}] },
	],
	'sessions-to-spreadsheet.json': [
		{
			node: 'Columns',
			says: 'sessions of yesterday, oldest first',
			rows: `SELECT Id AS "Session", coalesce(EnergyConsumed, 0) AS "Energy (kWh)" FROM sessions
			 WHERE StartedAtUtc >= ? AND StartedAtUtc < ? ORDER BY StartedAtUtc, Id`,
			values: days(-1, 0),
		},
		{ node: 'Spreadsheet', says: 'one file', rows: () => [{}] },
	],
	'sessions-to-check-before-billing.json': [
		{
			node: 'Reason',
			says: 'finished sessions of last month, and those with an impossible start: what is odd about each',
			before: makeOdd,
			rows: oddSessions,
		},
		{
			node: 'CSV for Billing',
			says: 'one file with those that are not odd',
			rows: (ground) => [{ sessionCount: oddSessions(ground).filter(({ reason }) => reason === '').length }],
		},
	],
	'stations-that-went-quiet.json': [
		{
			node: 'Not Told Yet',
			says: 'stations online, without a session in the last 7 days, with 5 or more in the 7 days before',
			before: silenceStations,
			rows: ({ db, timezone }) => {
				const [before, since] = days(-14, -7)(timezone);
				const [, today] = days(-7, 0)(timezone);
				return all(
					db,
					`SELECT StationName AS station, sum(StartedAtUtc < '${since}') AS sessionsBefore FROM sessions
					 WHERE StartedAtUtc >= ? AND StartedAtUtc < ?
					 AND StationName IN (SELECT Name FROM stations WHERE NetworkStatus = 1)
					 GROUP BY StationName HAVING sessionsBefore >= 5 AND sum(StartedAtUtc >= '${since}') = 0 ORDER BY station`,
					before,
					today,
				);
			},
		},
		{ node: 'Message', says: 'one message', rows: () => [{}] },
	],
	'offline-alert.json': [offlineSamples],
	'offline-acknowledge-and-escalate.json': [offlineSamples],
	'incidents-to-data-table.json': [
		{
			node: 'Station Offline or Back',
			says: 'a test shows the first 3 stations that are offline, and what was watched',
			rows: (ground) => [...expectedRows(offlineSamples, ground), { event: 'watching' }],
		},
	],
	'monthly-uptime-report-by-mail.json': [
		{
			node: 'Uptime of the Network',
			says: 'all stations, and no uptime: the table is empty',
			rows: 'SELECT count(*) AS stations, NULL AS uptimePercent, 0 AS incidents, NULL AS unknownMinutes FROM stations',
		},
		{
			node: 'Uptime per Station',
			says: 'every station',
			rows: 'SELECT Name AS stationName, CAST(Id AS TEXT) AS stationId, 0 AS downMinutes FROM stations ORDER BY Id',
		},
		{
			node: 'Report Data',
			says: 'a warning at the top, as nothing says that anybody watched',
			rows: () => [
				{
					warning:
						'The uptime is not known. No row says that anything was watched, or that a station was down. Check that the right table was read. Switch on Report Watched Time Hourly in the trigger, and keep those rows, too: the first comes about an hour after you publish it.',
				},
			],
		},
		{ node: 'Report', says: 'one report', rows: () => [{}] },
	],
	'new-fault-creates-a-ticket-once.json': [
		{
			node: 'Ticket',
			says: 'a test shows the first 3 stations with their hardware status',
			rows: `SELECT Id AS stationId, HardwareStatus AS "to", 'Fault at ' || Name AS title FROM stations ORDER BY Id LIMIT 3`,
		},
	],
	'charge-point-out-of-order.json': [
		{
			node: 'Charge Point Out of Order or Back',
			says: 'a test shows one message with 3 charge points',
			rows: () => [{ event: 'digest', eventCount: 3 }],
		},
	],
	'failed-session-message.json': [
		{
			node: 'Message',
			says: 'a test shows the newest 3 failed sessions',
			rows: `SELECT 'failed' AS event, Id AS sessionId, 6 AS status, 'Failed' AS statusLabel FROM sessions
			 WHERE Status = 6 ORDER BY Id DESC LIMIT 3`,
		},
	],
	'sessions-running-longer-than-a-day.json': [
		{
			node: 'Running for Over a Day',
			says: 'a test shows one message with the newest 3 sessions that are not over and began in the week up to a day ago',
			rows: `SELECT 'digest' AS event, count(*) AS eventCount FROM (SELECT Id FROM sessions
			 WHERE Status NOT IN (4, 6) AND StartedAtUtc <= ? AND StartedAtUtc >= ? LIMIT 3)`,
			values: () => [1, 8].map((days) => utc(DateTime.now().minus({ days }))),
		},
	],
	'stalled-session.json': [
		{
			node: 'Session Stalls or Resumes',
			says: 'a test shows one message with a running session for each of the two',
			rows: () => [{ event: 'digest', eventCount: 2 }],
		},
	],
	'stations-still-offline-daily.json': [
		{
			node: 'Stations Still Offline',
			says: 'stations not online, by name',
			rows: ({ db }) =>
				all(db, `SELECT ${STATION} FROM stations WHERE NetworkStatus <> 1 ORDER BY Id`).sort((one, other) =>
					alphabetical(String(one.Name), String(other.Name)),
				),
		},
		{ node: 'Message', says: 'one message', rows: () => [{}] },
	],
	'monday-report-by-mail.json': [
		{
			node: 'The Week in Figures',
			says: "last week's sessions: how many, and their energy",
			rows: `SELECT ${FIGURES} FROM sessions WHERE ${STARTED_BETWEEN}`,
			values: weeks(-1, 0),
		},
		{
			node: 'Report Data',
			says: 'how many sessions of last week are worth a look',
			rows: `SELECT count(*) AS worthALook FROM sessions
			 WHERE ${STARTED_BETWEEN} AND (Status = 6 OR (Status = 4 AND EnergyConsumed < 0.5))`,
			values: weeks(-1, 0),
		},
		{ node: 'Report', says: 'one page', rows: () => [{}] },
		{ node: 'Spreadsheet', says: 'one file', rows: () => [{}] },
	],
	'top-stations-last-month.json': [
		{
			node: 'Table',
			says: 'the ten stations with most energy last month, and the others',
			rows: ({ db, timezone }) => {
				const [from, to] = months(-1, 0)(timezone);
				const rows = all(
					db,
					`SELECT StationName AS "Station", count(*) AS "Sessions", ${KWH} / 1000.0 AS "Energy (kWh)",
					 coalesce(sum(iif(EndedAtUtc >= StartedAtUtc, unixepoch(EndedAtUtc) - unixepoch(StartedAtUtc), 0)), 0) / 3600.0 AS hours
					 FROM sessions WHERE ${STARTED_BETWEEN} GROUP BY StationName ORDER BY ${KWH} DESC, StationName`,
					from,
					to,
				).map(
					({ hours, ...row }): ExpectedRow => ({
						...row,
						Hours: Math.round(10 * Number(hours)) / 10,
						'Utilisation (%)': (
							(1000 * Number(hours)) /
							(hoursOf(timezone) * chargePointsOf(row.Station)) /
							10
						).toFixed(1),
					}),
				);
				const others = rows.slice(10).reduce((sum, { Sessions: sessions }) => sum + Number(sessions), 0);
				return [...rows.slice(0, 10), { Station: `${rows.length - 10} others`, Sessions: others }];
			},
		},
	],
	'monthly-statement-per-driver.json': [
		{
			node: 'Statement',
			says: 'finished sessions of last month by driver and currency',
			rows: `SELECT coalesce(UserName, 'Not known') AS "Driver", Currency AS "Currency", count(*) AS "Sessions",
			 ${KWH} / 1000.0 AS "Energy (kWh)",
			 coalesce(sum(CAST(round(Price * 100) AS INTEGER)), 0) / 100.0 AS "Amount"
			 FROM sessions WHERE Status = 4 AND ${STARTED_BETWEEN}
			 GROUP BY UserName, Currency ORDER BY UserName IS NULL, UserName, Currency`,
			values: months(-1, 0),
		},
		{ node: 'Spreadsheet', says: 'one file', rows: () => [{}] },
	],
	'export-proven-on-arrival.json': [
		{
			node: 'Note It',
			says: 'the file of last month, with its SHA-256',
			rows: ({ timezone }) => [
				{
					fileName: `charging-sessions-${DateTime.now().setZone(timezone).minus({ months: 1 }).toFormat('yyyy-MM')}.csv`,
				},
			],
		},
	],
};

/** Makes some of last month's finished sessions odd, each in another way. */
function makeOdd({ db }: StandIn): void {
	const middle = utc(DateTime.utc().minus({ months: 1 }).set({ day: 15 }));
	const ids = all(
		db,
		'SELECT Id FROM sessions WHERE Status = 4 AND StartedAtUtc > ? AND EndedAtUtc IS NOT NULL LIMIT 7',
		middle,
	);
	const changes = ['EnergyConsumed = -1', 'EnergyConsumed = 0', 'EnergyConsumed = 151'];
	const starts = ['1970-01-01T00:00:00', '2099-01-01T00:00:00'].map((start) => `StartedAtUtc = '${start}'`);
	const [other = {}] = all(db, 'SELECT * FROM sessions WHERE Id = ?', String(ids.at(-1)?.Id));
	const place = ['StationId', 'ConnectorNumber', 'StartedAtUtc', 'EndedAtUtc'].map(
		(name) => `${name} = '${String(other[name])}'`,
	);
	for (const [index, change] of [...changes, ...starts, place.join(', ')].entries())
		db.prepare(`UPDATE sessions SET ${change} WHERE Id = ?`).run(Number(ids[index]?.Id));
}

/** Last month's finished sessions and those with an impossible start, with what is odd about each. */
function oddSessions({ db, timezone }: Ground): ExpectedRow[] {
	const now = utc(DateTime.now());
	const firstDay = '2015-01-01T00:00:00';
	const rows = all(
		db,
		`WITH asked AS (SELECT * FROM sessions WHERE Status = 4 AND
		 (${STARTED_BETWEEN} OR StartedAtUtc > '${now}' OR StartedAtUtc < '${firstDay}')),
		 possible AS (SELECT * FROM asked WHERE StartedAtUtc BETWEEN '${firstDay}' AND '${now}' AND EndedAtUtc > StartedAtUtc)
		 SELECT Id, EnergyConsumed, StartedAtUtc, EXISTS (
			SELECT * FROM possible AS one JOIN possible AS other USING (StationId, ConnectorNumber)
			WHERE one.Id = asked.Id AND other.Id <> one.Id
			AND other.StartedAtUtc < one.EndedAtUtc AND one.StartedAtUtc < other.EndedAtUtc) AS overlaps
		 FROM asked ORDER BY StartedAtUtc, Id`,
		...months(-1, 0)(timezone),
	);
	return rows.map(({ Id, EnergyConsumed: kwh, StartedAtUtc: start, overlaps }) => {
		const reasons = [
			!kwh && 'no energy',
			Number(kwh) < 0 && 'negative energy',
			Number(kwh) > 150 && 'more than 150 kWh',
			String(start) > now && 'starts in the future',
			String(start) < firstDay && 'started before 2015-01-01',
			overlaps === 1 && 'overlaps another session at the same charge point',
		];
		return { reason: reasons.filter(Boolean).join('; '), Id: Id ?? null };
	});
}

/** Nobody charges any more at two stations that are online, and at one that is not. */
function silenceStations({ db }: StandIn): void {
	const stations = ['=', '=', '<>'].map((is, index) =>
		db.prepare(`SELECT Name FROM stations WHERE NetworkStatus ${is} 1 ORDER BY Id LIMIT 1 OFFSET ${index % 2}`).get(),
	);
	for (const [index, station] of stations.entries()) {
		const name = String(station?.Name);
		db.prepare(`UPDATE sessions SET StationName = 'Elsewhere' WHERE StationName = ? AND StartedAtUtc >= ?`).run(
			name,
			utc(DateTime.now().minus({ days: 9 })),
		);
		db.prepare(
			`UPDATE sessions SET StationName = ? WHERE Id IN (SELECT Id FROM sessions WHERE ${STARTED_BETWEEN} ORDER BY Id LIMIT 6 OFFSET ?)`,
		).run(name, utc(DateTime.now().minus({ days: 13 })), utc(DateTime.now().minus({ days: 10 })), 6 * index);
	}
}

function all(db: Database, sql: string, ...values: string[]): ExpectedRow[] {
	return db
		.prepare(sql)
		.all(...values)
		.map((row) => ({ ...row }));
}

/** How many hours last month had. */
function hoursOf(zone: string): number {
	const month = DateTime.now().setZone(zone).startOf('month');
	return month.diff(month.minus({ months: 1 }), 'hours').hours;
}

/** What the example's node with the reader's own knowledge says. */
const chargePointsOf = (station: SqlValue | undefined) => (station === 'Harbour 007' ? 4 : 2);
