import { PlatformError } from '../answers/errors';
import type { Row } from '../types';

/**
 * The value that tells rows of one list apart: the Id where there is one, else the whole row, so that a list whose rows
 * carry no Id can still be read without doubling any.
 */
export function identityOf(row: Row): string | number {
	const id = row.Id;
	if (typeof id === 'number') return id;
	return typeof id === 'string' ? `text:${id}` : `row:${JSON.stringify(row)}`;
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

/** The platform counts rows that it does not send. */
export function missingRows(count: number): PlatformError {
	return new PlatformError('invalid-answer', `The platform says that ${count} more rows match but sent none of them`, {
		description:
			'Run the node again. If this stays so, tell the people who run the platform: its answer has rows in TotalCount that are not in Items.',
	});
}
