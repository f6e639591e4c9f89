import castArray from 'lodash/castArray';
import startCase from 'lodash/startCase';
import uniq from 'lodash/uniq';
import uniqBy from 'lodash/uniqBy';
import { DateTime } from 'luxon';
import type { ILoadOptionsFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { and, condition } from '../dsquery/compose';
import { coveredDays, periodOf } from '../dsquery/values/coveredDays';
import { knownField, spellField } from '../dsquery/catalogue';
import { isRecord, quote } from '../dsquery/faults';
import { chosenField, NO_FIELD } from '../dsquery/fieldValue';
import type { Group } from '../dsquery/types';
import { WIRE_FORMAT } from '../dsquery/values/values';
import { writeQuery } from '../dsquery/write';
import { Parameters } from '../node/parameters';
import type { ListChoice } from '../node/listOperations';
import type { Operation } from '../node/operation';
import { filterProperties } from '../node/form/filterForm';
import { optionsProperty } from '../node/form/listParameters';
import { isTime, type Collector } from './collector';
import { comparedWith, COMPARISONS } from './comparison';
import { measureKey, MEASURE_FUNCTIONS, type Measure } from './measures';
import { Summary, type SummaryContext, type SummaryPlan } from './summary';
import type { Collect } from '../platform';
import type { ListResource } from '../resources';

const GROUP_BY = ['status', 'day', 'week', 'month', 'weekday', 'hour', 'field'] as const;
type GroupName = (typeof GROUP_BY)[number];
const RESULTS = ['oneItem', 'itemPerGroup'] as const;
const MOST_COMBINED = 3;

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

function propertiesOf(subject: Subject): INodeProperties[] {
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
				{ name: 'Field', value: 'field', description: 'Figures for each value of a field that you choose, or of two' },
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
			description: `What to compare the figures with. The result is in previous, difference and differencePercent. Needs a filter with one period on ${dateLabel(subject)}.`,
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
					description: `How many groups to list. All other groups are combined into one.${defaultMeasure ? ` For the ten with the most energy enter 10, and choose ${measureKey(defaultMeasure)} under Order Groups By.` : ''} With One Item, it limits the values of fields (100 by default). With One Item per Group, it limits all groups (no limit by default).`,
				},
				{
					displayName: 'Order Groups By Name or ID',
					name: 'orderGroupsBy',
					type: 'options',
					typeOptions: { loadOptionsMethod: 'getGroupOrders' },
					default: 'count',
					description: `Which groups come first: those with the highest figure, or by name, code or time. By default, groups of a field come by number of ${rows}, others by group. In an expression: group, count, or a measure such as ${defaultMeasure ? measureKey(defaultMeasure) : 'Amount_sum'}. Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.`,
				},
			],
		}),
	];
}

function groupNames(list: ListResource): GroupName[] {
	return GROUP_BY.filter((name) => name !== 'status' || knownField(list, 'Status') !== undefined);
}

/** What the form calls the date field. */
function dateLabel({ list, dateField }: Subject): string {
	if (dateField === undefined) return 'the Date Field';
	return knownField(list, dateField)?.label ?? dateField;
}

/**
 * Summarize: figures of all matching rows, in total and by group. Each page is added up as it arrives, so memory use
 * does not depend on the number of pages.
 */
export function summarizeOperation(subject: Subject): Operation {
	const properties = propertiesOf(subject);
	return {
		name: 'Summarize',
		value: 'summary',
		action: `Summarize ${subject.list.plural}`,
		description: `Add up the number${subject.namedMeasure ? ', energy' : ''} and other figures by ${subject.dateField ? 'status, ' : ''}time or field, and compare two periods`,
		properties,
		prepare(context, itemIndex) {
			const parameters = Parameters.ofItem(context, itemIndex, properties);
			const list = subject.choice?.read(parameters) ?? subject.list;
			const { filter } = parameters.query(list);
			const plan = readPlan(parameters, subject);
			const dateField = subject.dateField ?? readDateField(parameters, plan);
			const earlier = readComparison(parameters, filter, subject, dateField);
			const paging = parameters.paging();
			const platformOptions = parameters.platformOptions();
			parameters.check();
			const { zone, now } = parameters;
			const daysOf = (part: Group | undefined) =>
				dateField === undefined ? undefined : coveredDays(part, zone, dateField);
			const summaryContext: SummaryContext = {
				rows: subject.rows,
				dateField,
				knownFields: list.fields.map(({ name }) => name),
				zone,
				today: DateTime.fromJSDate(now, { zone }).toFormat('yyyy-MM-dd'),
				period: daysOf(filter),
				statusCodes: knownField(list, 'Status')?.codes,
				timeNames: subject.timeNames,
				namedMeasure: subject.namedMeasure,
				comparison: earlier && { shift: earlier.shift, period: daysOf(earlier.filter) ?? null },
			};
			const query = { filter, sorts: [] };
			const earlierQuery = summaryContext.comparison?.period && { filter: earlier?.filter, sorts: [] };
			const queries = [writeQuery(query), earlierQuery && writeQuery(earlierQuery)];
			return {
				key: JSON.stringify([list.path, ...queries, plan, dateField, paging, platformOptions]),
				platformOptions,
				async run(connection) {
					const summary = new Summary(plan, summaryContext);
					const read = async (part: typeof query, begin: () => Pick<Collector, 'add'>) =>
						(await connection.list(list).read({ query: part, paging, collect: adding(begin) })).hints;
					const hints = await read(query, () => summary.begin());
					if (earlierQuery) hints.push(...(await read(earlierQuery, () => summary.beginEarlier())));
					return { pages: [summary.items], hints: [...summary.hints, ...hints] };
				},
			};
		},
	};
}

/** Adds up rows as they arrive, and keeps none. */
function adding(begin: () => Pick<Collector, 'add'>): Collect {
	let figures = begin();
	return {
		begin: () => (figures = begin()),
		add(rows) {
			figures.add(rows);
			return [];
		},
	};
}

function readPlan(parameters: Parameters, subject: Subject): SummaryPlan {
	const names = parameters.choices('groupBy', groupNames(subject.list));
	const fields = names.includes('field') ? readFields(parameters) : [];
	const groupBy = names.flatMap((name): SummaryPlan['groupBy'] =>
		name === 'field' ? fields.map((field) => ({ by: name, field })) : [{ by: name }],
	);
	const result = parameters.choice('result', RESULTS);
	const isTable = result === 'itemPerGroup';
	if (isTable && groupBy.length === 0) parameters.refuse('groupBy', 'choose a group, or set Result to One Item.');
	if (isTable && groupBy.length > MOST_COMBINED) {
		parameters.refuse(
			'groupBy',
			`these are ${groupBy.length}, but an item per group can combine ${MOST_COMBINED} at most.`,
		);
	}
	const measures = readMeasures(parameters, subject);
	const isSet = parameters.hasOption('maxGroups') || !isTable;
	return {
		measures,
		groupBy,
		result,
		maxGroups: isSet ? parameters.wholeNumber('maxGroups') : Number.MAX_SAFE_INTEGER,
		orderGroupsBy: readOrder(parameters, measures, fields.length > 0),
	};
}

function readFields(parameters: Parameters): string[] {
	const second = parameters.stored('groupByField2') === '' ? [] : ['groupByField2'];
	const fields = ['groupByField', ...second].flatMap((name) => readField(parameters, name) ?? []);
	if (fields.length === 2 && fields[0]?.toLowerCase() === fields[1]?.toLowerCase()) {
		parameters.refuse('groupByField2', 'this is the same field as the first. Choose another one, or none.');
	}
	return fields;
}

/** The date field, if one is chosen. It is required for groups of time and for a comparison. */
function readDateField(parameters: Parameters, { groupBy }: SummaryPlan): string | undefined {
	const needsOne = groupBy.some(({ by }) => isTime(by)) || parameters.value('compareWith') !== 'none';
	if (!needsOne && parameters.stored('groupByDateField') === '') return undefined;
	return readField(parameters, 'groupByDateField');
}

function readField(parameters: Parameters, name: string): string | undefined {
	const [field, ...more] = parameters.fieldNames(name);
	if (more.length > 0) parameters.refuse(name, 'one field is needed here, but these are several.');
	return field;
}

function readMeasures(parameters: Parameters, { list, defaultMeasure }: Subject): Measure[] {
	const entries = measureEntries(parameters.value('measures'));
	const measures = entries.flatMap(({ field: stored, function: name = 'sum' }, index): Measure[] => {
		const refuse = (message: string) => parameters.refuse('measures', `measure ${index + 1}: ${message}`);
		const field = chosenField(stored);
		const wanted = typeof name === 'string' ? name.trim().toLowerCase() : name;
		const found = MEASURE_FUNCTIONS.find((known) => known === wanted);
		if (!field) refuse(NO_FIELD);
		if (!found) refuse(`${quote(name)} is none of: ${MEASURE_FUNCTIONS.join(', ')}.`);
		return field && found ? [{ field: spellField(list, field.name), function: found }] : [];
	});
	return entries.length === 0 ? castArray(defaultMeasure ?? []) : uniqBy(measures, measureKey);
}

function measureEntries(stored: unknown): Array<Readonly<Record<string, unknown>>> {
	const entries: unknown[] = castArray((isRecord(stored) ? stored.values : undefined) ?? []);
	return entries.map((entry) => (isRecord(entry) ? entry : {}));
}

function readOrder(parameters: Parameters, measures: readonly Measure[], hasFields: boolean): string {
	if (!parameters.hasOption('orderGroupsBy')) return hasFields ? 'count' : 'group';
	return parameters.choice('orderGroupsBy', ['group', 'count', ...measures.map(measureKey)]);
}

/** The filter for the earlier rows of a comparison, and how far back they are. Undefined if nothing is compared. */
function readComparison(
	parameters: Parameters,
	filter: Group | undefined,
	subject: Subject,
	dateField: string | undefined,
) {
	const name = parameters.choice('compareWith', COMPARISONS);
	if (name === 'none' || dateField === undefined) return undefined;
	const period = periodOf(filter, dateField);
	if (!period) {
		parameters.refuse(
			'compareWith',
			`for this the filter needs one period on ${dateLabel(subject)}, with a beginning and an end, that all ${subject.rows} must match. Add it under Filters, for example In Period: Last Month.`,
		);
		return undefined;
	}
	const { span, shift } = comparedWith(period.span, name, parameters.zone, parameters.now);
	const ends = [span.from, span.to].map((end) => end.toUTC().toFormat(WIRE_FORMAT));
	const range = condition(dateField, 'GteLt', ends.join());
	return { filter: and(range, period.rest), shift };
}

/** The method that loads the options of Order Groups By, which depend on the chosen measures. */
export function groupOrders({ defaultMeasure, rows }: Subject) {
	return async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const stored = measureEntries(this.getCurrentNodeParameter('measures'));
		const entries = stored.flatMap(({ field, function: name = 'sum' }) => {
			const chosen = chosenField(field);
			return chosen ? `${chosen.name}_${String(name)}` : [];
		});
		const keys = entries.length > 0 ? uniq(entries) : castArray(defaultMeasure ?? []).map(measureKey);
		return await Promise.resolve([
			{ name: 'Group', value: 'group', description: 'By day, by name, by code' },
			{ name: `Number of ${startCase(rows)}`, value: 'count', description: 'Most first' },
			...keys.map((key) => ({ name: key, value: key, description: 'Largest first' })),
		]);
	};
}
