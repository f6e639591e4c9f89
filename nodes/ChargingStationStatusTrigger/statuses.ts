import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { isNoteChoice } from '../shared/dsquery/fieldChoice';
import { createCodeOptions, loadCodeOptions, savedChoices } from '../shared/list/dropdowns/fieldOptions';
import { listDropdown } from '../shared/list/dropdowns/liveRows';
import { fixedListParameter } from '../shared/list/list';
import type { Dropdown, LoadOptions } from '../shared/parameters/dropdown';
import { STATIONS } from '../shared/resources';
import type { RowKey } from '../shared/trigger/keys';

/** The three independent statuses of a station, as the platform spells them. */
export const DIMENSIONS = ['NetworkStatus', 'Status', 'HardwareStatus'] as const;

export type StatusDimension = (typeof DIMENSIONS)[number];

/** The station in a key, and its status, if the key has one: `17#HardwareStatus`. */
export function splitStatusKey(key: string): [station: RowKey, dimension: StatusDimension | null] {
	const dimension = DIMENSIONS.find((each) => key.endsWith(`#${each}`));
	return dimension ? [key.slice(0, -dimension.length - 1), dimension] : [key, null];
}

const list = fixedListParameter(STATIONS);

const codesOfDimension = (dimension: string) => listDropdown(list, `get${dimension}Codes`).load;

/** The values of all watched statuses, as `NetworkStatus=2`. */
function valuesFor(path: string): LoadOptions {
	return async function (this: ILoadOptionsFunctions) {
		const saved = savedChoices(this, path).map((value) => value.split('=', 2));
		const watched = [...savedChoices(this, 'dimensions'), ...saved.map(([name]) => name)];
		const lists: INodePropertyOptions[][] = [];
		for (const { name, label } of STATIONS.fields.filter(({ type }) => type === 'code')) {
			if (!watched.includes(name)) continue;
			const own = saved.flatMap(([dimension, code = '']) => (dimension === name ? code : []));
			const codes = await loadCodeOptions(this, codesOfDimension(name), own);
			const real = codes.filter(({ value }) => !isNoteChoice(String(value)));
			const valueOf = ({ value }: INodePropertyOptions) => `${name}=${String(value)}`;
			lists.push(real.map((option) => ({ ...option, name: `${label}: ${option.name}`, value: valueOf(option) })));
			if (name === 'HardwareStatus') lists.push([{ name: `${label}: None Reported`, value: `${name}=none` }]);
		}
		return lists.flat();
	};
}

/** A dropdown of the codes of one status, and of those stored in the parameter at `path`. */
export function statusDropdown(method: string, dimension: StatusDimension, path: string): Dropdown {
	return { method, load: createCodeOptions(codesOfDimension(dimension), path) };
}

export function valuesDropdown(method: string, path: string): Dropdown {
	return { method, load: valuesFor(path) };
}
