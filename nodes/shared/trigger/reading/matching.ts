import { LONGEST_ID } from '../../dsquery/catalogue';
import { and } from '../../dsquery/compose';
import { counted, quote } from '../../text';
import type { FilterNode, Group } from '../../dsquery/types';
import { keepRows, PlatformError, type Row } from '../../platform';
import type { ListResource } from '../../resources';
import type { Poll, ReadPace } from '../poll';

/** The rows of a list that match a filter. */
export interface Selection {
	list: ListResource;
	/** Rows are compared with it. */
	filter?: Group;
	/** Further conditions. Rows are not compared with them. */
	narrowing?: Group;
	/** See `ReadRequest`. */
	goesOn?: true;
}

/** The same rows, with one more condition that they are not compared with. */
export function narrowed(selection: Selection, further: FilterNode | undefined): Selection {
	return { ...selection, narrowing: and(selection.narrowing, further) };
}

export interface Reading {
	rows: Row[];
	/** How many rows there are, by the last answer; 0 if it does not say. */
	totalCount: number;
}

/**
 * Reads all rows of a list, or the first `limit`.
 *
 * @throws PlatformError if they cannot be read to the end, or the platform does not apply the filter. Several rows counted
 * but none sent is not an empty list: everything watched would seem to be over. Nor is an Id too long to be saved.
 */
export async function readMatching(
	poll: Poll,
	selection: Selection,
	pace: ReadPace,
	{ limit }: { limit?: number } = {},
): Promise<Reading> {
	const { list, filter, narrowing, goesOn } = selection;
	const { pageSize, parallel } = pace;
	const paging = { pageSize, parallel };
	const sink = keepRows();
	const request = { query: { filter, sorts: [] }, narrowing, wanted: limit, paging, sink, goesOn };
	const { count: totalCount = 0 } = await poll.connection.list(list).read(request);
	const rows = sink.all;
	if (rows.length === 0 && totalCount > 1) throw noneSent(list, totalCount);
	refuseLongIds(rows, list);
	return { rows, totalCount };
}

/** The platform counts rows, but sends none. From such an answer nothing follows. */
export function noneSent({ noun, plural }: ListResource, count: number): PlatformError {
	const message = `The platform counts ${counted(count, noun, plural)} but sent none of them`;
	return new PlatformError('invalid-answer', message, {
		description: "If this keeps happening, tell the platform's support.",
	});
}

function refuseLongIds(rows: readonly Row[], { plural }: ListResource): void {
	for (const { Id: id } of rows) {
		if (typeof id !== 'string' || id.length <= LONGEST_ID) continue;
		const message = `An Id of the ${plural} has ${id.length} characters; at most ${LONGEST_ID} can be remembered`;
		const description = `It begins with ${quote(id)}. Leave out that row with a filter, or tell the platform's support.`;
		throw new PlatformError('configuration', message, { description });
	}
}
