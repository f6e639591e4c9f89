import { PlatformError } from '../answers/errors';
import type { Row } from '../types';

/** The value that tells a row from all others: its Id. Nothing where it has none: such rows are counted, never merged. */
export function identityOf({ Id: id }: Row): string | number | undefined {
	if (typeof id === 'number') return id;
	return typeof id === 'string' && id !== '' ? `text:${id}` : undefined;
}

/** Whether all Ids are integers that strictly rise (`1`) or fall (`-1`): then the list can be walked by Id. */
export function idsAreOrdered(rows: readonly Row[], direction: 1 | -1): boolean {
	let previous: number | undefined;
	for (const { Id: id } of rows) {
		if (typeof id !== 'number' || !Number.isInteger(id)) return false;
		if (previous !== undefined && (id - previous) * direction <= 0) return false;
		previous = id;
	}
	return true;
}

/** Whether two rows have the same plain values. Nested values are not looked into: they may be of any size and depth. */
export function looksSame(row: Row, other: Row): boolean {
	const names = Object.keys(row);
	const plain = names.filter((name) => typeof row[name] !== 'object' || row[name] === null);
	return (
		plain.length > 0 &&
		names.length === Object.keys(other).length &&
		plain.every((name) => Object.hasOwn(other, name) && row[name] === other[name])
	);
}

/**
 * Refuses rows with an Id too large for a JavaScript number to hold: reading it has already rounded it, perhaps to
 * another row's Id.
 */
export function refuseRoundedIds(rows: readonly Row[]): void {
	for (const { Id: id } of rows) {
		if (typeof id === 'number' && Number.isInteger(id) && !Number.isSafeInteger(id)) {
			throw new PlatformError('invalid-answer', `The Id ${id} is too large to be read exactly`, {
				description:
					'Ids above 9007199254740991 are rounded while they are read, so rows could be mixed up. Leave these rows out with a filter on Id.',
			});
		}
	}
}
