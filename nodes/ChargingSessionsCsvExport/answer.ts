import { identifyRecords } from '../shared/csv/identify';
import type { CsvPart } from '../shared/csv/part';
import type { Turns } from '../shared/platform';

/** What came for the sessions of a request. */
export interface Arrived {
	/** The column with the session id; undefined if none shows whose records came, so that they can only be counted. */
	column: number | undefined;
	/** By session. Records that were counted are all those of the first session. */
	records: Map<number, string[]>;
	/** Sessions without a record: where records are counted, all of them or none. */
	lacking: readonly number[];
	/** Records of sessions that were not asked for, or of none, such as a line with totals. */
	foreign: number;
}

/**
 * Finds whose records came. The last one may be cut off if it has no line end: it counts only if nothing is missing
 * then. Where no column shows it, there must be as many records as sessions.
 *
 * @param given the name of the column with the session id, if the user gave one
 */
export async function findArrived(
	part: CsvPart,
	ids: readonly number[],
	turns: Turns,
	given: string | undefined,
): Promise<Arrived> {
	const { records, endsEarly } = part;
	const lackingIn = (found: Map<number, string[]>) => ids.filter((id) => !found.has(id));
	let found = await identifyRecords(part, records, ids, turns, given);
	const isAll = found !== undefined && lackingIn(found.bySession).length === 0;
	if (endsEarly || !(isAll || endsInLineEnd(records.at(-1) ?? ''))) {
		const certain = await identifyRecords(part, records.slice(0, -1), ids, turns, given);
		found = certain && { ...certain, foreign: found?.foreign ?? certain.foreign };
	}
	if (found) {
		const { column, bySession, foreign } = found;
		return { column, records: bySession, lacking: lackingIn(bySession), foreign };
	}
	const certain = endsEarly ? records.slice(0, -1) : records;
	const [first] = ids;
	if (first === undefined) return { column: undefined, records: new Map(), lacking: [], foreign: records.length };
	return {
		column: undefined,
		records: new Map(certain.length > 0 ? [[first, certain]] : []),
		lacking: certain.length < ids.length ? ids : [],
		foreign: records.length - certain.length,
	};
}

export function endsInLineEnd(record: string): boolean {
	return record.endsWith('\n');
}
