import { HOUR_MS } from '../dsquery/values/durations';
import { isNoTime, readTime } from '../dsquery/values/readTime';
import { PlatformError } from '../platform';
import { DecimalSum, percentOf, readDecimal, type Decimal } from './decimals';

/** The value that the rows of a group share. Null if they have none. */
export type GroupValue = string | number | boolean | null;

/** What is added up for a measure with several figures. Whole numbers, so that their order does not change the sums. */
export type Amounts = Readonly<Record<string, number>>;

/** What a function is called, and what it reads of a row. */
interface MeasureRecord {
	/** In the panel. */
	name: string;
	/** As it stands after "the" and before "of", if that is not its name. */
	words?: string;
	/** @param rows what the rows are called */
	describe?(rows: string): string;
	/** The value for the measure: undefined if it is missing, or none that is needed. */
	read(value: unknown, outcomes?: Outcomes, start?: number): MeasureValue;
	/**
	 * The figures of a measure that is named after its function, by what follows the name: '' is the measure itself. It
	 * counts statuses or times, and no field is chosen to be measured.
	 */
	figures?(amounts: Amounts): Record<string, number | null>;
	/** Its figure is a percentage: its change is one in percentage points, and the lowest can come first. */
	isRate?: true;
	/** What its field must have, if it is no number. */
	needs?: string;
	/** Only rows with a status have it. */
	needsStatus?: true;
}

const EXTREME = {
	needs: 'a number or a time',
	read: (value: unknown): MeasureValue => {
		const time = readTime(value);
		return time === undefined ? readDecimal(value) : { time };
	},
};

const RECORDS = {
	sum: { name: 'Sum', read: readDecimal },
	average: {
		name: 'Average',
		describe: (rows) => `The sum divided by the number of ${rows} that have a value`,
		read: readDecimal,
	},
	min: { name: 'Minimum', describe: () => 'The lowest number, or the first time', ...EXTREME },
	max: { name: 'Maximum', describe: () => 'The highest number, or the last time', ...EXTREME },
	distinct: {
		name: 'Distinct Count',
		words: 'number of different values',
		describe: () => 'How many different values there are',
		read: plainValue,
	},
	successRate: {
		name: 'Success Rate',
		describe: (rows) => `Finished ${rows} in percent of finished and failed ones, and how many these are`,
		read: (status, outcomes) => {
			const succeeded = outcomeOf(status, outcomes);
			return succeeded === undefined ? undefined : { amounts: { [succeeded ? 'finished' : 'failed']: 1 } };
		},
		figures: ({ finished = 0, failed = 0 }) => ({ '': rate(finished, failed), Sessions: finished + failed }),
		isRate: true,
		needsStatus: true,
	},
	duration: {
		name: 'Duration',
		describe: (rows) =>
			`Hours from start to end: in total, on average and the longest, and how many ${rows} have no end`,
		needs: 'a time that is not before the start',
		read(value, _, start) {
			if (start === undefined) return { amounts: {} };
			const end = endOf(value, start);
			return end === undefined ? undefined : { amounts: lengthOf(end - start) };
		},
		figures: ({ length = 0, ended = 0, longest, WithoutEnd = 0 }) => ({
			'': length / HOUR_MS,
			Average: ended > 0 ? length / ended / HOUR_MS : null,
			Longest: longest === undefined ? null : longest / HOUR_MS,
			WithoutEnd,
		}),
	},
} satisfies Record<string, MeasureRecord>;

export type MeasureFunction = keyof typeof RECORDS;
export const MEASURES: Readonly<Record<MeasureFunction, MeasureRecord>> = RECORDS;
export const MEASURE_FUNCTIONS = Object.keys(MEASURES) as MeasureFunction[];

/**
 * When something ended, not before it began: infinite if it has no end yet. Undefined if what is there is no such time.
 */
function endOf(value: unknown, start: number): number | undefined {
	if (value === null || value === undefined || value === '' || isNoTime(value)) return Number.POSITIVE_INFINITY;
	const end = readTime(value);
	return end !== undefined && end >= start ? end : undefined;
}

/** Infinite without an end. */
function lengthOf(length: number): Amounts {
	return Number.isFinite(length) ? { length, ended: 1, [LONGEST]: length } : { WithoutEnd: 1 };
}

/** Of this amount, the largest counts and not the sum. */
const LONGEST = 'longest';

/** Behind the key of a rate: the order of groups in which its lowest comes first. */
export const LOWEST = '_lowest';

/** The measures whose figure is a percentage. */
export const RATES = MEASURE_FUNCTIONS.filter((name) => MEASURES[name].isRate);

function rate(succeeded: number, failed: number): number | null {
	return succeeded + failed > 0 ? percentOf(succeeded, succeeded + failed) : null;
}

/** One figure to compute: the sum of a field, for example. */
export interface Measure {
	field: string;
	function: MeasureFunction;
	/** Set for the success rate. */
	outcomes?: Outcomes;
}

/** The statuses that count as a success, and those that count as a failure. All others count as neither. */
export interface Outcomes {
	finished: ReadonlyArray<number | string>;
	failed: ReadonlyArray<number | string>;
}

/** The unique name of a measure: `EnergyConsumed_sum`, or `successRate`. */
export function measureKey(measure: Measure): string {
	if (MEASURES[measure.function].figures) return measure.function;
	return `${measure.field}_${measure.function}`;
}

/** As it stands in a sentence: "the sum of Price", "success rate". */
export function measureInWords({ field, function: name }: Measure): string {
	const { name: called, words = called.toLowerCase(), figures } = MEASURES[name];
	return figures ? words : `the ${words} of ${field}`;
}

/**
 * A row's value for a measure: the value itself for a distinct count, amounts for one with figures, otherwise a number, or
 * a time in milliseconds since the epoch.
 */
export type MeasureValue = Decimal | GroupValue | { amounts: Amounts } | { time: number } | undefined;

/** The most values kept for distinct counts, over all groups. More would take as much memory as the rows. */
export const MOST_DISTINCT = 100_000;
const MOST_TEXT = 4_000_000;

/** Limits the memory that the values of distinct counts take. All groups of a collector share it. */
export class Room {
	private values = 0;
	private text = 0;

	/** @throws PlatformError if there is no room for another value */
	take(value: GroupValue, field: string): void {
		this.values++;
		this.text += typeof value === 'string' ? value.length : 0;
		if (this.values <= MOST_DISTINCT && this.text <= MOST_TEXT) return;
		throw new PlatformError('configuration', `The different values of ${field} cannot be counted: there are too many`, {
			description: `Over all groups together, more than ${MOST_DISTINCT.toLocaleString('en')} values would have to be kept, or they are very long texts. Narrow the filter, use fewer groups, or leave out this distinct count.`,
		});
	}
}

/** The count and the measures of some rows. The rows are not kept. */
export class Figures {
	private rows = 0;
	private readonly cells: Cell[];

	constructor(measures: readonly Measure[], room: Room) {
		this.cells = measures.map((measure) => new Cell(measure, room));
	}

	get count(): number {
		return this.rows;
	}

	/** @param values one for each measure, in the same order */
	add(values: readonly MeasureValue[]): void {
		this.rows++;
		this.cells.forEach((cell, index) => cell.add(values[index]));
	}

	addAll(other: Figures): void {
		this.rows += other.rows;
		this.cells.forEach((cell, index) => cell.addAll(other.cells[index]));
	}

	/** The figures of a measure, by what follows its name: '' is the measure itself. */
	of(measure: number): Record<string, number | null> {
		return this.cells[measure]?.figures ?? {};
	}

	/** The result of a measure. An average, minimum, maximum or success rate is null if no row has a value. */
	value(measure: number): number | null {
		return this.of(measure)[''] ?? null;
	}

	/** Whether a measure is a time, in milliseconds since the epoch. */
	isTime(measure: number): boolean {
		return this.cells[measure]?.isTime ?? false;
	}

	/** How many rows have no value for a measure. */
	without(measure: number): number {
		return this.rows - (this.cells[measure]?.values ?? 0);
	}
}

/** One measure of some rows. */
class Cell {
	/** How many rows have a value. */
	values = 0;
	private readonly sum?: DecimalSum;
	private readonly different?: Set<GroupValue>;
	private extreme: number | null = null;
	/** Where no number is there, which would be an extreme, too. */
	private extremeTime: number | null = null;
	private readonly amounts: Record<string, number> = {};

	constructor(
		private readonly measure: Measure,
		private readonly room: Room,
	) {
		const { function: name } = measure;
		if (name === 'sum' || name === 'average') this.sum = new DecimalSum();
		if (name === 'distinct') this.different = new Set();
	}

	get figures(): Record<string, number | null> {
		return MEASURES[this.measure.function].figures?.(this.amounts) ?? { '': this.single };
	}

	private get single(): number | null {
		if (this.different) return this.different.size;
		if (!this.sum) return this.extreme ?? this.extremeTime;
		if (this.measure.function === 'sum') return this.sum.value;
		return this.values > 0 ? this.sum.dividedBy(this.values) : null;
	}

	get isTime(): boolean {
		return this.extreme === null && this.extremeTime !== null;
	}

	add(value: MeasureValue): void {
		if (value === undefined) return;
		this.values++;
		if (typeof value !== 'object' || value === null) this.addDifferent(value);
		else if ('amounts' in value) this.addAmounts(value.amounts);
		else if ('time' in value) this.extremeTime = this.further(this.extremeTime, value.time);
		else if (this.sum) this.sum.add(value);
		else this.extreme = this.further(this.extreme, Number(`${value.units}e-${value.digits}`));
	}

	addAll(other: Cell | undefined): void {
		if (!other) return;
		this.values += other.values;
		this.addAmounts(other.amounts);
		if (other.sum) this.sum?.add(other.sum.exact);
		// These values are kept already, so they take no more room.
		for (const value of other.different ?? []) this.different?.add(value);
		if (other.extreme !== null) this.extreme = this.further(this.extreme, other.extreme);
		if (other.extremeTime !== null) this.extremeTime = this.further(this.extremeTime, other.extremeTime);
	}

	private addAmounts(amounts: Amounts): void {
		for (const [name, amount] of Object.entries(amounts)) {
			const known = this.amounts[name] ?? 0;
			this.amounts[name] = name === LONGEST ? Math.max(known, amount) : known + amount;
		}
	}

	private addDifferent(value: GroupValue): void {
		if (!this.different || this.different.has(value)) return;
		this.room.take(value, this.measure.field);
		this.different.add(value);
	}

	private further(known: number | null, other: number): number {
		const further = this.measure.function === 'min' ? Math.min : Math.max;
		return further(known ?? other, other);
	}
}

function plainValue(value: unknown): MeasureValue {
	const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
	return isPlain && value !== '' ? value : undefined;
}

/** Whether a status, as read, is a success. Undefined if it is neither that nor a failure. */
function outcomeOf(status: unknown, outcomes?: Outcomes): boolean | undefined {
	const isAmong = (codes: Outcomes['finished'] = []) => codes.some((code) => code === status);
	return isAmong(outcomes?.finished) || (isAmong(outcomes?.failed) ? false : undefined);
}
