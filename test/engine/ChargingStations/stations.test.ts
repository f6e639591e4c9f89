import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, editorContext, runNode, type RunOptions } from '../../support/harness.ts';
import { idText } from '../../support/engine.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 150, stations: 250 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async (options: Partial<RunOptions> = {}) =>
	await runNode({ type: 'chargingStations', credential: credentialFor(platform), ...options });

const sql = (query: string) => platform.db.prepare(query).all();

describe('Charging Stations', () => {
	it('lists the stations that are not online, by name', async () => {
		const { json } = await run({
			parameters: {
				operation: 'getAll',
				returnAll: true,
				filters: { networkStatus: [{ operator: 'Neq', value: '1' }] },
				sort: { by: [{ field: 'Name', direction: 'Asc' }] },
			},
		});
		const found = sql('SELECT Id, Name FROM stations WHERE NetworkStatus <> 1 ORDER BY Id');
		const collator = new Intl.Collator('en', { sensitivity: 'base' });
		found.sort(({ Name: name }, { Name: other }) => collator.compare(String(name), String(other)));
		expect(json.map(({ Id: id }) => id)).toEqual(found.map(({ Id: id }) => id));
		expect(json.length).toBeGreaterThan(3);
	});

	it.each(['integer', 'text'] as const)(
		'returns the full detail of a station chosen from the list, with %s Ids',
		async (idType) => {
			platform.behaviour.idType = idType;
			const listed = await run({ parameters: { operation: 'getAll', limit: 1 } });
			const id = idText(listed.json[0]?.Id);
			const { json } = await run({
				parameters: {
					operation: 'get',
					stationId: { __rl: true, mode: 'list', value: id },
					options: { addStatusNames: true },
				},
			});
			expect(json).toHaveLength(1);
			expect(idText(json[0]?.Id)).toBe(id);
			expect(Array.isArray(json[0]?.EVSEs)).toBe(true);
			expect(listed.json[0]).not.toHaveProperty('EVSEs');
			expect(json[0]?.StatusName).toBe(`Code ${idText(json[0]?.Status)}`);
		},
	);
});

describe('the dropdowns of the editor', () => {
	const open = async (parameters: RunOptions['parameters'] = {}, credential = credentialFor(platform)) => {
		const { context, nodeType } = await editorContext({ type: 'chargingStations', credential, parameters });
		// n8n passes the node's current parameters to the context separately from the node.
		jest.spyOn(context, 'getCurrentNodeParameters').mockReturnValue(parameters);
		const { loadOptions = {}, listSearch = {} } = nodeType.methods ?? {};
		const load = async (method: string) => await loadOptions[method]?.call(context);
		return {
			load,
			search: async (text?: string, token?: string) => await listSearch.searchStations?.call(context, text, token),
		};
	};

	it('merge the known fields with those of live rows, asking once', async () => {
		const { load } = await open();
		const [fields, sorts] = await Promise.all([load('getFields'), load('getSortFields')]);
		const row = (await run({ parameters: { operation: 'getAll', limit: 1 } })).json[0] ?? {};
		const names = fields?.map(({ value }) => String(value).split('|')[0]) ?? [];
		expect(names).toEqual(expect.arrayContaining(['Name', 'NetworkStatus', 'Status', 'HardwareStatus', 'Id']));
		for (const [name, value] of Object.entries(row)) if (typeof value !== 'object') expect(names).toContain(name);
		expect(sorts?.length).toBeGreaterThan(4);
		expect(
			platform.requests.filter(({ dsquery }) => (dsquery as { Pager: { Take: number } }).Pager.Take === 100),
		).toHaveLength(1);
	});

	it('know the type of a field even if the newest stations have no value for it', async () => {
		const newest =
			'UPDATE stations SET LastHeartbeatAtUtc = %s WHERE Id IN (SELECT Id FROM stations ORDER BY Id DESC LIMIT 100)';
		platform.db.exec(newest.replace('%s', 'NULL'));
		const { secret: apiKey } = platform.createKey({ scopes: ['charging-stations:read'] });
		const { load } = await open({}, { ...credentialFor(platform), apiKey });
		const fields = await load('getFields');
		platform.db.exec(newest.replace('%s', "'2026-01-01T00:00:00'"));
		expect(fields?.map(({ value }) => value)).toContain('LastHeartbeatAtUtc|date');
	});

	it('list status codes seen on live stations beside the known ones', async () => {
		const { load } = await open(
			{},
			{ ...credentialFor(platform), apiKey: platform.createKey({ scopes: ['charging-stations:read'] }).secret },
		);
		const codes = await load('getNetworkStatusCodes');
		expect(codes?.[0]).toMatchObject({ name: 'Online (Code 1)', value: '1' });
		const seen = sql('SELECT DISTINCT NetworkStatus AS code FROM stations WHERE NetworkStatus <> 1').map(
			({ code }) => `Code ${Number(code)}`,
		);
		expect(codes?.map(({ name }) => name)).toEqual(expect.arrayContaining(seen));
	});

	it('still work when the platform cannot be reached: known and saved fields, with a note', async () => {
		const { load } = await open(
			{ filters: { other: [{ field: 'Colour|text', textOperator: 'Eq', value: 'red' }] } },
			{ ...credentialFor(platform), productionUrl: 'http://127.0.0.1:9' },
		);
		const fields = (await load('getFields')) ?? [];
		expect(fields.map(({ value }) => value)).toEqual(expect.arrayContaining(['Colour|text', 'Name|text']));
		expect(fields.at(-1)?.description).toMatch(/reach|connect|refused/i);
	});

	it('never wait for the rate limit', async () => {
		const key = platform.createKey({ scopes: ['charging-stations:read'] });
		platform.behaviour.rateLimit = { limit: 0, windowMs: 60_000, retryAfter: 'seconds' };
		const { load } = await open({}, { ...credentialFor(platform), apiKey: key.secret });
		const fields = (await load('getFields')) ?? [];
		expect(fields.length).toBeGreaterThan(4);
		expect(fields.at(-1)?.description).toMatch(/rate limit/i);
	});

	it('find stations by a part of their name, page by page', async () => {
		const { search } = await open();
		const name = String(sql('SELECT Name FROM stations ORDER BY Id LIMIT 1')[0]?.Name);
		const found = await search(name.slice(0, 6));
		expect(found?.results.some((result) => result.name.startsWith(name))).toBe(true);
		for (const typed of [name.toUpperCase(), name.toLowerCase()]) {
			const other = await search(typed);
			expect(other?.results.some((result) => result.name.startsWith(name))).toBe(true);
		}
		const first = await search();
		expect(first?.results).toHaveLength(100);
		const second = await search('', first?.paginationToken as string);
		const third = await search('', second?.paginationToken as string);
		expect(third?.results).toHaveLength(50);
		expect(third?.paginationToken).toBeUndefined();
		const all = [...(first?.results ?? []), ...(second?.results ?? []), ...(third?.results ?? [])];
		expect(new Set(all.map(({ value }) => value)).size).toBe(250);
	});
});

describe('the note when no station matches', () => {
	const hintsFor = async (filters: INodeParameters) => {
		const { json, hints } = await run({ parameters: { operation: 'getAll', filters } });
		expect(json).toEqual([]);
		return hints.map(({ message }) => message).join(' ');
	};
	const location = (value: string) => ({ other: [{ field: 'LocationName|text', textOperator: 'Eq', value }] });

	it('says that capitals may matter, with no further request', async () => {
		platform.requests.length = 0;
		expect(await hintsFor(location('nowhere at all'))).toContain('upper and lower case may count as different.');
		expect(await hintsFor({ networkStatus: [{ operator: 'Eq', value: '999' }] })).not.toContain('upper and lower');
		expect(platform.requests).toHaveLength(2);
	});
});
