import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type Fault, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode } from '../../support/harness.ts';

// Gateways answer without rows while the platform behind them is away: that must not end a list.

let platform: StandIn;
beforeAll(async () => {
	platform = await startPlatform({ sessions: 1_000 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const json = { 'content-type': 'application/json' };
const ANSWERS: Array<[said: string, fault: Fault]> = [
	['status 404', { kind: 'status', status: 404 }],
	['status 404', { kind: 'html', status: 404 }],
	['status 410', { kind: 'status', status: 410 }],
	['status 416', { kind: 'status', status: 416 }],
	['nothing', { kind: 'reply', status: 204 }],
	['nothing', { kind: 'empty' }],
	['nothing', { kind: 'reply', status: 200, headers: json, body: 'null' }],
];

const byEnergy = { by: [{ field: 'EnergyConsumed', direction: 'Asc' }] };
const READINGS: Array<[type: string, parameters: INodeParameters]> = [
	['chargingSessions', { operation: 'getAll', returnAll: true }],
	['chargingSessions', { operation: 'getAll', returnAll: true, sort: byEnergy }],
	['chargingSessions', { operation: 'summary' }],
	['chargingSessionsCsvExport', { operation: 'exportByFilter' }],
];

describe.each(ANSWERS)('%s (%j) from the fourth request on', (said, fault) => {
	it.each(READINGS)('is not the end of the list: %s, %j', async (type, parameters) => {
		platform.faults.add({ ...fault, times: Infinity, match: { path: '/api/charging-sessions/v1', nth: 4 } });
		const { error, items } = await runNode({ type, credential: credentialFor(platform), parameters });
		expect(error?.message).toBe(`The platform answered with ${said} in the middle of the charging sessions`);
		expect(error?.description).toMatch(/being updated.*Run the node again later.*Rows read so far: \d+\./);
		expect(items).toEqual([]);
	});
});

describe('as the very first answer', () => {
	it.each(ANSWERS.slice(0, 2))('%s (%j) says that the address is wrong', async (_, fault) => {
		for (const operation of ['getAll', 'count']) {
			platform.faults.add({ ...fault, times: 1 });
			const { error } = await runNode({
				type: 'chargingSessions',
				credential: credentialFor(platform),
				parameters: { operation },
			});
			expect(error?.message).toMatch(/^The platform's API was not found at http.* \(status 404\)$/);
		}
	});

	it.each(ANSWERS.slice(4))('%s (%j) is an empty list', async (_, fault) => {
		platform.faults.add({ ...fault, times: 2 });
		const run = async (operation: string) =>
			await runNode({ type: 'chargingSessions', credential: credentialFor(platform), parameters: { operation } });
		expect((await run('getAll')).items).toEqual([]);
		expect((await run('count')).json).toEqual([{ count: 0 }]);
	});
});
