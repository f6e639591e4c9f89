import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { credentialFor, runNode } from '../../support/harness.ts';
import { ownKey, ScriptedServer, sendRows } from '../../support/scriptedServer';

// A platform that has another page whatever it is asked, and says that its list has 250 rows.

const server = new ScriptedServer();
beforeAll(async () => await server.start());
afterAll(async () => await server.stop());

function neverEnd(): void {
	server.script(({ url }, response) => {
		const query = url.searchParams.get('dsquery') ?? '{}';
		const after = Number(/"Operator":"Gt","Value":"(\d+)"/.exec(query)?.[1] ?? 0);
		const skip = Number(/"Skip":(\d+)/.exec(query)?.[1] ?? 0);
		const take = Number(/"Take":(\d+)/.exec(query)?.[1] ?? 0);
		const rows = Array.from({ length: take }, (_, index): IDataObject => {
			const id = after + skip + index + 1;
			return { Id: id, Name: `row ${id}`, Status: 4, EnergyConsumed: id };
		});
		sendRows(response, rows, 250);
	});
}

const byEnergy = { by: [{ field: 'EnergyConsumed', direction: 'Asc' }] };
const tariffs = { list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' } };

it.each<[type: string, parameters: INodeParameters]>([
	['chargingSessions', { operation: 'getAll', returnAll: true }],
	['chargingSessions', { operation: 'getAll', returnAll: true, options: { parallelRequests: 4 } }],
	['chargingSessions', { operation: 'getAll', returnAll: true, sort: byEnergy }],
	['chargingSessions', { operation: 'summary' }],
	['chargingNetworkList', { operation: 'getAll', returnAll: true, ...tariffs }],
	['chargingSessionsCsvExport', { operation: 'exportByFilter' }],
])('%s, %j: reading a list that never ends is given up', async (type, parameters) => {
	neverEnd();
	const credential = credentialFor({ baseUrl: server.baseUrl, key: ownKey() });
	const { error } = await runNode({ type, credential, parameters });
	expect(error?.message).toMatch(/^The list of .* has no end: \d+ rows came, far more than it had$/);
	expect(server.received.length).toBeLessThan(150);
});
