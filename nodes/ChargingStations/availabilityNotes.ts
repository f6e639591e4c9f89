import { firstNames } from '../shared/dsquery/faults';
import { lowestUptimePercent } from './availability/formulas';
import type { Report } from './availabilityItems';
import { CHARGE_POINT, EVERY_STATION, OFFLINE, type Unit } from './availability/rows';
import { together, type Figures } from './availability/uptime';

const CHECK_TABLE = 'Check that the right table was read.';
const REPORT_WATCHED =
	'Switch on Report Watched Time Hourly in the trigger, and keep those items too: the first comes about an hour after you publish it.';
const ASSUME = 'If the trigger really ran all the time, add the option Assume Always Watched.';

/** Why no uptime can be given, in one sentence; undefined if it can. */
export async function whyMissing(report: Omit<Report, 'missing'>): Promise<string | undefined> {
	const { rows, uptime, counting, formula } = report;
	const never = neverWatched(report);
	if (never.length === 0 && (await uptime.isAnythingKnown(unitsIn(report)))) return undefined;
	const isEmpty = rows.incidents.length === 0 && rows.watched.size === 0;
	if (isEmpty) return `No row says that anything was watched, or that a station was down. ${CHECK_TABLE}`;
	if (counting.causes.length === 0) {
		return `No row is about a cause other than ${OFFLINE}, and the rule (${formula.name}) counts only those.`;
	}
	if (never.length > 0) return `No row says that anybody watched for ${firstNames(never)}.`;
	if (rows.watched.size > 0) return whyUnwatched(report);
	return `No row says what was watched, and none is about an outage of these stations in this period. ${CHECK_TABLE}`;
}

/** The causes that count, but that nobody watched for. Outages of charge points are seen by nobody but their trigger. */
function neverWatched({ rows, uptime, counting, result }: Omit<Report, 'missing'>): string[] {
	if (result !== 'chargePoints' || rows.watched.size > 0 || counting.assumeAlwaysWatched) return uptime.neverWatched();
	return counting.causes.filter((cause) => cause === CHARGE_POINT);
}

/** Why no time of the period was watched for all causes that count, although rows are about what was watched. */
function whyUnwatched({ rows, uptime, counting }: Omit<Report, 'missing'>): string {
	const inPeriod = uptime.watchedCauses();
	if (inPeriod.length === 0) return 'No row says that anything was watched in this period.';
	const others = counting.causes.filter((cause) => rows.watched.has(cause) && !inPeriod.includes(cause));
	if (others.length > 0) return `No row says that anybody watched for ${firstNames(others)} in this period.`;
	return `These causes were watched in this period, but never at the same time: ${firstNames(counting.causes)}.`;
}

/** What the user should know about the figures, one sentence or a few each. */
export async function notesOf(report: Report, figures: readonly Figures[]): Promise<string[]> {
	return [
		...hintsOfWatching(report),
		...hintsOfCauses(report),
		...(await hintsOfUnknown(report, figures)),
		...(await hintsOfOthers(report)),
		...hintsOfRule(report),
	];
}

/** What the result is about. */
function unitsIn({ result, counted, uptime }: Omit<Report, 'missing'>): readonly Unit[] {
	return result === 'outages' ? counted.flatMap(({ station }) => uptime.unitsOf(station)) : counted;
}

function hintsOfWatching(report: Report): string[] {
	const { rows, counting, missing, stations } = report;
	const notes: string[] = [];
	const never = neverWatched(report);
	const assumed = counting.causes.filter((cause) => !rows.watched.has(cause) && !never.includes(cause));
	if (missing !== undefined) {
		notes.push(`Uptime cannot be given (uptimePercent is null). ${missing} ${REPORT_WATCHED} ${ASSUME}`);
	} else if (never.length > 0) {
		notes.push(
			`No row says that anybody watched for ${firstNames(never)}, so all time is unknown. ${REPORT_WATCHED} ${ASSUME}`,
		);
	} else if (assumed.length > 0) {
		const what =
			assumed.length < counting.causes.length ? `when anybody watched for ${firstNames(assumed)}` : 'what was watched';
		notes.push(
			`No row says ${what}, so all time counts as watched: the figures hold only if the trigger ran all the time. ${CHECK_TABLE} ${REPORT_WATCHED}`,
		);
	}
	for (const cause of counting.causes) {
		const watched = rows.watched.get(cause)?.latest.stations ?? stations;
		if (watched >= stations) continue;
		notes.push(
			`The trigger watched ${watched} stations, but ${stations} are counted here. Use the same filter in both: a station that is not watched has no incidents.`,
		);
	}
	return notes;
}

function hintsOfCauses({ rows, counting, formula, result }: Report): string[] {
	const isByStation = result === 'stations' || result === 'network';
	const isUp = (cause: string) =>
		cause === OFFLINE ? formula.rule?.isOfflineUp === true : isByStation && cause === CHARGE_POINT;
	const others = rows.causes.filter((cause) => !counting.causes.includes(cause) && !isUp(cause));
	const notes: string[] = [];
	if (isByStation && (rows.watched.has(CHARGE_POINT) || rows.incidents.some(({ chargePoint }) => chargePoint))) {
		notes.push(
			'Some rows are about charge points, and count only there: a station is not down because of one charge point. For Result, choose One Item per Charge Point.',
		);
	}
	if (others.length > 0) {
		return [
			...notes,
			`These causes are in the rows, but do not count as down: ${firstNames(others)}. To count them, add the option Counts as Down.`,
		];
	}
	const isOfflineOnly = formula.rule?.isOfflineUp === false && counting.causes.every((cause) => cause === OFFLINE);
	return isOfflineOnly
		? [
				...notes,
				'Only stations that are offline count as down here. The rule counts faults too, and no row is about one.',
			]
		: notes;
}

async function hintsOfUnknown(report: Report, figures: readonly Figures[]): Promise<string[]> {
	const { formula, missing, uptime } = report;
	const notes: string[] = [];
	const { unknown = 0 } = together(figures);
	const incidentsOfUnknownLength = await uptime.unknownLengths(unitsIn(report));
	if (formula.hidesUnknown && missing === undefined && unknown > 0) {
		notes.push(
			`Unknown time: ${Math.round(unknown / 60)} minutes. This formula counts it as up. If all of it had been down, uptime would be ${lowestUptimePercent(formula, figures)} % (lowestUptimePercent).`,
		);
	}
	if (incidentsOfUnknownLength > 0) {
		notes.push(
			`Incidents of unknown length: ${incidentsOfUnknownLength}. No row says when they ended, and no watching row lists them as open, so they count as 0 minutes. A new one will be in the trigger's next watching row. For the others, fill in the field “until” if you know when they ended.`,
		);
	}
	return notes;
}

async function hintsOfOthers({ uptime, result, counted }: Report): Promise<string[]> {
	const stations = new Set(counted.map(({ station }) => station));
	const chargePoints = new Set(counted.map(textOf));
	const isOther = (unit: Unit) =>
		!stations.has(unit.station) ||
		(result === 'chargePoints' && unit.chargePoint !== undefined && !chargePoints.has(textOf(unit)));
	const what = `${result === 'chargePoints' ? 'stations or charge points' : 'stations'} that no longer exist or do not match the filter`;
	const note = (units: readonly Unit[], write: (names: string) => string) => {
		const others = units.filter(isOther).map(textOf);
		return others.length > 0 ? [write(firstNames(others))] : [];
	};
	return [
		...note(await uptime.unitsDown(), (names) => `Incidents of ${what} are not counted: ${names}.`),
		...note(
			await uptime.unitsExcluded(),
			(names) =>
				`Rows of kind excluded or closed of ${what} exclude nothing: ${names}. In stationId, write the station’s Id, or ${EVERY_STATION} for every station.`,
		),
	];
}

function textOf({ station, chargePoint }: Unit): string {
	return chargePoint === undefined ? station : `charge point ${chargePoint} of station ${station}`;
}

function hintsOfRule({ formula, result }: Report): string[] {
	const { rule } = formula;
	if (!rule) return [];
	const isByChargePoint = result === 'chargePoints';
	const unit = isByChargePoint ? 'charge point (EVSE)' : 'station';
	return [
		[
			rule.asks,
			`These figures are by ${unit}, and know only the faults that a trigger watches for and sees at a poll.`,
			...(isByChargePoint ? [] : ['For figures by charge point, choose One Item per Charge Point.']),
			...(rule.needs === undefined ? [] : [rule.needs]),
		].join(' '),
	];
}
