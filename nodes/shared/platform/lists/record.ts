import type { Page } from '../types';

/** Most lists remembered. */
const MOST_LISTS = 500;

/** What a list has proven in this process, so that it is not asked again. */
export class ListRecord {
	/** TotalCount was once more than the rows up to the end of its page, so it does not count the page alone. */
	countsBeyondPage = false;

	seen({ rows, totalCount = 0 }: Page, skip: number): void {
		this.countsBeyondPage ||= rows.length > 0 && totalCount > skip + rows.length;
	}
}

const records = new Map<string, ListRecord>();

/** @param name the list and who reads it */
export function recordOf(name: string): ListRecord {
	const record = records.get(name) ?? new ListRecord();
	records.set(name, record);
	for (const first of records.keys()) {
		if (records.size <= MOST_LISTS) break;
		records.delete(first);
	}
	return record;
}
