import capitalize from 'lodash/capitalize';
import castArray from 'lodash/castArray';
import startCase from 'lodash/startCase';
import uniqBy from 'lodash/uniqBy';
import { DateTime } from 'luxon';
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { and, condition } from '../dsquery/compose';
import { coveredDays, periodOf } from '../dsquery/values/coveredDays';
import { knownField, spellField } from '../dsquery/catalogue';
import { isRecord, quote } from '../dsquery/faults';
import { chosenField, NO_FIELD, parseFieldValue } from '../dsquery/fieldValue';
import type { Group } from '../dsquery/types';
import { WIRE_FORMAT } from '../dsquery/values/values';
import { writeQuery } from '../dsquery/write';
import { Parameters } from '../node/parameters';
import type { Operation } from '../node/operation';
import { isTime, type Collector } from './collector';
import { comparedWith, COMPARISONS } from './comparison';
import { FUNCTION_WORDS, measureKey, MEASURE_FUNCTIONS, type Measure, type Outcomes } from './measures';
import type { Collect } from '../platform';
import type { ListResource } from '../resources';
import { dateLabel, groupNames, summaryProperties } from './properties';
import type { Subject } from './properties';
import { LOWEST_SUCCESS, Summary, type SummaryContext, type SummaryPlan } from './summary';

const RESULTS = ['oneItem', 'itemPerGroup'] as const;
const MOST_COMBINED = 3;

/**
 * Summarize: figures of all matching rows, in total and by group. Each page is added up as it arrives, so memory use
 * does not depend on the number of pages.
 */
export function summarizeOperation(subject: Subject): Operation {
	const properties = summaryProperties(subject);
	return {
		name: `Summarize ${capitalize(subject.list.noun)}s`,
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
			const includeInput = parameters.flag('includeInputFields');
			parameters.check();
			const summaryContext = contextOf(parameters, subject, list, dateField, filter, earlier);
			const query = { filter, sorts: [] };
			const earlierQuery = summaryContext.comparison?.period && { filter: earlier?.filter, sorts: [] };
			const queries = [writeQuery(query), earlierQuery && writeQuery(earlierQuery)];
			return {
				key: JSON.stringify([list.path, ...queries, plan, dateField, paging, platformOptions, includeInput]),
				platformOptions,
				async run(connection) {
					const summary = new Summary(plan, summaryContext, connection.namesOf);
					const read = async (part: typeof query, begin: () => Pick<Collector, 'add'>) =>
						(await connection.list(list).read({ query: part, paging, collect: adding(begin) })).hints;
					const hints = await read(query, () => summary.begin());
					if (earlierQuery) hints.push(...(await read(earlierQuery, () => summary.beginEarlier())));
					return { pages: [summary.items], hints: [...summary.hints, ...hints], includeInput };
				},
			};
		},
	};
}

/** What the figures depend on besides the plan. */
function contextOf(
	{ zone, now }: Parameters,
	{ rows, timeNames, namedMeasure }: Subject,
	list: ListResource,
	dateField: string | undefined,
	filter: Group | undefined,
	earlier: ReturnType<typeof readComparison>,
): SummaryContext {
	const daysOf = (part: Group | undefined) =>
		dateField === undefined ? undefined : coveredDays(part, zone, dateField);
	return {
		rows,
		dateField,
		knownFields: list.fields.map(({ name }) => name),
		zone,
		today: DateTime.fromJSDate(now, { zone }).toFormat('yyyy-MM-dd'),
		period: daysOf(filter),
		statusCodes: knownField(list, 'Status')?.codes,
		timeNames,
		namedMeasure,
		comparison: earlier && { shift: earlier.shift, period: daysOf(earlier.filter) ?? null },
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
		minimumSessions: parameters.wholeNumber('minimumSessions'),
		showAllOthers: parameters.flag('showAllOthers'),
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
	const functions = MEASURE_FUNCTIONS.filter((each) => each !== 'successRate' || parameters.declares('finishedCodes'));
	const measures = entries.flatMap(({ field: stored, function: name = 'sum' }, index): Measure[] => {
		const refuse = (message: string) => parameters.refuse('measures', `measure ${index + 1}: ${message}`);
		const field = chosenField(stored);
		const wanted = typeof name === 'string' ? name.trim().toLowerCase() : name;
		const found = functions.find((known) => known.toLowerCase() === wanted);
		if (found === 'successRate') return [{ field: 'Status', function: found, outcomes: readOutcomes(parameters) }];
		if (!field) refuse(NO_FIELD);
		if (!found) refuse(`${quote(name)} is none of: ${functions.join(', ')}.`);
		return field && found ? [{ field: spellField(list, field.name), function: found }] : [];
	});
	return entries.length === 0 ? castArray(defaultMeasure ?? []) : uniqBy(measures, measureKey);
}

/** Which status codes are a success, and which are a failure. */
function readOutcomes(parameters: Parameters): Outcomes {
	const [finished, failed] = [parameters.texts('finishedCodes'), parameters.texts('failedCodes')];
	if (finished.length === 0) parameters.refuse('finishedCodes', 'at least one status code is needed here, such as 4.');
	if (failed.length === 0) parameters.refuse('failedCodes', 'at least one status code is needed here, such as 6.');
	const both = failed.filter((code) => finished.includes(code)).map((code) => quote(code));
	if (both.length > 0) {
		parameters.refuse('failedCodes', `${both.join(', ')} cannot count as finished and as failed. Remove it from one.`);
	}
	return { finished, failed };
}

function measureEntries(stored: unknown): Array<Readonly<Record<string, unknown>>> {
	const entries: unknown[] = castArray((isRecord(stored) ? stored.values : undefined) ?? []);
	return entries.map((entry) => (isRecord(entry) ? entry : {}));
}

function readOrder(parameters: Parameters, measures: readonly Measure[], hasFields: boolean): string {
	const keys = measures.map(measureKey);
	if (parameters.hasOption('orderGroupsBy')) {
		return parameters.choice('orderGroupsBy', ['group', 'count', ...keys, ...lowestOf(keys)]);
	}
	// A top list is by its figure: by number of rows, the station with most energy might not be among the first ten.
	if (parameters.hasOption('maxGroups')) return keys[0] ?? 'count';
	return hasFields ? 'count' : 'group';
}

function lowestOf(keys: readonly string[]): string[] {
	return keys.includes('successRate') ? [LOWEST_SUCCESS] : [];
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
	const isLastDays = hasLastDays(parameters.value('filters'), dateField);
	const { span, shift } = comparedWith(period.span, name, parameters.zone, parameters.now, isLastDays);
	const ends = [span.from, span.to].map((end) => end.toUTC().toFormat(WIRE_FORMAT));
	const range = condition(dateField, 'GteLt', ends.join());
	return { filter: and(range, period.rest), shift };
}

/** Whether the filter form has *In Period: Last Days* for a field. Sections are named after their field, but for "other". */
function hasLastDays(form: unknown, dateField: string, section = ''): boolean {
	if (Array.isArray(form)) return form.some((entry) => hasLastDays(entry, dateField, section));
	if (!isRecord(form)) return false;
	const { period, operator, dateOperator, field } = form;
	if (period === 'lastDays' && [operator, dateOperator].includes('InPeriod')) {
		const name = typeof field === 'string' ? parseFieldValue(field).name : section;
		return name.toLowerCase() === dateField.toLowerCase();
	}
	return Object.entries(form).some(([name, entry]) => hasLastDays(entry, dateField, name));
}

/** A measure in words: "Energy Consumed, sum". */
function inWords({ field, function: name }: Measure, list: ListResource): string {
	if (name === 'successRate') return startCase(name);
	return `${knownField(list, field)?.label ?? field}, ${FUNCTION_WORDS[name]}`;
}

/** The method that loads the options of Order Groups By, which depend on the chosen measures. */
export function groupOrders({ list, defaultMeasure, rows }: Subject) {
	return async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const stored = measureEntries(this.getCurrentNodeParameter('measures'));
		const chosen = stored.flatMap(({ field, function: wanted = 'sum' }): Measure[] => {
			const name = MEASURE_FUNCTIONS.find((known) => known === wanted);
			const measured = name === 'successRate' ? 'Status' : chosenField(field)?.name;
			return name && measured !== undefined ? [{ field: measured, function: name }] : [];
		});
		const measures = chosen.length > 0 ? uniqBy(chosen, measureKey) : castArray(defaultMeasure ?? []);
		const keys = measures.map(measureKey);
		return await Promise.resolve([
			{ name: 'Group', value: 'group', description: 'By day, by name, by code' },
			{ name: `Number of ${startCase(rows)}`, value: 'count', description: 'Most first' },
			...measures.map((measure) => ({
				name: inWords(measure, list),
				value: measureKey(measure),
				description: 'Largest first',
			})),
			...lowestOf(keys).map((value) => ({ name: 'Success Rate, Lowest First', value, description: 'Worst first' })),
		]);
	};
}
