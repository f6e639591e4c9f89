import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, editorContext, runNode } from '../../support/harness.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 20, stations: 40 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async (parameters: INodeParameters = {}) =>
	await runNode({
		type: 'chargingStations',
		credential: credentialFor(platform),
		parameters: { operation: 'getChargePoints', returnAll: true, ...parameters },
	});

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
const details = () => platform.requests.filter(({ path }) => /\/\d+$/.test(path)).length;

it('each charge point of the stations that match is an item, with its own fields and its station', async () => {
	const { json } = await run({ filters: { networkStatus: [{ operator: 'Neq', value: '1' }] } });
	expect(json).toEqual(
		entries('NetworkStatus <> 1').map(({ station, name, entry }) => ({
			stationId: station,
			stationName: name,
			...entry,
		})),
	);
	expect(json.length).toBeGreaterThan(1);
});

it('Ids of charge points above 2^53 are not rounded to one another', async () => {
	platform.behaviour.chargePoints.ids = 'large';
	const { json } = await run({ returnAll: false, limit: 3 });
	const first = entries('stations.Id <= 3').map(({ entry }) => String(2n ** 53n + BigInt(Number(entry.Id))));
	expect(json.map(({ Id: id }) => id)).toEqual(first);
});

it('the limit counts stations, and each costs one request', async () => {
	const { json } = await run({ returnAll: false, limit: 3 });
	expect(new Set(json.map(({ stationId }) => stationId)).size).toBe(3);
	expect(details()).toBe(3);
});

it('those with a chosen status are returned, with the chosen fields of their stations', async () => {
	const status = Number(entries()[0]?.entry.Status);
	const { json } = await run({
		chargePointField: 'status',
		chargePointValues: [String(status)],
		options: { stationFields: ['NetworkStatus', 'locationname'] },
	});
	const expected = entries().filter(({ entry }) => entry.Status === status);
	expect(json.map(({ Id: id }) => id)).toEqual(expected.map(({ entry }) => entry.Id));
	expect(json.map(({ stationNetworkStatus }) => stationNetworkStatus)).toEqual(
		expected.map(({ NetworkStatus }) => NetworkStatus),
	);
	expect(json[0]).toHaveProperty('stationLocationName');
});

it.each([
	['a name', { Status: 'Faulted' }, 'Faulted'],
	['a name and a code', { Status: { Id: 4, Name: 'Faulted' } }, '4'],
	['true or false', { Status: true }, 'true'],
])('a status that is %s can be chosen', async (_, entry, value) => {
	setEntries(7, [entry, { Status: 'other' }, 'odd']);
	const { json } = await run({ chargePointField: 'Status', chargePointValues: [value] });
	expect(json.filter(({ stationId }) => stationId === 7)).toEqual([expect.objectContaining(entry)]);
});

describe('a station without charge points', () => {
	beforeEach(() => {
		setEntries(1, []);
		setEntries(2, null);
	});
	const names = () =>
		platform.db
			.prepare('SELECT Name FROM stations WHERE Id IN (1, 2) ORDER BY Id')
			.all()
			.map(({ Name: name }) => String(name));

	it('is named in a note', async () => {
		const { json, hints } = await run();
		expect(json.filter(({ stationId }) => Number(stationId) < 3)).toEqual([]);
		const [first, second] = names();
		expect(hints.map(({ message }) => message)).toEqual([
			`These stations have no charge points in their detail: "${first}".`,
			`The charge points of these stations cannot be read: "${second}" (EVSEs holds nothing instead of a list).`,
		]);
	});

	it('is an item if asked for', async () => {
		const { json } = await run({ options: { includeStationsWithout: true } });
		const [first, second] = names();
		expect(json.slice(0, 2)).toEqual([
			{ stationId: 1, stationName: first, withoutChargePoints: 'no entries' },
			{ stationId: 2, stationName: second, withoutChargePoints: 'not readable' },
		]);
	});

	it('is named, too, if it is deleted while the others are read', async () => {
		const isDetail = ({ path }: { path: string }) => path.endsWith('/9');
		platform.faults.add({ kind: 'status', status: 404, match: isDetail, times: Infinity });
		const { json, hints } = await run({ options: { includeStationsWithout: true } });
		expect(json).toContainEqual(expect.objectContaining({ stationId: 9, withoutChargePoints: 'no detail' }));
		expect(hints[0]?.message).toMatch(/^These stations have no detail, so their charge points are missing: "/);
	});
});

it.each([
	['a proxy that asks n8n to sign in', { kind: 'status', status: 407 }, /A proxy asks n8n to sign in/],
	['a page that was not found', { kind: 'html', status: 404 }, /API was not found/],
	['a refusal', { kind: 'status', status: 403 }, /./],
] as const)(
	'%s instead of a detail ends the run: it is not taken for a station without one',
	async (_, fault, message) => {
		platform.faults.add({ ...fault, match: ({ path }) => path.endsWith('/9'), times: Infinity });
		for (const parameters of [{}, { operation: 'availability', result: 'chargePoints' }]) {
			const { error, json } = await run(parameters);
			expect(error?.message).toMatch(message);
			expect(json).toEqual([]);
		}
	},
);

describe('charge points as the platform may send them', () => {
	const detailOf = (body: IDataObject) =>
		platform.faults.add({
			kind: 'reply',
			status: 200,
			body,
			match: ({ path }) => path.endsWith('/3'),
			times: Infinity,
		});
	const own = async (parameters: INodeParameters = {}) => {
		const { json, hints, error } = await run({ returnAll: false, limit: 3, ...parameters });
		return { json: json.filter(({ stationId }) => stationId === 3), hints: hints.map(({ message }) => message), error };
	};
	const Status = 1;

	it.each(['Items', '$values'])('a list in %s is a list', async (name) => {
		detailOf({ Id: 3, EVSEs: { [name]: [{ Id: 31, Status }] } });
		expect((await own()).json).toMatchObject([{ Id: 31, Status }]);
	});

	it.each<[unknown, string]>([
		[{ Items: 3 }, 'an object'],
		['A1, A2', 'text'],
		[undefined, 'nothing'],
	])('%j is no list: they cannot be read, which is not the same as none', async (evses, found) => {
		detailOf({ Id: 3, NetworkStatus: 1, EVSEs: evses } as IDataObject);
		const { json, hints } = await own();
		expect(json).toEqual([]);
		expect(hints).toEqual([expect.stringMatching(`cannot be read: ".*" \\(EVSEs holds ${found} instead of a list\\)`)]);
	});

	it('more than 1,000 at one station are refused for that station', async () => {
		detailOf({ Id: 3, EVSEs: Array.from({ length: 1_001 }, (_, index) => ({ Id: index, Status })) });
		const { json, hints } = await own();
		expect(json).toEqual([]);
		expect(hints).toEqual([
			expect.stringMatching(/cannot be read: ".*" \(EVSEs has 1,001 entries; at most 1,000 are read\)/),
		]);
	});

	it('neither a detail nor a charge point changes which station it is', async () => {
		const name = String(platform.db.prepare('SELECT Name FROM stations WHERE Id = 3').get()?.Name);
		detailOf({ Id: null, Name: null, NetworkStatus: 1, EVSEs: [{ Id: 31, stationId: 9, stationName: 'No' }] });
		expect((await own()).json).toEqual([{ stationId: 3, stationName: name, Id: 31 }]);
	});

	it('a detail without an Id but with the name of another station is refused', async () => {
		detailOf({ Name: 'Elsewhere', NetworkStatus: 1, EVSEs: [{ Id: 31 }] });
		expect((await own()).error?.message).toMatch(/detail of "Elsewhere".*asked for/);
	});

	it('a note says how many have no readable value in the chosen field', async () => {
		detailOf({ Id: 3, EVSEs: [{ Status: 7 }, { Status: null }, { Status: [1] }, { Status: {} }, {}, { Status: '' }] });
		const { json, hints } = await own({ chargePointField: 'Status', chargePointValues: ['7'] });
		expect(json).toMatchObject([{ Status: 7 }]);
		expect(hints).toEqual(['5 charge points have no readable value in "Status", and are left out.']);
	});
});

it('a detail that cannot be read stops the run: nothing is left out in silence', async () => {
	platform.faults.add({ kind: 'status', status: 500, match: ({ path }) => path.endsWith('/9'), times: Infinity });
	const { error, json } = await run();
	expect(error?.message).toMatch(/500/);
	expect(json).toEqual([]);
});

it('says so where no station, field or value fits', async () => {
	const none = await run({ filters: { name: [{ operator: 'Eq', value: 'Nowhere' }] } });
	expect(none.hints[0]?.message).toMatch(/^None of the charging stations matches the filter: Name equals "Nowhere"/);
	const value = await run({ chargePointField: 'Status', chargePointValues: ['999'] });
	expect(value.hints[0]?.message).toMatch(/^None of the \d+ charge points has "999" in Status\.$/);
	const field = await run({ chargePointField: 'Colour', chargePointValues: ['red'] });
	expect(field.hints[0]?.message).toMatch(/^None of the charge points has a field "Colour"\. They have: Id, /);
});

it('a field without values is refused before anything is sent', async () => {
	const { error } = await run({ chargePointField: 'Status', chargePointValues: [] });
	expect(error?.message).toMatch(/Charge Point Value.*no value is chosen/);
	expect(platform.requests).toEqual([]);
});

describe('the dropdowns', () => {
	const offered = async (method: string, parameters: INodeParameters = {}, key = platform.key) => {
		const { context, nodeType } = await editorContext({
			type: 'chargingStations',
			credential: credentialFor({ baseUrl: platform.baseUrl, key }),
			parameters: { operation: 'getChargePoints', ...parameters },
		});
		return (await nodeType.methods?.loadOptions?.[method]?.call(context)) ?? [];
	};

	it('offer the fields of live charge points, and the values of the chosen one with saved ones', async () => {
		const fields = await offered('getChargePointFields');
		expect(fields.map(({ value }) => value)).toEqual(['', ...Object.keys(entries()[0]?.entry ?? {})]);
		const chosen = { chargePointField: 'ConnectorType', chargePointValues: ['Type1'] };
		const values = (await offered('getChargePointValues', chosen)).map(({ value }) => value);
		const seen = new Set(entries('stations.Id <= 10').map(({ entry }) => entry.ConnectorType));
		expect(values).toEqual([...[...seen].sort(), 'Type1']);
	});

	it('keep what is saved where nothing can be read, and say why', async () => {
		platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		const { secret } = platform.createKey({ scopes: ['charging-stations:read'] });
		const fields = await offered('getChargePointFields', { chargePointField: 'Colour' }, secret);
		expect(fields.map(({ name }) => name)).toEqual(['None', 'Colour', 'Live Entries Could Not Be Loaded']);
	});
});

it('a field inside an object of a charge point chooses, too, and the dropdown offers it', async () => {
	setEntries(1, [
		{ Id: 11, Meter: { Kind: 'DC' } },
		{ Id: 12, Meter: { Kind: 'AC' } },
	]);
	const { json } = await run({ chargePointField: 'meter.kind', chargePointValues: ['DC'] });
	expect(json).toMatchObject([{ stationId: 1, Id: 11 }]);
	expect(json).toHaveLength(1);
	const { context, nodeType } = await editorContext({
		type: 'chargingStations',
		credential: credentialFor(platform),
		parameters: { operation: 'getChargePoints' },
	});
	// What was sampled before is too old.
	const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_600_000);
	const fields = await nodeType.methods?.loadOptions?.getChargePointFields?.call(context);
	clock.mockRestore();
	expect(fields?.map(({ value }) => value)).toContain('Meter.Kind');
});
