import type { INodeProperties } from 'n8n-workflow';

import type { Catalogue } from '../dsquery/types';
import { chooseOne } from '../parameters/chosen';
import { property } from '../parameters/parameter';

/**
 * The `sort` parameter of a list: `{ by: [{ field, direction }] }`, applied in the order given.
 *
 * @param unsorted what it means to leave it out
 */
export function sortProperty({ noun }: Catalogue, unsorted = 'Without a sort, the ID decides.'): INodeProperties {
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
					property(
						'field',
						{ label: 'Field Name or ID', required: true, description: chooseOne() },
						{ type: 'options', typeOptions: { loadOptionsMethod: 'getSortFields' }, default: '' },
					),
					{
						displayName: 'Direction',
						name: 'direction',
						type: 'options',
						noDataExpression: true,
						options: [
							{ name: 'Ascending', value: 'Asc', description: 'Smallest, earliest or A first' },
							{ name: 'Descending', value: 'Desc', description: 'Largest, latest or Z first' },
						],
						default: 'Asc',
					},
				],
			},
		],
	};
}
