import mapValues from 'lodash/mapValues';
import upperFirst from 'lodash/upperFirst';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { statusName } from '../dsquery/catalogue';
import type { DaySpan } from '../dsquery/values/periods';
import type { KnownCode } from '../dsquery/types';
import { PlatformError } from '../platform';
import { Collector, type Collected, type Dimension } from './collector';
import type { Shift } from './comparison';
import { change } from './decimals';
import { compareValues } from './groups';
import { daysBetween } from './localTimes';
import { Figures, measureKey, Room, type GroupValue, type Measure } from './measures';

/** What a summary contains. */
export interface SummaryPlan {
	measures: readonly Measure[];
	/** Status, parts of the time, and up to two fields. */
	groupBy: readonly Dimension[];
	/** One item with the groups of each dimension, or an item for each combination of their values. */
	result: 'oneItem' | 'itemPerGroup';
	/** How many groups get their own entry: per field in one item, otherwise in total. The others share one entry. */
	maxGroups: number;
	/** `group`, `count` or the key of a measure: the order to which `maxGroups` applies. */
	orderGroupsBy: string;
}

/** What a summary needs besides the plan and the rows. */
export interface SummaryContext extends Pick<Collected, 'dateField' | 'zone' | 'rows'> {
	/** Fields that the specification names. To measure or take times from, they may be missing in all rows. */
	knownFields: readonly string[];
	/** The current local day, `YYYY-MM-DD`. Days of the filter's period are listed up to it. */
	today: string;
	/** The days that the filter covers, if it has a beginning and an end. */
	period?: DaySpan;
	statusCodes?: readonly KnownCode[];
	/** A measure with its own property names in one item. */
	namedMeasure?: { key: string; value: string; without: string };
	/** The property names of the first and last time, and of the number of rows without one, in one item. */
	timeNames: { first: string; last: string; without: string };
	/** How far back the earlier rows are, and their days: null if there is no such time. */
	comparison?: { shift: Shift; period: DaySpan | null };
}

/** Days without rows are listed only up to this many days, about three years. */
const MOST_DAYS_LISTED = 1_100;
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The figures of a group now and before. At least one is defined, except for a day without rows. */
interface Pair {
	values: readonly GroupValue[];
	now?: Figures;
	before?: Figures;
}

/** Figures of rows, with those of the earlier rows if there is a comparison. */
export class Summary {
	private rows: Collector;
	private earlier: Collector | undefined;

	constructor(
		private readonly plan: SummaryPlan,
		private readonly context: SummaryContext,
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
	 * @throws PlatformError if no row has a field that was asked for
	 */
	get items(): IDataObject[] {
		this.checkFields();
		return this.plan.result === 'oneItem' ? [this.oneItem()] : this.itemPerGroup();
	}

	/** What the user should know about the figures, one sentence each. */
	get hints(): string[] {
		const { dateField, rows, comparison } = this.context;
		const hints: string[] = [];
		for (const [field, count] of this.rows.strange) {
			hints.push(
				`${this.counted(count)} something other than a number in ${field}. The figures of that field leave it out.`,
			);
		}
		if (dateField !== undefined && this.rows.withoutTime > 0) {
			const who = this.counted(this.rows.withoutTime);
			hints.push(`${who} no valid time in ${dateField}. They are counted, but belong to no day.`);
		}
		if (comparison?.period) {
			hints.push(`Compared with the ${rows} from ${comparison.period.from} to ${comparison.period.to}.`);
		}
		return hints;
	}

	private collector(shift?: Shift): Collector {
		const { groupBy, measures, result } = this.plan;
		const breakdowns = result === 'oneItem' ? groupBy.map((dimension) => [dimension]) : [groupBy];
		return new Collector({ ...this.context, measures, breakdowns }, shift);
	}

	private checkFields(): void {
		const collectors = [this.rows, ...(this.earlier ? [this.earlier] : [])];
		if (collectors.every(({ all }) => all.count === 0)) return;
		const check = (field: string, parameter: string, purpose: string) => {
			if (collectors.some(({ spelling }) => spelling.has(field))) return;
			const names = [...new Set(collectors.flatMap((each) => [...each.names]))].join(', ');
			const message = `None of the ${this.context.rows} has a field ${field} ${purpose}`;
			throw new PlatformError('configuration', message, {
				description: `Check the name in ${parameter}. The ${this.context.rows} have: ${names}.`,
			});
		};
		for (const dimension of this.plan.groupBy) {
			if (dimension.by === 'field') check(dimension.field, 'Group By Field', 'to group by');
		}
		const known = this.context.knownFields.map((name) => name.toLowerCase());
		const { dateField } = this.context;
		if (dateField !== undefined && !known.includes(dateField.toLowerCase()))
			check(dateField, 'Date Field', 'to take times from');
		for (const { field } of this.plan.measures) {
			if (!known.includes(field.toLowerCase())) check(field, 'Measures', 'to measure');
		}
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
		const sorted = this.sort(listed, 'group');
		const entries = dimension.by === 'day' ? this.withEmptyDays(sorted) : sorted;
		return {
			[`by${upperFirst(dimension.by)}`]: entries.map((pair) => ({
				...this.groupOf(dimension, pair.values[0], 'label'),
				...this.json(pair),
			})),
		};
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
		const { shown, others, rest } = this.cut(pairs);
		return {
			[`groupedBy${second}`]: this.rows.spelling.get(field) ?? this.earlier?.spelling.get(field) ?? field,
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
		const { shown, others, rest } = this.cut(this.pairs(0));
		const items = shown.map(item);
		return others.length === 0 ? items : [...items, { ...item(rest), isOther: true, groups: others.length }];
	}

	/** A group's value, with its label if it is a status or weekday. `value` is undefined for `rest`. */
	private groupOf(dimension: Dimension, value: GroupValue | undefined, label: string): IDataObject {
		if (dimension.by === 'field') return { [dimension.field]: value ?? null };
		const group = { [dimension.by]: value ?? null };
		if (dimension.by === 'status') {
			const name = value === undefined ? null : this.statusLabel(value);
			return { ...group, [label]: name, StatusName: name };
		}
		if (dimension.by === 'weekday') return { ...group, [label]: WEEKDAYS[Number(value ?? 0) - 1] ?? null };
		return group;
	}

	private statusLabel(status: GroupValue): string {
		return statusName(this.context.statusCodes, status) ?? 'No status';
	}

	private pairs(breakdown: number): Pair[] {
		const pairs = new Map<string, Pair>();
		for (const [key, { values, figures }] of this.rows.groups[breakdown] ?? [])
			pairs.set(key, { values, now: figures });
		for (const [key, { values, figures }] of this.earlier?.groups[breakdown] ?? []) {
			pairs.set(key, { ...(pairs.get(key) ?? { values }), before: figures });
		}
		return [...pairs.values()];
	}

	/** The groups that get their own entry, sorted; the others; and the figures of the others combined. */
	private cut(pairs: Pair[]) {
		const { maxGroups, orderGroupsBy } = this.plan;
		const sorted = this.sort(pairs, orderGroupsBy);
		const others = sorted.slice(maxGroups);
		const rest = { values: [], now: this.none(), before: this.none() };
		for (const { now, before } of others) {
			if (now) rest.now.addAll(now);
			if (before) rest.before.addAll(before);
		}
		return { shown: sorted.slice(0, maxGroups), others, rest };
	}

	/** Sorts largest first or by value, ties by value. Groups that only the earlier rows have come last. */
	private sort(pairs: Pair[], order: string): Pair[] {
		const measure = this.plan.measures.findIndex((each) => measureKey(each) === order);
		const size = ({ now }: Pair): number => {
			if (!now || order === 'group') return 0;
			return measure < 0 ? now.count : (now.value(measure) ?? Number.NEGATIVE_INFINITY);
		};
		const keyed = pairs.map((pair) => ({ pair, size: size(pair) }));
		keyed.sort(
			(a, b) =>
				Number(!a.pair.now) - Number(!b.pair.now) ||
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
		return {
			...figures,
			previous,
			difference: mapValues(changes, ({ difference }) => difference),
			differencePercent: mapValues(changes, ({ percent }) => percent),
		};
	}

	private figures(figures: Figures): Record<string, number | null> {
		const { measures, result } = this.plan;
		const { namedMeasure } = this.context;
		const named: Record<string, number | null> = { count: figures.count };
		for (const [index, measure] of measures.entries()) {
			const key = measureKey(measure);
			if (result === 'oneItem' && key === namedMeasure?.key) {
				named[namedMeasure.value] = figures.value(index);
				named[namedMeasure.without] = figures.without(index);
			} else named[key] = figures.value(index);
		}
		return named;
	}

	private none(): Figures {
		return new Figures(this.plan.measures, new Room());
	}

	private time(instant: number): string | null {
		return Number.isFinite(instant) ? DateTime.fromMillis(instant, { zone: this.context.zone }).toISO() : null;
	}

	private counted(count: number): string {
		const { rows } = this.context;
		return count === 1 ? `One ${rows.replace(/s$/, '')} has` : `${count} ${rows} have`;
	}
}
