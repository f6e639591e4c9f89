import type { CsvPart } from './part';
import { cellAt, cellsOf, namesSessionId } from './records';
import type { Turns } from '../platform';

/** With this many records, a column that has the id of each session asked for is no coincidence, whatever its name. */
const SURE_FROM = 10;
/** A column with such a name holds the ids of something else, even if they are the numbers asked for. */
const OF_SOMETHING_ELSE = /station|charge\W?point|evse|connector|user|driver|customer|tariff|location|site/i;
/** More columns are not searched. */
const MAX_COLUMNS = 500;

/** The records of an answer, by the session that one of its columns names. */
export interface IdentifiedRecords {
	column: number;
	/** Equal records of a session are all kept: two parking fees of the same amount, for example. */
	bySession: Map<number, string[]>;
	/** Records of sessions that were not asked for, or of none, such as a line with totals. */
	foreign: number;
}

/**
 * Sorts records by the column that holds the session id. The specification does not name the columns: it is one that
 * is named like it or, if there is none, one that has every session asked for and is not named for something else.
 *
 * @param records those of the part, perhaps without its last one
 * @param known the column, if an earlier answer showed it
 * @returns undefined if no column shows which session each record belongs to
 */
export async function identifyRecords(
	{ header, delimiter }: Pick<CsvPart, 'header' | 'delimiter'>,
	records: readonly string[],
	ids: readonly number[],
	turns: Turns,
	known?: number,
): Promise<IdentifiedRecords | undefined> {
	const asked = new Set(ids);
	const names = cellsOf(header, delimiter).slice(0, MAX_COLUMNS);
	const column = await findColumn(names, records, asked, delimiter, turns, known);
	if (column === undefined) return undefined;
	const bySession = new Map<number, string[]>();
	let foreign = 0;
	let unclear = 0;
	const isNamed = namesSessionId(names[column] ?? '');
	for (const record of records) {
		if (turns.due) await turns.give();
		const cell = cellAt(record, column, delimiter);
		const id = idIn(cell, isNamed);
		if (id === undefined && cell !== undefined && MAY_BE_ID.test(cell)) unclear++;
		if (id === undefined || !asked.has(id)) {
			foreign++;
			continue;
		}
		const others = bySession.get(id);
		if (others) others.push(record);
		else bySession.set(id, [record]);
	}
	// A session whose id cannot be read must not count as left out by the platform.
	if (unclear > 0 && bySession.size < asked.size) return undefined;
	return { column, bySession, foreign };
}

async function findColumn(
	names: readonly string[],
	records: readonly string[],
	asked: ReadonlySet<number>,
	delimiter: string,
	turns: Turns,
	known: number | undefined,
): Promise<number | undefined> {
	if (known !== undefined && namesSessionId(names[known] ?? '')) return known;
	const columns = await columnsOf(names, records, asked, delimiter, turns);
	const has = (position: number) => columns[position]?.sessions.size ?? 0;
	const fits = ({ isNamed, isUnnamed, sessions }: (typeof columns)[number], position: number) =>
		isNamed
			? sessions.size > 0
			: isUnnamed && sessions.size === asked.size && (position === known || asked.size >= SURE_FROM);
	const fitting = columns.flatMap((column, position) => (fits(column, position) ? [position] : []));
	const most = Math.max(...fitting.map(has));
	const best = fitting.filter((position) => has(position) === most);
	const chosen = best.find((position) => columns[position]?.isNamed) ?? (best.length === 1 ? best[0] : undefined);
	if (chosen !== undefined) return chosen;
	// Only records of other sessions came, and perhaps a line with totals.
	const others = columns.findIndex(({ isNamed, numbers }) => isNamed && numbers > 0 && numbers * 2 >= records.length);
	return others < 0 || fitting.length > 0 ? undefined : others;
}

/** For each column, the sessions asked for that it has, and how many of its cells are whole numbers. */
async function columnsOf(
	names: readonly string[],
	records: readonly string[],
	asked: ReadonlySet<number>,
	delimiter: string,
	turns: Turns,
) {
	const isAnyNamed = names.some(namesSessionId);
	const columns = names.map((name) => ({
		isNamed: namesSessionId(name),
		/** Whether it may hold the session all the same: no name says what does, nor that this is something else. */
		isUnnamed: !isAnyNamed && !OF_SOMETHING_ELSE.test(name),
		sessions: new Set<number>(),
		numbers: 0,
	}));
	for (const record of records) {
		if (turns.due) await turns.give();
		for (const [position, cell] of cellsOf(record, delimiter).entries()) {
			const column = columns[position];
			const id = idIn(cell, column?.isNamed);
			if (id === undefined || column === undefined) continue;
			column.numbers++;
			if (asked.has(id)) column.sessions.add(id);
		}
	}
	return columns;
}

const PLAIN = /^-?\d{1,16}$/;
/** With separators of thousands: point, comma, apostrophe or space, as the bytes of UTF-8 or Latin-1. */
const WITH_SEPARATORS = /^-?\d{1,3}(?:(?:[.,' \xa0]|\xc2\xa0|\xe2\x80[\x89\x99\xaf])\d{3}){1,5}$/;
/** Digits that are no plain id, such as #12, +12, 12.0 or 1.2E+4. Where letters are, it is a text, such as a total. */
const MAY_BE_ID = /^(?:[^A-Za-z]*\d[^A-Za-z]*|\d+(?:[.,]\d+)?[eE][+-]?\d+)$/;

/** @param isNamed whether the column is named for the session: only there separators are read */
function idIn(cell: string | undefined, isNamed = false): number | undefined {
	if (cell === undefined) return undefined;
	if (PLAIN.test(cell)) return Number(cell);
	return isNamed && WITH_SEPARATORS.test(cell) ? Number(cell.replace(/[^\d-]/g, '')) : undefined;
}

/** A record as it came, without its line end and the blank lines after it. */
export function withoutLineEnd(record: string): string {
	let end = record.length;
	while (end > 0 && (record[end - 1] === '\n' || record[end - 1] === '\r')) end--;
	return record.slice(0, end);
}
