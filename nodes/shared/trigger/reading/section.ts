import type { Row } from '../../platform';
import { isInIdRange, type RowKey, rowKey, WHOLE_LIST } from '../keys';
import type { Poll } from '../poll';
import type { ReadingProgress } from '../watch/savedState';
import { scan, type Selection } from './lists';

/** What one poll has read of a list. */
export interface ListSection {
	rows: Row[];
	/** Whether a row with this key would be in `rows`, if it existed. */
	covers(key: RowKey): boolean;
	/** Whether it has reached the end of the list. */
	isEnd: boolean;
	/** The round that it is in: where the next poll goes on, if not at the start. */
	round: ReadingProgress;
}

/** Reads a list where the last poll stopped, as far as time allows. */
export async function readListSection(
	poll: Poll,
	progress: ReadingProgress | undefined,
	selection: Selection,
	most?: number,
): Promise<ListSection> {
	const { after, began = poll.now, polls = 0, isSure = true } = progress ?? {};
	const start = typeof after === 'number' ? after : WHOLE_LIST.after;
	const { rows, range } = await scan(poll, selection, start, { ...poll.limitsFor('list'), most });
	const isEnd = range.upTo === WHOLE_LIST.upTo;
	const round: ReadingProgress = { ...(!isEnd && { after: range.upTo }), began, polls: polls + 1, isSure };
	return { rows, covers: (key) => isInIdRange(range, key), isEnd, round };
}

/** The key of the first row that has one. */
export function firstRowKey(rows: Iterable<Row>): RowKey | undefined {
	const [first] = keyRows(rows);
	return first?.[0];
}

/** Rows by their keys. Rows without a usable Id are left out. */
export function* keyRows(rows: Iterable<Row>): Generator<[RowKey, Row]> {
	for (const row of rows) {
		const key = rowKey(row.Id);
		if (key !== undefined) yield [key, row];
	}
}
