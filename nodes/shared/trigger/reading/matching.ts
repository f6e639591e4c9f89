import { LONGEST_ID } from '../../dsquery/catalogue';
import { and } from '../../dsquery/compose';
import { counted, quote } from '../../dsquery/faults';
import type { FilterNode, Group } from '../../dsquery/types';
import { type Verdict, verdictOf } from '../../dsquery/verdict';
import { keepRows, PlatformError, type Row } from '../../platform';
import type { ListResource } from '../../resources';
import { remembered } from '../memory';
import { alertIsDue, REPORT_INCOMPLETE_AFTER_MS } from '../outage';
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
	/** Nothing is known of the list yet, so the rows that are missing will count as not matching. */
	isFirstReading?: boolean;
}

/** The same rows, with one more condition that they are not compared with. */
export function narrowed(selection: Selection, further: FilterNode | undefined): Selection {
	return { ...selection, narrowing: and(selection.narrowing, further) };
}

export interface Reading {
	/** As they came. */
	rows: Row[];
	/** Those to go by: if the platform does not apply the filter, only those that certainly match. */
	matching: Row[];
	/** The platform does not apply the filter, so rows may be missing. */
	isContradicted: boolean;
	/** How many rows there are, by the last answer; 0 if it does not say. */
	totalCount: number;
}

/**
 * Reads all rows of a list, or the first `limit`.
 *
 * @param isKnown whether it is already known that the platform does not apply the filter
 * @throws PlatformError if they cannot be read to the end. Several rows counted but none sent is not an empty list:
 * everything watched would seem to be over. Nor is an Id too long to be saved.
 */
export async function readMatching(
	poll: Poll,
	selection: Selection,
	pace: ReadPace,
	{ limit, isKnown = false }: { limit?: number; isKnown?: boolean } = {},
): Promise<Reading> {
	const { list, filter, goesOn } = selection;
	const { pageSize, parallel } = pace;
	const paging = { pageSize, parallel, contradictions: filter && 'reported' } as const;
	const sink = keepRows();
	const request = { ...conditionsOf(selection, isKnown), wanted: limit, paging, sink, goesOn };
	const { count: totalCount = 0, contradiction } = await poll.connection.list(list).read(request);
	const rows = sink.all;
	if (rows.length === 0 && totalCount > 1) throw noneSent(list, totalCount);
	refuseLongIds(rows, list);
	if (contradiction) noteContradiction(poll, contradiction, selection);
	const isContradicted = isKnown || contradiction !== undefined;
	const matching = isContradicted ? rows.filter((row) => isSure('yes', selection, row)) : rows;
	return { rows, matching, isContradicted, totalCount };
}

/** The platform counts rows, but sends none. From such an answer nothing follows. */
export function noneSent({ noun, plural }: ListResource, count: number): PlatformError {
	const message = `The platform counts ${counted(count, noun, plural)} but sent none of them`;
	return new PlatformError('invalid-answer', message, {
		description: "If this keeps happening, tell the platform's support.",
	});
}

/**
 * Rows are compared with the filter of a query, but not with what narrows it. Two more requests find out about a
 * contradiction: once is enough.
 */
function conditionsOf({ filter, narrowing }: Selection, isKnown: boolean) {
	if (isKnown) return { query: { sorts: [] }, narrowing: and(filter, narrowing) };
	return { query: { filter, sorts: [] }, narrowing };
}

function refuseLongIds(rows: readonly Row[], { plural }: ListResource): void {
	for (const { Id: id } of rows) {
		if (typeof id !== 'string' || id.length <= LONGEST_ID) continue;
		const message = `An Id of the ${plural} has ${id.length} characters; at most ${LONGEST_ID} can be remembered`;
		const description = `It begins with ${quote(id)}. Leave out that row with a filter, or tell the platform's support.`;
		throw new PlatformError('configuration', message, { description });
	}
}

export function isSure(verdict: Verdict, { list, filter }: Selection, row: Row): boolean {
	return filter !== undefined && verdictOf(filter, row, list) === verdict;
}

/** Remembers what the rows show of the filter: not applied is only what contradicts it. */
export function noteApplied(poll: Poll, { filter }: Selection, isApplied: boolean): void {
	if (filter && isApplied) poll.hasSeenFilterApplied = true;
}

/** @throws PlatformError on a first reading: which rows match is not known, so there is nothing to go on from */
function noteContradiction(poll: Poll, { message }: PlatformError, { list, isFirstReading }: Selection): void {
	const now = isFirstReading
		? `So it is not known which ${list.plural} match, and the trigger cannot begin.`
		: `The trigger reports ${list.plural} that certainly match. From those that are missing it concludes nothing for as long as this lasts: it reports none as ended, as back online or as no longer matching.`;
	const description = `${now} If the condition stands in Filters, remove it there, and use n8n's Filter node after this one; otherwise tell the platform's support.`;
	poll.contradiction ??= new PlatformError('invalid-answer', message, { description });
	if (isFirstReading) throw poll.contradiction;
	poll.leave(poll.contradiction);
}

/** Since when rows contradict a filter, and when that was last reported. */
const lasting = remembered((): { contradiction?: { since: number; alertedAt?: number } } => ({}));

/** What is to be said of a platform that does not apply a filter: after a quarter of an hour, and again every hour. */
export function overdueContradiction(poll: Poll): PlatformError | undefined {
	const { contradiction, hasSeenFilterApplied, began } = poll;
	const known = lasting(poll);
	if (!contradiction) {
		if (hasSeenFilterApplied) known.contradiction = undefined;
		return undefined;
	}
	const said = (known.contradiction ??= { since: began });
	if (began - said.since < REPORT_INCOMPLETE_AFTER_MS || !alertIsDue(said, began)) return undefined;
	said.alertedAt = began;
	return contradiction;
}
