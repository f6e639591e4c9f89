import assert from 'node:assert/strict';
import { it } from 'node:test';

import type { IDataObject, INode } from 'n8n-workflow';

import { outputOf } from '../client.ts';
import { credentialOf, importFor, workflowOf, type Pair } from '../showcase.ts';

const NODE = 'chargingSessions';
const [FIRST, LATER] = [41, 51];
const INPUT: IDataObject[] = [
	{ from: FIRST, note: 'first' },
	{ from: LATER, note: 'later' },
];
type Choice = NonNullable<INode['onError']>;

/** Counts for two input items, with Retry On Fail, while the platform refuses what is asked for one of them. */
async function count(pair: Pair, onError: Choice, refused: number, times: number) {
	const { n8n, platform } = pair;
	const name = `${onError} ${refused} ${times}`;
	const credential = await credentialOf(pair, name, platform.createKey({ name }).secret);
	const filters = {
		id: [
			{ operator: 'Gte', value: '={{ $json.from }}' },
			{ operator: 'Lte', value: 60 },
		],
	};
	const workflow = workflowOf(NODE, { operation: 'count', filters });
	const retry = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const nodes = workflow.nodes.map((node) => (node.name === NODE ? { ...node, ...retry, onError } : node));
	const pinData = { Start: INPUT.map((json) => ({ json })) };
	const id = await importFor(pair, { ...workflow, nodes, pinData }, credential);
	const match = ({ query = '' }: { query?: string }) => query.includes(`"Value":"${refused}"`);
	platform.faults.clear();
	platform.faults.add({ kind: 'reply', status: 409, body: { ErrorCode: 'BUSY' }, match, times });
	const execution = await n8n.execute(id);
	return {
		status: execution.status,
		requests: platform.requests.filter(({ keyName }) => keyName === name).length,
		success: outputOf(execution, NODE),
		failed: outputOf(execution, NODE, 1),
	};
}

const isFailed = ({ error, message, ...input }: IDataObject) => {
	assert.match(error as string, /409/);
	assert.match(message as string, /\w/);
	return input;
};

/** Retry On Fail and On Error, as n8n's engine of each line does them. */
export function onErrorTests(pair: Pair): void {
	const sql = 'SELECT count(*) AS count FROM sessions WHERE Id BETWEEN ? AND 60';
	const all = [FIRST, LATER].map((from) => ({ ...pair.platform.db.prepare(sql).get(from) }));

	for (const onError of ['stopWorkflow', 'continueRegularOutput', 'continueErrorOutput'] as const) {
		it(`Retry On Fail with On Error ${onError}: a platform that fails once is asked again`, async () => {
			// Where the workflow stops, the second item is not asked for at first.
			const requests = onError === 'stopWorkflow' ? 3 : 4;
			const result = await count(pair, onError, FIRST, 1);
			assert.deepEqual(result, { status: 'success', requests, success: all, failed: [] });
		});
	}

	it('Continue: an item that failed has what happened, what to do, and the fields of its input', async () => {
		const first = await count(pair, 'continueRegularOutput', FIRST, Infinity);
		assert.deepEqual([isFailed(first.success[0] ?? {}), first.success[1]], [INPUT[0], all[1]]);
		assert.equal(first.requests, 6);
		const later = await count(pair, 'continueRegularOutput', LATER, Infinity);
		assert.deepEqual([later.success[0], isFailed(later.success[1] ?? {})], [all[0], INPUT[1]]);
		assert.equal(later.requests, 2);
	});

	it('the error output gets the item that failed with the same fields, the first and a later one', async () => {
		const first = await count(pair, 'continueErrorOutput', FIRST, Infinity);
		assert.deepEqual([first.success, first.failed.map(isFailed)], [[all[1]], [INPUT[0]]]);
		assert.equal(first.requests, 6);
		const later = await count(pair, 'continueErrorOutput', LATER, Infinity);
		assert.deepEqual([later.success, later.failed.map(isFailed)], [[all[0]], [INPUT[1]]]);
		assert.equal(later.requests, 2);
	});
}
