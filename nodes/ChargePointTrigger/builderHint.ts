import { builderHint, codesHint, exampleHint, INSTEAD_OF_SCHEDULE } from '../shared/operation/builderHints';
import { STATIONS } from '../shared/resources';

export const chargePointTriggerHint = builderHint({
	hints: [
		'To start a workflow when a charge point (EVSE, connector) of a charging station breaks, is repaired, is occupied for too long or changes its status.',
		INSTEAD_OF_SCHEDULE,
		'Each item has event (outOfOrder, backInOrder, inStatus, leftStatus, statusChanged), stationId, chargePointId and text, a sentence for a chat (Telegram: with parse mode HTML). For "occupied for four hours" take event inStatus, heldStatuses and minutesInState 240. The field statusField and all codes differ from platform to platform: ask the user, or look with getChargePoints of chargingStations.',
		'Each look at a station costs one request. For stations that are offline use chargingStationStatusTrigger, which needs one request for all.',
		codesHint(STATIONS),
		exampleHint(
			'Charge points that break, and their repair, at stations named DE (field and codes: as the user says)',
			{
				pollTimes: { item: [{ mode: 'everyX', value: 5, unit: 'minutes' }] },
				event: 'outOfOrder',
				statusField: 'Status',
				outOfOrderValues: ['3'],
				minutesInState: 10,
				filters: { name: [{ operator: 'StartsWith', value: 'DE' }] },
			},
		),
	],
	relatedNodes: [
		['chargingStations', 'Use this instead to ask for charge points at any time, with getChargePoints'],
		['chargingStationStatusTrigger', 'Whole stations have a trigger of their own'],
		['n8n-nodes-base.dataTable', 'Keeps incidents, with upsert on incidentId'],
	],
});
