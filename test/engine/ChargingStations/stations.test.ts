import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, editorContext, runNode } from '../../support/harness.ts';
import { idText } from '../../support/text.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 0, stations: 250 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async (parameters: INodeParameters) =>
	await runNode({ type: 'chargingStations', credential: credentialFor(platform), parameters });

const sql = (query: string) => platform.db.prepare(query).all();

it('lists the stations that are not online, by name', async () => {
	const { json } = await run({
		operation: 'getAll',
		returnAll: true,
		filters: { networkStatus: [{ operator: 'Neq', value: '1' }] },
		sort: { by: [{ field: 'Name', direction: 'Asc' }] },
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
		platform.behaviour.ids.stations = idType;
		const listed = (await run({ operation: 'getAll', limit: 1 })).json[0];
		const id = idText(listed?.Id);
		const stationId = { __rl: true, mode: 'list', value: id };
		const { json } = await run({ operation: 'get', stationId, options: { addStatusNames: true } });
		expect(json).toHaveLength(1);
		expect(idText(json[0]?.Id)).toBe(id);
		expect(json[0]).toMatchObject({
			EVSEs: expect.any(Array) as object,
			StatusName: `Code ${idText(json[0]?.Status)}`,
		});
		expect(listed).not.toHaveProperty('EVSEs');
	},
);

it('refuses the detail of a station that was not asked for', async () => {
	const other = { kind: 'reply', status: 200, body: { Id: 8, Name: 'Other', EVSEs: [] } } as const;
	platform.faults.add({ ...other, match: { path: '/api/charging-stations/v1/7' }, times: Infinity });
	const stationId = { __rl: true, mode: 'id', value: '7' };
	const { error, json } = await run({ operation: 'get', stationId });
	expect(error?.message).toBe('Station 8 has Id 8, but 7 was asked for');
	expect(json).toEqual([]);
});

it('says what was asked for when nothing is found', async () => {
	const other = [{ field: 'LocationName|text', textOperator: 'Eq', value: 'nowhere at all' }];
	const { hints } = await run({ operation: 'getAll', filters: { other } });
	expect(hints.map(({ message }) => message)).toEqual([
		expect.stringMatching(
			/^None of the charging stations .*"nowhere at all"\. In text, upper and lower case may count/,
		),
	]);
});

describe('the dropdowns of the editor', () => {
	/** With a key of its own, of which nothing is remembered. */
	async function open() {
		const { secret: apiKey } = platform.createKey({ scopes: ['charging-stations:read'] });
		const credential = { ...credentialFor(platform), apiKey };
		const { context, nodeType } = await editorContext({ type: 'chargingStations', credential, parameters: {} });
		const { loadOptions = {}, listSearch = {} } = nodeType.methods ?? {};
		return {
			load: async (method: string) => (await loadOptions[method]?.call(context)) ?? [],
			search: async (text?: string, token?: string) => await listSearch.searchStations?.call(context, text, token),
		};
	}

	it('ask once for the rows that several of them need', async () => {
		const { load } = await open();
		const [fields, codes] = await Promise.all([load('getFields'), load('getNetworkStatusCodes')]);
		expect(fields.map(({ value }) => value)).toContain('LocationName|text');
		expect(codes[0]).toMatchObject({ name: 'Online (Code 1)', value: '1' });
		expect(codes.length).toBeGreaterThan(1);
		const pagers = platform.requests.map(({ dsquery }) => (dsquery as { Pager: { Take: number } }).Pager.Take);
		expect(pagers.filter((take) => take === 100)).toHaveLength(1);
	});

	it('know the type of a field even if the newest stations have no value for it', async () => {
		platform.db.exec(
			'UPDATE stations SET LastHeartbeatAtUtc = NULL WHERE Id IN (SELECT Id FROM stations ORDER BY Id DESC LIMIT 100)',
		);
		const fields = await (await open()).load('getFields');
		expect(fields.map(({ value }) => value)).toContain('LastHeartbeatAtUtc|date');
	});

	it('never wait for the rate limit', async () => {
		platform.behaviour.rateLimit = { limit: 0, windowMs: 60_000, retryAfter: 'seconds' };
		const fields = await (await open()).load('getFields');
		expect(fields.length).toBeGreaterThan(4);
		expect(fields.at(-1)?.description).toMatch(/rate limit/i);
	});

	it('find stations by a part of their name in any case, page by page', async () => {
		const { search } = await open();
		const name = String(sql('SELECT Name FROM stations ORDER BY Id LIMIT 1')[0]?.Name);
		for (const typed of [name.slice(0, 6), name.toUpperCase(), name.toLowerCase()]) {
			const found = (await search(typed))?.results ?? [];
			expect(found.some((result) => result.name.startsWith(name))).toBe(true);
		}
		const first = await search();
		const second = await search('', first?.paginationToken as string);
		const third = await search('', second?.paginationToken as string);
		const pages = [first, second, third].map((page) => page?.results ?? []);
		expect(pages.map(({ length }) => length)).toEqual([100, 100, 50]);
		expect(third?.paginationToken).toBeUndefined();
		expect(new Set(pages.flat().map(({ value }) => value)).size).toBe(250);
	});
});
