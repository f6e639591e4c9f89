import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';
import upperFirst from 'lodash/upperFirst';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { statusName } from '../dsquery/catalogue';
import { emptyGroup, spellingIn, statusCodesOf, type Collected, type Group } from './collector';
import { change } from './decimals';
import type { Dimension } from './dimensions';
import { sumOf, type Listing, type Pair } from './listing';
import { measureKey, MEASURES, RATES, type GroupValue } from './measures';
import type { Plan } from './plan';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** By column. A time is written as ISO text. */
type Columns = Record<string, number | string | null>;

/** Figures, with those in percent as people read them. */
function roundRates(figures: Columns): Columns {
	return mapValues(figures, (figure, name) => (RATES.some((rate) => rate === name) ? roundPercent(figure) : figure));
}

function roundPercent(percent: Columns[string]): Columns[string] {
	// Not -0.
	return typeof percent === 'number' ? Number(percent.toFixed(2)) + 0 : percent;
}

/** Writes the figures as items. */
export class ItemWriter {
	/** @param empty measured fields that have no figures */
	constructor(
		private readonly plan: Plan,
		private readonly collected: Collected,
		private readonly empty: readonly string[],
	) {}

	items(listings: readonly Listing[]): IDataObject[] {
		const { result } = this.plan;
		return result === 'oneItem' ? [this.oneItem(listings)] : listings.flatMap((one) => this.itemPerGroup(one));
	}

	private oneItem(listings: readonly Listing[]): IDataObject {
		const { zone, now, earlier, dateField, timeNames } = this.plan;
		const { all, first, last, withoutTime } = this.collected.now;
		const iso = (instant: number) => (Number.isFinite(instant) ? this.time(new Date(instant)) : null);
		return {
			...this.figures({ values: [], now: all, before: this.collected.earlier?.all }),
			...(dateField !== undefined && {
				[timeNames.first]: iso(first),
				[timeNames.last]: iso(last),
				[timeNames.without]: withoutTime,
			}),
			timeZone: zone,
			period: now.days ? { ...now.days } : null,
			...(earlier && { comparedWith: earlier.days ? { ...earlier.days } : null }),
			...Object.assign({}, ...listings.map((listing) => this.breakdown(listing))),
		};
	}

	private breakdown({ dimensions, shown, others, onlyPrevious }: Listing): IDataObject {
		const [dimension] = dimensions;
		if (!dimension) return {};
		if (dimension.by === 'field') {
			const second = this.plan.groupBy.find(({ by }) => by === 'field') === dimension ? '' : '2';
			return {
				[`groupedBy${second}`]: this.nameOf(dimension),
				[`byField${second}`]: shown.map((pair) => ({ value: pair.values[0], ...this.figures(pair) })),
				[`otherValues${second}`]: { values: others.length, ...this.figures(this.sum(others)) },
			};
		}
		const name = upperFirst(dimension.by);
		return {
			[`by${name}`]: shown.map((pair) => ({ ...this.group(dimension, pair.values[0]), ...this.figures(pair) })),
			...(onlyPrevious.length > 0 && {
				[`onlyPreviousBy${name}`]: { groups: onlyPrevious.length, ...this.figures(this.sum(onlyPrevious)) },
			}),
		};
	}

	private itemPerGroup({ dimensions, shown, others, onlyPrevious }: Listing): IDataObject[] {
		const names = this.columnsOf(dimensions);
		const group = (values: readonly GroupValue[]): IDataObject => {
			const parts = dimensions.map((dimension, index) => this.group(dimension, values[index], names[index]));
			return Object.assign({}, ...parts) as IDataObject;
		};
		const items = shown.map((pair): IDataObject => ({ ...group(pair.values), ...this.figures(pair) }));
		const add = (pairs: readonly Pair[], flag: string) => {
			if (pairs.length === 0) return;
			items.push({ ...group([]), ...this.figures(this.sum(pairs)), [flag]: true, groups: pairs.length });
		};
		add(onlyPrevious, 'onlyPrevious');
		if (this.plan.showAllOthers) add(others, 'isOther');
		return items;
	}

	/** The column of each dimension. A field that is called as a figure or another column is must not write over that. */
	private columnsOf(dimensions: readonly Dimension[]): string[] {
		const others = dimensions.flatMap(({ by }) => (by === 'field' ? [] : Object.keys(this.group({ by }, null))));
		const taken = [...Object.keys(this.figures(this.sum([]))), ...others, 'onlyPrevious', 'isOther', 'groups'];
		return dimensions.map((dimension) => {
			let name = this.nameOf(dimension);
			while (dimension.by === 'field' && taken.includes(name)) name = `${name}_group`;
			taken.push(name);
			return name;
		});
	}

	/** What a group is called in both results: a field as the rows spell it. */
	private nameOf(dimension: Dimension): string {
		return dimension.by === 'field' ? spellingIn(this.collected, dimension.field) : dimension.by;
	}

	/** A group's value, with its name if it is a status or weekday. `value` is undefined for groups taken together. */
	private group(dimension: Dimension, value: GroupValue | undefined, name: string = dimension.by): IDataObject {
		const group = { [name]: value ?? null };
		if (dimension.by === 'weekday') {
			const label = this.plan.result === 'oneItem' ? 'label' : 'weekdayLabel';
			return { ...group, [label]: WEEKDAYS[Number(value ?? 0) - 1] ?? null };
		}
		if (dimension.by !== 'status') return group;
		const called = value === undefined ? null : (statusName(statusCodesOf(this.plan), value) ?? 'No status');
		return { ...group, StatusName: called };
	}

	private sum(pairs: readonly Pair[]): Pair {
		return sumOf(pairs, this.plan.measures);
	}

	private figures({ now, before }: Pair): IDataObject {
		const { earlier, result } = this.plan;
		const exact = this.columns(now);
		const figures = roundRates(exact);
		if (!earlier) return figures;
		const exactBefore = this.columns(before);
		const previous = roundRates(exactBefore);
		const changes = mapValues(exact, (figure, name) => change(figure, exactBefore[name] ?? null));
		const difference = roundRates(mapValues(changes, (each) => each.difference));
		// The change of a rate is in percentage points already.
		const differencePercent = mapValues(omit(changes, RATES), ({ percent }) => roundPercent(percent));
		const compared = { previous, difference, differencePercent };
		if (result === 'oneItem') return { ...figures, ...compared };
		const columns = Object.keys(figures).flatMap((name) =>
			Object.entries(compared).flatMap(([what, all]) => (name in all ? [[`${name}_${what}`, all[name]]] : [])),
		);
		return { ...figures, ...(Object.fromEntries(columns) as IDataObject) };
	}

	/** The columns of a group's figures: the same in both results, but for the measure that one item gives a name. */
	private columns(group: Group | undefined): Columns {
		const { measures, result, namedMeasure } = this.plan;
		const { count, states } = group ?? emptyGroup([], measures);
		const columns: Columns = { count };
		for (const [index, measure] of measures.entries()) {
			const record = MEASURES[measure.function];
			const state = states[index] ?? record.init();
			const key = measureKey(measure);
			const isNamed = result === 'oneItem' && key === namedMeasure?.key;
			const isEmpty = !isNamed && this.empty.includes(measure.field);
			for (const [part, figure] of Object.entries(record.result(state))) {
				const shown = figure instanceof Date ? this.time(figure) : figure;
				columns[isNamed ? namedMeasure.value : `${key}${part}`] = isEmpty ? null : shown;
			}
			if (isNamed) columns[namedMeasure.without] = count - (record.values?.(state) ?? 0);
		}
		return columns;
	}

	private time(time: Date): string | null {
		return DateTime.fromJSDate(time, { zone: this.plan.zone }).toISO();
	}
}
