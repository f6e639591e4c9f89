import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { pollingNode } from '../shared/trigger/node';
import { stationTriggerHint } from './builderHint';
import { parameters } from './parameters';
import type { StationChoice } from './events';
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

const { common, methods, poll } = pollingNode(stationTrigger, parameters);

export class ChargingStationStatusTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Station Status Trigger',
		name: 'chargingStationStatusTrigger',
		icon: { light: 'file:../../icons/alert.svg', dark: 'file:../../icons/alert.dark.svg' },
		subtitle: `={{ ${CHOSEN}.map((change) => (${JSON.stringify(WORDS)})[change]).join(", ").replaceAll(" after", ${MINUTES}) }}`,
		description:
			'Starts the workflow when a station goes offline or comes back, changes its status, or matches a filter. Poll every 1 to 5 minutes.',
		builderHint: stationTriggerHint,
		defaults: { name: 'Charging Station Status Trigger' },
		inputs: [],
		...common,
	};

	methods = methods;
	poll = poll;
}
