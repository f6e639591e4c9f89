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
const byName = { by: [{ field: 'Name', direction: 'Asc' }] };
const ADVICE: Record<string, string> = {
	filter: "remove all entries in Filters, and use n8n's Filter node after Get Many with Return All",
	sort: 'switch on Return All, so that the node sorts all locations itself',
};
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
		['filter', { filters: inCity('Köln'), returnAll: false, limit: 20 }],
		['sort', { returnAll: false, limit: 20, sort: byName }],
	])('gives no rows that a %s might leave out or order', async (what, parameters) => {
		const result = await run(parameters);
		expect(result.json).toEqual([]);
		expect(said(result)).toMatch(
			new RegExp(`all locations in one answer.*its ${what} cannot be relied on.*${ADVICE[what]}`, 'is'),
		);
	});

	it.each(
		SHAPES.flatMap((shape) =>
			IDS.flatMap((ids) =>
				[
					{ what: 'filter', filters: inCity('Köln') },
					{ what: 'filter', filters: inCity('Köln'), returnAll: false, limit: 57 },
					{ what: 'sort', sort: byName, returnAll: false, limit: 60 },
				].map((asked) => ({ shape, ids, ...asked })),
			),
		),
	)('gives none either where all of them fit in a page: %j', async ({ shape, ids, what, ...parameters }) => {
		answerAs(shape);
		platform.behaviour.ids.locations = ids;
		const result = await run({ ...parameters, options: { pageSize: 100 } });
		expect(result.json).toEqual([]);
		expect(said(result)).toMatch(new RegExp(`its ${what} cannot be relied on.*${ADVICE[what]}`, 's'));
	});

	it.each([57, 9])(
		'is not taken for what a filter counts, with %i locations; without one it is counted',
		async (rows) => {
			platform.db.exec(`DELETE FROM locations WHERE Id > ${rows}`);
			expect((await run({ operation: 'count' })).json).toEqual([{ count: rows }]);
			const result = await run({ operation: 'count', filters: inCity('Köln') });
			expect(result.json).toEqual([]);
			expect(said(result)).toMatch(/all locations in one answer.*its filter cannot be relied on/s);
		},
	);
});

describe('a platform with pages is asked once more at most for that', () => {
	const requestsFor = async (parameters: IDataObject) => {
		const result = await run({ ...parameters, options: { pageSize: 100 } });
		return [result.error, result.hints, platform.requests.length];
	};

	it.each<[number, string, IDataObject]>([
		[1, 'all locations', {}],
		[2, 'those of a filter, all on one page', { filters: inCity('Köln') }],
		[1, 'a single one', { filters: { other: [{ field: 'Name|text', textOperator: 'Eq', value: 'the only one' }] } }],
		[1, 'the first ones of a filter that matches more', { filters: inCity('Köln'), returnAll: false, limit: 2 }],
		[1, 'the first ones in an order, of more', { sort: byName, returnAll: false, limit: 20 }],
		[1, 'the number of all', { operation: 'count' }],
		[2, 'how many a filter matches, if at most ten', { operation: 'count', filters: inCity('Köln') }],
	])('%i in all: %s', async (requests, _, parameters) => {
		platform.db.exec("UPDATE locations SET Name = 'the only one' WHERE Id = 3");
		expect(namesBySql("City = 'Köln'").length % 5).toBeGreaterThan(0);
		expect(await requestsFor(parameters)).toEqual([undefined, [], requests]);
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
