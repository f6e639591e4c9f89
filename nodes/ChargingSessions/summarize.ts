import { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';

import { stableSort } from '../shared/dsquery/compose';
import { coveredDays } from '../shared/dsquery/values/coveredDays';
import { knownField } from '../shared/dsquery/catalogue';
import { writeQuery } from '../shared/dsquery/write';
import { Parameters } from '../shared/node/parameters';
import type { Operation } from '../shared/node/operation';
import { readList } from '../shared/platform';
import { filterProperties } from '../shared/node/form/filterForm';
import { optionsProperty } from '../shared/node/form/listParameters';
import { Summary, type SummaryContext, type SummaryPlan } from './summary/summary';
import { SESSIONS } from '../shared/resources';

const GROUP_BY = ['status', 'day', 'field'] as const;

const properties: INodeProperties[] = [
	...filterProperties(SESSIONS),
	{
		displayName: 'Group By',
		name: 'groupBy',
		type: 'multiOptions',
		options: [
			{ name: 'Day', value: 'day', description: "Figures for each day in the workflow's time zone" },
			{ name: 'Field', value: 'field', description: 'Figures for each value of a field that you choose' },
			{ name: 'Status', value: 'status', description: 'Figures for each status code' },
		],
		default: ['status', 'day'],
		description:
			'What to give figures for, besides those for all sessions together. Any of: status, day, field. Days are those of the time zone of the workflow.',
	},
	{
		displayName: 'Group By Field Name or ID',
		name: 'groupByField',
		type: 'options',
		typeOptions: { loadOptionsMethod: 'getGroupFields' },
		default: '',
		description:
			'The field whose values make the groups, for example the name of the station. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		displayOptions: { show: { groupBy: ['field'] } },
	},
	optionsProperty({
		paging: true,
		extra: [
			{
				displayName: 'Max Groups',
				name: 'maxGroups',
				type: 'number',
				typeOptions: { minValue: 1 },
				default: 100,
				description:
					'How many values of the field get figures of their own: those with most sessions. The figures of all others are given together, in otherValues.',
				displayOptions: { show: { '/groupBy': ['field'] } },
			},
		],
	}),
];

/**
 * Summarize: count and energy of all sessions that match, together and in groups. Pages are added up as they come, so
 * that their number does not matter to memory.
 */
export const summarize: Operation = {
	name: 'Summarize',
	value: 'summary',
	action: 'Summarize count and energy of charging sessions',
	description:
		'Return one item with the number of sessions that match a filter, their energy, and both by status, by day or by a field, without returning the sessions',
	properties,
	prepare(context, itemIndex) {
		const parameters = Parameters.ofItem(context, itemIndex, properties);
		const { filter } = parameters.query(SESSIONS);
		const grouping = readGrouping(parameters);
		const paging = parameters.paging();
		const platformOptions = parameters.platformOptions();
		parameters.check();
		const query = { ...(filter && { filter }), sorts: stableSort([]) };
		const { zone, now } = parameters;
		const summaryContext: SummaryContext = {
			rows: 'sessions',
			dateField: 'StartedAtUtc',
			knownFields: SESSIONS.fields.map(({ name }) => name),
			zone,
			today: DateTime.fromJSDate(now, { zone }).toFormat('yyyy-MM-dd'),
			period: coveredDays(filter, zone),
			statusCodes: knownField(SESSIONS, 'Status')?.codes,
		};
		return {
			key: JSON.stringify({ query: writeQuery(query), grouping, paging, platformOptions }),
			platformOptions,
			async run(platform) {
				const summary = new Summary(grouping, summaryContext);
				const { hints } = await readList(async (page) => await platform.getPage(SESSIONS, page), {
					query,
					plural: SESSIONS.plural,
					...paging,
					keep() {
						const figures = summary.begin();
						return (rows) => {
							figures.add(rows);
							return [];
						};
					},
				});
				return { pages: [summary.items], hints: [...summary.hints, ...hints] };
			},
		};
	},
};

function readGrouping(parameters: Parameters): SummaryPlan {
	const names = parameters.choices('groupBy', GROUP_BY);
	const [field = '', ...more] = names.includes('field') ? parameters.fieldNames('groupByField') : [];
	if (more.length > 0) parameters.refuse('groupByField', 'one field is needed here, but these are several.');
	return {
		measures: [{ field: 'EnergyConsumed', function: 'sum' }],
		groupBy: names.map((name) => (name === 'field' ? { by: name, field } : { by: name })),
		result: 'oneItem',
		maxGroups: parameters.wholeNumber('maxGroups'),
		orderGroupsBy: 'count',
	};
}
