import uniq from 'lodash/uniq';

import { formatCount, formatFirstNames } from '../shared/text';
import { lowestUptimePercent } from './availability/formulas';
import { CHARGE_POINT, EVERY_STATION, type UptimeUnit } from './availability/uptimeRows';
import { sumFigures, type UnitFigures } from './availability/uptime';
import { watchedStationCounts, type AvailabilityReport } from './availabilityItems';

const CHECK_TABLE = 'Check that the right table was read.';
const REPORT_WATCHED =
	'Switch on Report Watched Time Hourly in the trigger, and keep those items too: the first comes about an hour after you publish it.';
const ASSUME = 'If the trigger really ran all the time, add the option Assume Always Watched.';

type UnfinishedReport = Omit<AvailabilityReport, 'missing'>;

/** Why no uptime can be given, in one sentence; undefined if it can. */
export function explainMissingUptime(report: UnfinishedReport): string | undefined {
	const { rows, uptime, counting } = report;
	const never = neverWatched(report);
	if (never.length === 0 && uptime.isAnythingKnown(unitsIn(report))) return undefined;
	if (rows.causes().length === 0) {
		return `No row says that anything was watched, or that a station was down. ${CHECK_TABLE}`;
	}
	if (never.length > 0) return `No row says that anybody watched for ${formatFirstNames(never)}.`;
	if (rows.watched.size === 0) {
		return `No row says what was watched, and none is about an outage of these stations in this period. ${CHECK_TABLE}`;
	}
	const lacking = counting.causes.filter((cause) => !uptime.isWatched(cause));
	if (lacking.length > 0) return `No row says that anybody watched for ${formatFirstNames(lacking)} in this period.`;
	return `No row says that anybody watched for all of these at the same time: ${formatFirstNames(counting.causes)}.`;
}

/** The causes that count, but that no trigger watched for. Of charge points only their own trigger sees outages. */
function neverWatched({ rows, uptime, counting, result }: UnfinishedReport): string[] {
	if (result !== 'chargePoints' || rows.watched.size > 0 || counting.assumeAlwaysWatched) return uptime.neverWatched();
	return counting.causes.filter((cause) => cause === CHARGE_POINT);
}

/** What the result is about. */
function unitsIn({ result, counted, uptime }: UnfinishedReport): readonly UptimeUnit[] {
	return result === 'outages' ? counted.flatMap(({ station }) => uptime.unitsOf(station)) : counted;
}

/** What the user should know about the figures, one sentence or a few each. */
export function availabilityNotes(report: AvailabilityReport, figures: readonly UnitFigures[]): string[] {
	return [...watchedNotes(report), ...causeNotes(report), ...unknownNotes(report, figures), ...otherNotes(report)];
}

/** About what was watched. */
function* watchedNotes(report: AvailabilityReport): Iterable<string> {
	const { rows, counting, missing, stations } = report;
	const never = neverWatched(report);
	const assumed = counting.causes.filter((cause) => !rows.watched.has(cause));
	if (missing !== undefined) {
		yield `Uptime cannot be given (uptimePercent is null). ${missing} ${REPORT_WATCHED} ${ASSUME}`;
	} else if (never.length > 0) {
		yield `No row says that anybody watched for ${formatFirstNames(never)}, so all time is unknown. ${REPORT_WATCHED} ${ASSUME}`;
	} else if (assumed.length > 0) {
		const what =
			assumed.length < counting.causes.length
				? `when anybody watched for ${formatFirstNames(assumed)}`
				: 'what was watched';
		yield `No row says ${what}, so all time counts as watched: the figures hold only if the trigger ran all the time. ${CHECK_TABLE} ${REPORT_WATCHED}`;
	}
	const fewer = uniq(watchedStationCounts(report).filter((many) => many < stations));
	if (fewer.length > 0) {
		yield `The trigger watched ${fewer.join(' or ')} stations, but ${stations} are counted here. Use the same filter in both: a station that is not watched has no incidents.`;
	}
}

/** About causes that do not count. */
function* causeNotes({ rows, counting, result, uptime }: AvailabilityReport): Iterable<string> {
	const isByStation = result === 'stations' || result === 'network';
	const isPoint = (unit: UptimeUnit) => unit.chargePoint !== undefined;
	if (isByStation && (rows.causes().includes(CHARGE_POINT) || uptime.unitsTold().some(isPoint))) {
		yield 'Some rows are about charge points, and count only there: a station is not down because of one charge point. For Result, choose One Item per Charge Point.';
	}
	const isOther = (cause: string) => !counting.causes.includes(cause) && !(isByStation && cause === CHARGE_POINT);
	const others = rows.causes().filter(isOther);
	if (others.length > 0) {
		yield `These causes are in the rows, but do not count as down: ${formatFirstNames(others)}. To count them, add the option Counts as Down.`;
	}
}

/** About time that is unknown. */
function* unknownNotes(report: AvailabilityReport, figures: readonly UnitFigures[]): Iterable<string> {
	const { uptime, formula, missing } = report;
	const { unknown } = sumFigures(figures);
	if (formula.hidesUnknown && missing === undefined && uptime.unwatched && unknown > 0) {
		yield `Unknown time: ${Math.round(unknown / 60)} minutes. This formula counts it as up. If all of it had been down, uptime would be ${lowestUptimePercent(formula, figures)} % (lowestUptimePercent).`;
	}
	const unknownLengths = uptime.unknownLengths(unitsIn(report));
	if (unknownLengths > 0) {
		yield `Incidents of unknown length: ${unknownLengths}. No row says when they ended, and no watching row lists them as open, so they count as 0 minutes. A new one will be in the trigger's next watching row. For the others, fill in the field “until” if you know when they ended.`;
	}
}

/** About rows of what is not counted here, and those that tell nothing about uptime. */
function* otherNotes({ notCounted: { stations, chargePoints }, result, rows }: AvailabilityReport): Iterable<string> {
	const others = [...stations, ...chargePoints.map(textOf)];
	if (others.length > 0) {
		const what = result === 'chargePoints' ? 'stations or charge points' : 'stations';
		yield `Rows of ${what} that no longer exist or do not match the filter are not counted: ${formatFirstNames(others)}. In stationId, write the station’s Id, or ${EVERY_STATION} for an excluded time of every station.`;
	}
	if (rows.skipped > 0) {
		yield `${formatCount(rows.skipped, 'row says', 'rows say')} that a station was added or removed. That tells nothing about uptime, so ${rows.skipped === 1 ? 'it is' : 'they are'} skipped.`;
	}
}

function textOf({ station, chargePoint }: UptimeUnit): string {
	return `charge point ${chargePoint} of station ${station}`;
}
