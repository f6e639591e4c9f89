import { builderHint } from '../shared/node/builderHints';

export const rowsTriggerHint = builderHint({
	node: 'chargingNetworkRowsTrigger',
	hints: [
		'To start a workflow when there is a new row in any list of an EV charging network platform, such as the audit trail or the users.',
		'Use it instead of a Schedule Trigger with HTTP Request: it remembers what was reported, reports each row once, and a failed poll loses none. Poll every 1 to 5 minutes.',
		'Each item has event newRow and the whole row in row. The filter decides at the moment a row is found.',
		'For sessions and stations use their own triggers. Where the ids of a list are not rising whole numbers, use a Schedule Trigger and chargingNetworkList.',
	],
	relatedNodes: [
		['chargingNetworkList', 'Use this instead to ask for rows at any time'],
		['chargingSessionTrigger', 'Sessions have a trigger of their own'],
		['chargingStationStatusTrigger', 'Stations have a trigger of their own'],
	],
	patterns: [
		{
			title: 'New entries of the audit trail (the path: one that the user gave)',
			name: 'New Entry',
			parameters: {
				pollTimes: { item: [{ mode: 'everyX', value: 5, unit: 'minutes' }] },
				list: { __rl: true, mode: 'path', value: '/api/audit-trail/v1' },
			},
		},
	],
});
