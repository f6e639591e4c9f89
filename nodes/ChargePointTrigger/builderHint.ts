import { builderHint, codesHint } from '../shared/node/builderHints';
import { STATIONS } from '../shared/resources';

export const chargePointTriggerHint = builderHint({
	node: 'chargePointTrigger',
	hints: [
		'To start a workflow when a charge point (EVSE, connector) of a charging station breaks, is repaired or changes its status.',
		'Use it instead of a Schedule Trigger with HTTP Request: it remembers what was reported, reports each event once, and a failed poll loses none. Poll every 1 to 5 minutes.',
		'Each item has event (outOfOrder, backInOrder, statusChanged), stationId, chargePointId and text, a sentence for a chat (Telegram: with parse mode HTML). The field statusField and the codes outOfOrderValues differ from platform to platform: ask the user, or look with getChargePoints of chargingStations.',
		'Each look at a station costs one request. For stations that are offline use chargingStationStatusTrigger, which needs one request for all.',
		codesHint(STATIONS),
	],
	relatedNodes: [
		['chargingStations', 'Use this instead to ask for charge points at any time, with getChargePoints'],
		['chargingStationStatusTrigger', 'Whole stations have a trigger of their own'],
		['n8n-nodes-base.dataTable', 'Keeps incidents, with upsert on incidentId'],
	],
	patterns: [
		{
			title: 'Tell of charge points that break, and of their repair (field and code: as the user says)',
			name: 'Charge Point Out of Order',
			parameters: {
				pollTimes: { item: [{ mode: 'everyX', value: 5, unit: 'minutes' }] },
				event: 'outOfOrder',
				statusField: 'Status',
				outOfOrderValues: ['3'],
				minutesInState: 10,
			},
		},
	],
});
