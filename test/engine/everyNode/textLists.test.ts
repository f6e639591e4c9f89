import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';
import { Bench, short } from '../../support/stationTrigger/support.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

/** A list that an agent, `JSON.stringify` or a spreadsheet made into text means what the list means. */

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 60, stations: 9 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	platform.db.exec("UPDATE stations SET Name = 'Depot ' || Id");
});

const run = async (type: RunOptions['type'], parameters: INodeParameters) =>
	await runNode({ type, credential: credentialFor(platform), parameters });

const count = (where: string) =>
	Number(platform.db.prepare(`SELECT count(*) AS count FROM sessions WHERE ${where}`).get()?.count);

describe.each([
	['JSON', '["Depot 1","Depot 2"]'],
	['quotes', '"Depot 1","Depot 2"'],
	['commas', 'Depot 1, Depot 2'],
	['lines', 'Depot 1\nDepot 2'],
])('texts as %s', (_, values) => {
	it.each<[string, INodeParameters]>([
		['a known field', { name: [{ operator: 'In', value: values, values }] }],
		['any other field', { other: [{ field: 'Name|text', textOperator: 'In', value: values }] }],
		['a field of an unknown type', { other: [{ field: 'Name', anyOperator: 'In', value: values }] }],
		['an expression', { other: [{ field: 'Name|text', textOperator: 'In', value: `=${values}` }] }],
		['Filter as JSON', { json: [{ json: JSON.stringify({ Field: 'Name', Operator: 'In', Value: values }) }] }],
		[
			'a group',
			{
				groups: [
					{
						logic: 'Or',
						filters: {
							other: [{ field: 'Name|text', textOperator: 'In', value: values }],
							name: [{ operator: 'Eq', value: 'Depot 9' }],
						},
					},
				],
			},
		],
	])('in %s', async (kind, filters) => {
		const { json, error } = await run('chargingStations', { operation: 'getAll', returnAll: true, filters });
		expect(error?.message).toBeUndefined();
		const names = ['Depot 1', 'Depot 2', ...(kind === 'a group' ? ['Depot 9'] : [])];
		expect(json.map(({ Name: name }) => name)).toEqual(names);
	});
});

it.each<[string, INodeParameters]>([
	['Status', { status: [{ operator: 'In', values: '[4, 6]' }] }],
	['Status by name', { status: [{ operator: 'In', values: '["finished","failed"]' }] }],
	['Status in JSON', { json: [{ json: '{"Field":"Status","Operator":"In","Value":"[4, 6]"}' }] }],
	['a number that may be a status', { other: [{ field: 'Status|number', numberOperator: 'In', value: '"4","6"' }] }],
])('numbers in %s', async (_, filters) => {
	const { json, error } = await run('chargingSessions', { operation: 'count', filters });
	expect(error?.message).toBeUndefined();
	expect(json).toEqual([{ count: count('Status IN (4, 6)') }]);
});

it('a range', async () => {
	const filters = { json: [{ json: '{"Field":"EnergyConsumed","Operator":"GteLt","Value":"[10, 20]"}' }] };
	const { json } = await run('chargingSessions', { operation: 'count', filters });
	expect(json).toEqual([{ count: count('EnergyConsumed >= 10 AND EnergyConsumed < 20') }]);
});

it.each<[string, RunOptions['type'], INodeParameters, unknown]>([
	['Field Names', 'chargingStations', { output: 'selected', outputFields: '"Id","Name"' }, { Id: 1, Name: 'Depot 1' }],
	[
		'Groups',
		'chargingSessions',
		{ operation: 'summary', groupBy: '["status"]' },
		{ byStatus: expect.any(Array) as unknown[] },
	],
])('%s', async (_, type, parameters, first) => {
	const { json, error } = await run(type, { operation: 'getAll', ...parameters });
	expect(error?.message).toBeUndefined();
	expect(json[0]).toMatchObject(first as object);
});

it('a text with a comma in it is refused, with what to do instead', async () => {
	const filters = { other: [{ field: 'Name|text', textOperator: 'In', value: '["Depot 1","Main Street, North"]' }] };
	const { error, json } = await run('chargingStations', { operation: 'getAll', filters });
	expect(`${error?.message} ${error?.description}`).toContain(
		'value 2 of 2, "Main Street, North", holds a comma, and the platform would read it as two values. ' +
			'Use a group that matches any condition, with one Equals condition for each value.',
	);
	expect(json).toEqual([]);
	expect(platform.requests).toEqual([]);
});

describe('a trigger', () => {
	const bench = new Bench({ stations: 4 });

	it('reports stations that its filter names', async () => {
		const value = '["Depot 1","Depot 2"]';
		const rig = new TriggerRig(
			'memory',
			{
				event: 'filterMatch',
				filters: {
					other: [{ field: 'Name|text', textOperator: 'In', value }],
					networkStatus: [{ operator: 'In', values: '[2, 3]' }],
				},
			},
			bench.credential(),
		);
		bench.platform.db.exec("UPDATE stations SET Name = 'Depot ' || Id");
		await rig.activate();
		await bench.minutes(rig, 2);
		bench.set({ NetworkStatus: 2 }, 1, 4);
		await bench.minutes(rig, 2);
		expect(short(rig.items)).toEqual(['startedMatching 1']);
	});
});
