import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { type LoadOptions } from '../../parameters/dropdown';
import { withSaved } from './fieldOptions';

/** The codes of a status field: those that `load` gives, and those of `saved` that are not among them. */
export async function codesOf(
	context: ILoadOptionsFunctions,
	load: LoadOptions | undefined,
	saved: readonly string[],
): Promise<INodePropertyOptions[]> {
	const codes = saved.filter((code) => /^\d+$/.test(code));
	return withSaved((await load?.call(context)) ?? [], codes, (code) => `Code ${code}`);
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
