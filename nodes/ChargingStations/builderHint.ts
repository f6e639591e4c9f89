import { builderHint, codesHint, fieldsHint, INSTEAD_OF_HTTP_REQUEST } from '../shared/node/builderHints';
import { STATIONS } from '../shared/resources';

export const stationsHint = builderHint({
	node: 'chargingStations',
	hints: [
		'For charging stations (charge points, chargers) of an EV charging network: which there are, their status now, details of one.',
		INSTEAD_OF_HTTP_REQUEST,
		'One by its ID: operation get. Its charge points (EVSEs, connectors) with their own status, which getAll does not have: operation getChargePoints, one request per station. How many: operation count. Use getAll only where the rows themselves are needed.',
		'Not online is networkStatus Neq 1.',
		codesHint(STATIONS),
		fieldsHint(STATIONS),
		'Operation availability computes uptime from rows that the Charging Station Status Trigger or the Charge Point Trigger reported and the workflow kept, not from the platform.',
	],
	relatedNodes: [
		[
			'chargingStationStatusTrigger',
			'Use this instead of a schedule to start a workflow when a station goes offline or comes back',
		],
		['chargingSessions', 'Sessions of a station, and figures by station'],
		['n8n-nodes-base.dataTable', 'Keeps the incidents from which operation availability computes uptime'],
	],
	patterns: [
		{
			title: 'How many stations are not online now',
			name: 'Stations Not Online',
			parameters: {
				operation: 'count',
				filters: { networkStatus: [{ operator: 'Neq', value: '1' }] },
			},
		},
		{
			title: 'All stations with a name that begins with DE or AT, by name',
			name: 'Stations by Name',
			parameters: {
				operation: 'getAll',
				returnAll: true,
				filters: {
					name: [
						{ operator: 'StartsWith', value: 'DE' },
						{ operator: 'StartsWith', value: 'AT' },
					],
				},
				logic: 'Or',
				sort: { by: [{ field: 'Name', direction: 'Asc' }] },
			},
		},
	],
});
