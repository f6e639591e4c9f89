import round from 'lodash/round';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { andMore } from '../shared/text';
import type { Row } from '../shared/platform';
import { lowestUptimePercent, uptimePercent, type Formula } from './availability/formulas';
import { OFFLINE, type Unit, type UptimeRows, type Watched } from './availability/rows';
import { lengthOf } from './availability/spans';
import { together, type Counting, type Figures, type Outage, type Uptime } from './availability/uptime';

/** What there is an item for; of the network there is one. */
export type Result = 'stations' | 'network' | 'outages' | 'chargePoints';

/** What all items of a run are about. */
export interface Report {
	rows: UptimeRows;
	uptime: Uptime;
	formula: Formula;
	counting: Counting;
	result: Result;
	/** How many stations match the filter. */
	stations: number;
	/** The stations, or, by charge point, those. */
	counted: readonly Counted[];
	/** Why no uptime can be given; undefined if it can. */
	missing?: string;
}

/** A station or charge point that is counted. */
export interface Counted extends Unit {
	stationName: Row['Name'];
}

/** The figures of one station or charge point, or of several together. */
export function figuresJson(report: Report, figures: readonly Figures[]): IDataObject {
	const { formula, missing } = report;
	const { down, downByCause, excluded, excludedOutage, unknown, ...counts } = together(figures);
	const percent = missing === undefined ? uptimePercent(formula, figures) : null;
	const nothingCounts = 'No time of the period counts: all of it is excluded, nobody watched, or it could not be read.';
	return {
		uptimePercent: percent,
		uptimeMissing: missing ?? (percent === null ? nothingCounts : null),
		lowestUptimePercent: percent === null ? null : lowestUptimePercent(formula, figures),
		downMinutes: minutes(down),
		downMinutesByCause: Object.fromEntries(
			Object.entries(downByCause).map(([cause, seconds]) => [cause, minutes(seconds)]),
		),
		outageMinutes: minutes(down + excludedOutage),
		excludedOutageMinutes: minutes(excludedOutage),
		excludedMinutes: minutes(excluded),
		unknownMinutes: unknown === undefined ? null : minutes(unknown),
		incidents: counts.incidents,
		longestMinutes: minutes(counts.longest),
		meanTimeToRepairMinutes: counts.incidents === 0 ? null : minutes(down / counts.incidents),
		incidentsOfUnknownLength: counts.incidentsOfUnknownLength,
	};
}

/** Says what the figures are based on, so that they are not taken for more, and the period. */
export function aboutJson({ rows, uptime, formula, counting, result }: Report): IDataObject {
	const { causes, zone } = counting;
	const looks = causes.map((cause) => `${cause} ${howOften(rows, uptime, cause)}`);
	const isOfflineOnly = causes.length === 1 && causes[0] === OFFLINE;
	const seen = isOfflineOnly ? ` ${howOften(rows, uptime, OFFLINE)}` : `: ${looks.join('; ')}`;
	const { from, to } = uptime.period;
	return {
		formula: formula.text,
		basis: `by ${result === 'chargePoints' ? 'charge point' : 'station'}, as seen${seen}`,
		from: iso(from, zone),
		to: iso(to, zone),
	};
}

/** The item of an outage of a station or of one of its charge points. */
export function outageJson({ rows, uptime, counting }: Report, { station, stationName }: Counted, outage: Outage): Row {
	const { zone } = counting;
	const { from, to } = uptime.period;
	const { chargePoint, cause, since, until, parts, reasons } = outage;
	return {
		...{ stationName, stationId: station, chargePointId: chargePoint ?? null, cause },
		since: iso(since, zone),
		until: until === undefined ? null : iso(until, zone),
		minutes: parts ? minutes(parts.down) : null,
		excludedMinutes: parts ? minutes(parts.excluded) : null,
		unknownMinutes: parts ? minutes(parts.unknown) : null,
		reason: andMore(reasons.names, reasons.more, '; ') || null,
		minutesBetweenPolls: minutesBetweenPolls(rows.watched.get(cause)),
		from: iso(from, zone),
		to: iso(to, zone),
	};
}

function howOften({ watched }: UptimeRows, uptime: Uptime, cause: string): string {
	const minutesBetween = minutesBetweenPolls(watched.get(cause));
	if (minutesBetween !== null) return `every ${minutesBetween} minutes`;
	if (uptime.neverWatched().includes(cause)) return 'never';
	const condition = watched.has(cause) ? '' : ', if that watched all the time: no row says when it did';
	return `at each poll of the trigger${condition}`;
}

/** How often the trigger looked; null if no row tells. */
function minutesBetweenPolls(watched: Watched | undefined): number | null {
	if (!watched || watched.polls === 0) return null;
	const seconds = watched.spans.reduce((sum, span) => sum + lengthOf(span), 0);
	return round(seconds / watched.polls / 60, 1);
}

function minutes(seconds: number): number {
	return round(seconds / 60, 2);
}

function iso(seconds: number, zone: string): string | null {
	return DateTime.fromSeconds(seconds, { zone }).toISO({ suppressMilliseconds: true });
}
