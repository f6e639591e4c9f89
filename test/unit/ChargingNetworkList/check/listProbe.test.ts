import { Budget, ListProbe, PAGE } from '../../../../nodes/ChargingNetworkList/check/listProbe';
import { SESSIONS } from '../../../../nodes/shared/resources';
import { openFor, ScriptedServer, sendJson } from '../../../support/scriptedServer';

const server = new ScriptedServer();
beforeAll(async () => await server.start());
afterAll(async () => await server.stop());

async function probe() {
	const connection = await openFor(server);
	return new ListProbe(SESSIONS, connection, new Budget(connection, new AbortController().signal));
}

it('keeps at most 100 rows of an answer, each without what an honest row does not have', async () => {
	const long = 'x'.repeat(20_000);
	const rows = Array.from({ length: 120 }, (_, index) => ({ Id: index + 1, long, list: [long, [long]], Status: 4 }));
	server.script((_, response) => sendJson(response, 200, { Items: rows, TotalCount: 120 }));
	const list = await probe();
	const { page, came } = await list.first();
	expect(came).toBe(120);
	expect(page.rows.map(({ Id: id }) => id)).toEqual(Array.from({ length: PAGE }, (_, index) => index + 1));
	expect(JSON.stringify(page.rows).length).toBeLessThan(100_000);
	expect(await list.first()).toEqual(expect.objectContaining({ page }));
	expect(server.received).toHaveLength(1);
});

it('keeps the rows of an honest page as they came', async () => {
	const rows = Array.from({ length: 100 }, (_, Id) => ({ Id, note: 'n'.repeat(5_000), EVSEs: [{ Id: 1, Status: 2 }] }));
	server.script((_, response) => sendJson(response, 200, { Items: rows, TotalCount: 100 }));
	expect((await (await probe()).first()).page.rows).toEqual(rows);
});
