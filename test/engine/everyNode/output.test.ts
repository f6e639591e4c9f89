import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';
import { ALL_SCOPES, NEEDED, operations } from '../../support/nodes.ts';

let platform: StandIn;
beforeAll(async () => {
	platform = await startPlatform({ sessions: 120, stations: 30, locations: 3 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	platform.behaviour.locationsScope = 'locations:read';
});

async function run(type: string, parameters: INodeParameters, options: Partial<RunOptions> = {}) {
	const apiKey = platform.createKey({ scopes: ALL_SCOPES }).secret;
	return await runNode({ type, credential: { ...credentialFor(platform), apiKey }, parameters, ...options });
}
const sessions = async (parameters: INodeParameters) =>
	await run('chargingSessions', { operation: 'getAll', returnAll: true, ...parameters });
const selected = (...outputFields: string[]) => ({ output: 'selected', outputFields });

describe('simplified', () => {
	it('has ten fields, the known ones first, plus those that options add, each next to its field', async () => {
		const whole = await sessions({});
		const { json } = await sessions({ output: 'simplified' });
		const names = Object.keys(json[0] ?? {});
		expect(names.slice(0, 4).sort()).toEqual(['EnergyConsumed', 'Id', 'StartedAtUtc', 'Status']);
		expect([names.length, Object.keys(whole.json[0] ?? {}).length > 10]).toEqual([10, true]);
		expect(json).toHaveLength(120);
		for (const [index, row] of json.entries()) expect(whole.json[index]).toMatchObject(row);
		const more = await sessions({ output: 'simplified', options: { addStatusNames: true, addLocalTimes: true } });
		expect(Object.keys(more.json[0] ?? {})).toEqual(
			names.flatMap((name) => {
				if (name === 'Status') return [name, 'StatusName'];
				return name.endsWith('Utc') ? [name, name.replace('Utc', 'Local')] : [name];
			}),
		);
	});

	it('has no lists or objects of the detail of a station', async () => {
		const { json } = await run('chargingStations', { operation: 'get', stationId: 1, output: 'simplified' });
		const [row = {}] = json;
		expect(Object.keys(row)).toEqual(expect.arrayContaining(['Id', 'Name', 'NetworkStatus', 'HardwareStatus']));
		expect(Object.values(row).filter((value) => typeof value === 'object' && value !== null)).toEqual([]);
	});
});

describe('selected', () => {
	it('has the Id and the chosen fields, in their order and spelled as in the rows, also where rows are sorted', async () => {
		const sort = { by: [{ field: 'EnergyConsumed', direction: 'Desc' }] };
		const whole = await sessions({ sort });
		const { json, hints } = await sessions({ sort, ...selected('StationName', 'status') });
		expect(json).toEqual(whole.json.map(({ Id, StationName, Status }) => ({ Id, StationName, Status })));
		expect([Object.keys(json[0] ?? {}), hints]).toEqual([['Id', 'StationName', 'Status'], []]);
		const placed = await sessions(selected('StationName', 'id'));
		expect(Object.keys(placed.json[0] ?? {})).toEqual(['StationName', 'Id']);
	});

	it('also has columns that are made from a field, or lie inside an object', async () => {
		const columns = ['StationName', 'StatusName', 'StartedAtLocal', 'EnergyConsumed', 'EndedAtLocal'];
		const { json, hints } = await sessions(selected(...columns));
		expect([Object.keys(json[3] ?? {}), hints]).toEqual([['Id', ...columns], []]);
		expect(json[3]?.StartedAtLocal).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
		const station = { operation: 'get', stationId: '1', ...selected('Id', 'firmware.version') };
		const inside = await run('chargingStations', station);
		expect(inside.json).toEqual([{ Id: 1, 'Firmware.Version': expect.any(String) as string }]);
		expect(inside.hints).toEqual([]);
	});

	it('has null for a chosen field that a row lacks, so that columns do not depend on the first row', async () => {
		const rows = [
			{ Id: 1, Cost: null },
			{
				Id: 2,
				Cost: { Currency: 'EUR' },
				Meter: { EndedAtUtc: '2026-01-31T17:00:00' },
				EndedAtUtc: '2026-01-31T17:00:00',
			},
			{ Id: 3, Cost: { Currency: 'CHF' }, Meter: null },
		];
		platform.faults.add({ kind: 'reply', status: 200, body: { Items: rows, TotalCount: 3 } });
		const chosen = selected('cost.currency', 'Meter.EndedAtLocal', 'endedatutc', 'Colour', 'Status');
		const { json, hints } = await sessions({ ...chosen, options: { addLocalTimes: true } });
		const none = { EndedAtUtc: null, EndedAtLocal: null, 'Meter.EndedAtLocal': null, Colour: null, Status: null };
		const [time, local] = ['2026-01-31T17:00:00', '2026-01-31 18:00:00'];
		expect(json).toEqual([
			{ ...none, Id: 1, 'Cost.Currency': null },
			{ ...none, Id: 2, 'Cost.Currency': 'EUR', 'Meter.EndedAtLocal': local, EndedAtUtc: time, EndedAtLocal: local },
			{ ...none, Id: 3, 'Cost.Currency': 'CHF' },
		]);
		const columns = ['Id', 'Cost.Currency', 'Meter.EndedAtLocal', 'EndedAtUtc', 'EndedAtLocal', 'Colour', 'Status'];
		expect(json.map(Object.keys)).toEqual([columns, columns, columns]);
		expect(hints.map(({ message }) => message)).toEqual([
			'None of the charging sessions has "Colour", "Status". Check the names in Output > Field Names.',
		]);
	});

	it('is sorted by a field inside an object, in any case, also where the first row has none', async () => {
		const rows = [
			{ Id: 1, Cost: null },
			{ Id: 2, Cost: { Currency: 'EUR' } },
			{ Id: 3, Cost: { Currency: 'CHF' } },
		];
		platform.faults.add({ kind: 'reply', status: 200, body: { Items: rows, TotalCount: 3 } });
		const { json, error } = await sessions({ sort: { by: [{ field: 'cost.currency', direction: 'Desc' }] } });
		expect([json.map(({ Id: id }) => id), error]).toEqual([[2, 3, 1], undefined]);
	});

	it('names a field that no row has in a hint, and none that some rows have', async () => {
		platform.behaviour.omitsEmpty = true;
		const parameters = { operation: 'getAll', returnAll: true, ...selected('Name', 'HardwareStatus', 'Nmae') };
		const { json, hints } = await run('chargingStations', parameters);
		expect(hints.map(({ message }) => message)).toEqual([
			'None of the charging stations has "Nmae". Check the names in Output > Field Names.',
		]);
		expect(new Set(json.map((row) => Object.keys(row).join()))).toEqual(new Set(['Id,Name,HardwareStatus,Nmae']));
		expect(json.map(({ HardwareStatus: status }) => status)).toContain(null);
	});

	it('says nothing of a list whose rows have no Id', async () => {
		platform.behaviour.ids.locations = 'none';
		const { json, hints } = await run('chargingLocations', { operation: 'getAll', ...selected('City') });
		expect([json[0], hints]).toEqual([{ Id: null, City: expect.any(String) as string }, []]);
	});
});

it.each([
	[{ output: 'selected' }, /^Field Names or IDs: nothing is chosen/],
	[{ output: '={{ "raw" }}' }, 'Output: "raw" is none of: all, simplified, selected.'],
])('%j is refused before anything is sent', async (parameters, message) => {
	const { error } = await sessions(parameters);
	expect(error?.message).toMatch(message);
	expect(platform.requests).toHaveLength(0);
});

it('local times follow those in UTC, in spreadsheet format and the time zone of the workflow', async () => {
	platform.db.exec(`UPDATE sessions SET StartedAtUtc = '2026-03-29T00:59:59' WHERE Id = 1;
		UPDATE sessions SET StartedAtUtc = '2026-03-29T01:00:00' WHERE Id = 2;`);
	const { json } = await sessions({ options: { addLocalTimes: true }, ...selected('StartedAtUtc', 'Id') });
	expect(json.slice(0, 2)).toEqual([
		{ Id: 1, StartedAtUtc: '2026-03-29T00:59:59', StartedAtLocal: '2026-03-29 01:59:59' },
		{ Id: 2, StartedAtUtc: '2026-03-29T01:00:00', StartedAtLocal: '2026-03-29 03:00:00' },
	]);
	expect(Object.keys(json[0] ?? {})).toEqual(['StartedAtUtc', 'StartedAtLocal', 'Id']);
});

it('known fields are spelled as in the specification where the platform writes camelCase, others stay', async () => {
	platform.behaviour.camelCase = true;
	const { json } = await sessions({});
	expect(json.map(({ Id: id }) => id)).toEqual(json.map((_, index) => index + 1));
	const known = ['Id', 'Status', 'EnergyConsumed', 'StartedAtUtc'];
	expect(Object.keys(json[0] ?? {}).slice(0, 5)).toEqual([...known, 'endedAtUtc']);
});

it('Include Input Fields gives each item of a table a copy of objects, which a later node may change', async () => {
	const items = [{ driver: { name: 'A' } }];
	const table = { result: 'itemPerGroup', groupBy: ['status'], options: { includeInputFields: true } };
	const { json } = await run('chargingSessions', { operation: 'summary', ...table }, { items });
	expect(json.length).toBeGreaterThan(1);
	Object.assign(json[0]?.driver as object, { name: 'B' });
	expect([...json.slice(1), ...items].map(({ driver }) => driver)).toEqual(json.map(() => ({ name: 'A' })));
});

it('Include Input Fields gives each result of one row or figure the fields of its own item, which do not win over its own', async () => {
	const byId = { id: [{ operator: 'Eq', value: '={{ $json.Id }}' }] };
	const byAnyId = { other: [{ field: 'Id|number', value: '={{ $json.Id }}' }] };
	const ofOne = (await operations()).filter(({ operation }) => ['count', 'summary', 'get'].includes(operation));
	expect(ofOne.length).toBeGreaterThan(7);
	for (const { type, operation } of ofOne) {
		const items = [{ Id: 2, note: 'A', count: 7 }, { Id: 999_999 }, { Id: 2, note: 'C', tags: ['x'] }].filter(
			({ Id }) => operation !== 'get' || Id === 2,
		);
		const one = { sessionId: '={{ $json.Id }}', stationId: { __rl: true, mode: 'id', value: '={{ $json.Id }}' } };
		const filters = /Sessions|Stations/.test(type) ? byId : byAnyId;
		const parameters = { ...NEEDED, ...one, operation, filters };
		const without = await run(type, parameters, { items });
		expect(without.json[0]).not.toBe(without.json.at(-1));
		expect(without.json[0]).not.toHaveProperty('note');
		const { json } = await run(type, { ...parameters, options: { includeInputFields: true } }, { items });
		expect(json).toEqual(items.map((item, index) => ({ ...item, ...without.json[index] })));
		if (operation !== 'get') expect(json.map(({ count }) => count)).toEqual([1, 0, 1]);
	}
});
