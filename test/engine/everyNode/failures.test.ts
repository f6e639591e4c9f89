/** What n8n is told of a refusal beside its sentence: the status, the input item, and whether trying again may help. */
import type { INodeParameters } from 'n8n-workflow';

import { installFastClock, type FastClock } from '../../support/clock.ts';
import { credentialFor, runNode } from '../../support/harness.ts';
import { ownKey, ScriptedServer, sendJson } from '../../support/scriptedServer';

const server = new ScriptedServer();
let clock: FastClock;
beforeAll(async () => {
	clock = installFastClock(40);
	await server.start();
});
afterAll(async () => {
	clock.restore();
	await server.stop();
});

const GET = { operation: 'get', sessionId: '1' };
it.each<[number, INodeParameters, object]>([
	[401, GET, { httpCode: '401', failure: { cause: 'credential-invalid' } }],
	[403, GET, { httpCode: '403', failure: { cause: 'configuration-invalid' } }],
	[429, GET, { httpCode: '429', failure: { cause: 'rate-limited', retryAfterMs: expect.any(Number) as number } }],
	[500, GET, { httpCode: '500', failure: { cause: 'temporarily-unavailable' } }],
	[200, { operation: 'count', filters: { id: [{ value: 'x' }] } }, { failure: { cause: 'configuration-invalid' } }],
])('%s: %j', async (status, parameters, told) => {
	server.script((_, response) => sendJson(response, status, {}, { 'retry-after': '3600' }));
	const credential = credentialFor({ baseUrl: server.baseUrl, key: ownKey() });
	const { error } = await runNode({ type: 'chargingSessions', credential, parameters, items: [{}, {}] });
	expect(error).toMatchObject({ ...told, context: { itemIndex: 0 } });
});
