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
beforeEach(() => platform.reset());

const run = async (parameters: INodeParameters, type = 'chargingSessions') =>
	await runNode({ type, credential: credentialFor(platform), parameters });
const noteOf = ({ hints }: RunResult) => hints.map(({ message }) => message).join(' ');
const ignore = (part: 'filter' | 'sort') => (platform.behaviour.lists.listensTo[part] = false);
const FINISHED = { filters: { status: [{ operator: 'In', values: ['4'] }] }, logic: 'And' };
const BY_ENERGY = { sort: { by: [{ field: 'EnergyConsumed', direction: 'Desc' }] } };
const NOTE = { options: { onContradiction: 'note' } };

it.each([
	{ operation: 'getAll', returnAll: true, ...FINISHED },
	{ operation: 'getAll', limit: 50, ...FINISHED },
	{ operation: 'summary', ...FINISHED },
	{ operation: 'count', filters: { status: [{ operator: 'In', values: ['77'] }] }, logic: 'And' },
])('a filter that the platform ignores stops the run, or is noted: %o', async (parameters) => {
	ignore('filter');
	const { error, json } = await run(parameters);
	expect(json).toEqual([]);
	expect(error?.message).toMatch(
		/^Session \d+ has Status \d, but (“is any of \d+”|\d+) was asked for: the platform does not apply the condition on Status$/,
	);
	expect(error?.description).toContain(
		"Nothing was returned, because it would not be what you asked for. Remove this condition, and use n8n's Filter node after this one. If you know that the platform is right, set On Contradiction to Note in Options.",
	);
	const noted = await run({ ...parameters, ...NOTE });
	expect(noted.error).toBeUndefined();
	expect(noted.json.length).toBeGreaterThan(0);
	expect(noteOf(noted)).toMatch('the platform does not apply the condition on Status.');
});

it('a filter that the platform ignores is found out where only rows without a value come', async () => {
	const parameters = {
		...{ operation: 'getAll', limit: 5, ...BY_ENERGY, logic: 'And' },
		filters: { energyConsumed: [{ operator: 'Gte', value: 0 }] },
	};
	platform.behaviour.nullPlacement = 'alwaysFirst';
	const { json, error: none, hints } = await run(parameters);
	expect([json.length, none, hints]).toEqual([5, undefined, []]);
	ignore('filter');
	const { error } = await run(parameters);
	expect(error?.message).toMatch(
		/^Session \d+ has EnergyConsumed null, but “greater than or equal to 0” was asked for: the platform does not apply the condition on EnergyConsumed$/,
	);
});

it('a sort that the platform ignores stops a run with a limit, and is noted with Return All', async () => {
	ignore('sort');
	const { error, json } = await run({ operation: 'getAll', limit: 10, ...BY_ENERGY });
	expect(json).toEqual([]);
	expect(error?.message).toMatch(
		/^Session \d+ with EnergyConsumed \S+ comes before session \d+ with EnergyConsumed \S+, but EnergyConsumed descending was asked for: the platform does not sort by it$/,
	);
	expect(error?.description).toMatch(/Turn on Return All, and use n8n's Sort and Limit nodes after this one\./);
	for (const parameters of [{ returnAll: true }, { limit: 10, ...NOTE }]) {
		const noted = await run({ operation: 'getAll', ...BY_ENERGY, ...parameters });
		expect(noted.json).toHaveLength('limit' in parameters ? 10 : 300);
		expect(noteOf(noted)).toMatch("the platform does not sort by it. Use n8n's Sort node after this one.");
	}
});

it('Count compares a page of rows with the filter, without a request more', async () => {
	const last = 'SELECT max(Id) FROM sessions';
	platform.db.exec(`UPDATE sessions SET Status = 4 WHERE Id = 1 OR Id = (${last})`);
	platform.db.exec('UPDATE sessions SET Status = 6 WHERE Id = 50');
	const parameters = { operation: 'count', ...FINISHED };
	const before = platform.requests.length;
	expect((await run(parameters)).error).toBeUndefined();
	expect(platform.requests.length - before).toBe(2);
	ignore('filter');
	expect((await run(parameters)).error?.message).toMatch(/the platform does not apply the condition on Status$/);
});

it('Skip Verification returns the figure of the platform after one request; the former Verify has no effect', async () => {
	Object.assign(platform.behaviour.lists, { count: 'offBy', countOffBy: 2_147_483_347 });
	const before = platform.requests.length;
	expect((await run({ operation: 'count', options: { skipVerification: true } })).json).toEqual([
		{ count: 2_147_483_647 },
	]);
	expect(platform.requests.length - before).toBe(1);
	const { error } = await run({ operation: 'count', options: { verify: false, skipVerification: false } });
	expect(error?.message).toMatch('its rows do not confirm it');
});

it('a count that the rows do not confirm stops the run, or is noted', async () => {
	Object.assign(platform.behaviour.lists, { count: 'offBy', countOffBy: 20 });
	const { error } = await run({ operation: 'count' });
	expect(error?.message).toBe('The platform counts 320 charging sessions, and its rows do not confirm it');
	expect(error?.description).toMatch(/Get Many with Return All reads the rows themselves.*On Contradiction to Note/);
	const noted = await run({ operation: 'count', ...NOTE });
	expect(noted.json).toEqual([{ count: 320 }]);
	expect(noteOf(noted)).toMatch('do not confirm it.');
});

it.each([99, 37])(
	'pages that are cut at %i rows, of which alone the platform counts, cut no result',
	async (takeClamp) => {
		Object.assign(platform.behaviour, { takeClamp });
		platform.behaviour.lists.count = 'page';
		expect((await run({ operation: 'getAll', returnAll: true })).json).toHaveLength(300);
		expect((await run({ operation: 'summary' })).json).toMatchObject([{ count: 300 }]);
		const exported = await run({ operation: 'exportByFilter' }, 'chargingSessionsCsvExport');
		expect(exported.json).toMatchObject([{ requestedCount: 300, sessionCount: 300 }]);
		const finished = platform.db.prepare('SELECT count(*) AS count FROM sessions WHERE Status = 4').get()?.count;
		expect(Number(finished)).toBeGreaterThan(takeClamp);
		const { error } = await run({ operation: 'count', ...FINISHED });
		expect(error?.message).toMatch(/^The platform counts only \d+ charging sessions, but there are more$/);
	},
);
