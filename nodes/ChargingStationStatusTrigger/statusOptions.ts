import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { givenList } from '../shared/parameters/list';
import { STATIONS } from '../shared/resources';
import { isNote } from '../shared/dsquery/fieldValue';
import { listDropdown } from '../shared/node/dropdowns/liveRows';
import type { Dropdown } from '../shared/node/dropdowns/methods';
import { codesFor, codesOf, savedIn } from '../shared/node/dropdowns/statusCodes';
import type { LoadOptions } from '../shared/node/dropdowns/fieldOptions';
import type { Dimension } from './state/types';

const list = givenList(STATIONS);

const codesOfDimension = (dimension: string) => listDropdown(list, `get${dimension}Codes`).load;

/** The values of all watched statuses, as `NetworkStatus=2`. */
function valuesFor(path: string): LoadOptions {
	return async function (this: ILoadOptionsFunctions) {
		const watched = savedIn(this, 'dimensions');
		const saved = savedIn(this, path);
		const dimensions = STATIONS.fields.filter(
			({ name, type }) =>
				type === 'code' && (watched.includes(name) || saved.some((value) => value.startsWith(`${name}=`))),
		);
		const lists: INodePropertyOptions[][] = [];
		for (const { name: dimension, label } of dimensions) {
			const own = saved
				.filter((value) => value.startsWith(`${dimension}=`))
				.map((value) => value.slice(dimension.length + 1));
			const codes = await codesOf(this, codesOfDimension(dimension), own);
			lists.push(
				codes
					.filter(({ value }) => !isNote(String(value)))
					.map((option) => ({
						...option,
						name: `${label}: ${option.name}`,
						value: `${dimension}=${String(option.value)}`,
					})),
			);
			if (dimension === 'HardwareStatus') lists.push([{ name: `${label}: None Reported`, value: `${dimension}=none` }]);
		}
		return lists.flat();
	};
}

/** A dropdown of the codes of one status, and of those stored in the parameter at `path`. */
export function statusDropdown(method: string, dimension: Dimension, path: string): Dropdown {
	return { method, load: codesFor(codesOfDimension(dimension), path) };
}

export function valuesDropdown(method: string, path: string): Dropdown {
	return { method, load: valuesFor(path) };
}
