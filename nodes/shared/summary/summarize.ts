import capitalize from 'lodash/capitalize';
import uniq from 'lodash/uniq';

import { findKnownField, isSameStatus, resolveStatusCode } from '../dsquery/listSchema';
import { quote } from '../text';
import type { FilterGroup } from '../dsquery/types';
import { splitPeriod } from '../dsquery/values/coveredDays';
import { listNotesJson } from '../operation/notes';
import { operation } from '../operation/operation';
import { NOTHING_CHOSEN } from '../parameters/dropdownParameters';
import { toPagingOptions } from '../parameters/options';
import type { RefuseParameter } from '../parameters/reading';
import type { RowSink } from '../platform';
import { RowAggregator } from './rowAggregator';
import { isTimeDimension } from './groups';
import { MEASURES } from './measures';
import {
	dateLabel,
	summaryParameters,
	type SummaryParameters,
	type SummarySubject,
	type SummaryValues,
} from './parameters';
import { dimensionsOf, planOf, type SummaryPeriod, type SummaryPlan } from './plan';
import { summaryOf } from './summary';

const MOST_COMBINED = 3;

/**
 * Summarize: figures of all matching rows, in total and by group. Each page is added up as it arrives, so memory use
 * does not depend on the number of pages.
 */
export function summarizeOperation(subject: SummarySubject) {
	return operation({
		name: `Summarize ${capitalize(subject.list.common.noun)}s`,
		value: 'summary',
		action: `Summarize ${subject.list.common.plural}`,
		description: `Add up the number${subject.defaultMeasures.length > 0 ? ', energy' : ''} and other figures by ${subject.dateField ? 'status, ' : ''}time or field, and compare two periods`,
		parameters: summaryParameters(subject),
		check(values, refuse) {
			const { measures } = values;
			checkGroups(values, refuse);
			if (measures.some(({ function: name }) => MEASURES[name].needsStatus)) checkOutcomes(values, subject, refuse);
			checkTimes(values, subject, refuse);
		},
		async run(values, { connection, zone, now }) {
			const plan = planOf(values, { zone, now }, subject);
			const read: SummaryRowReader = async (filter, sink) => {
				const request = { query: { filter, sorts: [] }, paging: toPagingOptions(values.options), sink };
				return (await connection.list(plan.list).read(request)).notes;
			};
			const rows = await collect(plan, plan.now, read);
			const earlier = plan.earlier && (await collect(plan, plan.earlier, read));
			const collected = { now: rows.collector, earlier: earlier?.collector };
			const { items, notes } = summaryOf(plan, collected, connection.namesOf);
			const listNotes = uniq([...rows.notes, ...(earlier?.notes ?? [])]);
			const pages = [items.map((item) => ({ ...item, ...listNotesJson(listNotes) }))];
			return { pages, notes: [...notes, ...listNotes] };
		},
	});
}

type SummaryRowReader = (filter: FilterGroup | undefined, sink: RowSink) => Promise<string[]>;

/** Adds up rows as they arrive. */
async function collect(
	plan: SummaryPlan,
	part: SummaryPeriod,
	read: SummaryRowReader,
): Promise<{ collector: RowAggregator; notes: string[] }> {
	let collector = new RowAggregator(plan, part);
	if (part.shift && !part.days) return { collector, notes: [] };
	const begin = () => (collector = new RowAggregator(plan, part));
	const notes = await read(part.filter, { begin, add: (rows) => collector.add(rows) });
	return { collector, notes };
}

function checkGroups(values: SummaryValues, refuse: RefuseParameter<SummaryParameters>): void {
	const { groupByField: first, groupByField2: second } = values;
	if (first !== undefined && first.toLowerCase() === second?.toLowerCase()) {
		refuse('groupByField2', 'this is the same field as the first. Choose another one, or none.');
	}
	const { length } = dimensionsOf(values);
	if (values.result !== 'itemPerGroup') return;
	if (length === 0) refuse('groupBy', 'choose a group, or set Result to One Item.');
	if (length > MOST_COMBINED) {
		refuse('groupBy', `these are ${length}, but an item per group can combine ${MOST_COMBINED} at most.`);
	}
}

/** Which status codes are a success, and which are a failure. */
function checkOutcomes(
	{ options }: SummaryValues,
	{ list }: SummarySubject,
	refuse: RefuseParameter<SummaryParameters>,
): void {
	const { finishedCodes, failedCodes } = options;
	if (finishedCodes.length === 0) refuse('finishedCodes', 'at least one status code is needed here, such as 4.');
	if (failedCodes.length === 0) refuse('failedCodes', 'at least one status code is needed here, such as 6.');
	const read = (code: string) => resolveStatusCode(findKnownField(list.common, 'Status')?.codes, code);
	const finished = finishedCodes.map(read);
	const isFinished = (code: string) => finished.some((each) => isSameStatus(each, read(code)));
	const both = failedCodes.filter(isFinished).map((code) => quote(code));
	if (both.length > 0) {
		refuse('failedCodes', `${both.join(', ')} cannot count as finished and as failed. Remove it from one.`);
	}
}

function checkTimes(values: SummaryValues, subject: SummarySubject, refuse: RefuseParameter<SummaryParameters>): void {
	const { measures, compareWith, groupBy, groupByDateField: dateField, filters } = values;
	const isCompared = compareWith !== 'none';
	const isTimed =
		isCompared || groupBy.some(isTimeDimension) || measures.some(({ function: name }) => name === 'duration');
	if (isTimed && dateField === undefined) refuse('groupByDateField', NOTHING_CHOSEN);
	if (isCompared && dateField !== undefined && !splitPeriod(filters.filter, dateField)) {
		refuse('compareWith', `for this the filter needs ${onePeriod(subject)}. ${ADD_PERIOD}`);
	}
}

const ADD_PERIOD = 'Add it under Filters, for example In Period: Last Month.';

function onePeriod(subject: SummarySubject): string {
	return `one period on ${dateLabel(subject)}, with a beginning and an end, that all ${subject.rows} must match`;
}
