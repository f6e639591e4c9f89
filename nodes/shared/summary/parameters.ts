import castArray from 'lodash/castArray';
import isEqual from 'lodash/isEqual';
import sortBy from 'lodash/sortBy';
import startCase from 'lodash/startCase';
import uniqBy from 'lodash/uniqBy';
import type { ILoadOptionsFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { findKnownField, canonicalFieldName, refuseInvalidStatuses } from '../dsquery/listSchema';
import { isRecord } from '../text';
import { readFieldChoice } from '../dsquery/fieldChoice';
import { listDropdown } from '../list/dropdowns/liveRows';
import { dropdownParameter, fieldNameParameter, optionalFieldNameParameter } from '../parameters/dropdownParameters';
import { filtersParameter } from '../list/filters';
import type { ListParameter } from '../list/list';
import type { FormEntries } from '../dsquery/types';
import { fixedCollectionProperties, readFixedCollection } from '../parameters/fixedCollection';
import { includeInputFields, options, paging, timeoutOptions } from '../parameters/options';
import {
	withDefault,
	constant,
	hideParameterWhen,
	showParameterWhen,
	type Parameter,
	type ParameterSource,
	type ValuesOf,
} from '../parameters/parameter';
import { panelOf, readEntryParameters } from '../parameters/reading';
import { matchName, type Choice, flag, oneOf, someOf, textListParameter, integer } from '../parameters/simple';
import { SESSION_CODES, type ListResource } from '../resources';
import type { ComparisonName } from './comparison';
import { TIMES, type GroupDimension } from './groups';
import {
	LOWEST,
	measureInWords,
	measureKey,
	MEASURE_FUNCTIONS,
	MEASURES,
	type Measure,
	type MeasureFunction,
} from './measures';

type GroupName = GroupDimension['by'];

/** What is summarized. */
export interface SummarySubject {
	list: ListParameter;
	/** "sessions" */
	rows: string;
	/** The field with the time of a row. If left out, the user chooses one. */
	dateField?: string;
	/** The measures if the user adds none. */
	defaultMeasures: Measure[];
	defaultGroups: GroupName[];
	/** The property names of the first and last time, and of the number of rows without one, in one item. */
	timeNames: { first: string; last: string; without: string };
}

const hasStatus = (list: ListResource) => findKnownField(list, 'Status') !== undefined;

/** The parameters of Summarize. */
export function summaryParameters(subject: SummarySubject) {
	const { list } = subject;
	const measures = measuresOf(subject);
	return {
		list,
		filters: filtersParameter(list),
		measures,
		...groupParameters(subject),
		result: RESULT,
		compareWith: comparison(subject),
		options: summaryOptions(subject, measures),
	};
}

export type SummaryParameters = ReturnType<typeof summaryParameters>;
export type SummaryValues = ValuesOf<SummaryParameters>;

function groupParameters(subject: SummarySubject) {
	const { list, dateField } = subject;
	const groupBy = groups(subject);
	return {
		groupBy,
		groupByDateField:
			dateField === undefined
				? optionalFieldNameParameter({
						label: 'Date Field Name or ID',
						description:
							'The field with the time of each row, for groups of days, weeks, months and hours and for Compare With',
						dropdown: listDropdown(list, 'getDateFields'),
					})
				: constant<string | undefined>(dateField),
		groupByField: showParameterWhen(
			'groupBy',
			['field'],
			fieldNameParameter({
				label: 'Group By Field Name or ID',
				description: 'The field whose values make the groups, for example the name of the station',
				dropdown: listDropdown(list, 'getGroupFields'),
			}),
		),
		groupByField2: showParameterWhen(
			'groupBy',
			['field'],
			optionalFieldNameParameter({
				label: 'Second Field Name or ID',
				description: 'Another field whose values make groups, or none',
				dropdown: listDropdown(list, 'getSecondGroupFields'),
			}),
		),
	};
}

const RESULT = oneOf({
	label: 'Result',
	description: 'How many items to return',
	choices: [
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
});

function comparison(subject: SummarySubject) {
	return oneOf<ComparisonName | 'none'>({
		label: 'Compare With',
		description: `What to compare the figures with. Each figure gets columns for it, such as count_previous, count_difference and count_differencePercent. Needs a filter with one period on ${dateLabel(subject)}.`,
		choices: [
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
	});
}

function summaryOptions(subject: SummarySubject, measures: Parameter<Measure[]>) {
	const { list, rows, defaultMeasures } = subject;
	return options({
		...paging,
		includeInputFields,
		finishedCodes: outcomeCodes('Finished', SESSION_CODES.finished, subject),
		failedCodes: outcomeCodes('Failed', SESSION_CODES.failed, subject),
		minimumSessions: withDefault(
			integer({
				label: 'Only Groups With at Least',
				description: `How many ${rows} a group needs to be listed; those with fewer are among the others. One lucky or unlucky ${list.common.noun} then does not lead a list. With One Item, it applies to the values of fields.`,
				default: 0,
				min: 0,
			}),
		),
		showAllOthers: flag({
			label: 'Show All Others',
			description:
				'Whether to add a last item with the groups that are not listed, all in one. It has isOther: true, and groups says how many they are. With One Item, they are always there, in otherValues.',
			default: true,
		}),
		maxGroups: integer({
			label: 'Max Groups',
			description: `How many groups to list: those with the highest first measure${defaultMeasures.length > 0 ? ' (the energy, unless you add one)' : ''}, or as Order Groups By says. With One Item, it limits the values of fields (100 by default). With One Item per Group, it limits all groups (no limit by default).`,
			default: 100,
			min: 1,
		}),
		orderGroupsBy: orderGroupsBy(subject, measures),
		...timeoutOptions,
	});
}

function groups({ list, dateField, defaultGroups }: SummarySubject) {
	return someOf<GroupName>({
		label: 'Group By',
		description: `How to group the figures. Times are those ${dateField === undefined ? 'of Date Field' : `of ${dateField}`}, in the time zone of the workflow.`,
		choices: [
			{ name: 'Day', value: 'day', description: "Figures for each day in the workflow's time zone" },
			{
				name: 'Field (Such as Station)',
				value: 'field',
				description: 'Figures for each value of a field that you choose, or of two',
			},
			{ name: 'Hour of Day', value: 'hour', description: 'Figures for each hour from 0 to 23, local time' },
			{ name: 'ISO Week', value: 'week', description: 'Figures for each week from Monday, as 2026-W01' },
			{ name: 'Month', value: 'month', description: 'Figures for each month, as 2026-01' },
			...(hasStatus(list.common)
				? [{ name: 'Status', value: 'status', description: 'Figures for each status code' } as const]
				: []),
			{ name: 'Weekday', value: 'weekday', description: 'Figures for each day of the week, 1 is Monday' },
		],
		default: defaultGroups,
		// The order of the figures.
		order: [...(hasStatus(list.common) ? (['status'] as const) : []), ...TIMES, 'field'],
	});
}

/** Which status codes the success rate counts. None for a list without a status. */
function outcomeCodes(label: string, code: number, { list, rows }: SummarySubject): Parameter<string[], string[]> {
	if (!hasStatus(list.common)) return constant([]);
	return withDefault(
		textListParameter(
			{
				label: `${label} Status Codes`,
				description: `Which ${rows} Success Rate counts as ${label.toLowerCase()}: status codes with commas between them`,
				placeholder: `e.g. ${code}`,
				default: String(code),
			},
			(codes, refuse) => {
				refuseInvalidStatuses(codes, refuse);
				return codes;
			},
		),
	);
}

/** What the form calls the date field. */
export function dateLabel({ list, dateField }: SummarySubject): string {
	if (dateField === undefined) return 'the Date Field';
	return findKnownField(list.common, dateField)?.label ?? dateField;
}

// --- measures ---

/** What an entry of Measures has, by the names that workflows store. */
function entryOf({ list, rows }: SummarySubject) {
	const functions = MEASURE_FUNCTIONS.filter((name) => !MEASURES[name].needsStatus || hasStatus(list.common));
	const wanted = oneOf<MeasureFunction>({
		label: 'Function',
		description: 'What to compute of the field',
		choices: functionsFor(rows, functions),
		default: 'sum',
	});
	const named = functions.filter((name) => MEASURES[name].isNamedByFunction);
	const measured = fieldNameParameter({
		label: 'Field Name or ID',
		description: 'A field that holds numbers; for Minimum and Maximum also times, for Distinct Count any field',
		dropdown: listDropdown(list, 'getMeasureFields'),
	});
	return {
		// A function that a model writes in capitals must not hide its field.
		field: hideParameterWhen('function', named, measured),
		function: wanted,
		endField: showParameterWhen(
			'function',
			['duration'],
			fieldNameParameter({
				label: 'End Field Name or ID',
				description: 'The field with the time of the end',
				dropdown: listDropdown(list, 'getDateFields'),
			}),
		),
	};
}

function measuresOf(subject: SummarySubject): Parameter<Measure[], undefined> {
	const { rows, defaultMeasures } = subject;
	const { properties: values, dropdowns } = panelOf(entryOf(subject));
	const form: INodeProperties = {
		displayName: 'Measures',
		name: 'measures',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true, hideEmptyMessage: true },
		placeholder: 'Add Measure',
		default: {},
		description: `What to compute besides the number of ${rows}${defaultMeasures.length > 0 ? `. By default, ${defaultMeasures.map(measureInWords).join(' and ')}.` : ''}`,
		options: [{ displayName: 'Measure', name: 'values', values }],
	};
	return {
		dropdowns,
		properties: () => fixedCollectionProperties(form),
		read: (name, source) => {
			const { values: entries = [] } = readFixedCollection(form, source.form(name), source.issues);
			return readMeasures(name, entries, source, subject);
		},
	};
}

/** In the order of their names. */
function functionsFor(rows: string, functions: readonly MeasureFunction[]): Array<Choice<MeasureFunction>> {
	const choices = functions.map((value) => {
		const { name, describe } = MEASURES[value];
		return { name, value, ...(describe && { description: describe(rows) }) };
	});
	return sortBy(choices, 'name');
}

function readMeasures(
	name: string,
	entries: FormEntries[string],
	source: ParameterSource,
	subject: SummarySubject,
): Measure[] {
	const { list, defaultMeasures } = subject;
	const measures = entries.map((entry, index): Measure => {
		const {
			field: measured,
			endField,
			...more
		} = readEntryParameters(entry, entryOf(subject), source, `Measures: measure ${index + 1}: `);
		return { field: canonicalFieldName(source.valueOf(list), measured ?? endField ?? 'Status'), ...more };
	});
	for (const [index, measure] of measures.entries()) {
		const same = measures.slice(0, index).find((each) => measureKey(each) === measureKey(measure));
		if (!same || isEqual(same, measure)) continue;
		source.refuse(name, `measure ${index + 1}: ${MEASURES[measure.function].name} can be there only once.`);
	}
	return entries.length === 0 ? defaultMeasures : uniqBy(measures, measureKey);
}

// --- the order of groups ---

function orderGroupsBy(subject: SummarySubject, measures: Parameter<Measure[]>) {
	const { list, rows, defaultMeasures } = subject;
	return dropdownParameter(
		{
			label: 'Order Groups By Name or ID',
			description: `Which groups come first: those with the highest figure, or by name, code or time. By default, groups come by the first measure if Max Groups is set; otherwise groups of a field by number of ${rows}, others by group. In an expression: group, count, or a measure such as ${defaultMeasures.map(measureKey)[0] ?? 'Amount_sum'}`,
			default: 'count',
			dropdown: { method: 'getGroupOrders', load: groupOrders(subject), dependsOn: list.reloads },
		},
		(value, name, source) => {
			const orders = ordersOf(source.valueOf(measures), subject).map((order) => order.value);
			return matchName(orders, value, name, source) ?? 'group';
		},
	);
}

function ordersOf(measures: readonly Measure[], { list, rows }: SummarySubject): Array<Choice<string>> {
	return [
		{ name: 'Group', value: 'group', description: 'By day, by name, by code' },
		{ name: `Number of ${startCase(rows)}`, value: 'count', description: 'Most first' },
		...measures.map((measure) => ({
			name: inWords(measure, list.common),
			value: measureKey(measure),
			description: 'Largest first',
		})),
		...measures.flatMap(({ function: rate }) => {
			const { name, isRate } = MEASURES[rate];
			return isRate ? [{ name: `${name}, Lowest First`, value: `${rate}${LOWEST}`, description: 'Worst first' }] : [];
		}),
	];
}

/** The method that loads the options of Order Groups By, which depend on the chosen measures. */
function groupOrders(subject: SummarySubject) {
	return async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const stored: unknown = this.getCurrentNodeParameter('measures');
		const entries: unknown[] = castArray((isRecord(stored) ? stored.values : undefined) ?? []);
		const chosen = entries.filter(isRecord).flatMap(({ field: measured, function: wanted = 'sum' }): Measure[] => {
			const name = MEASURE_FUNCTIONS.find((known) => known === wanted);
			if (name && MEASURES[name].isNamedByFunction) return [{ field: '', function: name }];
			const found = readFieldChoice(measured);
			return name && found ? [{ field: found.name, function: name }] : [];
		});
		const measures = chosen.length > 0 ? uniqBy(chosen, measureKey) : subject.defaultMeasures;
		return await Promise.resolve(ordersOf(measures, subject));
	};
}

/** A measure in words: "Energy Consumed, sum". */
function inWords({ field: measured, function: name }: Measure, list: ListResource): string {
	if (MEASURES[name].isNamedByFunction) return MEASURES[name].name;
	return `${findKnownField(list, measured)?.label ?? measured}, ${MEASURES[name].words ?? MEASURES[name].name.toLowerCase()}`;
}
