import { fieldNameIn } from '../../dsquery/fieldName';
import { isUnsorted } from '../../dsquery/order';
import type { SortEntry } from '../../dsquery/types';
import { PlatformError } from '../answers/errors';
import { largeId } from '../answers/parseJson';
import { Turns } from '../http/turns';
import type { Row } from '../types';

/** Identifies a row: its Id. Undefined if it has none: such rows are counted, never merged. */
export function identityOf({ Id: id }: Row): string | number | undefined {
	if (typeof id === 'number') return id;
	return typeof id === 'string' && id !== '' ? `text:${id}` : undefined;
}

/** `1` or `-1` if the order is the Id alone, ascending or descending; undefined for any other order. */
export function walkDirection(sorts: readonly SortEntry[]): 1 | -1 | undefined {
	const [only] = sorts;
	if (sorts.length !== 1 || only?.field.toLowerCase() !== 'id') return undefined;
	if (only.direction === 'Asc') return 1;
	return only.direction === 'Desc' ? -1 : undefined;
}

/** The Id of a row in a walk; NaN if there is none, which makes every comparison false. */
export function idOf(row: Row | undefined): number {
	return typeof row?.Id === 'number' ? row.Id : Number.NaN;
}

/** Whether all Ids are integers that strictly rise (`1`) or fall (`-1`), so that the list can be walked by Id. */
export function idsAreOrdered(rows: readonly Row[], direction: 1 | -1): boolean {
	let previous: number | undefined;
	for (const { Id: id } of rows) {
		if (typeof id !== 'number' || !Number.isInteger(id)) return false;
		if (previous !== undefined && (id - previous) * direction <= 0) return false;
		previous = id;
	}
	return true;
}

/** Whether two rows have the same plain values. Nested values are not compared: they may be of any size and depth. */
export function looksSame(row: Row, other: Row): boolean {
	const names = Object.keys(row);
	const plain = names.filter((name) => typeof row[name] !== 'object' || row[name] === null);
	return (
		plain.length > 0 &&
		names.length === Object.keys(other).length &&
		plain.every((name) => Object.hasOwn(other, name) && row[name] === other[name])
	);
}

/** Drops rows that repeat the one before them, with the same Id and values, as an SQL join may produce. */
export async function withoutRepeats(rows: Row[]): Promise<Row[]> {
	const areRepeats = await new Turns().map(rows, (row, index) => {
		const before = rows[index - 1];
		return before !== undefined && row.Id === before.Id && identityOf(row) !== undefined && looksSame(row, before);
	});
	return areRepeats.includes(true) ? rows.filter((_, index) => !areRepeats[index]) : rows;
}

/** How many neighbours there are among unmoved rows, and how many of them come the other way round than before. */
export interface Neighbours {
	count: number;
	misplaced: number;
}

/** @param positions where each of the rows was before */
export function neighboursOf(positions: readonly number[]): Neighbours {
	const isMisplaced = (position: number, index: number) => index > 0 && position < (positions[index - 1] ?? 0);
	return { count: Math.max(0, positions.length - 1), misplaced: positions.filter(isMisplaced).length };
}

/** Whether unmoved rows come in another order than before. Up to `late` misplaced ones may have arrived late. */
export function isShuffled({ count, misplaced }: Neighbours, late = 2): boolean {
	return misplaced > late && isUnsorted(count, misplaced);
}

/** Whether each row has an Id that is unique in its page. */
export function haveOwnIds(rows: readonly Row[]): boolean {
	const ids = new Set(rows.map(identityOf));
	return ids.size === rows.length && !ids.has(undefined);
}

/** What a row is sorted by, without the Id, which cannot change. */
export function sortKey(row: Row, sortFields: readonly string[]): string {
	const values = sortFields.map((field) => {
		const name = fieldNameIn(row, field);
		const value = name === undefined ? null : row[name];
		return typeof value === 'object' && value !== null ? 'nested' : value;
	});
	const [only] = values;
	return values.length === 1 && typeof only === 'string' ? only : JSON.stringify(values);
}

/** Refuses rows with an Id that a number cannot hold exactly: other software rounds it, perhaps to another row's Id. */
export function refuseLargeIds(rows: readonly Row[]): void {
	for (const row of rows) {
		const id = largeId(row);
		if (id === undefined) continue;
		throw new PlatformError('invalid-answer', `The Id ${id} is too large to be read exactly`, {
			description:
				'Ids above 9007199254740991 are rounded wherever they are read as numbers, so rows could be mixed up. Leave these rows out with a filter on Id.',
		});
	}
}
