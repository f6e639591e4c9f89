import type { ServerResponse } from 'node:http';
import type { INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import { installFastClock, type FastClock } from '../../support/clock.ts';
import { credentialFor, loadPackage, runNode } from '../../support/harness.ts';
import { ownKey, ScriptedServer, sendJson } from '../../support/scriptedServer';

// What all operations promise of a refusal: the same sentence and next step, and how often they ask.

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

interface Case {
	what: string;
	answer: (response: ServerResponse) => unknown;
	message: RegExp;
	next: RegExp;
	requests?: number;
	/** Only where a page of a list is asked for. */
	ofLists?: true;
}

const json =
	(status: number, body: unknown, headers: Record<string, string> = {}) =>
	(response: ServerResponse) =>
		sendJson(response, status, body, headers);
const page = (status: number) => (response: ServerResponse) =>
	response.writeHead(status, { 'content-type': 'text/html' }).end('<html><title>Sign in</title></html>');
const QUOTA = { message: 'Out of call volume quota. Quota will be replenished in 3.00:00:00.' };

const CASES: Case[] = [
	{ what: '401', answer: json(401, {}), message: /does not accept this API key/, next: /revoked/ },
	{
		what: 'a missing scope',
		answer: json(403, { Code: 'API_KEY_SCOPE_INSUFFICIENT', Message: 'Requires some-area:read' }),
		message: /^The API key lacks the scope some-area:read$/,
		next: /grant it.*about a minute.*“Requires some-area:read” \(API_KEY_SCOPE_INSUFFICIENT\)$/,
	},
	{
		what: 'the license',
		answer: json(403, { Code: 'PUBLIC_API_LICENSE_INACTIVE' }),
		message: /^The API license of your organization is not active$/,
		next: /billing contact/,
	},
	{ what: 'a role', answer: json(403, 'Role Accountant'), message: /^The role of the API key/, next: /CompanyAdmin/ },
	{
		what: 'a quota for days',
		answer: json(403, QUOTA),
		message: /^The platform asks to wait 3 days, longer than this node may wait$/,
		next: /call quota of the API key is used up, so nothing is sent until \d{4}-.*Max Rate Limit Wait/,
	},
	...[429, 503].map((status) => ({
		what: `${status} for an hour`,
		answer: json(status, {}, { 'retry-after': '3600' }),
		message: /^The platform asks to wait 1 hour, longer than this node may wait$/,
		next: /nothing is sent until \d{4}-/,
	})),
	{ what: '504', answer: json(504, {}), message: /cannot answer.*\(status 504\)$/, next: /temporary/, requests: 3 },
	{ what: 'a gateway’s 502', answer: page(502), message: /^A gateway .*502/, next: /says: “Sign in”/, requests: 3 },
	{
		what: 'a broken connection',
		answer: (response) => response.destroy(),
		message: /^The connection to 127\.0\.0\.1:\d+ broke off$/,
		next: /proxies and firewalls/,
		requests: 3,
	},
	{
		what: 'a redirect',
		answer: json(302, {}, { location: 'https://portal.example/login?key=1' }),
		message: /redirects to https:\/\/portal\.example \(status 302\)$/,
		next: /^The API key is never sent to another address\. Enter the final address/,
	},
	{
		what: 'a web page',
		answer: page(200),
		message: /got a web page/i,
		next: /./,
	},
	{
		what: 'a page that is too long',
		answer: json(400, { message: 'Pager.Take must be 50 at most' }),
		message: /^The platform does not give this many .* at once$/,
		next: /^Set Page Size in Options to fewer rows\. The platform says: “Pager\.Take must be 50 at most”$/,
		ofLists: true,
	},
];

/** What operations need to send a request. */
const PARAMETERS: INodeParameters = {
	...{ sessionId: '1', stationId: { __rl: true, mode: 'id', value: '1' } },
	...{ list: { __rl: true, mode: 'path', value: '/api/tariffs/v1' }, sessionIds: '1' },
	...{ chargePointField: 'Status', chargePointValues: ['1'] },
};
/** Others report what they find, or read no list. */
const LEFT_OUT = ['checkPlatform', 'availability'];

async function operations(): Promise<Array<{ type: string; operation: string }>> {
	const { nodeTypes } = await loadPackage();
	return Object.entries(nodeTypes).flatMap(([type, { type: nodeType }]) => {
		const { polling, properties } = nodeType.description as INodeTypeDescription;
		const options = (!polling && properties.find(({ name }) => name === 'operation')?.options) || [];
		const values = options.flatMap((option) => ('value' in option ? [String(option.value)] : []));
		return values.filter((value) => !LEFT_OUT.includes(value)).map((operation) => ({ type, operation }));
	});
}

it.each(CASES)('$what', async ({ answer, message, next, requests = 1, ofLists }) => {
	for (const { type, operation } of await operations()) {
		const isList = !['get', 'exportByIds'].includes(operation);
		if (ofLists && !isList) continue;
		server.script((_, response) => void answer(response));
		const credential = { ...credentialFor({ baseUrl: server.baseUrl, key: '' }), apiKey: ownKey() };
		const { error } = await runNode({ type, credential, parameters: { ...PARAMETERS, operation } });
		const seen = { message: error?.message, next: error?.description, requests: server.received.length };
		expect({ type, operation, ...seen }).toEqual({
			// A list of unknown shape is asked for in another way where it refuses its first page.
			...{ type, operation, requests: ofLists ? (expect.any(Number) as number) : requests },
			message: expect.stringMatching(message) as string,
			next: expect.stringMatching(next) as string,
		});
	}
});
