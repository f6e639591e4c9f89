import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';

import type { INodeParameters } from 'n8n-workflow';

import { checkExample } from '../check.ts';
import { outputOf } from '../client.ts';
import { VARIANTS } from '../variants.ts';
import { exampleFiles, importFor, readExample, workflowOf, type Showcase } from '../showcase.ts';

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
	for (const file of exampleFiles()) {
		it(file, async () => await checkExample(showcase, file));
		for (const variant of VARIANTS[file] ?? []) {
			it(`${file}, ${variant.offer}`, async () => await checkExample(showcase, file, variant));
		}
	}

	const { n8n: contents } = JSON.parse(readFileSync('package.json', 'utf8')) as { n8n: { nodes: string[] } };
	const types = exampleFiles().flatMap((file) => readExample(file).nodes.map(({ type }) => type.toLowerCase()));
	for (const path of contents.nodes) {
		const name = path.split('/')[2] ?? '';
		if (types.includes(`n8n-nodes-charging-network.${name}`.toLowerCase())) continue;
		it(name, async () => {
			const other = OTHERS[name];
			assert.ok(other, 'it must be in an example, or here');
			const parameters = { operation: 'getAll', returnAll: true, ...other.parameters };
			const node = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
			const id = await importFor(showcase, workflowOf(node, parameters), showcase.credential);
			const execution = await showcase.n8n.execute(id);
			assert.equal(execution.status, 'success', JSON.stringify(execution.data.resultData.error));
			const { count } = showcase.platform.db.prepare(`SELECT count(*) AS count FROM ${other.table}`).get() ?? {};
			assert.equal(outputOf(execution, node).length, count);
		});
	}
}
