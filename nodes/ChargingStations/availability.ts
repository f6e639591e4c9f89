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
import { filterProperties, PERIOD_LABELS } from '../shared/node/form/filterForm';
import { optionsProperty } from '../shared/node/form/listParameters';
import type { Operation } from '../shared/node/operation';
import { Parameters } from '../shared/node/parameters';
import type { Row } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { FORMULAS, type Formula } from './availability/formulas';
import { hintsOf, whyMissing } from './availabilityHints';
import { aboutJson, figuresJson, outageJson, type Report, type Station } from './availabilityItems';
import { idText } from './availability/rowReader';
import { OFFLINE, readRows } from './availability/rows';
import { lengthOf, type Span } from './availability/spans';
import { Uptime, type Counting, type Figures } from './availability/uptime';

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
		placeholder: 'offline, faulted',
		description:
			'Causes that count as down, with commas: offline, and what you filled in as Cause in a trigger. Without this option: offline, and for the rules of the UK and the US what they count.',
	},
];

const properties: INodeProperties[] = [
	{
		displayName:
			'Each input item is an incident or a watched time, as reported by the Charging Station Status Trigger and kept in a data table, or an excluded or closing time that you added there. A month may have no rows: so that this node still runs, switch on Always Output Data in the settings of the node that reads them. <a href="https://github.com/charging-network/n8n-nodes-charging-network/blob/main/docs/uptime.md" target="_blank">How uptime is computed</a>',
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
		description:
			'How to compute uptime percent. All formulas count whole stations, and outages are as exact as the poll times of the trigger.',
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
		],
		default: 'stations',
		description: 'What to return. Stations without incidents count as up.',
	},
	...filterProperties(STATIONS),
	optionsProperty({ paging: true, extra: countingOptions }),
];

/** Availability: how much of a period each station was up, from rows about incidents and what was watched. */
export const availability: Operation = {
	name: 'Availability',
	value: 'availability',
	action: 'Compute the availability of charging stations',
	description:
		'Return the uptime of each station or of the network in a period, from the incidents that your workflows have kept',
	wholeInput: true,
	properties,
	prepare(context, itemIndex) {
		const parameters = Parameters.ofItem(context, itemIndex, properties);
		const { zone, now } = parameters;
		const period = readPeriod(parameters);
		const formula = readFormula(parameters, period);
		const result = parameters.choice('result', ['stations', 'network', 'outages']);
		const chosen = readCauses(parameters, formula);
		const assumeAlwaysWatched = parameters.flag('assumeAlwaysWatched');
		const { filter } = parameters.query(STATIONS);
		const query = { filter, sorts: [] };
		const paging = parameters.paging();
		const platformOptions = parameters.platformOptions();
		const items = context.getInputData().map(({ json }) => json);
		const rows = readRows(items, zone, parameters.faults, chosen);
		parameters.check();
		const counting: Counting = { causes: chosen ?? formula.rule?.causes(rows.causes) ?? [], assumeAlwaysWatched, zone };
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
				const stations = pages
					.flat()
					.map(({ Id: id, Name: stationName = null }) => ({ id: idText(id) ?? String(id), stationName }));
				const uptime = new Uptime(rows, period, Math.floor(now.getTime() / 1000), counting);
				const basis = { rows, uptime, formula, counting };
				const report: Report = { ...basis, missing: whyMissing(basis, stations) };
				const figures = stations.map(({ id }) => uptime.figuresOf(id));
				return {
					pages: [itemsOf(report, stations, figures, result)],
					hints: [...hints, ...hintsOf(report, stations, figures)],
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
function readCauses(parameters: Parameters, { rule }: Formula): string[] | undefined {
	if (rule && !parameters.hasOption('countsAsDown')) return undefined;
	const causes = uniqBy(parameters.texts('countsAsDown'), (cause) => cause.toLowerCase());
	if (causes.length === 0) parameters.refuse('countsAsDown', 'name at least one cause, such as offline.');
	if (rule?.isOfflineUp && causes.some((cause) => cause.toLowerCase() === OFFLINE)) {
		parameters.refuse('countsAsDown', 'by this rule, offline counts as up. Name the causes that are faults.');
	}
	return causes.map((cause) => (cause.toLowerCase() === OFFLINE ? OFFLINE : cause));
}

function itemsOf(
	report: Report,
	stations: readonly Station[],
	figures: readonly Figures[],
	result: 'stations' | 'network' | 'outages',
): Row[] {
	if (result === 'outages') return stations.flatMap((station) => outageJson(report, station));
	const about = aboutJson(report);
	if (result === 'network') return [{ stations: stations.length, ...figuresJson(report, figures), ...about }];
	return stations.map(({ id, stationName }, index) => {
		const own = figures.slice(index, index + 1);
		return { stationName, stationId: id, ...figuresJson(report, own), ...about };
	});
}
