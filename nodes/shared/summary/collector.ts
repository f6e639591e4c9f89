import upperFirst from 'lodash/upperFirst';

import { codeOf, countedStatus, plainStatus } from '../dsquery/catalogue';
import type { KnownCode } from '../dsquery/types';
import { readTime } from '../dsquery/values/readTime';
import { PlatformError } from '../platform';
import type { Row, Sink } from '../platform';
import { fieldNameIn } from '../dsquery/fieldName';
import type { Shift } from './comparison';
import type { Dimension } from './dimensions';
import type { Gatherer, Places } from './gatherer';
import { Groups, MOST_GROUPS, noSingleValue, type Group } from './groups';
import { LocalTimes, type LocalDay } from './localTimes';
import { Figures, MEASURES, Room, type GroupValue, type Measure, type MeasureValue, type Outcomes } from './measures';
import { Use } from './use';
import { Visits } from './visits';

/** What to compute from the rows, and how. */
export interface Collected {
	measures: readonly Measure[];
	/** Independent ways to group the rows. Rows of a group have the same value in each dimension of its breakdown. */
	breakdowns: ReadonlyArray<readonly Dimension[]>;
	/** The field with a row's time, for groups of time and the first and last time. Left out if neither is needed. */
	dateField?: string;
	/** The workflow's time zone. */
	zone: string;
	/** What messages call the rows: "sessions". */
	rows: string;
	/** The codes of a status that have a name. */
	statusCodes?: readonly KnownCode[];
	/** The period as far as it is over, in milliseconds since the epoch. Measures of use need it. */
	span?: Span;
}

export interface Span {
	from: number;
	to: number;
}

/** A gatherer, and which of the measures it is for. */
interface Gathering {
	index: number;
	gatherer: Gatherer;
}

/** The most field names that a message lists when a field is missing. */
const MOST_NAMES = 25;

/**
 * Computes figures of any number of rows in one pass. Rows are not kept, and their order does not change the figures.
 * Memory use grows with the number of groups and distinct values, which are both bounded.
 */
export class Collector {
	readonly all: Figures;
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
	/** For each field that needs numbers: how many values are neither a number nor missing. */
	readonly strange = new Map<string, number>();
	/** The names in the rows of the fields asked for. */
	readonly spelling = new Map<string, string>();
	readonly names = new Set<string>();
	private readonly times: LocalTimes;
	private readonly measures: readonly Measure[];
	/** One for each measure that needs several rows for a value. */
	readonly gatherers: readonly Gathering[];

	/** @param shift how far to move days, weeks and months forward, for the earlier rows of a comparison */
	constructor(
		private readonly collected: Collected,
		private readonly shift?: Shift,
	) {
		const { breakdowns, zone } = collected;
		const measures = collected.measures.map((measure) => this.withStatuses(measure));
		this.measures = measures;
		const times = new LocalTimes(zone, shift);
		this.times = times;
		const { span, rows } = collected;
		this.gatherers = measures.flatMap((measure, index): Gathering[] => {
			if (measure.function === 'visitSuccess') return [{ index, gatherer: new Visits(measure) }];
			const isUse = measure.chargePointField !== undefined && span;
			return isUse ? [{ index, gatherer: new Use(measure, { breakdowns, span, times, rows }) }] : [];
		});
		const room = new Room();
		this.all = new Figures(measures, room);
		this.groups = breakdowns.map(() => new Groups(measures, room));
	}

	/** @throws PlatformError if the rows cannot be grouped or measured as asked */
	add(rows: readonly Row[]): void {
		for (const row of rows) this.addRow(row);
	}

	private addRow(row: Row): void {
		this.noteStatus(row);
		const start = this.timeOf(row);
		const measured = this.measures.map((measure) => this.measure(row, measure, start));
		this.all.add(measured);
		const places = this.placesOf(row, start).map((values, index) => {
			return this.group(index, (groups) => groups.add(values, measured)).values;
		});
		this.gather(row, start, places, false);
	}

	/** Takes rows of a further reading, beside the period: they count in no group but through a gatherer. */
	beside(): Sink {
		const noted = this.gatherers.map(({ gatherer }) => gatherer.noted.entries);
		const before = noted.map(({ length }) => length);
		return {
			begin: () => noted.forEach((entries, index) => (entries.length = before[index] ?? 0)),
			add: (rows) => {
				for (const row of rows) {
					const start = readTime(this.fieldOf(row, this.collected.dateField ?? ''));
					this.gather(row, start, this.placesOf(row, start), true);
				}
			},
		};
	}

	/** Ends the collection. Returns what the user should know of it, one sentence each. */
	settle(): string[] {
		const notes = this.gatherers.flatMap(({ index, gatherer }) =>
			gatherer.settle((breakdown, values, amounts) => {
				const figures = breakdown < 0 ? this.all : this.group(breakdown, (groups) => groups.at(values)).figures;
				figures.addTo(index, { amounts });
			}),
		);
		return notes.map((note) => (this.shift ? `Earlier period: ${note}` : note));
	}

	private gather(row: Row, start: number | undefined, places: Places, isBeside: boolean): void {
		for (const { index, gatherer } of this.gatherers) {
			const shown = this.fieldOf(row, this.measures[index]?.field ?? '');
			const value = this.measures[index]?.outcomes ? this.statusIn(shown) : shown;
			const single = (field = '') => this.single(row, field);
			gatherer.note({ row, start, value, single, places, isBeside });
		}
	}

	private single(row: Row, field: string): unknown {
		const value = this.fieldOf(row, field) ?? '';
		if (typeof value === 'object') throw noSingleValue(this.collected.rows, 'told apart by', field);
		return value === '' ? undefined : value;
	}

	private placesOf(row: Row, instant: number | undefined): GroupValue[][] {
		const day = instant === undefined ? undefined : this.times.dayOf(instant);
		return this.collected.breakdowns.map((dimensions) =>
			dimensions.map((dimension) => this.valueOf(row, dimension, instant, day)),
		);
	}

	private group(breakdown: number, find: (groups: Groups) => Group | undefined): Group {
		const groups = this.groups[breakdown];
		const group = groups && find(groups);
		if (!group) throw this.tooManyGroups(this.collected.breakdowns[breakdown] ?? []);
		return group;
	}

	private measure(row: Row, measure: Measure, start: number | undefined): MeasureValue {
		const shown = this.fieldOf(row, measure.field);
		const written = measure.outcomes ? this.statusIn(shown) : shown;
		if (typeof written === 'object' && written !== null)
			throw noSingleValue(this.collected.rows, 'measured by', measure.field);
		const value = MEASURES[measure.function].read(written, measure.outcomes, start);
		const isStrange = value === undefined && written !== null && written !== undefined && written !== '';
		// A value counts once, however many measures its field has. Distinct counts and success rates take any value.
		const others = this.measures.filter(
			({ field, function: name, outcomes }) => field === measure.field && name !== 'distinct' && !outcomes,
		);
		if (isStrange && others[0] === measure) {
			this.strange.set(measure.field, (this.strange.get(measure.field) ?? 0) + 1);
		}
		return value;
	}

	private timeOf(row: Row): number | undefined {
		const { dateField } = this.collected;
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
		if (dimension.by === 'status') return countedStatus(this.collected.statusCodes, row.Status);
		if (dimension.by === 'hour') return instant === undefined ? null : this.times.hourOf(instant);
		if (dimension.by !== 'field') return day?.[dimension.by] ?? null;
		const value = this.fieldOf(row, dimension.field) ?? null;
		if (typeof value === 'object' && value !== null)
			throw noSingleValue(this.collected.rows, 'grouped by', dimension.field);
		return value as GroupValue;
	}

	/** A measure whose statuses, if it has any, are read as those of the rows are. */
	private withStatuses(measure: Measure): Measure {
		if (!measure.outcomes) return measure;
		const read = (codes: Outcomes['finished']) =>
			codes.flatMap((code) => countedStatus(this.collected.statusCodes, code) ?? []);
		const { finished, failed } = measure.outcomes;
		return { ...measure, outcomes: { finished: read(finished), failed: read(failed) } };
	}

	/** The status of a success rate, read as that of groups. A list stays one, to be refused. */
	private statusIn(shown: unknown): unknown {
		return Array.isArray(shown) ? shown : countedStatus(this.collected.statusCodes, shown);
	}

	/** Remembers how a status came that the figures need. */
	private noteStatus({ Status: shown }: Row): void {
		const { breakdowns, measures, statusCodes } = this.collected;
		const isNeeded = breakdowns.some((dimensions) => dimensions.some(({ by }) => by === 'status'));
		if (!isNeeded && !measures.some(({ outcomes }) => outcomes)) return;
		if (plainStatus(shown) !== shown) this.statusObjects++;
		const status = codeOf(shown);
		if (typeof status !== 'string' || countedStatus(statusCodes, shown) === status) return;
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
		const message = `${upperFirst(this.collected.rows)} cannot be grouped by ${names}: ${have} too many different values`;
		return new PlatformError('configuration', message, {
			description: `There are more than ${MOST_GROUPS.toLocaleString('en')}, or they are very long texts. Grouped by such a field, an ID or a time of day for example, there would be nearly as many groups as ${this.collected.rows}. Choose another field, or narrow the filter.`,
		});
	}
}
