import groupBy from 'lodash/groupBy';

import { and, condition } from '../../dsquery/compose';
import type { Group } from '../../dsquery/types';
import { keepRows, PlatformError, type Row } from '../../platform';
import type { ListResource } from '../../resources';
import { rowId, rowKey } from '../keys';
import { scan } from './lists';
import { type NewIds, REMEMBERED_IDS } from './newIds';
import type { Poll } from '../poll';

/** New rows after which a poll stops reading; the others come with the next. */
export const MOST_NEW = 5_000;
/** Lower than any Id, and still a 32-bit integer. */
const LOWEST_ID = '-2147483648';

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
export async function newestIds(poll: Poll, numbered: NumberedList): Promise<number[]> {
	const { plural } = numbered.list;
	const newest = await newestRows(poll, numbered);
	// Some platforms sort rows without an Id before all others.
	const isMixed = newest.length >= REMEMBERED_IDS && !newest.every(hasId);
	const read = isMixed ? await newestRows(poll, numbered, and(condition('Id', 'Gte', LOWEST_ID))) : newest;
	const rows = read.filter(hasId);
	if (newest.length > 0 && rows.length === 0) throw noOrder(`The ${plural} have no Id`, numbered);
	if (isMixed && rows.length < read.length) throw noOrder(`Some of the ${plural} have no Id`, numbered);
	const ids = rows.map((row) => numberedId(row, numbered));
	if (ids.some((id, index) => id > (ids[index - 1] ?? Number.POSITIVE_INFINITY))) {
		throw noOrder(`The Ids of the ${plural} are not in the order of their numbers`, numbered);
	}
	return ids;
}

async function newestRows({ connection, settings }: Poll, numbered: NumberedList, narrowing?: Group): Promise<Row[]> {
	const { list } = numbered;
	const sink = keepRows();
	const reading = connection.list(list).read({
		query: { sorts: [{ field: 'Id', direction: 'Desc' }] },
		narrowing,
		wanted: REMEMBERED_IDS,
		paging: { pageSize: settings.pageSize, parallel: 1 },
		sink,
	});
	await reading.catch((error: unknown) => {
		const isRefused = error instanceof PlatformError && error.kind === 'query-refused';
		throw isRefused ? noOrder(`The ${list.plural} cannot be sorted by Id`, numbered) : error;
	});
	return sink.all;
}

function hasId({ Id: id }: Row): boolean {
	return rowKey(id) !== undefined;
}

/** Says once in the log which rows cannot be told apart. */
function warnOfOddIds(poll: Poll, rows: readonly Row[], { list: { plural } }: NumberedList): void {
	for (const [key, same] of Object.entries(groupBy(rows, ({ Id: id }) => rowKey(id)))) {
		if (!same.every(hasId)) {
			poll.warnOnce(`Some ${plural} have no Id. They are left out, because it cannot be told whether they are new.`);
		} else if (same.length > 1) {
			const fact = `Several ${plural} share the Id ${String(rowId(key))}`;
			poll.warnOnce(`${fact}. Only one for each Id is reported, because they cannot be told apart.`);
		}
	}
}

/**
 * The rows that may be new, from the lowest Id on and without a gap, as many as time allows. On the first poll, the
 * highest Ids are remembered instead.
 */
export async function readNew(poll: Poll, numbered: NumberedList, ids: NewIds): Promise<Row[]> {
	if (!ids.isKnown) {
		ids.startAt(await newestIds(poll, numbered));
		return [];
	}
	return await rowsAbove(poll, numbered, ids.after);
}

/** The rows with a higher Id, in the order of their Ids and without a gap, as many as time allows. */
export async function rowsAbove(poll: Poll, numbered: NumberedList, after: number): Promise<Row[]> {
	const pace = { ...poll.pace('newRows'), parallel: 1, enough: MOST_NEW };
	const { rows: read } = await scan(poll, { list: numbered.list }, after, pace);
	const rows = read.filter(hasId);
	if (rows.length === 0 && read.length > 0) throw noOrder(`The ${numbered.list.plural} have no Id`, numbered);
	for (const row of rows) numberedId(row, numbered);
	warnOfOddIds(poll, read, numbered);
	return rows;
}

function numberedId({ Id: id }: Row, numbered: NumberedList): number {
	if (typeof id === 'number' && Number.isInteger(id)) return id;
	throw noOrder(`The Ids of the ${numbered.list.plural} are not numbers`, numbered);
}

/** The specification makes a session's Id an integer. With text Ids, the newer of two rows cannot be known. */
function noOrder(fact: string, { instead }: NumberedList): PlatformError {
	return new PlatformError('configuration', `${fact}, so new ones cannot be told from old ones`, {
		description: `This trigger finds new rows by their higher Id. ${instead}`,
	});
}
