import groupBy from 'lodash/groupBy';
import mapValues from 'lodash/mapValues';
import sumBy from 'lodash/sumBy';

import { DAY_MS, HOUR_MS } from '../../dsquery/values/durations';
import { notesOn, type Notes } from '../../node/notes';
import { isTime, type Dimension, type TimeName } from '../groups';
import type { LocalTimes } from '../localTimes';
import { endOf, MEASURES, millionths, type GroupValue, type Measure } from '../measures';
import { Noted, type Gatherer, type GatheredRow, type Places, type Put } from './gatherer';

/** What is noted of a row: a time in which a charge point was in use, or its energy. */
interface Stay {
	/** The number of its charge point. */
	point: number;
	/** The value of the field in Group By, for each of which the charge points are stated. */
	unit: GroupValue;
	start: number;
	end: number;
	isOpen: boolean;
	/** In millionths. */
	energy: number;
	places: Places;
}

/** A group while its use is summed up. */
interface Summed {
	values: GroupValue[];
	used: number;
	open: number;
}

/** What the use is measured in: the period, as far as it is over, and the groups. */
interface Frame {
	breakdowns: ReadonlyArray<readonly Dimension[]>;
	span: { from: number; to: number };
	times: LocalTimes;
	rows: string;
}

/**
 * Use and Energy Use: the hours in which charge points were in use in percent of those of the period, or their energy in
 * percent of what their power could have given. Hours are cut at the edges of the period and of its days, weeks and
 * months, and those of one charge point count once; energy counts where its session began.
 */
export class Use implements Gatherer {
	readonly noted = new Noted<Stay>();
	readonly fields: ReadonlyArray<string | undefined>;
	readonly before: number;
	readonly until = Number.NEGATIVE_INFINITY;
	private readonly isEnergy: boolean;
	private readonly powers = new Map<number, number>();
	private readonly differing = new Set<number>();
	private withoutPoint = 0;
	/** The highest percentage, and how many groups are above 100. */
	private highest = 0;
	private above = 0;
	/** The most charge points that were seen where a number is stated. */
	private mostSeen = 0;

	constructor(
		private readonly measure: Measure,
		private readonly frame: Frame,
	) {
		this.isEnergy = measure.function === 'energyUse';
		this.fields = [measure.chargePointField, measure.powerField];
		this.before = (measure.daysBefore ?? 0) * DAY_MS;
	}

	note({ start, value, single, places, isBeside }: GatheredRow): void {
		const end = this.isEnergy ? start : endOf(value, start);
		if (start === undefined || end === undefined || (this.isEnergy && isBeside)) return;
		const { span, breakdowns } = this.frame;
		if (isBeside && end <= span.from) return;
		const shown = single(this.measure.chargePointField);
		if (shown === undefined) {
			if (!isBeside) this.withoutPoint++;
			return;
		}
		const point = this.noted.numberOf(JSON.stringify(shown));
		this.notePower(point, millionths(single(this.measure.powerField)));
		const fields = breakdowns.flatMap((dimensions, index) =>
			dimensions.flatMap(({ by }, at) => (by === 'field' ? [places[index]?.[at] ?? null] : [])),
		);
		const stay = { point, unit: fields[0] ?? null, start, end: Math.min(end, span.to), places };
		this.noted.add({ ...stay, isOpen: end === Number.POSITIVE_INFINITY, energy: millionths(value) ?? 0 });
	}

	settle(put: Put): string[] {
		const { entries } = this.noted;
		const stays = this.isEnergy ? entries.filter(({ point }) => this.powers.has(point)) : entries;
		stays.sort((a, b) => a.start - b.start);
		for (const [breakdown, dimensions] of this.frame.breakdowns.entries()) {
			const groups = this.groupsOf(stays, dimensions, breakdown);
			const possible = this.possibleIn(stays, dimensions, breakdown);
			for (const { values, used, open } of groups) {
				const most = possible(values);
				const percent = most > 0 ? (100 * used) / most : 0;
				this.highest = Math.max(this.highest, percent);
				this.above += percent > 100 ? 1 : 0;
				put(breakdown, values, { Used: used, Possible: most, WithoutEnd: open });
			}
		}
		return notesOn(NOTES, this.facts(stays, entries.length - stays.length));
	}

	private notePower(point: number, power: number | undefined): void {
		if (power === undefined || power <= 0) return;
		const known = this.powers.get(point);
		if (known !== undefined && known !== power) this.differing.add(point);
		this.powers.set(point, Math.max(power, known ?? 0));
	}

	/** The groups, with hours in use or energy. Days, weeks and months without any are among them if they are alone. */
	private groupsOf(stays: readonly Stay[], dimensions: readonly Dimension[], breakdown: number): Iterable<Summed> {
		const { span, times } = this.frame;
		const groups = new Map<string, Summed>();
		const add = (place: readonly GroupValue[], instant: number, used: number, open = 0) => {
			const values = dimensions.map(({ by }, at) => (isDated(by) ? times.dayOf(instant)[by] : (place[at] ?? null)));
			const key = JSON.stringify(values);
			const group = groups.get(key) ?? { values, used: 0, open: 0 };
			groups.set(key, { values, used: group.used + used, open: group.open + open });
		};
		if (dimensions.every(({ by }) => isDated(by))) {
			for (const { from } of this.partsOf(span, dimensions)) add([], from, 0);
		}
		const until = new Map<string, number>();
		for (const { point, places, start, end, isOpen, energy } of stays) {
			const place = places[breakdown] ?? [];
			const from = Math.max(start, span.from);
			add(place, from, this.isEnergy ? energy : 0, Number(isOpen));
			const key = JSON.stringify([point, othersOf(place, dimensions)]);
			if (!this.isEnergy) {
				const unused = { from: Math.max(from, until.get(key) ?? from), to: end };
				for (const part of this.partsOf(unused, dimensions)) add(place, part.from, part.to - part.from);
			}
			until.set(key, Math.max(end, until.get(key) ?? end));
		}
		return groups.values();
	}

	/** A span, cut at the ends of its days if groups are of a day or longer. */
	private *partsOf({ from, to }: Frame['span'], dimensions: readonly Dimension[]): Iterable<Frame['span']> {
		const isTimed = dimensions.some(({ by }) => isDated(by));
		for (let at = from; at < to; ) {
			const next = isTimed ? Math.min(to, this.frame.times.dayOf(at).to) : to;
			yield { from: at, to: next };
			at = next;
		}
	}

	/** What would be 100 % of a group: its hours, or the energy of them at full power, of each of its charge points. */
	private possibleIn(stays: readonly Stay[], dimensions: readonly Dimension[], breakdown: number) {
		const { span, times } = this.frame;
		const lengths = new Map<string, number>();
		for (const { from, to } of this.partsOf(span, dimensions)) {
			const key = JSON.stringify(dimensions.flatMap(({ by }) => (isDated(by) ? [times.dayOf(from)[by]] : [])));
			lengths.set(key, (lengths.get(key) ?? 0) + to - from);
		}
		const keyOf = (values: readonly GroupValue[] = []) => JSON.stringify(othersOf(values, dimensions));
		const weights = mapValues(
			groupBy(stays, ({ places }) => keyOf(places[breakdown])),
			(own) => this.weightOf(Object.values(groupBy(own, ({ unit }) => JSON.stringify(unit)))),
		);
		return (values: readonly GroupValue[]): number => {
			const ofTime = JSON.stringify(values.filter((_, at) => isDated(dimensions[at]?.by)));
			const weight = weights[keyOf(values)] ?? 0;
			return Math.round(((lengths.get(ofTime) ?? 0) * weight) / (this.isEnergy ? HOUR_MS : 1));
		};
	}

	/** How many charge points there are, or their power: as many as are stated for each unit, else those seen. */
	private weightOf(units: ReadonlyArray<readonly Stay[]>): number {
		const stated = this.measure.chargePoints ?? 0;
		return sumBy(units, (stays) => {
			const seen = [...new Set(stays.map(({ point }) => point))];
			this.mostSeen = Math.max(this.mostSeen, seen.length);
			const weight = sumBy(seen, (point) => (this.isEnergy ? (this.powers.get(point) ?? 0) : 1));
			return stated > 0 ? (weight * stated) / seen.length : weight;
		});
	}

	private facts(stays: readonly Stay[], powerless: number) {
		const { measure, isEnergy, differing, withoutPoint, highest, above, mostSeen } = this;
		const { rows } = this.frame;
		return {
			...{ measure, isEnergy, rows, powerless, withoutPoint, highest, above, mostSeen },
			name: MEASURES[measure.function].name,
			stated: measure.chargePoints ?? 0,
			seen: new Set(stays.map(({ point }) => point)).size,
			open: stays.filter(({ isOpen }) => isOpen).length,
			differing: differing.size,
			rowsOf: (count: number) => (count === 1 ? `one of the ${rows}` : `${count} ${rows}`),
		};
	}
}

const NOTES: Notes<ReturnType<Use['facts']>> = {
	seen: {
		when: ({ stated, seen }) => stated === 0 && seen > 0,
		text: ({ name, seen, rows }) =>
			`${name} is in percent of what the charge points seen could have (${seen}). Those without any of the ${rows} are not among them: set Number of Charge Points.`,
	},
	more: {
		when: ({ stated, mostSeen }) => stated > 0 && mostSeen > stated,
		text: ({ name, stated, mostSeen }) =>
			`${name}: more charge points were seen together (${mostSeen}) than Number of Charge Points says (${stated}).`,
	},
	withoutPoint: {
		when: ({ withoutPoint }) => withoutPoint > 0,
		text: ({ name, withoutPoint, rowsOf, measure }) =>
			`${name} leaves out ${rowsOf(withoutPoint)} without ${measure.chargePointField}.`,
	},
	open: {
		when: ({ open }) => open > 0,
		text: ({ name, open, rowsOf }) => `${name} takes ${rowsOf(open)} without an end to be still going on.`,
	},
	powerless: {
		when: ({ powerless }) => powerless > 0,
		text: ({ name, powerless, rowsOf, measure }) =>
			`${name} leaves out ${rowsOf(powerless)} of charge points without ${measure.powerField}.`,
	},
	differing: {
		when: ({ differing }) => differing > 0,
		text: ({ name, differing, measure }) =>
			`${name}: charge points with different values of ${measure.powerField} (${differing}) count with the highest.`,
	},
	above: {
		when: ({ above }) => above > 0,
		text: ({ name, above, highest, isEnergy, measure }) =>
			`${name} is above 100 % in some groups (${above}), up to ${Math.ceil(highest)} %. ${isEnergy ? `The power is too low for this energy: check ${measure.powerField}, and Number of Charge Points if it is set` : 'There are more charge points than stated: check Number of Charge Points'}.`,
	},
};

/** Whether rows are grouped by a day or longer. Hours are refused. */
function isDated(by: Dimension['by'] | undefined): by is Exclude<TimeName, 'hour'> {
	return isTime(by) && by !== 'hour';
}

/** The values of a group that are no part of the time. */
function othersOf(values: readonly GroupValue[], dimensions: readonly Dimension[]): GroupValue[] {
	return values.filter((_, at) => !isDated(dimensions[at]?.by));
}
