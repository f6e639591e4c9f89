import { DateTime } from 'luxon';
import type { IExecuteFunctions } from 'n8n-workflow';

import { SESSIONS } from '../shared/resources';
import { stableSort } from '../shared/dsquery/compose';
import { coveredDays } from '../shared/dsquery/values/coveredDays';
import { isBlank } from '../shared/dsquery/faults';
import type { Query } from '../shared/dsquery/types';
import { Parameters } from '../shared/node/parameters';
import { cleanFileName, defaultFileName } from './fileName';
import { BOM_CHOICES, OPERATIONS, properties, WHEN_NOTHING } from './parameters';
import { gatherSessionIds, readSessionIds } from './sessionIds';

/** Longest name of an item's field, or path to it, in characters. */
const LONGEST_ITEM_FIELD = 1000;

/** What to export and how, read from the parameters and checked. Plain data: equal requests give equal files. */
export type ExportRequest = ReturnType<typeof readRequest>;

/** Whether all input items together make one export. */
export function gathersItems(context: IExecuteFunctions): boolean {
	const parameters = Parameters.ofItem(context, 0, properties);
	return parameters.value('operation') === 'exportByIds' && parameters.value('sessionIdsFrom') === 'items';
}

/**
 * Reads the parameters of one input item. Nothing is sent.
 *
 * @throws QueryError naming every parameter or entry that cannot be used
 */
export function readRequest(context: IExecuteFunctions, itemIndex: number) {
	const parameters = Parameters.ofItem(context, itemIndex, properties);
	const sessions = readSessions(context, parameters);
	const request = {
		sessions,
		binaryPropertyName: readName(parameters, 'binaryPropertyName'),
		idsPerRequest: parameters.wholeNumber('idsPerRequest'),
		/** Undefined, for a single file, unless the user added the option. */
		sessionsPerFile: parameters.hasOption('sessionsPerFile') ? parameters.wholeNumber('sessionsPerFile') : undefined,
		csv: {
			bom: parameters.hasOption('byteOrderMark') ? parameters.choice('byteOrderMark', BOM_CHOICES) : 'keep',
			escapeFormulas: parameters.flag('escapeFormulas'),
		},
		whenNothing: parameters.choice('whenNothingMatches', WHEN_NOTHING),
		...parameters.paging(),
		platformOptions: parameters.platformOptions(),
	};
	parameters.check();
	const { zone, now } = parameters;
	/** Local days that the filter covers, first and last included. */
	const period = 'query' in sessions ? coveredDays(sessions.query.filter, zone, 'StartedAtUtc') : undefined;
	const today = DateTime.fromJSDate(now, { zone }).toFormat('yyyy-MM-dd');
	return {
		...request,
		period,
		fileName: cleanFileName(parameters.value('fileName')) ?? defaultFileName(period, today),
	};
}

function readSessions(context: IExecuteFunctions, parameters: Parameters): { ids: number[] } | { query: Query } {
	if (parameters.choice('operation', OPERATIONS) === 'exportByFilter') {
		if (parameters.value('source') === 'ids') {
			const place = 'Operation';
			parameters.faults.add(
				place,
				'this draft exported sessions by their IDs. Choose Export Sessions by ID, or add the node again.',
			);
		}
		const query = parameters.query(SESSIONS);
		return { query: { ...query, sorts: stableSort(query.sorts) } };
	}
	if (!gathersItems(context)) return { ids: readSessionIds(parameters.value('sessionIds'), parameters.faults) };
	const field = readName(parameters, 'idField');
	return { ids: field ? gatherSessionIds(context.getInputData(), field, parameters.faults) : [] };
}

/** The name of a field; '' if it cannot be used. */
function readName(parameters: Parameters, parameter: 'idField' | 'binaryPropertyName'): string {
	const name = parameters.value(parameter);
	if (typeof name !== 'string' || isBlank(name)) parameters.refuse(parameter, 'the name of the field is empty.');
	else if (name.length > LONGEST_ITEM_FIELD) parameters.refuse(parameter, 'the name of the field is too long.');
	else return name.trim();
	return '';
}
