import type { LongWork } from '../longWork';
import { cellIn, sessionColumn, type CsvFile } from './read';

/** The Id of a session: a whole number, or its digits where a number would not hold them all. */
export type SessionId = number | string;

/** @param digits a whole number */
export function sessionId(digits: string): SessionId {
	const id = Number(digits);
	return Number.isSafeInteger(id) ? id : String(BigInt(digits));
}

/** Whose records came. */
interface BySession {
	/** In the order they came in. Equal records of a session are all kept: two parking fees, for example. */
	records: Map<SessionId, string[]>;
	/** Records of sessions that were not asked for, or of none, such as a line with totals. */
	foreign: number;
}

/**
 * Sorts the records of a file by the column that holds the session's Id. The last one may be cut off if it has no line
 * end: it counts only if nothing is missing then.
 *
 * @param given the name of the column, if the user gave one
 * @returns undefined if no column shows which session each record belongs to
 */
export async function bySession(
	file: CsvFile,
	ids: readonly SessionId[],
	longWork: LongWork,
	given?: string,
): Promise<BySession | undefined> {
	const column = sessionColumn(file, given);
	if (column === undefined) return undefined;
	const asked = new Set(ids);
	const records = new Map<SessionId, string[]>();
	let [foreign, readable] = [0, 0];
	let cell = '';
	for (const record of file.records) {
		if (longWork.mustGiveWay) await longWork.giveWay();
		cell = cellIn(record, column, file.delimiter);
		const id = idIn(cell);
		if (id !== undefined) readable++;
		if (id === undefined || !asked.has(id)) foreign++;
		else if (!records.get(id)?.push(record)) records.set(id, [record]);
	}
	// A session whose Id cannot be read must not count as left out.
	if (readable === 0 && foreign > 0) return undefined;
	if (!file.isClosed && (file.endsEarly || records.size < asked.size)) dropLast(records, idIn(cell));
	return { records, foreign };
}

function dropLast(records: Map<SessionId, string[]>, id: SessionId | undefined): void {
	const own = id === undefined ? undefined : records.get(id);
	own?.pop();
	if (id !== undefined && own?.length === 0) records.delete(id);
}

function idIn(cell: string): SessionId | undefined {
	return /^-?\d{1,19}$/.test(cell) ? sessionId(cell) : undefined;
}
