import mapValues from 'lodash/mapValues';
import { isExpression } from 'n8n-workflow';
import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { LoadOptions } from './fieldOptions';

export type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** What loads the entries of a dropdown, or finds entries in a long list, and the name of that method in a property. */
export type Dropdown = { method: string } & ({ load: LoadOptions } | { search: ListSearch });

/** The methods behind the dropdowns of operations, or of a trigger. */
export function methodsOf(owners: ReadonlyArray<{ dropdowns?: readonly Dropdown[] }>) {
	const all = owners.flatMap(({ dropdowns: own = [] }) => own);
	const loadOptions: Record<string, LoadOptions> = {};
	const listSearch: Record<string, ListSearch> = {};
	for (const each of all) {
		if ('load' in each) loadOptions[each.method] = each.load;
		else listSearch[each.method] = each.search;
	}
	return dropdowns({ loadOptions, listSearch });
}

/**
 * The methods behind the dropdowns of a node. The workflow stores the value that is chosen, and for From List its name,
 * and n8n runs any stored text that begins with `=` as an expression. What the platform sends must never become one:
 * such values are left out, and such names are put in quotes.
 */
export function dropdowns({
	loadOptions,
	listSearch = {},
}: {
	loadOptions: Record<string, LoadOptions>;
	listSearch?: Record<string, ListSearch>;
}) {
	return {
		loadOptions: mapValues(
			loadOptions,
			(load) =>
				async function (this: ILoadOptionsFunctions) {
					return withoutExpressions(await load.call(this));
				},
		),
		listSearch: mapValues(
			listSearch,
			(search) =>
				async function (this: ILoadOptionsFunctions, ...asked: [filter?: string, paginationToken?: string]) {
					const found = await search.apply(this, asked);
					return { ...found, results: withoutExpressions(found.results) };
				},
		),
	};
}

function withoutExpressions<Entry extends INodePropertyOptions | INodeListSearchItems>(
	entries: readonly Entry[],
): Entry[] {
	return entries
		.filter(({ value }) => !isExpression(value))
		.map((entry) => (isExpression(entry.name) ? { ...entry, name: `“${entry.name}”` } : entry));
}
