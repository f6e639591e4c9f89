/**
 * Forms as an import or an AI model may write them: n8n drops what a form does not know before a node runs, and a filter
 * would quietly ask for more. Here it is refused, by name, before anything is sent.
 */
import type { INodeParameters, INodeProperties } from 'n8n-workflow';
import { NodeHelpers, type NodeError } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, loadPackage, runNode } from '../../support/harness.ts';
import { TriggerRig, type TriggerName } from '../../support/trigger/rig.ts';

let platform: StandIn;
let panels: Record<string, INodeProperties[]>;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 60, stations: 10 });
	const { nodeTypes } = await loadPackage();
	panels = Object.fromEntries(
		Object.entries(nodeTypes).map(([name, { type }]) => [
			name,
			NodeHelpers.getVersionedNodeType(type).description.properties,
		]),
	);
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async (parameters: INodeParameters, type = 'chargingSessions') => {
	const { error } = await runNode({ type, credential: credentialFor(platform), parameters });
	expect(platform.requests).toEqual([]);
	return error?.message;
};

const MEND =
	'The form does not show it: correct the workflow as text (its JSON), or take a new node and fill in its form.';
const KINDS = 'status, startedAtUtc, energyConsumed, id, other, json and groups';

it.each<[unknown, string]>([
	[
		{ Status: [{ operator: 'Eq', value: '4' }] },
		`Filters: "Status" is not a part of this form, which has ${KINDS}. ${MEND}`,
	],
	[
		{ conditions: [{ field: 'Status', operator: 'Eq', value: '4' }] },
		`Filters: "conditions" is not a part of this form, which has ${KINDS}. ${MEND}`,
	],
	[[{ Field: 'Status', Operator: 'Eq', Value: '4' }], 'Filters: an object is needed here, but this is a list.'],
	['Status = 4', 'Filters: an object is needed here, but this is text.'],
	['={{ { Status: [4] } }}', `Filters: "Status" is not a part of this form, which has ${KINDS}. ${MEND}`],
])('the filter %j', async (filters, message) => {
	const parameters = { operation: 'count', filters } as INodeParameters;
	expect(await run(parameters)).toEqual(message);
});

it.each<[string, INodeParameters, RegExp]>([
	['a sort', { operation: 'getAll', sort: { Id: 'Desc' } }, /^Sort: "Id" is not a part of this form, which has by\./],
	[
		'measures',
		{ operation: 'summary', measures: { measures: [{ field: 'EnergyConsumed', function: 'average' }] } },
		/^Measures: "measures" is not a part of this form, which has values\./,
	],
])('%s', async (_, parameters, message) => {
	expect(await run(parameters)).toMatch(message);
});

it('leaves what n8n fills in to n8n: the operator that a workflow does not store is there in the editor', () => {
	const parameters = { operation: 'getAll', filters: { id: [{ value: '5' }] }, sort: { by: [{ field: 'Id' }] } };
	const panel = panels.chargingSessions ?? [];
	const node = { typeVersion: 1 };
	const shown = NodeHelpers.getNodeParameters(panel, parameters, true, false, node, null);
	expect(shown).toMatchObject({
		filters: { id: [{ operator: 'Eq', value: '5' }] },
		sort: { by: [{ direction: 'Asc' }] },
	});
});

it('is refused by every node and operation that has a filter, and by every trigger', async () => {
	const filtered = Object.entries(panels).filter(([, panel]) => panel.some(({ name }) => name === 'filters'));
	expect(filtered.length).toBeGreaterThan(7);
	for (const [type, panel] of filtered) {
		const operations = (panel.find(({ name }) => name === 'operation')?.options ?? []) as Array<{ value: string }>;
		const shown = panel.find(({ name }) => name === 'filters')?.displayOptions?.show?.['/operation'];
		for (const { value: operation } of operations.filter(({ value }) => shown?.includes(value))) {
			const list = { mode: 'path', value: '/api/tariffs/v1' };
			expect(await run({ operation, list, filters: { Status: [4] } } as INodeParameters, type)).toMatch(
				/^Filters: "Status" is not a part of this form/,
			);
		}
		if (operations.length > 0) continue;
		const parameters = { filters: { Status: [4] }, list: { mode: 'path', value: '/api/tariffs/v1' } };
		const rig = new TriggerRig(
			'memory',
			parameters as INodeParameters,
			credentialFor(platform),
			{},
			type as TriggerName,
		);
		const refusal: unknown = await rig.activate().catch((error: unknown) => error);
		const { message, description } = refusal as NodeError;
		expect(`${message} ${description}`).toMatch(/Filters: "Status" is not a part of this form/);
		expect(platform.requests).toEqual([]);
	}
});
