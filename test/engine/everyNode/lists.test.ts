/** How lists are read: what it costs, in which order rows come, and what is said where the platform differs. */
import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { restlessSessions } from '../../support/engine.ts';
import { keepFilesOnDisk } from '../../support/export.ts';
import { credentialFor, runNode, type RunResult } from '../../support/harness.ts';

const ALL = { operation: 'getAll', returnAll: true };
const by = (field: string, direction: string) => ({ sort: { by: [{ field, direction }] } });

let platform: StandIn;
beforeAll(async () => {
	await keepFilesOnDisk();
	platform = await startPlatform({ sessions: 10_000, idGaps: 3 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const keep = (rows: number, list = 'sessions') =>
	platform.db.exec(`DELETE FROM ${list} WHERE Id NOT IN (SELECT Id FROM ${list} ORDER BY Id LIMIT ${rows})`);
const idsOf = ({ json }: RunResult) => json.map(({ Id: id }) => id);
const inSql = (order: string) =>
	platform.db.prepare(`SELECT Id FROM sessions ORDER BY ${order}`).all().map(({ Id: id }) => id); // prettier-ignore

async function run(parameters: INodeParameters, type = 'chargingSessions') {
	return await runNode({ type, credential: credentialFor(platform), parameters });
}

/** How many requests it takes. */
async function costOf(parameters: INodeParameters, type?: string): Promise<number> {
	const before = platform.requests.length;
	const { error, hints } = await run(parameters, type);
	expect([error, hints]).toEqual([undefined, []]);
	return platform.requests.length - before;
}

it('takes few requests on a platform as specified', async () => {
	const costs: Record<string, number[]> = {};
	for (const rows of [10_000, 1_000, 150, 101, 100, 99, 1, 0]) {
		keep(rows);
		const lanes = [1, 4, 8].map((parallelRequests) => ({ ...ALL, options: { parallelRequests } }));
		const limits = [50, 101, 250].map((limit) => ({ operation: 'getAll', limit }));
		const all = [...lanes, { ...ALL, ...by('StartedAtUtc', 'Desc') }, ...limits, { operation: 'count' }];
		costs[rows] = [];
		for (const parameters of all) costs[rows].push(await costOf(parameters));
	}
	// Return All in 1, 4 and 8 lanes, and sorted; the newest 50, 101 and 250; Count.
	expect(costs).toEqual({
		10000: [101, 102, 106, 102, 1, 2, 3, 1],
		1000: [11, 12, 12, 12, 1, 2, 3, 1],
		150: [2, 2, 2, 2, 1, 2, 2, 1],
		101: [2, 2, 2, 2, 1, 2, 2, 1],
		100: [2, 2, 2, 2, 1, 2, 2, 1],
		99: [1, 1, 1, 1, 1, 1, 1, 1],
		1: [1, 1, 1, 1, 1, 1, 1, 1],
		0: [1, 1, 1, 1, 1, 1, 1, 1],
	});
});

it.each([1, 4, 8])('in %i lanes, what is there throughout comes exactly once while the list moves', async (lanes) => {
	const { steadyIds } = restlessSessions(platform, lanes);
	const result = await run({ ...ALL, options: { parallelRequests: lanes } });
	expect(result.error).toBeUndefined();
	const ids = idsOf(result);
	expect(new Set(ids).size).toBe(ids.length);
	const found = new Set(ids);
	expect(steadyIds().filter((id) => !found.has(id))).toEqual([]);
});

it('by position, a list from whose beginning rows go is read once more, and then refused', async () => {
	keep(730);
	platform.behaviour.idType = 'text';
	const removeSome = () =>
		platform.db.exec('DELETE FROM sessions WHERE Id IN (SELECT Id FROM sessions ORDER BY Id LIMIT 8)');
	platform.beforeList = ({ count }) => void (count === 3 && removeSome());
	const left = await run(ALL);
	expect([left.error, left.json.length, left.hints]).toEqual([undefined, 722, []]);
	platform.beforeList = removeSome;
	const { error, json } = await run(ALL);
	expect(json).toEqual([]);
	expect(error?.message).toMatch(/do not fit together/);
});

it('a filter that is dropped is refused, also where only the Ids of the second page show it', async () => {
	platform.behaviour.lists.ignoredFields = ['Id', 'StartedAtUtc'];
	const filters = { startedAtUtc: [{ operator: 'Gte', value: '2100-01-01T00:00:00Z' }] };
	const { json, error } = await run({ ...ALL, filters });
	expect(json).toEqual([]);
	expect(error?.message).toMatch(/^Session \d+ has Id \d+, but “.+” was asked for: the platform does not apply/);
	expect(error?.description).toContain('Something between n8n and the platform may drop the whole filter');
});

describe('the order', () => {
	beforeEach(() => keep(730));

	it('is that of the Id with Return All, and the newest come first with a limit', async () => {
		expect(idsOf(await run(ALL))).toEqual(inSql('Id'));
		expect(idsOf(await run({ operation: 'getAll', limit: 120 }))).toEqual(inSql('Id DESC').slice(0, 120));
	});

	it.each(['Asc', 'Desc'])('is that of a field %s, equal ones by Id', async (direction) => {
		const order = `coalesce(EnergyConsumed, -1) ${direction}, Id`;
		expect(idsOf(await run({ ...ALL, ...by('EnergyConsumed', direction) }))).toEqual(inSql(order));
		const started = `StartedAtUtc ${direction}, Id`;
		expect(idsOf(await run({ ...ALL, ...by('startedAtUtc', direction) }))).toEqual(inSql(started));
	});

	it('of equal values is that of the Id, as pages of a platform that has no order of its own would not join', async () => {
		platform.behaviour.naturalOrder = 'random';
		const { json, error } = await run({ operation: 'getAll', limit: 250, ...by('Currency', 'Asc') });
		expect(error).toBeUndefined();
		expect(json.map(({ Id: id }) => id)).toEqual(inSql('Currency, Id').slice(0, 250));
	});

	it('cannot be that of a field that no row has', async () => {
		const { error, json } = await run({ ...ALL, ...by('NoSuchField', 'Asc') });
		expect(json).toEqual([]);
		expect(error?.message).toBe('None of the charging sessions has a field "NoSuchField" to sort by');
	});

	it('is the newest first only where Ids fall: otherwise nothing is returned', async () => {
		platform.behaviour.lists.listensTo.sort = false;
		const { error, json } = await run({ operation: 'getAll', limit: 1 });
		expect(json).toEqual([]);
		expect(error?.message).toMatch(
			/^Session \d+ with Id \d+ comes before session \d+ .*the platform does not sort by it$/,
		);
	});
});
