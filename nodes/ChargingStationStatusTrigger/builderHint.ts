import { builderHint, codesHint } from '../shared/node/builderHints';
import { STATIONS } from '../shared/resources';

export const stationTriggerHint = builderHint({
	node: 'chargingStationStatusTrigger',
	hints: [
		'To start a workflow when a charging station goes offline or comes back, changes a status, or begins to match a filter.',
		'Use it instead of a Schedule Trigger with HTTP Request: it remembers what was reported, reports each event once, and a failed poll loses none. Poll every 1 to 5 minutes.',
		'Each item has event (offline, backOnline, ...) and text, a sentence for a chat (Telegram: with parse mode HTML). A station that is offline for a moment raises no event if minutesInState is 5 or 10.',
		codesHint(STATIONS),
	],
	relatedNodes: [
		['chargingStations', 'Use this instead to ask for stations at any time'],
		['n8n-nodes-base.slack', 'Sends the field text of the event as a message'],
		['n8n-nodes-base.dataTable', 'Keeps incidents, with upsert on incidentId'],
	],
	patterns: [
		{
			title: 'Tell of stations that have been offline for ten minutes, and of their return',
			name: 'Station Offline or Back',
			parameters: {
				pollTimes: { item: [{ mode: 'everyX', value: 2, unit: 'minutes' }] },
				event: 'availability',
				availabilityChanges: ['offline', 'back'],
				minutesInState: 10,
			},
		},
	],
});
