import { readFileSync } from 'node:fs';

import fastGlob from 'fast-glob';
import { DateTime } from 'luxon';
import type { IDataObject, INode, INodeParameters, IWorkflowBase } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { evaluate } from '../../support/expression.ts';
import { credentialFor, runNode } from '../../support/harness.ts';

// Each action node of this package in an example, as it is there, in n8n's engine. A real n8n runs the whole workflows.

const ZONE = 'Europe/Berlin';
let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 3_000, stations: 40, now: new Date().toISOString().slice(0, 19) });
});
afterAll(async () => await platform.close());

const NODES = fastGlob.sync('examples/*.json').flatMap((file) => {
	const workflow = JSON.parse(readFileSync(file, 'utf8')) as IWorkflowBase;
	const ours = workflow.nodes.filter(
		({ type }) => type.startsWith('n8n-nodes-charging-network.') && !type.endsWith('Trigger'),
	);
	return ours.map((node) => ({ file, node, yours: yoursIn(workflow) }));
});

/** What the node *Your ...* gives. */
function yoursIn({ nodes }: Pick<IWorkflowBase, 'nodes'>): IDataObject {
	const { parameters } = nodes.find(({ name }) => name.startsWith('Your ')) ?? {};
	const { jsonOutput, assignments } = (parameters ?? {}) as {
		jsonOutput?: string;
		assignments?: { assignments: Array<{ name: string; value: unknown }> };
	};
	if (jsonOutput !== undefined) return JSON.parse(jsonOutput) as IDataObject;
	const set = (value: unknown) =>
		typeof value === 'string' && value.startsWith('=') ? evaluate(value, { now: DateTime.now() }) : value;
	return Object.fromEntries(
		(assignments?.assignments ?? []).map(({ name, value }) => [name, set(value)]),
	) as IDataObject;
}

/** Its parameters, with what other nodes say taken from the item. */
function parametersOf({ parameters }: INode): INodeParameters {
	const text = JSON.stringify(parameters).replaceAll(/\$\('[^']+'\)\.(first\(\)|item)\.json/g, '$json');
	return JSON.parse(text) as INodeParameters;
}

async function run(file: string, name: string, item: IDataObject = {}): Promise<IDataObject[]> {
	const found = NODES.find(({ file: in_, node }) => in_ === `examples/${file}` && node.name === name);
	if (!found) throw new Error(`${file} has no node ${name}`);
	const { node, yours } = found;
	const { json, error } = await runNode({
		type: node.type.split('.')[1] ?? '',
		credential: credentialFor(platform),
		parameters: parametersOf(node),
		items: [{ ...item, ...yours }],
		timezone: ZONE,
	});
	expect(error).toBeUndefined();
	return json;
}

/** What the nodes before give, where it matters. */
const ITEM: IDataObject = {
	...{ station: '1', Name: 'Harbour 007', period: 'lastMonth', limit: 10, rowId: 42, sessionId: 42, Id: 42 },
	...{ kind: 'incident', incidentId: 'a', stationId: '1', since: '2000-01-01T00:00:00Z' },
};

it.each(NODES.map(({ file, node }): [string, string] => [file.replace('examples/', ''), node.name]))(
	'%s, %s runs',
	async (file, name) => {
		await run(file, name, ITEM);
	},
);
