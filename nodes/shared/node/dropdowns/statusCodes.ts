import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { isNote } from '../../dsquery/fieldValue';

export type LoadOptions = (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>;

/** The codes of a status field: known labels, codes seen on live rows, and those saved in the parameter. */
export async function codesOf(
	context: ILoadOptionsFunctions,
	load: LoadOptions | undefined,
	saved: readonly string[],
): Promise<INodePropertyOptions[]> {
	const options = (await load?.call(context)) ?? [];
	const listed = new Set(options.map(({ value }) => String(value)));
	const missing = saved.filter((code) => !listed.has(code) && /^\d+$/.test(code));
	const kept = missing.map((code) => ({ name: `Code ${code}`, value: code, description: 'Saved in this workflow' }));
	return [
		...options.filter(({ value }) => !isNote(String(value))),
		...kept,
		...options.filter(({ value }) => isNote(String(value))),
	];
}

/** The choices stored in one parameter of the node. */
export function savedIn(context: ILoadOptionsFunctions, path: string): string[] {
	const value: unknown = context.getCurrentNodeParameter(path);
	return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : [];
}

/** A dropdown of the codes that `load` gives and of those stored in the parameter at `path`. */
export function codesFor(load: LoadOptions | undefined, path: string): LoadOptions {
	return async function (this: ILoadOptionsFunctions) {
		return await codesOf(this, load, savedIn(this, path));
	};
}
