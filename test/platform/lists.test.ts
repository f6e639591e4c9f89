import { ask, idsWhere, page, SESSIONS } from './client.ts';
import { startPlatform } from './index.ts';
import type { ListsBehaviour, StandIn } from './index.ts';

let platform: StandIn;
beforeAll(async () => {
	platform = await startPlatform({ sessions: 120 });
});
beforeEach(() => platform.reset());
afterAll(() => platform.close());

const behave = (lists: Partial<ListsBehaviour>) => Object.assign(platform.behaviour.lists, lists);
const read = async (skip: number, take: number) =>
	await page(platform, SESSIONS, {
		Pager: { Skip: skip, Take: take },
		Sort: { Sorts: [{ Field: 'Id', Dir: 'Asc' }] },
	});
const ids = ({ Items }: Awaited<ReturnType<typeof read>>) => Items.map(({ Id }) => Id);
const remove = (id: number) => platform.db.exec(`DELETE FROM sessions WHERE Id = ${id}`);

describe('TotalCount', () => {
	test.each([
		['rowsFirst', 5, 119],
		['countFirst', 4, 120],
	] as const)('may be of another moment than the rows: %s', async (moment, rows, count) => {
		behave({ moment });
		platform.betweenStatements = () => remove(120);
		const { Items, TotalCount } = await read(115, 10);
		expect([Items.length, TotalCount]).toEqual([rows, count]);
	});

	test('may be cached, capped, off by a few, or only count the page', async () => {
		behave({ count: 'cached' });
		await read(0, 1);
		remove(7);
		expect((await read(0, 1)).TotalCount).toBe(120);
		behave({ count: 'capped', countCap: 50 });
		expect((await read(0, 1)).TotalCount).toBe(50);
		behave({ count: 'offBy', countOffBy: -2 });
		expect((await read(0, 1)).TotalCount).toBe(117);
		behave({ count: 'page' });
		expect((await read(0, 12)).TotalCount).toBe(12);
	});

	test('stays right when the first page comes back empty', async () => {
		behave({ emptyAnswers: 1 });
		expect(await read(0, 3)).toEqual({ Items: [], TotalCount: 120 });
		expect(ids(await read(0, 3))).toEqual([1, 2, 3]);
	});
});

test('a deep Skip is refused, ignored or cut', async () => {
	behave({ maxSkip: 100 });
	expect(ids(await read(100, 2))).toEqual([101, 102]);
	const { status, text } = await ask(platform, SESSIONS, { dsquery: { Pager: { Skip: 101, Take: 2 } } });
	expect([status, text]).toEqual([400, expect.stringContaining('Pager.Skip') as string]);
	behave({ skipOverMax: 'ignore' });
	expect(ids(await read(110, 2))).toEqual([1, 2]);
	behave({ skipOverMax: 'clamp' });
	expect(ids(await read(110, 2))).toEqual([101, 102]);
});

test('parts of the query may be ignored', async () => {
	platform.behaviour.naturalOrder = 'idDesc';
	behave({ listensTo: { filter: false, sort: false, skip: false, take: true } });
	expect(ids(await read(50, 2))).toEqual([120, 119]);
	expect(await idsWhere(platform, 'Id', 'Eq', '5')).toHaveLength(120);
	behave({ listensTo: { filter: true, sort: true, skip: true, take: false } });
	expect((await read(110, 2)).Items).toHaveLength(10);
});

test('names may be in camelCase, and empty properties left out', async () => {
	behave({ names: 'camel', emptyProperties: 'omitted' });
	platform.db.exec('UPDATE sessions SET Note = NULL, UserName = NULL');
	const { json } = await ask(platform, SESSIONS, { dsquery: { Pager: { Take: 1 } } });
	expect(json).toEqual({ items: [expect.objectContaining({ id: 1, connectorNumber: expect.any(Number) as number })], totalCount: 120 }); // prettier-ignore
	expect(json).not.toHaveProperty('items.0.note');
});

test('Ids may be null, empty, doubled, or ordered as text', async () => {
	behave({ oddIdEvery: 50 });
	for (const [oddIds, shown] of [
		['null', null],
		['empty', ''],
		['doubled', 6],
	] as const) {
		// prettier-ignore
		behave({ oddIds });
		const found = await page(platform, SESSIONS, { Filter: { Logic: 'And', Filters: [{ Field: 'ConnectorNumber', Operator: 'Gt', Value: '0' }] }, Pager: { Take: 200 } }); // prettier-ignore
		expect(ids(found).filter((id) => id === shown)).toHaveLength(shown === 6 ? 2 : 3);
	}
	behave({ oddIds: 'none', idOrder: 'text', idComparison: 'text' });
	expect(ids(await read(0, 4))).toEqual([1, 10, 100, 101]);
	expect(await idsWhere(platform, 'Id', 'Gt', '98')).toEqual([99]);
});

test('a list can be read without HTTP', () => {
	const body = platform.answerList('sessions', { Pager: { Skip: 3, Take: 1 } });
	expect(JSON.parse(body)).toMatchObject({ Items: [{ Id: 4 }], TotalCount: 120 });
	expect(() => platform.answerList('sessions', { Pager: { Skip: -1 } })).toThrow('must not be negative');
	expect(platform.requests).toHaveLength(0);
});
