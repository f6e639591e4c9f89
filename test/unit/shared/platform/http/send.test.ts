import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';

import { sendRequest } from '../../../../../nodes/shared/platform/http/send';
import { callerOf, errorOf } from '../../../../support/scriptedConnection.ts';

it('an answer that arrives after its execution was stopped is ended, and may break off without a crash of n8n', async () => {
	const body = new PassThrough();
	const stop = new AbortController();
	const late = new EventEmitter();
	// A helper that ignores the signal.
	const helper = async () => (await once(late, 'answer'))[0] as unknown;
	const caller = callerOf({ send: helper, signal: stop.signal });
	const sending = sendRequest(caller, { url: 'http://127.0.0.1:9/api', method: 'GET', headers: {} }, 10, []);
	stop.abort();
	await errorOf(sending);
	late.emit('answer', { statusCode: 200, headers: {}, body });
	await once(body, 'close');
	// Without a listener this throws.
	expect(body.emit('error', new Error('The connection broke off'))).toBe(true);
});
