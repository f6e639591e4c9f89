import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { STATIONS } from '../shared/resources';
import { isNote } from '../shared/dsquery/fieldValue';
import { listLoadOptions } from '../shared/node/dropdowns/liveRows';
import { codesFor, codesOf, savedIn } from '../shared/node/dropdowns/statusCodes';
import type { LoadOptions } from '../shared/node/dropdowns/fieldOptions';

const listMethods: Record<string, LoadOptions> = listLoadOptions(STATIONS);

const codesMethodOf = (dimension: string) => listMethods[`get${dimension}Codes`];

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
			const codes = await codesOf(this, codesMethodOf(dimension), own);
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

/** The trigger's dropdowns, including those of the filter form. */
export const triggerLoadOptions = {
	...listMethods,
	getOnlineValues: codesFor(codesMethodOf('NetworkStatus'), 'options.onlineValues'),
	getOutOfServiceValues: codesFor(codesMethodOf('Status'), 'options.outOfServiceValues'),
	getFromValues: valuesFor('fromValues'),
	getToValues: valuesFor('toValues'),
};
