import { DateTime } from 'luxon';

import { stableSort } from '../shared/dsquery/compose';
import { coveredDays } from '../shared/dsquery/values/coveredDays';
import { operation, type Moment } from '../shared/operation';
import { pagingOf } from '../shared/parameters/options';
import type { ValuesOf } from '../shared/parameters/parameter';
import { exportFiles, type ExportRequest } from './exportFiles';
import { defaultFileName } from './fileName';
import { byFilter, byIds } from './parameters';

const exportByFilter = operation({
	name: 'Export Sessions by Filter',
	value: 'exportByFilter',
	action: 'Export sessions by filter',
	description: 'For example all finished sessions of last month',
	parameters: byFilter,
	async run(values, { connection, execution, ...moment }) {
		const query = { filter: values.filters.filter, sorts: stableSort(values.sort) };
		return await exportFiles(execution, connection, requestOf(values, { query }, moment));
	},
});

const exportByIds = operation({
	name: 'Export Sessions by ID',
	value: 'exportByIds',
	action: 'Export sessions by ID',
	description: 'Exactly these sessions, in this order',
	parameters: byIds,
	gathersFor: ['sessionIdsFrom', 'items'],
	async run(values, { connection, execution, ...moment }) {
		const ids = values.sessionIds ?? values.gatheredIds ?? [];
		return await exportFiles(execution, connection, requestOf(values, { ids }, moment));
	},
});

export const operations = [exportByFilter, exportByIds];

type Common = Pick<ValuesOf<typeof byIds>, 'fileName' | 'binaryPropertyName' | 'options'>;

function requestOf(values: Common, sessions: ExportRequest['sessions'], { zone, now }: Moment): ExportRequest {
	const { fileName, binaryPropertyName, options } = values;
	const { idsPerRequest, sessionsPerFile, byteOrderMark: bom = 'keep', escapeFormulas, whenNothingMatches } = options;
	const period = 'query' in sessions ? coveredDays(sessions.query.filter, zone, 'StartedAtUtc') : undefined;
	const today = DateTime.fromJSDate(now, { zone }).toFormat('yyyy-MM-dd');
	return {
		sessions,
		period,
		binaryPropertyName,
		idsPerRequest,
		sessionsPerFile,
		whenNothingMatches,
		csv: { bom, escapeFormulas },
		paging: pagingOf(options),
		fileName: fileName ?? defaultFileName(period, today),
	};
}
