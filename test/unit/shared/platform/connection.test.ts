/** What a connection does that no node shows alone. The rest: test/engine/everyNode, over HTTP. */
import { setTimeout as delay } from 'node:timers/promises';

import type { Query } from '../../../../nodes/shared/dsquery/types';
import { createRowBuffer } from '../../../../nodes/shared/platform/lists/rowBuffer.ts';
import { SESSIONS, STATIONS } from '../../../../nodes/shared/resources';
import { installFastClock, type FastClock } from '../../../support/clock.ts';
import { errorOf, page, ScriptedPlatform, type Scripted } from '../../../support/scriptedConnection.ts';
import { ownKey } from '../../../support/scriptedServer.ts';

const QUERY: Query = { sorts: [{ field: 'Id', direction: 'Asc' }], pager: { skip: 0, take: 2 } };
const platform = new ScriptedPlatform();

let clock: FastClock;
beforeAll(() => (clock = installFastClock()));
afterAll(() => clock.restore());

const answering = (...answers: Scripted[]) => platform.answer((_, index) => answers[index] ?? answers.at(-1) ?? {});
const said = async (promise: Promise<unknown>) => {
	const { message, description } = await errorOf(promise);
	return `${message} ${description}`;
};

describe('what is no list', () => {
	it.each<[string, unknown, RegExp]>([
		['a web page', '<!DOCTYPE html><title>Sign in</title>', /is not the platform: got a web page, “Sign in”/],
		['other JSON', { users: [], secret: 'x' }, /is not the platform: got JSON with users, secret/],
		['Items of text', { Items: [{}, 'a'], TotalCount: 2 }, /cannot be used: entry 2 of Items is text/],
		['plain text', 'It works!', /cannot be used: it is not JSON/],
	])('%s is refused after one request', async (_, body, message) => {
		answering({ body });
		expect(await said(platform.connect().getPage(SESSIONS, QUERY))).toMatch(message);
		expect(platform.requests).toHaveLength(1);
	});

	it.each(['{"Items":[', '{"Items":[{"Id":NaN}],"TotalCount":1}'])(
		'damaged JSON is asked for again: %s',
		async (body) => {
			answering({ body });
			expect(await said(platform.connect().getPage(SESSIONS, QUERY))).toMatch(/cut off or damaged.*JSON is incomplete/);
			expect(platform.requests).toHaveLength(3);
		},
	);
});

it.each([undefined, -1, null, true, '1,500'])('rows come without a count where it is %p', async (totalCount) => {
	answering({ body: { Items: [{ Id: 1 }], TotalCount: totalCount } });
	const connection = platform.connect();
	expect(await connection.getPage(SESSIONS, QUERY)).toEqual({ rows: [{ Id: 1 }], totalCount: undefined });
	expect(await said(connection.list(SESSIONS).count(undefined))).toMatch(
		/does not count .* has no TotalCount that is a/,
	);
});

it('a filter that is too long for a gateway only behind the first page is called too long', async () => {
	const value = '1'.repeat(1_450);
	const rows = Array.from({ length: 10 }, (_, row) => ({ Id: row + 1, Name: value }));
	answering(page(rows, 500), { status: 404 });
	const query: Query = { filter: { logic: 'And', filters: [{ field: 'Name', operator: 'Eq', value }] }, sorts: [] };
	const paging = { pageSize: 10, parallel: 4 };
	const reading = platform.connect().list(STATIONS).read({ query, paging, sink: createRowBuffer() });
	expect(await said(reading)).toContain('the filter is too long');
});

it('the detail of a station may come without an Id, and is never something else', async () => {
	const connection = platform.connect();
	answering({ body: { EVSEs: [{ Id: 71 }] } });
	expect(await connection.getStation('7')).toEqual({ EVSEs: [{ Id: 71 }] });
	for (const body of [[{ Id: 7 }], { Items: [] }, { Locations: [{ City: 'Bern' }] }]) {
		answering({ body });
		expect((await errorOf(connection.getStation('7'))).kind).toBe('not-the-platform');
	}
	answering({ status: 410 });
	expect(await said(connection.getStation('7'))).toMatch(/^There is no charging station with the ID “7”/);
	for (const answer of [{ status: 204 }, { body: 'null' }]) {
		answering(answer);
		expect(await said(connection.getStation('7'))).toMatch(/^The platform answered with nothing in place of/);
	}
});

it('the detail of one station may be refused by its role, without a word on the others', async () => {
	const refusal = { status: 403, body: { Message: 'Your role does not allow this station' } };
	platform.answer(({ url }) => (url.endsWith('/7') ? refusal : { body: { Id: 8 } }));
	const connection = platform.connect();
	for (const id of ['7', '7']) expect((await errorOf(connection.getStation(id))).kind).toBe('role-insufficient');
	expect(await connection.getStation('8')).toEqual({ Id: 8 });
	expect(platform.requests).toHaveLength(2);
});

it('once the platform has asked to wait, one request after another is sent', async () => {
	let underWay = 0;
	const most: number[] = [];
	platform.answer(async (_, index) => {
		most.push(++underWay);
		await delay(20);
		underWay--;
		return index === 3 ? { status: 429, headers: { 'retry-after': '1' } } : page([]);
	});
	const connection = platform.connect();
	const askFour = async () =>
		await Promise.all(Array.from({ length: 4 }, async () => await connection.getPage(SESSIONS, QUERY)));
	await askFour();
	await askFour();
	expect(most).toEqual([1, 2, 3, 4, 1, 1, 1, 1, 1]);
});

it('time that several requests wait together counts once', async () => {
	answering({ status: 429, headers: { 'retry-after': '10' } }, page([]));
	const key = { apiKey: ownKey() };
	await errorOf(platform.connect(key, { maxRateLimitWaitMs: 0 }).getPage(SESSIONS, QUERY));
	const connection = platform.connect(key);
	const began = performance.now();
	await Promise.all(Array.from({ length: 4 }, async () => await connection.getPage(SESSIONS, QUERY)));
	expect(connection.stats.rateLimitWaitMs).toBeLessThanOrEqual(performance.now() - began);
	expect(connection.stats.rateLimitWaitMs).toBeGreaterThan(9_000);
});

it('a busy machine is no wait that the platform asked for', async () => {
	answering(page([]));
	const connection = platform.connect();
	const asking = connection.getPage(SESSIONS, QUERY);
	const until = performance.now() + 20;
	while (performance.now() < until);
	await asking;
	expect(connection.stats.rateLimitWaitMs).toBe(0);
});

it('the export sends large Ids as numbers; a 202 is no file, and a 204 is an empty one', async () => {
	const asText = async (file: Buffer) => await Promise.resolve(file.toString());
	const connection = platform.connect();
	answering({ status: 202 });
	expect(await said(connection.exportSessions([1], asText))).toMatch(/cannot be used: it has status 202/);
	answering({ status: 204 });
	expect(await connection.exportSessions([1, '9007199254740993'], asText)).toBe('');
	expect(platform.requests[0]).toMatchObject({ method: 'POST', body: '{"Ids":[1,9007199254740993]}' });
});
