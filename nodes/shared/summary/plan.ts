import { DateTime } from 'luxon';

import { findKnownField, resolveStatusCode } from '../dsquery/listSchema';
import { and, condition } from '../dsquery/compose';
import type { FilterGroup } from '../dsquery/types';
import { coveredDays, splitPeriod, type FilterPeriod } from '../dsquery/values/coveredDays';
import type { DaySpan } from '../dsquery/values/periods';
import { WIRE_FORMAT } from '../dsquery/values/values';
import type { RunClock } from '../operation/operation';
import type { ListResource } from '../resources';
import { comparisonPeriodOf, isOfUtcDays, type PeriodShift } from './comparison';
import type { GroupDimension } from './groups';
import { measureKey, MEASURES, type Measure } from './measures';
import type { SummarySubject, SummaryValues } from './parameters';

/** What is summarized, and how: all that is decided before rows are read. */
export interface SummaryPlan extends Pick<SummarySubject, 'rows' | 'timeNames'> {
	list: ListResource;
	/** The field with a row's time. Left out if none is needed. */
	dateField?: string;
	/** The workflow's time zone. */
	zone: string;
	/** The current local day, `YYYY-MM-DD`. Days of the filter's period are listed up to it. */
	today: string;
	now: SummaryPeriod;
	/** The rows to compare with. */
	earlier?: SummaryPeriod;
	measures: readonly Measure[];
	/** Status, parts of the time, and up to two fields. */
	groupBy: readonly GroupDimension[];
	/** The groups that are computed: each for itself in one item, combined in an item per group. */
	breakdowns: ReadonlyArray<readonly GroupDimension[]>;
	/** One item with the groups of each dimension, or an item for each combination of their values. */
	result: 'oneItem' | 'itemPerGroup';
	/** How many groups get their own entry: per field in one item, otherwise in total. The others share one entry. */
	maxGroups: number;
	/** `group`, `count`, the key of a measure, or that of a rate with `LOWEST`: the order to which `maxGroups` applies. */
	orderGroupsBy: string;
	/** Groups with fewer rows are among the others. */
	minimumSessions: number;
	/** Whether items per group end in one with the others. One item always has them. */
	showAllOthers: boolean;
}

/** Rows that are added up: those asked for, or the earlier ones. */
export interface SummaryPeriod {
	filter?: FilterGroup;
	/** The period of the filter, if it has a beginning and an end. */
	period?: FilterPeriod;
	/** The days that the filter covers, local or of UTC. None if earlier rows have no such time. */
	days?: DaySpan;
	/** How far back the earlier rows are. */
	shift?: PeriodShift;
}

/** Values of a field that one item lists, unless Max Groups says more. */
const USUAL_GROUPS = 100;

export function planOf(values: SummaryValues, moment: RunClock, { rows, timeNames }: SummarySubject): SummaryPlan {
	const { measures, result, options, list, groupByDateField: dateField } = values;
	const { finishedCodes, failedCodes, maxGroups, minimumSessions, showAllOthers } = options;
	const codesIn = (texts: readonly string[]) =>
		texts.flatMap((text) => resolveStatusCode(findKnownField(list, 'Status')?.codes, text) ?? []);
	const outcomes = { finished: codesIn(finishedCodes), failed: codesIn(failedCodes) };
	const groupBy = dimensionsOf(values);
	const keys = measures.map(measureKey);
	const hasField = groupBy.some(({ by }) => by === 'field');
	// A top list is by its figure: by number of rows, the station with most energy might not be among the first ten.
	const usualOrder = maxGroups !== undefined ? (keys[0] ?? 'count') : hasField ? 'count' : 'group';
	const now = partOf(values.filters.filter, dateField, moment.zone);
	return {
		rows,
		timeNames,
		list,
		dateField,
		groupBy,
		result,
		minimumSessions,
		showAllOthers,
		now,
		breakdowns: result === 'oneItem' ? groupBy.map((dimension) => [dimension]) : [groupBy],
		zone: moment.zone,
		today: DateTime.fromJSDate(moment.now, { zone: moment.zone }).toFormat('yyyy-MM-dd'),
		earlier: earlierOf(now, values, moment),
		measures: measures.map((each) => (MEASURES[each.function].needsStatus ? { ...each, outcomes } : each)),
		maxGroups: maxGroups ?? (result === 'itemPerGroup' ? Number.MAX_SAFE_INTEGER : USUAL_GROUPS),
		orderGroupsBy: options.orderGroupsBy ?? usualOrder,
	};
}

/** What rows are grouped by. */
export function dimensionsOf({ groupBy, groupByField, groupByField2 }: SummaryValues): GroupDimension[] {
	const fields = [groupByField, groupByField2].filter((name) => name !== undefined);
	return groupBy.flatMap((by): GroupDimension[] =>
		by === 'field' ? fields.map((field) => ({ by, field })) : [{ by }],
	);
}

function partOf(
	filter: FilterGroup | undefined,
	dateField: string | undefined,
	zone: string,
	shift?: PeriodShift,
): SummaryPeriod {
	if (dateField === undefined) return { filter };
	return { filter, period: splitPeriod(filter, dateField), days: coveredDays(filter, zone, dateField), shift };
}

function earlierOf({ period }: SummaryPeriod, values: SummaryValues, moment: RunClock): SummaryPeriod | undefined {
	const { compareWith, groupByDateField: dateField } = values;
	if (compareWith === 'none' || dateField === undefined || !period) return undefined;
	const zone = period.isUtc || isOfUtcDays(period.span, moment.zone) ? 'utc' : moment.zone;
	const { span, shift } = comparisonPeriodOf(period.span, compareWith, zone, moment.now, period.isLastDays);
	const ends = [span.from, span.to].map((end) => end.toUTC().toFormat(WIRE_FORMAT)).join();
	return partOf(and(condition(dateField, 'GteLt', ends), period.rest), dateField, zone, shift);
}
