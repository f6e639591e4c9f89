import min from 'lodash/min';

import { keepRows, PlatformError, type Row } from '../../platform';
import type { ListResource } from '../../resources';
import { covers, type RowKey, WHOLE_LIST } from '../keys';
import type { Poll } from '../poll';
import type { State } from '../watch/watch';
import { scan } from './lists';
import { keyed } from './part';

/** How many of the highest Ids are remembered, so that a row that turns up late among them is found. */
export const REMEMBERED_IDS = 50;
/** The most that are remembered where some rows could not be checked yet. */
const MOST_REMEMBERED = 1_000;
/** New rows after which a poll stops reading; the others come with the next. */
const MOST_NEW = 5_000;

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
	const known = Object.keys(before.entries).map(Number);
	if (!before.isBegun && known.length === 0) {
		const rows = await newestRows(poll, numbered);
		const after = afterAll(rows.map(({ Id: id }) => Number(id)));
		return { rows, fresh: new Map(), after, covers: (key) => covers({ after, upTo: WHOLE_LIST.upTo }, key) };
	}
	const after = afterAll(before.isBegun ? known : highest(known));
	const pace = { ...poll.pace('newRows'), parallel: 1, enough: MOST_NEW };
	const { rows, range } = await scan(poll, { list: numbered.list }, after, pace);
	checkIds(rows, numbered);
	// A list that had to be read from its beginning has old rows that are not remembered any more.
	const isNew = (key: RowKey) => Number(key) > after && !(key in before.entries);
	const fresh = new Map([...keyed(rows)].filter(([key]) => isNew(key)));
	return { rows, fresh, after, covers: (key) => covers(range, key) };
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
 * @throws PlatformError of kind configuration if Ids cannot be sorted by, or are not integers
 */
export async function newestRows({ connection, settings }: Poll, numbered: NumberedList): Promise<Row[]> {
	const { list } = numbered;
	const sink = keepRows();
	const reading = connection.list(list).read({
		query: { sorts: [{ field: 'Id', direction: 'Desc' }] },
		wanted: REMEMBERED_IDS,
		paging: { pageSize: settings.pageSize, parallel: 1 },
		sink,
	});
	await reading.catch((error: unknown) => {
		const isRefused = error instanceof PlatformError && error.kind === 'query-refused';
		throw isRefused ? noOrder(`The ${list.plural} cannot be sorted by Id`, numbered) : error;
	});
	checkIds(sink.all, numbered);
	return sink.all;
}

/** The specification makes a session's Id an integer. Of text Ids, or rows without any, the newer one cannot be known. */
function checkIds(rows: readonly Row[], numbered: NumberedList): void {
	if (rows.every(({ Id: id }) => Number.isInteger(id))) return;
	throw noOrder(`The Ids of the ${numbered.list.plural} are not numbers`, numbered);
}

function noOrder(fact: string, { instead }: NumberedList): PlatformError {
	return new PlatformError('configuration', `${fact}, so new ones cannot be told from old ones`, {
		description: `This trigger finds new rows by their higher Id. ${instead}`,
	});
}
