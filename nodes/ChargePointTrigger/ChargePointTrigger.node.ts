import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { chargePointFields, chargePointValues } from '../shared/node/dropdowns/chargePoints';
import { listLoadOptions } from '../shared/node/dropdowns/liveRows';
import { dropdowns } from '../shared/node/dropdowns/methods';
import { testChargingNetworkApi } from '../shared/platform';
import { STATIONS } from '../shared/resources';
import { runPoll } from '../shared/trigger/run';
import { chargePointTriggerHint } from './builderHint';
import { triggerProperties } from './properties';
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
		properties: triggerProperties,
	};

	methods = {
		credentialTest: { testChargingNetworkApi },
		...dropdowns({
			loadOptions: {
				...listLoadOptions(STATIONS),
				getStatusFields: chargePointFields('statusField'),
				getOutOfOrderValues: chargePointValues('outOfOrderValues', 'statusField'),
				getFromValues: chargePointValues('fromValues', 'statusField'),
				getToValues: chargePointValues('toValues', 'statusField'),
			},
		}),
	};

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		return await runPoll(chargePointTrigger, this);
	}
}
