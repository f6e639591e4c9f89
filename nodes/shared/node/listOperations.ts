import upperFirst from 'lodash/upperFirst';
import type { INodeProperties } from 'n8n-workflow';

import { Faults } from '../dsquery/faults';
import type { Catalogue, Query } from '../dsquery/types';
import { writeQuery } from '../dsquery/write';
import { readList } from '../platform/lists/list';
import type { ListRequest } from '../platform/lists/list';
import { readOpenList } from '../platform/lists/unknownShape';
import type { OpenListResult } from '../platform/lists/unknownShape';
import type { ListEndpoint, Platform } from '../platform/types';
import { filterProperties } from './form/filterForm';
import { labelsOption, limitProperty, optionsProperty, returnAllProperty } from './form/listParameters';
import { outputProperties } from './form/outputForm';
import { sortProperty } from './form/sortForm';
import { RowShaper } from './output';
import { readListParameters, readOptions, readPlatformOptions, readQuery } from './parameters';
import type { Operation } from './operation';

/** What distinguishes one list from another. */
export interface ListKind {
	catalogue: Catalogue;
	endpoint: ListEndpoint;
	/** An example for the Add Status Names option: "StatusName: Finished beside Status: 4". Left out where no code is known. */
	statusExample?: string;
}

/** Get Many: the rows that match the filter, in the order asked for. */
export function getManyOperation({ catalogue, endpoint, statusExample }: ListKind): Operation {
	return {
		name: 'Get Many',
		value: 'getAll',
		action: `Get many ${endpoint.plural}`,
		description: `Find ${endpoint.plural} with a filter and return each as an item`,
		properties: [
			returnAllProperty,
			limitProperty,
			...filterProperties(catalogue),
			sortProperty(catalogue),
			...outputProperties,
			optionsProperty({ paging: true, extra: statusExample === undefined ? [] : [labelsOption(statusExample)] }),
		],
		prepare(context, itemIndex) {
			const parameters = readListParameters(context, itemIndex, catalogue);
			const { platformOptions, ...request } = parameters;
			return {
				// Groups may nest deeper than JSON.stringify reaches.
				key: JSON.stringify({ ...parameters, query: writeQuery(request.query) }),
				platformOptions,
				async run(platform) {
					const shaper = new RowShaper(request.output, catalogue);
					const { pages, mendedPages, hints } = await readRows(platform, endpoint, {
						...request,
						keep: () => shaper.shape,
					});
					const changed = mendedPages > 0 ? [changedMeanwhile(endpoint.plural, mendedPages)] : [];
					return { pages, hints: [...hints, ...shaper.hints(endpoint.plural), ...changed] };
				},
			};
		},
	};
}

/** Count: how many rows match the filter, with one request whatever their number. */
export function countOperation({ catalogue, endpoint }: ListKind): Operation {
	const properties: INodeProperties[] = [...filterProperties(catalogue), optionsProperty({ paging: false })];
	return {
		name: 'Count',
		value: 'count',
		action: `Count ${endpoint.plural}`,
		description: `Count the ${endpoint.plural} that match a filter, without reading them`,
		properties,
		prepare(context, itemIndex) {
			const faults = new Faults();
			const platformOptions = readPlatformOptions(readOptions(context, itemIndex), faults);
			const query = readQuery(context, itemIndex, catalogue, faults);
			faults.check();
			return {
				key: JSON.stringify({ query: writeQuery(query), platformOptions }),
				platformOptions,
				async run(platform) {
					const { totalCount } = await platform.getPage(endpoint, {
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
	endpoint: ListEndpoint,
	request: ListRequest & { ownSorts: number },
): Promise<OpenListResult> {
	if (endpoint.open) {
		const ask = async (query: Query) => await platform.getOpenAnswer(endpoint, query);
		return await readOpenList(ask, { ...request, plural: endpoint.plural });
	}
	return { ...(await readList(async (query) => await platform.getPage(endpoint, query), request)), hints: [] };
}

/** What a changing list meant for reading it. */
export function changedMeanwhile(plural: string, mendedPages: number): string {
	const times = mendedPages === 1 ? 'once' : `${mendedPages} times`;
	return `${upperFirst(plural)} came or went while the list was read. Pages were compared and read again ${times}, so that none is missing or doubled.`;
}
