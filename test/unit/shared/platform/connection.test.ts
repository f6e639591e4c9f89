import { setTimeout as delay } from 'node:timers/promises';

import type { Query } from '../../../../nodes/shared/dsquery/types';
import { keepRows } from '../../../../nodes/shared/platform/lists/kept';
import { SESSIONS, STATIONS } from '../../../../nodes/shared/resources';
import { installFastClock, type FastClock } from '../../../support/clock.ts';
import { errorOf, page, ScriptedPlatform, type Scripted } from '../../../support/scriptedConnection.ts';

const QUERY: Query = { sorts: [{ field: 'Id', direction: 'Asc' }], pager: { skip: 0, take: 2 } };
const PAGING = { pageSize: 10, parallel: 4 };
const platform = new ScriptedPlatform();

let clock: FastClock;
beforeAll(() => (clock = installFastClock()));
afterAll(() => clock.restore());

const answering = (...answers: Scripted[]) => platform.answer((_, index) => answers[index] ?? answers.at(-1) ?? {});
const said = async (promise: Promise<unknown>) => {
	const { message, description } = await errorOf(promise);
	return `${message} ${description}`;
};

it('a page is asked for with the query, and its rows come as the platform wrote them', async () => {
	const rows = [{ Id: 9007199254740991, EnergyConsumed: 1.5, Extra: null }];
	answering(page(rows, 7));
	const connection = platform.connect();
	expect(await connection.getPage(SESSIONS, QUERY)).toEqual({ rows, totalCount: 7 });
	const [request] = platform.requests;
	expect(request).toMatchObject({ method: 'GET', url: 'https://api.example.com/api/charging-sessions/v1' });
	expect(JSON.parse(request?.qs?.dsquery as string)).toEqual({
		Pager: { Skip: 0, Take: 2 },
		Sort: { Sorts: [{ Field: 'Id', Dir: 'Asc' }] },
	});
});

describe('what is no list', () => {
	it.each<[string, unknown, RegExp]>([
		['a web page', '<!DOCTYPE html><title>Sign in</title>', /is not the platform: got a web page, “Sign in”/],
		['other JSON', { users: [], secret: 'x' }, /is not the platform: got JSON with users, secret/],
		['no Items', { TotalCount: 3 }, /cannot be used: it has no list of Items/],
		['Items of text', { Items: [{}, 'a'], TotalCount: 2 }, /cannot be used: entry 2 of Items is text/],
		['plain text', 'It works!', /cannot be used: it is not JSON/],
	])('%s is refused after one request', async (_, body, message) => {
		answering({ body });
		expect(await said(platform.connect().getPage(SESSIONS, QUERY))).toMatch(message);
		expect(platform.requests).toHaveLength(1);
	});

	it.each(['{"Items":[', '{"Items":[{"Id":NaN}],"TotalCount":1}', '{"Items":[],"TotalCount":0}}'])(
		'JSON that breaks off or is invalid is asked for three times: %s',
		async (body) => {
			answering({ body });
			expect(await said(platform.connect().getPage(SESSIONS, QUERY))).toMatch(/cut off or damaged.*JSON is incomplete/);
			expect(platform.requests).toHaveLength(3);
		},
	);
});

it.each([undefined, -1, null, true, '1,500'])(
	'rows come without a count where TotalCount is %p',
	async (totalCount) => {
		answering({ body: { Items: [{ Id: 1 }], TotalCount: totalCount } });
		const connection = platform.connect();
		expect(await connection.getPage(SESSIONS, QUERY)).toEqual({ rows: [{ Id: 1 }], totalCount: undefined });
		const counting = connection.list(SESSIONS).count(undefined);
		expect(await said(counting)).toMatch(
			/does not count charging sessions: its answer has no TotalCount that is a number/,
		);
	},
);

it.each<Scripted>([{ status: 204 }, {}, { body: 'null' }])('a list answered with %j has no rows', async (answer) => {
	answering(answer);
	const list = platform.connect().list(SESSIONS);
	const sink = keepRows();
	await list.read({ query: QUERY, paging: PAGING, sink });
	expect(sink.pages).toEqual([]);
	expect(await list.count(undefined)).toBe(0);
});

it('a filter that is too long for a gateway only behind the first page is called too long', async () => {
	const value = '1'.repeat(1_450);
	const rows = Array.from({ length: 10 }, (_, row) => ({ Id: row + 1, Name: value }));
	answering(page(rows, 500), { status: 404 });
	const filter: Query['filter'] = { logic: 'And', filters: [{ field: 'Name', operator: 'Eq', value }] };
	const reading = platform
		.connect()
		.list(STATIONS)
		.read({ query: { ...QUERY, filter }, paging: PAGING, sink: keepRows() });
	expect(await said(reading)).toContain('the filter is too long');
});

describe('the detail of a station', () => {
	it('has its Id in the path, whatever it is', async () => {
		answering({ body: { Id: 'a/b?c', EVSEs: [] } });
		expect(await platform.connect().getStation('a/b?c')).toEqual({ Id: 'a/b?c', EVSEs: [] });
		expect(platform.requests[0]?.url).toMatch(/charging-stations\/v1\/a%2Fb%3Fc$/);
	});

	it('may come without an Id, and is never something else', async () => {
		const connection = platform.connect();
		answering({ body: { EVSEs: [{ Id: 71 }] } });
		expect(await connection.getStation('7')).toEqual({ EVSEs: [{ Id: 71 }] });
		for (const body of [[{ Id: 7 }], { Items: [] }, [], { Locations: [{ City: 'Bern' }] }]) {
			answering({ body });
			expect((await errorOf(connection.getStation('7'))).kind).toBe('not-the-platform');
		}
		for (const answer of [{ status: 204 }, { status: 410 }, { body: 'null' }]) {
			answering(answer);
			expect(await said(connection.getStation('7'))).toMatch(/^There is no charging station with the ID “7”/);
		}
	});

	it('may be refused for one station by its role, without a word on the others', async () => {
		platform.answer(({ url }) =>
			url.endsWith('/7')
				? { status: 403, body: { Message: 'Your role does not allow this station' } }
				: { body: { Id: 8 } },
		);
		const connection = platform.connect();
		for (let time = 0; time < 2; time++) {
			expect((await errorOf(connection.getStation('7'))).kind).toBe('role-insufficient');
		}
		expect(await connection.getStation('8')).toEqual({ Id: 8 });
		expect(platform.requests).toHaveLength(2);
	});
});

describe('asking again', () => {
	it.each([400, 401, 403, 404, 409, 414, 418])('there is none after a %i', async (status) => {
		answering({ status });
		await errorOf(platform.connect().getPage(SESSIONS, QUERY));
		expect(platform.requests).toHaveLength(1);
	});

	it('a 408 and a 500 may pass', async () => {
		answering({ status: 408 }, { status: 500 }, page([]));
		expect(await platform.connect().getPage(SESSIONS, QUERY)).toEqual({ rows: [], totalCount: 0 });
	});

	it.each<[number, unknown]>([
		[429, {}],
		[503, {}],
		[503, '<html><title>Maintenance</title></html>'],
		[403, 'Out of call volume quota'],
	])('%i with Retry-After is waited out as often as it comes, %j', async (status, body) => {
		const times: number[] = [];
		platform.answer((_, index) => {
			times.push(performance.now());
			return index < 4 ? { status, body, headers: { 'retry-after': '2' } } : page([{ Id: 7 }]);
		});
		const connection = platform.connect();
		expect((await connection.getPage(SESSIONS, QUERY)).rows).toEqual([{ Id: 7 }]);
		expect(times).toHaveLength(5);
		for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(2_000);
		expect(connection.stats.rateLimitWaitMs).toBeGreaterThanOrEqual(8_000);
	});

	it('once the platform has asked to wait, one request after another is sent, and time that several wait counts once', async () => {
		let underWay = 0;
		const most: number[] = [];
		platform.answer(async (_, index) => {
			most.push(++underWay);
			await delay(20);
			underWay--;
			return index === 3 ? { status: 429, headers: { 'retry-after': '1' } } : page([]);
		});
		const connection = platform.connect();
		const began = performance.now();
		const ask = async () => await connection.getPage(SESSIONS, QUERY);
		await Promise.all(Array.from({ length: 4 }, ask));
		await Promise.all(Array.from({ length: 4 }, ask));
		expect(most.slice(0, 4)).toEqual([1, 2, 3, 4]);
		expect(most.slice(4)).toEqual([1, 1, 1, 1, 1]);
		expect(connection.stats.rateLimitWaitMs).toBeLessThanOrEqual(performance.now() - began);
	});
});

describe('the export', () => {
	const asText = async (file: Buffer) => await Promise.resolve(file.toString());

	it('posts the Ids and hands out every byte', async () => {
		const csv = '\uFEFFId;Energy\r\n1;2,5\r\n';
		answering({ body: csv });
		expect(await platform.connect().exportSessions([1, '9007199254740993'], asText)).toBe(csv);
		expect(platform.requests[0]).toMatchObject({ method: 'POST', body: '{"Ids":[1,9007199254740993]}' });
		expect(platform.requests[0]?.headers).toMatchObject({ 'Content-Type': 'application/json' });
	});

	it('a 202 is no file, a 204 is an empty one, and what a refusal says is read', async () => {
		answering({ status: 202 });
		expect(await said(platform.connect().exportSessions([1], asText))).toMatch(/cannot be used: it has status 202/);
		answering({ status: 204 });
		expect(await platform.connect().exportSessions([1], asText)).toBe('');
		answering({ status: 400, body: { Detail: 'Too many ids, at most 200 are allowed' } });
		expect(await said(platform.connect().exportSessions([1], asText))).toMatch(
			/this many sessions at once.*at most 200/,
		);
	});
});
