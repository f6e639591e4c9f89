import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { subtitleOf } from '../shared/trigger/events/records';
import { triggerNode } from '../shared/trigger/node';
import { stationTriggerHint } from './builderHint';
import { STATION_EVENTS } from './events';
import { stationTrigger } from './trigger';

const { common, methods, poll } = triggerNode(stationTrigger);

export class ChargingStationStatusTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Station Status Trigger',
		name: 'chargingStationStatusTrigger',
		icon: { light: 'file:../../icons/alert.svg', dark: 'file:../../icons/alert.dark.svg' },
		subtitle: subtitleOf(STATION_EVENTS),
		description:
			'Starts the workflow when a station goes offline or comes back, keeps going offline, changes its status, or matches a filter. Poll every 1 to 5 minutes.',
		builderHint: stationTriggerHint,
		defaults: { name: 'Charging Station Status Trigger' },
		inputs: [],
		...common,
	};

	methods = methods;
	poll = poll;
}
