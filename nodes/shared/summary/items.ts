import mapKeys from 'lodash/mapKeys';
import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';
import upperFirst from 'lodash/upperFirst';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { statusName } from '../dsquery/listSchema';
import { createGroup, fieldNameInRows, statusCodesOf, type AggregatedRows, type RowGroup } from './rowAggregator';
import { compareFigures } from './decimals';
import type { GroupDimension } from './groups';
import { mergeComparedGroups, type Listing, type ComparedGroup } from './listing';
import { measureKey, MEASURES, RATES, unusableKey, type GroupValue } from './measures';
import type { SummaryPlan } from './plan';

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

/** Writes the figures as items. A column is called the same in both results, and in each list of the one item. */
export class ItemWriter {
	/** What each dimension is called. */
	private readonly names: ReadonlyMap<GroupDimension, string>;

	/** @param empty measured fields that have no figures */
	constructor(
		private readonly plan: SummaryPlan,
		private readonly collected: AggregatedRows,
		private readonly empty: readonly string[],
	) {
		this.names = this.namesOf(plan.groupBy);
	}

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
		const items = shown.map((pair) => this.item(dimensions, pair));
		if (dimension.by === 'field') {
			const second = this.plan.groupBy.find(({ by }) => by === 'field') === dimension ? '' : '2';
			return {
				[`groupedBy${second}`]: this.names.get(dimension),
				[`byField${second}`]: items,
				[`otherValues${second}`]: this.together(others),
			};
		}
		const name = upperFirst(dimension.by);
		return {
			[`by${name}`]: items,
			...(onlyPrevious.length > 0 && { [`onlyPreviousBy${name}`]: this.together(onlyPrevious) }),
		};
	}

	private itemPerGroup({ dimensions, shown, others, onlyPrevious }: Listing): IDataObject[] {
		const items = shown.map((pair) => this.item(dimensions, pair));
		const add = (pairs: readonly ComparedGroup[], flag: string) => {
			if (pairs.length === 0) return;
			items.push({ ...this.group(dimensions, []), ...this.together(pairs), [flag]: true });
		};
		add(onlyPrevious, 'onlyPrevious');
		if (this.plan.showAllOthers) add(others, 'isOther');
		return items;
	}

	private item(dimensions: readonly GroupDimension[], pair: ComparedGroup): IDataObject {
		return { ...this.group(dimensions, pair.values), ...this.figures(pair) };
	}

	/** Several groups as one, and how many they are. */
	private together(pairs: readonly ComparedGroup[]): IDataObject {
		return { groups: pairs.length, ...this.figures(mergeComparedGroups(pairs, this.plan.measures)) };
	}

	/** A field is called as the rows spell it. One that is called as a figure or another column must not write over that. */
	private namesOf(dimensions: readonly GroupDimension[]): Map<GroupDimension, string> {
		const others = dimensions.flatMap(({ by }) => (by === 'field' ? [] : Object.keys(this.part({ by }, null, by))));
		const taken = [...Object.keys(this.together([])), ...others, 'onlyPrevious', 'isOther', 'listNotes'];
		const named = dimensions.map((dimension): [GroupDimension, string] => {
			let name = dimension.by === 'field' ? fieldNameInRows(this.collected, dimension.field) : dimension.by;
			while (dimension.by === 'field' && taken.includes(name)) name = `${name}_group`;
			taken.push(name);
			return [dimension, name];
		});
		return new Map(named);
	}

	/** A group's values, by column. There are none for groups taken together. */
	private group(dimensions: readonly GroupDimension[], values: readonly GroupValue[]): IDataObject {
		const parts = dimensions.map((each, index) => this.part(each, values[index], this.names.get(each) ?? each.by));
		return Object.assign({}, ...parts) as IDataObject;
	}

	/** A value of a group, with its name if it is a status or weekday. */
	private part(dimension: GroupDimension, value: GroupValue | undefined, name: string): IDataObject {
		const group = { [name]: value ?? null };
		if (dimension.by === 'weekday') return { ...group, weekdayLabel: WEEKDAYS[Number(value ?? 0) - 1] ?? null };
		if (dimension.by !== 'status') return group;
		const called = value === undefined ? null : (statusName(statusCodesOf(this.plan), value) ?? 'No status');
		return { ...group, StatusName: called };
	}

	private figures({ now, before, lacksEarlierTime }: ComparedGroup): IDataObject {
		const { earlier } = this.plan;
		const exact = this.columns(now);
		const figures = roundRates(exact);
		if (!earlier) return figures;
		const isNothing = lacksEarlierTime === true || !earlier.days;
		const exactBefore = mapValues(this.columns(before), (figure) => (isNothing ? null : figure));
		const previous = roundRates(exactBefore);
		const changes = mapValues(exact, (figure, name) => compareFigures(figure, exactBefore[name] ?? null));
		const difference = roundRates(mapValues(changes, (each) => each.difference));
		// The change of a rate is in percentage points already.
		const differencePercent = mapValues(omit(changes, RATES), ({ percent }) => roundPercent(percent));
		const compared = { previous, difference, differencePercent };
		const columns = Object.keys(figures).flatMap((name) =>
			Object.entries(compared).flatMap(([what, all]) => (name in all ? [[`${name}_${what}`, all[name]]] : [])),
		);
		return { ...figures, ...(Object.fromEntries(columns) as IDataObject) };
	}

	/** The figures of a group, by column. */
	private columns(group: RowGroup | undefined): Columns {
		const { measures } = this.plan;
		const { count, accumulators, unusable } = group ?? createGroup([], measures);
		const columns: Columns = { count };
		for (const [index, measure] of measures.entries()) {
			const { needs } = MEASURES[measure.function];
			const figures = mapKeys(accumulators[index]?.figures, (_, part) => `${measureKey(measure)}${part}`);
			const left = unusableKey(measure);
			// The measures of a field share this count: that of the one which leaves out most.
			if (needs !== undefined) figures[left] = Math.max(unusable[index] ?? 0, Number(columns[left] ?? 0));
			const isEmpty = this.empty.includes(measure.field);
			Object.assign(
				columns,
				mapValues(figures, (figure) => (isEmpty ? null : figure instanceof Date ? this.time(figure) : figure)),
			);
		}
		return columns;
	}

	private time(time: Date): string | null {
		return DateTime.fromJSDate(time, { zone: this.plan.zone }).toISO();
	}
}
