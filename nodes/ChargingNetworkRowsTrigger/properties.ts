import type { INodeProperties } from 'n8n-workflow';

import { filterProperties, NO_CONDITION } from '../shared/node/form/filterForm';
import { eventOutputProperty, optionsProperty, pollingNotice } from '../shared/node/form/listParameters';
import { dependingOnList, NETWORK_LIST, networkListProperty } from '../shared/node/networkList';

/** The trigger's parameters. n8n adds the poll times itself. */
export const triggerProperties: INodeProperties[] = [
	{
		// The only event, so it is not shown. n8n takes the words of its node panel from here.
		displayName: 'Trigger On',
		name: 'event',
		type: 'hidden',
		noDataExpression: true,
		options: [{ name: 'New Row in a List', value: 'newRow', action: 'On new row in list' }],
		default: 'newRow',
	},
	pollingNotice(
		'New rows are found by their ID, so the IDs must be whole numbers that increase. If not, the trigger says so when the workflow goes live.',
	),
	networkListProperty,
	...dependingOnList(filterProperties(NETWORK_LIST)),
	{
		displayName: 'Filters apply when a row is found: a row that does not match then is never reported.',
		name: 'filterNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { filters: [{ _cnd: { not: NO_CONDITION } }] } },
	},
	eventOutputProperty('many rows send one message'),
	optionsProperty({ paging: true }),
];
