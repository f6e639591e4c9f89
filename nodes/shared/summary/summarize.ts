import capitalize from 'lodash/capitalize';
import uniq from 'lodash/uniq';
import { DateTime } from 'luxon';

import { and, condition, conditionsIn } from '../dsquery/compose';
import { coveredDays, periodOf } from '../dsquery/values/coveredDays';
import { countedStatus, knownField } from '../dsquery/catalogue';
import { quote } from '../dsquery/faults';
import type { Group } from '../dsquery/types';
import { DAY_MS } from '../dsquery/values/durations';
import type { TimeSpan } from '../dsquery/values/periods';
import { WIRE_FORMAT } from '../dsquery/values/values';
import { operation, type Moment } from '../operation';
import { NOTHING_CHOSEN } from '../parameters/chosen';
import { pagingOf } from '../parameters/options';
import type { ValuesOf } from '../parameters/parameter';
import type { NamesOf } from '../parameters/reading';
import type { Sink } from '../platform';
import type { Collector, Span } from './collector';
import { isTime } from './dimensions';
import { comparedWith, type Shift } from './comparison';
import { measureKey, MEASURES, type MeasureFunction } from './measures';
import { dateLabel, summaryParameters, type Subject } from './parameters';
import { Summary, type SummaryContext, type SummaryPlan } from './summary';

type SummaryParameters = ReturnType<typeof summaryParameters>;
type Values = ValuesOf<SummaryParameters>;
type Refuse = (name: NamesOf<SummaryParameters>, message: string) => void;

const MOST_COMBINED = 3;
/** Values of a field that one item lists, unless Max Groups says more. */
const USUAL_GROUPS = 100;

/**
 * Summarize: figures of all matching rows, in total and by group. Each page is added up as it arrives, so memory use
 * does not depend on the number of pages.
 */
export function summarizeOperation(subject: Subject) {
	return operation({
		name: `Summarize ${capitalize(subject.list.common.noun)}s`,
		value: 'summary',
		action: `Summarize ${subject.list.common.plural}`,
		description: `Add up the number${subject.namedMeasure ? ', energy' : ''} and other figures by ${subject.dateField ? 'status, ' : ''}time or field, and compare two periods`,
		parameters: summaryParameters(subject),
		check(values, refuse, moment) {
			checkGroups(values, refuse);
			const { measures } = values;
			if (measures.some(({ function: name }) => MEASURES[name].needsStatus)) checkOutcomes(values, subject, refuse);
			if (measures.some(({ function: name }) => name === 'visitSuccess')) checkVisits(values, subject, refuse);
			checkUse(values, subject, refuse);
			const { compareWith, groupBy, groupByDateField } = values;
			const isTimed = measures.some(({ function: name }) => TIMED.includes(name));
			const needsDate = compareWith !== 'none' || groupBy.some(isTime) || isTimed;
			if (needsDate && groupByDateField === undefined) refuse('groupByDateField', NOTHING_CHOSEN);
			if (earlierOf(values, moment) === 'none') {
				const label = dateLabel(subject);
				refuse(
					'compareWith',
					`for this the filter needs one period on ${label}, with a beginning and an end, that all ${subject.rows} must match. Add it under Filters, for example In Period: Last Month.`,
				);
			}
		},
		async run(values, { connection, zone, now }) {
			const { list, filters, options } = values;
			const context = contextOf(values, { zone, now }, subject);
			const summary = new Summary(planOf(values), context, connection.namesOf);
			const read: Read = async (filter, sink) => {
				const request = { query: { filter, sorts: [] }, paging: pagingOf(options), sink };
				return (await connection.list(list).read(request)).notes;
			};
			const notes = await collect(filters.filter, context.dateField, () => summary.begin(), read);
			const earlier = earlierOf(values, { zone, now });
			if (typeof earlier === 'object' && context.comparison?.period) {
				notes.push(...(await collect(earlier.filter, context.dateField, () => summary.beginEarlier(), read)));
			}
			return { pages: [summary.items], notes: uniq([...summary.notes, ...notes]) };
		},
	});
}

/** What the figures depend on besides the plan. */
function contextOf(values: Values, { zone, now }: Moment, subject: Subject): SummaryContext {
	const { rows, timeNames, namedMeasure } = subject;
	const { list, filters, groupByDateField: dateField } = values;
	const earlier = earlierOf(values, { zone, now });
	const daysOf = (part: Group | undefined) =>
		dateField === undefined ? undefined : coveredDays(part, zone, dateField);
	const spanOf = (part: Group | undefined): Span | undefined => {
		const period = dateField === undefined ? undefined : periodOf(part, dateField);
		return period && { from: period.span.from.toMillis(), to: Math.min(period.span.to.toMillis(), now.getTime()) };
	};
	return {
		span: spanOf(filters.filter),
		rows,
		dateField,
		knownFields: list.fields.map(({ name }) => name),
		zone,
		today: DateTime.fromJSDate(now, { zone }).toFormat('yyyy-MM-dd'),
		period: daysOf(filters.filter),
		statusCodes: knownField(list, 'Status')?.codes,
		timeNames,
		namedMeasure,
		...(typeof earlier === 'object' && {
			comparison: { shift: earlier.shift, period: daysOf(earlier.filter) ?? null, span: spanOf(earlier.filter) },
		}),
	};
}

type Read = (filter: Group | undefined, sink: Sink) => Promise<string[]>;

/** Adds up rows as they arrive, then those beside the period that a measure needs. Returns the notes. */
async function collect(
	filter: Group | undefined,
	dateField: string | undefined,
	begin: () => Collector,
	read: Read,
): Promise<string[]> {
	let figures = begin();
	const notes = await read(filter, { begin: () => (figures = begin()), add: (rows) => figures.add(rows) });
	const period = dateField === undefined ? undefined : periodOf(filter, dateField);
	if (dateField !== undefined && period && figures.gatherers.length > 0) {
		const between = async (from: number, to: number) => {
			const ends = [from, to].map((end) => DateTime.fromMillis(end));
			notes.push(...(await read(inTime(dateField, ends, period.rest), figures.beside())));
		};
		notes.push(...(await readBeside(figures, period.span, between)));
	}
	return [...notes, ...figures.settle()];
}

/** Reads what measures need of the time before the period, and behind it as long as that may matter, a day at most. */
async function readBeside(
	{ gatherers }: Collector,
	{ from, to }: TimeSpan,
	between: (from: number, to: number) => Promise<void>,
): Promise<string[]> {
	const before = Math.max(...gatherers.map(({ gatherer }) => gatherer.before));
	if (before > 0) await between(from.toMillis() - before, from.toMillis());
	const most = to.toMillis() + DAY_MS;
	let end = to.toMillis();
	for (;;) {
		const until = Math.max(...gatherers.map(({ gatherer }) => gatherer.until));
		if (until <= end) return [];
		if (end === most) return ['Some visits still go on a day after the period. They are cut there.'];
		const next = Math.min(most, until);
		await between(end, next);
		end = next;
	}
}

function planOf(values: Values): SummaryPlan {
	const { groupBy, groupByField, groupByField2, measures, result, options } = values;
	const { finishedCodes: finished, failedCodes: failed, maxGroups } = options;
	const fields = [groupByField, groupByField2].filter((name) => name !== undefined);
	const keys = measures.map(measureKey);
	// A top list is by its figure: by number of rows, the station with most energy might not be among the first ten.
	const usualOrder = maxGroups !== undefined ? (keys[0] ?? 'count') : fields.length > 0 ? 'count' : 'group';
	return {
		measures: measures.map((each) =>
			MEASURES[each.function].needsStatus ? { ...each, outcomes: { finished, failed } } : each,
		),
		groupBy: groupBy.flatMap((by): SummaryPlan['groupBy'] =>
			by === 'field' ? fields.map((field) => ({ by, field })) : [{ by }],
		),
		result,
		maxGroups: maxGroups ?? (result === 'itemPerGroup' ? Number.MAX_SAFE_INTEGER : USUAL_GROUPS),
		orderGroupsBy: options.orderGroupsBy ?? usualOrder,
		minimumSessions: options.minimumSessions,
		showAllOthers: options.showAllOthers,
	};
}

function checkGroups(values: Values, refuse: Refuse): void {
	const { groupByField: first, groupByField2: second } = values;
	if (first !== undefined && first.toLowerCase() === second?.toLowerCase()) {
		refuse('groupByField2', 'this is the same field as the first. Choose another one, or none.');
	}
	const { groupBy } = planOf(values);
	if (values.result !== 'itemPerGroup') return;
	if (groupBy.length === 0) refuse('groupBy', 'choose a group, or set Result to One Item.');
	if (groupBy.length > MOST_COMBINED) {
		refuse('groupBy', `these are ${groupBy.length}, but an item per group can combine ${MOST_COMBINED} at most.`);
	}
}

/** Which status codes are a success, and which are a failure. */
function checkOutcomes({ options }: Values, { list }: Subject, refuse: Refuse): void {
	const { finishedCodes, failedCodes } = options;
	if (finishedCodes.length === 0) refuse('finishedCodes', 'at least one status code is needed here, such as 4.');
	if (failedCodes.length === 0) refuse('failedCodes', 'at least one status code is needed here, such as 6.');
	const read = (code: string) => countedStatus(knownField(list.common, 'Status')?.codes, code);
	const finished = finishedCodes.map(read);
	const both = failedCodes.filter((code) => finished.includes(read(code))).map((code) => quote(code));
	if (both.length > 0) {
		refuse('failedCodes', `${both.join(', ')} cannot count as finished and as failed. Remove it from one.`);
	}
}

/** The measures of lengths of time. */
const TIMED: readonly MeasureFunction[] = ['duration', 'use', 'energyUse'];

/** Use is in percent of a period, and of charge points. */
function checkUse(values: Values, subject: Subject, refuse: Refuse): void {
	const { measures, groupBy, groupByDateField: dateField, filters, groupByField2 } = values;
	const used = measures.filter(({ chargePointField }) => chargePointField !== undefined);
	const [first] = used;
	if (!first) return;
	const { name } = MEASURES[first.function];
	if (groupBy.includes('hour') || groupBy.includes('weekday')) {
		refuse('groupBy', `${name} cannot be grouped by hour or weekday. Choose day, week or month.`);
	}
	if (dateField !== undefined && !periodOf(filters.filter, dateField)) {
		refuse(
			'filters',
			`${name} needs one period on ${dateLabel(subject)}, with a beginning and an end, that all ${subject.rows} must match. Add it under Filters, for example In Period: Last Month.`,
		);
	}
	if (groupByField2 !== undefined && used.some(({ chargePoints = 0 }) => chargePoints > 0)) {
		refuse('groupByField2', `Charge Points of ${name} is the number for each value of one field. Choose None here.`);
	}
}

/** Nothing may cut visits: they are of several statuses, and go on over the edges of the period. */
function checkVisits(values: Values, subject: Subject, refuse: Refuse): void {
	const {
		groupBy,
		groupByField,
		groupByField2,
		groupByDateField: dateField = '',
		filters: { filter },
	} = values;
	const isStatus = (field: string | undefined) => field?.toLowerCase() === 'status';
	const cuts = 'would cut visits, as the sessions of a visit differ in it. Remove it, or the measure Visit Success.';
	if (groupBy.includes('status') || isStatus(groupByField) || isStatus(groupByField2))
		refuse('groupBy', `Status ${cuts}`);
	if (conditionsIn(filter).some(({ field }) => isStatus(field))) refuse('filters', `a condition on Status ${cuts}`);
	const isTimed = conditionsIn(filter).some(({ field }) => field.toLowerCase() === dateField.toLowerCase());
	if (isTimed && !periodOf(filter, dateField)) {
		refuse(
			'filters',
			`Visit Success needs one period on ${dateLabel(subject)}, with a beginning and an end, that all ${subject.rows} must match, or no condition on it.`,
		);
	}
}

/**
 * The filter for the earlier rows of a comparison, and how far back they are. Undefined if nothing is compared, 'none' if
 * the filter has no period to compare.
 */
function earlierOf(
	{ compareWith, groupByDateField: dateField, filters: { filter } }: Values,
	{ zone, now }: Moment,
): { filter: Group | undefined; shift: Shift } | 'none' | undefined {
	if (compareWith === 'none' || dateField === undefined) return undefined;
	const period = periodOf(filter, dateField);
	if (!period) return 'none';
	const { span, shift } = comparedWith(period.span, compareWith, zone, now, period.isLastDays);
	return { filter: inTime(dateField, [span.from, span.to], period.rest), shift };
}

function inTime(dateField: string, ends: readonly DateTime[], rest: Group | undefined): Group | undefined {
	return and(condition(dateField, 'GteLt', ends.map((end) => end.toUTC().toFormat(WIRE_FORMAT)).join()), rest);
}
