import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

import type { INodeParameters } from 'n8n-workflow';

import { checkExample, filesToCheck } from '../check.ts';
import { outputOf } from '../client.ts';
import { connect, exampleFiles, readExample, workflowOf, type Showcase } from '../showcase.ts';

/** The nodes that no example has, and the table of the stand-in that they read here. */
const OTHERS: Record<string, { parameters: INodeParameters; table: string }> = {
	ChargingLocations: { parameters: {}, table: 'locations' },
	ChargingNetworkList: {
		parameters: { list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' } },
		table: 'tariffs',
	},
};

/** Runs every file in examples/ once, as a user who imported it does, and each node that is in none of them. */
export function exampleTests(showcase: Showcase): void {
	for (const file of filesToCheck()) {
		it(file, async () => assert.deepEqual(await checkExample(showcase, file), []));
	}

	const { n8n: contents } = JSON.parse(readFileSync('package.json', 'utf8')) as { n8n: { nodes: string[] } };
	const types = exampleFiles().flatMap((file) => readExample(file).nodes.map(({ type }) => type.toLowerCase()));
	for (const path of contents.nodes) {
		const name = path.split('/')[2] ?? '';
		if (types.includes(`n8n-nodes-charging-network.${name}`.toLowerCase())) continue;
		it(name, async () => {
			const { n8n, platform, credential } = showcase;
			const other = OTHERS[name];
			assert.ok(other, 'it must be in an example, or here');
			const parameters = { operation: 'getAll', returnAll: true, ...other.parameters };
			const node = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
			const workflow = connect(workflowOf(node, parameters), credential, platform.baseUrl);
			const execution = await n8n.execute(await n8n.importWorkflow(workflow));
			assert.equal(execution.status, 'success', JSON.stringify(execution.data.resultData.error));
			const { count } = platform.db.prepare(`SELECT count(*) AS count FROM ${other.table}`).get() ?? {};
			assert.equal(outputOf(execution, node).length, count);
		});
	}
}
