import chunk from 'lodash/chunk';
import partition from 'lodash/partition';
import uniq from 'lodash/uniq';

import { and, condition, or, withIdSort } from '../../dsquery/compose';
import { splitByUrlLength, isListable, MOST_IDS } from '../../dsquery/idParts';
import type { FilterNode, FilterGroup } from '../../dsquery/types';
import { MINUTE_MS } from '../../dsquery/values/durations';
import { PlatformError, type Row } from '../../platform';
import { STATIONS } from '../../resources';
import { settle } from '../../settle';
import { type RowKey, rowId } from '../keys';
import type { Poll, ReadLimits } from '../poll';
import { narrowSelection, noteEmptyList, readMatchingRows, readStartOfList, type Selection } from './lists';
import { firstRowKey, keyRows } from './section';

/** The result of a look-up by Id: the keys asked about, and the rows that match. */
interface Lookup {
	asked: ReadonlySet<RowKey>;
	rows: ReadonlyMap<RowKey, Row>;
	/** Why the others are left to the next poll, if the platform could not answer. */
	failure?: PlatformError;
}

/** Requests that may fail in one look-up: enough to find the Id that cannot be given among the most in a part. */
const MOST_FAILURES = 10;

/**
 * Looks up rows by Id, as many as time allows; the rest is left to the next poll. If none could be looked up, the poll
 * notes that for an alert. The failure of one part may be due to a single row. So the other parts are asked for all the
 * same, and then the halves of the one that failed, until the Ids that the platform cannot give are found. The next
 * polls ask for each of these by itself, after all others. If a gateway may have found the URL too long, the halves
 * come first, as the other parts are as long.
 */
export async function lookUp(
	poll: Poll,
	selection: Selection,
	keys: readonly RowKey[],
	pace: ReadLimits,
): Promise<Lookup> {
	const { unanswered } = poll.memory;
	const { stats } = poll.connection;
	const most = stats.requests + (pace.requests ?? Number.POSITIVE_INFINITY);
	// The next part may take as many requests as this one.
	const isOver = (sent: number) => performance.now() >= pace.until || 2 * stats.requests - sent > most;
	const asked = new Set<RowKey>();
	const rows = new Map<RowKey, Row>();
	const failures: PlatformError[] = [];
	const [alone, together] = partition(keys, (key) => unanswered.has(key));
	const fitting = splitByUrlLength(together, (key) => String(rowId(key)), withoutIds(poll, selection));
	// A part of several pages would be asked for again from its beginning where the rate limit lets only some of them through.
	const parts = fitting.flatMap((part) => chunk(part, pace.pageSize));
	const halves: RowKey[][] = [];
	const last = chunk(alone, 1);
	const next = () => parts.shift() ?? halves.shift() ?? last.shift();
	for (let part = next(); part; part = next()) {
		const sent = stats.requests;
		const found = await settle(readMatchingRows(poll, narrowSelection(selection, idsAre(part)), pace, part.length));
		if (found.ok) {
			for (const key of part) {
				asked.add(key);
				unanswered.delete(key);
			}
			for (const [key, row] of keyRows(found.value.rows)) rows.set(key, row);
		} else {
			if (!(found.error instanceof PlatformError)) throw found.error;
			poll.leaveToNextPoll(found.error);
			failures.push(found.error);
			if (found.error.kind === 'rate-limited' || failures.length === MOST_FAILURES) break;
			const some = MAY_BE_TOO_LONG.has(found.error.status) ? parts : halves;
			if (part.length > 1) some.unshift(...chunk(part, Math.ceil(part.length / 2)));
			else for (const key of part) unanswered.add(key);
		}
		// Even when time is up, each poll makes at least one request.
		if (isOver(sent)) break;
	}
	const [failure] = failures;
	if (asked.size === 0 && failure) poll.unread.set(`${selection.list.plural} looked up by ID`, failure);
	return { asked, rows, failure };
}

/** What gateways answer where a URL is too long for them. */
const MAY_BE_TOO_LONG: ReadonlySet<number | undefined> = new Set([404, 414]);

/** What the URL of a look-up has besides the Ids. */
function withoutIds({ connection }: Poll, { list, filter, narrowing }: Selection) {
	const ids = [condition('Id', 'In', ''), condition('Id', 'Gt', String(Number.MAX_SAFE_INTEGER))];
	return {
		address: connection.baseUrl + list.path,
		query: { filter: and(filter, narrowing, ...ids), sorts: withIdSort([]), pager: { skip: 0, take: MOST_IDS } },
	};
}

/** Looks up rows that wait until they could be looked up. @throws a refusal, if none could */
export async function lookUpWaitingRows(...asked: Parameters<typeof lookUp>): Promise<Lookup> {
	const found = await lookUp(...asked);
	const { failure } = found;
	if (failure && found.asked.size === 0 && !asked[0].isPassing(failure)) throw failure;
	return found;
}

/** What became of known rows that a list did not show. Those that could not be asked for are in none of these. */
interface MissingRows {
	matching: ReadonlyMap<RowKey, Row>;
	/** Found outside the filter. */
	outsideFilter: ReadonlyMap<RowKey, Row>;
	notFound: RowKey[];
	/** Whether the same look-up found a row that the list shows. */
	isProven: boolean;
}

/**
 * Looks up known rows that a list did not show, as a page may have been cut. Those that do not match the filter are
 * looked up by Id alone.
 *
 * @param shown a row that the list shows, if there is one: if even that is not found, or the list counts as not read, no row
 * counts as missing
 */
export async function lookUpMissingRows(
	lookUpRows: typeof lookUp,
	poll: Poll,
	{ list, filter }: Pick<Selection, 'list' | 'filter'>,
	lost: readonly RowKey[],
	{ pace, shown }: { pace: ReadLimits; shown?: RowKey },
): Promise<MissingRows> {
	const matching = filter ? await lookUpRows(poll, { list, filter }, lost, pace) : undefined;
	const others = matching ? lost.filter((key) => matching.asked.has(key) && !matching.rows.has(key)) : lost;
	// An Id that is asked for alone stays alone.
	const isWithOthers = others.some((key) => !poll.memory.unanswered.has(key));
	const witness = isWithOthers && shown !== undefined ? [shown] : [];
	const { asked, rows } = await lookUpRows(poll, { list }, uniq([...witness, ...others]), pace);
	const wanted = new Set(others);
	const found = new Map([...rows].filter(([key]) => wanted.has(key)));
	const isProven = witness.some((key) => rows.has(key));
	const isRefuted = poll.unread.has(list.plural) || (!isProven && witness.some((key) => asked.has(key)));
	const notFound = isRefuted ? [] : others.filter((key) => asked.has(key) && !rows.has(key));
	if (matching) return { matching: matching.rows, outsideFilter: found, notFound, isProven };
	return { matching: found, outsideFilter: new Map(), notFound, isProven };
}

/** Where no station was shown for so long, the whole list is asked for. */
const CHECK_LIST_AFTER_MS = 30 * MINUTE_MS;

/**
 * A station that the list shows, to check that look-ups work: one of those read, or else any of the list.
 *
 * @param mayAsk whether that may cost a request; from time to time it does in any case, as the list may have become empty
 */
export async function findListedStation(
	poll: Poll,
	{ rows, mayAsk }: { rows: readonly Row[]; mayAsk: boolean },
): Promise<RowKey | undefined> {
	const { memory, began } = poll;
	const read = firstRowKey(rows);
	const isCheckDue = began - (memory.shownAt ?? began) >= CHECK_LIST_AFTER_MS;
	if (read === undefined && !mayAsk && !isCheckDue) return undefined;
	const start = read === undefined ? await poll.attempt(readStartOfList(poll, STATIONS)) : undefined;
	if (start?.rows.length === 0 && !start.isBlank) noteEmptyList(poll, STATIONS);
	const shown = read ?? firstRowKey(start?.rows ?? []);
	if (shown !== undefined) memory.shownAt = began;
	return shown;
}

/** Ids that cannot stand in a list get a condition of their own. */
function idsAre(keys: readonly RowKey[]): FilterGroup | undefined {
	const ids = keys.map((key) => String(rowId(key)));
	const plain = ids.filter(isListable);
	const others: FilterNode[] = ids.filter((id) => !isListable(id)).map((id) => condition('Id', 'Eq', id));
	return plain.length > 0 ? or(condition('Id', 'In', plain.join(',')), ...others) : or(...others);
}
