import type { DisplayCondition, INodeProperties } from 'n8n-workflow';

import { filterProperties, NO_CONDITION } from './filterProperties';
import { formDropdowns, listDropdown } from './dropdowns/liveRows';
import { readFilterForm, readSortForm, type OptionalFilter } from '../dsquery/read/formEntries';
import type { ListSchema, SortEntry } from '../dsquery/types';
import { dropdownDescription, loadOptionsProperties } from '../parameters/dropdownParameters';
import type { Dropdown } from '../parameters/dropdown';
import { fixedCollectionProperties, readFixedCollection } from '../parameters/fixedCollection';
import type { ListParameter } from './list';
import { createProperty, propertiesShownUnder, type Parameter } from '../parameters/parameter';

/** The filter of a list: the parameters `filters` and `logic`. */
export function filtersParameter(list: ListParameter, description?: string): Parameter<OptionalFilter, undefined> {
	const dropdowns = formDropdowns(list);
	const [form, ...logic] = filterProperties(list.common, dropdowns[0], description);
	return {
		dropdowns,
		properties: () => [...fixedCollectionProperties(form), ...logic],
		read(name, source) {
			const filters = readFixedCollection(form, source.form(name), source.issues);
			const { zone, now } = source;
			const context = { schema: source.valueOf(list), zone, now };
			return readFilterForm(filters, source.value('logic', 'And'), context, source.issues);
		},
	};
}

/**
 * In which order the rows of a list come.
 *
 * @param unsorted what it means to leave the sort out, if not that the Id decides
 */
export function sortParameter(list: ListParameter, unsorted?: string): Parameter<SortEntry[], undefined> {
	const dropdown = listDropdown(list, 'getSortFields');
	const form = sortProperty(list.common, dropdown, unsorted);
	return {
		dropdowns: [dropdown],
		properties: () => fixedCollectionProperties(form),
		read: (name, source) => {
			const stored = readFixedCollection(form, source.form(name), source.issues);
			return readSortForm(stored, source.valueOf(list), source.issues);
		},
	};
}

/** A notice that is shown only while there is a condition in Filters, or only while there is none. */
export function filterNotice(when: 'filtered' | 'unfiltered', shown: Parameter<undefined, undefined>) {
	const condition: DisplayCondition =
		when === 'filtered' ? { _cnd: { not: NO_CONDITION } } : { _cnd: { eq: NO_CONDITION } };
	return { ...shown, properties: propertiesShownUnder(shown, { show: { filters: [condition] } }) };
}

/**
 * The `sort` parameter of a list: `{ by: [{ field, direction }] }`, applied in the order given.
 *
 * @param unsorted what it means to leave it out
 */
function sortProperty(
	{ noun }: ListSchema,
	dropdown: Dropdown,
	unsorted = 'Without a sort, the ID decides.',
): INodeProperties {
	return {
		displayName: 'Sort',
		name: 'sort',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true, hideEmptyMessage: true },
		placeholder: 'Add Sort Field',
		default: {},
		description: `In which order the ${noun}s come. Where they are equal, the ID decides. ${unsorted}`,
		options: [
			{
				displayName: 'Sort By',
				name: 'by',
				values: [
					createProperty(
						'field',
						{ label: 'Field Name or ID', required: true, description: dropdownDescription() },
						{ type: 'options', typeOptions: loadOptionsProperties(dropdown), default: '' },
					),
					createProperty(
						'direction',
						{ label: 'Direction', isFixed: true },
						{ type: 'options', options: DIRECTIONS, default: 'Asc' },
					),
				],
			},
		],
	};
}

const DIRECTIONS = [
	{ name: 'Ascending', value: 'Asc', description: 'Smallest, earliest or A first' },
	{ name: 'Descending', value: 'Desc', description: 'Largest, latest or Z first' },
];
