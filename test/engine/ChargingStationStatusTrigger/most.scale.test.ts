import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { API_KEY, ScriptedServer, sendRows } from '../../support/scriptedServer.ts';
import { TriggerRig } from '../../support/trigger/rig.ts';

const MOST = 20_000;
const server = new ScriptedServer();
beforeAll(async () => await server.start());
afterAll(async () => await server.stop());

/** A list with this many stations: Infinity never ends. */
function listOf(stations: number): void {
	server.script(({ url }, response) => {
		const query = url.searchParams.get('dsquery') ?? '{}';
		const after = Number(/"Operator":"Gt","Value":"(\d+)"/.exec(query)?.[1] ?? 0);
		const take = Number(/"Take":(\d+)/.exec(query)?.[1] ?? 0);
		const last = Math.min(stations, after + take);
		const rows = Array.from(
			{ length: Math.max(0, last - after) },
			(_, index): IDataObject => ({ Id: after + index + 1 }),
		);
		for (const row of rows) Object.assign(row, { Name: 'x', NetworkStatus: 2, Status: 1, HardwareStatus: 1 });
		sendRows(response, rows, Math.min(stations, 2_000_000_000) - after);
	});
}

const rigOf = (parameters: INodeParameters) => {
	const credential = { environment: 'production', productionUrl: server.baseUrl, testUrl: '', apiKey: API_KEY };
	return new TriggerRig('memory', parameters, credential);
};

it.each<INodeParameters>([{ event: 'availability', stationChanges: ['added'] }, { event: 'availability' }])(
	'an endless list is refused at the first reading, %j',
	async (parameters) => {
		listOf(Number.POSITIVE_INFINITY);
		await expect(rigOf(parameters).activate()).rejects.toThrow(
			'There are more than 200,000 charging stations, too many for one trigger to watch',
		);
	},
	300_000,
);

it('as many statuses as can be remembered are watched, and one station more is refused', async () => {
	listOf(MOST);
	const rig = rigOf({ event: 'statusChange', dimensions: ['NetworkStatus'] });
	await rig.activate();
	expect(rig.errors).toEqual([]);
	listOf(MOST + 1);
	await rig.restart();
	await rig.tick();
	expect(rig.errors.map(({ message }) => message)).toEqual([expect.stringContaining('more than 20,000 ')]);
}, 300_000);
