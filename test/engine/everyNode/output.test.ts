import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 450, stations: 30, locations: 3 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async (type: string, parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ type, credential: credentialFor(platform), parameters, ...options });

const sessions = async (parameters: INodeParameters) =>
	await run('chargingSessions', { operation: 'getAll', returnAll: true, ...parameters });

const messages = (hints: Array<{ message: string }>) => hints.map(({ message }) => message);

describe('Output', () => {
	it('simplified: ten fields, the known ones first', async () => {
		const whole = await sessions({});
		const { json } = await sessions({ output: 'simplified' });
		expect(json).toHaveLength(450);
		const names = Object.keys(json[0] ?? {});
		expect(names.slice(0, 4).sort()).toEqual(['EnergyConsumed', 'Id', 'StartedAtUtc', 'Status']);
		expect(names).toHaveLength(10);
		expect(Object.keys(whole.json[0] ?? {}).length).toBeGreaterThan(10);
		for (const [index, row] of json.entries()) expect(whole.json[index]).toMatchObject(row);
	});

	it('simplified: ten fields, plus those that options add, each next to its field', async () => {
		const plain = await sessions({ output: 'simplified' });
		const { json } = await sessions({ output: 'simplified', options: { addStatusNames: true, addLocalTimes: true } });
		const expected = Object.keys(plain.json[0] ?? {}).flatMap((name) => {
			if (name === 'Status') return [name, 'StatusName'];
			return name.endsWith('Utc') ? [name, name.replace('Utc', 'Local')] : [name];
		});
		expect(Object.keys(json[0] ?? {})).toEqual(expected);
		expect(expected.length).toBeGreaterThan(10);
	});

	it('selected: the chosen columns behind the Id, including those made from a field', async () => {
		const outputFields = ['StationName', 'StatusName', 'StartedAtLocal', 'EnergyConsumed', 'EndedAtLocal'];
		const { json, hints } = await sessions({ output: 'selected', outputFields });
		expect(Object.keys(json[3] ?? {})).toEqual(['Id', ...outputFields]);
		expect(json[3]?.StartedAtLocal).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
		expect(hints).toEqual([]);
	});

	it('selected: also a field inside an object', async () => {
		const parameters = {
			operation: 'get',
			stationId: '1',
			output: 'selected',
			outputFields: ['Id', 'firmware.version'],
		};
		const { json, hints } = await run('chargingStations', parameters);
		expect(json).toEqual([{ Id: 1, 'Firmware.Version': expect.any(String) as string }]);
		expect(hints).toEqual([]);
	});

	it('local times follow those in UTC, in spreadsheet format and the time zone of the workflow', async () => {
		platform.db.exec(`UPDATE sessions SET StartedAtUtc = '2026-03-29T00:59:59' WHERE Id = 1;
			UPDATE sessions SET StartedAtUtc = '2026-03-29T01:00:00' WHERE Id = 2;`);
		const options = { addLocalTimes: true };
		const { json } = await sessions({ options, output: 'selected', outputFields: ['StartedAtUtc', 'Id'] });
		expect(json.slice(0, 2)).toEqual([
			{ Id: 1, StartedAtUtc: '2026-03-29T00:59:59', StartedAtLocal: '2026-03-29 01:59:59' },
			{ Id: 2, StartedAtUtc: '2026-03-29T01:00:00', StartedAtLocal: '2026-03-29 03:00:00' },
		]);
		expect(Object.keys(json[0] ?? {})).toEqual(['StartedAtUtc', 'StartedAtLocal', 'Id']);
	});

	it('known fields are spelled as in the specification where the platform writes camelCase, others stay', async () => {
		platform.behaviour.lists.names = 'camel';
		const { json } = await sessions({});
		expect(json.map(({ Id: id }) => id)).toEqual(json.map((_, index) => index + 1));
		expect(Object.keys(json[0] ?? {}).slice(0, 5)).toEqual([
			'Id',
			'Status',
			'EnergyConsumed',
			'StartedAtUtc',
			'endedAtUtc',
		]);
	});

	it('simplified: the detail of a station has no lists or objects', async () => {
		const { json } = await run('chargingStations', { operation: 'get', stationId: 1, output: 'simplified' });
		expect(Object.keys(json[0] ?? {})).toEqual(
			expect.arrayContaining(['Id', 'Name', 'NetworkStatus', 'HardwareStatus']),
		);
		expect(Object.values(json[0] ?? {}).filter((value) => typeof value === 'object' && value !== null)).toEqual([]);
	});

	it('selected: the Id and the chosen fields, in their order and spelled as in the rows, with any sort', async () => {
		for (const sort of [{}, { by: [{ field: 'EnergyConsumed', direction: 'Desc' }] }]) {
			const whole = await sessions({ sort });
			const { json, hints } = await sessions({ sort, output: 'selected', outputFields: ['StationName', 'status'] });
			expect(json).toEqual(whole.json.map(({ Id, StationName, Status }) => ({ Id, StationName, Status })));
			expect(Object.keys(json[0] ?? {})).toEqual(['Id', 'StationName', 'Status']);
			expect(hints).toEqual([]);
		}
	});

	it('selected: a field that no row has is named in a hint, one that some rows have is not', async () => {
		platform.behaviour.missingHardwareStatus = 'omitted';
		const { json, hints } = await run('chargingStations', {
			operation: 'getAll',
			returnAll: true,
			output: 'selected',
			outputFields: ['Name', 'HardwareStatus', 'Nmae'],
		});
		expect(messages(hints)).toEqual([
			'None of the charging stations has "Nmae". Check the names in Output > Field Names.',
		]);
		expect(new Set(json.map((row) => Object.keys(row).join()))).toEqual(new Set(['Id,Name,HardwareStatus', 'Id,Name']));
	});

	it('selected: a list whose rows have no Id, without a word about it', async () => {
		platform.behaviour.locations.idName = 'LocationId';
		platform.behaviour.locations.acceptsKeys = true;
		const parameters = { operation: 'getAll', output: 'selected', outputFields: ['City'] };
		const apiKey = platform.createKey({ scopes: ['locations:read'] }).secret;
		const credential = { ...credentialFor(platform), apiKey };
		const { json, hints } = await run('chargingLocations', parameters, { credential });
		expect(json[0]).toEqual({ City: expect.any(String) as string });
		expect(hints).toEqual([]);
	});

	it('selected: text with commas from an expression', async () => {
		const { json } = await sessions({ output: 'selected', outputFields: '={{ "Id, Status" }}' });
		expect(json[3]).toEqual({ Id: 4, Status: expect.any(Number) as number });
	});

	it.each([
		[{ output: 'selected' }, /^Field Names or IDs: nothing is chosen/],
		[{ output: 'selected', outputFields: '={{ $json.none }}' }, /^Field Names or IDs: a list of names is needed here/],
		[
			{ output: 'selected', outputFields: '={{ [{}] }}' },
			/^Field Names or IDs: a list of names is needed here, but an object/,
		],
		[{ output: '={{ "raw" }}' }, 'Output: "raw" is none of: all, simplified, selected.'],
	])('refuses %j before anything is sent', async (parameters, message) => {
		const { error } = await sessions(parameters);
		expect(error?.message).toMatch(message);
		expect(platform.requests).toHaveLength(0);
	});
});

describe('Include Input Fields', () => {
	const tariffs = { list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' } };
	const byId = { filters: { other: [{ field: 'Id|number', value: '={{ $json.Id }}' }] } };
	const byKnownId = { filters: { id: [{ operator: 'Eq', value: '={{ $json.Id }}' }] } };

	it.each<[string, INodeParameters]>([
		['chargingSessions', { operation: 'count', ...byKnownId }],
		['chargingSessions', { operation: 'summary', ...byKnownId }],
		['chargingSessions', { operation: 'get', sessionId: '={{ $json.Id }}' }],
		['chargingStations', { operation: 'count', ...byKnownId }],
		['chargingStations', { operation: 'get', stationId: { __rl: true, mode: 'id', value: '={{ $json.Id }}' } }],
		['chargingLocations', { operation: 'count', ...byId }],
		['chargingNetworkList', { operation: 'count', ...tariffs, ...byId }],
		['chargingNetworkList', { operation: 'summary', ...tariffs, ...byId }],
	])('%s: results have the fields of their items: %j', async (type, parameters) => {
		platform.behaviour.locations.acceptsKeys = true;
		const items = [{ Id: 2, note: 'A' }, { Id: 999_999 }, { Id: 2, note: 'C', tags: ['x'] }].filter(
			({ Id }) => parameters.operation !== 'get' || Id === 2,
		);
		const scopes = ['charging-sessions:read', 'charging-stations:read', 'locations:read', 'tariffs:read'];
		const credential = { ...credentialFor(platform), apiKey: platform.createKey({ scopes }).secret };
		const without = await run(type, parameters, { items, credential });
		expect(without.json[0]).not.toBe(without.json.at(-1));
		const { json, error } = await run(
			type,
			{ ...parameters, options: { includeInputFields: true } },
			{ items, credential },
		);
		expect(error).toBeUndefined();
		expect(json).toEqual(items.map((item, index) => ({ ...item, ...without.json[index] })));
		expect(json[0]).toHaveProperty('note', 'A');
		expect(without.json[0]).not.toHaveProperty('note');
		if (parameters.operation !== 'get') expect(json.map(({ count }) => count)).toEqual([1, 0, 1]);
	});
});
