import type { INodeParameters, NodeParameterValueType } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, editorContext, runNode, type RunOptions, type RunResult } from '../../support/harness.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 4_000, stations: 30 });
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

const idsOf = ({ json }: RunResult) => json.map(({ Id: id }) => id);

describe('the main job: finished sessions of last month, energy above 20 kWh, newest first', () => {
	// The stand-in's history ends at 2026-11-21; "last month" is counted from the machine's clock.
	const now = new Date();
	const startOfMonth = (monthsBack: number) =>
		new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsBack, 1)).toISOString().slice(0, 19);
	const [from, to] = [startOfMonth(1), startOfMonth(0)];
	const json = {
		logic: 'and',
		filters: [
			{ field: 'status', operator: 'eq', value: '4' },
			{ field: 'EnergyConsumed', operator: 'Gt', value: '20' },
			{ field: 'StartedAtUtc', operator: 'GteLt', value: `${from},${to}` },
		],
	};

	it.each<[string, INodeParameters]>([
		[
			'built in the form',
			{
				status: [{ operator: 'In', values: ['4'] }],
				startedAtUtc: [{ operator: 'InPeriod', period: 'lastMonth' }],
				energyConsumed: [{ operator: 'Gt', value: 20 }],
			},
		],
		['written as JSON', { json: [{ json: JSON.stringify({ filter: json }) }] }],
	])('returns the rows of the SQL query when it is %s', async (_, filters) => {
		// Whatever today's date is, last month has sessions.
		platform.db.exec(
			`UPDATE sessions SET StartedAtUtc = '${from.slice(0, 8)}' || printf('%02d', 1 + Id % 28) || 'T12:15:00' WHERE Id % 4 = 0`,
		);
		const sort = { by: [{ field: 'StartedAtUtc', direction: 'Desc' }] };
		const parameters = { operation: 'getAll', returnAll: true, filters, sort };
		const result = await run(parameters, { timezone: 'UTC' });
		expect(result.status).toBe('success');
		expect(result.json.length).toBeGreaterThan(100);
		expect(idsOf(result)).toEqual(
			idsBySql(
				`SELECT Id FROM sessions WHERE Status = 4 AND EnergyConsumed > 20 AND StartedAtUtc >= '${from}' AND StartedAtUtc < '${to}' ORDER BY StartedAtUtc DESC, Id ASC`,
			),
		);
	});
});

it('adds status names on request, and invents none for unknown codes', async () => {
	const { json } = await run({ operation: 'getAll', limit: 200, options: { addStatusNames: true } });
	const names = new Map(json.map(({ Status: status, StatusName: name }) => [status, name]));
	expect(names.get(4)).toBe('Finished');
	expect(names.get(6)).toBe('Failed');
	expect(names.size).toBeGreaterThan(2);
	for (const [status, name] of names) if (status !== 4 && status !== 6) expect(name).toBe(`Code ${Number(status)}`);
});

describe('input items', () => {
	const above = { energyConsumed: [{ operator: 'Gt', value: '={{ $json.least }}' }] };

	it('are asked each for itself, and a note says how to ask once where all ask the same', async () => {
		const filters = { id: [{ operator: 'Eq', value: '={{ $json.id }}' }] };
		const ask = async (...ids: number[]) => {
			platform.requests.length = 0;
			const { hints } = await run({ operation: 'count', filters }, { items: ids.map((id) => ({ id })) });
			return { requests: platform.requests.length, notes: hints.map(({ message }) => message) };
		};
		expect(await ask(10)).toEqual({ requests: 1, notes: [] });
		expect(await ask(10, 500, 10)).toEqual({ requests: 3, notes: [] });
		expect(await ask(10, 10, 10)).toEqual({
			requests: 3,
			notes: [
				'All 3 input items ask the same, and the platform was asked for each. ' +
					'To ask once, switch on Execute Once in the Settings of this node.',
			],
		});
	});

	it('that find nothing are one note, however many they are', async () => {
		const filters = { id: [{ operator: 'Eq', value: '={{ $json.id }}' }] };
		const said = async (...ids: number[]) => {
			const { hints } = await run({ operation: 'getAll', filters }, { items: ids.map((id) => ({ id })) });
			return hints.map(({ message }) => message);
		};
		const none = 'None of the charging sessions matches the filter: Id equals "900000001".';
		expect(await said(10, 900000001)).toEqual([none]);
		expect(await said(900000001, 10, 900000002, 900000003)).toEqual([
			`3 input items found nothing. The first of them: ${none}`,
		]);
	});

	it('give each its own rows: the newest that match its own filter and limit, with its own options', async () => {
		const items = [
			{ limit: 2, least: 10 },
			{ limit: 1, least: 20 },
		];
		const options = { addStatusNames: '={{ $json.limit === 1 }}' };
		const result = await run({ operation: 'getAll', limit: '={{ $json.limit }}', filters: above, options }, { items });
		const newest = ({ least, limit }: { least: number; limit: number }) =>
			idsBySql(`SELECT Id FROM sessions WHERE EnergyConsumed > ${least} ORDER BY Id DESC LIMIT ${limit}`);
		expect(idsOf(result)).toEqual(items.flatMap(newest));
		expect(result.json.map((row) => 'StatusName' in row)).toEqual([false, false, true]);
		expect(result.items.map(({ pairedItem }) => pairedItem)).toEqual([0, 0, 1].map((item) => ({ item })));
	});

	it('are all checked before anything is sent', async () => {
		const { error } = await run({ operation: 'getAll', filters: above }, { items: [{ least: 10 }, {}, { least: 30 }] });
		expect(error?.message).toContain('Energy Consumed');
		expect(error?.context?.itemIndex).toBe(1);
		expect(platform.requests).toHaveLength(0);
	});
});

it('the form finds sessions that are neither finished nor failed and began more than a day ago, and a field that is No', async () => {
	const dayAgo = new Date(Date.now() - 86_400_000).toISOString().slice(0, 19);
	const filters = {
		status: [{ operator: 'NotIn', values: ['4', '6'] }],
		startedAtUtc: [{ operator: 'OlderThan' }],
		other: [{ field: 'IsRoaming|boolean', value: '={{ false }}' }],
	};
	const found = idsOf(await run({ operation: 'getAll', returnAll: true, filters }));
	expect(found.length).toBeGreaterThan(0);
	expect(found).toEqual(
		idsBySql(
			`SELECT Id FROM sessions WHERE Status NOT IN (4, 6) AND StartedAtUtc < '${dayAgo}' AND IsRoaming = 0 ORDER BY Id`,
		),
	);
});

describe('Get', () => {
	it('returns one session by its Id, as number or text', async () => {
		const items = [{ id: 42 }, { id: '42' }, { id: 7 }];
		expect(idsOf(await run({ operation: 'get', sessionId: '={{ $json.id }}' }, { items }))).toEqual([42, 42, 7]);
	});

	it.each<[string, NodeParameterValueType]>([
		['From List', { __rl: true, mode: 'list', value: '42', cachedResultName: 'Session 42, Finished' }],
		['By ID', { __rl: true, mode: 'id', value: '={{ $json.id }}' }],
		['as text, which older workflows hold', '42'],
		['as an expression, which older workflows hold', '={{ $json.id }}'],
		['as a number, which a workflow from an API may hold', 42],
	])('returns the session that is chosen %s', async (_, sessionId) => {
		expect(idsOf(await run({ operation: 'get', sessionId } as INodeParameters, { items: [{ id: 42 }] }))).toEqual([42]);
	});

	it('says that a session does not exist, and what to check', async () => {
		const { error } = await run({ operation: 'get', sessionId: '777777' });
		expect(error?.message).toBe('There is no charging session with the ID 777777');
		expect(error?.description).toContain('production environment');
	});

	it('never returns another session, nor says that there is none, where the platform ignores the filter', async () => {
		platform.behaviour.ignores = ['Filter'];
		const { error, json } = await run({ operation: 'get', sessionId: '777' });
		expect(json).toEqual([]);
		expect(error?.message).toMatch(/^Session \d+ has Id \d+, but 777 was asked for: the platform does not apply/);
	});

	it('refuses an empty Id before anything is sent', async () => {
		const { error } = await run({ operation: 'get', sessionId: '={{ $json.missing }}' });
		expect(error?.message).toMatch(/^Session: this expression came out empty/);
		expect(platform.requests).toHaveLength(0);
	});
});

describe('the list of Get', () => {
	async function find(filter?: string, token?: string, timezone = 'Europe/Berlin') {
		const editor = { type: 'chargingSessions', credential: credentialFor(platform), timezone };
		const { context, nodeType } = await editorContext(editor);
		const found = await nodeType.methods?.listSearch?.searchSessions?.call(context, filter, token);
		if (!found) throw new Error('There is no such search');
		return found;
	}
	const valuesOf = ({ results }: Awaited<ReturnType<typeof find>>) => results.map(({ value }) => value);

	it('shows the newest sessions first, a page at a time, each with its start in local time and its status', async () => {
		platform.db.exec("UPDATE sessions SET Status = 6, StartedAtUtc = '2026-11-21T03:31:12' WHERE Id = 4000");
		platform.db.exec('UPDATE sessions SET Status = 2, StartedAtUtc = NULL WHERE Id = 3999');
		const first = await find();
		expect(first.results.slice(0, 2)).toEqual([
			{ name: 'Session 4000, 2026-11-21 04:31:12, Failed', value: '4000' },
			{ name: 'Session 3999, Code 2', value: '3999' },
		]);
		const second = await find('', first.paginationToken as string);
		expect([...valuesOf(first), ...valuesOf(second)]).toEqual(Array.from({ length: 200 }, (_, n) => String(4000 - n)));
	});

	it('a number finds the session with that Id, however old it is', async () => {
		expect(valuesOf(await find(' 42 '))).toEqual(['42']);
		expect((await find('777777')).results).toEqual([]);
	});

	it('anything else finds what is shown', async () => {
		platform.db.exec("UPDATE sessions SET StartedAtUtc = '2026-02-03T12:00:00' WHERE Id IN (3990, 3995)");
		expect(valuesOf(await find('2026-02-03'))).toEqual(['3995', '3990']);
		platform.db.exec('UPDATE sessions SET Status = 2 WHERE Id > 3910');
		platform.db.exec('UPDATE sessions SET Status = 4 WHERE Id IN (3911, 3950)');
		expect(valuesOf(await find('FINISHED'))).toEqual(expect.arrayContaining(['3950', '3911']));
		expect((await find('nothing has this')).paginationToken).toBeUndefined();
	});
});
