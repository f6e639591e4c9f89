import max from 'lodash/max';
import min from 'lodash/min';
import partition from 'lodash/partition';

import { MINUTE_MS } from '../../dsquery/values/durations';
import { readTime } from '../../dsquery/values/readTime';
import { createRowBuffer, PlatformError, type Row } from '../../platform';
import type { ListResource } from '../../resources';
import { isInIdRange, type RowKey, WHOLE_LIST } from '../keys';
import type { Poll } from '../poll';
import type { NewRowBorder, WatchState } from '../watch/savedState';
import { noteEmptyList, scan } from './lists';
import { lookUp } from './lookUp';
import { keyRows } from './section';

/**
 * How many of the highest Ids are remembered, so that a row that turns up late among them is found. No multiple of five: a
 * page of such a length may have been cut, so it takes one more request to know that it is the last (`lists/lastPage.ts`).
 */
export const REMEMBERED_IDS = 51;
/** New rows after which a poll stops reading; the others come with the next. */
const MOST_NEW = 5_000;

/** A list whose new rows are found by their higher Ids. */
export interface IdSortedList {
	list: ListResource;
	/** Whether its rows stay: then it is never empty once it has shown some. */
	isRecord?: true;
	/** What a user can do if its Ids are not rising numbers. */
	instead: string;
}

/** The rows with the highest Ids. */
export interface NewestRows {
	rows: Row[];
	/** Those that are new. On the first poll, none. */
	newRows: ReadonlyMap<RowKey, Row>;
	/** All of these rows have an Id above this. A new row may turn up late among them, but not below. */
	after: number;
	/** Whether a row with this key would be in `rows`, if it existed. */
	covers(key: RowKey): boolean;
	/** What tells new rows from now on. */
	border: NewRowBorder;
}

/** Reads the rows with the highest Ids, from the border on and without a gap, as many as time allows. */
export async function readNewestRows(
	poll: Poll,
	numbered: IdSortedList,
	{ entries = {}, border }: Partial<WatchState> = {},
): Promise<NewestRows> {
	if (!border) return await firstReading(poll, numbered);
	const { from: after = WHOLE_LIST.after } = border;
	const pace = { ...poll.limitsFor('newRows'), enough: MOST_NEW };
	const { rows, range } = await scan(poll, { list: numbered.list }, after, pace);
	checkIds(rows, numbered);
	await checkGeneration(poll, numbered, { known: Object.keys(entries), rows, after });
	// A list that had to be read from its beginning has old rows that are not remembered any more.
	const unknown = [...keyRows(rows)].filter(([key]) => Number(key) > after && !(key in entries));
	const [newRows, old] = partition(unknown, ([, row]) => isNew(row, border));
	return {
		rows,
		newRows: new Map(newRows),
		after,
		covers: (key) => isInIdRange(range, key),
		border: { ...border, above: border.above ?? aboveOf(old, rows) },
	};
}

async function firstReading(poll: Poll, numbered: IdSortedList): Promise<NewestRows> {
	const rows = await sampleNewestRows(poll, numbered);
	const ids = rows.map(({ Id: id }) => Number(id));
	const isEnd = rows.length < REMEMBERED_IDS;
	const below = isEnd ? undefined : Math.min(...ids) - 1;
	const after = below ?? WHOLE_LIST.after;
	return {
		rows,
		newRows: new Map(),
		after,
		covers: (key) => isInIdRange({ after, upTo: WHOLE_LIST.upTo }, key),
		border: { from: below, above: below ?? max(ids), began: poll.now },
	};
}

/** The clock of the platform, or of a station, may be behind that of n8n. */
const CLOCKS_DIFFER_MS = 5 * MINUTE_MS;

/** Whether an unknown row is new, and not an old one that the key may see only since now. */
function isNew({ Id: id, StartedAtUtc: start }: Row, { above, began }: NewRowBorder): boolean {
	if (above !== undefined && Number(id) > above) return true;
	const startedAt = readTime(start);
	return startedAt === undefined ? above === undefined : startedAt >= began - CLOCKS_DIFFER_MS;
}

/** The Id above which all rows are new, once the first rows of an empty list are there. */
function aboveOf(old: ReadonlyArray<readonly [RowKey, Row]>, rows: readonly Row[]): number | undefined {
	const lowest = min(rows.map(({ Id: id }) => Number(id)));
	return max(old.map(([key]) => Number(key))) ?? (lowest === undefined ? undefined : lowest - 1);
}

/** How often in a row, and for how long, a list must show only lower Ids: a replica that is behind does so for a while. */
const LOWER_POLLS = 3;
const LOWER_FOR_MS = 15 * MINUTE_MS;

/**
 * Checks that Ids have not begun again, as after a reset or a move of the platform: then the list shows only rows with
 * lower Ids than those known, and a look-up finds none of the known ones.
 *
 * @throws IdsRestartedError if that is certain; while it is not, a PlatformError, so that nothing is concluded
 */
async function checkGeneration(
	poll: Poll,
	numbered: IdSortedList,
	{ known, rows, after }: { known: readonly RowKey[]; rows: readonly Row[]; after: number },
): Promise<void> {
	const { memory, began } = poll;
	const { list } = numbered;
	const lowest = min(known.map(Number)) ?? Number.NEGATIVE_INFINITY;
	const areLower = (some: readonly Row[]) => some.length > 0 && some.every(({ Id: id }) => Number(id) < lowest);
	const shown = rows.length === 0 && known.length > 0 ? await belowBorder(poll, numbered, after) : rows;
	const found = areLower(shown) ? await lookUp(poll, { list }, known, poll.limitsFor('lookUp')) : undefined;
	if (!found || found.rows.size > 0) {
		memory.lower = undefined;
		return;
	}
	const { since = began, polls = 0 } = memory.lower ?? {};
	memory.lower = { since, polls: polls + 1 };
	const isLasting = polls + 1 >= LOWER_POLLS && began - since >= LOWER_FOR_MS;
	const shows = `The list of ${list.plural} shows only lower Ids than before`;
	if (!isLasting || found.asked.size < known.length) {
		throw new PlatformError('invalid-answer', shows, {
			description: 'Nothing is concluded from that.',
			transient: true,
		});
	}
	memory.lower = undefined;
	throw new IdsRestartedError(
		new PlatformError('configuration', `The Ids of the ${list.plural} have begun again`, {
			description: `${shows}, and no row that was known is found any more: the platform was reset or has moved, or the API key sees other rows. The trigger has noted how things are now, and reports what happens from now on. Compare in the portal what happened since it reported last.`,
		}),
	);
}

/** What a list of which rows are known shows, where none is above the border. */
async function belowBorder(poll: Poll, numbered: IdSortedList, after: number): Promise<Row[]> {
	const shown = after === WHOLE_LIST.after ? [] : await sampleNewestRows(poll, numbered);
	if (numbered.isRecord && shown.length === 0 && !poll.hasBlankAnswer) noteEmptyList(poll, numbered.list);
	return shown;
}

/** Ids have begun again. */
export class IdsRestartedError extends Error {
	/** @param alert what a failed execution says of it */
	constructor(readonly alert: PlatformError) {
		super(alert.message);
	}
}

/**
 * The rows with the highest Ids, the highest one first.
 *
 * @throws PlatformError of kind configuration if Ids cannot be sorted by, or are not integers
 */
export async function sampleNewestRows(poll: Poll, numbered: IdSortedList): Promise<Row[]> {
	const { list } = numbered;
	const sink = createRowBuffer();
	const reading = poll.connection.list(list).read({
		query: { sorts: [{ field: 'Id', direction: 'Desc' }] },
		wanted: REMEMBERED_IDS,
		paging: { pageSize: poll.settings.pageSize, parallel: 1 },
		sink,
	});
	const { isBlank = false } = await reading.catch((error: unknown) => {
		const isRefused = error instanceof PlatformError && error.kind === 'query-refused';
		throw isRefused ? noOrder(`The ${list.plural} cannot be sorted by Id`, numbered) : error;
	});
	poll.hasBlankAnswer ||= isBlank;
	checkIds(sink.all, numbered);
	return sink.all;
}

/** The specification makes a session's Id an integer. Of text Ids, or rows without any, the newer one cannot be known. */
function checkIds(rows: readonly Row[], numbered: IdSortedList): void {
	if (rows.every(({ Id: id }) => Number.isInteger(id))) return;
	throw noOrder(
		`The Ids of the ${numbered.list.plural} are not all whole numbers up to ${Number.MAX_SAFE_INTEGER}`,
		numbered,
	);
}

function noOrder(fact: string, { instead }: IdSortedList): PlatformError {
	return new PlatformError('configuration', `${fact}, so new ones cannot be told from old ones`, {
		description: `This trigger finds new rows by their higher Id. ${instead}`,
	});
}
