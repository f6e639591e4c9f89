import type { INodeProperties } from 'n8n-workflow';

import { stableSort } from '../dsquery/compose';
import { writeQuery } from '../dsquery/write';
import { countList, readList, readOpenList } from '../platform';
import type { GetPage, ListRequest, ListResult, Connection } from '../platform';
import type { ListResource } from '../resources';
import { filterProperties } from './form/filterForm';
import { additionOptions, limitProperty, optionsProperty, returnAllProperty } from './form/listParameters';
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
		optionsProperty({ paging: true, extra: additionOptions(list) }),
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
				async run(connection) {
					const shaper = new RowShaper(request.output, list);
					const { pages, hints } = await readRows(connection, list, { ...request, query, keep: () => shaper.shape });
					return { pages, hints: [...hints, ...shaper.hints(list.plural)] };
				},
			};
		},
	};
}

/** Count: how many rows match the filter, with one request whatever their number, and one more where it is verified. */
export function countOperation(list: ListResource): Operation {
	const verifyOption: INodeProperties = {
		displayName: 'Verify',
		name: 'verify',
		type: 'boolean',
		default: true,
		description: `Whether to ask once more for what stands behind the last one counted. Some services stop counting at a round number; where there are more ${list.plural} than counted, the node stops and says so. A whole thousand is always verified.`,
	};
	const properties: INodeProperties[] = [
		...filterProperties(list),
		optionsProperty({ paging: false, extra: [verifyOption] }),
	];
	return {
		name: 'Count',
		value: 'count',
		action: `Count ${list.plural}`,
		description: `Count the ${list.plural} that match a filter, without reading them`,
		properties,
		prepare(context, itemIndex) {
			const parameters = Parameters.ofItem(context, itemIndex, properties);
			const query = parameters.query(list);
			const verify = parameters.flag('verify');
			const platformOptions = parameters.platformOptions();
			parameters.check();
			return {
				key: JSON.stringify({ query: writeQuery(query), verify, platformOptions }),
				platformOptions,
				async run(connection) {
					const getPage: GetPage = async (page) => await connection.getPage(list, page);
					const { count, hints } = await countList(getPage, { filter: query.filter, plural: list.plural, verify });
					return { pages: [[{ count }]], hints };
				},
			};
		},
	};
}

/** Reads a list in the way that suits what is known of its answer. */
async function readRows(
	connection: Connection,
	list: ListResource,
	request: ListRequest & { ownSorts: number },
): Promise<ListResult> {
	const named = { ...request, plural: list.plural };
	if (list.open) return await readOpenList(async (query) => await connection.getOpenAnswer(list, query), named);
	return await readList(async (query) => await connection.getPage(list, query), named);
}
