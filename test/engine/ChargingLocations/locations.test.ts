import type { IDataObject } from 'n8n-workflow';

import type { ListsBehaviour, LocationsBehaviour, StandIn } from '../../platform/index.ts';
import { startPlatform } from '../../platform/index.ts';
import { credentialFor, editorContext, runNode, type RunOptions } from '../../support/harness.ts';

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
	behave({ acceptsKeys: true });
});

const behave = ({ listensTo, ...changes }: Partial<LocationsBehaviour & Pick<ListsBehaviour, 'listensTo'>>) => {
	Object.assign(platform.behaviour.locations, changes);
	if (listensTo) platform.behaviour.lists.listensTo = listensTo;
};

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

const rowsBySql = (sql: string) => platform.db.prepare(sql).all() as IDataObject[];
const namesBySql = (where = '1', order = 'Id') =>
	rowsBySql(`SELECT Name FROM locations WHERE ${where} ORDER BY ${order}`).map(({ Name: name }) => name);
const namesOf = (rows: IDataObject[]) => rows.map(({ Name: name }) => name);
const inCity = (city: string) => ({ other: [{ field: 'City|text', textOperator: 'Eq', value: city }] });
const hintText = (result: Awaited<ReturnType<typeof run>>) => result.hints.map(({ message }) => message).join(' ');
const said = ({ error }: Awaited<ReturnType<typeof run>>) => `${error?.message} ${error?.description}`;

/** The ways in which an endpoint with an undocumented answer may answer a list request. */
const listening = { filter: true, sort: true, skip: true, take: true };
const deaf = { filter: false, sort: false, skip: false, take: false };
const LISTS = ['envelope', 'array'] as const;
const IDS: Array<Partial<LocationsBehaviour>> = [
	{ idName: 'Id' },
	{ idName: 'Id', textIds: true },
	{ idName: 'LocationId' },
	{ idName: undefined },
];

describe.each(LISTS)('rows in the shape "%s"', (shape) => {
	describe.each(IDS)('with the identifier %j', (id) => {
		beforeEach(() => behave({ shape, ...id }));

		it.each([
			['pages', {}],
			['no pages, everything at once', { skip: false, take: false }],
		])('are each returned once when the platform gives %s', async (_, changes) => {
			behave({ listensTo: { ...listening, ...changes } });
			const { json, status } = await run();
			expect(status).toBe('success');
			expect(namesOf(json).sort()).toEqual(namesBySql().sort());
			expect(platform.requests.length).toBeLessThan(30);
		});

		it('are all read when the platform sends smaller pages than requested', async () => {
			platform.behaviour.takeClamp = 7;
			const { json } = await run();
			expect(namesOf(json).sort()).toEqual(namesBySql().sort());
		});

		it('are filtered, sorted and limited', async () => {
			const { json } = await run({
				filters: inCity('Köln'),
				sort: { by: [{ field: 'Latitude', direction: 'Desc' }] },
				returnAll: false,
				limit: 4,
			});
			expect(namesOf(json)).toEqual(namesBySql("City = 'Köln'", 'Latitude DESC').slice(0, 4));
		});
	});

	it('returns nothing, without an error, when nothing matches', async () => {
		behave({ shape });
		const { json, status } = await run({ filters: inCity('Nowhere') });
		expect(status).toBe('success');
		expect(json).toEqual([]);
	});

	it('reads no more than the limit needs', async () => {
		behave({ shape });
		const { json } = await run({ returnAll: false, limit: 10 });
		expect(json).toHaveLength(10);
		expect(platform.requests).toHaveLength(1);
	});

	it('are cut at the limit when the platform sends everything at once', async () => {
		behave({ shape, listensTo: deaf });
		const { json } = await run({ returnAll: false, limit: 5 });
		expect(namesOf(json)).toEqual(namesBySql().slice(0, 5));
	});
});

describe.each(LISTS)('a platform that ignores queries and answers in the shape "%s"', (shape) => {
	beforeEach(() => behave({ shape, listensTo: deaf }));

	it('refuses a filter instead of returning rows that do not match', async () => {
		const result = await run({ filters: inCity('Köln') });
		expect(result.json).toEqual([]);
		expect(said(result)).toMatch(
			/all locations in one answer.*its filter cannot be relied on.*entries in Filters here/s,
		);
	});

	it('refuses a sort with a limit', async () => {
		const sort = { by: [{ field: 'Name', direction: 'Asc' }] };
		const result = await run({ returnAll: false, limit: 20, sort });
		expect(said(result)).toMatch(/all locations in one answer.*its sort cannot be relied on.*entries in Sort here/s);
	});
});

it('loses no location when another is deleted while a list without a count is read', async () => {
	behave({ shape: 'array' });
	const names = namesBySql('Id <= 11');
	platform.db.exec('DELETE FROM locations WHERE Id > 11');
	platform.faults.add({ kind: 'drop', match: leavesAfterTheFirstPage(), times: Infinity });
	const result = await run();
	expect(namesOf(result.json)).toEqual(names);
});

function leavesAfterTheFirstPage() {
	let requests = 0;
	return () => {
		if (++requests === 2) platform.db.exec('DELETE FROM locations WHERE Id = 1');
		return false;
	};
}

it.each([
	['envelope', 57],
	['array', /does not count locations: its answer has no TotalCount/],
] as const)('counts in the shape "%s", or says that the answer has no count', async (shape, counted) => {
	behave({ shape });
	const result = await run({ operation: 'count' });
	if (typeof counted === 'number') expect(result.json).toEqual([{ count: counted }]);
	else expect(said(result)).toMatch(counted);
});

it.each([PAGE, 100])('comes in one answer, in pages of %i, which a note says', async (pageSize) => {
	behave({ shape: 'array', listensTo: deaf });
	const result = await run({ options: { pageSize } });
	expect(namesOf(result.json)).toEqual(namesBySql());
	expect(hintText(result)).toBe(
		'The platform sends all locations in one answer, whatever page is asked for. None is doubled.',
	);
});

it.each([
	['[1, 2]', /entry 1 of the list is a number/],
	['{"success":true,"message":"ok"}', /success, message/],
	['{"Locations":[]}', /JSON with Locations/],
	['{}', /got JSON/],
	['"text"', /got JSON/],
	['<html><title>Portal</title></html>', /got a web page/],
])('refuses %s for any page', async (body, message) => {
	platform.faults.add({ kind: 'reply', status: 200, body, times: Infinity });
	const result = await run();
	expect(result.json).toEqual([]);
	expect(said(result)).toMatch(message);
});

it.each(['null', '', '[]'])('reads %j as an empty list', async (body) => {
	platform.faults.add({ kind: 'reply', status: 200, body, times: Infinity });
	expect(await run()).toMatchObject({ status: 'success', json: [] });
});

it('names Id in the refusal when the user sorts by an Id that the rows lack', async () => {
	behave({ idName: undefined });
	const result = await run({ sort: { by: [{ field: 'Id', direction: 'Asc' }] } });
	expect(said(result)).toContain('“Id”');
});

describe('an API key', () => {
	it.each([401, 403] as const)(
		'that is refused with %i gets a message that suggests the signed-in user',
		async (status) => {
			platform.faults.add({ kind: 'status', status });
			const result = await run();
			expect(said(result)).toMatch(/API key.*may not accept API keys.*Signed-In User/s);
			expect(platform.requests).toHaveLength(1);
		},
	);

	it('that locations refuse still reads sessions in the same execution', async () => {
		platform.faults.add({ kind: 'status', status: 401 });
		const executionId = 'both';
		const { secret } = platform.createKey();
		const credential = { ...credentialFor(platform), apiKey: secret };
		expect((await run({}, { executionId, credential })).status).toBe('error');
		const sessions = await runNode({
			type: 'chargingSessions',
			credential,
			executionId,
			parameters: { operation: 'getAll' },
		});
		expect(sessions.status).toBe('success');
	});
});

it.each(LISTS)('offers the fields of live rows in the shape "%s"', async (shape) => {
	behave({ shape, idName: 'LocationId' });
	const { context, nodeType } = await editorContext({
		type: 'chargingLocations',
		credential: { ...credentialFor(platform), apiKey },
		parameters: { operation: 'getAll' },
	});
	const options = await nodeType.methods?.loadOptions?.getFields?.call(context);
	expect(options?.map(({ value }) => value)).toEqual([
		'City|text',
		'Country|text',
		'Latitude|number',
		'LocationId|number',
		'Longitude|number',
		'Name|text',
	]);
});
