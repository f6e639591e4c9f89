import chunk from 'lodash/chunk';
import partition from 'lodash/partition';

import { condition, or } from '../../dsquery/compose';
import { idParts, isListable } from '../../dsquery/idParts';
import type { DirectionName, FilterNode, Group } from '../../dsquery/types';
import { type FailureKind, PlatformError, type Row } from '../../platform';
import { settle, type Settled } from '../../settle';
import type { ListResource } from '../../resources';
import { keyIn, rowId, rowKey } from '../keys';
import { remembered } from '../visit/memory';
import { narrowed, noneSent, type Reading, readMatching, type Selection } from './matching';
import { isPassing, type Poll, type ReadPace } from '../poll';
import { type Coverage, type RowKey, WHOLE_LIST } from '../types';

export interface Scan {
	rows: Row[];
	/** The part of the list that `rows` covers completely. */
	coverage: Coverage;
	/** The Id up to which the list was read, completely or not. */
	reached: number;
	/** Whether the platform counts rows beyond that. */
	countsMore?: boolean;
}

/** Failed requests after which a look-up stops for this poll. */
const MOST_FAILURES = 8;
/** Pages for each lane in one stretch of a scan. */
const PAGES_PER_LANE = 2;
/** Failures that may be due to the rows or ids asked for, rather than to the key or the platform as a whole. */
const TROUBLE_WITH_ROWS: ReadonlySet<FailureKind> = new Set([
	...(['server-failure', 'network-failure', 'invalid-answer', 'query-refused', 'forbidden'] as const),
	...(['too-large', 'url-too-long'] as const),
]);

/** Whether another query may succeed although this one failed. */
function liesWithQuery(error: unknown): boolean {
	return error instanceof PlatformError && TROUBLE_WITH_ROWS.has(error.kind);
}

/**
 * Reads a list in Id order, stretch by stretch, from the first Id above `after`. Between two stretches it stops when
 * time is up or it has enough rows; a passing failure stops it, too. The next poll resumes there. If Ids are not rising
 * integers, no poll could resume, so everything is read in one go.
 *
 * @throws PlatformError if the first stretch cannot be read, a later one fails for good, or there are too many rows
 */
export async function scan(poll: Poll, selection: Selection, after: number, pace: ReadPace): Promise<Scan> {
	const { until, enough = Number.POSITIVE_INFINITY, most = Number.POSITIVE_INFINITY } = pace;
	const limit = Math.min(stretchOf(pace), enough);
	const rows: Row[] = [];
	let reached = after;
	for (;;) {
		const stretch = await settle(readMatching(poll, beyond(selection, reached), pace, { limit }));
		if (!stretch.ok) {
			if (reached === after || !isPassing(stretch.error)) throw stretch.error;
			poll.leave(stretch.error);
			return { rows, coverage: { after, upTo: reached }, reached };
		}
		const { rows: found, totalCount } = stretch.value;
		const next = endOf(found, reached, limit);
		if (next === undefined) return await scanAtOnce(poll, selection, after, pace, found);
		for (const row of found) rows.push(row);
		if (rows.length > most) throw tooMany(most, selection);
		reached = next;
		if (reached === WHOLE_LIST.upTo || performance.now() >= until || rows.length >= enough) {
			return { rows, coverage: { after, upTo: reached }, reached, countsMore: totalCount > found.length };
		}
	}
}

/**
 * The Id up to which a stretch has read the list; infinity if it has ended: the stretch has fewer rows than it could.
 * Undefined if the Ids do not rise. A row without an Id decides nothing.
 */
function endOf(found: readonly Row[], after: number, limit: number): number | undefined {
	const isEnd = found.length < limit;
	if (isEnd && after === WHOLE_LIST.after) return WHOLE_LIST.upTo;
	const ids = found.map(({ Id: id }) => id).filter((id) => rowKey(id) !== undefined);
	if (!idsRise(ids, after) || (ids.length === 0 && !isEnd)) return undefined;
	return isEnd ? WHOLE_LIST.upTo : Number(ids.at(-1));
}

/** The refusal of a list that is too long to be watched as a whole. */
export function tooMany(most: number, { list: { plural } }: Selection): PlatformError {
	const message = `There are more than ${most.toLocaleString('en')} ${plural}, too many for one trigger to watch`;
	const description =
		'With these settings the trigger remembers each of them. Choose a part of them with Filters, and use several workflows if you need all.';
	return new PlatformError('configuration', message, { description });
}

function stretchOf({ pageSize, parallel }: ReadPace): number {
	return pageSize * parallel * (parallel === 1 ? 1 : PAGES_PER_LANE);
}

/** Reads the list in one go, because the Ids found do not rise; from its beginning if they are not numbers. */
async function scanAtOnce(
	poll: Poll,
	selection: Selection,
	after: number,
	pace: ReadPace,
	found: readonly Row[],
): Promise<Scan> {
	const isNumbered = found.every(({ Id: id }) => rowKey(id) === undefined || Number.isInteger(id));
	const start = isNumbered ? after : WHOLE_LIST.after;
	const { most = Number.POSITIVE_INFINITY } = pace;
	const { rows } = await readMatching(poll, beyond(selection, start), pace, { limit: most + 1 });
	if (rows.length > most) throw tooMany(most, selection);
	return { rows, coverage: { after: start, upTo: WHOLE_LIST.upTo }, reached: WHOLE_LIST.upTo };
}

function idsRise(ids: readonly unknown[], after: number): boolean {
	let previous = after;
	return ids.every((id) => {
		const rises = typeof id === 'number' && Number.isInteger(id) && id > previous;
		previous = Number(id);
		return rises;
	});
}

function beyond(selection: Selection, after: number): Selection {
	if (after === WHOLE_LIST.after) return selection;
	return { ...narrowed(selection, condition('Id', 'Gt', String(after))), goesOn: true };
}

/** The result of a look-up by Id: the keys asked about, and the rows that match. */
interface Lookup {
	asked: Set<RowKey>;
	rows: Map<RowKey, Row>;
	/** The first refusal, and the first that will not pass by itself. */
	failure?: PlatformError;
	refusal?: PlatformError;
}

/** Rows whose look-up fails even when they are asked for one at a time. */
const unreadableRows = remembered(() => new Set<RowKey>());

/**
 * Looks up rows by Id, as many as time allows; the rest is left to the next poll. A part that fails is split in halves
 * until the Ids that the platform cannot give are found. The next polls ask for those one by one, after all others.
 */
export async function lookUp(
	poll: Poll,
	selection: Selection,
	keys: readonly RowKey[],
	pace: ReadPace,
): Promise<Lookup> {
	const result: Lookup = { asked: new Set(), rows: new Map() };
	const unreadable = unreadableRows(poll);
	const [alone, together] = partition(keys, (key) => unreadable.has(key));
	const parts = [...idParts(together, (key) => String(rowId(key))), ...chunk(alone, 1)];
	let failures = 0;
	let isLate = false;
	// Even when time is up, each poll makes at least one request.
	for (let part = parts.shift(); part && failures < MOST_FAILURES && !isLate; part = parts.shift()) {
		const found: Settled<Reading> = await settle(readRows(poll, selection, part, pace));
		isLate = performance.now() >= pace.until;
		if (!found.ok) {
			const { error } = found;
			if (!(error instanceof PlatformError)) throw error;
			poll.leave(error);
			result.failure ??= error;
			if (!isPassing(error)) result.refusal ??= error;
			if (!liesWithQuery(error)) break;
			failures++;
			if (part.length > 1) parts.unshift(...chunk(part, Math.ceil(part.length / 2)));
			else for (const key of part) unreadable.add(key);
			continue;
		}
		for (const key of part) unreadable.delete(key);
		for (const key of part) result.asked.add(key);
		for (const [key, row] of sought(part, found.value.rows)) result.rows.set(key, row);
	}
	return result;
}

/** The rows that were asked for, by the keys under which they are known. */
function sought(keys: readonly RowKey[], rows: readonly Row[]): Array<[RowKey, Row]> {
	const known = new Set(keys);
	return rows.flatMap((row): Array<[RowKey, Row]> => {
		const key = keyIn(known, row.Id);
		return key !== undefined && known.has(key) ? [[key, row]] : [];
	});
}

/** Looks up rows that wait until they could be. If none could, that is said: they would wait unnoticed. @throws a refusal */
export async function lookUpSome(
	poll: Poll,
	selection: Selection,
	keys: readonly RowKey[],
	pace: ReadPace,
): Promise<Lookup> {
	const found = await lookUp(poll, selection, keys, pace);
	if (found.asked.size > 0) return found;
	if (found.refusal) throw found.refusal;
	poll.nothingRead ??= found.failure;
	return found;
}

/** The first rows of a list by Id, for a manual test. */
export async function firstRows(
	{ connection }: Poll,
	list: ListResource,
	asked: { filter?: Group; direction: DirectionName; take: number },
): Promise<Row[]> {
	const { filter, direction, take } = asked;
	const query = { filter, sorts: [{ field: 'Id', direction }], pager: { skip: 0, take } };
	return (await connection.list(list).page(query)).rows;
}

/** Once every row that was asked for has come, nothing more is asked, although the page was full. */
async function readRows(poll: Poll, selection: Selection, keys: readonly RowKey[], pace: ReadPace): Promise<Reading> {
	const asked: Selection = { ...narrowed(selection, idsAre(keys)), goesOn: true };
	const reading = await readMatching(poll, asked, pace, { limit: keys.length });
	// In a list, one that is counted may have gone before the rows were read. Here, it would count as gone for good.
	if (reading.rows.length === 0 && reading.totalCount) throw noneSent(selection.list, reading.totalCount);
	const known = new Set(keys);
	const found = new Set(reading.rows.map(({ Id: id }) => keyIn(known, id)));
	// If an Id is doubled, or the platform does not apply the condition, there are others, and some of these may be missing.
	const haveAllCome = keys.every((key) => found.has(key)) && reading.totalCount <= keys.length;
	const isComplete = reading.rows.length < keys.length || haveAllCome;
	return isComplete ? reading : await readMatching(poll, asked, pace);
}

/** Ids that cannot stand in a list get a condition of their own. */
function idsAre(keys: readonly RowKey[]): Group | undefined {
	const ids = keys.map((key) => String(rowId(key)));
	const plain = ids.filter(isListable);
	const others: FilterNode[] = ids.filter((id) => !isListable(id)).map((id) => condition('Id', 'Eq', id));
	return plain.length > 0 ? or(condition('Id', 'In', plain.join(',')), ...others) : or(...others);
}
