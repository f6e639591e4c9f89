import uniq from 'lodash/uniq';
import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { findKnownField, statusName } from '../../dsquery/listSchema';
import { and, condition, or, withIdSort } from '../../dsquery/compose';
import type { FilterGroup, SortEntry } from '../../dsquery/types';
import { toNodeError } from '../../operation/nodeError';
import { openConnection, type Row } from '../../platform';
import { SESSIONS, STATIONS, type ListResource } from '../../resources';
import { formatLocalTime } from '../output';
import { EDITOR_TIMEOUT_MS, SAMPLE_SIZE } from './liveRows';

/** The search of From List: what was typed, and where the next page begins. */
type SearchMethod = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** How rows are found by what was typed; without it, all of them. */
interface SearchDefinition {
	list: ListResource;
	sort: SortEntry;
	nameOf(row: Row, zone: string): string;
	/** What the platform compares. */
	ask(text: string): FilterGroup | undefined;
	/** Whether what is shown is compared here, with the rows of the first page alone. */
	isComparedHere?(text: string): boolean;
}

function searchOf({ list, sort, nameOf, ask, isComparedHere }: SearchDefinition): SearchMethod {
	return async function (filter, paginationToken) {
		try {
			const connection = await openConnection(this, { timeoutMs: EDITOR_TIMEOUT_MS });
			const skip = Number(paginationToken ?? 0);
			const text = filter?.trim() ?? '';
			const { rows, totalCount = Number.POSITIVE_INFINITY } = await connection.list(list).page({
				filter: text === '' ? undefined : ask(text),
				sorts: withIdSort([sort]),
				pager: { skip, take: SAMPLE_SIZE },
			});
			const zone = this.getTimezone();
			const results = rows.filter(hasId).map((row) => ({ name: nameOf(row, zone), value: String(row.Id) }));
			if (text !== '' && isComparedHere?.(text)) {
				return { results: results.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())) };
			}
			const next = skip + rows.length;
			return { results, paginationToken: rows.length > 0 && next < totalCount ? String(next) : undefined };
		} catch (error) {
			throw toNodeError(this.getNode(), error);
		}
	};
}

/** Finds stations by a part of their name, a page at a time. */
export const searchStations = searchOf({
	list: STATIONS,
	sort: { field: 'Name', direction: 'Asc' },
	nameOf: ({ Id: id, Name: name }) =>
		typeof name === 'string' && name.trim() !== '' ? `${name} (ID ${String(id)})` : `Station ${String(id)}`,
	ask: (text) => or(...casesOf(text).map((part) => condition('Name', 'Contains', part))),
});

const isNumber = (text: string) => /^-?\d+$/.test(text);

/** Shows the newest sessions, a page at a time. A number finds the one with that Id, anything else what is shown. */
export const searchSessions = searchOf({
	list: SESSIONS,
	sort: { field: 'Id', direction: 'Desc' },
	nameOf({ Id: id, StartedAtUtc: start, Status: status }, zone) {
		const known = [formatLocalTime(start, zone), statusName(findKnownField(SESSIONS, 'Status')?.codes, status)];
		return [`Session ${String(id)}`, ...known.filter(Boolean)].join(', ');
	},
	ask: (text) => (isNumber(text) ? and(condition('Id', 'Eq', text)) : undefined),
	isComparedHere: (text) => !isNumber(text),
});

/** Text comparison may be case-sensitive: the text as typed, lower case, upper case, and each word capitalized. */
function casesOf(text: string): string[] {
	const lower = text.toLowerCase();
	const capitalized = lower.replace(/(?<![\p{L}\p{N}])\p{L}/gu, (letter) => letter.toUpperCase());
	return uniq([text, lower, text.toUpperCase(), capitalized]);
}

/** Whether the row can be looked up by Id. */
function hasId({ Id: id }: Row): boolean {
	return typeof id === 'number' || (typeof id === 'string' && id !== '');
}
