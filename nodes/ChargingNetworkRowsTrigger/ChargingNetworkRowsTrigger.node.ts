import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { LIST_NAME } from '../shared/parameters/chosenList';
import { pollingNode } from '../shared/trigger/node';
import { rowsTriggerHint } from './builderHint';
import { parameters } from './parameters';
import { rowsTrigger } from './trigger';

const { common, methods, poll } = pollingNode(rowsTrigger, parameters);

/** Charging Network Rows Trigger: new rows of any list of the platform. */
export class ChargingNetworkRowsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Network Rows Trigger',
		name: 'chargingNetworkRowsTrigger',
		icon: { light: 'file:../../icons/list-alert.svg', dark: 'file:../../icons/list-alert.dark.svg' },
		subtitle: `={{ "new in " + (${LIST_NAME} || "a list") }}`,
		description:
			'Starts the workflow when there is a new row in any list of the platform, such as the audit trail or the users. Poll every 1 to 5 minutes.',
		builderHint: rowsTriggerHint,
		defaults: { name: 'Charging Network Rows Trigger' },
		inputs: [],
		...common,
	};

	methods = methods;
	poll = poll;
}
