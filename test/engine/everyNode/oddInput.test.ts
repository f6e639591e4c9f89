/** Parameters from expressions, AI models and hurried people: the right rows, or a place to look at and no request. */
import type { INodeParameters } from 'n8n-workflow';

import { startPlatform, type StandIn } from '../../platform/index.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';

let platform: StandIn;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 300, stations: 12 });
});
afterAll(async () => await platform.close());
beforeEach(() => platform.reset());

const run = async (parameters: INodeParameters, options: Partial<RunOptions> = {}) =>
	await runNode({
		type: 'chargingSessions',
		// Each run has its own key: a hold is shared by all runs with the same key.
		credential: { ...credentialFor(platform), apiKey: platform.createKey({ scopes: SCOPES }).secret },
		parameters,
		...options,
	});
const SCOPES = ['charging-sessions:read', 'charging-stations:read'];
const lastFilter = () => JSON.stringify((platform.requests.at(-1)?.dsquery as { Filter?: unknown }).Filter);

describe('switches and numbers given as other types', () => {
	it.each([
		[{ returnAll: '={{ "true" }}' }, 300],
		[{ returnAll: '={{ " TRUE " }}' }, 300],
		[{ returnAll: '={{ "false" }}', limit: 3 }, 3],
		[{ limit: '={{ "25" }}' }, 25],
		[{ limit: ' 25 ' }, 25],
		[{ limit: '={{ 1e15 }}' }, 300],
		[{ returnAll: true, options: { pageSize: '={{ "30" }}', parallelRequests: '={{ $json.missing }}' } }, 300],
		[{ returnAll: true, options: { pageSize: 1, parallelRequests: 8 } }, 300],
	])('%j gives %i rows', async (parameters, rows) => {
		const { json, error } = await run({ operation: 'getAll', ...parameters });
		expect(error).toBeUndefined();
		expect(new Set(json.map(({ Id: id }) => id)).size).toBe(rows);
	});

	it.each([
		[{ returnAll: '={{ $json.missing }}' }, 'Return All: true or false is needed, but it is empty.'],
		[{ returnAll: '={{ "yes, all" }}' }, 'Return All: true or false is needed, but it is "yes, all".'],
		[{ limit: '={{ $json.missing }}' }, 'Limit: a whole number of 1 or more is needed, but it is empty.'],
		[{ limit: '={{ Number("ten") }}' }, 'Limit: a whole number of 1 or more is needed, but it is NaN.'],
		[{ limit: '={{ "0x10" }}' }, 'Limit: a whole number of 1 or more is needed, but it is "0x10".'],
		[{ limit: -1 }, 'Limit: a whole number of 1 or more is needed, but it is -1.'],
		[{ limit: 2.5 }, 'Limit: a whole number of 1 or more is needed, but it is 2.5.'],
		[{ options: { pageSize: 101 } }, 'Options > Page Size: a whole number from 1 to 100 is needed, but it is 101.'],
		[
			{ options: { addStatusNames: '={{ "perhaps" }}' } },
			'Options > Add Status Names: true or false is needed, but it is "perhaps".',
		],
	])('%j is refused before anything is sent', async (parameters, message) => {
		const { error } = await run({ operation: 'getAll', ...parameters });
		expect(error?.message).toBe(message);
		// n8n would add "[item 0]", although there is no other.
		expect(error?.context?.itemIndex).toBeUndefined();
		expect(platform.requests).toHaveLength(0);
	});

	it('names everything that needs a change, as sentences', async () => {
		const { error } = await run({ operation: 'getAll', limit: 0, options: { timeout: 0 } });
		expect(error?.description).toBe(
			'2 places need a change. The other: Options > Request Timeout (Seconds): a whole number from 1 to 3600 is needed, but it is 0. Nothing was sent to the platform.',
		);
	});
});

describe('deeply nested groups', () => {
	const nested = (levels: number) =>
		'{"Logic":"And","Filters":['.repeat(levels) + '{"Field":"Id","Operator":"Lt","Value":"4"}' + ']}'.repeat(levels);

	it.each(['getAll', 'count'])('%s filters by them', async (operation) => {
		const { json } = await run({ operation, filters: { json: [{ json: nested(100) }] } });
		expect(operation === 'count' ? json : json.length).toEqual(operation === 'count' ? [{ count: 3 }] : 3);
	});

	it.each(['getAll', 'count'])('%s says so when they do not fit into a request', async (operation) => {
		platform.behaviour.refuseUrlLongerThan = 4_000;
		const { error } = await run({ operation, filters: { json: [{ json: nested(100) }] } });
		expect(error?.message).toBe('The filter is too long for a request');
	});

	it('are refused beyond 100 levels', async () => {
		const { error } = await run({ operation: 'getAll', filters: { json: [{ json: nested(101) }] } });
		expect(error?.message).toBe('Filters > Filter as JSON 1: this nests more than 100 groups, or contains itself.');
		expect(platform.requests).toHaveLength(0);
	});

	it('thousands of faults are counted, and the first of them shown', async () => {
		const json = JSON.stringify({
			Logic: 'And',
			Filters: Array.from({ length: 1500 }, () => ({ Field: '', Value: 1 })),
		});
		const { error } = await run({ operation: 'getAll', filters: { json: [{ json }] } });
		expect(error?.description).toMatch(/^3000 places need a change\. The others: .* And 2980 more\. Nothing was sent/);
		expect(`${error?.message} ${error?.description}`.length).toBeLessThan(5000);
	});
});

describe('Ids', () => {
	it.each(['..', ' . '])(
		'%j is refused as a station ID, since it would lead to another path of the API',
		async (id) => {
			const { error } = await run(
				{ operation: 'get', stationId: { __rl: true, mode: 'id', value: id } },
				{ type: 'chargingStations' },
			);
			expect(error?.message).toMatch(/^Station: .* cannot be an ID/);
			expect(platform.requests).toHaveLength(0);
		},
	);

	it.each(['a/b', '1?x=1', '1#', '%2e%2e', '../../token'])('%j stays one segment of the path', async (id) => {
		const { error } = await run(
			{ operation: 'get', stationId: { __rl: true, mode: 'id', value: id } },
			{ type: 'chargingStations' },
		);
		expect(error?.message).toBe(`There is no charging station with the ID “${id}”`);
		expect(platform.requests.map(({ path }) => path)).toEqual([`/api/charging-stations/v1/${encodeURIComponent(id)}`]);
	});

	it('a session is found by its number with leading zeros', async () => {
		const { json } = await run({ operation: 'get', sessionId: '0042' });
		expect(json).toMatchObject([{ Id: 42 }]);
	});

	it('text that the platform does not accept as a session ID is named', async () => {
		const { error } = await run({ operation: 'get', sessionId: 'march' });
		expect(error?.message).toBe('The platform did not accept “march” as a session ID');
		expect(error?.description).toBe('Use the Id of a row that Get Many returns.');
	});

	it('a session whose Id is greater than a number can be exactly keeps its digits', async () => {
		platform.db.exec('UPDATE sessions SET Id = 9007199254740993 WHERE Id = 5');
		const { json } = await run({ operation: 'get', sessionId: '9007199254740993' });
		expect(json).toMatchObject([{ Id: '9007199254740993' }]);
	});
});

describe('what an AI model fills in', () => {
	it('numbers and lists written as text are understood', async () => {
		const { json, error } = await run({
			operation: 'getAll',
			limit: '={{ "7" }}',
			filters: {
				energyConsumed: [{ operator: 'Gt', value: '={{ "20" }}' }],
				status: [{ operator: 'In', values: '={{ "Finished, 6" }}' }],
				startedAtUtc: [{ operator: 'InPeriod', period: 'lastDays', days: '={{ "900" }}' }],
			},
		});
		expect(error).toBeUndefined();
		expect(json).toHaveLength(7);
		expect(lastFilter()).toContain('"Value":"4,6"');
	});

	it.each(['1,5', '20 kWh', '=null', 'all'])('%j is refused rather than guessed to be a number', async (value) => {
		const { error } = await run({ operation: 'getAll', filters: { energyConsumed: [{ operator: 'Gt', value }] } });
		expect(error?.message).toMatch(/^Filters > Energy Consumed 1 > Value: /);
		expect(platform.requests).toHaveLength(0);
	});
});

it.each([
	['Asia/Kathmandu', /T18:15:00,\d{4}-\d\d-\d\dT18:15:00/],
	['UTC', /T00:00:00,\d{4}-\d\d-\d\dT00:00:00/],
])("periods are whole days in the workflow's time zone: %s", async (timezone, expected) => {
	await run(
		{ operation: 'getAll', filters: { startedAtUtc: [{ operator: 'InPeriod', period: 'yesterday' }] } },
		{ timezone },
	);
	expect(lastFilter()).toMatch(expected);
});

describe('the credential', () => {
	it('of the test environment reaches the test address only, and messages name it', async () => {
		const credential = {
			...credentialFor(platform),
			environment: 'test' as const,
			productionUrl: 'https://production.invalid',
			testUrl: platform.baseUrl,
		};
		expect((await run({ operation: 'getAll', limit: 3 }, { credential })).json).toHaveLength(3);
		const { error } = await run({ operation: 'get', sessionId: '77777' }, { credential });
		expect(error?.description).toContain('in the test environment');
	});

	it('with a pasted API path works, and a hint says what was cut off', async () => {
		const credential = { ...credentialFor(platform), productionUrl: `${platform.baseUrl}/api/charging-sessions/v1` };
		const { json, hints } = await run({ operation: 'getAll', limit: 3 }, { credential });
		expect(json).toHaveLength(3);
		expect(hints.map(({ message }) => message)).toEqual([
			'The base URL of the production environment ends with an API path, which was cut off: the nodes add it themselves.',
		]);
	});
});

describe('many items, one refusal', () => {
	const items = Array.from({ length: 6 }, (_, index) => ({ from: index + 1 }));
	const each = { operation: 'getAll', filters: { id: [{ operator: 'Gte', value: '={{ $json.from }}' }] } };
	const goOn = { onError: 'continueErrorOutput' as const, retryOnFail: true, maxTries: 5, waitBetweenTries: 0 };

	it.each(['trigger', 'manual'] as const)('an inactive license costs one request, in mode %s', async (mode) => {
		platform.license.active = false;
		const { items: good, errorItems } = await run(each, { items, mode, node: goOn });
		expect(platform.requests).toHaveLength(1);
		expect(good).toHaveLength(0);
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual(items.map((_, item) => ({ item })));
	});

	it('a missing scope costs one request', async () => {
		const { secret } = platform.createKey({ scopes: ['charging-stations:read'] });
		const credential = { ...credentialFor(platform), apiKey: secret };
		const { errorItems } = await run(each, { items, node: goOn, credential });
		expect(platform.requests).toHaveLength(1);
		expect(errorItems).toHaveLength(6);
	});

	it('Continue On Fail does not turn a cancellation into items', async () => {
		platform.faults.add({ kind: 'stall', times: Infinity });
		const { status, errorItems } = await run(each, {
			items,
			node: goOn,
			onStart: (cancel) => {
				const timer = setInterval(() => {
					if (platform.requests.length === 0) return;
					clearInterval(timer);
					cancel();
				}, 5);
			},
		});
		expect(status).toBe('canceled');
		expect(errorItems).toHaveLength(0);
		expect(platform.requests).toHaveLength(1);
	});
});
