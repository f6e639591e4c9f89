import { builderHint, codesHint, exampleHint, INSTEAD_OF_SCHEDULE } from '../shared/operation/builderHints';
import { STATIONS } from '../shared/resources';

export const stationTriggerHint = builderHint({
	hints: [
		'To start a workflow when a charging station goes offline or comes back, keeps going offline, changes a status, or begins to match a filter.',
		INSTEAD_OF_SCHEDULE,
		'Each item has event (offline, backOnline, ...) and text, a sentence for a chat (Telegram: with parse mode HTML). A station that is offline for a moment raises no event if minutesInState is 5 or 10. Event unstable reports a station once when the third outage within 24 hours begins (outages, withinHours).',
		codesHint(STATIONS),
		exampleHint('Stations named DE that have been offline for ten minutes, and their return', {
			pollTimes: { item: [{ mode: 'everyX', value: 2, unit: 'minutes' }] },
			event: 'availability',
			availabilityChanges: ['offline', 'back'],
			minutesInState: 10,
			filters: { name: [{ operator: 'StartsWith', value: 'DE' }] },
		}),
	],
	relatedNodes: [
		['chargingStations', 'Use this instead to ask for stations at any time'],
		['n8n-nodes-base.slack', 'Sends the field text of the event as a message'],
		['n8n-nodes-base.dataTable', 'Keeps incidents, with upsert on incidentId'],
	],
});
