import mapValues from 'lodash/mapValues';
import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { LIST_NAME } from '../shared/list/chosenList';
import { triggerNode } from '../shared/trigger/node';
import { rowsTriggerHint } from './builderHint';
import { ROW_EVENTS } from './events';
import { rowsTrigger } from './trigger';

const { common, methods, poll } = triggerNode(rowsTrigger);
const WORDS = JSON.stringify(mapValues(ROW_EVENTS, 'subtitle'));

export class ChargingNetworkRowsTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Network Rows Trigger',
		name: 'chargingNetworkRowsTrigger',
		icon: { light: 'file:../../icons/list-alert.svg', dark: 'file:../../icons/list-alert.dark.svg' },
		subtitle: `={{ (${WORDS})[$parameter["event"]] + " " + (${LIST_NAME} || "a list") }}`,
		description:
			'Starts the workflow when there is a new row in any list of the platform, such as the audit trail or the users, or a row changes or is gone. Poll every 1 to 5 minutes.',
		builderHint: rowsTriggerHint,
		defaults: { name: 'Charging Network Rows Trigger' },
		inputs: [],
		...common,
	};

	methods = methods;
	poll = poll;
}
