import type { ReadJob } from './types.ts';

export const SESSIONS = '/api/charging-sessions/v1';
export const EXPORT = '/api/charging-sessions/v1/export-csv';
export const PAGE = 100;

/** The dsquery of a read by Skip and Take, without its Pager. */
export function queryOf({ filter, sort }: Pick<ReadJob, 'filter' | 'sort'>): object {
	const sorts = [...(sort === undefined || sort === 'Id' ? [] : [sort]), 'Id'];
	return {
		...(filter === undefined ? {} : { Filter: filter }),
		Sort: { Sorts: sorts.map((field) => ({ Field: field, Dir: 'Asc' })) },
	};
}

export function countDifferent(rows: Iterable<unknown>): number {
	const ids = new Set<unknown>();
	for (const row of rows) {
		if (typeof row === 'object' && row !== null && 'Id' in row) ids.add(row.Id);
	}
	return ids.size;
}
