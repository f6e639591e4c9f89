import { PlatformError } from '../platform';
import type { Row } from '../platform';
import type { ListResource } from '../resources';
import { scan } from './lists';
import type { Scan } from './lists';
import { REMEMBERED_IDS } from './newIds';
import type { Poll } from './poll';

/** Share of the poll's time after which no further page of new rows is asked for. */
const NEW_SHARE = 0.3;
/** New rows after which a poll stops reading; the others come with the next. */
export const MOST_NEW = 5_000;

/** A list whose new rows are found by their higher Ids. */
export interface NumberedList {
	list: ListResource;
	/** What a user can do if its Ids are not rising numbers. */
	instead: string;
}

/**
 * The highest Ids of the list, in descending order.
 *
 * @throws PlatformError of kind configuration if Ids cannot be sorted by, or are missing, not integers or out of order
 */
export async function newestIds({ connection, settings }: Poll, source: NumberedList): Promise<number[]> {
	const { list } = source;
	const request = {
		query: { sorts: [{ field: 'Id', direction: 'Desc' as const }] },
		limit: REMEMBERED_IDS,
		paging: { pageSize: settings.pageSize, parallel: 1 },
	};
	const reading = connection.list(list).read(request);
	const { pages } = await reading.catch((error: unknown) => {
		const isRefused = error instanceof PlatformError && error.kind === 'query-refused';
		throw isRefused ? noOrder(`The ${list.plural} cannot be sorted by Id`, source) : error;
	});
	const ids = pages.flat().map((row) => numberedId(row, source));
	if (ids.some((id, index) => id >= (ids[index - 1] ?? Number.POSITIVE_INFINITY))) {
		throw noOrder(`The Ids of the ${list.plural} are not in the order of their numbers`, source);
	}
	return ids;
}

/** The rows above an Id, from the lowest on and without a gap, as many as time allows. */
export async function readNew(poll: Poll, source: NumberedList, after: number): Promise<Scan> {
	const pace = { ...poll.pace(NEW_SHARE), parallel: 1, enough: MOST_NEW };
	const found = await scan(poll, { list: source.list }, after, pace);
	for (const row of found.rows) numberedId(row, source);
	return found;
}

function numberedId({ Id: id }: Row, source: NumberedList): number {
	if (typeof id === 'number' && Number.isInteger(id)) return id;
	const { plural } = source.list;
	throw noOrder(id === undefined ? `The ${plural} have no Id` : `The Ids of the ${plural} are not numbers`, source);
}

/** The specification makes a session's Id an integer. With text Ids, the newer of two rows cannot be known. */
function noOrder(fact: string, { instead }: NumberedList): PlatformError {
	return new PlatformError('configuration', `${fact}, so new ones cannot be told from old ones`, {
		description: `This trigger finds new rows by their higher Id. ${instead}`,
	});
}
