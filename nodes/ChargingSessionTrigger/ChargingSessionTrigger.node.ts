import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

import { triggerNode } from '../shared/trigger/node';
import { sessionTriggerHint } from './builderHint';
import { EVENT_NAMES, SESSION_EVENTS } from './events';
import { sessionTrigger } from './trigger';

/** The words of each event, as code: `runningLong: "running over " + $parameter["runningHours"] + " h"`. */
const words = EVENT_NAMES.map((name) => {
	const { word, figure } = SESSION_EVENTS[name];
	return figure ? `${name}: "${word} " + $parameter["${figure.parameter}"] + " ${figure.unit}"` : `${name}: "${word}"`;
});

const { common, methods, poll } = triggerNode(sessionTrigger);

export class ChargingSessionTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Charging Session Events Trigger',
		name: 'chargingSessionTrigger',
		icon: { light: 'file:../../icons/session-alert.svg', dark: 'file:../../icons/session-alert.dark.svg' },
		subtitle: `={{ [$parameter["events"]].flat().map((event) => ({ ${words.join(', ')} })[event]).join(", ") }}`,
		description:
			'Starts the workflow when a charging session starts, ends, fails, stalls, or has been running for too long. Poll every 1 to 5 minutes.',
		builderHint: sessionTriggerHint,
		defaults: { name: 'Charging Session Events Trigger' },
		inputs: [],
		...common,
	};

	methods = methods;
	poll = poll;
}
