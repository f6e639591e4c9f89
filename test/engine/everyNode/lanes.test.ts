/** Long lists are read in lanes of as many pages each: what that costs, and what a start that cannot be had changes. */
import type { INodeParameters } from 'n8n-workflow';

import { type Fault, type RequestRecord, startPlatform, type StandIn } from '../../platform/index.ts';
import { installFastClock, type FastClock } from '../../support/clock.ts';
import { keepFilesOnDisk } from '../../support/export.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';
import { ALL_SCOPES } from '../../support/nodes.ts';

const ROWS = 10_000;
/** Rows of 17 pages, which are read in four lanes. */
const FEW = 1_700;
const LANES = 4;

let clock: FastClock;
let platform: StandIn;
beforeAll(async () => {
	await keepFilesOnDisk();
	clock = installFastClock(40);
	platform = await startPlatform({ sessions: ROWS, stations: 5, idGaps: 3 });
});
afterAll(async () => {
	clock.restore();
	await platform.close();
});
beforeEach(() => platform.reset());

const keep = (rows: number) =>
	platform.db.exec(`DELETE FROM sessions WHERE Id NOT IN (SELECT Id FROM sessions ORDER BY Id LIMIT ${rows})`);
const idsInSql = () =>
	platform.db
		.prepare('SELECT Id FROM sessions ORDER BY Id')
		.all()
		.map(({ Id: id }) => Number(id));
const skipOf = ({ dsquery }: RequestRecord) => (dsquery as { Pager?: { Skip: number } } | undefined)?.Pager?.Skip ?? 0;
const isStart = (request: RequestRecord) => skipOf(request) > 0;
const isHighest = ({ query = '' }: RequestRecord) => query.includes('Desc');

const ALL = { operation: 'getAll', returnAll: true };
const inLanes = (parallelRequests: number, options: INodeParameters = {}) => ({
	...ALL,
	options: { parallelRequests, ...options },
});

/** A run with a key of its own, as what holds a key lasts. */
const run = async (parameters: INodeParameters, more: Partial<RunOptions> = {}) =>
	await runNode({
		type: 'chargingSessions',
		parameters,
		credential: { ...credentialFor(platform), apiKey: platform.createKey({ scopes: ALL_SCOPES }).secret },
		...more,
	});

/** All rows came, in order, each once, and nothing is to be said. */
function expectAll({ json, error, hints }: Awaited<ReturnType<typeof run>>): void {
	expect(error).toBeUndefined();
	expect(hints).toEqual([]);
	expect(json.map(({ Id: id }) => id)).toEqual(idsInSql());
}

it('10,000 rows take 101 or 102 requests in 1, 4 and 8 lanes, each page is read once, and no lane has two more than another', async () => {
	for (const lanes of [1, 4, 8]) {
		const before = platform.requests.length;
		expectAll(await run(inLanes(lanes)));
		const asked = platform.requests.slice(before);
		expect(asked.length).toBe(lanes === 1 ? 101 : 102);
		expect(new Set(asked.map(({ query }) => query)).size).toBe(asked.length);
		expect(asked.filter(isStart)).toHaveLength(lanes - 1);
		const upperEnd = /"Lte","Value":"(\d+)"/;
		const lengths = new Map<string, number>();
		for (const { query = '' } of asked.filter((request) => !isStart(request))) {
			const end = upperEnd.exec(query)?.[1];
			if (end !== undefined) lengths.set(end, (lengths.get(end) ?? 0) + 1);
		}
		expect(lengths.size).toBe(lanes);
		expect(Math.max(...lengths.values()) - Math.min(...lengths.values())).toBeLessThanOrEqual(1);
	}
});

it('Summarize, Network List and the export read so, too', async () => {
	keep(FEW);
	const summed = await run({ operation: 'summary' });
	expect([summed.json, summed.hints]).toMatchObject([[{ count: FEW }], []]);
	const list = { __rl: true, mode: 'path', value: '/api/charging-sessions/v1' };
	expectAll(await run({ ...ALL, list }, { type: 'chargingNetworkList' }));
	const exported = await run({ operation: 'exportByFilter' }, { type: 'chargingSessionsCsvExport' });
	expect(exported.json).toMatchObject([{ requestedCount: FEW, sessionCount: FEW }]);
	expect(platform.requests.filter(isStart)).toHaveLength(3 * (LANES - 1));
});

const WITHOUT_START: Array<[string, Omit<Fault, 'match'>]> = [
	['refuses the query', { kind: 'status', status: 400, body: { Message: 'Pager.Skip must be 1000 at most' } }],
	['answers 404', { kind: 'status', status: 404 }],
	['answers 416', { kind: 'status', status: 416 }],
	['answers 204', { kind: 'reply', status: 204 }],
	['answers 500', { kind: 'status', status: 500 }],
	['answers 503 without Retry-After', { kind: 'status', status: 503 }],
	['drops the connection', { kind: 'drop' }],
	['does not answer in time', { kind: 'stall' }],
	['sends half an answer', { kind: 'truncate' }],
	['sends a web page', { kind: 'html', status: 200 }],
	['sends the first page', { kind: 'reply', status: 200, body: { Items: [{ Id: 1 }, { Id: 5 }], TotalCount: FEW } }],
	['sends nothing', { kind: 'reply', status: 200, body: { Items: [], TotalCount: FEW } }],
	[
		'sends rows in no order',
		{ kind: 'reply', status: 200, body: { Items: [{ Id: 4e3 }, { Id: 3e3 }], TotalCount: 2 } },
	],
];

it.each(WITHOUT_START)(
	'where the platform %s for a start, that is asked for once, and all rows come',
	async (_, fault) => {
		keep(FEW);
		platform.faults.add({ ...fault, times: Infinity, match: isStart });
		expectAll(await run(inLanes(LANES, { timeout: 2 })));
		expect(platform.requests.filter(isStart)).toHaveLength(LANES - 1);
		expect(platform.requests).toHaveLength(18 + LANES - 1);
	},
);

it('the page of a start to which a gateway does not apply the filter starts no lane', async () => {
	keep(FEW);
	platform.db.exec('UPDATE sessions SET Status = 4');
	const Items = [2_000, 2_001].map((Id) => ({ Id, Status: 6 }));
	const body = { Items, TotalCount: FEW };
	platform.faults.add({ kind: 'reply', status: 200, body, times: Infinity, match: isStart });
	const filters = { status: [{ operator: 'Eq', value: '4' }] };
	expectAll(await run({ ...inLanes(LANES), filters }));
});

it('the other starts hold where one cannot be had', async () => {
	keep(FEW);
	platform.faults.add({ kind: 'status', status: 500, match: (request) => skipOf(request) > 1_000 });
	expectAll(await run(inLanes(LANES)));
	const ends = platform.requests.map(({ query = '' }) => /"Lte","Value":"(\d+)"/.exec(query)?.[1]);
	expect(new Set(ends.filter(Boolean)).size).toBe(LANES - 1);
});

it.each<[string, Omit<Fault, 'match'>, RegExp]>([
	['401', { kind: 'status', status: 401 }, /does not accept this API key/],
	['403', { kind: 'status', status: 403 }, /not allowed to read/],
	['a missing scope', { kind: 'status', status: 403, body: { Code: 'API_KEY_SCOPE_INSUFFICIENT' } }, /lacks the scope/],
	['429 for an hour', { kind: 'status', status: 429, headers: { 'retry-after': '3600' } }, /asks to wait 1 hour/],
	['503 for an hour', { kind: 'status', status: 503, headers: { 'retry-after': '3600' } }, /asks to wait 1 hour/],
])('%s for a start stops the run, as everywhere', async (_, fault, message) => {
	keep(FEW);
	platform.faults.add({ ...fault, times: Infinity, match: isStart });
	const { error, json } = await run(inLanes(LANES));
	expect(error?.message).toMatch(message);
	expect(json).toEqual([]);
});

it.each([429, 503])(
	'%i with Retry-After for a start is waited out, and the start is asked for again',
	async (status) => {
		keep(FEW);
		platform.faults.add({ kind: 'status', status, headers: { 'retry-after': '1' }, match: isStart });
		const { json, error, hints } = await run(inLanes(LANES));
		expect(error).toBeUndefined();
		expect(hints.map(({ message }) => message)).toEqual([expect.stringContaining('Nothing was left out')]);
		expect(json.map(({ Id: id }) => id)).toEqual(idsInSql());
		const ends = platform.requests.map(({ query = '' }) => /"Lte","Value":"(\d+)"/.exec(query)?.[1]);
		expect(new Set(ends.filter(Boolean)).size).toBe(LANES);
	},
);

it('a run that is stopped while starts are asked for is canceled', async () => {
	keep(FEW);
	let cancel = (): void => undefined;
	platform.faults.add({ kind: 'stall', times: Infinity, match: (request) => isStart(request) && (cancel(), true) });
	const { status } = await run(inLanes(LANES), { onStart: (stop) => (cancel = stop) });
	expect(status).toBe('canceled');
	expect(platform.requests.length).toBeLessThanOrEqual(1 + LANES);
});

it('the highest Id is tried again after a 500, and a refusal of it stops the run', async () => {
	keep(FEW);
	platform.faults.add({ kind: 'status', status: 500, match: isHighest });
	expectAll(await run(inLanes(LANES)));
	expect(platform.requests.filter(isHighest)).toHaveLength(2);
	platform.faults.add({ kind: 'status', status: 400, match: isHighest });
	const { error, json } = await run(inLanes(LANES));
	expect([error?.message, json]).toEqual(['The platform did not accept the query for charging sessions', []]);
});

it.each(['Skip', 'nothing'])(
	'all rows come, each once, while some come and go, where the platform ignores %s',
	async (ignored) => {
		keep(3_000);
		const before = idsInSql();
		platform.behaviour.ignores = ignored === 'Skip' ? ['Skip'] : [];
		platform.beforeList = ({ count }) => {
			if (count % 2 === 0) platform.startSession();
			platform.db.exec(
				'DELETE FROM sessions WHERE Id IN (SELECT Id FROM sessions ORDER BY (Id * 7919) % 1000 LIMIT 6)',
			);
		};
		const { error, json } = await run(inLanes(8));
		expect(error).toBeUndefined();
		const ids = json.map(({ Id: id }) => id);
		expect(new Set(ids).size).toBe(ids.length);
		const [came, after] = [new Set(ids), new Set(idsInSql())];
		expect(before.filter((id) => after.has(id) && !came.has(id))).toEqual([]);
	},
);
