/**
 * Parameters from expressions, AI models, spreadsheets and hurried people: what was meant, or a place to look at and no
 * request.
 */
import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 300, stations: 12 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	platform.db.exec("UPDATE stations SET Name = 'Depot ' || Id");
});

const SCOPES = ['charging-sessions:read', 'charging-stations:read'];
const run = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({
		type: 'chargingSessions',
		// Each run has its own key: a hold is shared by all runs with the same key.
		credential: { ...credentialFor(platform), apiKey: platform.createKey({ scopes: SCOPES }).secret },
		parameters,
		...options,
	});
const said = ({ error }: Awaited<ReturnType<typeof run>>) => `${error?.message} ${error?.description}`;
const stations = { type: 'chargingStations' };
const station = (id: string) => ({ operation: 'get', stationId: { __rl: true, mode: 'id', value: id } });
const asJson = (json: string): INodeParameters => ({ json: [{ json }] });
const idsBySql = (where: string, list = 'sessions') =>
	platform.db
		.prepare(`SELECT Id FROM ${list} WHERE ${where} ORDER BY Id`)
		.all()
		.map(({ Id: id }) => id);

it.each<[string, INodeParameters]>([
	['local times', { operation: 'getAll', options: { addLocalTimes: true } }],
	['days', { operation: 'summary', groupBy: ['day'] }],
	['a period', { operation: 'count', filters: { startedAtUtc: [{ operator: 'InPeriod', period: 'today' }] } }],
])('a time zone of the workflow that nobody knows is named: %s', async (_, parameters) => {
	const refused = await run(parameters, { timezone: 'Europe/Berln' });
	expect(said(refused)).toMatch(/^Settings of the workflow > Timezone: "Europe\/Berln" is no time zone/);
	expect(said(refused)).not.toContain('places need a change');
	expect(platform.requests).toEqual([]);
	expect((await run(parameters, { timezone: 'Africa/Johannesburg' })).status).toBe('success');
});

it.each<[INodeParameters, number]>([
	[{ returnAll: '={{ "true" }}' }, 300],
	[{ returnAll: '={{ " TRUE " }}' }, 300],
	[{ returnAll: '={{ "false" }}', limit: '3' }, 3],
	[{ returnAll: 'false', limit: 3 }, 3],
	[{ returnAll: 'False', limit: 3 }, 3],
	[{ returnAll: 'true', limit: 3 }, 300],
	[{ limit: '={{ "25" }}' }, 25],
	[{ limit: ' 25 ' }, 25],
	[{ limit: '={{ 1e15 }}' }, 300],
	[{ returnAll: true, options: { pageSize: '={{ "30" }}', parallelRequests: '={{ "2" }}' } }, 300],
	[{ limit: 3, station: 'x', options: { pageSiz: 5 } }, 3],
])('%j gives %i rows', async (parameters, rows) => {
	const { json, error } = await run({ operation: 'getAll', ...parameters });
	expect(error).toBeUndefined();
	expect(new Set(json.map(({ Id: id }) => id)).size).toBe(rows);
});

it('digits with a separator of thousands are no other number: 1.000 is refused, 12.0 is 12', async () => {
	const refused = await run({ operation: 'getAll', limit: '={{ "1.000" }}' });
	expect(said(refused)).toMatch(/^Limit: a whole number of 1 or more is needed, but it is "1.000"/);
	expect(platform.requests).toEqual([]);
	expect((await run({ operation: 'getAll', limit: '={{ "12.0" }}' })).json).toHaveLength(12);
});

it.each<[INodeParameters]>([
	[{ id: [{ operator: 'Eq', value: '1.000' }] }],
	[{ id: [{ operator: 'In', values: '2, 1.000' }] }],
	[{ id: [{ operator: 'GteLt', from: '1.234', to: '5.678' }] }],
	[{ other: [{ field: '={{ "Id" }}', anyOperator: 'Eq', value: '1.000' }] }],
	[{ json: [{ json: '{"Field":"Id","Operator":"Eq","Value":"1.000"}' }] }],
	[{ status: [{ operator: 'Eq', value: '4.000' }] }],
])('an ID or a code is no other one because of a separator of thousands: %j', async (filters) => {
	const refused = await run({ operation: 'getAll', filters });
	expect(said(refused)).toMatch(/"(1\.000|1\.234|4\.000)" is not (an ID|a status code)\. /);
	expect(platform.requests).toEqual([]);
});

it.each<[INodeParameters]>([
	[{ id: [{ field: 'UserId|number', value: '1' }] }],
	[{ groups: [{ filters: { id: [{ field: '={{ "UserId" }}', value: '1' }] } }] }],
])('a condition on the Id for which the workflow names another field is refused: %j', async (filters) => {
	const refused = await run({ operation: 'getAll', filters });
	expect(said(refused)).toMatch(/Session ID 1: this condition compares Id, but "UserId" is given as its field\./);
	expect(platform.requests).toEqual([]);
	const own = { id: [{ field: 'id', value: '1' }] };
	expect((await run({ operation: 'getAll', filters: own })).json).toMatchObject([{ Id: 1 }]);
});

it('in a list of IDs, 1,002 may be one ID or two, and is refused', async () => {
	const refused = await run({ operation: 'getAll', filters: { id: [{ operator: 'In', values: '7, 1,002' }] } });
	expect(said(refused)).toMatch(/"1,002" may be one ID with a separator of thousands, or several IDs/);
	expect(platform.requests).toEqual([]);
});

it.each<[INodeParameters, RegExp]>([
	[{ other: [{ field: 'Id', anyOperator: 'In', value: '1,002' }] }, /"1,002" may be one ID/],
	[asJson('{ "Field": "id", "Operator": "In", "Value": "1,002" }'), /"1,002" may be one ID/],
	[
		{ other: [{ field: 'Status|code', codeOperator: 'In', value: '1,003' }] },
		/"1,003" may be one code .*, or several codes/,
	],
])(
	'1,002 is refused where nothing is known of the field but its name, and so are codes: %j',
	async (filters, message) => {
		const list = { __rl: true, mode: 'path', value: '/api/charging-sessions/v1' };
		const refused = await run({ operation: 'count', list, filters }, { type: 'chargingNetworkList' });
		expect(said(refused)).toMatch(message);
		expect(platform.requests).toEqual([]);
	},
);

it.each<[INodeParameters, RegExp]>([
	[{ startedAtUtc: [{ operator: 'Gte', value: '0026-01-01T00:00:00' }] }, /is in the year 26, and no row is/],
	[{ startedAtUtc: [{ operator: 'Gte', value: '01.01.26' }] }, /./],
	[{ startedAtUtc: [{ operator: 'Gte', value: "={{ DateTime.fromFormat('01.01.26', 'dd.MM.y') }}" }] }, /year 26/],
	[{ startedAtUtc: [{ operator: 'IsYear', value: '26' }] }, /./],
	[asJson('{ "Field": "StartedAtUtc", "Operator": "Gte", "Value": "0026-01-01" }'), /year 26/],
	[{ other: [{ field: 'EndedAtUtc', anyOperator: 'Gte', value: '0026-01-01 00:00:00' }] }, /year 26/],
])('a year of two digits does not ask for all rows since the year 26: %j', async (filters, message) => {
	const refused = await run({ operation: 'count', filters });
	expect(said(refused)).toMatch(message);
	expect(platform.requests).toEqual([]);
});

it.each<[INodeParameters]>([
	[{ other: [{ field: 'StationId|number', numberOperator: 'Eq', value: '1.000' }] }],
	[{ other: [{ field: 'StationId|number', numberOperator: 'In', value: '7, 1,003' }] }],
	[{ other: [{ field: 'StationID|text', textOperator: 'In', value: '1,003' }] }],
	[{ other: [{ field: 'StationId', anyOperator: 'Gt', value: '1.003' }] }],
	[{ other: [{ field: 'StationId', anyOperator: 'Eq', value: '1,003' }] }],
	[{ other: [{ field: 'Id|text', textOperator: 'Eq', value: '1\u202f003' }] }],
	[{ other: [{ field: 'Status|number', numberOperator: 'Eq', value: '1.000' }] }],
	[{ other: [{ field: 'Status', anyOperator: 'In', value: '1,003' }] }],
	[asJson('{ "Field": "StationId", "Operator": "In", "Value": "1,003" }')],
	[asJson('{ "Field": "StationId", "Operator": "GteLte", "Value": ["1.000", "1.003"] }')],
])('nor in a field that holds the ID of another row, or a status, whatever its type: %j', async (filters) => {
	const list = { __rl: true, mode: 'path', value: '/api/charging-sessions/v1' };
	const refused = await run({ operation: 'count', list, filters }, { type: 'chargingNetworkList' });
	expect(said(refused)).toMatch(/"1\D00[03]" (?:is not (?:an ID|a status code)\.|may be one (?:ID|code) with)/);
	expect(platform.requests).toEqual([]);
});

it.each<[string, INodeParameters]>([
	['1.000', { operation: 'get', sessionId: { __rl: true, mode: 'id', value: '1.000' } }],
	['1,003', station('1,003')],
	['1.000', { operation: 'count', filters: { id: [{ operator: 'Eq', value: '1.000' }] } }],
	['1,002', { operation: 'count', filters: { id: [{ operator: 'In', values: '={{ "1,002" }}' }] } }],
])('nor where one row is asked for, or a station, whose IDs may be text: %s in %j', async (_, parameters) => {
	const refused = await run(parameters, 'sessionId' in parameters ? {} : stations);
	expect(said(refused)).toMatch(/"1\D00[023]" (is not an ID\.|may be one ID with)/);
	expect(platform.requests).toEqual([]);
});

it('a firmware and an amount keep their points', async () => {
	const list = { __rl: true, mode: 'path', value: '/api/charging-sessions/v1' };
	for (const other of [
		{ field: 'EnergyConsumed|number', numberOperator: 'Eq', value: '1.000' },
		{ field: 'StationName', anyOperator: 'Eq', value: '1.200' },
		{ field: 'StationId', anyOperator: 'Contains', value: '1.000' },
	]) {
		await run({ operation: 'count', list, filters: { other: [other] } }, { type: 'chargingNetworkList' });
	}
	const sent = platform.requests.map(
		({ dsquery }) => (dsquery as { Filter: { Filters: unknown[] } }).Filter.Filters[0],
	);
	expect(sent).toMatchObject([{ Value: '1' }, { Value: '1.200' }, { Value: '1.000' }]);
});

it('an ID with a point and a zero, as a sheet gives it, is that ID', async () => {
	const filters = { id: [{ operator: 'Eq', value: '={{ "12.0" }}' }] };
	expect((await run({ operation: 'getAll', filters })).json).toMatchObject([{ Id: 12 }]);
});

it.each([
	...[
		"(1763164800).toDateTime('s')",
		'$now.minus({ days: 7 })',
		"DateTime.fromISO('1899-12-30').plus({ days: Number('45992.75') })",
	].map((date) => ['startedAtUtc', date] as const),
	['energyConsumed', "$now.diff($now.minus({ minutes: 30 })).as('hours')"],
] as const)('%s: %s, as messages advise', async (field, expression) => {
	const filters = { [field]: [{ operator: 'Lt', value: `={{ ${expression} }}` }] };
	const { json, error } = await run({ operation: 'count', filters });
	expect([error, json]).toEqual([undefined, [{ count: expect.any(Number) as number }]]);
});

const status = (values: string): INodeParameters => ({ status: [{ operator: 'In', values }] });
it.each<[INodeParameters, string]>([
	[status('["finished","failed"]'), 'Status IN (4, 6)'],
	[status('={{ "Finished, 6" }}'), 'Status IN (4, 6)'],
	[{ other: [{ field: 'Status|number', numberOperator: 'In', value: '"4","6"' }] }, 'Status IN (4, 6)'],
	[{ energyConsumed: [{ operator: 'Gt', value: '={{ "20" }}' }] }, 'EnergyConsumed > 20'],
	[asJson('{"Field":"Status","Operator":"In","Value":[4,6]}'), 'Status IN (4, 6)'],
	[
		asJson('{"Field":"EnergyConsumed","Operator":"GteLt","Value":"[10, 20]"}'),
		'EnergyConsumed >= 10 AND EnergyConsumed < 20',
	],
	[asJson('{"Field":"IsRoaming","Operator":"Eq","Value":false}'), 'IsRoaming = 0'],
	[asJson('{"Filter":{"logic":"And","filters":[{"field":"Status","operator":"eq","value":4}]}}'), 'Status = 4'],
])('the filter %j means what it says', async (filters, where) => {
	const { json, error } = await run({ operation: 'getAll', returnAll: true, filters });
	expect(error).toBeUndefined();
	expect(json.map(({ Id: id }) => id)).toEqual(idsBySql(where));
});

/** A list that an agent, `JSON.stringify` or a spreadsheet made into text means what the list means. */
describe('texts as a list', () => {
	const LIST = '["Depot 1","Depot 2"]';
	const other = (value: string) => ({ other: [{ field: 'Name|text', textOperator: 'In', value }] });
	it.each<[string, INodeParameters]>([
		['a known field', { name: [{ operator: 'In', value: LIST, values: LIST }] }],
		['any other field, in quotes', other('"Depot 1","Depot 2"')],
		['any other field, with commas', other('Depot 1, Depot 2')],
		['any other field, in lines', other('Depot 1\nDepot 2')],
		['a field of an unknown type', { other: [{ field: 'Name', anyOperator: 'In', value: LIST }] }],
		['an expression', other(`=${LIST}`)],
		['Filter as JSON', asJson(JSON.stringify({ Field: 'Name', Operator: 'In', Value: LIST }))],
		['a group', { groups: [{ logic: 'Or', filters: other(LIST) }] }],
	])('in %s', async (_, filters) => {
		const { json, error } = await run({ operation: 'getAll', returnAll: true, filters }, stations);
		expect(error?.message).toBeUndefined();
		expect(json.map(({ Name: name }) => name)).toEqual(['Depot 1', 'Depot 2']);
	});

	it('names fields and groups, too', async () => {
		const selected = { operation: 'getAll', output: 'selected', outputFields: '"Id","Name"', returnAll: true };
		expect((await run(selected, stations)).json[0]).toEqual({ Id: 1, Name: 'Depot 1' });
		expect((await run({ operation: 'summary', groupBy: '["status"]' })).json[0]).toHaveProperty('byStatus');
	});
});

describe('is refused before anything is sent, with the place and what is needed', () => {
	it.each<[INodeParameters, string | RegExp]>([
		[
			{ returnAll: '={{ $json.missing }}' },
			/^Return All: this expression came out empty\. Check the data that it reads, or type the value as Fixed\.$/,
		],
		[{ returnAll: '={{ "yes, all" }}' }, 'Return All: true or false is needed, but it is "yes, all".'],
		[{ returnAll: 'no' }, 'Return All: true or false is needed, but it is "no".'],
		[{ returnAll: 0 }, 'Return All: true or false is needed, but it is 0.'],
		[
			{ output: 'Selected', outputFields: ['Id'] },
			/^Output: n8n does not know "Selected", and leaves out what belongs to it\. Write "selected"\.$/,
		],
		[
			{ operation: 'summary', groupBy: ['Field'], groupByField: 'StationName', groupByField2: 'Status' },
			/^Group By: n8n does not know "Field", and leaves out what belongs to it\. Write \["field"\]\.$/,
		],
		[{ limit: '={{ "0x10" }}' }, 'Limit: a whole number of 1 or more is needed, but it is "0x10".'],
		[{ limit: 2.5 }, 'Limit: a whole number of 1 or more is needed, but it is 2.5.'],
		[{ options: { pageSize: 101 } }, 'Options > Page Size: a whole number from 1 to 100 is needed, but it is 101.'],
		[{ filters: { energyConsumed: [{ operator: 'Gt', value: '20 kWh' }] } }, /^Filters > Energy Consumed 1 > Value: /],
		[{ filters: asJson('```json\n{"Field":"Status"}\n```') }, /this is not JSON\. Write it like \{/],
		[
			{
				operation: 'summary',
				measures: { values: [{ field: 'EnergyConsumed', function: '={{ $json.missing }}' }] },
			},
			/^Measures: measure 1: Function: this expression came out empty/,
		],
		[{ operation: 'list' }, 'The operation "list" does not exist'],
	])('%j', async (parameters, message) => {
		const { error } = await run({ operation: 'getAll', ...parameters });
		expect(error?.message).toMatch(message);
		// n8n would add "[item 0]", although there is no other.
		expect(error?.context?.itemIndex).toBeUndefined();
		expect(platform.requests).toHaveLength(0);
	});

	it('all at once: each place that needs a change is named', async () => {
		const { error } = await run({ operation: 'getAll', limit: 0, options: { timeout: 0 } });
		expect(error?.description).toBe(
			'2 places need a change. The other: Options > Request Timeout (Seconds): a whole number from 1 to 3600 is needed, but it is 0. Nothing was sent to the platform.',
		);
		const condition = { Field: '', Value: 1 };
		const Filters = Array.from({ length: 1500 }, () => condition);
		const many = await run({ operation: 'getAll', filters: asJson(JSON.stringify({ Logic: 'And', Filters })) });
		expect(said(many)).toMatch(
			/3000 places need a change\. The others: .* And 2980 more places to change\. Nothing was sent/,
		);
		expect(said(many).length).toBeLessThan(5000);
	});

	it.each(['..', ' . '])('%j as a station ID, since it would lead to another path of the API', async (id) => {
		const { error } = await run(station(id), stations);
		expect(error?.message).toMatch(/^Station: .* cannot be an ID/);
		expect(platform.requests).toHaveLength(0);
	});
});

it('groups in groups filter, up to 100 levels', async () => {
	const condition = '{"Field":"Id","Operator":"Lt","Value":"4"}';
	const filters = asJson('{"Logic":"And","Filters":['.repeat(100) + condition + ']}'.repeat(100));
	expect((await run({ operation: 'count', filters })).json).toEqual([{ count: 3 }]);
});

describe('Ids', () => {
	it.each(['1?x=1', '%2e%2e', '../../token'])('%j stays one segment of the path', async (id) => {
		const { error } = await run(station(id), stations);
		expect(error?.message).toBe(`There is no charging station with the ID “${id}”`);
		expect(platform.requests.map(({ path }) => path)).toEqual([`/api/charging-stations/v1/${encodeURIComponent(id)}`]);
	});

	it('a session is found by its number with leading zeros, and one beyond 2^53 keeps its digits', async () => {
		expect((await run({ operation: 'get', sessionId: '0042' })).json).toMatchObject([{ Id: 42 }]);
		platform.db.exec('UPDATE sessions SET Id = 9007199254740993 WHERE Id = 5');
		const { json } = await run({ operation: 'get', sessionId: '9007199254740993' });
		expect(json).toMatchObject([{ Id: '9007199254740993' }]);
	});

	it('text that the platform does not accept as a session ID is named', async () => {
		const result = await run({ operation: 'get', sessionId: 'march' });
		expect(said(result)).toBe(
			'The platform did not accept “march” as a session ID Use the Id of a row that Get Many returns.',
		);
	});
});
