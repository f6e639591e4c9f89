import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';

/** What AI models get wrong when they fill in a tool's parameters: each gets its result, or a message to act on. */

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 60, stations: 10 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async (parameters: INodeParameters, type: RunOptions['type'] = 'chargingSessions') =>
	await runNode({ type, credential: credentialFor(platform), parameters });

const json = (text: string): INodeParameters => ({ filters: { json: [{ json: text }] } });
const count = (where: string) =>
	Number(platform.db.prepare(`SELECT count(*) AS count FROM sessions WHERE ${where}`).get()?.count);

describe('gives the result that was meant', () => {
	it.each([
		['a number without quotes', '{"Field":"EnergyConsumed","Operator":"Gt","Value":20}', 'EnergyConsumed > 20'],
		['zero without quotes', '{"Field":"EnergyConsumed","Operator":"Gt","Value":0}', 'EnergyConsumed > 0'],
		['false without quotes', '{"Field":"IsRoaming","Operator":"Eq","Value":false}', 'IsRoaming = 0'],
		['a list of values', '{"Field":"Status","Operator":"In","Value":[4,6]}', 'Status IN (4, 6)'],
		[
			'a whole query',
			'{"Filter":{"Logic":"And","Filters":[{"Field":"Status","Operator":"Eq","Value":"4"}]}}',
			'Status = 4',
		],
		['names in lower case', '{"field":"Status","operator":"eq","value":"4"}', 'Status = 4'],
	])('%s in the filter', async (_, text, where) => {
		const { json: items, error } = await run({ operation: 'count', ...json(text) });
		expect({ items, message: error?.message }).toEqual({ items: [{ count: count(where) }], message: undefined });
	});

	it.each([
		['a number as text', { limit: '3' }, 3],
		['"false" for false', { limit: 3, returnAll: '={{ "false" }}' }, 3],
		['parameters that there are not', { limit: 3, station: 'x', options: { pageSiz: 5 } }, 3],
	])('%s', async (_, parameters, expected) => {
		const { json: items, error } = await run({ operation: 'getAll', ...parameters });
		expect(error?.message).toBeUndefined();
		expect(items).toHaveLength(expected);
	});
});

describe('says what is wrong, and what to write instead', () => {
	it.each<[string, INodeParameters, RegExp]>([
		[
			'a field that there is not',
			{ operation: 'count', ...json('{"Field":"Energy","Operator":"Gt","Value":"1"}') },
			/“Energy” in Filters.* must be spelled as in the rows/,
		],
		[
			'a fence around JSON',
			{ operation: 'count', ...json('```json\n{"Field":"Status","Operator":"Eq","Value":"4"}\n```') },
			/A condition begins with \{/,
		],
		[
			'a sign for an operator',
			{ operation: 'count', ...json('{"Field":"Status","Operator":"=","Value":"4"}') },
			/"=" is not an operator; use Eq, Neq, /,
		],
		['a name for an Id', { operation: 'get', sessionId: 'Graz Market Square' }, /Use the Id of a row/],
		['an operation that there is not', { operation: 'list' }, /Choose one of "Get Many Sessions"/],
		[
			'words for a date',
			{ operation: 'count', ...json('{"Field":"StartedAtUtc","Operator":"Gte","Value":"last month"}') },
			/Use a date such as 2026-01-31/,
		],
		['"many" for a number', { operation: 'getAll', limit: 'many' }, /Limit: a whole number of 1 or more/],
	])('%s', async (_, parameters, message) => {
		const { error, json: items } = await run(parameters);
		expect(`${error?.message} ${error?.description}`).toMatch(message);
		expect(items).toEqual([]);
	});
});
