import type { DisplayCondition } from 'n8n-workflow';

import { filterProperties, NO_CONDITION } from './filterForm';
import { sortProperty } from './sortForm';
import { formDropdowns, listDropdown } from './dropdowns/liveRows';
import { readFilterInto, readSortsInto, type Filter } from '../dsquery/read/form';
import type { SortEntry } from '../dsquery/types';
import type { ListParameter } from './list';
import { shownUnder, type Parameter } from '../parameters/parameter';

/** The filter of a list: the parameters `filters` and `logic`. */
export function filters(list: ListParameter, description?: string): Parameter<Filter, undefined> {
	return {
		dropdowns: formDropdowns(list),
		properties: () => filterProperties(list.common, description),
		read(name, source) {
			const stored = { filters: source.value(name, {}), logic: source.value('logic', 'And') };
			const { zone, now } = source;
			return readFilterInto(stored, { catalogue: source.valueOf(list), zone, now }, source.faults);
		},
	};
}

/**
 * The filter of a list, and in which order its rows come. The sort in a JSON condition counts if the form has none.
 *
 * @param unsorted what it means to leave the sort out, if not that the Id decides
 */
export function filtersAndSort(list: ListParameter, unsorted?: string) {
	const filtered = filters(list);
	return { filters: filtered, sort: sort(list, filtered, unsorted) };
}

function sort(list: ListParameter, filtered: Parameter<Filter>, unsorted?: string): Parameter<SortEntry[], undefined> {
	return {
		dropdowns: [listDropdown(list, 'getSortFields')],
		properties: () => [sortProperty(list.common, unsorted)],
		read: (name, source) =>
			readSortsInto(source.value(name, {}), source.valueOf(filtered), source.valueOf(list), source.faults),
	};
}

/** A notice that is shown only while there is a condition, or only while there is none. */
export function filterNotice(
	filtered: Parameter<Filter>,
	when: 'filtered' | 'unfiltered',
	shown: Parameter<undefined, undefined>,
): Parameter<undefined, undefined> {
	const condition: DisplayCondition =
		when === 'filtered' ? { _cnd: { not: NO_CONDITION } } : { _cnd: { eq: NO_CONDITION } };
	return { ...shown, properties: shownUnder(shown, ({ nameOf }) => ({ show: { [nameOf(filtered)]: [condition] } })) };
}
