import chunk from 'lodash/chunk';
import partition from 'lodash/partition';

import { and, condition, or } from '../dsquery/compose';
import { quote } from '../dsquery/faults';
import type { FilterNode, Group } from '../dsquery/types';
import { verdictOf } from '../dsquery/verdict';
import type { Verdict } from '../dsquery/verdict';
import { NOTE_INSTEAD, PlatformError, settle } from '../platform';
import type { FailureKind, Row, Settled } from '../platform';
import type { ListResource } from '../resources';
import { rowId, rowKey } from './keys';
import { isPassing } from './poll';
import type { Poll, ReadPace } from './poll';
import { WHOLE_LIST } from './types';
import type { Coverage, RowKey } from './types';

/** The rows of a list that match a filter. */
export interface ListSource {
	list: ListResource;
	/** Rows are compared with it. */
	filter?: Group;
	/** Further conditions. What a row shows of them is looked at by whoever reads it. */
	narrowing?: Group;
	/** Nothing is known of the list yet, so the rows that are missing will count as not matching. */
	isFirstReading?: boolean;
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
	const { until, enough = Number.POSITIVE_INFINITY } = pace;
	const limit = stretchOf(pace);
	const rows: Row[] = [];
	let reached = after;
	// Behind the place where rows first contradicted the filter, nothing is known to be complete.
	let certainUpTo = WHOLE_LIST.upTo;
	const coverageUpTo = (upTo: number): Coverage => ({ after, upTo: Math.min(upTo, certainUpTo) });
	for (;;) {
		const isKnown = certainUpTo < WHOLE_LIST.upTo;
		const stretch = await settle(read(poll, beyond(source, reached), pace, { limit, isKnown }));
		if (!stretch.ok) {
			if (reached === after || !isPassing(stretch.error)) throw stretch.error;
			poll.leave(stretch.error);
			return { rows, coverage: coverageUpTo(reached) };
		}
		const { rows: found, matching, isContradicted } = stretch.value;
		// Fewer rows than the limit: the list has ended.
		const isEnd = found.length < limit;
		const isWhole = isEnd && reached === WHOLE_LIST.after;
		if (!isWhole && !idsRise(found, reached)) return await scanAtOnce(poll, source, after, pace, found);
		if (isContradicted) certainUpTo = Math.min(certainUpTo, reached);
		noteApplied(poll, source, !isContradicted);
		for (const row of matching) rows.push(row);
		if (isEnd) return { rows, coverage: coverageUpTo(WHOLE_LIST.upTo) };
		reached = Number(found.at(-1)?.Id);
		if (performance.now() >= until || rows.length >= enough) return { rows, coverage: coverageUpTo(reached) };
	}
}

function stretchOf({ pageSize, parallel }: ReadPace): number {
	return pageSize * parallel * (parallel === 1 ? 1 : PAGES_PER_LANE);
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
	const { matching, isContradicted } = await read(poll, beyond(source, start), pace);
	return { rows: matching, coverage: { after: start, upTo: isContradicted ? start : WHOLE_LIST.upTo } };
}

function idsRise(rows: readonly Row[], after: number): boolean {
	let previous = after;
	return rows.every(({ Id: id }) => {
		const rises = typeof id === 'number' && Number.isInteger(id) && id > previous;
		previous = Number(id);
		return rises;
	});
}

function beyond(source: ListSource, after: number): ListSource {
	return after === WHOLE_LIST.after ? source : narrowed(source, condition('Id', 'Gt', String(after)));
}

function narrowed(source: ListSource, further: FilterNode | undefined): ListSource {
	return { ...source, narrowing: and(source.narrowing, further) };
}

interface Reading {
	/** As they came. */
	rows: Row[];
	/** Those to go by: if the platform does not apply the filter, only those that certainly match. */
	matching: Row[];
	/** The platform does not apply the filter, so rows may be missing. */
	isContradicted: boolean;
}

/**
 * Reads all rows of a list, or the first `limit`.
 *
 * @param isKnown whether it is already known that the platform does not apply the filter
 * @throws PlatformError if they cannot be read to the end. Several rows counted but none sent is not an empty list:
 * everything watched would seem to be over. Nor is an Id too long to be saved.
 */
async function read(
	poll: Poll,
	source: ListSource,
	pace: ReadPace,
	{ limit, isKnown = false }: { limit?: number; isKnown?: boolean } = {},
): Promise<Reading> {
	const { list, filter } = source;
	const { pageSize, parallel } = pace;
	const isBelieved = poll.settings.onContradiction === 'note';
	// Two more requests find out about a contradiction: once is enough.
	const isCompared = !isKnown && !(isBelieved && poll.contradiction);
	const paging = { pageSize, parallel, onContradiction: filter && 'note' } as const;
	const request = { ...conditionsOf(source, isCompared), limit, paging };
	const { pages, totalCount = 0, contradiction } = await poll.connection.list(list).read(request);
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
	refuseLongIds(rows, list);
	if (contradiction) noteContradiction(poll, contradiction, source);
	const isContradicted = !isBelieved && (isKnown || contradiction !== undefined);
	return { rows, matching: isContradicted ? rows.filter((row) => isSure('yes', source, row)) : rows, isContradicted };
}

/** Rows are compared with the filter of a query, but not with what narrows it. */
function conditionsOf({ filter, narrowing }: ListSource, isCompared: boolean) {
	if (isCompared) return { query: { filter, sorts: [] }, narrowing };
	return { query: { sorts: [] }, narrowing: and(filter, narrowing) };
}

function refuseLongIds(rows: readonly Row[], { plural }: ListResource): void {
	for (const { Id: id } of rows) {
		if (typeof id !== 'string' || id.length <= LONGEST_ID) continue;
		const message = `An Id of the ${plural} has ${id.length} characters; at most ${LONGEST_ID} can be remembered`;
		const description = `It begins with ${quote(id)}. Leave out that row with a filter, or tell the platform's support.`;
		throw new PlatformError('configuration', message, { description });
	}
}

function isSure(verdict: Verdict, { list, filter }: ListSource, row: Row): boolean {
	return filter !== undefined && verdictOf(filter, row, list) === verdict;
}

function noteApplied(poll: Poll, { filter }: ListSource, isApplied: boolean): void {
	if (filter && isApplied) poll.hasSeenFilterApplied = true;
}

/** @throws PlatformError on a first reading: which rows match is not known, so there is nothing to go on from */
function noteContradiction(poll: Poll, { message }: PlatformError, { list, isFirstReading }: ListSource): void {
	const now = isFirstReading
		? `So it is not known which ${list.plural} match, and the trigger cannot begin.`
		: `The trigger reports ${list.plural} that certainly match. From those that are missing it concludes nothing for as long as this lasts: it reports none as ended, as back online or as no longer matching.`;
	const description = `${now} If the condition stands in Filters, remove it there, and use n8n's Filter node after this one; otherwise tell the platform's support. ${NOTE_INSTEAD}`;
	poll.contradiction ??= new PlatformError('invalid-answer', message, { description });
	if (poll.settings.onContradiction === 'note') return;
	if (isFirstReading) throw poll.contradiction;
	poll.leave(poll.contradiction);
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
	let isKnown = false;
	// Even when time is up, each poll makes at least one request.
	for (let part = parts.shift(); part && failures < MOST_FAILURES && !isLate; part = parts.shift()) {
		const found: Settled<Reading> = await settle(read(poll, narrowed(source, idsAre(part)), pace, { isKnown }));
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
		for (const key of part) unreadable.delete(key);
		takeIn(result, part, source, found.value);
		isKnown = found.value.isContradicted;
		noteApplied(poll, source, !isKnown && found.value.rows.length < part.length);
	}
	return result;
}

/** If the platform does not apply the filter, only a row that came says whether it matches. */
function takeIn(
	{ asked, rows: found }: Lookup,
	part: readonly RowKey[],
	source: ListSource,
	{ rows, matching, isContradicted }: Reading,
): void {
	const isDecided = (row: Row) => !isContradicted || !isSure('unsure', source, row);
	const decided = new Set(rows.filter(isDecided).map(({ Id: id }) => rowKey(id)));
	for (const key of part) if (!isContradicted || decided.has(key)) asked.add(key);
	for (const row of matching) {
		const key = rowKey(row.Id);
		if (key !== undefined && asked.has(key)) found.set(key, row);
	}
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
