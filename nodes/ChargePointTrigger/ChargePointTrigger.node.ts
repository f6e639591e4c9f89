import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { methodsOf } from '../shared/node/dropdowns/methods';
import { testChargingNetworkApi } from '../shared/platform';
import { runPoll } from '../shared/trigger/run';
import { chargePointTriggerHint } from './builderHint';
import { panel } from './parameters';
import { chargePointTrigger } from './trigger';

const WORDS = { outOfOrder: 'out of order', statusChange: 'status' };
const MINUTES = '$parameter["minutesInState"] > 0 ? " after " + $parameter["minutesInState"] + " min" : ""';

/** Charge Point Trigger: what happens to the charge points (EVSEs) of stations. */
export class ChargePointTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charge Point Trigger',
		name: 'chargePointTrigger',
		icon: { light: 'file:../../icons/charge-point-alert.svg', dark: 'file:../../icons/charge-point-alert.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: `={{ (${JSON.stringify(WORDS)})[$parameter["event"]] + (${MINUTES}) }}`,
		description:
			'Starts the workflow when a charge point (EVSE, connector) of a station goes out of order or changes its status. Poll every 1 to 5 minutes.',
		builderHint: chargePointTriggerHint,
		defaults: { name: 'Charge Point Trigger' },
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
		return await runPoll(chargePointTrigger, this);
	}
}
