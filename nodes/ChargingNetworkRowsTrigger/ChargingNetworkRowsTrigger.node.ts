import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { methodsOf } from '../shared/node/dropdowns/methods';
import { LIST_NAME } from '../shared/parameters/chosenList';
import { testChargingNetworkApi } from '../shared/platform';
import { runPoll } from '../shared/trigger/run';
import { rowsTriggerHint } from './builderHint';
import { panel } from './parameters';
import { rowsTrigger } from './trigger';

/** Charging Network Rows Trigger: new rows of any list of the platform. */
export class ChargingNetworkRowsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Network Rows Trigger',
		name: 'chargingNetworkRowsTrigger',
		icon: { light: 'file:../../icons/list-alert.svg', dark: 'file:../../icons/list-alert.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: `={{ "new in " + (${LIST_NAME} || "a list") }}`,
		description:
			'Starts the workflow when there is a new row in any list of the platform, such as the audit trail or the users. Poll every 1 to 5 minutes.',
		builderHint: rowsTriggerHint,
		defaults: { name: 'Charging Network Rows Trigger' },
		polling: true,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'chargingNetworkApi', required: true, testedBy: 'testChargingNetworkApi' }],
		properties: panel.properties,
	};

	methods = {
		credentialTest: { testChargingNetworkApi },
		...methodsOf([panel]),
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await runPoll(rowsTrigger, this);
	}
}
