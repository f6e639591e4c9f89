import { withIdSort } from '../shared/dsquery/compose';
import { operation } from '../shared/operation/operation';
import { exportFiles } from './exportFiles';
import { byFilter, byIds } from './parameters';

const exportByFilter = operation({
	name: 'Export Sessions by Filter',
	value: 'exportByFilter',
	action: 'Export sessions by filter',
	description: 'For example all finished sessions of last month',
	parameters: byFilter,
	async run(values, where) {
		const query = { filter: values.filters.filter, sorts: withIdSort(values.sort) };
		return await exportFiles(where, { query }, values);
	},
});

const exportByIds = operation({
	name: 'Export Sessions by ID',
	value: 'exportByIds',
	action: 'Export sessions by ID',
	description: 'Exactly these sessions, in this order',
	parameters: byIds,
	gathersFor: ['sessionIdsFrom', 'items'],
	async run(values, where) {
		return await exportFiles(where, { ids: values.sessionIds ?? values.gatheredIds ?? [] }, values);
	},
});

export const operations = [exportByFilter, exportByIds];
