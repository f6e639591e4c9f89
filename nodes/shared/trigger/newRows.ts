import { PlatformError } from '../platform';
import type { Row } from '../platform';
import type { ListResource } from '../resources';
import { scan } from './lists';
import type { Scan } from './lists';
import { REMEMBERED_IDS } from './newIds';
import type { NewIds } from './newIds';
import type { Poll } from './poll';

/** Share of the poll's time after which no further page of new rows is asked for. */
const NEW_SHARE = 0.3;
/** New rows after which a poll stops reading; the others come with the next. */
export const MOST_NEW = 5_000;
/** Polls in a row that find none of the remembered rows before the Ids count as begun again. */
const EMPTY_READINGS = 3;

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

/** The rows that may be new, from the lowest Id on and without a gap, as many as time allows. */
export async function readNew(poll: Poll, source: NumberedList, ids: NewIds): Promise<Scan> {
	const pace = { ...poll.pace(NEW_SHARE), parallel: 1, enough: MOST_NEW };
	const found = await scan(poll, { list: source.list }, ids.after, pace);
	for (const row of found.rows) numberedId(row, source);
	await noteAbsence(poll, source, ids, found);
	return found;
}

/**
 * Finds out whether the Ids began again, as in a test environment that was set up anew at the same address. A normal
 * poll sees the remembered rows. If for three polls there is none of them, but there are lower ones, the trigger goes on
 * from the highest Id of now, and one failed execution says so. The state is saved with this poll.
 */
async function noteAbsence(poll: Poll, source: NumberedList, ids: NewIds, { rows }: Scan): Promise<void> {
	const { memory } = poll;
	if (rows.length > 0 || !ids.isFull) {
		memory.emptyReadings = 0;
		return;
	}
	const newest = await newestIds(poll, source);
	const [highest] = newest;
	if (highest === undefined || highest > ids.after) {
		memory.emptyReadings = 0;
		return;
	}
	memory.emptyReadings++;
	if (memory.emptyReadings < EMPTY_READINGS) return;
	memory.emptyReadings = 0;
	poll.alert = new PlatformError('configuration', `The Ids of the ${source.list.plural} have begun again`, {
		description: `None of those that this trigger knew (from ${ids.after + 1} on) is there any more; the highest Id is now ${highest}. The trigger goes on from there. What was added before this execution is not reported: if you need it, read the list once with a node.`,
	});
	ids.startAt(newest);
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
