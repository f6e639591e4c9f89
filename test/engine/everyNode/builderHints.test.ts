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
	const name = `${PACKAGE}.${node.name}`;
	return generateNodeTypeFile({ ...node, name, properties } as NodeTypeDescription);
}

/** The JSON in a hint behind each of these words, parsed. */
function jsonBehind(word: string, hint: string): IDataObject[] {
	return hint
		.split(`${word} {`)
		.slice(1)
		.map((text) => {
			const ends = [...text.matchAll(/\}/g)].map(({ index }) => `{${text.slice(0, index + 1)}`);
			const parsed = ends.map(parsedOf).find((object) => object !== undefined);
			if (!parsed) throw new Error(`No JSON after "${word}": ${text}`);
			return parsed;
		});
}

function parsedOf(text: string): IDataObject | undefined {
	try {
		return JSON.parse(text) as IDataObject;
	} catch {
		return undefined;
	}
}

it('the type file of each node says when to use it, with one example and the shape of its filter', () => {
	for (const node of nodes) {
		const hint = hintOf(node);
		expect(hint.length).toBeGreaterThan(100);
		expect(typeFileOf(node)).toContain(`@builderHint ${hint}`);
		expect(hint).toMatch(/instead of (HTTP Request|a Schedule Trigger with HTTP Request):/);
		expect(hint).toMatch(/whole days in the time zone of the workflow/);
		const [example, ...more] = jsonBehind('parameters', hint);
		expect(example).toHaveProperty('filters');
		expect(more).toEqual([]);
	}
});

it('the examples name only parameters that there are', () => {
	for (const node of nodes) {
		const names = [...node.properties.map(({ name }) => name), 'pollTimes'];
		const options = node.properties.flatMap(({ name, options: inside = [] }) => (name === 'options' ? inside : []));
		for (const { options: chosen = {}, ...example } of jsonBehind('parameters', hintOf(node))) {
			expect(Object.keys(example).filter((name) => !names.includes(name))).toEqual([]);
			const known = options.map(({ name }) => name);
			expect(Object.keys(chosen as IDataObject).filter((name) => !known.includes(name))).toEqual([]);
		}
	}
});

it('the nested group and the condition on a field without a kind are what a filter takes', async () => {
	const hint = hintOf(nodeNamed('chargingSessions'));
	const [group] = jsonBehind('filters', hint) as INodeParameters[];
	const [other] = jsonBehind('such as', hint) as INodeParameters[];
	expect(other).toHaveProperty('field');
	const byName = { other: [{ ...other, field: 'StationName|text', value: 'Graz Market Square' }] };
	for (const [filters, where] of [
		[group, 'Id = 1 OR (Id >= 10 AND Id < 20)'],
		[byName, "StationName = 'Graz Market Square'"],
	] as const) {
		const parameters = { operation: 'count', filters: filters ?? {} };
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

it.each(['chargingSessions', 'chargingNetworkList'])('%s says which fields each measure of its own needs', (name) => {
	const node = nodeNamed(name);
	const measures = parametersOf(node.properties.filter((each) => each.name === 'measures'));
	const needed = measures.flatMap(({ name: field, default: usual, displayOptions }) =>
		((displayOptions?.show?.function ?? []) as string[]).map((measure) => ({ measure, field, isNeeded: usual === '' })),
	);
	const missing = needed.filter(({ measure, field, isNeeded }) => {
		const [, told = ''] = hintOf(node).split(`"${measure}"`);
		return field !== 'field' && isNeeded && !new RegExp(`^[^"]*\\b${field}\\b`).test(told);
	});
	expect(needed.map(({ measure }) => measure)).toContain('duration');
	expect(missing).toEqual([]);
});

it('each node points to other nodes of this package, and they exist', () => {
	const names = nodes.map(({ name }) => `${PACKAGE}.${name}`);
	for (const { builderHint } of nodes) {
		const related = (builderHint?.relatedNodes ?? []).map(({ nodeType }) => nodeType);
		const own = related.filter((name) => name.startsWith(PACKAGE));
		expect(own.length).toBeGreaterThan(0);
		expect(own.filter((name) => !names.includes(name))).toEqual([]);
	}
});

it('the example of each node runs', async () => {
	bench.platform.behaviour.locationsScope = 'locations:read';
	bench.set({ Name: 'DE 1', NetworkStatus: 2 });
	for (const node of nodes) {
		const [parameters = {}] = jsonBehind('parameters', hintOf(node)) as INodeParameters[];
		if (node.polling) {
			await expect(testManually(parameters, credentialOfAll(), node.name as TriggerName)).resolves.toBeDefined();
		} else {
			const { error } = await runNode({ type: node.name, parameters, credential: credentialOfAll() });
			expect([node.name, error]).toEqual([node.name, undefined]);
		}
	}
});

/** A key that may read all lists that the examples use. */
function credentialOfAll() {
	const { secret } = bench.platform.createKey({ scopes: ALL_SCOPES });
	return { ...credentialFor(bench.platform), apiKey: secret };
}
