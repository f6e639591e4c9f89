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
	// Beside what it knows
	[
		{ status: [{ operator: 'Eq', value: '4' }], name: [{ value: 'x' }] },
		`Filters: "name" is not a part of this form, which has ${KINDS}. ${MEND}`,
	],
	[[{ Field: 'Status', Operator: 'Eq', Value: '4' }], 'Filters: an object is needed here, but this is a list.'],
	['Status = 4', 'Filters: an object is needed here, but this is text.'],
	['={{ { Status: [4] } }}', `Filters: "Status" is not a part of this form, which has ${KINDS}. ${MEND}`],
	[
		{ status: [{ operator: 'Eq', value: '4', values: ['4', '6'], Value: '6' }] },
		`Filters > Status 1: "Value" is not a part of this form, which has field, operator, value and values. ${MEND}`,
	],
	// The operator of another kind: Equals would stand in for it.
	[
		{ other: [{ field: 'City|text', operator: 'Neq', value: 'Graz' }] },
		expect.stringMatching(/^Filters > Any Other Field 1: "operator" is not a part of this form, which has field, /),
	],
	[
		{ groups: [{ logic: 'Or', filters: { Status: [{ operator: 'Eq', value: '4' }] } }] },
		`Filters > Group 1 > Conditions in This Group: "Status" is not a part of this form, which has status, startedAtUtc, energyConsumed, id, other and json. ${MEND}`,
	],
])('the filter %j', async (filters, message) => {
	const parameters = { operation: 'count', filters } as INodeParameters;
	expect(await run(parameters)).toEqual(message);
});

it.each<[string, INodeParameters, RegExp]>([
	['a sort', { operation: 'getAll', sort: { Id: 'Desc' } }, /^Sort: "Id" is not a part of this form, which has by\./],
	[
		'a sort with another name for its direction',
		{ operation: 'getAll', sort: { by: [{ field: 'Id', Dir: 'Desc' }] } },
		/^Sort > Sort By 1: "Dir" is not a part of this form, which has field and direction\./,
	],
	[
		'measures',
		{ operation: 'summary', measures: { values: [{ field: 'EnergyConsumed', aggregate: 'average' }] } },
		/^Measures > Measure 1: "aggregate" is not a part of this form, which has field, function and endField\./,
	],
])('%s', async (_, parameters, message) => {
	expect(await run(parameters)).toMatch(message);
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
