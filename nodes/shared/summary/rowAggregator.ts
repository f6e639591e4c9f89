import uniq from 'lodash/uniq';
import upperFirst from 'lodash/upperFirst';
import { DateTime } from 'luxon';

import { resolveStatusCode, findKnownField, isSameStatus } from '../dsquery/listSchema';
import { FieldReader } from '../dsquery/fieldName';
import type { KnownCode } from '../dsquery/types';
import { readTime } from '../dsquery/values/readTime';
import { PlatformError, type Row } from '../platform';
import { joinWithAnd } from '../text';
import { createLocalDayFinder, type GroupDimension, type LocalDay } from './groups';
import { isMissing, MEASURES, type RowContext, type Accumulator, type GroupValue, type Measure } from './measures';
import type { SummaryPeriod, SummaryPlan } from './plan';

/** The most groups. Only a field such as Id or a timestamp would make more. */
const MOST_GROUPS = 10_000;
/** The most values of distinct counts. More would take as much memory as the rows. */
const MOST_VALUES = 100_000;
/** The most pairs of a group and one of these values. */
const MOST_ENTRIES = 2_000_000;
/** The most field names that a message lists when a field is missing. */
const MOST_NAMES = 25;

/** Rows with the same values, one for each dimension. The rows are not kept. */
export interface RowGroup {
	values: readonly GroupValue[];
	count: number;
	/** One for each measure. */
	accumulators: Accumulator[];
	/** How many values each measure could not use. */
	unusable: number[];
}

/** The codes of a status that have a name. */
export function statusCodesOf({ list }: SummaryPlan): readonly KnownCode[] | undefined {
	return findKnownField(list, 'Status')?.codes;
}

export function createGroup(values: readonly GroupValue[], measures: readonly Measure[]): RowGroup {
	const accumulators = measures.map((measure) => MEASURES[measure.function].create());
	return { values, count: 0, accumulators, unusable: measures.map(() => 0) };
}

/** These groups as one. */
export function mergeGroups(groups: readonly RowGroup[], measures: readonly Measure[]): RowGroup {
	const sum = createGroup([], measures);
	for (const { count, accumulators, unusable } of groups) {
		sum.count += count;
		for (const [index, each] of accumulators.entries()) sum.accumulators[index]?.merge(each);
		sum.unusable = sum.unusable.map((rows, index) => rows + (unusable[index] ?? 0));
	}
	return sum;
}

/**
 * Adds up rows in one pass, in any order. Memory use grows with the number of groups and distinct values, which are both
 * bounded.
 */
export class RowAggregator {
	/** All rows, and then groups by key, for each way in which the plan groups them. */
	readonly all: RowGroup;
	readonly groups: ReadonlyArray<Map<string, RowGroup>>;
	/** The first and the last time, in milliseconds since the epoch. Infinite if no row has a time. */
	first = Number.POSITIVE_INFINITY;
	last = Number.NEGATIVE_INFINITY;
	withoutTime = 0;
	readonly fields = new FieldReader();
	/** Names of fields in rows that lack one of those asked for. */
	readonly names = new Set<string>();
	/** The names of statuses that the success rate counts, and that no row has had. */
	readonly unseenNames: Set<string>;
	/** The number of each value of distinct counts. Groups keep only the numbers. */
	private readonly distinct = new Map<unknown, number>();
	private entries = 0;
	private readonly dayOf: (instant: number) => LocalDay;
	private readonly statusCodes: readonly KnownCode[] | undefined;

	/** @param shift how far back the rows are, if they are the earlier ones */
	constructor(
		private readonly plan: SummaryPlan,
		{ shift }: Pick<SummaryPeriod, 'shift'>,
	) {
		this.all = createGroup([], plan.measures);
		this.groups = plan.breakdowns.map(() => new Map<string, RowGroup>());
		this.statusCodes = statusCodesOf(plan);
		const outcomes = plan.measures.flatMap((each) => Object.values(each.outcomes ?? {}).flat());
		this.unseenNames = new Set(outcomes.filter((status) => typeof status === 'string'));
		this.dayOf = createLocalDayFinder(plan.zone, shift);
	}

	/** @throws PlatformError if the rows cannot be grouped or measured as asked */
	add(rows: readonly Row[]): void {
		for (const row of rows) this.addRow(row);
	}

	private addRow(row: Row): void {
		const start = this.timeOf(row);
		const day = start === undefined ? undefined : this.dayOf(start);
		const values = this.plan.measures.map((measure) => this.measured(row, measure));
		const groups = this.plan.breakdowns.map((dimensions, index) =>
			this.groupOf(
				index,
				dimensions.map((dimension) => this.valueOf(row, dimension, start, day)),
			),
		);
		for (const group of [this.all, ...groups]) {
			group.count++;
			for (const [index, measure] of this.plan.measures.entries())
				this.addTo(group, index, measure, values[index], start);
		}
	}

	private addTo(group: RowGroup, index: number, measure: Measure, value: unknown, start: number | undefined): void {
		const { function: name, outcomes } = measure;
		const about: RowContext = { start, outcomes, numberOf: (one, known) => this.numberOf(one, known) };
		const isUsed = group.accumulators[index]?.add(value, about);
		if (isUsed || MEASURES[name].needs === undefined || isMissing(value)) return;
		group.unusable[index] = (group.unusable[index] ?? 0) + 1;
	}

	private groupOf(breakdown: number, values: readonly GroupValue[]): RowGroup {
		const groups = this.groups[breakdown] ?? new Map<string, RowGroup>();
		const key = JSON.stringify(values);
		const known = groups.get(key);
		if (known) return known;
		if (groups.size >= MOST_GROUPS) throw this.tooManyGroups(this.plan.breakdowns[breakdown] ?? []);
		const group = createGroup(values, this.plan.measures);
		groups.set(key, group);
		return group;
	}

	/** What a measure reads. A status is read as that of groups; a list stays one, to be refused. */
	private measured(row: Row, { field, outcomes }: Measure): unknown {
		const shown = this.fieldOf(row, field);
		if (!outcomes || Array.isArray(shown)) return this.single(shown, 'measured by', field);
		const status = resolveStatusCode(this.statusCodes, shown);
		for (const name of this.unseenNames) if (isSameStatus(name, status)) this.unseenNames.delete(name);
		return status;
	}

	private valueOf(row: Row, dimension: GroupDimension, instant?: number, day?: LocalDay): GroupValue {
		if (dimension.by === 'status') return orNone(resolveStatusCode(this.statusCodes, row.Status));
		if (dimension.by === 'field') {
			return orNone(this.single(this.fieldOf(row, dimension.field), 'grouped by', dimension.field));
		}
		if (instant === undefined || day === undefined) return null;
		return dimension.by === 'hour' ? DateTime.fromMillis(instant, { zone: this.plan.zone }).hour : day[dimension.by];
	}

	private timeOf(row: Row): number | undefined {
		const { dateField } = this.plan;
		if (dateField === undefined) return undefined;
		const instant = readTime(this.fieldOf(row, dateField));
		if (instant === undefined) {
			this.withoutTime++;
			return undefined;
		}
		this.first = Math.min(this.first, instant);
		this.last = Math.max(this.last, instant);
		return instant;
	}

	private fieldOf(row: Row, field: string): unknown {
		const found = this.fields.read(row, field);
		if (found) return found.value;
		for (const other of Object.keys(row)) if (this.names.size < MOST_NAMES) this.names.add(other);
		return undefined;
	}

	/** @throws PlatformError for a list or an object */
	private single(value: unknown, done: string, field: string): GroupValue | undefined {
		if (typeof value !== 'object' || value === null) return value as GroupValue | undefined;
		const message = `${upperFirst(this.plan.rows)} cannot be ${done} ${field}: it holds a list or an object`;
		throw new PlatformError('configuration', message, {
			description: `Choose a field that holds a single value, such as a text, a number or a code. One inside an object is written with a dot: ${field}.Name.`,
		});
	}

	/**
	 * The number that stands for a value in all groups.
	 *
	 * @param known the numbers that the group has
	 * @throws PlatformError if they have become too many
	 */
	private numberOf(value: unknown, known: ReadonlySet<number>): number {
		const number = this.distinct.get(value) ?? this.distinct.size;
		if (known.has(number)) return number;
		this.distinct.set(value, number);
		this.entries++;
		if (this.distinct.size > MOST_VALUES || this.entries > MOST_ENTRIES) throw this.tooManyValues();
		return number;
	}

	/** All distinct counts together have too many: which of them was the last one to add a value says nothing. */
	private tooManyValues(): PlatformError {
		const counted = this.plan.measures.filter(({ function: name }) => name === 'distinct');
		const fields = uniq(counted.map(({ field }) => this.fields.nameOf(field) ?? field));
		const [have, leftOut] =
			fields.length > 1 ? ['together they are', 'one of these distinct counts'] : ['there are', 'this distinct count'];
		const [most, where] =
			this.distinct.size > MOST_VALUES ? [MOST_VALUES, ''] : [MOST_ENTRIES, ', counted in each group'];
		const message = `The different values of ${joinWithAnd(fields)} cannot be counted: ${have} too many`;
		return new PlatformError('configuration', message, {
			description: `More than ${most.toLocaleString('en')} different values${where} would have to be kept. Narrow the filter, use fewer groups, or leave out ${leftOut}.`,
		});
	}

	private tooManyGroups(dimensions: readonly GroupDimension[]): PlatformError {
		const names = dimensions.map((each) => (each.by === 'field' ? each.field : each.by)).join(' and ');
		const have = dimensions.length === 1 ? 'it has' : 'together they have';
		const message = `${upperFirst(this.plan.rows)} cannot be grouped by ${names}: ${have} too many different values`;
		return new PlatformError('configuration', message, {
			description: `There are more than ${MOST_GROUPS.toLocaleString('en')}. Grouped by such a field, an ID or a time of day for example, there would be nearly as many groups as ${this.plan.rows}. Choose another field, or narrow the filter.`,
		});
	}
}

/** What was collected of the rows, and of the earlier ones if there is a comparison. */
export interface AggregatedRows {
	now: RowAggregator;
	earlier?: RowAggregator;
}

export function aggregatorsOf({ now, earlier }: AggregatedRows): RowAggregator[] {
	return earlier ? [now, earlier] : [now];
}

/** A field as the rows spell it. */
export function fieldNameInRows(collected: AggregatedRows, field: string): string {
	return aggregatorsOf(collected).flatMap(({ fields }) => fields.nameOf(field) ?? [])[0] ?? field;
}

/** What is missing or blank belongs to one group, however the platform writes it. */
function orNone(value: GroupValue | undefined): GroupValue {
	return value === undefined || isMissing(value) ? null : value;
}
