import { isSameStatus, type StatusValue } from '../dsquery/listSchema';
import { HOUR_MS } from '../dsquery/values/durations';
import { isPlaceholderTime, readTime } from '../dsquery/values/readTime';
import { isBlank } from '../text';
import {
	addDecimals,
	compareDecimals,
	divideDecimal,
	percentOf,
	readDecimal,
	writeDecimal,
	ZERO,
	type Decimal,
} from './decimals';

/** The value that the rows of a group share. Null if they have none. */
export type GroupValue = string | number | boolean | null;

/** A time is a date, and a whole number that a number cannot hold is text. Null if no row has a value. */
type Figure = number | string | Date | null;

/** The statuses that count as a success, and those that count as a failure. All others count as neither. */
interface OutcomeCodes {
	finished: ReadonlyArray<number | string>;
	failed: ReadonlyArray<number | string>;
}

/** What a measure may need to know besides a row's value. */
export interface RowContext {
	/** When the row began, in milliseconds since the epoch. */
	start?: number;
	outcomes?: OutcomeCodes;
	/** The number that stands for a value. @param known the numbers that the group of the row has already */
	numberOf(value: unknown, known: ReadonlySet<number>): number;
}

/** How a measure is computed, whatever the order of the rows. */
interface Reducer<State> {
	/** The state of no rows. */
	init(): State;
	/** The state with one more row, new or changed in place; undefined if the measure cannot use the value. */
	add(state: State, value: unknown, about: RowContext): State | undefined;
	/** The state of the rows of both. The first one may be changed in place, as with `add`. */
	merge(state: State, other: State): State;
	/** The figures, by what follows the name of the measure: '' is the measure itself. */
	result(state: State): Record<string, Figure>;
}

/** What a measure has added up of the rows of a group. */
export class Accumulator<State = unknown> {
	private state: State;

	constructor(private readonly reducer: Reducer<State>) {
		this.state = reducer.init();
	}

	/** @returns false if the value is none that the measure needs */
	add(value: unknown, about: RowContext): boolean {
		const state = this.reducer.add(this.state, value, about);
		if (state !== undefined) this.state = state;
		return state !== undefined;
	}

	/** Adds the rows of another one of the same measure. */
	merge(other: this): void {
		this.state = this.reducer.merge(this.state, other.state);
	}

	/** By what follows the name of the measure: '' is the measure itself. */
	get figures(): Record<string, Figure> {
		return this.reducer.result(this.state);
	}
}

/** What the panel and messages say of a measure. */
interface MeasureDescription {
	/** In the panel. */
	name: string;
	/** As it stands after "the" and before "of", if that is not its name. */
	words?: string;
	/** @param rows what the rows are called */
	describe?(rows: string): string;
	/** It is named after its function alone: it counts statuses or times, and no field is chosen to be measured. */
	isNamedByFunction?: true;
	/** Its figure is a percentage: its change is one in percentage points, and the lowest can come first. */
	isRate?: true;
	/** What its field must have: other values are counted (`unusableKey`). Left out if any value will do. */
	needs?: string;
	/** Only rows with a status have it. */
	needsStatus?: true;
}

const NUMBERS = {
	needs: 'a number',
	init: () => ({ sum: ZERO, values: 0 }),
	add({ sum, values }: SumState, value: unknown) {
		const number = readDecimal(value);
		return number && { sum: addDecimals(sum, number), values: values + 1 };
	},
	merge: (one: SumState, other: SumState) => ({
		sum: addDecimals(one.sum, other.sum),
		values: one.values + other.values,
	}),
};
interface SumState {
	sum: Decimal;
	values: number;
}

/** The lowest or highest number or, where there is none, time in milliseconds. */
interface ExtremeState {
	number?: Decimal;
	time?: number;
}

/** @param sign 1 for the highest, -1 for the lowest */
function extreme(sign: 1 | -1): Reducer<ExtremeState> & { needs: string } {
	const further = <Value>(compare: (a: Value, b: Value) => number, one?: Value, other: Value | undefined = one) =>
		one === undefined || other === undefined || sign * compare(one, other) < 0 ? other : one;
	const number = (one?: Decimal, other?: Decimal) => further(compareDecimals, one, other);
	const time = (one?: number, other?: number) => further((a, b) => a - b, one, other);
	return {
		needs: 'a number or a time',
		init: () => ({}),
		add(state, value) {
			const instant = readTime(value);
			if (instant !== undefined) return { ...state, time: time(state.time, instant) };
			const read = readDecimal(value);
			return read && { ...state, number: number(state.number, read) };
		},
		merge: (one, other) => ({ number: number(one.number, other.number), time: time(one.time, other.time) }),
		result(state) {
			if (state.number) return { '': writeDecimal(state.number) };
			return { '': state.time === undefined ? null : new Date(state.time) };
		},
	};
}

/** By the numbers of the values: see `RowContext`. */
const DISTINCT: Reducer<Set<number>> = {
	init: () => new Set(),
	add: (numbers, value, { numberOf }) => (isMissing(value) ? undefined : numbers.add(numberOf(value, numbers))),
	merge(numbers, other) {
		for (const number of other) numbers.add(number);
		return numbers;
	},
	result: (numbers) => ({ '': numbers.size }),
};

const MISSING: Reducer<number> = {
	init: () => 0,
	add: (rows, value) => (isMissing(value) ? rows + 1 : rows),
	merge: (one, other) => one + other,
	result: (rows) => ({ '': rows }),
};

const SUCCESS_RATE: Reducer<{ finished: number; failed: number }> = {
	init: () => ({ finished: 0, failed: 0 }),
	add({ finished, failed }, status, { outcomes }) {
		const isAmong = (codes: OutcomeCodes['finished'] = []) =>
			codes.some((code) => isSameStatus(code, status as StatusValue));
		if (isAmong(outcomes?.finished)) return { finished: finished + 1, failed };
		return isAmong(outcomes?.failed) ? { finished, failed: failed + 1 } : undefined;
	},
	merge: (one, other) => ({ finished: one.finished + other.finished, failed: one.failed + other.failed }),
	result: ({ finished, failed }) => ({
		'': finished + failed > 0 ? percentOf(finished, finished + failed) : null,
		Sessions: finished + failed,
	}),
};

/** In milliseconds. */
const DURATION: Reducer<{ length: number; ended: number; longest: number; withoutEnd: number }> = {
	init: () => ({ length: 0, ended: 0, longest: 0, withoutEnd: 0 }),
	add(state, value, { start }) {
		if (isMissing(value)) return { ...state, withoutEnd: state.withoutEnd + 1 };
		const end = readTime(value);
		if (start === undefined || end === undefined || end < start) return undefined;
		const length = end - start;
		const longest = Math.max(state.longest, length);
		return { ...state, length: state.length + length, ended: state.ended + 1, longest };
	},
	merge: (one, other) => ({
		length: one.length + other.length,
		ended: one.ended + other.ended,
		longest: Math.max(one.longest, other.longest),
		withoutEnd: one.withoutEnd + other.withoutEnd,
	}),
	result: ({ length, ended, longest, withoutEnd }) => ({
		'': length / HOUR_MS,
		Average: ended > 0 ? length / ended / HOUR_MS : null,
		Longest: ended > 0 ? longest / HOUR_MS : null,
		WithoutEnd: withoutEnd,
	}),
};

/** Whether there is no value: nothing to measure, and nothing to report. */
export function isMissing(value: unknown): boolean {
	return isBlank(value) || isPlaceholderTime(value);
}

interface MeasureRecord extends MeasureDescription {
	/** An accumulator of no rows. */
	create(): Accumulator;
}

function record<State>(measure: MeasureDescription & Reducer<State>): MeasureRecord {
	return { ...measure, create: () => new Accumulator(measure) };
}

const RECORDS = {
	sum: record({ name: 'Sum', ...NUMBERS, result: ({ sum }) => ({ '': writeDecimal(sum) }) }),
	average: record({
		name: 'Average',
		describe: (rows) => `The sum divided by the number of ${rows} that have a value`,
		...NUMBERS,
		result: ({ sum, values }) => ({ '': values > 0 ? divideDecimal(sum, values) : null }),
	}),
	min: record({ name: 'Minimum', describe: () => 'The lowest number, or the first time', ...extreme(-1) }),
	max: record({ name: 'Maximum', describe: () => 'The highest number, or the last time', ...extreme(1) }),
	distinct: record({
		name: 'Distinct Count',
		words: 'number of different values',
		describe: () => 'How many different values there are',
		...DISTINCT,
	}),
	missing: record({
		name: 'Missing Values',
		words: 'number of missing values',
		describe: (rows) => `How many ${rows} have no value there`,
		...MISSING,
	}),
	successRate: record({
		name: 'Success Rate',
		describe: (rows) => `Finished ${rows} in percent of finished and failed ones, and how many these are`,
		isNamedByFunction: true,
		isRate: true,
		needsStatus: true,
		...SUCCESS_RATE,
	}),
	duration: record({
		name: 'Duration',
		describe: (rows) =>
			`Hours from start to end: in total, on average and the longest, and how many ${rows} have no end`,
		isNamedByFunction: true,
		needs: 'a time that is not before the start',
		...DURATION,
	}),
};

export type MeasureFunction = keyof typeof RECORDS;
export const MEASURES: Readonly<Record<MeasureFunction, MeasureRecord>> = RECORDS;
export const MEASURE_FUNCTIONS = Object.keys(MEASURES) as MeasureFunction[];

/** Appended to the key of a rate in Order Groups By: its lowest comes first. */
export const LOWEST = '_lowest';

/** The measures whose figure is a percentage. */
export const RATES = MEASURE_FUNCTIONS.filter((name) => MEASURES[name].isRate);

/** One figure to compute: the sum of a field, for example. */
export interface Measure {
	field: string;
	function: MeasureFunction;
	/** Set for the success rate. */
	outcomes?: OutcomeCodes;
}

/** The unique name of a measure: `EnergyConsumed_sum`, or `successRate`. */
export function measureKey({ field, function: name }: Measure): string {
	return MEASURES[name].isNamedByFunction ? name : `${field}_${name}`;
}

/** What the number of values is called that a measure could not use: one for all measures of a field. */
export function unusableKey({ field, function: name }: Measure): string {
	return MEASURES[name].isNamedByFunction ? `${name}Unusable` : `${field}_unusable`;
}

/** As it stands in a sentence: "the sum of Price", "success rate". */
export function measureInWords({ field, function: name }: Measure): string {
	const { name: called, words = called.toLowerCase(), isNamedByFunction } = MEASURES[name];
	return isNamedByFunction ? words : `the ${words} of ${field}`;
}
