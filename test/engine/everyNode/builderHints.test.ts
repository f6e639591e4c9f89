/** What n8n's assistant and MCP server tell an AI model of each node. */
import { generateNodeTypeFile, type NodeTypeDescription } from '@n8n/workflow-sdk/scripts/generate-types';
import type { IDataObject, INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import { credentialFor, runNode } from '../../support/harness.ts';
import { ALL_SCOPES, descriptions, parametersOf } from '../../support/nodes.ts';
import { SessionBench } from '../../support/sessionTrigger/support.ts';
import { testManually, type TriggerName } from '../../support/trigger/rig.ts';

const PACKAGE = 'n8n-nodes-charging-network';
const bench = new SessionBench({ sessions: 3000, stations: 6 });

let nodes: INodeTypeDescription[];
beforeAll(async () => void (nodes = await descriptions()));

const hintOf = ({ builderHint }: INodeTypeDescription) => builderHint?.searchHint ?? '';
const nodeNamed = (wanted: string) => nodes.find(({ name }) => name === wanted) as INodeTypeDescription;

/** The type file that an AI model gets for a community node. n8n leaves out hidden parameters. */
function typeFileOf(node: INodeTypeDescription): string {
	const properties = node.properties.filter(({ type }) => type !== 'hidden');
	return generateNodeTypeFile({ ...node, name: `${PACKAGE}.${node.name}`, properties } as NodeTypeDescription);
}

/** The JSON in a hint, between these words. */
function jsonIn(hint: string, before: string, behind: string): INodeParameters {
	const [, text = ''] = hint.split(`${before} {`);
	const [inside = ''] = text.split(`}${behind}`);
	return JSON.parse(`{${inside}}`) as INodeParameters;
}

const exampleOf = (node: INodeTypeDescription) => jsonIn(hintOf(node), 'parameters', '. In filters');

it('the type file of each node says when to use it, with the shape of its filter', () => {
	for (const node of nodes) {
		const hint = hintOf(node);
		expect(typeFileOf(node)).toContain(`@builderHint ${hint}`);
		expect(hint).toMatch(/instead of (HTTP Request|a Schedule Trigger with HTTP Request):/);
		expect(hint).toMatch(/whole days in the time zone of the workflow/);
		expect(exampleOf(node)).toHaveProperty('filters');
	}
});

it('the example of each node names only parameters that there are, and runs', async () => {
	bench.platform.behaviour.locationsScope = 'locations:read';
	bench.set({ Name: 'DE 1', NetworkStatus: 2 });
	for (const node of nodes) {
		const parameters = exampleOf(node);
		const { options = {}, ...others } = parameters;
		const inOptions = node.properties.flatMap(({ name, options: all = [] }) => (name === 'options' ? all : []));
		const known = [...node.properties, ...inOptions].map(({ name }) => name);
		expect([...known, 'pollTimes']).toEqual(expect.arrayContaining(Object.keys({ ...others, ...(options as object) })));
		if (node.polling) {
			await expect(testManually(parameters, credentialOfAll(), node.name as TriggerName)).resolves.toBeDefined();
		} else {
			const { error } = await runNode({ type: node.name, parameters, credential: credentialOfAll() });
			expect([node.name, error]).toEqual([node.name, undefined]);
		}
	}
});

it('the nested group and the condition on a field without a kind are what a filter takes', async () => {
	const hint = hintOf(nodeNamed('chargingSessions'));
	const other = { ...jsonIn(hint, 'such as', '.'), field: 'StationName|text', value: 'Graz Market Square' };
	const asked: Array<[INodeParameters, string]> = [
		[jsonIn(hint, 'json: filters', '. Without'), 'Id = 1 OR (Id >= 10 AND Id < 20)'],
		[{ other: [other] }, "StationName = 'Graz Market Square'"],
	];
	for (const [filters, where] of asked) {
		const parameters = { operation: 'count', filters };
		const { json } = await runNode({ type: 'chargingSessions', parameters, credential: credentialOfAll() });
		const inSql = bench.platform.db.prepare(`SELECT count(*) AS count FROM sessions WHERE ${where}`).get();
		expect(json).toEqual([{ count: inSql?.count }]);
	}
});

it.each([
	['chargingSessions', 'Status 4 = Finished, 6 = Failed'],
	['chargingSessionsCsvExport', 'Status 4 = Finished, 6 = Failed'],
	['chargingSessionTrigger', 'Status 4 = Finished, 6 = Failed'],
	['chargingStations', 'NetworkStatus 1 = Online'],
	['chargingStationStatusTrigger', 'NetworkStatus 1 = Online'],
])('%s says which codes are known, and not to guess others', (name, codes) => {
	const lines = typeFileOf(nodeNamed(name)).split('\n');
	expect(lines.filter((line) => line.includes(codes) && line.includes('Never guess'))).toHaveLength(1);
});

it('Summarize says which fields each measure of its own needs', () => {
	for (const name of ['chargingSessions', 'chargingNetworkList']) {
		const node = nodeNamed(name);
		const measures = parametersOf(node.properties.filter((each) => each.name === 'measures'));
		const needed = measures
			.filter((each) => each.name !== 'field' && each.default === '')
			.flatMap((each) =>
				((each.displayOptions?.show?.function ?? []) as string[]).map((of) => [of, each.name] as const),
			);
		expect(needed.map(([measure]) => measure)).toContain('duration');
		for (const [measure, field] of needed) expect(hintOf(node)).toMatch(new RegExp(`"${measure}"[^"]*\\b${field}\\b`));
	}
});

it('each node points to other nodes of this package, and they exist', () => {
	const names = nodes.map(({ name }) => `${PACKAGE}.${name}`);
	for (const { builderHint } of nodes) {
		const related = (builderHint?.relatedNodes ?? []).map(({ nodeType }) => nodeType);
		const own = related.filter((name) => name.startsWith(PACKAGE));
		expect(own.length).toBeGreaterThan(0);
		expect(names).toEqual(expect.arrayContaining(own));
	}
});

/** A key that may read all lists that the examples use. */
function credentialOfAll(): IDataObject {
	const { secret } = bench.platform.createKey({ scopes: ALL_SCOPES });
	return { ...credentialFor(bench.platform), apiKey: secret };
}
