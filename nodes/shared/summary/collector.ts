import upperFirst from 'lodash/upperFirst';

import { codeOf, countedStatus, knownField, plainStatus } from '../dsquery/catalogue';
import type { KnownCode } from '../dsquery/types';
import { isNoTime, readTime } from '../dsquery/values/readTime';
import { PlatformError, type Row } from '../platform';
import { fieldNameIn } from '../dsquery/fieldName';
import { Groups, MOST_GROUPS, noSingleValue, type Dimension, type Group } from './groups';
import { LocalTimes, type LocalDay } from './localTimes';
import { MEASURES, Room, type Figures, type GroupValue, type Measure, type MeasureValue } from './measures';
import type { Part, Plan } from './plan';

/** What was collected of the rows, and of the earlier ones if there is a comparison. */
export interface Collected {
	now: Collector;
	earlier?: Collector;
}

export function eachOf({ now, earlier }: Collected): Collector[] {
	return earlier ? [now, earlier] : [now];
}

/** A field as the rows spell it. */
export function spellingIn(collected: Collected, field: string): string {
	return (
		eachOf(collected)
			.find(({ spelling }) => spelling.has(field))
			?.spelling.get(field) ?? field
	);
}

/** The codes of a status that have a name. */
export function statusCodesOf({ list }: Plan): readonly KnownCode[] | undefined {
	return knownField(list, 'Status')?.codes;
}

interface Strange {
	field: string;
	need: string;
	rows: number;
}

/** The most field names that a message lists when a field is missing. */
const MOST_NAMES = 25;

/**
 * Computes figures of any number of rows in one pass. Rows are not kept, and their order does not change the figures.
 * Memory use grows with the number of groups and distinct values, which are both bounded.
 */
export class Collector {
	/** Independent ways to group the rows: not at all, and as the plan says. */
	readonly breakdowns: ReadonlyArray<readonly Dimension[]>;
	/** One for each breakdown. */
	readonly groups: readonly Groups[];
	/** The first and the last time, in milliseconds since the epoch. Infinite if no row has a time. */
	first = Number.POSITIVE_INFINITY;
	last = Number.NEGATIVE_INFINITY;
	withoutTime = 0;
	/** How many rows have their status as an object. */
	statusObjects = 0;
	/** Names that came as status in place of their code, and in how many rows. */
	readonly statusNames = new Set<string>();
	named = 0;
	/** In how many rows a field has something other than a measure needs: by the field and what is needed. */
	readonly strange = new Map<string, Strange>();
	/** The names in the rows of the fields asked for. */
	readonly spelling = new Map<string, string>();
	readonly names = new Set<string>();
	private readonly times: LocalTimes;
	private readonly statusCodes: readonly KnownCode[] | undefined;

	/** @param shift how far back the rows are, if they are the earlier ones */
	constructor(
		private readonly plan: Plan,
		{ shift }: Pick<Part, 'shift'>,
	) {
		const { groupBy, result, zone, measures } = plan;
		this.breakdowns = [[], ...(result === 'oneItem' ? groupBy.map((dimension) => [dimension]) : [groupBy])];
		this.statusCodes = statusCodesOf(plan);
		this.times = new LocalTimes(zone, shift);
		const room = new Room();
		this.groups = this.breakdowns.map(() => new Groups(measures, room));
	}

	/** The figures of all rows. */
	get all(): Figures {
		return this.group(0, (groups) => groups.at([])).figures;
	}

	/** @throws PlatformError if the rows cannot be grouped or measured as asked */
	add(rows: readonly Row[]): void {
		for (const row of rows) this.addRow(row);
	}

	private addRow(row: Row): void {
		this.noteStatus(row);
		const start = this.timeOf(row);
		const strange = new Set<string>();
		const measured = this.plan.measures.map((measure) => this.measure(row, measure, start, strange));
		const day = start === undefined ? undefined : this.times.dayOf(start);
		for (const [index, dimensions] of this.breakdowns.entries()) {
			const values = dimensions.map((dimension) => this.valueOf(row, dimension, start, day));
			this.group(index, (groups) => groups.add(values, measured));
		}
	}

	private group(breakdown: number, find: (groups: Groups) => Group | undefined): Group {
		const groups = this.groups[breakdown];
		const group = groups && find(groups);
		if (!group) throw this.tooManyGroups(this.breakdowns[breakdown] ?? []);
		return group;
	}

	/** @param strange the fields of the row that are noted already: one counts once, however many measures it has */
	private measure(row: Row, measure: Measure, start: number | undefined, strange: Set<string>): MeasureValue {
		const { field, function: name, outcomes } = measure;
		const written = this.written(row, measure);
		if (typeof written === 'object' && written !== null) throw noSingleValue(this.plan.rows, 'measured by', field);
		const value = MEASURES[name].read(written, outcomes, start);
		const isMissing = written === null || written === undefined || written === '' || isNoTime(written);
		// Distinct counts and success rates take any value.
		if (value === undefined && !isMissing && name !== 'distinct' && !outcomes && !strange.has(field)) {
			strange.add(field);
			this.noteStrange(field, MEASURES[name].needs ?? 'a number');
		}
		return value;
	}

	private noteStrange(field: string, need: string): void {
		const key = JSON.stringify([field, need]);
		const known = this.strange.get(key) ?? { field, need, rows: 0 };
		this.strange.set(key, { ...known, rows: known.rows + 1 });
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

	private valueOf(row: Row, dimension: Dimension, instant?: number, day?: LocalDay): GroupValue {
		if (dimension.by === 'status') return countedStatus(this.statusCodes, row.Status);
		if (dimension.by === 'hour') return instant === undefined ? null : this.times.hourOf(instant);
		if (dimension.by !== 'field') return day?.[dimension.by] ?? null;
		const value = this.fieldOf(row, dimension.field) ?? null;
		if (typeof value === 'object' && value !== null) throw noSingleValue(this.plan.rows, 'grouped by', dimension.field);
		return value as GroupValue;
	}

	/** What a measure reads. A status is read as that of groups; a list stays one, to be refused. */
	private written(row: Row, { field, outcomes }: Measure): unknown {
		const shown = this.fieldOf(row, field);
		return outcomes && !Array.isArray(shown) ? countedStatus(this.statusCodes, shown) : shown;
	}

	/** Remembers how a status came that the figures need. */
	private noteStatus({ Status: shown }: Row): void {
		const { groupBy, measures } = this.plan;
		if (!groupBy.some(({ by }) => by === 'status') && !measures.some(({ outcomes }) => outcomes)) return;
		if (plainStatus(shown) !== shown) this.statusObjects++;
		const status = codeOf(shown);
		if (typeof status !== 'string' || countedStatus(this.statusCodes, shown) === status) return;
		this.named++;
		if (this.statusNames.size < MOST_NAMES) this.statusNames.add(status.trim());
	}

	private fieldOf(row: Row, field: string): unknown {
		const name = fieldNameIn(row, field);
		if (name !== undefined) {
			if (!this.spelling.has(field)) this.spelling.set(field, name);
			return row[name];
		}
		for (const other of Object.keys(row)) if (this.names.size < MOST_NAMES) this.names.add(other);
		return undefined;
	}

	private tooManyGroups(dimensions: readonly Dimension[]): PlatformError {
		const names = dimensions.map((each) => (each.by === 'field' ? each.field : each.by)).join(' and ');
		const have = dimensions.length === 1 ? 'it has' : 'together they have';
		const message = `${upperFirst(this.plan.rows)} cannot be grouped by ${names}: ${have} too many different values`;
		return new PlatformError('configuration', message, {
			description: `There are more than ${MOST_GROUPS.toLocaleString('en')}, or they are very long texts. Grouped by such a field, an ID or a time of day for example, there would be nearly as many groups as ${this.plan.rows}. Choose another field, or narrow the filter.`,
		});
	}
}
