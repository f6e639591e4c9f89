import uniq from 'lodash/uniq';

import { firstNames } from '../shared/text';
import { notesOn, type Notes } from '../shared/operation/notes';
import { lowestUptimePercent } from './availability/formulas';
import type { Report } from './availabilityItems';
import { CHARGE_POINT, EVERY_STATION, type Unit } from './availability/rows';
import { together, type Figures } from './availability/uptime';

const CHECK_TABLE = 'Check that the right table was read.';
const REPORT_WATCHED =
	'Switch on Report Watched Time Hourly in the trigger, and keep those items too: the first comes about an hour after you publish it.';
const ASSUME = 'If the trigger really ran all the time, add the option Assume Always Watched.';

type Counted = Omit<Report, 'missing'>;

/** Why no uptime can be given, in one sentence; undefined if it can. */
export async function whyMissing(report: Counted): Promise<string | undefined> {
	const { rows, uptime } = report;
	const never = neverWatched(report);
	if (never.length === 0 && (await uptime.isAnythingKnown(unitsIn(report)))) return undefined;
	const isEmpty = rows.incidents.length === 0 && rows.watched.size === 0;
	if (isEmpty) return `No row says that anything was watched, or that a station was down. ${CHECK_TABLE}`;
	if (never.length > 0) return `No row says that anybody watched for ${firstNames(never)}.`;
	if (rows.watched.size > 0) return whyUnwatched(report);
	return `No row says what was watched, and none is about an outage of these stations in this period. ${CHECK_TABLE}`;
}

/** The causes that count, but that nobody watched for. Outages of charge points are seen by nobody but their trigger. */
function neverWatched({ rows, uptime, counting, result }: Counted): string[] {
	if (result !== 'chargePoints' || rows.watched.size > 0 || counting.assumeAlwaysWatched) return uptime.neverWatched();
	return counting.causes.filter((cause) => cause === CHARGE_POINT);
}

/** Why no time of the period was watched for all causes that count, although rows are about what was watched. */
function whyUnwatched({ rows, uptime, counting }: Counted): string {
	const inPeriod = uptime.watchedCauses();
	if (inPeriod.length === 0) return 'No row says that anything was watched in this period.';
	const others = counting.causes.filter((cause) => rows.watched.has(cause) && !inPeriod.includes(cause));
	if (others.length > 0) return `No row says that anybody watched for ${firstNames(others)} in this period.`;
	return `These causes were watched in this period, but never at the same time: ${firstNames(counting.causes)}.`;
}

/** What the user should know about the figures, one sentence or a few each. */
export async function notesOf(report: Report, figures: readonly Figures[]): Promise<string[]> {
	return notesOn(NOTES, await factsOf(report, figures));
}

/** What the result is about. */
function unitsIn({ result, counted, uptime }: Counted): readonly Unit[] {
	return result === 'outages' ? counted.flatMap(({ station }) => uptime.unitsOf(station)) : counted;
}

/** What decides which notes there are. */
async function factsOf(report: Report, figures: readonly Figures[]) {
	const { rows, uptime, counting, formula, stations, result } = report;
	const never = neverWatched(report);
	const isOther = notCounted(report);
	const isByStation = result === 'stations' || result === 'network';
	const watchedStations = counting.causes.map((cause) => rows.watched.get(cause)?.latest.stations ?? stations);
	return {
		...report,
		never,
		/** Causes of which no row says when they were watched, so all time counts as watched. */
		assumed: counting.causes.filter((cause) => !rows.watched.has(cause) && !never.includes(cause)),
		watchedFewer: uniq(watchedStations.filter((watched) => watched < stations)),
		hasPointRows:
			isByStation && (rows.watched.has(CHARGE_POINT) || rows.incidents.some(({ chargePoint }) => chargePoint)),
		otherCauses: rows.causes.filter(
			(cause) => !counting.causes.includes(cause) && !(isByStation && cause === CHARGE_POINT),
		),
		unknownSeconds: together(figures).unknown ?? 0,
		lowestPercent: lowestUptimePercent(formula, figures),
		unknownLengths: await uptime.unknownLengths(unitsIn(report)),
		othersDown: await uptime.unitsDown(isOther),
		othersExcluded: await uptime.unitsExcluded(isOther),
		what: `${result === 'chargePoints' ? 'stations or charge points' : 'stations'} that no longer exist or do not match the filter`,
	};
}

/** Tells which units are not counted. */
function notCounted({ counted, result }: Report): (unit: Unit) => boolean {
	const stations = new Set(counted.map(({ station }) => station));
	const chargePoints = new Set(counted.map(textOf));
	return (unit) =>
		!stations.has(unit.station) ||
		(result === 'chargePoints' && unit.chargePoint !== undefined && !chargePoints.has(textOf(unit)));
}

function textOf({ station, chargePoint }: Unit): string {
	return chargePoint === undefined ? station : `charge point ${chargePoint} of station ${station}`;
}

const NOTES: Notes<Awaited<ReturnType<typeof factsOf>>> = {
	missing: {
		when: ({ missing }) => missing !== undefined,
		text: ({ missing }) => `Uptime cannot be given (uptimePercent is null). ${missing} ${REPORT_WATCHED} ${ASSUME}`,
	},
	neverWatched: {
		when: ({ missing, never }) => missing === undefined && never.length > 0,
		text: ({ never }) =>
			`No row says that anybody watched for ${firstNames(never)}, so all time is unknown. ${REPORT_WATCHED} ${ASSUME}`,
	},
	assumedWatched: {
		when: ({ missing, never, assumed }) => missing === undefined && never.length === 0 && assumed.length > 0,
		text: ({ assumed, counting }) =>
			`No row says ${assumed.length < counting.causes.length ? `when anybody watched for ${firstNames(assumed)}` : 'what was watched'}, so all time counts as watched: the figures hold only if the trigger ran all the time. ${CHECK_TABLE} ${REPORT_WATCHED}`,
	},
	watchedFewer: {
		when: ({ watchedFewer }) => watchedFewer.length > 0,
		text: ({ watchedFewer, stations }) =>
			`The trigger watched ${watchedFewer.join(' or ')} stations, but ${stations} are counted here. Use the same filter in both: a station that is not watched has no incidents.`,
	},
	chargePoints: {
		when: ({ hasPointRows }) => hasPointRows,
		text: () =>
			'Some rows are about charge points, and count only there: a station is not down because of one charge point. For Result, choose One Item per Charge Point.',
	},
	otherCauses: {
		when: ({ otherCauses }) => otherCauses.length > 0,
		text: ({ otherCauses }) =>
			`These causes are in the rows, but do not count as down: ${firstNames(otherCauses)}. To count them, add the option Counts as Down.`,
	},
	unknownTime: {
		when: ({ formula, missing, unknownSeconds }) =>
			formula.hidesUnknown === true && missing === undefined && unknownSeconds > 0,
		text: ({ unknownSeconds, lowestPercent }) =>
			`Unknown time: ${Math.round(unknownSeconds / 60)} minutes. This formula counts it as up. If all of it had been down, uptime would be ${lowestPercent} % (lowestUptimePercent).`,
	},
	unknownLengths: {
		when: ({ unknownLengths }) => unknownLengths > 0,
		text: ({ unknownLengths }) =>
			`Incidents of unknown length: ${unknownLengths}. No row says when they ended, and no watching row lists them as open, so they count as 0 minutes. A new one will be in the trigger's next watching row. For the others, fill in the field “until” if you know when they ended.`,
	},
	othersDown: {
		when: ({ othersDown }) => othersDown.length > 0,
		text: ({ othersDown, what }) =>
			`Incidents of ${what} are not counted: ${firstNames(othersDown, undefined, textOf)}.`,
	},
	othersExcluded: {
		when: ({ othersExcluded }) => othersExcluded.length > 0,
		text: ({ othersExcluded, what }) =>
			`Rows of kind excluded or closed of ${what} exclude nothing: ${firstNames(othersExcluded, undefined, textOf)}. In stationId, write the station’s Id, or ${EVERY_STATION} for every station.`,
	},
};
