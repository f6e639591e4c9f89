import assert from 'node:assert/strict';

import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { outputOf } from './client.ts';
import { TIMEZONE } from './n8n.ts';
import { importFor, readExample, type Furnishing } from './showcase.ts';
import { withVariant, type Expectations, type Variant } from './variants.ts';

/** The stand-in's energies have three decimals: SQLite adds them as whole thousandths, without rounding. */
const THOUSANDTHS = 'coalesce(sum(CAST(round(EnergyConsumed * 1000) AS INTEGER)), 0)';
const KWH = `${THOUSANDTHS} / 1000.0`;
const FIGURES = `count(*) AS count, ${KWH} AS EnergyConsumed_sum FROM sessions`;
const OFFLINE = `SELECT 'offline' AS event, Id AS stationId, Name AS stationName FROM stations
	WHERE NetworkStatus <> 1 ORDER BY Id LIMIT 3`;
/** One item, whatever is in it. */
const ONE = '';

/**
 * What nodes of each example must return when it is run by hand, as a query of the stand-in's tables: an item for each
 * row, in any order, with its columns. A word in braces is a span of local time, "{lastMonth}", or the energy, "{kwh}".
 */
const EXPECTATIONS: Readonly<Record<string, Expectations>> = {
	'ask-your-network.json': {
		'Stations Down': 'SELECT count(*) AS notOnline FROM stations WHERE NetworkStatus <> 1',
		'A Station in Figures': `SELECT Name AS station, count(*) AS sessions, ${KWH} AS energyConsumed
			FROM sessions JOIN stations ON stations.Id = 1 AND Name = StationName WHERE {lastMonth}`,
		'Sessions That Failed': 'SELECT count(*) AS failed FROM sessions WHERE Status = 6 AND {today}',
	},
	'charge-point-out-of-order.json': {
		'Charge Point Out of Order or Back': "SELECT 'digest' AS event, 3 AS eventCount",
	},
	'daily-summary-to-chat.json': {
		'Yesterday in Figures': `SELECT ${FIGURES} WHERE {yesterday}`,
		Message: ONE,
	},
	'export-proven-on-arrival.json': { 'Note It': ONE },
	'failed-session-message.json': {
		Message: `SELECT 'failed' AS event, Id AS sessionId, 6 AS status, 'Failed' AS statusLabel FROM sessions
			WHERE Status = 6 ORDER BY Id DESC LIMIT 3`,
	},
	'http-request-same-credential.json': { 'The Answer': 'SELECT Id, Name FROM stations WHERE Id = 1' },
	'incidents-to-data-table.json': {
		'Station Offline or Back': `SELECT event FROM (${OFFLINE}) UNION ALL SELECT 'watching'`,
	},
	'mail-a-csv-from-chat.json': {
		'Finished Sessions': `SELECT count(*) AS sessionCount, 0 AS missingCount
			FROM sessions WHERE Status = 4 AND {lastMonth}`,
		Mailed: 'SELECT count(*) AS sessionCount FROM sessions WHERE Status = 4 AND {lastMonth}',
	},
	'monday-report-by-mail.json': {
		'The Week in Figures': `SELECT ${FIGURES} WHERE {lastWeek}`,
		'Report Data': `SELECT count(*) AS worthALook FROM sessions
			WHERE {lastWeek} AND (Status = 6 OR (Status = 4 AND EnergyConsumed < 0.5))`,
		Report: ONE,
		Spreadsheet: ONE,
	},
	'monthly-csv-export-by-mail.json': {
		"Last Month's Sessions": `SELECT count(*) AS sessionCount, 0 AS missingCount
			FROM sessions WHERE Status = 4 AND {lastMonth}`,
	},
	'monthly-statement-per-driver.json': {
		Statement: `SELECT coalesce(UserName, 'Not known') AS "Driver", Currency AS "Currency", count(*) AS "Sessions",
			${KWH} AS "Energy (kWh)", coalesce(sum(CAST(round(Price * 100) AS INTEGER)), 0) / 100.0 AS "Amount"
			FROM sessions WHERE Status = 4 AND {lastMonth} GROUP BY UserName, Currency`,
		Spreadsheet: ONE,
	},
	'monthly-uptime-report-by-mail.json': {
		'Uptime of the Network': `SELECT count(*) AS stations, NULL AS uptimePercent, 0 AS incidents FROM stations`,
		'Uptime per Station': 'SELECT Name AS stationName, Id AS stationId, 0 AS downMinutes FROM stations',
		Report: ONE,
	},
	'new-fault-creates-a-ticket-once.json': {
		Ticket: `SELECT Id AS stationId, HardwareStatus AS "to", 'Fault at ' || Name AS title
			FROM stations ORDER BY Id LIMIT 3`,
	},
	'offline-acknowledge-and-escalate.json': { 'Station Offline or Back': OFFLINE },
	'offline-alert.json': { 'Station Offline or Back': OFFLINE },
	'price-corrections.json': { 'Sessions Exported Again': 'SELECT 3 AS sessionCount, 0 AS missingCount' },
	'sessions-per-day-to-spreadsheet.json': {
		'One Row per Day': `WITH RECURSIVE days(day) AS (SELECT date('{firstOfLastMonth}') UNION ALL
			SELECT date(day, '+1 day') FROM days WHERE date(day, '+1 day') < '{firstOfMonth}') SELECT day FROM days`,
		Spreadsheet: ONE,
	},
	'sessions-running-longer-than-a-day.json': {
		'Running for Over a Day': "SELECT 'digest' AS event, 3 AS eventCount",
	},
	'sessions-to-check-before-billing.json': {
		Reason: 'SELECT Id FROM sessions WHERE Status = 4 AND {lastMonth}',
		'CSV for Billing': ONE,
	},
	'sessions-to-spreadsheet.json': {
		Columns: `SELECT CAST(Id AS TEXT) AS "Session", coalesce(EnergyConsumed, 0) AS "Energy (kWh)" FROM sessions WHERE {yesterday}`,
		Spreadsheet: ONE,
	},
	'stalled-session.json': { 'Session Stalls or Resumes': "SELECT 'digest' AS event, 2 AS eventCount" },
	'stations-still-offline-daily.json': {
		'Stations Still Offline': 'SELECT Id, Name, NetworkStatus FROM stations WHERE NetworkStatus <> 1',
		Message: ONE,
	},
	'stations-that-went-quiet.json': {
		'Stations Online': 'SELECT Id FROM stations WHERE NetworkStatus = 1',
	},
	'top-stations-last-month.json': {
		Table: `WITH ranked AS (SELECT StationName AS name, count(*) AS sessions FROM sessions WHERE {lastMonth}
			GROUP BY StationName ORDER BY ${THOUSANDTHS} DESC, StationName)
			SELECT * FROM (SELECT name AS "Station", sessions AS "Sessions" FROM ranked LIMIT 10) UNION ALL
			SELECT count(*) || ' others', sum(sessions) FROM (SELECT * FROM ranked LIMIT -1 OFFSET 10)`,
	},
};

/** Puts in the ends of the spans, as the platform writes times. */
function withSpans(sql: string): string {
	const now = DateTime.now().setZone(TIMEZONE);
	const utc = (time: DateTime) => time.toUTC().toFormat("yyyy-MM-dd'T'HH:mm:ss");
	const span = (unit: 'day' | 'week' | 'month', ago: number) => {
		const from = now.startOf(unit).minus({ [unit]: ago });
		return `StartedAtUtc >= '${utc(from)}' AND StartedAtUtc < '${utc(from.plus({ [unit]: 1 }))}'`;
	};
	const month = now.startOf('month');
	const words: Record<string, string> = {
		today: span('day', 0),
		yesterday: span('day', 1),
		lastWeek: span('week', 1),
		lastMonth: span('month', 1),
		kwh: KWH,
		firstOfMonth: month.toISODate() ?? '',
		firstOfLastMonth: month.minus({ months: 1 }).toISODate() ?? '',
	};
	return sql.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? word);
}

/** The id of an example's workflow, as it is or with a change that its note offers. */
async function workflowFor(place: Furnishing, file: string, variant?: Variant): Promise<string> {
	if (!variant) return place.workflows.get(file) ?? '';
	return await importFor(place, withVariant(readExample(file), variant), place.credential, place.dataTables.get(file));
}

/**
 * Runs an example by its file name, as it is or with a change that its note offers, and compares.
 *
 * @throws if something is not as expected
 */
export async function checkExample(place: Furnishing, file: string, variant?: Variant): Promise<void> {
	const { n8n, platform } = place;
	const expectations = variant?.returns ?? EXPECTATIONS[file];
	assert.ok(expectations, 'it must be in test/n8n/check.ts');
	const execution = await n8n.execute(await workflowFor(place, file, variant));
	const { error } = execution.data.resultData;
	assert.equal(execution.status, 'success', `${error?.message} ${error?.description}`);
	for (const [node, sql] of Object.entries(expectations)) {
		const rows = sql === ONE ? [{}] : (platform.db.prepare(withSpans(sql)).all() as IDataObject[]);
		// An empty expectation would hide a filter that matches too little.
		assert.notEqual(rows.length, 0, `${node}: the stand-in holds no row to expect`);
		const columns = Object.keys(rows[0] ?? {});
		const texts = (items: IDataObject[]) =>
			items.map((item) => JSON.stringify(columns.map((name) => item[name] ?? null))).sort();
		assert.deepEqual({ [node]: texts(outputOf(execution, node)) }, { [node]: texts(rows) });
	}
}
