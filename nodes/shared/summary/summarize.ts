import capitalize from 'lodash/capitalize';
import uniq from 'lodash/uniq';
import { DateTime } from 'luxon';

import { countedStatus, knownField } from '../dsquery/catalogue';
import { conditionsIn } from '../dsquery/compose';
import { quote } from '../dsquery/faults';
import type { Group } from '../dsquery/types';
import { periodOf } from '../dsquery/values/coveredDays';
import { DAY_MS } from '../dsquery/values/durations';
import type { TimeSpan } from '../dsquery/values/periods';
import { operation } from '../operation';
import { NOTHING_CHOSEN } from '../parameters/chosen';
import { pagingOf } from '../parameters/options';
import type { NamesOf } from '../parameters/reading';
import type { Sink } from '../platform';
import { Collector } from './collector';
import { isTime } from './groups';
import { MEASURES, type MeasureFunction } from './measures';
import { dateLabel, summaryParameters, type Subject, type SummaryValues } from './parameters';
import { dimensionsOf, inTime, planOf, type Part, type Plan } from './plan';
import { summaryOf } from './summary';

type Refuse = (name: NamesOf<ReturnType<typeof summaryParameters>>, message: string) => void;

const MOST_COMBINED = 3;

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
		check(values, refuse) {
			const { measures } = values;
			checkGroups(values, refuse);
			if (measures.some(({ function: name }) => MEASURES[name].needsStatus)) checkOutcomes(values, subject, refuse);
			if (measures.some(({ function: name }) => name === 'visitSuccess')) checkVisits(values, subject, refuse);
			checkUse(values, subject, refuse);
			checkTimes(values, subject, refuse);
		},
		async run(values, { connection, zone, now }) {
			const plan = planOf(values, { zone, now }, subject);
			const read: Read = async (filter, sink) => {
				const request = { query: { filter, sorts: [] }, paging: pagingOf(values.options), sink };
				return (await connection.list(plan.list).read(request)).notes;
			};
			const rows = await collect(plan, plan.now, read);
			const earlier = plan.earlier && (await collect(plan, plan.earlier, read));
			const collected = { now: rows.collector, earlier: earlier?.collector };
			const { items, notes } = summaryOf(plan, collected, connection.namesOf);
			return { pages: [items], notes: uniq([...notes, ...rows.notes, ...(earlier?.notes ?? [])]) };
		},
	});
}

type Read = (filter: Group | undefined, sink: Sink) => Promise<string[]>;

/** Adds up rows as they arrive, then those beside the period that a measure needs. */
async function collect(plan: Plan, part: Part, read: Read): Promise<{ collector: Collector; notes: string[] }> {
	let collector = new Collector(plan, part);
	if (part.shift && !part.days) return { collector, notes: [] };
	const begin = () => (collector = new Collector(plan, part));
	const notes = await read(part.filter, { begin, add: (rows) => collector.add(rows) });
	const { dateField } = plan;
	const { period } = part;
	if (dateField !== undefined && period && collector.gatherers.length > 0) {
		const between = async (from: number, to: number) => {
			const ends = [from, to].map((end) => DateTime.fromMillis(end));
			notes.push(...(await read(inTime(dateField, ends, period.rest), collector.beside())));
		};
		notes.push(...(await readBeside(collector, period.span, between)));
	}
	return { collector, notes: [...notes, ...collector.settle()] };
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

function checkGroups(values: SummaryValues, refuse: Refuse): void {
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
function checkOutcomes({ options }: SummaryValues, { list }: Subject, refuse: Refuse): void {
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

/** Nothing may cut visits: they are of several statuses, and go on over the edges of the period. */
function checkVisits(values: SummaryValues, subject: Subject, refuse: Refuse): void {
	const { groupBy, groupByField, groupByField2, groupByDateField: dateField = '', filters } = values;
	const conditions = conditionsIn(filters.filter);
	const isStatus = (field: string | undefined) => field?.toLowerCase() === 'status';
	const cuts = 'would cut visits, as the sessions of a visit differ in it. Remove it, or the measure Visit Success.';
	if (groupBy.includes('status') || isStatus(groupByField) || isStatus(groupByField2))
		refuse('groupBy', `Status ${cuts}`);
	if (conditions.some(({ field }) => isStatus(field))) refuse('filters', `a condition on Status ${cuts}`);
	const isTimed = conditions.some(({ field }) => field.toLowerCase() === dateField.toLowerCase());
	if (isTimed && !periodOf(filters.filter, dateField)) {
		refuse('filters', `Visit Success needs ${onePeriod(subject)}, or no condition on it.`);
	}
}

/** Use is in percent of a period, and of charge points. */
function checkUse(values: SummaryValues, subject: Subject, refuse: Refuse): void {
	const { measures, groupBy, groupByDateField: dateField, filters, groupByField2 } = values;
	const used = measures.filter(({ chargePointField }) => chargePointField !== undefined);
	const [first] = used;
	if (!first) return;
	const { name } = MEASURES[first.function];
	if (groupBy.includes('hour') || groupBy.includes('weekday')) {
		refuse('groupBy', `${name} cannot be grouped by hour or weekday. Choose day, week or month.`);
	}
	if (dateField !== undefined && !periodOf(filters.filter, dateField)) {
		refuse('filters', `${name} needs ${onePeriod(subject)}. ${ADD_PERIOD}`);
	}
	if (groupByField2 !== undefined && used.some(({ chargePoints = 0 }) => chargePoints > 0)) {
		refuse('groupByField2', `Charge Points of ${name} is the number for each value of one field. Choose None here.`);
	}
}

/** The measures of lengths of time. */
const TIMED: readonly MeasureFunction[] = ['duration', 'use', 'energyUse'];

function checkTimes(values: SummaryValues, subject: Subject, refuse: Refuse): void {
	const { measures, compareWith, groupBy, groupByDateField: dateField, filters } = values;
	const isCompared = compareWith !== 'none';
	const isTimed = isCompared || groupBy.some(isTime) || measures.some(({ function: name }) => TIMED.includes(name));
	if (isTimed && dateField === undefined) refuse('groupByDateField', NOTHING_CHOSEN);
	if (isCompared && dateField !== undefined && !periodOf(filters.filter, dateField)) {
		refuse('compareWith', `for this the filter needs ${onePeriod(subject)}. ${ADD_PERIOD}`);
	}
}

const ADD_PERIOD = 'Add it under Filters, for example In Period: Last Month.';

function onePeriod(subject: Subject): string {
	return `one period on ${dateLabel(subject)}, with a beginning and an end, that all ${subject.rows} must match`;
}
