import { knownField } from './catalogue';
import type { Catalogue, Condition, SortEntry } from './types';
import { readTime } from './values/readTime';
import { comparableValue, comparedIn, valueIn, verdictOf, type Row } from './verdict';

/** Two neighbours that are certainly the wrong way round. */
export interface Misplaced {
	sort: SortEntry;
	first: Row;
	second: Row;
}

/**
 * Compares a page, row by row, with the order that was asked for, as far as that is certain: numbers that are not codes,
 * Ids and times in UTC. A later sort decides only between equal codes or Ids, which are exact.
 */
export class PageOrder {
	/** Pairs of neighbours whose order is certain. */
	decided = 0;
	readonly misplaced: Misplaced[] = [];
	private first?: Row;

	constructor(
		private readonly sorts: readonly SortEntry[],
		private readonly catalogue: Catalogue,
	) {}

	next(second: Row): void {
		const { first, sorts, catalogue } = this;
		this.first = second;
		const sort = first && decidingSort(first, second, sorts, catalogue);
		if (!first || !sort) return;
		const verdict = isBehind(first, second, sort, catalogue);
		if (verdict !== 'unsure') this.decided++;
		if (verdict === 'no') this.misplaced.push({ sort, first, second });
	}
}

/** Share of neighbours out of order from which there is another order: rows that have just changed are few. */
const UNSORTED_SHARE = 0.25;

/** Whether so many neighbours are out of order that the rows are in another order. */
export function isUnsorted(decided: number, misplaced: number): boolean {
	return misplaced > decided * UNSORTED_SHARE;
}

/** The sort that says which of two rows comes first. Undefined if none does. */
function decidingSort(
	first: Row,
	second: Row,
	sorts: readonly SortEntry[],
	catalogue: Catalogue,
): SortEntry | undefined {
	const isEqual = ({ field }: SortEntry) => {
		const value = valueIn(first, field);
		return isExact(field, catalogue) && value === valueIn(second, field) && Number.isSafeInteger(value);
	};
	const sort = sorts.find((one) => !isEqual(one));
	// Codes may be in the order of their names.
	return sort && knownField(catalogue, sort.field)?.type !== 'code' ? sort : undefined;
}

function isExact(field: string, catalogue: Catalogue): boolean {
	return field.toLowerCase() === 'id' || knownField(catalogue, field)?.type === 'code';
}

function isBehind(first: Row, second: Row, { field, direction }: SortEntry, catalogue: Catalogue) {
	const [before, after] = [first, second].map((row) => comparedIn(row, field, catalogue));
	if (typeof before !== typeof after || typeof direction === 'number') return 'unsure';
	const operator = direction === 'Asc' ? 'Gte' : 'Lte';
	return verdictOf({ field, operator, value: String(before) }, second, catalogue);
}

/**
 * The condition that only rows before the first one of a list satisfy: none, if that is the first one in its order.
 * Undefined where its value does not say for certain which rows come before it: it is no number or time, or a code.
 */
export function beforeFirst(first: Row, { field, direction }: SortEntry, catalogue: Catalogue): Condition | undefined {
	const value = comparableValue(comparedIn(first, field, catalogue), field);
	if (value === undefined || typeof direction === 'number') return undefined;
	if (knownField(catalogue, field)?.type === 'code') return undefined;
	return { field, operator: direction === 'Asc' ? 'Lt' : 'Gt', value };
}

/** Whether a row certainly comes before another, by what both show: rounding and cutting keep the order of values. */
export function comesBefore(row: Row, other: Row, { field, direction }: SortEntry, catalogue: Catalogue): boolean {
	const [mine, its] = [row, other].map((one) => numberOf(comparedIn(one, field, catalogue)));
	if (mine === undefined || its === undefined) return false;
	return direction === 'Asc' ? mine < its : mine > its;
}

function numberOf(shown: unknown): number | undefined {
	return typeof shown === 'number' ? shown : readTime(shown);
}
