import { builderHint, exampleHint, fieldsHint, HOURS, INSTEAD_OF_HTTP_REQUEST } from '../shared/operation/builderHints';
import { NETWORK_LIST } from '../shared/list/networkList';

export const networkListHint = builderHint({
	hints: [
		'For any other list of an EV charging network platform: tariffs, users and teams, energy assets, billing data, the audit trail.',
		INSTEAD_OF_HTTP_REQUEST,
		'For sessions, stations and locations use their own nodes.',
		'The platform publishes no paths of these lists: ask the user for the path, of the form /api/tariffs/v1, or let operation checkPlatform find likely ones. list is { __rl: true, mode: "path", value: "/api/tariffs/v1" }.',
		`How many: operation count. Totals, by a field or by time: operation summary. ${HOURS} Use getAll only where the rows themselves are needed.`,
		'What the platform itself does (paging, filters, sorts, codes, fields beyond the specification), or why results look odd: operation checkPlatform, read-only, at most 40 requests.',
		fieldsHint(NETWORK_LIST),
		exampleHint('All tariffs in euros (path and field: as the user says)', {
			operation: 'getAll',
			list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' },
			returnAll: true,
			filters: { other: [{ field: 'Currency|text', textOperator: 'Eq', value: 'EUR' }] },
		}),
	],
	relatedNodes: [
		['chargingNetworkRowsTrigger', 'Use this instead to start a workflow when there is a new row'],
		['chargingSessions', 'Sessions have a node of their own'],
		['chargingStations', 'Stations have a node of their own'],
	],
});
