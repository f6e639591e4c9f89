import groupBy from 'lodash/groupBy';
import min from 'lodash/min';

import { and, condition } from '../../dsquery/compose';
import type { Group } from '../../dsquery/types';
import { keepRows, PlatformError, type Row } from '../../platform';
import type { ListResource } from '../../resources';
import { covers, rowId, rowKey } from '../keys';
import type { Poll } from '../poll';
import { type RowKey, WHOLE_LIST } from '../types';
import type { State } from '../watch/watch';
import { scan } from './lists';
import { keyed } from './part';

/** How many of the highest Ids are remembered, so that a row that turns up late among them is found. */
export const REMEMBERED_IDS = 50;
/** The most that are remembered where some rows could not be checked yet. */
const MOST_REMEMBERED = 1_000;
/** New rows after which a poll stops reading; the others come with the next. */
const MOST_NEW = 5_000;
/** Lower than any Id, and still a 32-bit integer. */
const LOWEST_ID = '-2147483648';

/** A list whose new rows are found by their higher Ids. */
export interface NumberedList {
	list: ListResource;
	/** What a user can do if its Ids are not rising numbers. */
	instead: string;
}

/** The rows with the highest Ids. */
export interface Newest {
	rows: Row[];
	/** Those that were not known. On the first poll, none. */
	fresh: ReadonlyMap<RowKey, Row>;
	/** All rows have an Id above this: a new one may turn up late, but not below. */
	after: number;
	/** Whether this reading would have shown a row. */
	covers(key: RowKey): boolean;
}

/** Reads the rows with the highest Ids, from the lowest one that is remembered on and without a gap, as many as time allows. */
export async function readNewest(poll: Poll, numbered: NumberedList, before: State): Promise<Newest> {
	const known = Object.keys(before.entries);
	if (!before.isBegun && known.length === 0) {
		const rows = await newestRows(poll, numbered);
		const after = afterAll(rows.map(({ Id: id }) => Number(id)));
		return { rows, fresh: new Map(), after, covers: (key) => covers({ after, upTo: WHOLE_LIST.upTo }, key) };
	}
	const ids = known.map(Number);
	const after = afterAll(before.isBegun ? ids : highest(ids));
	const pace = { ...poll.pace('newRows'), parallel: 1, enough: MOST_NEW };
	const { rows: read, coverage } = await scan(poll, { list: numbered.list }, after, pace);
	const rows = read.filter(hasId);
	if (rows.length === 0 && read.length > 0) throw noOrder(`The ${numbered.list.plural} have no Id`, numbered);
	for (const row of rows) checkId(row, numbered);
	warnOfOddIds(poll, read, numbered);
	const fresh = new Map([...keyed(rows)].filter(([key]) => !(key in before.entries)));
	return { rows, fresh, after, covers: (key) => covers(coverage, key) };
}

/** A first reading also remembers older rows that it has reported, with others between them that it does not know. */
function highest(ids: readonly number[]): number[] {
	return [...ids].sort((a, b) => b - a).slice(0, REMEMBERED_IDS);
}

/** Only Ids above this can be new: once as many are remembered as can be, those from the lowest of them on. */
function afterAll(ids: readonly number[]): number {
	return ids.length < REMEMBERED_IDS ? WHOLE_LIST.after : (min(ids) ?? 0) - 1;
}

/**
 * How many Ids must be remembered, so that the next poll finds again what this one could not check.
 *
 * @param known the Ids that are remembered
 */
export function rememberedAbove(known: Iterable<RowKey>, unchecked: readonly RowKey[]): number {
	const lowest = min(unchecked.map(Number));
	if (lowest === undefined) return REMEMBERED_IDS;
	const above = [...known].filter((key) => Number(key) > lowest).length;
	return Math.min(Math.max(REMEMBERED_IDS, above + 1), MOST_REMEMBERED);
}

/**
 * The rows with the highest Ids, the highest one first.
 *
 * @throws PlatformError of kind configuration if Ids cannot be sorted by, or are missing, not integers or out of order
 */
export async function newestRows(poll: Poll, numbered: NumberedList): Promise<Row[]> {
	const { plural } = numbered.list;
	const newest = await readDescending(poll, numbered);
	// Some platforms sort rows without an Id before all others.
	const isMixed = newest.length >= REMEMBERED_IDS && !newest.every(hasId);
	const read = isMixed ? await readDescending(poll, numbered, and(condition('Id', 'Gte', LOWEST_ID))) : newest;
	const rows = read.filter(hasId);
	if (newest.length > 0 && rows.length === 0) throw noOrder(`The ${plural} have no Id`, numbered);
	if (isMixed && rows.length < read.length) throw noOrder(`Some of the ${plural} have no Id`, numbered);
	for (const row of rows) checkId(row, numbered);
	const ids = rows.map(({ Id: id }) => Number(id));
	if (ids.some((id, index) => id > (ids[index - 1] ?? WHOLE_LIST.upTo))) {
		throw noOrder(`The Ids of the ${plural} are not in the order of their numbers`, numbered);
	}
	return rows;
}

async function readDescending(
	{ connection, settings }: Poll,
	numbered: NumberedList,
	narrowing?: Group,
): Promise<Row[]> {
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

/** The specification makes a session's Id an integer. With text Ids, the newer of two rows cannot be known. */
function checkId({ Id: id }: Row, numbered: NumberedList): void {
	if (!Number.isInteger(id)) throw noOrder(`The Ids of the ${numbered.list.plural} are not numbers`, numbered);
}

function noOrder(fact: string, { instead }: NumberedList): PlatformError {
	return new PlatformError('configuration', `${fact}, so new ones cannot be told from old ones`, {
		description: `This trigger finds new rows by their higher Id. ${instead}`,
	});
}
