import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';

import type { CredentialTestAnswer } from '../client.ts';
import { CREDENTIAL_TYPE } from '../showcase.ts';
import { freePort } from '../tools.ts';
import type { Lab } from './lab.ts';

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
	});

	it('an accepted key: says which environment it reached and what the key can read', async () => {
		assert.deepEqual(await test(), {
			status: 'OK',
			message: `Reached the test environment at ${lab().platform.baseUrl}. The key can read charging sessions and charging stations. To see what this platform does, run Charging Network List > Check Platform once.`,
		});
	});

	it('a key that lacks a scope passes, and the scope is named', async () => {
		const answer = await test({ apiKey: key(['charging-sessions:read']) });
		accepted(
			answer,
			/can read charging sessions\. .*lacks the scope charging-stations:read: .*company admin grants it/,
		);
	});

	it('an unknown key is refused', async () => {
		refused(await test({ apiKey: 'never-created' }), /does not accept this API key.*mistyped, revoked, or regenerated/);
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

	it('an address where nothing listens is reported', async () => {
		const port = await freePort();
		refused(
			await test({ testUrl: `http://127.0.0.1:${port}` }),
			new RegExp(`127\\.0\\.0\\.1:${port} refused the connection`),
		);
	});

	it('https to a port that speaks http is reported', async () => {
		const testUrl = lab().platform.baseUrl.replace('http:', 'https:');
		refused(await test({ testUrl }), /does not speak HTTPS on this port/);
	});

	const unusable: [string, Fields, RegExp][] = [
		['an empty base URL', { testUrl: '' }, /base URL of the test environment is empty.*https:\/\/host/],
		['plain http to another host', { testUrl: 'http://platform.example.com' }, /unencrypted.*Allow Plain HTTP/],
		['an empty key', { apiKey: '' }, /no API key/],
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
