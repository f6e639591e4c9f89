import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode } from '../../support/harness.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 120, stations: 120 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const all = (parameters: INodeParameters = {}) => ({ returnAll: true, ...parameters });
const from = (path: string) => ({ list: { __rl: true, mode: 'path', value: path } });
const byName = { sort: { by: [{ field: 'Name', direction: 'Asc' }] } };
const days = { days: 7, period: 'lastDays' };

/** Every way of an action node to list stations, and some to list sessions. */
const READINGS: Array<[string, string, INodeParameters]> = [
	['Get Many of stations', 'chargingStations', all({ operation: 'getAll' })],
	['Get Many of stations in another order', 'chargingStations', all({ operation: 'getAll', ...byName })],
	['Get Many with a limit', 'chargingStations', { operation: 'getAll', limit: 120 }],
	['Get Charge Points', 'chargingStations', all({ operation: 'getChargePoints' })],
	['Availability', 'chargingStations', { operation: 'availability', ...days }],
	['Availability by charge point', 'chargingStations', { operation: 'availability', result: 'chargePoints', ...days }],
	['the list node', 'chargingNetworkList', all({ operation: 'getAll', ...from('/api/charging-stations/v1') })],
	['Get Many of sessions', 'chargingSessions', all({ operation: 'getAll' })],
	['figures of sessions', 'chargingSessions', { operation: 'summary', period: 'all' }],
];

describe.each(READINGS)('%s', (_, type, parameters) => {
	const notes = async () => {
		const { hints, error } = await runNode({ type, parameters, credential: credentialFor(platform) });
		expect(error).toBeUndefined();
		return hints.map(({ message }) => message).filter((message) => message.includes('same Id'));
	};

	it.each([
		['the same Id', 'doubled'],
		['one Id, once a number and once text', 'text'],
	] as const)('a note says that rows came with %s', async (__, oddIds) => {
		Object.assign(platform.behaviour.lists, { oddIds, oddIdEvery: 1_000 });
		expect(await notes()).toEqual([expect.stringMatching(/^More than one of the .* came .* by it: 6\. /)]);
	});

	it('nothing is said where each row has its own', async () => {
		expect(await notes()).toEqual([]);
	});
});
