import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { subtitleOf } from '../shared/trigger/events/records';
import { triggerNode } from '../shared/trigger/node';
import { chargePointTriggerHint } from './builderHint';
import { CHARGE_POINT_EVENTS } from './events';
import { chargePointTrigger } from './trigger';

const { common, methods, poll } = triggerNode(chargePointTrigger);

export class ChargePointTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charge Point Trigger',
		name: 'chargePointTrigger',
		icon: { light: 'file:../../icons/charge-point-alert.svg', dark: 'file:../../icons/charge-point-alert.dark.svg' },
		subtitle: subtitleOf(CHARGE_POINT_EVENTS),
		description:
			'Starts the workflow when a charge point (EVSE, connector) of a station goes out of order, has a status for too long or changes its status. Poll every 1 to 5 minutes.',
		builderHint: chargePointTriggerHint,
		defaults: { name: 'Charge Point Trigger' },
		inputs: [],
		...common,
	};

	methods = methods;
	poll = poll;
}
