import { cellAt, sessionColumn, type Columns } from './records';
import type { Turns } from '../platform';

/** The records of an answer, by the session that one of its columns names. */
export interface IdentifiedRecords {
	column: number;
	/** Equal records of a session are all kept: two parking fees of the same amount, for example. */
	bySession: Map<number, string[]>;
	/** Records of sessions that were not asked for, or of none, such as a line with totals. */
	foreign: number;
}

/**
 * Sorts records by the column that holds the session's id.
 *
 * @param records those of the part, perhaps without its last one
 * @param given the name of the column, if the user gave one
 * @returns undefined if no column shows which session each record belongs to
 */
export async function identifyRecords(
	part: Columns,
	records: readonly string[],
	ids: readonly number[],
	turns: Turns,
	given?: string,
): Promise<IdentifiedRecords | undefined> {
	const column = sessionColumn(part, given);
	if (column === undefined) return undefined;
	const asked = new Set(ids);
	const bySession = new Map<number, string[]>();
	const count = { foreign: 0, readable: 0, unclear: 0, withDigits: 0 };
	for (const record of records) {
		if (turns.due) await turns.give();
		const cell = cellAt(record, column, part.delimiter) ?? '';
		const id = idIn(cell);
		if (id !== undefined) count.readable++;
		else if (MAY_BE_ID.test(cell)) count.unclear++;
		else if (/\d/.test(cell)) count.withDigits++;
		if (id === undefined || !asked.has(id)) {
			count.foreign++;
			continue;
		}
		addTo(bySession, id, record);
	}
	// A session whose id cannot be read must not count as left out by the platform. A single line may be one with totals.
	const hasOtherIds = count.readable === 0 && (count.withDigits > 0 || records.length > 1);
	if (bySession.size < asked.size && (count.unclear > 0 || hasOtherIds)) return undefined;
	return { column, bySession, foreign: count.foreign };
}

function addTo(bySession: Map<number, string[]>, id: number, record: string): void {
	const others = bySession.get(id);
	if (others) others.push(record);
	else bySession.set(id, [record]);
}

const PLAIN = /^-?\d{1,16}$/;
/** With separators of thousands: point, comma, apostrophe or space, as the bytes of UTF-8 or Latin-1. */
const WITH_SEPARATORS = /^-?\d{1,3}(?:(?:[.,' \xa0]|\xc2\xa0|\xe2\x80[\x89\x99\xaf])\d{3}){1,5}$/;
/** Digits that are no plain id, such as #12, +12, 12.0 or 1.2E+4. Where letters are, it is a text, such as a total. */
const MAY_BE_ID = /^(?:[^A-Za-z]*\d[^A-Za-z]*|\d+(?:[.,]\d+)?[eE][+-]?\d+)$/;

function idIn(cell: string): number | undefined {
	if (PLAIN.test(cell)) return Number(cell);
	return WITH_SEPARATORS.test(cell) ? Number(cell.replace(/[^\d-]/g, '')) : undefined;
}

/** A record as it came, without its line end and the blank lines after it. */
export function withoutLineEnd(record: string): string {
	let end = record.length;
	while (end > 0 && (record[end - 1] === '\n' || record[end - 1] === '\r')) end--;
	return record.slice(0, end);
}
