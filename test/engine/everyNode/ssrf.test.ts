import { credentialFor, runNode } from '../../support/harness.ts';
import { API_KEY, ScriptedServer, sendRows } from '../../support/scriptedServer.ts';

// n8n reads this when it sends the first request. It applies only to this file.
process.env.N8N_SSRF_PROTECTION_ENABLED = 'true';

const server = new ScriptedServer();
beforeAll(async () => await server.start());
afterAll(async () => {
	delete process.env.N8N_SSRF_PROTECTION_ENABLED;
	await server.stop();
});

it('an address that n8n itself blocks is named, and not asked again', async () => {
	server.script((_, response) => sendRows(response, []));
	const credential = credentialFor({ baseUrl: server.baseUrl, key: API_KEY });
	const { error } = await runNode({ type: 'chargingSessions', credential, parameters: { operation: 'count' } });
	expect(error?.message).toBe(`n8n does not allow requests to ${server.baseUrl.slice('http://'.length)}`);
	expect(error?.description).toMatch(/ask your n8n admin to allow the host/);
	expect(server.received).toHaveLength(0);
});
