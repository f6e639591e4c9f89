import type { INodeProperties } from 'n8n-workflow';

import { knownField } from '../dsquery/catalogue';
import { filterProperties } from '../node/form/filterForm';
import { includeInputOption, optionsProperty } from '../node/form/listParameters';
import type { ListChoice } from '../node/listOperations';
import { SESSION_CODES, type ListResource } from '../resources';
import { measureKey, type Measure } from './measures';
import type { SummaryContext } from './summary';

const GROUP_BY = ['status', 'day', 'week', 'month', 'weekday', 'hour', 'field'] as const;
export type GroupName = (typeof GROUP_BY)[number];

/** What is summarized: a given list, or one that the user chooses. */
export interface Subject {
	/** The list, or what all lists to choose from share. */
	list: ListResource;
	choice?: ListChoice;
	/** "sessions" */
	rows: string;
	/** The field with the time of a row. If left out, the user chooses one. */
	dateField?: string;
	/** The measure if the user adds none. */
	defaultMeasure?: Measure;
	defaultGroups: GroupName[];
	timeNames: SummaryContext['timeNames'];
	namedMeasure?: SummaryContext['namedMeasure'];
}

const firstField: INodeProperties = {
	displayName: 'Group By Field Name or ID',
	name: 'groupByField',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getGroupFields' },
	default: '',
	description:
		'The field whose values make the groups, for example the name of the station. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	displayOptions: { show: { groupBy: ['field'] } },
};

const dateFieldProperty: INodeProperties = {
	displayName: 'Date Field Name or ID',
	name: 'groupByDateField',
	type: 'options',
	typeOptions: { loadOptionsMethod: 'getDateFields' },
	default: '',
	description:
		'The field with the time of each row, for groups of days, weeks, months and hours and for Compare With. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/** The parameters of Summarize. */
export function summaryProperties(subject: Subject): INodeProperties[] {
	const { list, choice, rows, dateField, defaultMeasure, defaultGroups } = subject;
	const hasStatus = knownField(list, 'Status') !== undefined;
	return [
		...(choice ? [choice.property] : []),
		...filterProperties(list),
		{
			displayName: 'Measures',
			name: 'measures',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true, sortable: true, hideEmptyMessage: true },
			placeholder: 'Add Measure',
			default: {},
			description: `What to compute besides the number of ${rows}${defaultMeasure ? `. By default, the ${defaultMeasure.function} of ${defaultMeasure.field}.` : ''}`,
			options: [
				{
					displayName: 'Measure',
					name: 'values',
					values: [
						{
							displayName: 'Field Name or ID',
							name: 'field',
							type: 'options',
							typeOptions: { loadOptionsMethod: 'getMeasureFields' },
							default: '',
							...(hasStatus && { displayOptions: { hide: { function: ['successRate'] } } }),
							description:
								'A field that holds numbers; for Distinct Count any field. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
						},
						{
							displayName: 'Function',
							name: 'function',
							type: 'options',
							options: [
								{
									name: 'Average',
									value: 'average',
									description: `The sum divided by the number of ${rows} that have a value`,
								},
								{ name: 'Distinct Count', value: 'distinct', description: 'How many different values there are' },
								{ name: 'Maximum', value: 'max' },
								{ name: 'Minimum', value: 'min' },
								...(hasStatus
									? [
											{
												name: 'Success Rate',
												value: 'successRate',
												description: `Finished ${rows} in percent of finished and failed ones, and how many these are`,
											},
										]
									: []),
								{ name: 'Sum', value: 'sum' },
							],
							default: 'sum',
							description: 'What to compute of the field',
						},
					],
				},
			],
		},
		{
			displayName: 'Group By',
			name: 'groupBy',
			type: 'multiOptions',
			options: [
				{ name: 'Day', value: 'day', description: "Figures for each day in the workflow's time zone" },
				{
					name: 'Field (Such as Station)',
					value: 'field',
					description: 'Figures for each value of a field that you choose, or of two',
				},
				{ name: 'Hour of Day', value: 'hour', description: 'Figures for each hour from 0 to 23, local time' },
				{ name: 'ISO Week', value: 'week', description: 'Figures for each week from Monday, as 2026-W01' },
				{ name: 'Month', value: 'month', description: 'Figures for each month, as 2026-01' },
				...(hasStatus ? [{ name: 'Status', value: 'status', description: 'Figures for each status code' }] : []),
				{ name: 'Weekday', value: 'weekday', description: 'Figures for each day of the week, 1 is Monday' },
			],
			default: [...defaultGroups],
			description: `How to group the figures. Times are those ${dateField === undefined ? 'of Date Field' : `of ${dateField}`}, in the time zone of the workflow.`,
		},
		...(dateField === undefined ? [dateFieldProperty] : []),
		firstField,
		{
			...firstField,
			displayName: 'Second Field Name or ID',
			name: 'groupByField2',
			typeOptions: { loadOptionsMethod: 'getSecondGroupFields' },
			description:
				'Another field whose values make groups, or none. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
		},
		{
			displayName: 'Result',
			name: 'result',
			type: 'options',
			options: [
				{
					name: 'One Item',
					value: 'oneItem',
					description: 'All figures in one item, with a list for each entry of Group By',
				},
				{
					name: 'One Item per Group',
					value: 'itemPerGroup',
					description: 'A table for a spreadsheet or a chart: an item for each combination of up to three entries',
				},
			],
			default: 'oneItem',
			description: 'How many items to return',
		},
		{
			displayName: 'Compare With',
			name: 'compareWith',
			type: 'options',
			options: [
				{ name: 'Nothing', value: 'none' },
				{
					name: 'Previous Period',
					value: 'previousPeriod',
					description: 'Last week with the week before, this month with the same part of last month',
				},
				{
					name: 'Same Period a Year Before',
					value: 'previousYear',
					description: 'The same dates, and for whole weeks the same weekdays, a year earlier',
				},
			],
			default: 'none',
			description: `What to compare the figures with. With One Item, the result is in previous, difference and differencePercent; with One Item per Group, in columns such as count_previous. Needs a filter with one period on ${dateLabel(subject)}.`,
		},
		optionsProperty({
			paging: true,
			extra: [
				includeInputOption,
				...(hasStatus ? outcomeOptions(rows) : []),
				{
					displayName: 'Only Groups With at Least',
					name: 'minimumSessions',
					type: 'number',
					typeOptions: { minValue: 0 },
					default: 0,
					description: `How many ${rows} a group needs to be listed; those with fewer are among the others. One lucky or unlucky ${list.noun} then does not lead a list. With One Item, it applies to the values of fields.`,
				},
				{
					displayName: 'Show All Others',
					name: 'showAllOthers',
					type: 'boolean',
					default: true,
					description:
						'Whether to add a last item with the groups that are not listed, all in one. It has isOther: true, and groups says how many they are. With One Item, they are always there, in otherValues.',
				},
				{
					displayName: 'Max Groups',
					name: 'maxGroups',
					type: 'number',
					typeOptions: { minValue: 1 },
					default: 100,
					description: `How many groups to list: those with the highest first measure${defaultMeasure ? ' (the energy, unless you add one)' : ''}, or as Order Groups By says. With One Item, it limits the values of fields (100 by default). With One Item per Group, it limits all groups (no limit by default).`,
				},
				{
					displayName: 'Order Groups By Name or ID',
					name: 'orderGroupsBy',
					type: 'options',
					typeOptions: { loadOptionsMethod: 'getGroupOrders' },
					default: 'count',
					description: `Which groups come first: those with the highest figure, or by name, code or time. By default, groups come by the first measure if Max Groups is set; otherwise groups of a field by number of ${rows}, others by group. In an expression: group, count, or a measure such as ${defaultMeasure ? measureKey(defaultMeasure) : 'Amount_sum'}. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.`,
				},
			],
		}),
	];
}

/** Which status codes the success rate counts. */
function outcomeOptions(rows: string): INodeProperties[] {
	const option = (name: string, label: string, code: number): INodeProperties => ({
		displayName: `${label} Status Codes`,
		name,
		type: 'string',
		default: String(code),
		placeholder: `e.g. ${code}`,
		description: `Which ${rows} the measure Success Rate counts as ${label.toLowerCase()}: status codes with commas between them`,
	});
	return [
		option('failedCodes', 'Failed', SESSION_CODES.failed),
		option('finishedCodes', 'Finished', SESSION_CODES.finished),
	];
}

/** The entries of Group By that the list has. */
export function groupNames(list: ListResource): GroupName[] {
	return GROUP_BY.filter((name) => name !== 'status' || knownField(list, 'Status') !== undefined);
}

/** What the form calls the date field. */
export function dateLabel({ list, dateField }: Subject): string {
	if (dateField === undefined) return 'the Date Field';
	return knownField(list, dateField)?.label ?? dateField;
}
