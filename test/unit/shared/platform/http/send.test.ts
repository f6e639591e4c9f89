import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';

import { send } from '../../../../../nodes/shared/platform/http/send';
import { errorOf } from '../../../../support/scriptedConnection.ts';

const wire = { url: 'http://127.0.0.1:9/api', method: 'GET' as const, headers: {} };
const patience = (timeoutMs: number) => ({ timeoutMs, maxRateLimitWaitMs: 0 });

it.each(['timeout', 'stop'] as const)(
	'an answer that arrives after a %s is ended, and may fail unnoticed',
	async (why) => {
		const body = new PassThrough();
		const stop = new AbortController();
		const late = new EventEmitter();
		const timeoutMs = why === 'timeout' ? 5 : 60_000;
		// A helper that ignores the signal.
		const answer = async () => (await once(late, 'answer'))[0] as unknown;
		const sending = send({ send: answer, signal: stop.signal, options: patience(timeoutMs) }, wire, 10, []);
		if (why === 'stop') stop.abort();
		await errorOf(sending);
		late.emit('answer', { statusCode: 200, headers: {}, body });
		await once(body, 'close');
		expect(body.destroyed).toBe(true);
		// Without a listener this throws.
		expect(body.emit('error', new Error('The connection broke off'))).toBe(true);
	},
);

it('a stop between an answer and its first byte ends it', async () => {
	const body = new PassThrough();
	const stop = new AbortController();
	const answer = async () => {
		await Promise.resolve();
		stop.abort();
		return { statusCode: 200, headers: {}, body };
	};
	await errorOf(send({ send: answer, signal: stop.signal, options: patience(60_000) }, wire, 10, []));
	expect(body.destroyed).toBe(true);
});
