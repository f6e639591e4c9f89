import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, it } from 'node:test';

import type { CredentialTestAnswer } from '../client.ts';
import { CREDENTIAL_TYPE } from '../showcase.ts';
import { freePort } from '../tools.ts';
import type { Lab } from './lab.ts';

/** What a portal or another service answers to every request. */
const ELSEWHERE = {
	'a web page': ['text/html', '<html><head><title>Operator Portal</title></head><body>Sign in</body></html>'],
	'another service': ['application/json', '{"name":"other","version":2}'],
} as const;

/** Fields that a test overrides. */
interface Fields {
	environment?: string;
	testUrl?: string;
	productionUrl?: string;
	apiKey?: string;
}

/** Saves and tests the credential through n8n's API, as its dialog does; each outcome has its own message. */
export function credentialTests(lab: () => Lab): void {
	const key = (scopes?: string[]) => lab().platform.createKey({ scopes }).secret;

	/** Saves a credential and tests it as the dialog does with a saved one, with n8n's placeholder for the key. */
	async function test(fields: Fields = {}): Promise<CredentialTestAnswer> {
		const { n8n, platform } = lab();
		const data = { environment: 'test', testUrl: platform.baseUrl, apiKey: key(), ...fields };
		const name = `Credential ${Math.random()}`;
		const id = await n8n.createCredential(name, CREDENTIAL_TYPE, data);
		const saved = await n8n.savedCredential(id);
		assert.equal(JSON.stringify(saved).includes(data.apiKey), false, 'n8n gives the key away');
		const answer = await n8n.testCredential(name, CREDENTIAL_TYPE, saved.data, id);
		assert.equal(answer.message.includes(data.apiKey), false, 'the message gives the key away');
		return answer;
	}

	afterEach(() => {
		const { platform } = lab();
		platform.license.active = true;
		platform.faults.clear();
		platform.behaviour.redirectTo = undefined;
	});

	it('an accepted key: says which environment it reached and what the key can read', async () => {
		assert.deepEqual(await test(), {
			status: 'OK',
			message: `Reached the test environment at ${lab().platform.baseUrl}. The key can read charging sessions and charging stations. To see what this platform does, run Charging Network List > Check Platform once.`,
		});
	});

	it('the production environment uses its own base URL', async () => {
		const { baseUrl } = lab().platform;
		const answer = await test({ environment: 'production', productionUrl: baseUrl, testUrl: 'http://127.0.0.1:1' });
		accepted(answer, new RegExp(`^Reached the production environment at ${baseUrl}`));
	});

	it('a key that lacks a scope passes, and the scope is named', async () => {
		const answer = await test({ apiKey: key(['charging-sessions:read']) });
		accepted(
			answer,
			/can read charging sessions\. .*lacks the scope charging-stations:read: .*company admin grants it/,
		);
	});

	it('readwrite includes read', async () => {
		const answer = await test({ apiKey: key(['charging-sessions:readwrite', 'charging-stations:readwrite']) });
		accepted(answer, /can read charging sessions and charging stations\. To see what this platform does, [^.]*\.$/);
	});

	it('a key that lacks both scopes passes, and both are named', async () => {
		const answer = await test({ apiKey: key([]) });
		accepted(answer, /lacks the scope charging-sessions:read and charging-stations:read/);
	});

	it('an unknown key is refused', async () => {
		refused(await test({ apiKey: 'never-created' }), /does not accept this API key.*mistyped, revoked, or regenerated/);
	});

	it('a revoked key is refused', async () => {
		const { id, secret } = lab().platform.createKey();
		lab().platform.revoke(id);
		refused(await test({ apiKey: secret }), /does not accept this API key.*revoked/);
	});

	it('the old secret of a regenerated key is refused, the new one accepted', async () => {
		const { id, secret } = lab().platform.createKey();
		const renewed = lab().platform.regenerate(id);
		refused(await test({ apiKey: secret }), /does not accept this API key.*regenerated/);
		accepted(await test({ apiKey: renewed }), /^Reached the test environment/);
	});

	it('an inactive license is reported', async () => {
		lab().platform.license.active = false;
		refused(await test(), /license of your organization is not active.*Ask your billing contact/);
	});

	it('a wrong path in the base URL is reported', async () => {
		const { baseUrl } = lab().platform;
		const answer = await test({ testUrl: `${baseUrl}/portal` });
		refused(answer, /API was not found at .*\/portal \(status 404\).*Check the base URL/);
	});

	for (const [name, [type, body]] of Object.entries(ELSEWHERE)) {
		it(`${name} instead of the platform is recognized`, async () => {
			const server = createServer((_, response) => response.writeHead(200, { 'content-type': type }).end(body));
			const testUrl = await listen(server);
			try {
				refused(await test({ testUrl }), /is not the platform: .*(Operator Portal|JSON with name, version)/);
			} finally {
				server.close();
			}
		});
	}

	it('a redirect is not followed', async () => {
		const { platform } = lab();
		platform.behaviour.redirectTo = 'https://portal.example.com/login';
		const answer = await test();
		refused(answer, /redirects to https:\/\/portal\.example\.com.*never sent to another address/);
	});

	it('an address where nothing listens is reported', async () => {
		const port = await freePort();
		refused(
			await test({ testUrl: `http://127.0.0.1:${port}` }),
			new RegExp(`127\\.0\\.0\\.1:${port} refused the connection`),
		);
	});

	it('a host name that does not exist is reported', async () => {
		const answer = await test({ testUrl: 'https://platform.invalid' });
		refused(answer, /The host platform\.invalid was not found.*typos/);
	});

	it('https to a port that speaks http is reported', async () => {
		const testUrl = lab().platform.baseUrl.replace('http:', 'https:');
		refused(await test({ testUrl }), /does not speak HTTPS on this port/);
	});

	it('an outage of the platform is reported', async () => {
		lab().platform.faults.add({ kind: 'status', status: 503, times: Infinity });
		refused(await test(), /cannot answer at the moment \(status 503\)/);
	});

	it('a used-up rate limit is reported with the time to wait', async () => {
		lab().platform.faults.add({ kind: 'status', status: 429, headers: { 'retry-after': '30' }, times: Infinity });
		refused(await test(), /rate limit of the API key is used up, try again in \d+ s/);
	});

	const unusable: [string, Fields, RegExp][] = [
		['an empty base URL', { testUrl: '' }, /base URL of the test environment is empty.*https:\/\/host/],
		['a base URL that is a word', { testUrl: 'production' }, /is not a web address/],
		['a base URL with ftp://', { testUrl: 'ftp://platform.example.com' }, /begins with ftp:\/\//],
		['a base URL with a password', { testUrl: 'https://me:pass@platform.example.com' }, /user name or password/],
		['plain http to another host', { testUrl: 'http://platform.example.com' }, /unencrypted.*Allow Plain HTTP/],
		['an empty key', { apiKey: '' }, /no API key/],
		['a key with quotation marks around it', { apiKey: '“quoted-key”' }, /character that cannot be sent/],
	];
	for (const [name, fields, sentence] of unusable) {
		it(`${name} is refused without a request`, async () => {
			const { n8n, platform, credential } = lab();
			const { requests } = platform;
			const before = requests.length;
			// Typed into a saved credential but not saved: n8n refuses to save some of these.
			const data = { environment: 'test', testUrl: platform.baseUrl, apiKey: key(), ...fields };
			refused(await n8n.testCredential(credential.name, CREDENTIAL_TYPE, data, credential.id), sentence);
			assert.equal(requests.length, before, 'a request was sent');
		});
	}

	it('a pasted API path is cut off, and the message says so', async () => {
		const answer = await test({ testUrl: ` ${lab().platform.baseUrl}/api/charging-sessions/v1?dsquery= ` });
		accepted(answer, /can read charging sessions.*ends with an API path, which was cut off/);
	});
}

function accepted({ status, message }: CredentialTestAnswer, sentence: RegExp): void {
	assert.match(message, sentence);
	assert.equal(status, 'OK');
}

function refused({ status, message }: CredentialTestAnswer, sentence: RegExp): void {
	assert.match(message, sentence);
	assert.equal(status, 'Error');
}

async function listen(server: Server): Promise<string> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
