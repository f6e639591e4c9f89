import chunk from 'lodash/chunk';
import partition from 'lodash/partition';

import { and, condition, or } from '../dsquery/compose';
import { quote } from '../dsquery/faults';
import type { FilterNode, Group } from '../dsquery/types';
import { PlatformError, settle } from '../platform';
import type { FailureKind, Row } from '../platform';
import type { ListResource } from '../resources';
import { rowId, rowKey } from './keys';
import { isPassing } from './poll';
import type { Poll, ReadPace } from './poll';
import { WHOLE_LIST } from './types';
import type { Coverage, RowKey } from './types';

/** The rows of a list that match a filter. */
export interface ListSource {
	list: ListResource;
	filter?: Group;
}

export interface Scan {
	rows: Row[];
	/** The part of the list that `rows` covers completely. */
	coverage: Coverage;
}

/** Most rows in one look-up request: one full page. */
const LOOKUP_SIZE = 100;
/** Longest list of ids in one condition, in characters, so that the URL stays short. */
const LONGEST_ID_LIST = 1500;
/** Longest Id that is saved, in characters. */
const LONGEST_ID = 500;
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
export function liesWithQuery(error: unknown): boolean {
	return error instanceof PlatformError && TROUBLE_WITH_ROWS.has(error.kind);
}

/**
 * Reads a list in Id order, stretch by stretch, from the first Id above `after`. Between two stretches it stops when
 * time is up or it has enough rows; a passing failure stops it, too. The next poll resumes there. If Ids are not rising
 * integers, there is no place to resume from, so everything is read in one go.
 *
 * @throws PlatformError if the first stretch cannot be read, or a later one fails for good
 */
export async function scan(poll: Poll, source: ListSource, after: number, pace: ReadPace): Promise<Scan> {
	const { pageSize, parallel, until, enough = Number.POSITIVE_INFINITY } = pace;
	const limit = pageSize * parallel * (parallel === 1 ? 1 : PAGES_PER_LANE);
	const rows: Row[] = [];
	let reached = after;
	for (;;) {
		const stretch = await settle(read(poll, beyond(source, reached), pace, limit));
		if (!stretch.ok) {
			if (reached === after || !isPassing(stretch.error)) throw stretch.error;
			poll.leave(stretch.error);
			return { rows, coverage: { after, upTo: reached } };
		}
		const found = stretch.value;
		// Fewer rows than the limit: the list has ended.
		const isEnd = found.length < limit;
		const isWhole = isEnd && reached === WHOLE_LIST.after;
		if (!isWhole && !idsRise(found, reached)) return await scanAtOnce(poll, source, after, pace, found);
		for (const row of found) rows.push(row);
		if (isEnd) return { rows, coverage: { ...WHOLE_LIST, after } };
		reached = Number(found.at(-1)?.Id);
		if (performance.now() >= until || rows.length >= enough) return { rows, coverage: { after, upTo: reached } };
	}
}

/** Reads the list in one go, because the Ids found do not rise; from its beginning if they are not numbers. */
async function scanAtOnce(
	poll: Poll,
	source: ListSource,
	after: number,
	pace: ReadPace,
	found: readonly Row[],
): Promise<Scan> {
	const start = found.every(({ Id: id }) => Number.isInteger(id)) ? after : WHOLE_LIST.after;
	return { rows: await read(poll, beyond(source, start), pace), coverage: { ...WHOLE_LIST, after: start } };
}

function idsRise(rows: readonly Row[], after: number): boolean {
	let previous = after;
	return rows.every(({ Id: id }) => {
		const rises = typeof id === 'number' && Number.isInteger(id) && id > previous;
		previous = Number(id);
		return rises;
	});
}

function beyond({ list, filter }: ListSource, after: number): ListSource {
	return { list, filter: after === WHOLE_LIST.after ? filter : and(filter, condition('Id', 'Gt', String(after))) };
}

/**
 * Reads all rows of a list, or the first `limit`.
 *
 * @throws PlatformError if they cannot be read to the end. Several rows counted but none sent is not an empty list:
 * everything watched would seem to be over. Nor is an Id too long to be saved.
 */
async function read(poll: Poll, { list, filter }: ListSource, pace: ReadPace, limit?: number): Promise<Row[]> {
	const { pageSize, parallel } = pace;
	const request = { query: { filter, sorts: [] }, limit, paging: { pageSize, parallel } };
	const { pages, totalCount = 0 } = await poll.connection.list(list).read(request);
	if (pages.length === 0 && totalCount > 1) {
		throw new PlatformError(
			'invalid-answer',
			`The platform counts ${totalCount} ${list.plural} but sent none of them`,
			{
				description: "If this keeps happening, tell the platform's support.",
			},
		);
	}
	const rows = pages.flat();
	for (const { Id: id } of rows) {
		if (typeof id !== 'string' || id.length <= LONGEST_ID) continue;
		const message = `An Id of the ${list.plural} has ${id.length} characters; at most ${LONGEST_ID} can be remembered`;
		const description = `It begins with ${quote(id)}. Leave out that row with a filter, or tell the platform's support.`;
		throw new PlatformError('configuration', message, { description });
	}
	return rows;
}

/** The result of a look-up by Id: the keys asked about, and the rows that match. */
export interface Lookup {
	asked: Set<RowKey>;
	rows: Map<RowKey, Row>;
	/** A refusal that will not pass by itself. */
	refusal?: PlatformError;
}

/**
 * Looks up rows by Id, as many as time allows; the rest is left to the next poll. A part that fails is split in halves
 * until the Ids that the platform cannot give are found. The next polls ask for those one by one, after all others.
 */
export async function lookUp(poll: Poll, source: ListSource, keys: readonly RowKey[], pace: ReadPace): Promise<Lookup> {
	const result: Lookup = { asked: new Set(), rows: new Map() };
	const { unreadable } = poll.memory;
	const [alone, together] = partition(keys, (key) => unreadable.has(key));
	const parts = [...idLists(together), ...chunk(alone, 1)];
	let failures = 0;
	let isLate = false;
	// Even when time is up, each poll makes at least one request.
	for (let part = parts.shift(); part && failures < MOST_FAILURES && !isLate; part = parts.shift()) {
		const found = await settle(read(poll, { ...source, filter: and(source.filter, idsAre(part)) }, pace));
		isLate = performance.now() >= pace.until;
		if (!found.ok) {
			const { error } = found;
			if (!(error instanceof PlatformError)) throw error;
			poll.leave(error);
			if (!isPassing(error)) result.refusal ??= error;
			if (!liesWithQuery(error)) break;
			failures++;
			if (part.length > 1) parts.unshift(...chunk(part, Math.ceil(part.length / 2)));
			else for (const key of part) unreadable.add(key);
			continue;
		}
		for (const key of part) {
			result.asked.add(key);
			unreadable.delete(key);
		}
		for (const row of found.value) {
			const key = rowKey(row.Id);
			if (key !== undefined && result.asked.has(key)) result.rows.set(key, row);
		}
	}
	return result;
}

function idLists(keys: readonly RowKey[]): RowKey[][] {
	const longest = keys.reduce((length, key) => Math.max(length, key.length), 1);
	return chunk(keys, Math.max(1, Math.min(LOOKUP_SIZE, Math.floor(LONGEST_ID_LIST / (longest + 1)))));
}

/** `In` separates values by commas and may trim them, so Ids with commas or blanks get a condition of their own. */
function idsAre(keys: readonly RowKey[]): Group | undefined {
	const ids = keys.map((key) => String(rowId(key)));
	const isPlain = (id: string) => /^[^\s,]+$/.test(id);
	const plain = ids.filter(isPlain);
	const others: FilterNode[] = ids.filter((id) => !isPlain(id)).map((id) => condition('Id', 'Eq', id));
	return plain.length > 0 ? or(condition('Id', 'In', plain.join(',')), ...others) : or(...others);
}
