import type { INodeProperties } from 'n8n-workflow';

import { filterProperties, NO_CONDITION } from '../shared/node/form/filterForm';
import { eventOutputProperty, optionsProperty } from '../shared/node/form/listParameters';
import { dependingOnList, NETWORK_LIST, networkListProperty } from '../shared/node/networkList';

/** The trigger's parameters. n8n adds the poll times itself. */
export const triggerProperties: INodeProperties[] = [
	{
		displayName:
			'The platform recommends polling every 1 to 5 minutes. A poll costs one request, however long the list is. New rows are found by their ID, so the IDs must be whole numbers that increase. If not, the trigger says so when the workflow goes live.',
		name: 'pollingNotice',
		type: 'notice',
		default: '',
	},
	networkListProperty,
	...dependingOnList(filterProperties(NETWORK_LIST)),
	{
		displayName:
			'Filters apply when a row is found: a row that does not match then is never reported. Each 100 new rows cost one more request.',
		name: 'filterNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { filters: [{ _cnd: { not: NO_CONDITION } }] } },
	},
	eventOutputProperty('many rows send one message'),
	optionsProperty({ paging: true }),
];
