import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startPlatform, type Fault, type StandIn } from '../../platform/index.ts';
import { credentialFor, editorContext, runNode } from '../../support/harness.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 0, stations: 24 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async (parameters: INodeParameters = {}) => {
	const result = await runNode({
		type: 'chargingStations',
		credential: credentialFor(platform),
		parameters: { operation: 'getChargePoints', returnAll: true, ...parameters },
	});
	return { ...result, notes: result.hints.map(({ message }) => message) };
};

/** Each entry of EVSEs in the stand-in, with its station, by station. */
const entries = (where = 'TRUE') =>
	platform.db
		.prepare(
			`SELECT stations.Id AS station, stations.Name AS name, NetworkStatus, entry.value AS entry
			FROM stations, json_each(EVSEs) AS entry WHERE ${where} ORDER BY stations.Id, entry.key`,
		)
		.all()
		.map(({ station, name, NetworkStatus, entry }) => ({
			station,
			name,
			NetworkStatus,
			entry: JSON.parse(String(entry)) as IDataObject,
		}));
const setEntries = (station: number, value: unknown) =>
	platform.db.prepare('UPDATE stations SET EVSEs = ? WHERE Id = ?').run(JSON.stringify(value), station);
const nameOf = (station: number) =>
	String(platform.db.prepare('SELECT Name FROM stations WHERE Id = ?').get(station)?.Name);
/** What the detail of a station meets. */
const spoil = (station: number, fault: Fault) =>
	platform.faults.add({ ...fault, match: ({ path }) => path.endsWith(`/${station}`), times: Infinity });

it('each charge point of the stations that match is an item, with its own fields and its station', async () => {
	const { json } = await run({ filters: { networkStatus: [{ operator: 'Neq', value: '1' }] } });
	const expected = entries('NetworkStatus <> 1').map(({ station, name, entry }) => ({
		stationId: station,
		stationName: name,
		chargePointId: entry.Id,
		...entry,
	}));
	expect(json).toEqual(expected);
	expect(json.length).toBeGreaterThan(1);
});

it('the limit counts stations, each costs one request, and Ids above 2^53 are not rounded', async () => {
	const first = entries('stations.Id <= 3').map(({ entry }) => `900719925474099${Number(entry.Id)}`);
	platform.db.exec(`UPDATE stations SET EVSEs = replace(EVSEs, '"Id":', '"Id":900719925474099')`);
	const { json } = await run({ returnAll: false, limit: 3 });
	expect(json.map(({ Id: id }) => id)).toEqual(first);
	expect(platform.requests.filter(({ path }) => /\/\d+$/.test(path))).toHaveLength(3);
});

it.each([
	[{ chargePointValues: ['4'] }],
	[{ chargePointField: '', chargePointValues: '={{ ["4"] }}' }],
	[{ chargePointField: '={{ "" }}', chargePointValues: ['4'] }],
])('values without a field are refused before anything is sent: %j', async (chosen) => {
	const { error, items } = await run(chosen);
	expect(error?.message).toMatch(/^Charge Point Field Name or ID: no field is chosen, but values are\. /);
	expect([items, platform.requests]).toEqual([[], []]);
});

it('where the limit leaves stations out, a note says so beside charge points with certain values', async () => {
	const some = { chargePointField: 'Status', chargePointValues: ['1', '2', '3'] };
	const said = 'Limit counts stations: only the charge points of 3 stations were looked at.';
	expect((await run({ ...some, returnAll: false, limit: 3 })).notes).toEqual([expect.stringContaining(said)]);
	expect((await run({ ...some, returnAll: false, limit: 25 })).notes).toEqual([]);
	expect((await run({ returnAll: false, limit: 3 })).notes).toEqual([]);
});

it('those with a chosen status are returned, with the chosen fields of their stations', async () => {
	const status = Number(entries()[0]?.entry.Status);
	const { json, notes } = await run({
		chargePointField: 'status',
		chargePointValues: [String(status)],
		options: { stationFields: ['NetworkStatus', 'locationname', 'Nmae'] },
	});
	const expected = entries().filter(({ entry }) => entry.Status === status);
	expect(json.map(({ Id: id, stationNetworkStatus }) => [id, stationNetworkStatus])).toEqual(
		expected.map(({ entry, NetworkStatus }) => [entry.Id, NetworkStatus]),
	);
	expect(json[0]).toHaveProperty('stationLocationName');
	expect(notes).toEqual([
		'None of the charging stations has "Nmae". Check the names in Options > Station Field Names.',
	]);
});

it.each<[string, string, object, string]>([
	['a name', 'Status', { Status: 'Faulted' }, 'Faulted'],
	['a name in another case', 'Status', { Status: 'Faulted' }, 'faulted'],
	['a name and a code', 'Status', { Status: { Id: 4, Name: 'Faulted' } }, '4'],
	['inside an object', 'meter.kind', { Meter: { Kind: 'DC' } }, 'DC'],
])('a value that is %s can be chosen', async (_, chargePointField, entry, value) => {
	setEntries(7, [entry, { Status: 'other', Meter: { Kind: 'AC' } }, 'odd']);
	const { json } = await run({ chargePointField, chargePointValues: [value] });
	expect(json.filter(({ stationId }) => stationId === 7)).toEqual([expect.objectContaining(entry)]);
});

it('stations without charge points are named in notes, or are items if asked for', async () => {
	setEntries(1, []);
	setEntries(2, null);
	spoil(9, { kind: 'status', status: 404 });
	const { json, notes } = await run();
	expect(json.filter(({ stationId }) => [1, 2, 9].includes(Number(stationId)))).toEqual([]);
	expect(notes).toEqual([
		`These stations have no detail, so their charge points are missing: "${nameOf(9)}".`,
		`These stations have no charge points in their detail: "${nameOf(1)}".`,
		`The charge points of these stations cannot be read: "${nameOf(2)}" (EVSEs holds nothing instead of a list).`,
	]);
	const withEmpty = await run({ options: { includeStationsWithout: true } });
	expect(withEmpty.json.filter(({ withoutChargePoints }) => withoutChargePoints !== undefined)).toEqual([
		{ stationId: 1, stationName: nameOf(1), withoutChargePoints: 'no entries' },
		{ stationId: 2, stationName: nameOf(2), withoutChargePoints: 'not readable' },
		{ stationId: 9, stationName: nameOf(9), withoutChargePoints: 'no detail' },
	]);
});

it.each<[string, Fault, RegExp]>([
	['a proxy that asks n8n to sign in', { kind: 'status', status: 407 }, /A proxy asks n8n to sign in/],
	['a page that was not found', { kind: 'html', status: 404 }, /with status 404 in place of/],
	['a server fault', { kind: 'status', status: 500 }, /500/],
])('%s instead of a detail ends the run: it is not taken for a station without one', async (_, fault, message) => {
	spoil(9, fault);
	for (const parameters of [{}, { operation: 'availability', result: 'chargePoints' }]) {
		const { error, json } = await run(parameters);
		expect(error?.message).toMatch(message);
		expect(json).toEqual([]);
	}
});

describe('charge points as the platform may send them', () => {
	/** Of station 3, with this detail. */
	const withDetail = async (body: object, parameters: INodeParameters = {}) => {
		spoil(3, { kind: 'reply', status: 200, body });
		return await run({ ...parameters, filters: { id: [{ operator: 'Eq', value: '3' }] } });
	};

	it.each(['Items', '$values'])('a list in %s is a list', async (name) => {
		const { json } = await withDetail({ Id: 3, EVSEs: { [name]: [{ Id: 31, Status: 1 }] } });
		expect(json).toMatchObject([{ Id: 31, Status: 1 }]);
	});

	it.each<[string, unknown, string]>([
		['an object', { Items: 3 }, 'EVSEs holds an object instead of a list'],
		['left out', undefined, 'EVSEs holds nothing instead of a list'],
		[
			'more than 1,000',
			Array.from({ length: 1_001 }, (_, Id) => ({ Id, Status: 1 })),
			'EVSEs has 1,001 entries; at most 1,000 are read',
		],
	])('those that are %s cannot be read, which is not the same as none', async (_, EVSEs, why) => {
		const { json, notes } = await withDetail({ Id: 3, EVSEs });
		expect(json).toEqual([]);
		expect(notes).toEqual([`The charge points of these stations cannot be read: "${nameOf(3)}" (${why}).`]);
	});

	it('neither a detail nor a charge point changes which station it is', async () => {
		const EVSEs = [{ Id: 31, stationId: 9, stationName: 'No' }];
		const { json } = await withDetail({ Id: null, Name: null, NetworkStatus: 1, EVSEs });
		expect(json).toEqual([{ stationId: 3, stationName: nameOf(3), chargePointId: 31, Id: 31 }]);
	});

	it('chargePointId is the EvseId of those without an Id, or else their place, as alerts and uptime have it', async () => {
		const named = [{ EvseId: 'E*1' }, { EvseId: 'E*2' }];
		setEntries(3, named);
		setEntries(4, [...named, { EvseId: 'E*1' }]);
		const { json } = await run({ filters: { id: [{ operator: 'In', values: ['3', '4'] }] } });
		expect(json.map(({ chargePointId }) => chargePointId)).toEqual(['E*1', 'E*2', '#1', '#2', '#3']);
	});

	it('a chosen field of a station is a column of all, also where only another one has it', async () => {
		spoil(3, { kind: 'reply', status: 200, body: { Id: 3, Site: null, EVSEs: [{ Id: 31 }] } });
		spoil(4, { kind: 'reply', status: 200, body: { Id: 4, Site: { Town: 'Graz' }, EVSEs: [{ Id: 41 }] } });
		const filters = { id: [{ operator: 'In', values: ['3', '4'] }] };
		const { json } = await run({ filters, options: { stationFields: ['site.town', 'Colour'] } });
		expect(json).toMatchObject([
			{ 'stationSite.Town': null, stationColour: null },
			{ 'stationSite.Town': 'Graz', stationColour: null },
		]);
	});

	it('a note says how many have no readable value in the chosen field', async () => {
		const EVSEs = [{ Status: 7 }, { Status: null }, { Status: [1] }, { Status: {} }, {}, { Status: '' }];
		const chosen = { chargePointField: 'Status', chargePointValues: ['7'] };
		const { json, notes } = await withDetail({ Id: 3, EVSEs }, chosen);
		expect(json).toMatchObject([{ Status: 7 }]);
		expect(notes).toEqual(['5 charge points have no readable value in "Status", and are left out.']);
	});
});

it.each<[string, INodeParameters, RegExp]>([
	[
		'station',
		{ filters: { name: [{ operator: 'Eq', value: 'Nowhere' }] } },
		/^None of the charging stations matches the filter: Name equals "Nowhere"/,
	],
	[
		'value',
		{ chargePointField: 'Status', chargePointValues: ['999'] },
		/^None of the \d+ charge points has "999" in Status\.$/,
	],
	[
		'field',
		{ chargePointField: 'Colour', chargePointValues: ['red'] },
		/^None of the charge points has a field "Colour"\. They have: Id, /,
	],
])('says so where no %s fits', async (_, parameters, note) => {
	expect((await run(parameters)).notes[0]).toMatch(note);
});

it('a field without values is refused before anything is sent', async () => {
	const { error } = await run({ chargePointField: 'Status', chargePointValues: [] });
	expect(error?.message).toMatch(/Charge Point Value.*no value is chosen/);
	expect(platform.requests).toEqual([]);
});

/** With a key of its own, of which nothing is remembered. */
const offered = async (method: string, parameters: INodeParameters = {}) => {
	const { secret } = platform.createKey({ scopes: ['charging-stations:read'] });
	const { context, nodeType } = await editorContext({
		type: 'chargingStations',
		credential: credentialFor({ baseUrl: platform.baseUrl, key: secret }),
		parameters: { operation: 'getChargePoints', ...parameters },
	});
	return (await nodeType.methods?.loadOptions?.[method]?.call(context)) ?? [];
};

it('the dropdowns offer the fields of live charge points, and the values of the chosen one with what is saved', async () => {
	const own = Object.keys(entries()[0]?.entry ?? {});
	setEntries(1, [{ ...entries()[0]?.entry, Meter: { Kind: 'DC' } }]);
	const fields = (await offered('getChargePointFields', { chargePointField: 'Colour' })).map(({ value }) => value);
	expect(fields).toEqual(['', ...own, 'Meter.Kind', 'Colour']);
	const chosen = { chargePointField: 'ConnectorType', chargePointValues: ['Type1'] };
	const values = (await offered('getChargePointValues', chosen)).map(({ value }) => value);
	const seen = new Set(entries('stations.Id <= 10').map(({ entry }) => entry.ConnectorType));
	expect(values).toEqual([...[...seen].sort(), 'Type1']);
});
