import { DateTime } from 'luxon';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { BomChoice } from '../shared/csv/merge';
import { SESSIONS } from '../shared/dsquery/catalogue';
import { stableSort } from '../shared/dsquery/compose';
import type { DaySpan } from '../shared/dsquery/periods';
import { readListQuery } from '../shared/dsquery/readForm';
import { QueryError, type Query } from '../shared/dsquery/types';
import type { PlatformOptions } from '../shared/platform/types';
import { MAX_PAGE_SIZE, MAX_PARALLEL_REQUESTS } from '../shared/ui/listParameters';
import { cleanFileName, defaultFileName } from './fileName';
import { DEFAULT_IDS_PER_REQUEST, MAX_IDS_PER_REQUEST, type IdsFrom, type Source, type WhenNothing } from './parameters';
import { periodOf } from './period';
import { gatherSessionIds, readSessionIds } from './sessionIds';

/** What is to be exported and how, read from the parameters and checked. Plain data: equal requests give equal files. */
export interface ExportRequest {
	sessions: { ids: number[] } | { query: Query };
	/** Local days that the filter covers, both included. */
	period?: DaySpan;
	fileName: string;
	binaryPropertyName: string;
	idsPerRequest: number;
	/** Everything in one file when left out. */
	sessionsPerFile?: number;
	bom: BomChoice;
	whenNothing: WhenNothing;
	pageSize: number;
	parallel: number;
	platformOptions: PlatformOptions;
}

/** Whether all input items together make one export. */
export function gathersItems(context: IExecuteFunctions): boolean {
	return sourceOf(context, 0) === 'ids' && context.getNodeParameter('sessionIdsFrom', 0, 'field') === ('items' satisfies IdsFrom);
}

/**
 * Reads the parameters of one input item. Nothing is sent.
 *
 * @param now the moment that periods are counted from
 * @throws QueryError naming the place of everything that cannot be used
 */
export function readRequest(context: IExecuteFunctions, itemIndex: number, now: Date): ExportRequest {
	const zone = context.getTimezone();
	const sessions = readSessions(context, itemIndex, now, zone);
	const period = 'query' in sessions ? periodOf(sessions.query.filter, zone) : undefined;
	const today = DateTime.fromJSDate(now, { zone }).toFormat('yyyy-MM-dd');
	const options = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
	return {
		sessions,
		...(period && { period }),
		fileName: readFileName(context, itemIndex) ?? defaultFileName(period, today),
		binaryPropertyName: readPropertyName(context, itemIndex),
		idsPerRequest: readNumber(options, 'idsPerRequest', 'IDs per Request', DEFAULT_IDS_PER_REQUEST, 1, MAX_IDS_PER_REQUEST),
		...('sessionsPerFile' in options && {
			sessionsPerFile: readNumber(options, 'sessionsPerFile', 'Sessions per File', 1, 1),
		}),
		bom: readChoice(options, 'byteOrderMark', 'Byte Order Mark', ['keep', 'add', 'remove'] as const),
		whenNothing: readChoice(options, 'whenNothingMatches', 'When Nothing Matches', ['noItem', 'itemWithoutFile', 'fail'] as const),
		pageSize: readNumber(options, 'pageSize', 'Page Size', MAX_PAGE_SIZE, 1, MAX_PAGE_SIZE),
		parallel: readNumber(options, 'parallelRequests', 'Parallel Requests', 4, 1, MAX_PARALLEL_REQUESTS),
		platformOptions: {
			timeoutMs: readNumber(options, 'timeout', 'Request Timeout', 60, 1) * 1000,
			maxRateLimitWaitMs: readNumber(options, 'maxRateLimitWait', 'Longest Wait for Rate Limit', 300, 0) * 1000,
		},
	};
}

function sourceOf(context: IExecuteFunctions, itemIndex: number): Source {
	const source: unknown = context.getNodeParameter('source', itemIndex);
	if (source === 'filter' || source === 'ids') return source;
	throw refused('Export', `"${String(source)}" is neither "filter" nor "ids". Choose one of the two.`);
}

function readSessions(context: IExecuteFunctions, itemIndex: number, now: Date, zone: string): ExportRequest['sessions'] {
	if (gathersItems(context)) {
		const field: unknown = context.getNodeParameter('idField', itemIndex);
		if (typeof field !== 'string' || field.trim() === '') throw refused('ID Field', 'the name of the field is empty.');
		return { ids: gatherSessionIds(context.getInputData(), field.trim()) };
	}
	if (sourceOf(context, itemIndex) === 'ids') return { ids: readSessionIds(context.getNodeParameter('sessionIds', itemIndex)) };
	const stored = {
		filters: context.getNodeParameter('filters', itemIndex),
		// Not shown, and so not stored, while there is no condition.
		logic: context.getNodeParameter('logic', itemIndex, 'And'),
		sort: context.getNodeParameter('sort', itemIndex),
	};
	const query = readListQuery(stored, { catalogue: SESSIONS, zone, now });
	return { query: { ...query, sorts: stableSort(query.sorts) } };
}

function readFileName(context: IExecuteFunctions, itemIndex: number): string | undefined {
	const name: unknown = context.getNodeParameter('fileName', itemIndex, '');
	return typeof name === 'string' || typeof name === 'number' ? cleanFileName(String(name)) : undefined;
}

function readPropertyName(context: IExecuteFunctions, itemIndex: number): string {
	const name: unknown = context.getNodeParameter('binaryPropertyName', itemIndex);
	if (typeof name === 'string' && name.trim() !== '') return name.trim();
	throw refused('Put Output File in Field', 'the name of the field is empty. Other nodes expect "data".');
}

function readNumber(options: IDataObject, name: string, label: string, standard: number, min: number, max = Infinity): number {
	const stored = options[name] ?? standard;
	const value = typeof stored === 'string' && stored.trim() !== '' ? Number(stored) : stored;
	if (typeof value === 'number' && Number.isFinite(value) && value >= min && value <= max) return Math.floor(value);
	const range = max === Infinity ? `from ${min} on` : `from ${min} to ${max}`;
	throw refused(`Options > ${label}`, `"${String(stored)}" is not a number ${range}.`);
}

/** The stored choice; the first is what an option says when it is not there. */
function readChoice<Choice extends string>(options: IDataObject, name: string, label: string, choices: readonly [Choice, ...Choice[]]): Choice {
	const stored = options[name] ?? choices[0];
	const choice = choices.find((each) => each === stored);
	if (choice) return choice;
	throw refused(`Options > ${label}`, `"${String(stored)}" is none of ${choices.join(', ')}.`);
}

function refused(place: string, message: string): QueryError {
	return new QueryError([{ place, message }]);
}
