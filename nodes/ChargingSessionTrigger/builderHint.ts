import { builderHint, codesHint, exampleHint, INSTEAD_OF_SCHEDULE } from '../shared/operation/builderHints';
import { SESSIONS } from '../shared/resources';
import { EVENT_NAMES } from './events';

export const sessionTriggerHint = builderHint({
	hints: [
		'To start a workflow when a charging session starts, ends, fails, has been running for more than a number of hours, or has not charged for a number of minutes (stalled), such as a blocked bay.',
		INSTEAD_OF_SCHEDULE,
		`Each item has event (${EVENT_NAMES.join(', ')}), text, a sentence for a chat (Telegram: with parse mode HTML), and the session. With both chosen, a failed session is reported as failed only.`,
		codesHint(SESSIONS),
		exampleHint('Sessions that fail with less than 1 kWh', {
			pollTimes: { item: [{ mode: 'everyX', value: 2, unit: 'minutes' }] },
			events: ['failed'],
			filters: { energyConsumed: [{ operator: 'Lt', value: 1 }] },
		}),
	],
	relatedNodes: [
		['chargingSessions', 'Use this instead to ask for sessions at any time'],
		['n8n-nodes-base.slack', 'Sends a message about the session'],
		['n8n-nodes-base.googleSheets', 'Appends a row for each session'],
	],
});
