import uniqBy from 'lodash/uniqBy';
import type { INodeProperties } from 'n8n-workflow';

import {
	DAY_PERIODS,
	lastMonthsSpan,
	MOST_BACK,
	periodSpan,
	type DayPeriodName,
} from '../shared/dsquery/values/periods';
import { writeQuery } from '../shared/dsquery/write';
import { chargePointIds } from '../shared/node/chargePoints';
import { filterProperties, PERIOD_LABELS } from '../shared/node/form/filterForm';
import { optionsProperty } from '../shared/node/form/listParameters';
import type { Operation } from '../shared/node/operation';
import { Parameters } from '../shared/node/parameters';
import type { Connection, Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { FORMULAS, type Formula } from './availability/formulas';
import { hintsOf, whyMissing } from './availabilityHints';
import {
	aboutJson,
	figuresJson,
	outageJson,
	RESULTS,
	type Counted,
	type Report,
	type Result,
} from './availabilityItems';
import { idText } from './availability/rowReader';
import { CHARGE_POINT, OFFLINE, readRows } from './availability/rows';
import { lengthOf, type Span } from './availability/spans';
import { Uptime, type Counting, type Figures } from './availability/uptime';
import { readChargePoints, stationNames, stationNotes } from './chargePoints';

const DAY_SECONDS = 86_400;
const LAST_12_MONTHS = 'last12Months' as const;
const PERIODS: [PeriodName, ...PeriodName[]] = [LAST_12_MONTHS, ...DAY_PERIODS];
type PeriodName = DayPeriodName | typeof LAST_12_MONTHS;
const LABELS = { ...PERIOD_LABELS, [LAST_12_MONTHS]: 'Last 12 Months' };

const countingOptions: INodeProperties[] = [
	{
		displayName: 'Assume Always Watched',
		name: 'assumeAlwaysWatched',
		type: 'boolean',
		default: true,
		description:
			'Whether a cause counts as watched all the time if no row of kind watching is about it. Without this, uptime cannot be given where no row tells that anybody watched.',
	},
	{
		displayName: 'Counts as Down',
		name: 'countsAsDown',
		type: 'string',
		default: 'offline',
		placeholder: 'e.g. offline, faulted',
		description:
			'Causes that count as down, with commas: offline, chargePoint, and what you filled in as Cause in a trigger. Without this option: offline, with One Item per Charge Point also chargePoint, and for the rules of the UK and the US what they count.',
	},
];

const properties: INodeProperties[] = [
	{
		displayName:
			'Each input item is an incident or a watched time, as reported by the Charging Station Status Trigger or the Charge Point Trigger and kept in a data table, or an excluded or closing time that you added there. A month may have no rows: so that this node still runs, switch on Always Output Data in the settings of the node that reads them. <a href="https://github.com/charging-network/n8n-nodes-charging-network/blob/main/docs/uptime.md" target="_blank">How uptime is computed</a>',
		name: 'rowsNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Period',
		name: 'period',
		type: 'options',
		options: [...DAY_PERIODS, LAST_12_MONTHS].map((period) => ({ name: LABELS[period], value: period })),
		default: 'lastMonth',
		description:
			'Whole days in the time zone of the workflow. A period that is not over ends now. Last 12 Months: the twelve whole months before this one.',
	},
	{
		displayName: 'Days',
		name: 'days',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MOST_BACK },
		default: 30,
		description: 'How many whole days, the last of them yesterday',
		displayOptions: { show: { period: ['lastDays'] } },
	},
	{
		displayName: 'Formula',
		name: 'preset',
		type: 'options',
		options: FORMULAS.map(({ name, value, description }) => ({ name, value, description })),
		default: 'share',
		description: 'How to compute uptime percent. Outages are as exact as the poll times of the trigger.',
	},
	{
		displayName: 'Result',
		name: 'result',
		type: 'options',
		options: [
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
		description: 'What to return. Stations and charge points without incidents count as up.',
	},
	...filterProperties(STATIONS),
	optionsProperty({ paging: true, extra: countingOptions }),
];

/** Availability: how much of a period each station or charge point was up, from rows about incidents and what was watched. */
export const availability: Operation = {
	name: 'Compute Station Availability',
	value: 'availability',
	action: 'Compute availability of charging stations',
	description:
		'Return the uptime of each station, each charge point or the network in a period, from the incidents that your workflows have kept',
	wholeInput: true,
	properties,
	prepare(context, itemIndex) {
		const parameters = Parameters.ofItem(context, itemIndex, properties);
		const { zone, now } = parameters;
		const period = readPeriod(parameters);
		const formula = readFormula(parameters, period);
		const result = parameters.choice('result', RESULTS);
		const chosen = readCauses(parameters, formula, result);
		const assumeAlwaysWatched = parameters.flag('assumeAlwaysWatched');
		const { filter } = parameters.query(STATIONS);
		const query = { filter, sorts: [] };
		const paging = parameters.paging();
		const platformOptions = parameters.platformOptions();
		const items = context.getInputData().map(({ json }) => json);
		const rows = readRows(items, zone, parameters.faults, chosen);
		parameters.check();
		const causes = chosen ?? formula.rule?.causes(causesFor(result, rows.causes)) ?? [];
		const counting: Counting = { causes, assumeAlwaysWatched, zone };
		const preset = formula.value;
		return {
			key: JSON.stringify({ query: writeQuery(query), period, preset, result, counting, paging, platformOptions }),
			platformOptions,
			async run(connection) {
				const { pages, hints } = await connection.list(STATIONS).read({
					query,
					paging,
					collect: { add: (some) => some.map(({ Id, Name }) => ({ Id, Name })) },
				});
				const stations = pages.flat();
				const { counted, notes } =
					result === 'chargePoints'
						? await countChargePoints(connection, stations, paging)
						: { counted: stations.map(countStation), notes: [] };
				const uptime = new Uptime(rows, period, Math.floor(now.getTime() / 1000), counting);
				const basis = { ...{ rows, uptime, formula, counting, result }, stations: stations.length, counted };
				const report: Report = { ...basis, missing: whyMissing(basis) };
				const figures = counted.map((unit) => uptime.figuresOf(unit));
				return {
					pages: [itemsOf(report, figures)],
					hints: [...hints, ...notes, ...hintsOf(report, figures)],
				};
			},
		};
	},
};

const PRESETS = FORMULAS.map(({ value }) => value) as [string, ...string[]];

function readPeriod(parameters: Parameters): Span {
	const { zone, now } = parameters;
	const name = parameters.choice('period', PERIODS);
	const days = name === 'lastDays' ? parameters.wholeNumber('days') : 0;
	const { from, to } =
		name === LAST_12_MONTHS
			? lastMonthsSpan(12, now, zone)
			: periodSpan(name === 'lastDays' ? { name, days } : { name }, now, zone);
	return { from: from.toSeconds(), to: to.toSeconds() };
}

function readFormula(parameters: Parameters, period: Span): Formula {
	const preset = parameters.choice('preset', PRESETS);
	const formula = FORMULAS.find(({ value }) => value === preset) ?? FORMULAS[0];
	const isYear = [365, 366].includes(Math.round(lengthOf(period) / DAY_SECONDS));
	const isOver = period.to * 1000 <= parameters.now.getTime();
	if (formula.ofYear === 'past' && !(isYear && isOver)) {
		const choices = 'Choose Last 12 Months, Last Year or the last 365 days.';
		parameters.refuse('preset', `this rule needs a year that is over. ${choices}`);
	} else if (formula.ofYear && !isYear) {
		const choices = 'Choose Last 12 Months, Last Year, This Year or the last 365 days.';
		parameters.refuse('preset', `this formula needs a year. ${choices}`);
	}
	return formula;
}

/** The causes that the user counts as down; undefined if an official rule decides, which counts what the rows name. */
function readCauses(parameters: Parameters, { rule }: Formula, result: Result): string[] | undefined {
	if (!parameters.hasOption('countsAsDown')) return rule ? undefined : causesFor(result, [OFFLINE]);
	const causes = uniqBy(parameters.texts('countsAsDown'), (cause) => cause.toLowerCase()).map(spellKnown);
	if (causes.length === 0) parameters.refuse('countsAsDown', 'name at least one cause, such as offline.');
	if (rule?.isOfflineUp && causes.includes(OFFLINE)) {
		parameters.refuse('countsAsDown', 'by this rule, offline counts as up. Name the causes that are faults.');
	}
	if (causes.includes(CHARGE_POINT) && (result === 'stations' || result === 'network')) {
		const choice = 'For Result, choose One Item per Charge Point or One Item per Outage.';
		parameters.refuse('countsAsDown', `a station is not down because of one charge point (${CHARGE_POINT}). ${choice}`);
	}
	return causes;
}

function spellKnown(cause: string): string {
	return [OFFLINE, CHARGE_POINT].find((known) => known.toLowerCase() === cause.toLowerCase()) ?? cause;
}

/** Those of the causes that matter for a result. By charge point nobody may forget the outages of charge points. */
function causesFor(result: Result, causes: readonly string[]): string[] {
	if (result === 'chargePoints') return [...new Set([...causes, CHARGE_POINT])];
	return causes.filter((cause) => cause !== CHARGE_POINT || result === 'outages');
}

function countStation({ Id: id, Name: stationName = null }: Row): Counted {
	return { station: idText(id) ?? String(id), stationName };
}

async function countChargePoints(connection: Connection, stations: readonly Row[], paging: { parallel: number }) {
	const found = await readChargePoints(connection, stations, paging);
	const counted = found.flatMap(({ station, entries }): Counted[] =>
		chargePointIds(entries).ids.map((chargePoint) => ({ ...countStation(station), chargePoint })),
	);
	const notes = stationNotes(found);
	const byPlace = found.filter(({ entries }) => !chargePointIds(entries).areOwn);
	if (byPlace.length > 0) {
		notes.push(
			`The charge points of these stations do not all have an Id of their own, so their places (#1, #2 ...) stand for them, also in rows from before their number changed: ${stationNames(byPlace)}.`,
		);
	}
	return { counted, notes };
}

function itemsOf(report: Report, figures: readonly Figures[]): Row[] {
	const { result, stations, counted } = report;
	if (result === 'outages') return counted.flatMap((station) => outageJson(report, station));
	const about = aboutJson(report);
	if (result === 'network') return [{ stations, ...figuresJson(report, figures), ...about }];
	return counted.map(({ station: stationId, stationName, chargePoint }, index) => {
		const own = figuresJson(report, figures.slice(index, index + 1));
		return {
			stationName,
			stationId,
			...(chargePoint !== undefined && { chargePointId: chargePoint }),
			...own,
			...about,
		};
	});
}
