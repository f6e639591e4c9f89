import uniqBy from 'lodash/uniqBy';

import type { FilterGroup } from '../shared/dsquery/types';
import { ValidationIssues, type Refuse } from '../shared/dsquery/validationIssues';
import {
	DAY_PERIODS,
	lastMonthsSpan,
	MOST_BACK,
	periodSpan,
	type DayPeriodName,
} from '../shared/dsquery/values/periods';
import { identifyChargePoints } from '../shared/list/chargePoints';
import { PERIOD_LABELS } from '../shared/list/filterProperties';
import { operation, type RunClock } from '../shared/operation/operation';
import { filtersParameter } from '../shared/list/filters';
import { fixedListParameter } from '../shared/list/list';
import { options, paging, toPagingOptions, timeoutOptions } from '../shared/parameters/options';
import { inputItemsParameter, notice, showParameterWhen } from '../shared/parameters/parameter';
import { flag, oneOf, textListParameter, integer } from '../shared/parameters/simple';
import { RowBuffer, type Connection, type PagingOptions, type Row } from '../shared/platform';
import { LongWork } from '../shared/longWork';
import { STATIONS } from '../shared/resources';
import { formatCount } from '../shared/text';
import { FORMULAS, type Formula } from './availability/formulas';
import { availabilityNotes, explainMissingUptime } from './availabilityNotes';
import {
	reportBasisJson,
	basisJson,
	figuresJson,
	findUncountedUnits,
	outageJson,
	periodJson,
	type CountedUnit,
	type AvailabilityReport,
	type AvailabilityResult,
} from './availabilityItems';
import { toIdText } from './availability/rowReader';
import { parseUptimeRows } from './availability/rows';
import type { Span } from './availability/dividePeriod';
import { CHARGE_POINT, OFFLINE } from './availability/uptimeRows';
import { UptimeCalculator, type UptimeOptions, type UnitFigures } from './availability/uptime';
import { readChargePoints, formatStationNames, stationNotes } from './chargePoints';

const DAY_SECONDS = 86_400;
const LAST_12_MONTHS = 'last12Months' as const;
type AvailabilityPeriodName = DayPeriodName | typeof LAST_12_MONTHS;
const LABELS = { ...PERIOD_LABELS, [LAST_12_MONTHS]: 'Last 12 Months' };

const PERIODS = [...DAY_PERIODS, LAST_12_MONTHS];

const list = fixedListParameter(STATIONS);

const period = oneOf<AvailabilityPeriodName>({
	label: 'Period',
	description:
		'Whole days in the time zone of the workflow. A period that is not over ends now. Last 12 Months: the twelve whole months before this one.',
	choices: PERIODS.map((name) => ({ name: LABELS[name], value: name })),
	default: 'lastMonth',
});

const preset = oneOf<string>({
	label: 'Formula',
	description: 'How to compute uptime percent. Outages are as exact as the poll times of the trigger.',
	choices: FORMULAS.map(({ name, value, description }) => ({ name, value, description })),
	default: 'share',
});

const resultKind = oneOf<AvailabilityResult>({
	label: 'Result',
	description: 'What to return. Stations and charge points without incidents count as up.',
	choices: [
		{ name: 'One Item per Station', value: 'stations' },
		{ name: 'One Item for the Network', value: 'network' },
		{
			name: 'One Item per Outage',
			value: 'outages',
			description: 'Station, cause, begin, end and minutes of each outage that touches the period',
		},
		{
			name: 'One Item per Charge Point',
			value: 'chargePoints',
			description:
				'What is down for a station is down for all its charge points, and an outage with a chargePointId only for that one. Reads the detail of each station: one request per station.',
		},
	],
	default: 'stations',
});

const countsAsDown = textListParameter(
	{
		label: 'Counts as Down',
		description:
			'Causes that count as down, with commas: offline, chargePoint, and what you filled in as Cause in a trigger. Without this option: offline, with One Item per Charge Point also chargePoint.',
		placeholder: 'e.g. offline, faulted',
		default: OFFLINE,
	},
	(entries, refuse) => {
		const causes = uniqBy(entries, (cause) => cause.toLowerCase()).map(spellKnown);
		if (causes.length === 0) refuse('name at least one cause, such as offline.');
		return causes;
	},
);

/** Availability: how much of a period each station or charge point was up, from rows about incidents and what was watched. */
export const availability = operation({
	name: 'Compute Station Availability',
	value: 'availability',
	action: 'Compute availability of charging stations',
	description:
		'Return the uptime of each station, each charge point or the network in a period, from the incidents that your workflows have kept',
	wholeInput: true,
	parameters: {
		rowsNotice: notice(
			'Each input item is an incident or a watched time, as reported by the Charging Station Status Trigger or the Charge Point Trigger and kept in a data table, or an excluded or closing time that you added there. A month may have no rows: so that this node still runs, switch on Always Output Data in the settings of the node that reads them. <a href="https://github.com/charging-network/n8n-nodes-charging-network/blob/main/docs/uptime.md" target="_blank">How uptime is computed</a>',
		),
		list,
		period,
		days: showParameterWhen(
			'period',
			['lastDays'],
			integer({
				label: 'Days',
				description: 'How many whole days, the last of them yesterday',
				default: 30,
				min: 1,
				max: MOST_BACK,
			}),
		),
		preset,
		result: resultKind,
		filters: filtersParameter(list),
		options: options({
			...paging,
			assumeAlwaysWatched: flag({
				label: 'Assume Always Watched',
				description:
					'Whether a cause counts as watched all the time if no row of kind watching is about it. Without this, uptime cannot be given where no row tells that anybody watched.',
				default: true,
			}),
			countsAsDown,
			...timeoutOptions,
		}),
		rows: inputItemsParameter((items) => items),
	},
	check(values, refuse, moment) {
		checkYear(formulaOf(values.preset), spanOf(values, moment), (message) => refuse('preset', message));
		const causes = values.options.countsAsDown ?? [];
		checkCauses(causes, values.result, (message) => refuse('countsAsDown', message));
	},
	async run(values, { connection, zone, now }) {
		const { result, options: chosen } = values;
		const longWork = new LongWork();
		const formula = formulaOf(values.preset);
		const counting: UptimeOptions = {
			causes: chosen.countsAsDown ?? usualCauses(result),
			assumeAlwaysWatched: chosen.assumeAlwaysWatched,
			zone,
		};
		const seconds = Math.floor(now.getTime() / 1000);
		const issues = new ValidationIssues();
		const reading = { zone, now: seconds, spellings: counting.causes };
		const rows = await parseUptimeRows(values.rows, reading, issues, longWork);
		issues.check();
		const pace = toPagingOptions(chosen);
		const { stations, notes: ofList } = await readStations(connection, values.filters.filter, pace);
		const { counted, missing, notes } =
			result === 'chargePoints'
				? await countChargePoints(connection, stations, pace)
				: { counted: stations.map(countStation), missing: [], notes: [] };
		const listNotes = [...ofList, ...missing];
		const { from, to } = spanOf(values, { zone, now });
		const uptime = new UptimeCalculator(rows, { from, to: Math.min(to, seconds) }, counting);
		const basis = {
			rows,
			uptime,
			formula,
			counting,
			result,
			stations: stations.length,
			listNotes,
			counted,
			notCounted: findUncountedUnits(uptime, counted, result),
		};
		const report: AvailabilityReport = { ...basis, missing: explainMissingUptime(basis) };
		const figures = await longWork.map(counted, (unit) => uptime.figuresOf(unit));
		return {
			pages: [await itemsOf(report, figures, longWork)],
			notes: [...listNotes, ...notes, ...availabilityNotes(report, figures)],
		};
	},
});

function spanOf(
	{ period: name, days = 0 }: { period: AvailabilityPeriodName; days?: number },
	{ zone, now }: RunClock,
): Span {
	const { from, to } =
		name === LAST_12_MONTHS
			? lastMonthsSpan(12, now, zone)
			: periodSpan(name === 'lastDays' ? { name, days } : { name }, now, zone);
	return { from: from.toSeconds(), to: to.toSeconds() };
}

function formulaOf(value: string): Formula {
	return FORMULAS.find((each) => each.value === value) ?? FORMULAS[0];
}

function checkYear({ ofYear }: Formula, { from, to }: Span, refuse: Refuse): void {
	const isYear = [365, 366].includes(Math.round((to - from) / DAY_SECONDS));
	if (!ofYear || isYear) return;
	const choices = 'Choose Last 12 Months, Last Year, This Year or the last 365 days.';
	refuse(`this formula needs a year. ${choices}`);
}

function checkCauses(causes: readonly string[], result: AvailabilityResult, refuse: Refuse): void {
	if (causes.includes(CHARGE_POINT) && (result === 'stations' || result === 'network')) {
		const choice = 'For Result, choose One Item per Charge Point or One Item per Outage.';
		refuse(`a station is not down because of one charge point (${CHARGE_POINT}). ${choice}`);
	}
}

function spellKnown(cause: string): string {
	return [OFFLINE, CHARGE_POINT].find((known) => known.toLowerCase() === cause.toLowerCase()) ?? cause;
}

/** What counts as down unless the user says so. By charge point nobody may forget the outages of charge points. */
function usualCauses(result: AvailabilityResult): string[] {
	return result === 'chargePoints' ? [OFFLINE, CHARGE_POINT] : [OFFLINE];
}

/** The stations that match, each once, and what was odd about their list. */
async function readStations(connection: Connection, filter: FilterGroup | undefined, paging: PagingOptions) {
	const sink = new RowBuffer((some) => some.map(({ Id, Name }) => ({ Id, Name })));
	const { notes } = await connection.list(STATIONS).read({ query: { filter, sorts: [] }, paging, sink });
	const stations = uniqBy(sink.all, (station) => toIdText(station.Id) ?? station);
	if (stations.length < sink.all.length) {
		const many = formatCount(stations.length, 'station');
		notes.push(`The platform's list has ${sink.all.length} rows for ${many}. Each station counts once.`);
	}
	return { stations, notes };
}

function countStation({ Id: stationId = null, Name: stationName = null }: Row): CountedUnit {
	return { station: toIdText(stationId) ?? String(stationId), stationId, stationName };
}

/** The charge points of the stations, notes about stations that show none, and others. */
async function countChargePoints(connection: Connection, stations: readonly Row[], paging: PagingOptions) {
	const found = await readChargePoints(connection, stations, paging);
	const counted = found.flatMap(({ station, entries }): CountedUnit[] =>
		identifyChargePoints(entries).ids.map((chargePointId) => ({
			...countStation(station),
			chargePoint: String(chargePointId),
			chargePointId,
		})),
	);
	const notes: string[] = [];
	const byPosition = found.filter(({ entries }) => identifyChargePoints(entries).field === undefined);
	if (byPosition.length > 0) {
		notes.push(
			`The charge points of these stations do not all have an Id, EvseId or Uid of their own, so their places (#1, #2 ...) stand for them, also in rows from before their number changed: ${formatStationNames(byPosition)}.`,
		);
	}
	return { counted, missing: stationNotes(found), notes };
}

async function itemsOf(
	report: AvailabilityReport,
	figures: readonly UnitFigures[],
	longWork: LongWork,
): Promise<Row[]> {
	const { result, stations, counted, uptime } = report;
	if (result === 'outages') {
		const period = { ...periodJson(report), ...basisJson(report) };
		const items = await longWork.map(counted, (station) =>
			uptime.outagesOf(station.station).map((outage) => ({ ...outageJson(report, station, outage), ...period })),
		);
		return items.flat();
	}
	const about = reportBasisJson(report);
	if (result === 'network') return [{ stations, ...figuresJson(report, figures), ...about }];
	return await longWork.map(counted, ({ stationId, stationName, chargePointId }, index) => {
		const own = figuresJson(report, figures.slice(index, index + 1));
		return { stationName, stationId, ...(chargePointId !== undefined && { chargePointId }), ...own, ...about };
	});
}
