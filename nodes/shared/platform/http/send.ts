import type { IHttpRequestOptions } from 'n8n-workflow';

import { canceledError } from '../answers/errors';
import { networkFailureError, timeoutError } from '../answers/networkFailure';
import type { Caller } from '../types';
import { settle } from '../../settle';
import { rejectOnAbort, throwIfCanceled } from './pause';

/** What goes over the wire. */
export interface WireRequest {
	url: string;
	method: 'GET' | 'POST';
	headers: Record<string, string>;
	qs?: IHttpRequestOptions['qs'];
	body?: IHttpRequestOptions['body'];
}

export interface RawResponse {
	status: number;
	/** Lower-case names. */
	headers: Record<string, unknown>;
	bytes: Buffer;
	/** False if it was longer than may be read, and was cut there. */
	isWhole: boolean;
}

/** What is read of a refusal, and of the answer to a sign-in. */
export const MAX_REFUSAL_BYTES = 64 * 1024;

/**
 * Sends one request and returns its answer whatever its status. The only way to the network. n8n's own timeout only
 * detects inactivity, so the request is ended here when its time is up, even if bytes keep trickling in, and when the
 * execution is stopped.
 *
 * @param mostBytes how much of an answer is read
 * @param secrets texts that must not appear in a message
 * @throws PlatformError when no complete answer came
 */
export async function sendRequest(
	caller: Pick<Caller, 'send' | 'signal' | 'options'>,
	wire: WireRequest,
	mostBytes: number,
	secrets: readonly string[],
): Promise<RawResponse> {
	const { signal } = caller;
	const { timeoutMs } = caller.options;
	throwIfCanceled(signal);
	const { host } = new URL(wire.url);
	const controller = new AbortController();
	const time = AbortSignal.timeout(timeoutMs);
	const ends = [time, ...(signal ? [signal] : [])];
	const stop = () => controller.abort();
	for (const end of ends) end.addEventListener('abort', stop);

	const request: IHttpRequestOptions = {
		...wire,
		// As a stream, to stop reading at a limit even where a few bytes unpack to many.
		encoding: 'stream',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// A redirect would hand the key, the token or the password to another host.
		disableFollowRedirect: true,
		// A little longer than our own timeout, so that ours fires first.
		timeout: timeoutMs + 1_000,
		abortSignal: controller.signal,
	};
	// Some helpers ignore the signal, so their answer is not waited for.
	const reading = readAll(caller.send(request, controller.signal), mostBytes, controller.signal);
	const outcome = await settle(rejectOnAbort(reading, controller.signal));
	// Otherwise the timer keeps all that was received in memory until it fires, for thousands of requests.
	for (const end of ends) end.removeEventListener('abort', stop);
	if (outcome.ok) return outcome.value;
	if (signal?.aborted) throw canceledError();
	throw time.aborted ? timeoutError(host, caller.options) : networkFailureError(outcome.error, host, secrets);
}

type ResponseStream = AsyncIterable<Buffer> & { destroy(): void; on(event: 'error', listener: () => void): void };

async function readAll(answered: Promise<unknown>, mostBytes: number, stop: AbortSignal): Promise<RawResponse> {
	// What n8n's helpers return.
	const answer = (await answered) as { statusCode: number; headers?: Record<string, unknown>; body: unknown };
	const { statusCode: status, headers = {}, body } = answer;
	if (!isStream(body)) return { status, headers, bytes: bytesOf(body), isWhole: true };
	// Without a listener, what breaks before it is read would crash n8n.
	body.on('error', () => undefined);
	stop.addEventListener('abort', () => body.destroy());
	if (stop.aborted) body.destroy();
	const most = status >= 200 && status < 300 ? mostBytes : MAX_REFUSAL_BYTES;
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of body) {
		chunks.push(chunk);
		size += chunk.length;
		if (size > most) break;
	}
	return { status, headers, bytes: Buffer.concat(chunks), isWhole: size <= most };
}

function isStream(body: unknown): body is ResponseStream {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body;
}

/** A body that came whole, or parsed, from a host that stands in for the platform while workflows are tried out. */
function bytesOf(body: unknown): Buffer {
	if (Buffer.isBuffer(body)) return body;
	if (typeof body === 'string') return Buffer.from(body);
	return Buffer.from(body === undefined ? '' : JSON.stringify(body));
}
