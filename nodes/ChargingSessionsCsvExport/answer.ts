import { identifyRecords, withoutLineEnd, type IdentifiedRecords } from '../shared/csv/identify';
import type { CsvPart } from '../shared/csv/part';
import type { Turns } from '../shared/platform';

/**
 * Finds whose records came. The last one may be cut off if it has no line end: it counts only if nothing is missing
 * then.
 *
 * @param column the column with the session id, if an earlier answer showed it
 * @returns undefined if no column shows it
 */
export async function identifyAnswer(
	part: CsvPart,
	ids: readonly number[],
	turns: Turns,
	column: number | undefined,
): Promise<IdentifiedRecords | undefined> {
	const { records, endsEarly } = part;
	const found = await identifyRecords(part, records, ids, turns, column);
	const isAll = found !== undefined && ids.every((id) => found.bySession.has(id));
	if (!endsEarly && (isAll || endsInLineEnd(records.at(-1) ?? ''))) return found;
	const certain = await identifyRecords(part, records.slice(0, -1), ids, turns, found?.column ?? column);
	return certain && { ...certain, foreign: found?.foreign ?? certain.foreign };
}

/** Whether a last line that is shorter than the others is only a line with totals: all sessions have records without it. */
export async function isWhole(part: CsvPart, ids: readonly number[], turns: Turns, column?: number): Promise<boolean> {
	if (!part.endsEarly) return true;
	const found = await identifyAnswer(part, ids, turns, column);
	return found ? ids.every((id) => found.bySession.has(id)) : (await countDifferent(part, turns)) >= ids.length;
}

/** The records of a part without a last one that may be cut off. */
export function certainRecords({ records, endsEarly }: CsvPart): string[] {
	return endsEarly ? records.slice(0, -1) : records;
}

/** How many different records a part has. A duplicate record must not hide a missing one. */
export async function countDifferent(part: CsvPart, turns: Turns): Promise<number> {
	const different = new Set<string>();
	for (const record of certainRecords(part)) {
		if (turns.due) await turns.give();
		different.add(withoutLineEnd(record));
	}
	return different.size;
}

export function endsInLineEnd(record: string): boolean {
	return record.endsWith('\n') || record.endsWith('\r');
}
