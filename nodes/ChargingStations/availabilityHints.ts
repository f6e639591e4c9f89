import { lowestUptimePercent } from './availability/formulas';
import type { Report, Station } from './availabilityItems';
import { OFFLINE } from './availability/rows';
import { together, type Figures } from './availability/uptime';

const MOST_NAMED = 5;

const CHECK_TABLE = 'Check that the right table was read.';
const REPORT_WATCHED = 'Switch on Report Watched Time Hourly in the trigger, and keep those items too.';
const ASSUME = 'If the trigger really ran all the time, add the option Assume Always Watched.';

/** Why no uptime can be given, in one sentence; undefined if it can. */
export function whyMissing(
	{ rows, uptime, counting, formula }: Omit<Report, 'missing'>,
	stations: readonly Station[],
): string | undefined {
	if (uptime.isAnythingKnown(stations.map(({ id }) => id))) return undefined;
	const isEmpty = rows.incidents.length === 0 && rows.watched.size === 0;
	if (isEmpty) return `No row says that anything was watched, or that a station was down. ${CHECK_TABLE}`;
	if (counting.causes.length === 0) {
		return `No row is about a cause other than ${OFFLINE}, and the rule (${formula.name}) counts only those.`;
	}
	const never = uptime.neverWatched();
	if (never.length > 0) return `No row says that anybody watched for ${named(never)}.`;
	if (rows.watched.size > 0) return 'No row says that anything was watched in this period.';
	return `No row says what was watched, and none is about an outage of these stations in this period. ${CHECK_TABLE}`;
}

/** What the user should know about the figures, one sentence or a few each. */
export function hintsOf(report: Report, stations: readonly Station[], figures: readonly Figures[]): string[] {
	return [
		...hintsOfWatching(report, stations),
		...hintsOfCauses(report),
		...hintsOfUnknown(report, figures),
		...hintsOfOthers(report, stations),
		...(report.formula.rule ? [report.formula.rule.note] : []),
	];
}

function hintsOfWatching({ rows, uptime, counting, missing }: Report, stations: readonly Station[]): string[] {
	const hints: string[] = [];
	const never = uptime.neverWatched();
	const assumed = counting.causes.filter((cause) => !rows.watched.has(cause) && !never.includes(cause));
	if (missing !== undefined) {
		hints.push(`Uptime cannot be given (uptimePercent is null). ${missing} ${REPORT_WATCHED} ${ASSUME}`);
	} else if (never.length > 0) {
		hints.push(
			`No row says that anybody watched for ${named(never)}, so all time is unknown. ${REPORT_WATCHED} ${ASSUME}`,
		);
	} else if (assumed.length > 0) {
		const what =
			assumed.length < counting.causes.length ? `when anybody watched for ${named(assumed)}` : 'what was watched';
		hints.push(
			`No row says ${what}, so all time counts as watched: the figures hold only if the trigger ran all the time. ${CHECK_TABLE} ${REPORT_WATCHED}`,
		);
	}
	for (const cause of counting.causes) {
		const watched = rows.watched.get(cause)?.latest.stations ?? stations.length;
		if (watched >= stations.length) continue;
		hints.push(
			`The trigger watched ${watched} stations, but ${stations.length} are counted here. Use the same filter in both: a station that is not watched has no incidents.`,
		);
	}
	return hints;
}

function hintsOfCauses({ rows, counting, formula }: Report): string[] {
	const isUpByRule = (cause: string) => cause === OFFLINE && formula.rule?.isOfflineUp === true;
	const others = rows.causes.filter((cause) => !counting.causes.includes(cause) && !isUpByRule(cause));
	if (others.length > 0) {
		return [
			`These causes are in the rows, but do not count as down: ${named(others)}. To count them, add the option Counts as Down.`,
		];
	}
	const isOfflineOnly = formula.rule?.isOfflineUp === false && counting.causes.every((cause) => cause === OFFLINE);
	return isOfflineOnly
		? ['Only stations that are offline count as down here. The rule counts faults too, and no row is about one.']
		: [];
}

function hintsOfUnknown({ formula, missing }: Report, figures: readonly Figures[]): string[] {
	const hints: string[] = [];
	const { unknown = 0, incidentsOfUnknownLength } = together(figures);
	if (formula.hidesUnknown && missing === undefined && unknown > 0) {
		hints.push(
			`Unknown time: ${Math.round(unknown / 60)} minutes. This formula counts it as up. If all of it had been down, uptime would be ${lowestUptimePercent(formula, figures)} % (lowestUptimePercent).`,
		);
	}
	if (incidentsOfUnknownLength > 0) {
		hints.push(
			`Incidents of unknown length: ${incidentsOfUnknownLength}. No row says when they ended, and no watching row lists them as open, so they count as 0 minutes. A new one will be in the trigger's next watching row. For the others, fill in the field “until” if you know when they ended.`,
		);
	}
	return hints;
}

function hintsOfOthers({ uptime }: Report, stations: readonly Station[]): string[] {
	const known = new Set(stations.map(({ id }) => id));
	const others = uptime.stationsDown().filter((id) => !known.has(id));
	if (others.length === 0) return [];
	return [`Incidents of stations that no longer exist or do not match the filter are not counted: ${named(others)}.`];
}

function named(names: readonly string[]): string {
	const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
	return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}
