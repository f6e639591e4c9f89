import { openConnection } from '../../../../../nodes/shared/platform';
import { SESSIONS } from '../../../../../nodes/shared/resources';
import { contexts, ScriptedServer, sendRows } from '../../../../support/scriptedServer';

// n8n reads this when it sends the first request. It applies only to this file.
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';

const server = new ScriptedServer();
beforeAll(async () => await server.start());
afterAll(async () => {
	delete process.env.N8N_SSRF_PROTECTION_ENABLED;
	await server.stop();
});

it('an address that n8n itself blocks is a configuration fault and is not retried', async () => {
	server.script((_, response) => sendRows(response, []));
	const platform = await openConnection(contexts(server).execute());
	await expect(platform.getPage(SESSIONS, { sorts: [] })).rejects.toMatchObject({
		kind: 'configuration',
		message: `n8n does not allow requests to ${server.baseUrl.slice('http://'.length)}`,
	});
	expect(platform.stats.requests).toBe(1);
	expect(server.received).toHaveLength(0);
});
