import type { CsvPart } from './part';
import { cellAt, cellsOf, namesSessionId, type Dialect } from './records';
import type { Turns } from '../platform';

/** With this many records, a column that has the id of each session asked for is no coincidence, whatever its name. */
const SURE_FROM = 10;
/** More columns are not searched. */
const MAX_COLUMNS = 500;

/** The records of an answer, by the session that one of its columns names. */
export interface IdentifiedRecords {
	column: number;
	/** Without records that came twice. */
	bySession: Map<number, string[]>;
	/** Records of sessions that were not asked for, or of none, such as a line with totals. */
	foreign: number;
}

/**
 * Sorts records by the column that holds the session id. The specification does not name the columns: it is one that
 * is named like it, or one that has every session asked for.
 *
 * @param records those of the part, perhaps without its last one
 * @param known the column, if an earlier answer showed it
 * @returns undefined if no column shows which session each record belongs to
 */
export async function identifyRecords(
	{ header, dialect }: Pick<CsvPart, 'header' | 'dialect'>,
	records: readonly string[],
	ids: readonly number[],
	turns: Turns,
	known?: number,
): Promise<IdentifiedRecords | undefined> {
	const asked = new Set(ids);
	const names = cellsOf(header, dialect).slice(0, MAX_COLUMNS);
	const column = await findColumn(names, records, asked, dialect, turns, known);
	if (column === undefined) return undefined;
	const bySession = new Map<number, string[]>();
	const seen = new Set<string>();
	let foreign = 0;
	for (const record of records) {
		if (turns.due) await turns.give();
		const id = idIn(cellAt(record, column, dialect));
		const bare = withoutLineEnd(record);
		if (id === undefined || !asked.has(id)) foreign++;
		else if (!seen.has(bare)) {
			seen.add(bare);
			const others = bySession.get(id);
			if (others) others.push(record);
			else bySession.set(id, [record]);
		}
	}
	return { column, bySession, foreign };
}

async function findColumn(
	names: readonly string[],
	records: readonly string[],
	asked: ReadonlySet<number>,
	dialect: Dialect,
	turns: Turns,
	known: number | undefined,
): Promise<number | undefined> {
	if (known !== undefined && namesSessionId(names[known] ?? '')) return known;
	/** For each column, the sessions asked for that it has, and how many of its cells are whole numbers. */
	const columns = names.map((name) => ({ isNamed: namesSessionId(name), sessions: new Set<number>(), numbers: 0 }));
	for (const record of records) {
		if (turns.due) await turns.give();
		for (const [place, cell] of cellsOf(record, dialect).entries()) {
			const id = idIn(cell);
			const column = columns[place];
			if (id === undefined || column === undefined) continue;
			column.numbers++;
			if (asked.has(id)) column.sessions.add(id);
		}
	}
	const has = (place: number) => columns[place]?.sessions.size ?? 0;
	const fits = ({ isNamed, sessions }: (typeof columns)[number], place: number) =>
		isNamed ? sessions.size > 0 : sessions.size === asked.size && (place === known || asked.size >= SURE_FROM);
	const fitting = columns.flatMap((column, place) => (fits(column, place) ? [place] : []));
	const most = Math.max(...fitting.map(has));
	const best = fitting.filter((place) => has(place) === most);
	const chosen = best.find((place) => columns[place]?.isNamed) ?? (best.length === 1 ? best[0] : undefined);
	if (chosen !== undefined) return chosen;
	// Only records of other sessions came, and perhaps a line with totals.
	const others = columns.findIndex(({ isNamed, numbers }) => isNamed && numbers > 0 && numbers * 2 >= records.length);
	return others < 0 || fitting.length > 0 ? undefined : others;
}

const idIn = (cell: string | undefined) =>
	cell !== undefined && cell.length <= 16 && /^\d+$/.test(cell) ? Number(cell) : undefined;

/** A record as it came, without its line end and the blank lines after it. */
export function withoutLineEnd(record: string): string {
	let end = record.length;
	while (end > 0 && (record[end - 1] === '\n' || record[end - 1] === '\r')) end--;
	return record.slice(0, end);
}
