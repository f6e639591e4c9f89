import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { NETWORK_LIST, networkList, pathFault } from './networkList';
import { PlatformError } from '../platform';
import type { ListParameter } from './list';
import { property } from '../parameters/parameter';

/** The name of the parameter: subtitles and dropdowns find the list by it. */
const NAME = 'list';

/** Code for what subtitles call the chosen list: "tariffs". Empty if none is chosen. */
export const LIST_NAME = `($parameter["${NAME}"] ?? "").replace(/^\\/api\\/|\\/v\\d+$/g, "")`;

const usual = { mode: 'path', value: '' };

/** A list that the user names by its path: the platform publishes none of them. */
export const chosenList: ListParameter = {
	properties: (name) => [
		property(
			name,
			{
				label: 'List',
				required: true,
				description:
					'The path of the list to read, such as /api/tariffs/v1. The operation Check Platform of Charging Network List finds likely ones that your key can read.',
			},
			{
				type: 'resourceLocator',
				default: usual,
				modes: [{ displayName: 'By Path', name: 'path', type: 'string', placeholder: 'e.g. /api/tariffs/v1' }],
			},
		),
	],
	read(name, source) {
		const path = pathOf(source.value(name, usual, { extractValue: true }));
		const fault = pathFault(path);
		if (fault === undefined) return networkList(path);
		source.refuse(name, fault);
		return NETWORK_LIST;
	},
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
