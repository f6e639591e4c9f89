import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';
import partition from 'lodash/partition';
import range from 'lodash/range';
import uniq from 'lodash/uniq';
import upperFirst from 'lodash/upperFirst';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { countedStatus, statusName } from '../dsquery/catalogue';
import type { DaySpan } from '../dsquery/values/periods';
import { PlatformError } from '../platform';
import type { Connection } from '../platform';
import { Collector, type Collected, type Span } from './collector';
import type { Dimension } from './dimensions';
import type { Shift } from './comparison';
import { change } from './decimals';
import { alike, compareValues } from './groups';
import { dayParts, daysBetween } from './localTimes';
import { Figures, measureKey, MEASURES, RATES, Room, type GroupValue, type Measure } from './measures';

/** What a summary contains. */
export interface SummaryPlan {
	measures: readonly Measure[];
	/** Status, parts of the time, and up to two fields. */
	groupBy: readonly Dimension[];
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

/** What a summary needs besides the plan and the rows. */
export interface SummaryContext extends Pick<Collected, 'dateField' | 'zone' | 'rows' | 'statusCodes' | 'span'> {
	/** Fields that the specification names. To measure or take times from, they may be missing in all rows. */
	knownFields: readonly string[];
	/** The current local day, `YYYY-MM-DD`. Days of the filter's period are listed up to it. */
	today: string;
	/** The days that the filter covers, if it has a beginning and an end. */
	period?: DaySpan;
	/** A measure with its own property names in one item. */
	namedMeasure?: { key: string; value: string; without: string };
	/** The property names of the first and last time, and of the number of rows without one, in one item. */
	timeNames: { first: string; last: string; without: string };
	/** How far back the earlier rows are, and their days: null if there is no such time. */
	comparison?: { shift: Shift; period: DaySpan | null; span?: Span };
}

/** Behind the key of a rate: the order of groups in which its lowest comes first. */
export const LOWEST = '_lowest';

/** Days without rows are listed only up to this many days, about three years. */
const MOST_DAYS_LISTED = 1_100;
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The figures of a group now and before. At least one is defined, except for a day, weekday or hour without rows. */
interface Pair {
	values: readonly GroupValue[];
	now?: Figures;
	before?: Figures;
}

/** Figures of rows, with those of the earlier rows if there is a comparison. */
export class Summary {
	private rows: Collector;
	private earlier: Collector | undefined;
	/** Measured fields that no row has; of those that the specification names, sums are 0 all the same. */
	private missing: readonly string[] = [];
	private missingKnown: readonly string[] = [];
	/** What the user should know about how groups were ordered and cut. */
	private cuts: string[] = [];

	constructor(
		private readonly plan: SummaryPlan,
		private readonly context: SummaryContext,
		/** Names of fields as messages list them. */
		private readonly namesOf: Connection['namesOf'],
	) {
		this.rows = this.begin();
	}

	/** Starts collecting the rows, discarding any added before. */
	begin(): Collector {
		this.rows = this.collector();
		return this.rows;
	}

	/** Starts collecting the earlier rows to compare with, discarding any added before. */
	beginEarlier(): Collector {
		this.earlier = this.collector(this.context.comparison?.shift);
		return this.earlier;
	}

	/**
	 * The output items.
	 *
	 * @throws PlatformError if no row has a field to group by or to take times from
	 */
	get items(): IDataObject[] {
		this.checkFields();
		this.cuts = [];
		return this.plan.result === 'oneItem' ? [this.oneItem()] : this.itemPerGroup();
	}

	/** What the user should know about the items, one sentence each. */
	get notes(): string[] {
		const { dateField, rows, comparison } = this.context;
		const notes = [...this.cuts];
		for (const field of [...this.missing, ...this.missingKnown]) {
			const figures = this.missing.includes(field) ? 'empty' : '0 or empty';
			notes.push(
				`None of the ${rows} has a field ${field}, so its figures are ${figures}. If this is not a quiet period, check the name in Measures. The ${rows} have: ${this.namesInRows}.`,
			);
		}
		for (const collector of this.collectors) notes.push(...this.oddIn(collector, dateField));
		notes.push(...this.plan.groupBy.flatMap((dimension, index) => this.alikeIn(dimension, index)));
		if (comparison?.period) {
			notes.push(`Compared with the ${rows} from ${comparison.period.from} to ${comparison.period.to}.`);
		}
		return notes;
	}

	/** What there is to say of odd values, times and statuses of the rows, or of the earlier ones. */
	private oddIn(collector: Collector, dateField: string | undefined): string[] {
		const { strange, withoutTime, statusObjects, statusNames, named } = collector;
		const counted = (count: number) => this.counted(count, collector === this.earlier);
		const notes = [...strange].map(
			([field, count]) =>
				`${counted(count)} something other than ${this.needOf(field)} in ${field}. The figures of that field leave it out.`,
		);
		if (dateField !== undefined && withoutTime > 0) {
			notes.push(`${counted(withoutTime)} no valid time in ${dateField}. They are counted, but belong to no day.`);
		}
		if (statusObjects > 0)
			notes.push(`${counted(statusObjects)} an object as Status. The Id in it is taken as the code.`);
		if (named > 0) {
			const codes = [...statusNames].map((name) => `“${name}” as ${countedStatus(this.context.statusCodes, name)}`);
			notes.push(`${counted(named)} a name as Status. It is taken as its code: ${codes.join(', ')}.`);
		}
		return notes;
	}

	private needOf(field: string): string {
		const measure = this.plan.measures.find((each) => each.field === field && each.function !== 'distinct');
		return (measure && MEASURES[measure.function].needs) ?? 'a number';
	}

	/** What there is to say of values that make several groups, but look like one. */
	private alikeIn(dimension: Dimension, index: number): string[] {
		if (dimension.by !== 'status' && dimension.by !== 'field') return [];
		const isOwn = this.plan.result === 'oneItem';
		const groups = this.collectors.flatMap((collector) => [...(collector.groups[isOwn ? index : 0] ?? [])]);
		const pair = alike(groups.map(([, { values }]) => values[isOwn ? 0 : index] ?? null));
		if (!pair) return [];
		const [one, other] = pair.map((value) => `“${String(value).slice(0, 40)}”`);
		const field = dimension.by === 'field' ? dimension.field : 'Status';
		const how =
			typeof pair[0] === typeof pair[1]
				? `${one} and ${other}, which differ only in capitals`
				: `${one} as a number in some ${this.context.rows} and as text in others`;
		return [`${field} has ${how}: each is a group of its own.`];
	}

	private collector(shift?: Shift): Collector {
		const { groupBy, measures, result } = this.plan;
		const breakdowns = result === 'oneItem' ? groupBy.map((dimension) => [dimension]) : [groupBy];
		const span = shift ? this.context.comparison?.span : this.context.span;
		return new Collector({ ...this.context, span, measures, breakdowns }, shift);
	}

	private checkFields(): void {
		if (this.collectors.every(({ all }) => all.count === 0)) return;
		const isMissing = (field: string) => !this.collectors.some(({ spelling }) => spelling.has(field));
		const check = (field: string, parameter: string, purpose: string) => {
			if (!isMissing(field)) return;
			const message = `None of the ${this.context.rows} has a field ${field} ${purpose}`;
			throw new PlatformError('configuration', message, {
				description: `Check the name in ${parameter}. The ${this.context.rows} have: ${this.namesInRows}.`,
			});
		};
		for (const dimension of this.plan.groupBy) {
			if (dimension.by === 'field') check(dimension.field, 'Group By Field', 'to group by');
		}
		const known = this.context.knownFields.map((name) => name.toLowerCase());
		const { dateField } = this.context;
		if (dateField !== undefined && !known.includes(dateField.toLowerCase()))
			check(dateField, 'Date Field', 'to take times from');
		for (const field of this.rows.gatherers.flatMap(({ gatherer }) => gatherer.fields))
			if (field !== undefined) check(field, 'Measures', 'to measure by');
		const measured = uniq(this.plan.measures.map(({ field }) => field));
		const isKnown = (field: string) => known.includes(field.toLowerCase());
		[this.missingKnown, this.missing] = partition(measured.filter(isMissing), isKnown);
	}

	private get collectors(): Collector[] {
		return this.earlier ? [this.rows, this.earlier] : [this.rows];
	}

	private get namesInRows(): string {
		return this.namesOf(uniq(this.collectors.flatMap(({ names }) => [...names])));
	}

	private oneItem(): IDataObject {
		const { zone, period, comparison, dateField, timeNames } = this.context;
		const { all, first, last, withoutTime } = this.rows;
		const groups = this.plan.groupBy.map((dimension, index) => this.breakdown(dimension, this.pairs(index)));
		return {
			...this.json({ values: [], now: all, before: this.earlier?.all }),
			...(dateField !== undefined && {
				[timeNames.first]: this.time(first),
				[timeNames.last]: this.time(last),
				[timeNames.without]: withoutTime,
			}),
			timeZone: zone,
			period: period ? { ...period } : null,
			...(comparison && { comparedWith: comparison.period && { ...comparison.period } }),
			...Object.assign({}, ...groups),
		};
	}

	private breakdown(dimension: Dimension, pairs: Pair[]): IDataObject {
		if (dimension.by === 'field') return this.byField(dimension, pairs);
		// Rows without a time belong to no group of time; they are counted separately.
		const listed = dimension.by === 'status' ? pairs : pairs.filter(({ values }) => values[0] !== null);
		const [inPeriod, onlyPrevious] = partition(listed, (pair) => this.isInPeriod([dimension], pair));
		const sorted = this.sort(inPeriod, 'group');
		const entries = dimension.by === 'day' ? this.withEmptyDays(sorted) : sorted;
		const name = upperFirst(dimension.by);
		return {
			[`by${name}`]: entries.map((pair) => ({
				...this.groupOf(dimension, pair.values[0], 'label'),
				...this.json(pair),
			})),
			...(onlyPrevious.length > 0 && {
				[`onlyPreviousBy${name}`]: { groups: onlyPrevious.length, ...this.json(this.together(onlyPrevious)) },
			}),
		};
	}

	/** Whether the filter's period has such a group. If not, only the earlier rows have it, such as 31 March for April. */
	private isInPeriod(dimensions: readonly Dimension[], { values, now }: Pair): boolean {
		const { period } = this.context;
		if (now || !period) return true;
		return dimensions.every(({ by }, index) => {
			const value = values[index];
			if (typeof value !== 'string' || (by !== 'day' && by !== 'week' && by !== 'month')) return true;
			const [from, to] = [period.from, period.to].map((day) => dayParts(DateTime.fromISO(day))[by]);
			return from !== undefined && to !== undefined && from <= value && value <= to;
		});
	}

	/** Adds the days without rows, over the combined span of the filter's period (up to today) and the rows. */
	private withEmptyDays(pairs: Pair[]): Pair[] {
		const { period, today } = this.context;
		const last = period && period.to < today ? period.to : today;
		const bounds = period && period.from <= last ? [period.from, last] : [];
		const withRows = pairs.filter(({ now }) => now).map(({ values }) => String(values[0]));
		const ends = [...bounds, ...withRows].sort();
		const [from, to] = [ends[0], ends.at(-1)];
		const days = from && to ? daysBetween(from, to, MOST_DAYS_LISTED) : undefined;
		if (!days) return pairs;
		const known = new Map(pairs.map((pair) => [String(pair.values[0]), pair]));
		const listed = days.map((day) => known.get(day) ?? { values: [day] });
		for (const day of days) known.delete(day);
		return [...listed, ...known.values()];
	}

	private byField(dimension: Dimension & { by: 'field' }, pairs: Pair[]): IDataObject {
		const { field } = dimension;
		const second = this.plan.groupBy.find(({ by }) => by === 'field') === dimension ? '' : '2';
		const name = this.rows.spelling.get(field) ?? this.earlier?.spelling.get(field) ?? field;
		const { shown, others, rest } = this.cut(pairs, `Values of ${name}`);
		return {
			[`groupedBy${second}`]: name,
			[`byField${second}`]: shown.map((pair) => ({ value: pair.values[0], ...this.json(pair) })),
			[`otherValues${second}`]: { values: others.length, ...this.json(rest) },
		};
	}

	private itemPerGroup(): IDataObject[] {
		const { groupBy } = this.plan;
		const item = (pair: Pair): IDataObject => ({
			...Object.assign(
				{},
				...groupBy.map((dimension, index) => {
					const name = dimension.by === 'field' ? dimension.field : dimension.by;
					return this.groupOf(dimension, pair.values[index], `${name}Label`);
				}),
			),
			...this.json(pair),
		});
		const [inPeriod, onlyPrevious] = partition(this.pairs(0), (pair) => this.isInPeriod(groupBy, pair));
		const { shown, others, rest } = this.cut(inPeriod, 'Groups');
		const items = shown.map(item);
		if (onlyPrevious.length > 0) {
			items.push({ ...item(this.together(onlyPrevious)), onlyPrevious: true, groups: onlyPrevious.length });
		}
		if (others.length > 0 && this.plan.showAllOthers) {
			items.push({ ...item(rest), isOther: true, groups: others.length });
		}
		return items;
	}

	/** A group's value, with its name if it is a status or weekday. `value` is undefined for groups taken together. */
	private groupOf(dimension: Dimension, value: GroupValue | undefined, label: string): IDataObject {
		if (dimension.by === 'field') return { [dimension.field]: value ?? null };
		const group = { [dimension.by]: value ?? null };
		if (dimension.by === 'status') {
			return { ...group, StatusName: value === undefined ? null : this.statusLabel(value) };
		}
		if (dimension.by === 'weekday') return { ...group, [label]: WEEKDAYS[Number(value ?? 0) - 1] ?? null };
		return group;
	}

	private statusLabel(status: GroupValue): string {
		return statusName(this.context.statusCodes, status) ?? 'No status';
	}

	private pairs(breakdown: number): Pair[] {
		const pairs = new Map(this.always(breakdown).map((value): [string, Pair] => [`[${value}]`, { values: [value] }]));
		for (const [key, { values, figures }] of this.rows.groups[breakdown] ?? [])
			pairs.set(key, { values, now: figures });
		for (const [key, { values, figures }] of this.earlier?.groups[breakdown] ?? []) {
			pairs.set(key, { ...(pairs.get(key) ?? { values }), before: figures });
		}
		return [...pairs.values()];
	}

	/** The groups that are listed with or without rows: all weekdays and all hours, unless combined with others. */
	private always(breakdown: number): number[] {
		const { groupBy, result } = this.plan;
		const [dimension, ...more] = result === 'oneItem' ? groupBy.slice(breakdown, breakdown + 1) : groupBy;
		if (more.length > 0) return [];
		if (dimension?.by === 'weekday') return range(1, 8);
		return dimension?.by === 'hour' ? range(24) : [];
	}

	/** The groups that get their own entry, sorted; the others; and the figures of the others together. */
	private cut(pairs: Pair[], what: string) {
		const { maxGroups, minimumSessions, orderGroupsBy } = this.plan;
		const [enough, few] = partition(pairs, ({ now }) => (now?.count ?? 0) >= minimumSessions);
		const sorted = this.sort(enough, orderGroupsBy);
		const others = [...sorted.slice(maxGroups), ...few];
		const shown = sorted.slice(0, maxGroups);
		if (others.length > 0) this.cuts.push(this.cutNote(what, shown.length, others.length));
		return { shown, others, rest: this.together(others) };
	}

	private cutNote(what: string, shown: number, others: number): string {
		const { minimumSessions, result, showAllOthers } = this.plan;
		const { rows } = this.context;
		const least = minimumSessions > 0 ? ` among those with at least ${minimumSessions} ${rows}` : '';
		const place = result === 'oneItem' ? 'otherValues' : 'the last item';
		const where =
			result === 'oneItem' || showAllOthers
				? `All others together (${others}) are in ${place}.`
				: `All others (${others}) are left out; Options > Show All Others adds them as one item.`;
		return `${what} are ordered ${this.orderInWords}: you get the first ${shown}${least}. ${where}`;
	}

	private get orderInWords(): string {
		const { orderGroupsBy: order, measures } = this.plan;
		const measure = measures.find((each) => measureKey(each) === orderedBy(order).key);
		if (order === 'group') return 'by name, code or time';
		if (!measure) return `by number of ${this.context.rows}, most first`;
		return `by ${measureInWords(measure)}, ${orderedBy(order).isLowest ? 'lowest' : 'highest'} first`;
	}

	private together(pairs: readonly Pair[]) {
		const sum = { values: [], now: this.none(), before: this.none() };
		for (const { now, before } of pairs) {
			if (now) sum.now.addAll(now);
			if (before) sum.before.addAll(before);
		}
		return sum;
	}

	/** Sorts by figure or by value, ties by value. By figure, groups that only the earlier rows have come last. */
	private sort(pairs: Pair[], order: string): Pair[] {
		const { key, isLowest } = orderedBy(order);
		const measure = this.plan.measures.findIndex((each) => measureKey(each) === key);
		const size = ({ now }: Pair): number => {
			if (!now || order === 'group') return 0;
			if (measure < 0) return now.count;
			const value = now.value(measure);
			if (value === null) return Number.NEGATIVE_INFINITY;
			return isLowest ? -value : value;
		};
		const keyed = pairs.map((pair) => ({ pair, size: size(pair) }));
		keyed.sort(
			(a, b) =>
				(order === 'group' ? 0 : Number(!a.pair.now) - Number(!b.pair.now)) ||
				(a.size === b.size ? 0 : b.size > a.size ? 1 : -1) ||
				compareValues(a.pair.values, b.pair.values),
		);
		return keyed.map(({ pair }) => pair);
	}

	private json({ now, before }: Pair): IDataObject {
		const figures = this.figures(now ?? this.none());
		if (!this.context.comparison) return figures;
		const previous = this.figures(before ?? this.none());
		const changes = mapValues(figures, (figure, name) => change(figure, previous[name] ?? null));
		const difference = mapValues(changes, ({ difference: by }) => by);
		// The change of a rate is in percentage points already.
		const differencePercent = mapValues(omit(changes, RATES), ({ percent }) => percent);
		if (this.plan.result === 'oneItem') return { ...figures, previous, difference, differencePercent };
		const rounded = mapValues(differencePercent, (percent) => percent && Number(percent.toFixed(2)) + 0);
		const columns = Object.keys(figures).flatMap((name) => [
			[`${name}_previous`, previous[name]],
			[`${name}_difference`, difference[name]],
			...(name in rounded ? [[`${name}_differencePercent`, rounded[name]]] : []),
		]);
		return { ...figures, ...(Object.fromEntries(columns) as IDataObject) };
	}

	private figures(figures: Figures): Record<string, number | null> {
		const { measures, result } = this.plan;
		const { namedMeasure } = this.context;
		const named: Record<string, number | null> = { count: figures.count };
		for (const [index, measure] of measures.entries()) {
			const key = measureKey(measure);
			const several = figures.several(index);
			const isMissing = this.missing.includes(measure.field);
			if (several) {
				for (const [name, figure] of Object.entries(several)) named[`${key}${name}`] = isMissing ? null : figure;
			} else if (result === 'oneItem' && key === namedMeasure?.key) {
				named[namedMeasure.value] = figures.value(index);
				named[namedMeasure.without] = figures.without(index);
			} else named[key] = isMissing ? null : figures.value(index);
		}
		return named;
	}

	private none(): Figures {
		return new Figures(this.plan.measures, new Room());
	}

	private time(instant: number): string | null {
		return Number.isFinite(instant) ? DateTime.fromMillis(instant, { zone: this.context.zone }).toISO() : null;
	}

	private counted(count: number, isEarlier: boolean): string {
		const { rows } = this.context;
		const earlier = isEarlier ? 'earlier ' : '';
		return count === 1 ? `One ${earlier}${rows.replace(/s$/, '')} has` : `${count} ${earlier}${rows} have`;
	}
}

function orderedBy(order: string): { key: string; isLowest: boolean } {
	const isLowest = order.endsWith(LOWEST);
	return { key: isLowest ? order.slice(0, -LOWEST.length) : order, isLowest };
}

function measureInWords({ field, function: name }: Measure): string {
	const { words, figures } = MEASURES[name];
	return figures ? words : `the ${words} of ${field}`;
}
