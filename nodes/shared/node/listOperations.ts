import capitalize from 'lodash/capitalize';
import type { INodeProperties } from 'n8n-workflow';

import { writeQuery } from '../dsquery/write';
import type { ListResource } from '../resources';
import { filterProperties } from './form/filterForm';
import {
	additionOptions,
	contradictionOption,
	includeInputOption,
	limitProperty,
	optionsProperty,
	returnAllProperty,
} from './form/listParameters';
import { outputProperties } from './form/outputForm';
import { sortProperty } from './form/sortForm';
import { nothingMatches, otherSpellings } from './noRows';
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
		...outputProperties,
		optionsProperty({ paging: true, extra: additionOptions(common) }),
		sortProperty(common),
	];
	return {
		name: `Get Many ${capitalize(common.noun)}s`,
		value: 'getAll',
		action: `Get many ${common.plural}`,
		description: `Find ${common.plural} with a filter and return each as an item`,
		properties,
		prepare(context, itemIndex) {
			const parameters = Parameters.ofItem(context, itemIndex, properties);
			const list = choice?.read(parameters) ?? common;
			const query = parameters.query(list);
			const request = {
				limit: parameters.flag('returnAll') ? undefined : parameters.wholeNumber('limit'),
				paging: parameters.paging(),
			};
			const output = readOutput(parameters);
			const platformOptions = parameters.platformOptions();
			parameters.check();
			return {
				key: JSON.stringify({ ...request, output, path: list.path, query: writeQuery(query), platformOptions }),
				platformOptions,
				async run(connection) {
					const shaper = new RowShaper(output, list);
					const collect = { add: shaper.shape };
					const reader = connection.list(list);
					const { pages, hints } = await reader.read({ ...request, query, collect });
					const { filter } = query;
					const isEmpty = filter !== undefined && request.limit !== 0 && pages.every((page) => page.length === 0);
					const notes = isEmpty
						? [nothingMatches(list.plural, filter, await otherSpellings(reader, filter))]
						: shaper.hints(list.plural);
					return { pages, hints: [...hints, ...notes] };
				},
			};
		},
	};
}

/**
 * Count: how many rows match the filter, with one request for any number of rows, and one more to verify it. For a list
 * whose answer the specification does not show, usually with up to four requests.
 *
 * @param choice as for Get Many
 */
export function countOperation(common: ListResource, choice?: ListChoice): Operation {
	const skipOption: INodeProperties = {
		displayName: 'Skip Verification',
		name: 'skipVerification',
		type: 'boolean',
		default: true,
		description: `Whether to return the platform's own figure after one request. Otherwise a second one checks it: the last of the ${common.plural} counted must be there, and none after it.`,
	};
	const properties: INodeProperties[] = [
		...(choice ? [choice.property] : []),
		...filterProperties(common),
		optionsProperty({
			paging: false,
			extra: [contradictionOption, includeInputOption, ...(common.unknownShape ? [] : [skipOption])],
		}),
	];
	return {
		name: `Count ${capitalize(common.noun)}s`,
		value: 'count',
		action: `Count ${common.plural}`,
		description: `Count the ${common.plural} that match a filter, without reading them`,
		properties,
		prepare(context, itemIndex) {
			const parameters = Parameters.ofItem(context, itemIndex, properties);
			const list = choice?.read(parameters) ?? common;
			const query = parameters.query(list);
			const options = {
				skipVerification: parameters.declares('skipVerification') && parameters.flag('skipVerification'),
				onContradiction: parameters.onContradiction(),
			};
			const platformOptions = parameters.platformOptions();
			const includeInput = parameters.flag('includeInputFields');
			parameters.check();
			return {
				key: JSON.stringify({ path: list.path, query: writeQuery(query), ...options, platformOptions, includeInput }),
				platformOptions,
				async run(connection) {
					const { count, hints } = await connection.list(list).count(query.filter, options);
					return { pages: [[{ count }]], hints, includeInput };
				},
			};
		},
	};
}
