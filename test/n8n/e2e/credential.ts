import assert from 'node:assert/strict';
import { it } from 'node:test';

import { credentialOf, type Pair } from '../showcase.ts';

/** Tests a saved credential through n8n's API, as its dialog does. */
export function credentialTests(pair: Pair): void {
	const answer = async (key: string) => await pair.n8n.testCredential((await credentialOf(pair, 'tried', key)).id);

	it('an accepted key passes, and what it may read is said', async () => {
		const { status, message } = await answer(pair.platform.key);
		assert.equal(status, 'OK');
		assert.match(message, /Reached the test environment .* can read charging sessions and charging stations\./);
	});

	it('an unknown key does not pass, and the reason is said', async () => {
		const { status, message } = await answer('never-created');
		assert.equal(status, 'Error');
		assert.match(message, /does not accept this API key.*mistyped, revoked/);
	});
}
