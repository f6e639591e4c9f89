import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';

import { send } from '../../../../../nodes/shared/platform/http/send';
import { errorOf } from '../../../../support/scriptedServer';

const wire = { url: 'http://127.0.0.1:9/api', method: 'GET' as const, headers: {} };

it.each(['timeout', 'stop'] as const)(
	'an answer that arrives after a %s is ended, and may fail unnoticed',
	async (why) => {
		const body = new PassThrough();
		const stop = new AbortController();
		const late = new EventEmitter();
		const timeoutMs = why === 'timeout' ? 5 : 60_000;
		// A helper that ignores the signal.
		const sending = send(async () => (await once(late, 'answer'))[0] as unknown, wire, {
			...{ timeoutMs, mostBytes: 10, signal: stop.signal, secrets: [] },
		});
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
	await errorOf(send(answer, wire, { timeoutMs: 60_000, mostBytes: 10, signal: stop.signal, secrets: [] }));
	expect(body.destroyed).toBe(true);
});
