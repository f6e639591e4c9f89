import type { Row } from '../../platform';
import { covers, type RowKey, rowKey, WHOLE_LIST } from '../keys';
import type { Poll } from '../poll';
import type { Progress } from '../watch/saved';
import { scan, type Selection } from './lists';

/** What one poll has read of a list. */
export interface Part {
	rows: Row[];
	/** Whether this part would have shown a row. */
	covers(key: RowKey): boolean;
	/** Whether it has reached the end of the list. */
	isEnd: boolean;
	/** The round that it is in: where the next poll goes on, if not at the start. */
	round: Progress;
}

/** Reads a list where the last poll stopped, as far as time allows. */
export async function readPart(
	poll: Poll,
	progress: Progress | undefined,
	selection: Selection,
	most?: number,
): Promise<Part> {
	const { after, began = poll.now, polls = 0, isSure = true } = progress ?? {};
	const start = typeof after === 'number' ? after : WHOLE_LIST.after;
	const { rows, range } = await scan(poll, selection, start, { ...poll.scanPace, most });
	const isEnd = range.upTo === WHOLE_LIST.upTo;
	const round: Progress = { ...(!isEnd && { after: range.upTo }), began, polls: polls + 1, isSure };
	return { rows, covers: (key) => covers(range, key), isEnd, round };
}

/** Rows by their keys. Rows without a usable Id are left out. */
export function* keyed(rows: Iterable<Row>): Generator<[RowKey, Row]> {
	for (const row of rows) {
		const key = rowKey(row.Id);
		if (key !== undefined) yield [key, row];
	}
}
