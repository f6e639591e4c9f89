import assert from 'node:assert/strict';
import { it } from 'node:test';

import { CREDENTIAL_TYPE, type Pair } from '../showcase.ts';

/** Tests a saved credential through n8n's API, as its dialog does. */
export function credentialTests({ n8n, platform }: Pair): void {
	const answer = async (apiKey: string) => {
		const data = { environment: 'test', testUrl: platform.baseUrl, apiKey };
		return await n8n.testCredential(await n8n.createCredential('tried', CREDENTIAL_TYPE, data));
	};

	it('an accepted key passes, and what it may read is said', async () => {
		const { status, message } = await answer(platform.key);
		assert.equal(status, 'OK');
		assert.match(message, /Reached the test environment .* can read charging sessions and charging stations\./);
	});

	it('an unknown key does not pass, and the reason is said', async () => {
		const { status, message } = await answer('never-created');
		assert.equal(status, 'Error');
		assert.match(message, /does not accept this API key.*mistyped, revoked/);
	});
}
