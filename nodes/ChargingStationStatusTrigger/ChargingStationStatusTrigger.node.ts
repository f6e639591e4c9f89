import type { INodeExecutionData, INodeType, INodeTypeDescription, IPollFunctions } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { testChargingNetworkApi } from '../shared/platform';
import { runPoll } from '../shared/trigger/run';
import { stationTriggerHint } from './builderHint';
import { panel } from './parameters';
import { methodsOf } from '../shared/node/dropdowns/methods';
import type { StationChoice } from './state/events';
import { stationTrigger } from './trigger';

/** The parameter with the changes to report, and the words for each of its choices. */
const CHANGES: Readonly<Record<StationChoice, string>> = {
	availability: 'availabilityChanges',
	filterMatch: 'matchChanges',
	statusChange: 'dimensions',
};
/** "After" is completed with the minutes of Alert Only After, or left out. */
const WORDS = {
	offline: 'offline after',
	back: 'back',
	starts: 'match after',
	stops: 'end of match',
	NetworkStatus: 'network status after',
	Status: 'status after',
	HardwareStatus: 'hardware status after',
};
const CHOSEN = `[$parameter[(${JSON.stringify(CHANGES)})[$parameter["event"]]]].flat()`;
const MINUTES = '$parameter["minutesInState"] > 0 ? " after " + $parameter["minutesInState"] + " min" : ""';

export class ChargingStationStatusTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Station Status Trigger',
		name: 'chargingStationStatusTrigger',
		icon: { light: 'file:../../icons/alert.svg', dark: 'file:../../icons/alert.dark.svg' },
		group: ['trigger'],
		version: 1,
		subtitle: `={{ ${CHOSEN}.map((change) => (${JSON.stringify(WORDS)})[change]).join(", ").replaceAll(" after", ${MINUTES}) }}`,
		description:
			'Starts the workflow when a station goes offline or comes back, changes its status, or matches a filter. Poll every 1 to 5 minutes.',
		builderHint: stationTriggerHint,
		defaults: { name: 'Charging Station Status Trigger' },
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
		return await runPoll(stationTrigger, this);
	}
}
