import { DateTime } from 'luxon';
import type { IExecuteFunctions } from 'n8n-workflow';

import type { BomChoice } from './csv/merge';
import type { PlatformOptions } from '../shared/platform';
import { SESSIONS } from '../shared/resources';
import { stableSort } from '../shared/dsquery/compose';
import { coveredDays } from '../shared/dsquery/values/coveredDays';
import { Faults, isBlank, quote } from '../shared/dsquery/faults';
import type { DaySpan } from '../shared/dsquery/values/periods';
import type { Query } from '../shared/dsquery/types';
import { readOptions, readPlatformOptions, readQuery, wholeNumber } from '../shared/node/parameters';
import { MAX_PAGE_SIZE, MAX_PARALLEL_REQUESTS } from '../shared/node/form/listParameters';
import { cleanFileName, defaultFileName } from './fileName';
import {
	BOM_CHOICES,
	DEFAULT_IDS_PER_REQUEST,
	DEFAULT_SESSIONS_PER_FILE,
	MAX_IDS_PER_REQUEST,
	WHEN_NOTHING,
	type WhenNothing,
} from './parameters';
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
	const source: unknown = context.getNodeParameter('source', 0);
	return source === 'ids' && context.getNodeParameter('sessionIdsFrom', 0, 'field') === 'items';
}

/**
 * Reads the parameters of one input item. Nothing is sent.
 *
 * @throws QueryError naming the place of everything that cannot be used
 */
export function readRequest(context: IExecuteFunctions, itemIndex: number): ExportRequest {
	const faults = new Faults();
	const zone = context.getTimezone();
	const options = readOptions(context, itemIndex);
	const sessions = readSessions(context, itemIndex, faults);
	const whole = (name: string, label: string, standard: number, max?: number) =>
		wholeNumber(faults, `Options > ${label}`, options[name] ?? standard, 1, max);
	const request = {
		binaryPropertyName: readPropertyName(context, itemIndex, faults),
		idsPerRequest: whole('idsPerRequest', 'IDs per Request', DEFAULT_IDS_PER_REQUEST, MAX_IDS_PER_REQUEST),
		...('sessionsPerFile' in options && {
			sessionsPerFile: whole('sessionsPerFile', 'Sessions per File', DEFAULT_SESSIONS_PER_FILE),
		}),
		bom: readChoice(options.byteOrderMark, 'Byte Order Mark', BOM_CHOICES, faults),
		whenNothing: readChoice(options.whenNothingMatches, 'When Nothing Matches', WHEN_NOTHING, faults),
		pageSize: whole('pageSize', 'Page Size', MAX_PAGE_SIZE, MAX_PAGE_SIZE),
		parallel: whole('parallelRequests', 'Parallel Requests', 4, MAX_PARALLEL_REQUESTS),
		platformOptions: readPlatformOptions(options, faults),
	};
	faults.check();
	const period = 'query' in sessions ? coveredDays(sessions.query.filter, zone) : undefined;
	const today = DateTime.now().setZone(zone).toFormat('yyyy-MM-dd');
	const fileName = readFileName(context, itemIndex) ?? defaultFileName(period, today);
	return { sessions, ...(period && { period }), fileName, ...request };
}

function readSessions(context: IExecuteFunctions, itemIndex: number, faults: Faults): ExportRequest['sessions'] {
	const source: unknown = context.getNodeParameter('source', itemIndex);
	if (source === 'filter') {
		const query = readQuery(context, itemIndex, SESSIONS, faults);
		return { query: { ...query, sorts: stableSort(query.sorts) } };
	}
	if (source !== 'ids') {
		faults.add('Export', `${quote(source)} is neither "filter" nor "ids". Choose one of the two.`);
		return { ids: [] };
	}
	if (!gathersItems(context)) return { ids: readSessionIds(context.getNodeParameter('sessionIds', itemIndex), faults) };
	const field: unknown = context.getNodeParameter('idField', itemIndex);
	if (typeof field === 'string' && !isBlank(field)) {
		return { ids: gatherSessionIds(context.getInputData(), field.trim(), faults) };
	}
	faults.add('ID Field', 'the name of the field is empty.');
	return { ids: [] };
}

function readFileName(context: IExecuteFunctions, itemIndex: number): string | undefined {
	const name: unknown = context.getNodeParameter('fileName', itemIndex, '');
	return typeof name === 'string' || typeof name === 'number' ? cleanFileName(String(name)) : undefined;
}

function readPropertyName(context: IExecuteFunctions, itemIndex: number, faults: Faults): string {
	const name: unknown = context.getNodeParameter('binaryPropertyName', itemIndex);
	if (typeof name === 'string' && !isBlank(name)) return name.trim();
	faults.add('Put Output File in Field', 'the name of the field is empty. Other nodes expect "data".');
	return '';
}

/** The stored choice; the first is what an option says when it is not there. */
function readChoice<Choice extends string>(
	stored: unknown,
	label: string,
	choices: readonly [Choice, ...Choice[]],
	faults: Faults,
): Choice {
	const choice = choices.find((each) => each === (stored ?? choices[0]));
	if (choice === undefined) faults.add(`Options > ${label}`, `${quote(stored)} is none of: ${choices.join(', ')}.`);
	return choice ?? choices[0];
}
