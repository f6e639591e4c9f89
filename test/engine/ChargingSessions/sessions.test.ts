import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 20_000, stations: 30 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({ type: 'chargingSessions', credential: credentialFor(platform), parameters, ...options });

/** Ids from a hand-written query. */
const idsBySql = (sql: string): number[] =>
	platform.db
		.prepare(sql)
		.all()
		.map(({ Id: id }) => Number(id));

const idsOf = (rows: Array<Record<string, unknown>>) => rows.map(({ Id: id }) => id);
const listRequests = () => platform.requests.filter(({ path }) => path === '/api/charging-sessions/v1');

describe('the main job: finished sessions of last month, energy above 20 kWh, newest first', () => {
	// The stand-in's history ends at 2026-11-21; "last month" is counted from the machine's clock.
	const now = new Date();
	const firstOfThisMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
	const firstOfLastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1));
	const wire = (date: Date) => date.toISOString().slice(0, 19);

	beforeEach(() => {
		// Whatever today's date is, last month has sessions.
		platform.db.exec(
			`UPDATE sessions SET StartedAtUtc = '${wire(firstOfLastMonth).slice(0, 8)}' || printf('%02d', 1 + Id % 28) || 'T' || printf('%02d', Id % 24) || ':15:00' WHERE Id % 4 = 0`,
		);
	});

	const expected = () =>
		idsBySql(
			`SELECT Id FROM sessions WHERE Status = 4 AND EnergyConsumed > 20 AND StartedAtUtc >= '${wire(firstOfLastMonth)}' AND StartedAtUtc < '${wire(firstOfThisMonth)}' ORDER BY StartedAtUtc DESC, Id ASC`,
		);
	const newestFirst = { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] };

	it('returns the rows of the SQL query when it is built in the form', async () => {
		const { json, status } = await run(
			{
				operation: 'getAll',
				returnAll: true,
				filters: {
					status: [{ operator: 'In', values: ['4'] }],
					startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }],
					energyConsumed: [{ operator: 'Gt', value: 20 }],
				},
				logic: 'And',
				sort: newestFirst,
			},
			{ timezone: 'UTC' },
		);
		expect(status).toBe('success');
		expect(json.length).toBeGreaterThan(500);
		expect(idsOf(json)).toEqual(expected());
	});

	it('returns the same rows when it is written as JSON', async () => {
		const filter = {
			filter: {
				logic: 'and',
				filters: [
					{ field: 'status', operator: 'eq', value: '4' },
					{ field: 'EnergyConsumed', operator: 'Gt', value: '20' },
					{ field: 'StartedAtUtc', operator: 'GteLt', value: `${wire(firstOfLastMonth)},${wire(firstOfThisMonth)}` },
				],
			},
		};
		const { json } = await run({
			operation: 'getAll',
			returnAll: true,
			filters: { json: [{ json: JSON.stringify(filter) }] },
			sort: newestFirst,
		});
		expect(json.length).toBeGreaterThan(500);
		expect(idsOf(json)).toEqual(expected());
	});
});

describe('without a sort', () => {
	const newest = (count: number, where = '1') =>
		idsBySql(`SELECT Id FROM sessions WHERE ${where} ORDER BY Id DESC LIMIT ${count}`);
	const takes = () => listRequests().map(({ dsquery }) => (dsquery as { Pager?: { Take: number } }).Pager?.Take);

	it.each([1, 2, 50, 100])('a limit of %i gives the newest sessions first, with one request', async (limit) => {
		const { json, hints } = await run({ operation: 'getAll', limit });
		expect(idsOf(json)).toEqual(newest(limit));
		expect(takes()).toEqual([Math.max(10, limit)]);
		expect(hints).toEqual([]);
	});

	it('a limit of several pages, and a filter, give the newest sessions first', async () => {
		const filters = { status: [{ operator: 'Eq', value: '6' }] };
		expect(idsOf((await run({ operation: 'getAll', limit: 250, filters })).json)).toEqual(newest(250, 'Status = 6'));
	});

	it('each input item gives its own newest sessions', async () => {
		const { json } = await run(
			{ operation: 'getAll', limit: '={{ $json.limit }}' },
			{ items: [{ limit: 1 }, { limit: 3 }] },
		);
		expect(idsOf(json)).toEqual([...newest(1), ...newest(3)]);
	});

	it('Return All comes by Id, and a sort decides over a limit', async () => {
		const filters = { id: [{ operator: 'Lte', value: '5' }] };
		const all = await run({ operation: 'getAll', returnAll: true, filters });
		expect(idsOf(all.json)).toEqual(idsBySql('SELECT Id FROM sessions WHERE Id <= 5 ORDER BY Id'));
		const sort = { by: [{ field: 'Id', direction: 'Asc' }] };
		const first = await run({ operation: 'getAll', limit: 2, sort });
		expect(idsOf(first.json)).toEqual(idsBySql('SELECT Id FROM sessions ORDER BY Id LIMIT 2'));
	});

	it.each([1, 50])('a limit of %i is refused where the platform does not sort', async (limit) => {
		platform.behaviour.lists.listensTo.sort = false;
		const { json, error } = await run({ operation: 'getAll', limit });
		expect(error?.message).toMatch(/the platform does not sort by it$/);
		expect(json).toEqual([]);
	});
});

describe('Get Many', () => {
	it('returns every session once, in Id order, without a filter or sort', async () => {
		const { json, items } = await run({ operation: 'getAll', returnAll: true });
		expect(idsOf(json)).toEqual(idsBySql('SELECT Id FROM sessions ORDER BY Id'));
		expect(items.every(({ pairedItem }) => JSON.stringify(pairedItem) === '{"item":0}')).toBe(true);
		expect(listRequests().length).toBeLessThanOrEqual(200 + 3 * 4);
	});

	it('reads no more pages than the limit needs', async () => {
		const { json } = await run({
			operation: 'getAll',
			returnAll: false,
			limit: 250,
			sort: { by: [{ field: 'EnergyConsumed', direction: 'Desc' }] },
		});
		expect(idsOf(json)).toEqual(idsBySql('SELECT Id FROM sessions ORDER BY EnergyConsumed DESC, Id LIMIT 250'));
		expect(listRequests()).toHaveLength(3);
	});

	it.each([
		['a platform that gives 7 rows at most', { takeClamp: 7 }, 7],
		['a page size of 30', {}, 30],
	])('returns everything on %s', async (_, behaviour, pageSize) => {
		platform.db.exec('DELETE FROM sessions WHERE Id > 200');
		Object.assign(platform.behaviour, behaviour);
		for (const sort of [{}, { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] }]) {
			const { json } = await run({
				operation: 'getAll',
				returnAll: true,
				sort,
				options: { pageSize: Math.max(pageSize, 10) },
			});
			expect(json).toHaveLength(200);
			expect(new Set(idsOf(json)).size).toBe(200);
		}
	});

	it.each([0, 6] as const)('returns everything where Ids are text of %i digits', async (textIdDigits) => {
		platform.db.exec('DELETE FROM sessions WHERE Id > 450');
		platform.behaviour.idType = 'text';
		platform.behaviour.textIdDigits = textIdDigits;
		const { json } = await run({ operation: 'getAll', returnAll: true });
		expect(new Set(idsOf(json)).size).toBe(450);
		expect(json).toHaveLength(450);
	});

	it.each(['below', 'above'] as const)(
		'returns everything when rows without a value are sorted %s those with one',
		async (emptyValues) => {
			platform.db.exec(
				'DELETE FROM sessions WHERE Id > 450; UPDATE sessions SET EnergyConsumed = NULL WHERE Id % 3 = 0',
			);
			platform.behaviour.emptyValues = emptyValues;
			const { json } = await run({
				operation: 'getAll',
				returnAll: true,
				sort: { by: [{ field: 'EnergyConsumed', direction: 'Asc' }] },
			});
			expect(new Set(idsOf(json)).size).toBe(450);
		},
	);

	it('adds status names on request, and invents none for unknown codes', async () => {
		const { json } = await run({
			operation: 'getAll',
			returnAll: true,
			options: { addStatusNames: true },
			filters: { id: [{ operator: 'Lte', value: 200 }] },
		});
		const names = new Map(json.map(({ Status: status, StatusName: name }) => [status, name]));
		expect(names.get(4)).toBe('Finished');
		expect(names.get(6)).toBe('Failed');
		expect(names.size).toBeGreaterThan(2);
		for (const [status, name] of names) if (status !== 4 && status !== 6) expect(name).toBe(`Code ${Number(status)}`);
	});
});

describe('input items', () => {
	it('are asked each for itself, and a note says how to ask once where all ask the same', async () => {
		const filters = { id: [{ operator: 'Eq', value: '={{ $json.id }}' }] };
		const ask = async (...ids: number[]) => {
			platform.requests.length = 0;
			const { items, hints } = await run({ operation: 'count', filters }, { items: ids.map((id) => ({ id })) });
			expect(items.map(({ pairedItem }) => pairedItem)).toEqual(ids.map((_, item) => ({ item })));
			return { requests: listRequests().length, notes: hints.map(({ message }) => message) };
		};
		const { requests, notes } = await ask(10);
		expect(notes).toEqual([]);
		expect(await ask(10, 500, 10)).toEqual({ requests: 3 * requests, notes: [] });
		expect(await ask(10, 10, 10)).toEqual({
			requests: 3 * requests,
			notes: [
				'All 3 input items ask the same, and the platform was asked for each. ' +
					'To ask once, switch on Execute Once in the Settings of this node.',
			],
		});
	});

	it('give each its own rows', async () => {
		const { items } = await run({ operation: 'getAll', limit: 2 }, { items: [{}, {}] });
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 0, 1, 1].map((item) => ({ item })));
		expect(items[0]?.json).toEqual(items[2]?.json);
		expect(items[0]?.json).not.toBe(items[2]?.json);
	});

	it('checks every item before anything is sent', async () => {
		const { error, status } = await run(
			{ operation: 'getAll', filters: { energyConsumed: [{ operator: 'Gt', value: '={{ $json.least }}' }] } },
			{ items: [{ least: 10 }, {}, { least: 30 }] },
		);
		expect(status).toBe('error');
		expect(error?.message).toContain('Energy Consumed');
		expect(error?.context?.itemIndex).toBe(1);
		expect(platform.requests).toHaveLength(0);
	});

	it('gives one error item for each input item that fails when told to continue', async () => {
		const { items, status } = await run(
			{ operation: 'getAll', limit: 1, filters: { energyConsumed: [{ operator: 'Gt', value: '={{ $json.least }}' }] } },
			{
				items: [{ least: '' }, { least: 10 }, { least: 30 }],
				node: { onError: 'continueRegularOutput', retryOnFail: true, maxTries: 5, waitBetweenTries: 0 },
			},
		);
		expect(status).toBe('success');
		expect(items).toHaveLength(3);
		// n8n itself writes the message of such an item into `json.error`.
		expect(items[0]?.json.error).toContain('Energy Consumed');
		expect(items[0]?.pairedItem).toEqual({ item: 0 });
		expect(listRequests()).toHaveLength(2);
	});

	it('sends failed items to the error output, and Retry On Fail does not run the node again', async () => {
		const { items, errorItems } = await run(
			{ operation: 'getAll', limit: 1, filters: { energyConsumed: [{ operator: 'Gt', value: '={{ $json.least }}' }] } },
			{
				items: [{ least: '' }, { least: 10 }],
				node: { onError: 'continueErrorOutput', retryOnFail: true, maxTries: 5, waitBetweenTries: 0 },
			},
		);
		expect(items).toHaveLength(1);
		expect(errorItems).toHaveLength(1);
		expect(JSON.stringify(errorItems[0]?.json)).toContain('Energy Consumed');
		expect(listRequests()).toHaveLength(1);
	});
});

describe('conditions of the filter form', () => {
	const ids = async (filters: object) =>
		idsOf((await run({ operation: 'getAll', returnAll: true, filters } as never)).json).map(Number);

	it('find sessions that are neither finished nor failed and began more than a day ago', async () => {
		const dayAgo = new Date(Date.now() - 86_400_000).toISOString().slice(0, 19);
		const found = await ids({
			status: [{ operator: 'NotIn', values: ['4', '6'] }],
			startedAtUtc: [{ operator: 'OlderThan' }],
		});
		expect(found.length).toBeGreaterThan(0);
		expect(found.sort((a, b) => a - b)).toEqual(
			idsBySql(`SELECT Id FROM sessions WHERE Status NOT IN (4, 6) AND StartedAtUtc < '${dayAgo}' ORDER BY Id`),
		);
	});

	it('take Yes and No for a true/false field', async () => {
		const roaming = (value: unknown) => ids({ other: [{ field: 'IsRoaming|boolean', value }] });
		const [yes, no] = [await roaming('true'), await roaming('={{ false }}')];
		expect(yes.length).toBeGreaterThan(0);
		expect(yes.sort((a, b) => a - b)).toEqual(idsBySql('SELECT Id FROM sessions WHERE IsRoaming = 1 ORDER BY Id'));
		expect(no.sort((a, b) => a - b)).toEqual(idsBySql('SELECT Id FROM sessions WHERE IsRoaming = 0 ORDER BY Id'));
	});

	it('name a value that the platform does not accept for its field', async () => {
		const filters = { other: [{ field: 'IsRoaming|boolean', booleanOperator: 'Eq', value: 'maybe' }] };
		const { error } = await run({ operation: 'count', filters });
		expect(error?.message).toBe('The platform does not accept the value “maybe” for the field “IsRoaming”');
	});
});

describe('Count and Get', () => {
	it('counts with one request', async () => {
		const { json } = await run({ operation: 'count', filters: { status: [{ operator: 'In', values: ['6'] }] } });
		const count = idsBySql('SELECT Id FROM sessions WHERE Status = 6').length;
		expect(json).toEqual([{ count }]);
		const pagers = listRequests().map(({ dsquery }) => (dsquery as { Pager: unknown }).Pager);
		// Ten rows, to compare them with the filter.
		expect(pagers).toEqual([{ Skip: 0, Take: 10 }]);
	});

	it('returns one session by its Id, as number or text', async () => {
		const { json } = await run(
			{ operation: 'get', sessionId: '={{ $json.id }}' },
			{ items: [{ id: 42 }, { id: '42' }, { id: 7 }] },
		);
		expect(idsOf(json)).toEqual([42, 42, 7]);
		expect(platform.requests).toHaveLength(3);
	});

	it('says that a session does not exist, and what to check', async () => {
		const { error } = await run({ operation: 'get', sessionId: '777777' });
		expect(error?.message).toBe('There is no charging session with the ID 777777');
		expect(error?.description).toContain('production environment');
	});

	it('never returns another session, nor says that there is none, where the platform ignores the filter', async () => {
		platform.behaviour.lists.listensTo.filter = false;
		const { error, json } = await run({ operation: 'get', sessionId: '777' });
		expect(json).toEqual([]);
		expect(error?.message).toMatch(/^Session \d+ has Id \d+, but 777 was asked for: the platform does not apply/);
	});

	it('refuses an empty Id before anything is sent', async () => {
		const { error } = await run({ operation: 'get', sessionId: '={{ $json.missing }}' });
		expect(error?.message).toContain('Session ID');
		expect(platform.requests).toHaveLength(0);
	});
});
