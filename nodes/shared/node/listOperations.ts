import type { INodeProperties } from 'n8n-workflow';

import { stableSort } from '../dsquery/compose';
import { writeQuery } from '../dsquery/write';
import { countList, countOpenList, readList, readOpenList } from '../platform';
import type { ListRequest, ListResult, Connection } from '../platform';
import type { ListResource } from '../resources';
import { filterProperties } from './form/filterForm';
import { additionOptions, limitProperty, optionsProperty, returnAllProperty } from './form/listParameters';
import { outputProperties } from './form/outputForm';
import { sortProperty } from './form/sortForm';
import { readOutput, RowShaper } from './output';
import { Parameters } from './parameters';
import type { Operation } from './operation';

/** A parameter that lets the user choose the list. */
export interface ListChoice {
	property: INodeProperties;
	/** The chosen list. Notes a fault if it cannot be used. */
	read(parameters: Parameters): ListResource;
}

/**
 * Get Many: the rows that match the filter, in the order asked for.
 *
 * @param choice set if the user chooses the list; then `common` holds what all lists to choose from share
 */
export function getManyOperation(common: ListResource, choice?: ListChoice): Operation {
	const properties: INodeProperties[] = [
		...(choice ? [choice.property] : []),
		returnAllProperty,
		limitProperty,
		...filterProperties(common),
		sortProperty(common),
		...outputProperties,
		optionsProperty({ paging: true, extra: additionOptions(common) }),
	];
	return {
		name: 'Get Many',
		value: 'getAll',
		action: `Get many ${common.plural}`,
		description: `Find ${common.plural} with a filter and return each as an item`,
		properties,
		prepare(context, itemIndex) {
			const parameters = Parameters.ofItem(context, itemIndex, properties);
			const list = choice?.read(parameters) ?? common;
			const { filter, sorts } = parameters.query(list);
			const query = { filter, sorts: stableSort(sorts) };
			const request = {
				ownSorts: sorts.length,
				limit: parameters.flag('returnAll') ? undefined : parameters.wholeNumber('limit'),
				...parameters.paging(),
				output: readOutput(parameters),
			};
			const platformOptions = parameters.platformOptions();
			parameters.check();
			return {
				key: JSON.stringify({ ...request, path: list.path, query: writeQuery(query), platformOptions }),
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

/**
 * Count: how many rows match the filter, with one request for any number of rows, and one more to verify it. For a list
 * whose answer the specification does not show, the count is always proven, usually with up to four requests.
 *
 * @param choice as for Get Many
 */
export function countOperation(common: ListResource, choice?: ListChoice): Operation {
	const verifyOption: INodeProperties = {
		displayName: 'Verify',
		name: 'verify',
		type: 'boolean',
		default: true,
		description: `Whether to check the count with a second request. Some services stop counting at a round number; if there are more ${common.plural} than counted, the node stops and says so. Whole thousands are always verified.`,
	};
	const properties: INodeProperties[] = [
		...(choice ? [choice.property] : []),
		...filterProperties(common),
		optionsProperty({ paging: false, extra: common.open ? [] : [verifyOption] }),
	];
	return {
		name: 'Count',
		value: 'count',
		action: `Count ${common.plural}`,
		description: `Count the ${common.plural} that match a filter, without reading them`,
		properties,
		prepare(context, itemIndex) {
			const parameters = Parameters.ofItem(context, itemIndex, properties);
			const list = choice?.read(parameters) ?? common;
			const query = parameters.query(list);
			const verify = !list.open && parameters.flag('verify');
			const platformOptions = parameters.platformOptions();
			parameters.check();
			const request = { filter: query.filter, plural: list.plural, verify };
			return {
				key: JSON.stringify({ path: list.path, query: writeQuery(query), verify, platformOptions }),
				platformOptions,
				async run(connection) {
					const { count, hints } = list.open
						? await countOpenList(async (asked) => await connection.getOpenAnswer(list, asked), request)
						: await countList(async (asked) => await connection.getPage(list, asked), request);
					return { pages: [[{ count }]], hints };
				},
			};
		},
	};
}

/** Reads a list, whether or not the specification shows the shape of its answer. */
export async function readRows(
	connection: Connection,
	list: ListResource,
	request: ListRequest & { ownSorts: number },
): Promise<ListResult> {
	const named = { ...request, plural: list.plural };
	if (list.open) return await readOpenList(async (query) => await connection.getOpenAnswer(list, query), named);
	return await readList(async (query) => await connection.getPage(list, query), named);
}
