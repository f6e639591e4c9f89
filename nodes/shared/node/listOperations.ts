import upperFirst from 'lodash/upperFirst';
import type { INodeProperties } from 'n8n-workflow';

import { stableSort } from '../dsquery/compose';
import type { Query } from '../dsquery/types';
import { writeQuery } from '../dsquery/write';
import { readList, readOpenList } from '../platform';
import type { ListRequest, OpenListResult, Platform } from '../platform';
import type { ListResource } from '../resources';
import { filterProperties } from './form/filterForm';
import { labelsOption, limitProperty, optionsProperty, returnAllProperty } from './form/listParameters';
import { outputProperties } from './form/outputForm';
import { sortProperty } from './form/sortForm';
import { readOutput, RowShaper } from './output';
import { Parameters } from './parameters';
import type { Operation } from './operation';

/** Get Many: the rows that match the filter, in the order asked for. */
export function getManyOperation(list: ListResource): Operation {
	const properties: INodeProperties[] = [
		returnAllProperty,
		limitProperty,
		...filterProperties(list),
		sortProperty(list),
		...outputProperties,
		optionsProperty({ paging: true, extra: labelsOption(list) }),
	];
	return {
		name: 'Get Many',
		value: 'getAll',
		action: `Get many ${list.plural}`,
		description: `Find ${list.plural} with a filter and return each as an item`,
		properties,
		prepare(context, itemIndex) {
			const parameters = Parameters.ofItem(context, itemIndex, properties);
			const { filter, sorts } = parameters.query(list);
			const query = { ...(filter && { filter }), sorts: stableSort(sorts) };
			const request = {
				ownSorts: sorts.length,
				limit: parameters.flag('returnAll') ? undefined : parameters.wholeNumber('limit'),
				...parameters.paging(),
				output: readOutput(parameters),
			};
			const platformOptions = parameters.platformOptions();
			parameters.check();
			return {
				key: JSON.stringify({ ...request, query: writeQuery(query), platformOptions }),
				platformOptions,
				async run(platform) {
					const shaper = new RowShaper(request.output, list);
					const { pages, mendedPages, hints } = await readRows(platform, list, {
						...request,
						query,
						keep: () => shaper.shape,
					});
					const changed = mendedPages > 0 ? [changedMeanwhile(list.plural, mendedPages)] : [];
					return { pages, hints: [...hints, ...shaper.hints(list.plural), ...changed] };
				},
			};
		},
	};
}

/** Count: how many rows match the filter, with one request whatever their number. */
export function countOperation(list: ListResource): Operation {
	const properties: INodeProperties[] = [...filterProperties(list), optionsProperty({ paging: false })];
	return {
		name: 'Count',
		value: 'count',
		action: `Count ${list.plural}`,
		description: `Count the ${list.plural} that match a filter, without reading them`,
		properties,
		prepare(context, itemIndex) {
			const parameters = Parameters.ofItem(context, itemIndex, properties);
			const query = parameters.query(list);
			const platformOptions = parameters.platformOptions();
			parameters.check();
			return {
				key: JSON.stringify({ query: writeQuery(query), platformOptions }),
				platformOptions,
				async run(platform) {
					const { totalCount } = await platform.getPage(list, {
						filter: query.filter,
						sorts: [],
						pager: { skip: 0, take: 1 },
					});
					return { pages: [[{ count: totalCount }]], hints: [] };
				},
			};
		},
	};
}

/** Reads a list in the way that suits what is known of its answer. */
async function readRows(
	platform: Platform,
	list: ListResource,
	request: ListRequest & { ownSorts: number },
): Promise<OpenListResult> {
	if (list.open) {
		const ask = async (query: Query) => await platform.getOpenAnswer(list, query);
		return await readOpenList(ask, { ...request, plural: list.plural });
	}
	return { ...(await readList(async (query) => await platform.getPage(list, query), request)), hints: [] };
}

/** What a changing list meant for reading it. */
export function changedMeanwhile(plural: string, mendedPages: number): string {
	const times = mendedPages === 1 ? 'once' : `${mendedPages} times`;
	return `${upperFirst(plural)} came or went while the list was read. Pages were compared and read again ${times}, so that none is missing or doubled.`;
}
