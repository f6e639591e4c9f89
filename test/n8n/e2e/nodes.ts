import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import type { INodeParameters } from 'n8n-workflow';

import { outputOf, type WorkflowFile } from '../client.ts';
import { connect, CREDENTIAL_TYPE } from '../showcase.ts';
import { REPOSITORY } from '../tools.ts';
import type { Lab } from './lab.ts';

const POLLED = { pollTimes: { item: [{ mode: 'everyHour' }] } };

/** Each node of the package, with what a person fills in, and a query that counts the items to expect. */
const NODES: Record<string, { parameters: INodeParameters; items: string }> = {
	chargingSessions: {
		parameters: { operation: 'getAll', returnAll: true, filters: { status: [{ operator: 'In', values: ['6'] }] } },
		items: 'SELECT count(*) FROM sessions WHERE Status = 6',
	},
	chargingStations: {
		parameters: { operation: 'getAll', returnAll: true },
		items: 'SELECT count(*) FROM stations',
	},
	chargingLocations: {
		parameters: { operation: 'getAll', returnAll: true },
		items: 'SELECT count(*) FROM locations',
	},
	chargingNetworkList: {
		parameters: { operation: 'getAll', list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' }, returnAll: true },
		items: 'SELECT count(*) FROM tariffs',
	},
	chargingSessionsCsvExport: { parameters: { operation: 'exportByIds', sessionIds: '1, 2' }, items: 'SELECT 1' },
	chargingStationStatusTrigger: {
		parameters: { ...POLLED, event: 'availability' },
		items: 'SELECT min(3, count(*)) FROM stations WHERE NetworkStatus <> 1',
	},
	chargePointTrigger: {
		parameters: { ...POLLED, event: 'outOfOrder', statusField: 'Status', outOfOrderValues: ['3'] },
		items: 'SELECT 3',
	},
	chargingSessionTrigger: { parameters: { ...POLLED, events: ['started'] }, items: 'SELECT 3' },
	chargingNetworkRowsTrigger: {
		parameters: { ...POLLED, event: 'newRow', list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' } },
		items: 'SELECT 3',
	},
};

/** Each node once, run by hand: of a trigger come a few samples. */
export function nodeTests(lab: () => Lab): void {
	for (const [node, { parameters, items }] of Object.entries(NODES)) {
		it(node, async () => {
			const { n8n, platform, credential } = lab();
			const workflow = connect(workflowOf(node, parameters), credential, platform.baseUrl);
			const execution = await n8n.execute(await n8n.importWorkflow(workflow));
			assert.equal(execution.status, 'success', JSON.stringify(execution.data.resultData.error));
			const [expected] = Object.values(platform.db.prepare(items).get() ?? {});
			assert.equal(outputOf(execution, node).length, expected);
		});
	}

	it('no node is left out', () => {
		const { n8n } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { n8n: { nodes: string[] } };
		assert.equal(Object.keys(NODES).length, n8n.nodes.length);
	});
}

/** A workflow of this node; an action node has a manual trigger before it. */
export function workflowOf(name: string, parameters: INodeParameters): WorkflowFile {
	const node = {
		id: name,
		name,
		type: `n8n-nodes-charging-network.${name}`,
		typeVersion: 1,
		position: [240, 0] as [number, number],
		parameters,
		credentials: { [CREDENTIAL_TYPE]: { id: '', name: '' } },
	};
	if (name.endsWith('Trigger')) return { name, nodes: [node], connections: {} };
	const start = { id: 'start', name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} };
	return {
		name,
		nodes: [{ ...start, position: [0, 0] }, node],
		connections: { Start: { main: [[{ node: name, type: 'main', index: 0 }]] } },
	};
}
