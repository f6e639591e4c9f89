import { isExpression } from 'n8n-workflow';
import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
	INodePropertyOptions,
} from 'n8n-workflow';

/** A method behind a dropdown. */
export type LoadOptions = (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>;

type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/**
 * A dropdown: what loads its entries, or finds some in a long list; the name of that method in the property; and the path of
 * what the entries depend on: when that changes, they are loaded again.
 */
export type Dropdown = { method: string; dependsOn?: string } & ({ load: LoadOptions } | { search: ListSearch });

/**
 * The methods behind the dropdowns of operations, or of a trigger. The workflow stores the value that is chosen, and for
 * From List its name, and n8n runs any stored text that begins with `=` as an expression. What the platform sends must
 * never become one: such values are left out, and such names are put in quotes.
 */
export function methodsOf(owners: ReadonlyArray<{ dropdowns: readonly Dropdown[] }>) {
	const loadOptions: Record<string, LoadOptions> = {};
	const listSearch: Record<string, ListSearch> = {};
	for (const each of owners.flatMap(({ dropdowns }) => dropdowns)) {
		if ('load' in each) {
			loadOptions[each.method] = async function () {
				return withoutExpressions(await each.load.call(this));
			};
		} else {
			listSearch[each.method] = async function (...asked) {
				const found = await each.search.apply(this, asked);
				return { ...found, results: withoutExpressions(found.results) };
			};
		}
	}
	return { loadOptions, listSearch };
}

function withoutExpressions<Entry extends INodePropertyOptions | INodeListSearchItems>(
	entries: readonly Entry[],
): Entry[] {
	return entries
		.filter(({ value }) => !isExpression(value))
		.map((entry) => (isExpression(entry.name) ? { ...entry, name: `“${entry.name}”` } : entry));
}
