import type { INodeParameters } from 'n8n-workflow';

import { editorContext, loadPackage } from '../../support/harness.ts';
import { API_KEY, ScriptedServer, sendRows } from '../../support/scriptedServer';

const EXPRESSION = '={{ $("Credentials").item.json }}';
const server = new ScriptedServer();

// A new address each time: what one has sent is remembered.
beforeEach(async () => await server.start());
afterEach(async () => await server.stop());

/** The entries of each dropdown of each node, while every Id, name and code on the platform looks like an expression. */
async function everyEntry(): Promise<Array<{ where: string; name: string; value: unknown }>> {
	const rows = [
		{ Id: 7, Name: EXPRESSION, Status: 4 },
		{ Id: '=8', Name: 'Harbour', Status: '=4', NetworkStatus: '=1', HardwareStatus: EXPRESSION },
		{ Id: 9, Name: 'Market', '=Vendor': 'a', '=StartedAt': '2026-11-01T00:00:00', '=FaultCode': 3, '=Price': 1.5 },
	];
	server.script((_, response) => sendRows(response, rows));
	const credential = { environment: 'production', productionUrl: server.baseUrl, apiKey: API_KEY };
	const parameters: INodeParameters = {
		list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' },
		measures: { values: [{ field: '=Price', function: 'sum' }] },
		dimensions: ['NetworkStatus', 'Status', 'HardwareStatus'],
	};
	const { nodeTypes } = await loadPackage();
	const entries = [];
	for (const type of Object.keys(nodeTypes)) {
		const { context, nodeType } = await editorContext({ type, parameters, credential });
		const { loadOptions = {}, listSearch = {} } = nodeType.methods ?? {};
		const methods = [
			...Object.entries(loadOptions).map(([name, load]) => ({ name, load: async () => await load.call(context) })),
			...Object.entries(listSearch).map(([name, find]) => ({
				name,
				load: async () => (await find.call(context)).results,
			})),
		];
		for (const { name: method, load } of methods) {
			const found = await load();
			entries.push(...found.map(({ name, value }) => ({ where: `${type}: ${method}`, name, value })));
		}
	}
	return entries;
}

it('no entry of any dropdown would be run as an expression once it is chosen, whatever the platform calls things', async () => {
	const entries = await everyEntry();
	const expressions = entries.filter(({ name, value }) => name.startsWith('=') || String(value).startsWith('='));
	expect(expressions).toEqual([]);
	// What can be stored safely is offered.
	expect(entries).toEqual(
		expect.arrayContaining([
			{ where: 'chargingStations: searchStations', name: `“${EXPRESSION} (ID 7)”`, value: '7' },
			{ where: 'chargingStations: searchStations', name: 'Market (ID 9)', value: '9' },
			{ where: 'chargingSessions: getFields', name: 'Name', value: 'Name|text' },
		]),
	);
});
