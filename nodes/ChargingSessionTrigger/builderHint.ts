import { builderHint, codesHint } from '../shared/node/builderHints';
import { SESSIONS } from '../shared/resources';
import { EVENT_NAMES } from './events';

export const sessionTriggerHint = builderHint({
	node: 'chargingSessionTrigger',
	hints: [
		'To start a workflow when a charging session starts, ends, fails, has been running for more than a number of hours, or has not charged for a number of minutes (stalled), such as a blocked bay.',
		'Use it instead of a Schedule Trigger with HTTP Request: it remembers what was reported, reports each event once, and a failed poll loses none. Poll every 1 to 5 minutes.',
		`Each item has event (${EVENT_NAMES.join(', ')}), text, a sentence for a chat (Telegram: with parse mode HTML), and the session. With both chosen, a failed session is reported as failed only.`,
		codesHint(SESSIONS),
	],
	relatedNodes: [
		['chargingSessions', 'Use this instead to ask for sessions at any time'],
		['n8n-nodes-base.slack', 'Sends a message about the session'],
		['n8n-nodes-base.googleSheets', 'Appends a row for each session'],
	],
	patterns: [
		{
			title: 'Sessions that fail',
			name: 'Session Failed',
			parameters: {
				pollTimes: { item: [{ mode: 'everyX', value: 2, unit: 'minutes' }] },
				events: ['failed'],
			},
		},
	],
});
