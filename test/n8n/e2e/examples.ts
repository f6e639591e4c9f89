import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';

import type { INodeParameters } from 'n8n-workflow';

import { checkExample, filesToCheck } from '../check.ts';
import { outputOf } from '../client.ts';
import { connect, exampleFiles, readExample, workflowOf } from '../showcase.ts';
import { REPOSITORY } from '../tools.ts';
import { TIMEZONE, type Lab } from './lab.ts';

/** The nodes that no example has, and the table of the stand-in that they read here. */
const OTHERS: Record<string, { parameters: INodeParameters; table: string }> = {
	chargingLocations: { parameters: {}, table: 'locations' },
	chargingNetworkList: {
		parameters: { list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' } },
		table: 'tariffs',
	},
};

/** Runs every file in examples/ once, as a user who imported it does, and compares with SQL on the stand-in's rows. */
export function exampleTests(lab: () => Lab): void {
	for (const file of filesToCheck()) {
		it(file, async () => assert.deepEqual(await checkExample(lab(), TIMEZONE, file), []));
	}

	for (const [node, { parameters, table }] of Object.entries(OTHERS)) {
		it(node, async () => {
			const { n8n, platform, credential } = lab();
			const workflow = workflowOf(node, { operation: 'getAll', returnAll: true, ...parameters });
			const execution = await n8n.execute(await n8n.importWorkflow(connect(workflow, credential, platform.baseUrl)));
			assert.equal(execution.status, 'success', JSON.stringify(execution.data.resultData.error));
			const { count } = platform.db.prepare(`SELECT count(*) AS count FROM ${table}`).get() ?? {};
			assert.equal(outputOf(execution, node).length, count);
		});
	}

	it('no node is left out', () => {
		const run = exampleFiles().flatMap((file) => readExample(file).nodes.map(({ type }) => type.split('.')[1]));
		const { n8n } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { n8n: { nodes: string[] } };
		const names = n8n.nodes.map((path) => path.split('/')[2] ?? '');
		const known = new Set([...Object.keys(OTHERS), ...run].map((name) => name?.toLowerCase()));
		assert.deepEqual(
			names.filter((name) => !known.has(name.toLowerCase())),
			[],
		);
	});
}
