import type { Page } from '../types';

/** Most lists remembered, and most ends of one list. */
const MOST_LISTS = 500;
const MOST_ENDS = 500;

/** What a list has proven in this process, so that it is not asked again. */
export class ListRecord {
	/** TotalCount was once more than the rows up to the end of its page, so it does not count the page alone. */
	countsBeyondPage = false;
	private readonly ends = new Set<string>();

	seen({ rows, totalCount = 0 }: Page, skip: number): void {
		this.countsBeyondPage ||= rows.length > 0 && totalCount > skip + rows.length;
	}

	/** Whether a first page of this length was once the whole list for this question. */
	hasEnded(question: string, rows: number): boolean {
		return this.ends.has(`${rows} ${question}`);
	}

	noteEnd(question: string, rows: number): void {
		this.ends.add(`${rows} ${question}`);
		forgetFirst(this.ends, MOST_ENDS);
	}
}

const records = new Map<string, ListRecord>();

/** @param name the list and who reads it */
export function recordOf(name: string): ListRecord {
	const record = records.get(name) ?? new ListRecord();
	records.set(name, record);
	forgetFirst(records, MOST_LISTS);
	return record;
}

function forgetFirst(known: Map<string, unknown> | Set<string>, most: number): void {
	for (const name of known.keys()) {
		if (known.size <= most) return;
		known.delete(name);
	}
}
