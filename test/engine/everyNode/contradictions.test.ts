/** What a user reads where the platform's answer contradicts the question. */
import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { keepFilesOnDisk } from '../../support/export.ts';
import { credentialFor, runNode, type RunResult } from '../../support/harness.ts';

let platform: StandIn;
beforeAll(async () => {
	await keepFilesOnDisk();
	platform = await startPlatform({ sessions: 300, stations: 10 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	// What is known of a platform is known by its key.
	apiKey = platform.createKey({ scopes: ['charging-sessions:read', 'charging-stations:read'] }).secret;
});

let apiKey: string;
const run = async (parameters: INodeParameters, type = 'chargingSessions') =>
	await runNode({ type, credential: { ...credentialFor(platform), apiKey }, parameters });
const noteOf = ({ hints }: RunResult) => hints.map(({ message }) => message).join(' ');
const ignore = (part: 'filter' | 'sort') => (platform.behaviour.lists.listensTo[part] = false);
const FINISHED = { filters: { status: [{ operator: 'In', values: ['4'] }] }, logic: 'And' };
const BY_ENERGY = { sort: { by: [{ field: 'EnergyConsumed', direction: 'Desc' }] } };

it.each([
	{ operation: 'getAll', returnAll: true, ...FINISHED },
	{ operation: 'getAll', limit: 50, ...FINISHED },
	{ operation: 'summary', ...FINISHED },
	{ operation: 'count', filters: { status: [{ operator: 'In', values: ['77'] }] }, logic: 'And' },
])('a filter that the platform ignores stops the run: %o', async (parameters) => {
	ignore('filter');
	const { error, json } = await run(parameters);
	expect(json).toEqual([]);
	expect(error?.message).toMatch(
		/^Session \d+ has Status \d, but (“is any of \d+”|\d+) was asked for: the platform does not apply the condition on Status$/,
	);
	expect(error?.description).toContain(
		"Nothing was returned, because it would not be what you asked for. Something between n8n and the platform may drop the whole filter: tell the platform's support. Until then, remove all entries in Filters and use n8n's Filter node after this one.",
	);
});

it.each(['text', 'name', 'object'] as const)('and where statuses come in another form: %s', async (codes) => {
	ignore('filter');
	platform.behaviour.lists.codes = codes;
	const filters = { networkStatus: [{ operator: 'NotIn', values: ['1'] }] };
	const { error, json } = await run({ operation: 'getAll', returnAll: true, filters }, 'chargingStations');
	expect(json).toEqual([]);
	expect(error?.message).toMatch(/: the platform does not apply the condition on NetworkStatus$/);
});

it('a sort that the platform ignores stops a run with a limit, and is made here with Return All', async () => {
	ignore('sort');
	const { error, json } = await run({ operation: 'getAll', limit: 10, ...BY_ENERGY });
	expect(json).toEqual([]);
	expect(error?.message).toMatch(
		/^Session \d+ with EnergyConsumed \S+ comes before session \d+ with EnergyConsumed \S+, but EnergyConsumed descending was asked for: the platform does not sort by it$/,
	);
	expect(error?.description).toMatch(/Turn on Return All, and use n8n's Limit node after this one\./);
	const sorted = await run({ operation: 'getAll', ...BY_ENERGY, returnAll: true });
	expect([sorted.json.length, noteOf(sorted)]).toEqual([300, '']);
});

it('Count is the figure of the platform, with one request', async () => {
	Object.assign(platform.behaviour.lists, { count: 'offBy', countOffBy: 20 });
	const before = platform.requests.length;
	const { json, hints } = await run({ operation: 'count' });
	expect([json, hints]).toEqual([[{ count: 320 }], []]);
	expect(platform.requests.length - before).toBe(1);
});

it.each([99, 25])('pages that are cut at %i rows cut no result', async (takeClamp) => {
	Object.assign(platform.behaviour, { takeClamp });
	if (takeClamp % 5 === 0) platform.behaviour.lists.count = 'page';
	expect((await run({ operation: 'getAll', returnAll: true })).json).toHaveLength(300);
	expect((await run({ operation: 'summary' })).json).toMatchObject([{ count: 300 }]);
	const exported = await run({ operation: 'exportByFilter' }, 'chargingSessionsCsvExport');
	expect(exported.json).toMatchObject([{ requestedCount: 300, sessionCount: 300 }]);
});
