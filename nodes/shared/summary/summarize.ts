import capitalize from 'lodash/capitalize';
import { DateTime } from 'luxon';

import { and, condition } from '../dsquery/compose';
import { coveredDays, periodOf } from '../dsquery/values/coveredDays';
import { countedStatus, knownField } from '../dsquery/catalogue';
import { quote } from '../dsquery/faults';
import type { Group } from '../dsquery/types';
import { WIRE_FORMAT } from '../dsquery/values/values';
import { operation, type Moment } from '../operation';
import { NOTHING_CHOSEN } from '../parameters/chosen';
import { pagingOf } from '../parameters/options';
import type { ValuesOf } from '../parameters/parameter';
import type { NamesOf } from '../parameters/reading';
import type { Sink } from '../platform';
import { isTime, type Collector } from './collector';
import { comparedWith, type Shift } from './comparison';
import { measureKey } from './measures';
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
			if (values.measures.some(({ function: name }) => name === 'successRate')) checkOutcomes(values, subject, refuse);
			const { compareWith, groupBy, groupByDateField } = values;
			const needsDate = compareWith !== 'none' || groupBy.some(isTime);
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
			const read = async (filter: Group | undefined, begin: () => Pick<Collector, 'add'>) => {
				const request = { query: { filter, sorts: [] }, paging: pagingOf(options), sink: adding(begin) };
				return (await connection.list(list).read(request)).notes;
			};
			const hints = await read(filters.filter, () => summary.begin());
			const earlier = earlierOf(values, { zone, now });
			if (typeof earlier === 'object' && context.comparison?.period) {
				hints.push(...(await read(earlier.filter, () => summary.beginEarlier())));
			}
			return { pages: [summary.items], notes: [...summary.hints, ...hints] };
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
	return {
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
			comparison: { shift: earlier.shift, period: daysOf(earlier.filter) ?? null },
		}),
	};
}

/** Adds up rows as they arrive, and keeps none. */
function adding(begin: () => Pick<Collector, 'add'>): Sink {
	let figures = begin();
	return {
		begin: () => (figures = begin()),
		add: (rows) => figures.add(rows),
	};
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
			each.function === 'successRate' ? { ...each, outcomes: { finished, failed } } : each,
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
	const ends = [span.from, span.to].map((end) => end.toUTC().toFormat(WIRE_FORMAT));
	return { filter: and(condition(dateField, 'GteLt', ends.join()), period.rest), shift };
}
