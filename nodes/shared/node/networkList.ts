import cloneDeepWith from 'lodash/cloneDeepWith';
import type { ILoadOptionsFunctions, INodeProperties } from 'n8n-workflow';

import { isRecord, quote } from '../dsquery/faults';
import { isNote } from '../dsquery/fieldValue';
import { PlatformError } from '../platform';
import type { ListResource } from '../resources';
import type { Parameters } from './parameters';

/** The list to read: its path is stored, whether it was chosen or typed. */
export const networkListProperty: INodeProperties = {
	displayName: 'List',
	name: 'list',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	description:
		'The list to read. From List shows the lists that were found, with what the key lacks to read them. Any other can be typed By Path.',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a list...',
			typeOptions: { searchListMethod: 'searchNetworkLists', searchable: true },
		},
		{
			displayName: 'By Path',
			name: 'path',
			type: 'string',
			placeholder: 'e.g. /api/tariffs/v1',
		},
	],
};

/** What all lists that can be chosen have in common. */
export const NETWORK_LIST: ListResource = {
	path: '',
	unknownShape: true,
	typed: true,
	noun: 'row',
	plural: 'rows',
	fields: [],
};

/** The list that the parameter names. Notes a fault if it cannot be used; then nothing may be sent. */
export function readNetworkList(parameters: Parameters): ListResource {
	const stored = parameters.value(networkListProperty.name);
	const path = typeof stored === 'string' ? stored.trim() : '';
	const fault = pathFault(path);
	if (fault === undefined) return networkList(path);
	parameters.refuse(networkListProperty.name, fault);
	return NETWORK_LIST;
}

const LONGEST_PATH = 200;
const PATH = /^\/api((?:\/[\w.~-]+)+)\/v\d{1,4}$/;

/** Why a path cannot be that of a list, as a sentence. Undefined if it can. */
export function pathFault(path: string): string | undefined {
	const form = 'A path looks like /api/tariffs/v1.';
	if (path === '') return `no list is chosen. Choose one, or type its path; if it is an expression, it came out empty.`;
	if (isNote(path)) return `this entry is only a note. Choose a list, or type its path. ${form}`;
	const shown = quote(path);
	if (path.length > LONGEST_PATH) return `${shown} is too long. ${form}`;
	if (/^[a-z][a-z\d+.-]*:|^\/\//i.test(path)) {
		return `${shown} includes a host. The platform's address is in the credential: leave it out here. ${form}`;
	}
	if (/[?#]/.test(path)) return `${shown} holds a query. Leave it out: use Filters, Sort and Limit. ${form}`;
	if (/%|\\|[^\x21-\x7e]/.test(path)) {
		return `${shown} has a character not allowed here, such as %, a backslash or a space. ${form}`;
	}
	if (path.split('/').some((segment) => /^\.+$/.test(segment))) return `${shown} has a part made of dots. ${form}`;
	if (!PATH.test(path))
		return `${shown} is not the path of a list: it begins with /api/ and ends with its version. ${form}`;
	return undefined;
}

/** A list of which only the path is known. */
export function networkList(path: string): ListResource {
	const name = PATH.exec(path)?.[1]?.slice(1) ?? path;
	return { ...NETWORK_LIST, path, plural: `rows of "${name}"` };
}

/**
 * The list that is chosen in the editor, for the dropdowns of its fields.
 *
 * @throws PlatformError if none is chosen, or its path cannot be used
 */
export function chosenNetworkList(context: ILoadOptionsFunctions): ListResource {
	const stored: unknown = context.getCurrentNodeParameter(networkListProperty.name, { extractValue: true });
	const path = typeof stored === 'string' ? stored.trim() : '';
	const fault = pathFault(path);
	if (fault !== undefined) throw new PlatformError('configuration', `List: ${fault}`);
	return networkList(path);
}

/** The properties, with each dropdown of fields reloading when another list is chosen. */
export function dependingOnList(properties: readonly INodeProperties[]): INodeProperties[] {
	return cloneDeepWith(properties, (value: unknown) => {
		if (!isRecord(value) || value.loadOptionsMethod === undefined) return undefined;
		return { ...value, loadOptionsDependsOn: [`${networkListProperty.name}.value`] };
	}) as INodeProperties[];
}
