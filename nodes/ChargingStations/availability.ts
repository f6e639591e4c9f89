import round from 'lodash/round';
import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { DAY_PERIODS, MOST_BACK, periodSpan, type DayPeriodName } from '../shared/dsquery/values/periods';
import { writeQuery } from '../shared/dsquery/write';
import { filterProperties, PERIOD_LABELS } from '../shared/node/form/filterForm';
import { optionsProperty } from '../shared/node/form/listParameters';
import type { Operation } from '../shared/node/operation';
import { Parameters } from '../shared/node/parameters';
import { STATIONS } from '../shared/resources';
import { FORMULAS, uptimePercent, type Formula } from './availability/formulas';
import { readRows, type UptimeRows } from './availability/rows';
import { lengthOf, type Span } from './availability/spans';
import { together, Uptime, type Figures } from './availability/uptime';

const DAY_SECONDS = 86_400;

const properties: INodeProperties[] = [
	{
		displayName:
			'Each input item is an incident or a watched time, as reported by the Charging Station Status Trigger and kept in a data table, or an excluded time that you added there. A month may have no rows: so that this node still runs, switch on Always Output Data in the settings of the node that reads them. <a href="https://github.com/charging-network/n8n-nodes-charging-network/blob/main/docs/uptime.md" target="_blank">How uptime is computed</a>',
		name: 'rowsNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Period',
		name: 'period',
		type: 'options',
		options: DAY_PERIODS.map((period) => ({ name: PERIOD_LABELS[period], value: period })),
		default: 'lastMonth',
		description: 'Whole days in the time zone of the workflow. A period that is not over ends now.',
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
		],
		default: 'stations',
		description: 'What to return. Stations without incidents count as up.',
	},
	...filterProperties(STATIONS),
	optionsProperty({ paging: true }),
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
		const name = parameters.choice('period', DAY_PERIODS as [DayPeriodName, ...DayPeriodName[]]);
		const days = name === 'lastDays' ? parameters.wholeNumber('days') : 0;
		const { from, to } = periodSpan(name === 'lastDays' ? { name, days } : { name }, now, zone);
		const period = { from: from.toSeconds(), to: to.toSeconds() };
		const preset = parameters.choice('preset', PRESETS);
		const formula = FORMULAS.find(({ value }) => value === preset) ?? FORMULAS[0];
		if (formula.ofYear && ![365, 366].includes(Math.round(lengthOf(period) / DAY_SECONDS))) {
			parameters.refuse('preset', 'this formula needs a year. Choose Last Year, This Year or the last 365 days.');
		}
		const perStation = parameters.choice('result', ['stations', 'network']) === 'stations';
		const { filter } = parameters.query(STATIONS);
		const query = { filter, sorts: [] };
		const paging = parameters.paging();
		const platformOptions = parameters.platformOptions();
		const rows = readRows(inputRows(context), zone, parameters.faults);
		parameters.check();
		return {
			key: JSON.stringify({ query: writeQuery(query), period, preset, perStation, paging, platformOptions }),
			platformOptions,
			async run(connection) {
				const { pages, hints } = await connection.list(STATIONS).read({
					query,
					paging,
					collect: { add: (some) => some.map(({ Id, Name }) => ({ Id, Name })) },
				});
				const stations = pages.flat().map(({ Id: id, Name: stationName = null }) => ({ id: String(id), stationName }));
				const uptime = new Uptime(rows, period, Math.floor(now.getTime() / 1000));
				const figures = stations.map(({ id }) => uptime.figuresOf(id));
				const about = { ...describe(rows, formula), ...writeSpan(uptime.period, zone) };
				const items = perStation
					? stations.map(({ id, stationName }, index) => {
							const own = figures.slice(index, index + 1);
							return { stationName, stationId: id, ...toJson(own, formula), ...about };
						})
					: [{ stations: stations.length, ...toJson(figures, formula), ...about }];
				const { incidentsOfUnknownLength } = together(figures);
				return {
					pages: [items],
					hints: [...hints, ...hintsOf(rows, uptime, stations, incidentsOfUnknownLength)],
				};
			},
		};
	},
};

const PRESETS = FORMULAS.map(({ value }) => value) as [string, ...string[]];

function inputRows(context: IExecuteFunctions): IDataObject[] {
	return context.getInputData().map(({ json }) => json);
}

function toJson(figures: readonly Figures[], formula: Formula): IDataObject {
	const { down, excluded, unknown, incidents, longest, incidentsOfUnknownLength } = together(figures);
	return {
		uptimePercent: uptimePercent(formula, figures),
		downMinutes: minutes(down),
		excludedMinutes: minutes(excluded),
		unknownMinutes: unknown === undefined ? null : minutes(unknown),
		incidents,
		longestMinutes: minutes(longest),
		meanTimeToRepairMinutes: incidents === 0 ? null : minutes(down / incidents),
		incidentsOfUnknownLength,
	};
}

function minutes(seconds: number): number {
	return round(seconds / 60, 2);
}

/** Says what the figures are based on, so that they are not taken for more. */
function describe({ watching, polls }: UptimeRows, { text }: Formula): IDataObject {
	const watched = watching.reduce((sum, span) => sum + lengthOf(span), 0);
	const every = polls > 0 ? `every ${round(watched / polls / 60, 1)} minutes` : 'at each poll of the trigger';
	const condition = watching.length > 0 ? '' : ', if that watched all the time: no row says when it did';
	return { formula: text, basis: `by station, as seen ${every}${condition}` };
}

function writeSpan({ from, to }: Span, zone: string): IDataObject {
	const iso = (seconds: number) => DateTime.fromSeconds(seconds, { zone }).toISO({ suppressMilliseconds: true });
	return { from: iso(from), to: iso(to) };
}

const MOST_NAMED = 5;

function hintsOf(
	rows: UptimeRows,
	uptime: Uptime,
	stations: ReadonlyArray<{ id: string }>,
	incidentsOfUnknownLength: number,
): string[] {
	const hints: string[] = [];
	if (rows.watching.length === 0) {
		hints.push(
			'No row says what was watched, so all time counts as watched: the figures hold only if the trigger ran all the time. Check that the right table was read. Switch on Report Watched Time Hourly in the trigger, and keep those items too.',
		);
	}
	if (incidentsOfUnknownLength > 0) {
		hints.push(
			`Incidents of unknown length: ${incidentsOfUnknownLength}. No row says when they ended, and no watching row lists them as open, so they count as 0 minutes. A new one will be in the trigger's next watching row. For the others, fill in the field “until” if you know when they ended.`,
		);
	}
	const watched = rows.latest?.stations ?? stations.length;
	if (watched < stations.length) {
		hints.push(
			`The trigger watched ${watched} stations, but ${stations.length} are counted here. Use the same filter in both: a station that is not watched has no incidents.`,
		);
	}
	const known = new Set(stations.map(({ id }) => id));
	const others = uptime.offlineStations().filter((id) => !known.has(id));
	if (others.length > 0) {
		const named = others.slice(0, MOST_NAMED).join(', ');
		const more = others.length > MOST_NAMED ? ` and ${others.length - MOST_NAMED} more` : '';
		hints.push(
			`Incidents of stations that no longer exist or do not match the filter are not counted: ${named}${more}.`,
		);
	}
	return hints;
}
