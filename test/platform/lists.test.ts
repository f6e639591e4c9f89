import { page, SESSIONS } from './client.ts';
import { startPlatform } from './index.ts';
import type { ListsBehaviour, StandIn } from './index.ts';

// What Check Platform finds is tried in test/engine/ChargingNetworkList/checkPlatform.test.ts.

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
const remove = (id: number) => platform.db.exec(`DELETE FROM sessions WHERE Id = ${id}`);

test.each([
	['rowsFirst', 5, 119],
	['countFirst', 4, 120],
] as const)('TotalCount may be of another moment than the rows: %s', async (moment, rows, count) => {
	behave({ moment });
	platform.betweenStatements = () => remove(120);
	const { Items, TotalCount } = await read(115, 10);
	expect([Items.length, TotalCount]).toEqual([rows, count]);
});

test('TotalCount may be cached', async () => {
	behave({ count: 'cached' });
	await read(0, 1);
	remove(7);
	expect((await read(0, 1)).TotalCount).toBe(120);
});
