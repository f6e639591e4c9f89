import assert from 'node:assert/strict';
import { it } from 'node:test';

import { CREDENTIAL_TYPE } from '../showcase.ts';
import type { Lab } from './lab.ts';

/** What is different from a good credential, and what its dialog says. */
const CASES: readonly [string, Record<string, string>, 'OK' | 'Error', RegExp][] = [
	['an accepted key', {}, 'OK', /Reached the test environment .* can read charging sessions and charging stations\./],
	['an unknown key', { apiKey: 'never-created' }, 'Error', /does not accept this API key.*mistyped, revoked/],
	['an address where nothing listens', { testUrl: 'http://127.0.0.1:9' }, 'Error', /127\.0\.0\.1:9 refused/],
];

/** Tests a saved credential through n8n's API, as its dialog does, with n8n's placeholder for the key. */
export function credentialTests(lab: () => Lab): void {
	for (const [name, fields, status, sentence] of CASES) {
		it(`${name}: ${status}`, async () => {
			const { n8n, platform } = lab();
			const data = { environment: 'test', testUrl: platform.baseUrl, apiKey: platform.key };
			const id = await n8n.createCredential(name, CREDENTIAL_TYPE, { ...data, ...fields });
			const saved = await n8n.savedCredential(id);
			assert.equal(JSON.stringify(saved).includes(platform.key), false, 'n8n gives the key away');
			const answer = await n8n.testCredential(name, CREDENTIAL_TYPE, saved.data, id);
			assert.match(answer.message, sentence);
			assert.equal(answer.status, status);
			assert.equal(answer.message.includes(platform.key), false, 'the message gives the key away');
		});
	}
}
