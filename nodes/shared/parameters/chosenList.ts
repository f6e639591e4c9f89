import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { searchNetworkLists } from '../node/dropdowns/networkLists';
import { NETWORK_LIST, networkList, pathFault } from '../node/networkList';
import { PlatformError } from '../platform';
import { locator } from './identifier';
import type { ListParameter } from './list';

/** The name of the parameter: subtitles and dropdowns find the list by it. */
const NAME = 'list';

/** Code for what subtitles call the chosen list: "tariffs". Empty if none is chosen. Subtitles see its path only. */
export const LIST_NAME = `($parameter["${NAME}"] ?? "").replace(/^\\/api\\/|\\/v\\d+$/g, "")`;

/** A list that the user chooses. Its path is stored, whether it was chosen or typed. */
export const chosenList: ListParameter = {
	...locator(
		{
			label: 'List',
			description:
				'The list to read. From List shows the lists that were found, with what the key lacks to read them. Any other can be typed By Path.',
			search: { method: 'searchNetworkLists', search: searchNetworkLists },
			select: 'Select a list...',
			typed: { label: 'By Path', name: 'path', placeholder: 'e.g. /api/tariffs/v1' },
		},
		(stored, name, source) => {
			const path = pathOf(stored);
			const fault = pathFault(path);
			if (fault === undefined) return networkList(path);
			source.refuse(name, fault);
			return NETWORK_LIST;
		},
	),
	common: NETWORK_LIST,
	reloads: `${NAME}.value`,
	chosenIn(context: ILoadOptionsFunctions) {
		const path = pathOf(context.getCurrentNodeParameter(NAME, { extractValue: true }));
		const fault = pathFault(path);
		if (fault !== undefined) throw new PlatformError('configuration', `List: ${fault}`);
		return networkList(path);
	},
};

function pathOf(stored: unknown): string {
	return typeof stored === 'string' ? stored.trim() : '';
}
