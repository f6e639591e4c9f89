import type { IDataObject } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, editorContext, runNode, userCredentialFor, type RunOptions } from '../../support/harness.ts';

let platform: StandIn;
let apiKey: string;

const SCOPES = ['charging-sessions', 'tariffs', 'users', 'teams', 'billing', 'energy-assets', 'audit-trail'];

beforeAll(async () => {
	platform = await startPlatform({ sessions: 40, stations: 2, tariffs: 57 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	apiKey = platform.createKey({ scopes: SCOPES.map((area) => `${area}:read`) }).secret;
});

const at = (path: string) => ({ __rl: true, mode: 'path', value: path });
const run = async (parameters: IDataObject = {}, options: Partial<RunOptions> = {}) =>
	await runNode({
		type: 'chargingNetworkList',
		credential: { ...credentialFor(platform), apiKey },
		parameters: {
			operation: 'getAll',
			list: at('/api/tariffs/v1'),
			...(parameters.operation ? {} : { returnAll: true }),
			...parameters,
		} as RunOptions['parameters'],
		...options,
	});
const said = ({ error }: Awaited<ReturnType<typeof run>>) => `${error?.message} ${error?.description}`;
const bySql = (sql: string) => platform.db.prepare(sql).all() as IDataObject[];
const inEuro = { other: [{ field: 'Currency|text', textOperator: 'Eq', value: 'EUR' }] };

describe('Get Many', () => {
	it('reads every row of a list in pages, filtered, sorted and limited', async () => {
		const all = await run({ options: { pageSize: 10 } });
		expect(all.json.map(({ Id: id }) => id)).toEqual(
			bySql('SELECT Id FROM tariffs ORDER BY Id').map(({ Id: id }) => id),
		);
		const some = await run({
			filters: inEuro,
			sort: { by: [{ field: 'PricePerKwh', direction: 'Desc' }] },
			returnAll: false,
			limit: 5,
		});
		const sql = "SELECT Id FROM tariffs WHERE Currency = 'EUR' ORDER BY PricePerKwh DESC, Id LIMIT 5";
		expect(some.json.map(({ Id: id }) => id)).toEqual(bySql(sql).map(({ Id: id }) => id));
	});

	it('reads the list that an expression gives for each input item', async () => {
		const { json, items } = await run(
			{ list: { __rl: true, mode: 'path', value: '={{ "/api/" + $json.area + "/v1" }}' }, returnAll: false, limit: 1 },
			{ items: [{ area: 'tariffs' }, { area: 'users' }] },
		);
		expect(json).toMatchObject([
			{ PricePerKwh: expect.any(Number) as number },
			{ Email: expect.any(String) as string },
		]);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	});

	it('reports a missing scope, a list that takes no API keys, and a path without a list', async () => {
		apiKey = platform.createKey().secret;
		expect(said(await run())).toContain('tariffs:read');
		expect(said(await run({ list: at('/api/energy-assets/v1') }))).toMatch(/may not accept API keys.*Signed-In User/s);
		expect(said(await run({ list: at('/api/no-such-list/v1') }))).toMatch(/no list at \/api\/no-such-list\/v1/);
	});

	it('reads, as a signed-in user, a list that takes no API keys', async () => {
		const { json } = await run(
			{ authentication: 'signedInUser', list: at('/api/energy-assets/v1') },
			{ user: userCredentialFor(platform) },
		);
		expect(json).toHaveLength(3);
	});
});

it('counts the rows that a filter matches', async () => {
	const counted = await run({ operation: 'count', filters: inEuro });
	expect(counted.json).toEqual(bySql("SELECT count(*) AS count FROM tariffs WHERE Currency = 'EUR'"));
});

describe('Summarize', () => {
	const summary = async (parameters: IDataObject = {}) =>
		await run({ operation: 'summary', ...parameters }, { timezone: 'UTC' });
	const byDate = { groupByDateField: 'ValidFromUtc' };

	it('only counts by default, without the figures that only sessions have', async () => {
		expect((await summary()).json).toEqual([{ count: 57, timeZone: 'UTC', period: null }]);
	});

	it('groups by month of a date field, and says how many rows have no date', async () => {
		platform.db.exec('UPDATE tariffs SET ValidFromUtc = NULL WHERE Id = 3');
		const { json, hints } = await summary({ groupBy: ['month'], ...byDate });
		const months = bySql(
			'SELECT substr(ValidFromUtc, 1, 7) AS month, count(*) AS count FROM tariffs WHERE ValidFromUtc IS NOT NULL GROUP BY 1 ORDER BY 1',
		);
		expect(json).toEqual([
			{
				count: 57,
				withoutDate: 1,
				byMonth: months,
				timeZone: 'UTC',
				period: null,
				firstDate: expect.any(String) as string,
				lastDate: expect.any(String) as string,
			},
		]);
		expect(hints.map(({ message }) => message)).toContain(
			'One row has no valid time in ValidFromUtc. They are counted, but belong to no day.',
		);
	});

	it('compares a period of the date field with the one before', async () => {
		const [fromDate, toDate] = ['2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'];
		const { json } = await summary({
			...byDate,
			filters: { other: [{ field: 'ValidFromUtc|date', dateOperator: 'GteLt', fromDate, toDate }] },
			compareWith: 'previousPeriod',
		});
		const of = (month: string) =>
			bySql(`SELECT count(*) AS count FROM tariffs WHERE ValidFromUtc LIKE '${month}%'`)[0]?.count;
		expect(json).toMatchObject([
			{
				count: of('2026-10'),
				count_previous: of('2026-09'),
				period: { from: '2026-10-01', to: '2026-10-31' },
				comparedWith: { from: '2026-09-01', to: '2026-09-30' },
			},
		]);
	});

	it.each([
		[{ groupBy: ['week'] }, /^Date Field Name or ID: nothing is chosen/],
		[{ compareWith: 'previousYear' }, /^Date Field Name or ID: nothing is chosen/],
		[{ groupBy: ['status'] }, /"status" is none of: day, week/],
		[{ compareWith: 'previousYear', ...byDate }, /needs one period on the Date Field/],
	])('%j is refused before anything is sent', async (parameters, message) => {
		const { error } = await summary(parameters);
		expect(error?.message).toMatch(message);
		expect(platform.requests).toHaveLength(0);
	});

	it('names a date field that no row has', async () => {
		const { error } = await summary({ groupBy: ['day'], groupByDateField: 'Begun' });
		expect(error?.message).toBe('None of the rows has a field Begun to take times from');
	});
});

it('reads a list whose path an import or an agent has put into another mode', async () => {
	const list = { __rl: true, mode: 'list', value: '/api/tariffs/v1', cachedResultName: 'Tariffs' };
	expect((await run({ list })).json).toHaveLength(57);
});

describe('an invalid path', () => {
	it.each([
		['/api/../token', /dots/],
		['//evil.example/api/x/v1', /host/],
		['https://evil.example/api/x/v1', /host/],
		['/api/x%2f..%2fy/v1', /character/],
		['/api/x\\..\\y/v1', /character/],
		['/api/tariffs/v1?dsquery={}', /query/],
		['/api/tariffs/v1#a', /query/],
		['/token', /begins with \/api\//],
		['/api//tariffs/v1', /begins with \/api\//],
		['/api/tariffs', /version/],
		['/api/tariffs/v1/17', /version/],
		[`/api/${'x/'.repeat(500)}v1`, /too long/],
		['={{ "" }}', /^List: this expression came out empty/],
	])('%j sends nothing and says why', async (path, message) => {
		const result = await run({ list: at(path) });
		expect(said(result)).toMatch(message);
		expect(said(result)).toMatch(/List/);
		expect(platform.requests).toHaveLength(0);
	});
});

describe('dropdowns of fields', () => {
	const fieldsOf = async (path: string, method = 'getFields') => {
		const { context, nodeType } = await editorContext({
			type: 'chargingNetworkList',
			credential: { ...credentialFor(platform), apiKey },
			parameters: { operation: 'getAll', list: at(path) },
		});
		return (await nodeType.methods?.loadOptions?.[method]?.call(context)) ?? [];
	};

	it('show the fields of the live rows of the chosen list', async () => {
		const values = (await fieldsOf('/api/users/v1')).map(({ value }) => value);
		expect(values).toEqual([
			'CreatedAtUtc|date',
			'Email|text',
			'Id|number',
			'IsActive|boolean',
			'Name|text',
			'TeamName|text',
		]);
		expect((await fieldsOf('/api/tariffs/v1')).map(({ value }) => value)).toContain('PricePerKwh|number');
	});

	it('show only date fields for grouping by time, and say that no list is chosen, without a request', async () => {
		expect((await fieldsOf('/api/users/v1', 'getDateFields')).map(({ value }) => value)).toEqual(['CreatedAtUtc']);
		platform.requests.length = 0;
		const [note] = await fieldsOf('');
		expect(note?.description).toMatch(/no list is chosen/);
		expect(platform.requests).toHaveLength(0);
	});

	it('load again when another list is chosen', async () => {
		const { nodeType } = await editorContext({ type: 'chargingNetworkList', credential: credentialFor(platform) });
		const loading = JSON.stringify(nodeType.description.properties).match(/"loadOptionsMethod":"[^"]+"[^}]*/g) ?? [];
		expect(loading.length).toBeGreaterThan(2);
		expect(loading.filter((options) => !options.includes('"loadOptionsDependsOn":["list.value"'))).toEqual([]);
	});
});
