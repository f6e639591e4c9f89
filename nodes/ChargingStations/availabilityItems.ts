import mapValues from 'lodash/mapValues';
import maxBy from 'lodash/maxBy';
import min from 'lodash/min';
import partition from 'lodash/partition';
import round from 'lodash/round';
import sumBy from 'lodash/sumBy';
import uniq from 'lodash/uniq';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { listNotesJson } from '../shared/operation/notes';
import type { Row } from '../shared/platform';
import { lowestUptimePercent, uptimePercent, type Formula } from './availability/formulas';
import { OFFLINE, type UptimeUnit, type UptimeRows, type WatchedSpans } from './availability/uptimeRows';
import {
	sumFigures,
	type UptimeOptions,
	type UnitFigures,
	type UnitOutage,
	type UptimeCalculator,
} from './availability/uptime';

/** What there is an item for; of the network there is one. */
export type AvailabilityResult = 'stations' | 'network' | 'outages' | 'chargePoints';

/** What all items of a run are about. */
export interface AvailabilityReport {
	rows: UptimeRows;
	uptime: UptimeCalculator;
	formula: Formula;
	counting: UptimeOptions;
	result: AvailabilityResult;
	/** How many stations match the filter. */
	stations: number;
	/** What was odd about their list. */
	listNotes: readonly string[];
	/** The stations, or, by charge point, those. */
	counted: readonly CountedUnit[];
	notCounted: UncountedUnits;
	/** Why no uptime can be given; undefined if it can. */
	missing?: string;
}

/**
 * Stations and charge points that rows in the period are about, but that are not counted: they are no longer in the
 * list, or were not asked for.
 */
interface UncountedUnits {
	stations: string[];
	/** Charge points of counted stations; none if no charge points are counted. */
	chargePoints: UptimeUnit[];
}

/** A station or charge point that is counted. */
export interface CountedUnit extends UptimeUnit {
	/** As the platform sends them. */
	stationId: Row['Id'];
	stationName: Row['Name'];
	chargePointId?: number | string;
}

const NOTHING_COUNTS = 'No time of the period counts: all of it is excluded, nobody watched, or it could not be read.';

export function findUncountedUnits(
	uptime: UptimeCalculator,
	counted: readonly CountedUnit[],
	result: AvailabilityResult,
): UncountedUnits {
	const keyOf = ({ station, chargePoint }: UptimeUnit) => JSON.stringify([station, chargePoint]);
	const stations = new Set(counted.map(({ station }) => station));
	const known = new Set(counted.map(keyOf));
	const [there, gone] = partition(uptime.unitsTold(), ({ station }) => stations.has(station));
	const isLost = (unit: UptimeUnit) => unit.chargePoint !== undefined && !known.has(keyOf(unit));
	return {
		stations: uniq(gone.map(({ station }) => station)),
		chargePoints: result === 'chargePoints' ? there.filter(isLost) : [],
	};
}

/** The figures of one station or charge point, or of several together. */
export function figuresJson(
	{ formula, missing, uptime }: AvailabilityReport,
	figures: readonly UnitFigures[],
): IDataObject {
	const { down, downByCause, excluded, unknown, outages, incidentsOfUnknownLength } = sumFigures(figures);
	const percent = missing === undefined ? uptimePercent(formula, figures) : null;
	const isWatchKnown = uptime.unwatched !== undefined;
	const incidents = outages.filter((each) => each.down > 0);
	const excludedOutage = sumBy(outages, 'excluded');
	return {
		uptimePercent: percent,
		uptimeMissing: missing ?? (percent === null ? NOTHING_COUNTS : null),
		lowestUptimePercent: percent === null || !isWatchKnown ? null : lowestUptimePercent(formula, figures),
		downMinutes: minutes(down),
		downMinutesByCause: mapValues(downByCause, minutes),
		outageMinutes: minutes(down + excludedOutage),
		excludedOutageMinutes: minutes(excludedOutage),
		excludedMinutes: minutes(excluded),
		unknownMinutes: isWatchKnown ? minutes(unknown) : null,
		incidents: incidents.length,
		longestMinutes: minutes(maxBy(incidents, 'down')?.down ?? 0),
		meanTimeToRepairMinutes: incidents.length === 0 ? null : minutes(down / incidents.length),
		incidentsOfUnknownLength,
	};
}

/** Says what the figures are based on, so that they are not taken for more, and the period. */
export function reportBasisJson(report: AvailabilityReport): IDataObject {
	const { rows, uptime, formula, counting, result } = report;
	const { causes } = counting;
	const looks = causes.map((cause) => `${cause} ${howOften(rows, uptime, cause)}`);
	const isOfflineOnly = causes.length === 1 && causes[0] === OFFLINE;
	const seen = isOfflineOnly ? ` ${howOften(rows, uptime, OFFLINE)}` : `: ${looks.join('; ')}`;
	return {
		formula: formula.text,
		basis: `by ${result === 'chargePoints' ? 'charge point' : 'station'}, as seen${seen}`,
		...periodJson(report),
		...basisJson(report),
	};
}

/** What was watched and counted, as figures hold for that alone. */
export function basisJson(report: AvailabilityReport): IDataObject {
	const { result, notCounted, listNotes } = report;
	const points = notCounted.chargePoints.map((unit) => ({ stationId: unit.station, chargePointId: unit.chargePoint }));
	return {
		stationsWatched: min(watchedStationCounts(report)) ?? null,
		stationsNotCounted: notCounted.stations,
		...(result === 'chargePoints' && { chargePointsNotCounted: points }),
		...listNotesJson(listNotes),
	};
}

/** How many stations were watched at last, for each cause that counts, as far as the rows tell. */
export function watchedStationCounts({ rows, counting }: Pick<AvailabilityReport, 'rows' | 'counting'>): number[] {
	return counting.causes.flatMap((cause) => rows.watched.get(cause)?.latest.stations ?? []);
}

export function periodJson({
	uptime: { period },
	counting: { zone },
}: Pick<AvailabilityReport, 'uptime' | 'counting'>) {
	return { from: iso(period.from, zone), to: iso(period.to, zone) };
}

/** The item of an outage of a station or of one of its charge points. */
export function outageJson(
	{ rows, counting: { zone } }: AvailabilityReport,
	station: CountedUnit,
	outage: UnitOutage,
): Row {
	const { chargePoint, cause, since, until, parts } = outage;
	return {
		stationName: station.stationName,
		stationId: station.stationId,
		chargePointId: chargePoint ?? null,
		cause,
		since: iso(since, zone),
		until: until === undefined ? null : iso(until, zone),
		minutes: parts ? minutes(parts.down) : null,
		excludedMinutes: parts ? minutes(parts.excluded) : null,
		unknownMinutes: parts ? minutes(parts.unknown) : null,
		reason: [...(parts?.reasons ?? [])].join('; ') || null,
		minutesBetweenPolls: minutesBetweenPolls(rows.watched.get(cause)),
	};
}

function howOften({ watched }: UptimeRows, uptime: UptimeCalculator, cause: string): string {
	const minutesBetween = minutesBetweenPolls(watched.get(cause));
	if (minutesBetween !== null) return `every ${minutesBetween} minutes`;
	if (uptime.neverWatched().includes(cause)) return 'never';
	const condition = watched.has(cause) ? '' : ', if that watched all the time: no row says when it did';
	return `at each poll of the trigger${condition}`;
}

/** How often the trigger looked; null if no row tells. */
function minutesBetweenPolls(watched: WatchedSpans | undefined): number | null {
	if (!watched || watched.polls === 0) return null;
	return round(watched.seconds / watched.polls / 60, 1);
}

function minutes(seconds: number): number {
	return round(seconds / 60, 2);
}

function iso(seconds: number, zone: string): string | null {
	return DateTime.fromSeconds(seconds, { zone }).toISO({ suppressMilliseconds: true });
}
