import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { STATIONS } from '../shared/dsquery/catalogue';
import { isNote } from '../shared/dsquery/fieldValue';
import { STATIONS_LIST } from '../shared/platform/endpoints';
import { listLoadOptions } from '../shared/ui/liveRows';
import type { Dimension } from '../shared/watch/types';

type LoadOptions = (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>;

const listMethods: Record<string, LoadOptions> = listLoadOptions(STATIONS, STATIONS_LIST);

const DIMENSION_LABELS: Readonly<Record<Dimension, string>> = {
	NetworkStatus: 'Network Status',
	Status: 'Administrative Status',
	HardwareStatus: 'Hardware Status',
};

/** The codes of one status: known labels, codes seen on live stations, and those saved in the parameter. */
async function codesOf(
	context: ILoadOptionsFunctions,
	dimension: Dimension,
	saved: readonly string[],
): Promise<INodePropertyOptions[]> {
	const options = (await listMethods[`get${dimension}Codes`]?.call(context)) ?? [];
	const listed = new Set(options.map(({ value }) => String(value)));
	const missing = saved.filter((code) => !listed.has(code) && /^\d+$/.test(code));
	const kept = missing.map((code) => ({ name: `Code ${code}`, value: code, description: 'Saved in this workflow' }));
	return [
		...options.filter(({ value }) => !isNote(String(value))),
		...kept,
		...options.filter(({ value }) => isNote(String(value))),
	];
}

function savedIn(context: ILoadOptionsFunctions, path: string): string[] {
	const value: unknown = context.getCurrentNodeParameter(path);
	return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}

function codesFor(dimension: Dimension, path: string): LoadOptions {
	return async function (this: ILoadOptionsFunctions) {
		return await codesOf(this, dimension, savedIn(this, path));
	};
}

/** The values of all watched statuses, as `NetworkStatus=2`. */
function valuesFor(path: string): LoadOptions {
	return async function (this: ILoadOptionsFunctions) {
		const watched = savedIn(this, 'dimensions');
		const saved = savedIn(this, path);
		const dimensions = (Object.keys(DIMENSION_LABELS) as Dimension[]).filter(
			(dimension) => watched.includes(dimension) || saved.some((value) => value.startsWith(`${dimension}=`)),
		);
		const lists: INodePropertyOptions[][] = [];
		for (const dimension of dimensions) {
			const own = saved
				.filter((value) => value.startsWith(`${dimension}=`))
				.map((value) => value.slice(dimension.length + 1));
			const label = DIMENSION_LABELS[dimension];
			const codes = await codesOf(this, dimension, own);
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

/** The trigger's dropdowns, besides those of the filter form. */
export const triggerLoadOptions = {
	...listMethods,
	getOnlineValues: codesFor('NetworkStatus', 'options.onlineValues'),
	getOutOfServiceValues: codesFor('Status', 'options.outOfServiceValues'),
	getFromValues: valuesFor('fromValues'),
	getToValues: valuesFor('toValues'),
};
