import type { IDataObject } from 'n8n-workflow';

import type { IdKind, StandIn } from '../../platform/index.ts';
import { startPlatform } from '../../platform/index.ts';
import { credentialFor, runNode, type RunOptions } from '../../support/harness.ts';

// The answer of locations is not specified: an envelope or a bare array, in pages or all at once, with any Id.

const PAGE = 10;
let platform: StandIn;
let apiKey: string;

beforeAll(async () => {
	platform = await startPlatform({ sessions: 0, stations: 0, locations: 57 });
});
afterAll(async () => await platform.close());
beforeEach(() => {
	platform.reset();
	apiKey = platform.createKey({ scopes: ['locations:read'] }).secret;
	platform.behaviour.locationsScope = 'locations:read';
});

const answerAs = (shape: (typeof SHAPES)[number]) =>
	(platform.behaviour.arrays = shape === 'array' ? ['locations'] : []);

const run = async (parameters: IDataObject = {}, options: Partial<RunOptions> = {}) =>
	await runNode({
		type: 'chargingLocations',
		credential: { ...credentialFor(platform), apiKey },
		parameters: {
			operation: 'getAll',
			returnAll: true,
			...parameters,
			options: { pageSize: PAGE, ...(parameters.options as IDataObject) },
		} as RunOptions['parameters'],
		...options,
	});

const namesBySql = (where = '1', order = 'Id') =>
	platform.db
		.prepare(`SELECT Name FROM locations WHERE ${where} ORDER BY ${order}`)
		.all()
		.map(({ Name: name }) => name);
const namesOf = ({ json }: Awaited<ReturnType<typeof run>>) => json.map(({ Name: name }) => name);
const inCity = (city: string) => ({ other: [{ field: 'City|text', textOperator: 'Eq', value: city }] });
const said = ({ error }: Awaited<ReturnType<typeof run>>) => `${error?.message} ${error?.description}`;

const SHAPES = ['envelope', 'array'] as const;
const IDS: IdKind[] = ['integer', 'text', 'none'];

describe.each(SHAPES.flatMap((shape) => IDS.map((ids) => ({ shape, ids }))))('rows as %j', ({ shape, ids }) => {
	beforeEach(() => {
		answerAs(shape);
		platform.behaviour.ids.locations = ids;
	});

	it.each([
		['pages', []],
		['everything at once', ['Skip', 'Take']],
	])('are each returned once when the platform gives %s', async (_, ignores) => {
		platform.behaviour.ignores = ignores;
		const result = await run();
		expect(result.status).toBe('success');
		expect(namesOf(result).sort()).toEqual(namesBySql().sort());
		expect(platform.requests.length).toBeLessThan(30);
	});

	it('are all read when the platform sends smaller pages than requested', async () => {
		platform.behaviour.takeClamp = 7;
		expect(namesOf(await run()).sort()).toEqual(namesBySql().sort());
	});

	it('are filtered, sorted and limited', async () => {
		const sort = { by: [{ field: 'Latitude', direction: 'Desc' }] };
		const result = await run({ filters: inCity('Köln'), sort, returnAll: false, limit: 2 });
		const expected = namesBySql("City = 'Köln'", 'Latitude DESC');
		expect(expected.length).toBeGreaterThan(2);
		expect(namesOf(result)).toEqual(expected.slice(0, 2));
	});
});

describe('a platform that sends all locations, whatever is asked for', () => {
	beforeEach(() => (platform.behaviour.ignores = ['Filter', 'Sort', 'Skip', 'Take']));

	it.each(SHAPES)('in the shape "%s" is read once, which a note says; a limit cuts them', async (shape) => {
		answerAs(shape);
		const result = await run();
		expect(namesOf(result)).toEqual(namesBySql());
		expect(result.hints.map(({ message }) => message)).toEqual([
			'The platform sends all locations in one answer, whatever page is asked for. That answer was used once.',
		]);
		expect(namesOf(await run({ returnAll: false, limit: 5 }))).toEqual(namesBySql().slice(0, 5));
	});

	it.each<[string, IDataObject]>([
		['filter', { filters: inCity('Köln') }],
		['sort', { returnAll: false, limit: 20, sort: { by: [{ field: 'Name', direction: 'Asc' }] } }],
	])('gives no rows that a %s might leave out or order', async (what, parameters) => {
		const result = await run(parameters);
		expect(result.json).toEqual([]);
		expect(said(result)).toMatch(
			new RegExp(`all locations in one answer.*its ${what} cannot be relied on.*entries in ${what}s? here`, 'is'),
		);
	});
});

it('loses no location when another is deleted while a list without a count is read', async () => {
	answerAs('array');
	platform.db.exec('DELETE FROM locations WHERE Id > 11');
	const names = namesBySql();
	platform.beforeList = ({ count }) => {
		if (count === 2) platform.db.exec('DELETE FROM locations WHERE Id = 1');
	};
	expect(namesOf(await run())).toEqual(names);
});

it('counts, or says that the answer has no count', async () => {
	expect((await run({ operation: 'count' })).json).toEqual([{ count: 57 }]);
	answerAs('array');
	expect(said(await run({ operation: 'count' }))).toMatch(/does not count locations: its answer has no TotalCount/);
});

it.each([
	['{"Locations":[{"Id":1}]}', /JSON with Locations/],
	['[1, 2]', /entry 1 of the list is a number/],
])('%s is no list', async (body, message) => {
	platform.faults.add({ kind: 'reply', status: 200, body, times: Infinity });
	const result = await run();
	expect(result.json).toEqual([]);
	expect(said(result)).toMatch(message);
});

it('names Id in the refusal when the user sorts by an Id that the rows lack', async () => {
	platform.behaviour.ids.locations = 'none';
	expect(said(await run({ sort: { by: [{ field: 'Id', direction: 'Asc' }] } }))).toContain('“Id”');
});

it('an API key that locations refuse gets the advice to sign in, and still reads sessions in the same execution', async () => {
	platform.behaviour.locationsScope = undefined;
	apiKey = platform.createKey().secret;
	const executionId = 'both';
	const result = await run({}, { executionId });
	expect(said(result)).toMatch(/API key.*may not accept API keys.*Signed-In User/s);
	expect(platform.requests).toHaveLength(1);
	const sessions = { type: 'chargingSessions', parameters: { operation: 'getAll' } };
	expect((await run({}, { executionId, ...sessions })).status).toBe('success');
});
