import type { INodeParameters } from 'n8n-workflow';

import { prepare } from '../../support/harness.ts';

/** What the canvas shows under a node: what matters, not what the node's name says already. */
it.each<[string, INodeParameters, string]>([
	['chargingStationStatusTrigger', {}, 'offline, back'],
	['chargingStationStatusTrigger', { minutesInState: 10 }, 'offline after 10 min, back'],
	['chargingStationStatusTrigger', { minutesInState: 10, availabilityChanges: ['offline'] }, 'offline after 10 min'],
	['chargingStationStatusTrigger', { event: 'unstable' }, 'unstable'],
	['chargingStationStatusTrigger', { event: 'filterMatch', minutesInState: 5 }, 'match after 5 min, end of match'],
	[
		'chargingStationStatusTrigger',
		{ event: 'statusChange', dimensions: ['NetworkStatus', 'HardwareStatus'] },
		'network status, hardware status',
	],
	['chargePointTrigger', {}, 'out of order'],
	['chargePointTrigger', { event: 'inStatus', minutesInState: 240 }, 'in status after 240 min'],
	['chargePointTrigger', { event: 'statusChange', minutesInState: 5 }, 'status after 5 min'],
	['chargingSessionTrigger', { events: ['started', 'failed'] }, 'started, failed'],
	['chargingSessionTrigger', { events: ['runningLong', 'stalled'] }, 'running over 24 h, stalled for 30 min'],
	[
		'chargingNetworkList',
		{ operation: 'count', list: { __rl: true, mode: 'list', value: '/api/tariffs/v1' } },
		'count rows: tariffs',
	],
	['chargingNetworkList', { list: { __rl: true, mode: 'list', value: '' } }, 'get many rows'],
	['chargingNetworkList', { operation: 'checkPlatform' }, 'check platform'],
	['chargingNetworkRowsTrigger', { list: { __rl: true, mode: 'path', value: '/api/users/v1' } }, 'new in users'],
	[
		'chargingNetworkRowsTrigger',
		{ event: 'goneRow', list: { __rl: true, mode: 'path', value: '/api/users/v1' } },
		'gone from users',
	],
])('%s %j says "%s"', async (type, parameters, words) => {
	const { workflow, node, nodeType } = await prepare({ type, parameters, credential: {} });
	const { subtitle = '' } = nodeType.description;
	expect(workflow.expression.getSimpleParameterValue(node, subtitle, 'internal', {})).toBe(words);
});
