import uniq from 'lodash/uniq';

import type { LongWork } from '../longWork';
import { readCell, sessionColumn, type ParsedCsv } from './read';

/** The Id of a session: a whole number, or its digits where a number would not hold them all. */
export type SessionId = number | string;

/** @param digits a whole number */
export function parseSessionId(digits: string): SessionId {
	const id = Number(digits);
	return Number.isSafeInteger(id) ? id : String(BigInt(digits));
}

/** Whose records came. */
export interface SessionRecords {
	/** Of sessions asked for, in the order they came in. Equal records of a session are all kept: two parking fees, for example. */
	records: Map<SessionId, string[]>;
	/** How many are of sessions that were not asked for. */
	foreign: number;
	/** In how many no column shows an Id, such as a line with totals. */
	withoutId: number;
	/** The last session asked for, also of a record that is cut off. Where its Id itself may be cut, the one before, too. */
	last: SessionId[];
	/** Whether records of one session stand apart, with those of another between them. */
	isMixed: boolean;
	/** How its last record ends: with a line end (or it is of no session), without one, or too early. */
	end: 'whole' | 'open' | 'cut';
}

/**
 * Sorts the records of a file by the column that holds the session's Id.
 *
 * @param given the name of the column, if the user gave one
 */
export async function groupBySession(
	file: ParsedCsv,
	ids: readonly SessionId[],
	longWork: LongWork,
	given?: string,
): Promise<SessionRecords> {
	const column = sessionColumn(file, given);
	const { records, cut, isClosed } = file;
	const found: SessionRecords = {
		records: new Map(),
		foreign: 0,
		withoutId: 0,
		last: [],
		isMixed: false,
		end: 'whole',
	};
	const lastEnd = cut !== undefined ? 'cut' : isClosed ? 'whole' : 'open';
	if (column === undefined) return { ...found, withoutId: records.length, end: lastEnd };
	const asked = new Set(ids);
	const lines = cut === undefined ? records : [...records, cut];
	for (const [index, line] of lines.entries()) {
		if (longWork.isYieldDue) await longWork.yieldToEventLoop();
		const { text, isFollowed } = readCell(line, column, file.delimiter);
		const end = index === lines.length - 1 ? lastEnd : 'whole';
		take({ line, text, end, isIdWhole: end === 'whole' || isFollowed }, asked, found);
	}
	return found;
}

/** A line of the file, with the text of its cell for the Id. */
interface SessionLine {
	line: string;
	text: string;
	end: SessionRecords['end'];
	isIdWhole: boolean;
}

function take({ line, text, end, isIdWhole }: SessionLine, asked: ReadonlySet<SessionId>, found: SessionRecords): void {
	const id = /^-?\d{1,19}$/.test(text) ? parseSessionId(text) : undefined;
	// What is not the beginning of an Id is of no session, wherever its line ends.
	if (id === undefined && (isIdWhole || !/^-?\d*$/.test(text))) {
		found.withoutId++;
		return;
	}
	found.end = end;
	if (end === 'cut' && !isIdWhole) return;
	if (id === undefined || !asked.has(id)) {
		found.foreign++;
		return;
	}
	const { records, last } = found;
	found.isMixed ||= !last.includes(id) && records.has(id);
	found.last = isIdWhole ? [id] : uniq([...last, id]);
	if (end !== 'cut' && !records.get(id)?.push(line)) records.set(id, [line]);
}
