import mapValues from 'lodash/mapValues';
import omit from 'lodash/omit';
import upperFirst from 'lodash/upperFirst';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { statusName } from '../dsquery/catalogue';
import { spellingIn, statusCodesOf, type Collected } from './collector';
import { change } from './decimals';
import type { Dimension } from './groups';
import { measureKey, RATES, type Figures, type GroupValue } from './measures';
import type { Plan } from './plan';
import { noRows, together, type Listing, type Pair } from './ranking';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

type Named = Record<string, Figure>;
/** A time is written as ISO text. */
type Figure = number | string | null;

/** Figures, with those in percent as people read them. */
function roundRates(figures: Named): Named {
	return mapValues(figures, (figure, name) => (RATES.some((rate) => rate === name) ? roundPercent(figure) : figure));
}

function roundPercent(percent: Figure): Figure {
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
		return this.plan.result === 'oneItem'
			? [this.oneItem(listings)]
			: listings.flatMap((one) => this.itemPerGroup(one));
	}

	private oneItem(listings: readonly Listing[]): IDataObject {
		const { zone, now, earlier, dateField, timeNames } = this.plan;
		const { all, first, last, withoutTime } = this.collected.now;
		const groups = listings.flatMap((one) => one.dimensions.map((dimension) => this.breakdown(dimension, one)));
		return {
			...this.json({ values: [], now: all, before: this.collected.earlier?.all }),
			...(dateField !== undefined && {
				[timeNames.first]: this.time(first),
				[timeNames.last]: this.time(last),
				[timeNames.without]: withoutTime,
			}),
			timeZone: zone,
			period: now.days ? { ...now.days } : null,
			...(earlier && { comparedWith: earlier.days ? { ...earlier.days } : null }),
			...Object.assign({}, ...groups),
		};
	}

	private breakdown(dimension: Dimension, { shown, others, onlyPrevious }: Listing): IDataObject {
		if (dimension.by === 'field') {
			const second = this.plan.groupBy.find(({ by }) => by === 'field') === dimension ? '' : '2';
			return {
				[`groupedBy${second}`]: spellingIn(this.collected, dimension.field),
				[`byField${second}`]: shown.map((pair) => ({ value: pair.values[0], ...this.json(pair) })),
				[`otherValues${second}`]: { values: others.length, ...this.sum(others) },
			};
		}
		const name = upperFirst(dimension.by);
		return {
			[`by${name}`]: shown.map((pair) => ({ ...this.group(dimension, pair.values[0]), ...this.json(pair) })),
			...(onlyPrevious.length > 0 && {
				[`onlyPreviousBy${name}`]: { groups: onlyPrevious.length, ...this.sum(onlyPrevious) },
			}),
		};
	}

	private itemPerGroup({ dimensions, shown, others, onlyPrevious }: Listing): IDataObject[] {
		const names = this.columnsOf(dimensions);
		const group = (values: readonly GroupValue[]): IDataObject => {
			const parts = dimensions.map((dimension, index) => this.group(dimension, values[index], names[index]));
			return Object.assign({}, ...parts) as IDataObject;
		};
		const items = shown.map((pair): IDataObject => ({ ...group(pair.values), ...this.json(pair) }));
		const add = (pairs: readonly Pair[], flag: string) => {
			if (pairs.length > 0) items.push({ ...group([]), ...this.sum(pairs), [flag]: true, groups: pairs.length });
		};
		add(onlyPrevious, 'onlyPrevious');
		if (this.plan.showAllOthers) add(others, 'isOther');
		return items;
	}

	/** The column of each dimension. A field that is called as a figure or another column is must not write over that. */
	private columnsOf(dimensions: readonly Dimension[]): string[] {
		const others = dimensions.flatMap(({ by }) => (by === 'field' ? [] : Object.keys(this.group({ by }, null, by))));
		const taken = [...Object.keys(this.sum([])), ...others, 'onlyPrevious', 'isOther', 'groups'];
		return dimensions.map((dimension) => {
			let name = dimension.by === 'field' ? dimension.field : dimension.by;
			while (dimension.by === 'field' && taken.includes(name)) name = `${name}_group`;
			taken.push(name);
			return name;
		});
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

	private sum(pairs: readonly Pair[]): IDataObject {
		return this.json(together(pairs, this.plan.measures));
	}

	private json({ now, before }: Pair): IDataObject {
		const { earlier, result, measures } = this.plan;
		const exact = this.figures(now ?? noRows(measures));
		const figures = roundRates(exact);
		if (!earlier) return figures;
		const exactBefore = this.figures(before ?? noRows(measures));
		const previous = roundRates(exactBefore);
		const changes = mapValues(exact, (figure, name) => change(figure, exactBefore[name] ?? null));
		const difference = roundRates(mapValues(changes, ({ difference: by }) => by));
		// The change of a rate is in percentage points already.
		const differencePercent = mapValues(omit(changes, RATES), ({ percent }) => roundPercent(percent));
		if (result === 'oneItem') return { ...figures, previous, difference, differencePercent };
		const columns = Object.keys(figures).flatMap((name) => [
			[`${name}_previous`, previous[name]],
			[`${name}_difference`, difference[name]],
			...(name in differencePercent ? [[`${name}_differencePercent`, differencePercent[name]]] : []),
		]);
		return { ...figures, ...(Object.fromEntries(columns) as IDataObject) };
	}

	private figures(figures: Figures): Named {
		const { measures, result, namedMeasure } = this.plan;
		const named: Named = { count: figures.count };
		for (const [index, measure] of measures.entries()) {
			const key = measureKey(measure);
			if (result === 'oneItem' && key === namedMeasure?.key) {
				named[namedMeasure.value] = figures.value(index);
				named[namedMeasure.without] = figures.without(index);
				continue;
			}
			const isEmpty = this.empty.includes(measure.field);
			for (const [name, figure] of Object.entries(figures.of(index))) {
				const shown = figures.isTime(index) && figure !== null ? this.time(figure) : figure;
				named[`${key}${name}`] = isEmpty ? null : shown;
			}
		}
		return named;
	}

	private time(instant: number): string | null {
		return Number.isFinite(instant) ? DateTime.fromMillis(instant, { zone: this.plan.zone }).toISO() : null;
	}
}
