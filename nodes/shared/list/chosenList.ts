import type { ILoadOptionsFunctions } from 'n8n-workflow';

import type { Refuse } from '../dsquery/validationIssues';
import { createParameter } from '../parameters/parameter';
import { PlatformError } from '../platform';
import type { ListResource } from '../resources';
import type { ListParameter } from './list';
import { NETWORK_LIST, networkList, explainInvalidPath } from './networkList';

/** The name of the parameter: subtitles and dropdowns find the list by it. */
const NAME = 'list';

/** Code for what subtitles call the chosen list: "tariffs". Empty if none is chosen. */
export const LIST_NAME = `($parameter["${NAME}"] ?? "").replace(/^\\/api\\/|\\/v\\d+$/g, "")`;

/** A list that the user names by its path: the platform publishes none of them. */
export const chosenList: ListParameter = {
	...createParameter(
		{
			label: 'List',
			required: true,
			description:
				'The path of the list to read, such as /api/tariffs/v1. The operation Check Platform of Charging Network List finds likely ones that your key can read.',
		},
		{
			type: 'resourceLocator',
			default: { mode: 'path', value: '' },
			modes: [{ displayName: 'By Path', name: 'path', type: 'string', placeholder: 'e.g. /api/tariffs/v1' }],
		},
		listAt,
	),
	common: NETWORK_LIST,
	reloads: `${NAME}.value`,
	chosenIn(context: ILoadOptionsFunctions) {
		return listAt(context.getCurrentNodeParameter(NAME, { extractValue: true }), (fault) => {
			throw new PlatformError('configuration', `List: ${fault}`);
		});
	},
};

function listAt(stored: unknown, refuse: Refuse): ListResource {
	const path = typeof stored === 'string' ? stored.trim() : '';
	const fault = explainInvalidPath(path);
	if (fault === undefined) return networkList(path);
	refuse(fault);
	return NETWORK_LIST;
}
