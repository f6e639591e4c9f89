import type { PlatformError } from '../answers/errors';
import { settle } from '../settle';
import type { Settled } from '../settle';
import type { Row } from '../types';
import * as faults from './faults';
import { isSkipHeard } from './skip';
import { haveOwnIds, identityOf, isShuffled, looksSame, sortKey } from './rows';
import type { GetPage, ListRequest, ListResult, Window } from './types';

/** Most windows read without progress: only a list that changes faster than it can be read needs more. */
const MAX_WINDOWS_WITHOUT_PROGRESS = 60;

/**
 * Reads a list in any order by position (Skip and Take). A window is accepted only if it holds a row that was returned
 * before and has not moved: then no row between that one and the window's end is unread. So neighbouring windows
 * overlap by one row. If rows have gone and a window shares none, the rows before it are read again until it does.
 *
 * Rows without an Id of their own cannot be told apart: they are counted, and pages join only while the list does not
 * change.
 *
 * @param before what was already returned, when reading continues after a walk by Id: then the first row of `start` is
 * the last one returned
 */
export async function readByPosition(
	getPage: GetPage,
	request: ListRequest,
	start: Window,
	before?: { rowCount: number; fullPage: number },
): Promise<ListResult> {
	const { query, parallel, pageSize, plural = 'rows', limit = Number.POSITIVE_INFINITY } = request;
	const keep = request.keep?.() ?? ((rows) => rows);
	const sortFields = query.sorts.map(({ field }) => field).filter((field) => field.toLowerCase() !== 'id');
	const take = Math.max(2, Math.min(pageSize, limit));
	const fullPage = before?.fullPage ?? start.rows.length;
	const width = pageSize === 1 && fullPage === 1 ? 2 : fullPage;
	const pages: Row[][] = [];
	let rowCount = before?.rowCount ?? 0;
	const enough = rowCount + limit;
	/** Every row returned: its sort values, which tell whether it has moved, and its place among the others. */
	const seen = new Map<string | number, { key: string; place: number }>();
	let last = before && start.rows[0];
	/** Whether every row so far has an Id of its own. */
	let areNamed = before === undefined;
	/** Where the last accepted window ends, counted at the time it was read, and TotalCount at that time. */
	let end = before ? start.skip + 1 : 0;
	let { totalCount } = start;
	let isOver = false;
	let isProven = true;
	let isSkipChecked = before !== undefined;
	let mended = 0;
	let withoutProgress = 0;

	const fetch = async (skip: number): Promise<Window> => {
		return { ...(await getPage({ ...query, pager: { skip, take } })), skip };
	};

	/** Index in the window of the last row returned before that has not moved; -1 at the start of the list. */
	const jointIn = ({ skip, rows }: Window): number | undefined => {
		if (!areNamed) {
			const [joint] = rows;
			if (last === undefined) return -1;
			return skip === end - 1 && joint && looksSame(joint, last) ? 0 : undefined;
		}
		let joint = skip === 0 ? -1 : undefined;
		const places: number[] = [];
		for (const [index, row] of rows.entries()) {
			const known = seen.get(identityOf(row) ?? '');
			if (known?.key !== sortKey(row, sortFields)) continue;
			places.push(known.place);
			joint = index;
		}
		if (isShuffled(places)) throw faults.anotherOrder(plural);
		return joint;
	};

	/** Takes the window's new rows if it joins the rows returned so far. */
	const accept = (window: Window): boolean => {
		const { skip, rows } = window;
		if (++withoutProgress > MAX_WINDOWS_WITHOUT_PROGRESS) throw faults.tooRestless();
		areNamed &&= haveOwnIds(rows);
		const joint = jointIn(window);
		if (joint === undefined) return false;
		const fresh: Row[] = [];
		for (const row of rows.slice(joint + 1)) {
			const id = identityOf(row);
			if (!areNamed || id === undefined || !seen.has(id)) fresh.push(row);
			if (id !== undefined) seen.set(id, { key: sortKey(row, sortFields), place: rowCount + fresh.length });
		}
		const wanted = fresh.slice(0, enough - rowCount);
		const kept = wanted.length > 0 ? keep(wanted) : [];
		if (kept.length > 0) pages.push(kept);
		rowCount += wanted.length;
		last = rows.at(-1) ?? last;
		end = skip + rows.length;
		({ totalCount } = window);
		isOver = rows.length < width && (end === totalCount || fresh.length === 0);
		if (fresh.length > 0) withoutProgress = 0;
		return true;
	};
	const isDone = () => isOver || rowCount >= enough;

	/**
	 * Reads the gap between the rows returned so far and a window. If windows were shorter than planned, the gap begins
	 * right after those rows. Otherwise rows have gone and later ones have moved up: go back, in growing steps, until a
	 * row shows up that was returned before.
	 */
	const mend = async (window: Window): Promise<void> => {
		mended++;
		const back = (from: Window, step: number) => Math.max(0, from.skip - step * (width - 1));
		let step = 1;
		let skip = window.skip > end ? end - 1 : back(window, step);
		while (areNamed && !isDone() && end < window.skip + window.rows.length + width) {
			const between = await fetch(skip);
			if (accept(between)) {
				if (window.rows.length === 0 || accept(window)) return;
				skip = end - 1;
				step = 1;
			} else {
				skip = back(between, step);
				step *= 2;
			}
		}
	};

	/** Ends the reading when rows may be missing: with an error or, after a walk by Id, with a hint. */
	const giveUp = (error: PlatformError): void => {
		if (!before) throw error;
		isProven = false;
		isOver = true;
	};

	const ahead: Array<Promise<Settled<Window>>> = [];
	let hasFailed = false;
	let planned = 0;
	/** Requests windows ahead of their turn, as far as the count says that there are rows. */
	const sendAhead = (): void => {
		while (!hasFailed && ahead.length < parallel && planned + 1 < Math.min(totalCount, enough)) {
			const window = settle(fetch(planned));
			void window.then(({ ok }) => (hasFailed ||= !ok));
			ahead.push(window);
			planned += width - 1;
		}
	};

	accept(start);
	planned = end - 1;
	if (!isDone() && width < 2) {
		if ((await fetch(end)).rows.length > 0) giveUp(faults.oneRowAtATime());
		isOver = true;
	}
	try {
		while (!isDone()) {
			// Without Ids, or if a window brings nothing new, the platform may be repeating the same rows.
			if (!isSkipChecked && (!areNamed || withoutProgress > 0)) {
				isSkipChecked = true;
				if (!(await isSkipHeard(getPage, query))) giveUp(faults.onlyFirst(plural, rowCount));
				continue;
			}
			sendAhead();
			const answer = await (ahead.shift() ?? settle(fetch(end - 1)));
			if (!answer.ok) {
				if (!faults.isQueryRefused(answer.error)) throw answer.error;
				giveUp(faults.onlyFirst(plural, rowCount));
			} else if (!accept(answer.value)) {
				if (areNamed) await mend(answer.value);
				else if (answer.value.skip === end - 1 || !accept(await fetch(end - 1))) giveUp(faults.notJoined(plural));
			}
		}
	} finally {
		// Requests under way are no longer wanted, but nothing may be left running after the node has ended.
		await Promise.all(ahead);
	}
	const counted = rowCount === totalCount ? end : totalCount;
	const differs = rowCount < enough && (rowCount !== counted || !isProven);
	if (differs) return { pages, hints: [faults.countDiffers(plural, rowCount, counted)] };
	return { pages, hints: mended > 0 ? [faults.changedMeanwhile(plural, mended)] : [] };
}
