import {
	builderHint,
	codesHint,
	exampleHint,
	fieldsHint,
	INSTEAD_OF_HTTP_REQUEST,
} from '../shared/operation/builderHints';
import { STATIONS } from '../shared/resources';

export const stationsHint = builderHint({
	hints: [
		'For charging stations (charge points, chargers) of an EV charging network: which there are, their status now, details of one.',
		INSTEAD_OF_HTTP_REQUEST,
		'One by its ID: operation get. Its charge points (EVSEs, connectors) with their own status, which getAll does not have: operation getChargePoints, one request per station. How many: operation count. Use getAll only where the rows themselves are needed.',
		codesHint(STATIONS),
		fieldsHint(STATIONS),
		'Operation availability computes uptime from rows that the Charging Station Status Trigger or the Charge Point Trigger reported and the workflow kept, not from the platform.',
		exampleHint('All stations named DE that are not online, by name', {
			operation: 'getAll',
			returnAll: true,
			filters: {
				networkStatus: [{ operator: 'Neq', value: '1' }],
				name: [{ operator: 'StartsWith', value: 'DE' }],
			},
			logic: 'And',
			sort: { by: [{ field: 'Name', direction: 'Asc' }] },
		}),
	],
	relatedNodes: [
		[
			'chargingStationStatusTrigger',
			'Use this instead of a schedule to start a workflow when a station goes offline or comes back',
		],
		['chargingSessions', 'Sessions of a station, and figures by station'],
		['n8n-nodes-base.dataTable', 'Keeps the incidents from which operation availability computes uptime'],
	],
});
