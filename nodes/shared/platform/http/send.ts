import type { IHttpRequestOptions } from 'n8n-workflow';

import { canceled } from '../answers/errors';
import { networkFailure, timedOut } from '../answers/networkFailure';
import { settle } from '../settle';

/** One of n8n's helpers, with whatever authentication it adds. */
export type SendRequest = (request: IHttpRequestOptions, signal: AbortSignal) => Promise<unknown>;

/** What goes over the wire. */
export interface WireRequest {
	url: string;
	method: 'GET' | 'POST';
	headers: Record<string, string>;
	qs?: IHttpRequestOptions['qs'];
	body?: IHttpRequestOptions['body'];
}

export interface SendLimits {
	/** Longest time from sending to the last byte, in milliseconds. */
	timeoutMs: number;
	/** Stops the request together with the execution. */
	signal?: AbortSignal;
	/** Texts that must not appear in a message. */
	secrets: readonly string[];
	/** The part of the query that makes the URL long, if it is. */
	longPart?: string;
}

/** An answer whose headers have arrived. Its chunks must be read, at least in part: that ends the request. */
export interface Received {
	status: number;
	/** Lower-case names. */
	headers: Record<string, unknown>;
	/** The body as it arrives. Ends with a PlatformError when it breaks off or takes too long. */
	chunks: AsyncGenerator<Buffer, void>;
	/** A parsed body, from a host that stands in for the platform while workflows are tried out. */
	parsed?: object;
}

/**
 * Sends one request and returns its answer whatever its status. The only way to the network for lists, files, the
 * sign-in and the credential test. n8n's own timeout only detects inactivity, so the request is ended here when its
 * time is up, even if bytes keep trickling in, and when the execution is stopped.
 *
 * @throws PlatformError when no answer came
 */
export async function send(sendRequest: SendRequest, wire: WireRequest, limits: SendLimits): Promise<Received> {
	const { timeoutMs, signal, secrets, longPart } = limits;
	const { host } = new URL(wire.url);
	const controller = new AbortController();
	const time = AbortSignal.timeout(timeoutMs);
	const answer: { body?: unknown } = {};
	let giveUp = (): void => undefined;
	const stopped = new Promise<void>((resolve) => (giveUp = resolve));
	const stop = () => {
		controller.abort();
		discard(answer.body);
		giveUp();
	};
	time.addEventListener('abort', stop);
	signal?.addEventListener('abort', stop);
	// Otherwise the timer keeps all that was received in memory until it fires, for thousands of requests.
	const release = () => {
		time.removeEventListener('abort', stop);
		signal?.removeEventListener('abort', stop);
	};
	const failureOf = (thrown: unknown) => {
		if (signal?.aborted) return canceled();
		return time.aborted ? timedOut(host, timeoutMs) : networkFailure(thrown, host, secrets, longPart);
	};

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
	const sending = sendRequest(request, controller.signal).then((answered) => {
		const full = answered as FullAnswer;
		answer.body = full.body;
		// The reader handles errors; before it starts, or where nobody reads, an unhandled one would crash n8n.
		if (isStream(full.body)) full.body.on('error', () => undefined);
		// Some helpers ignore the signal: what they bring later is no longer wanted.
		if (controller.signal.aborted) discard(full.body);
		return full;
	});
	const outcome = await settle(Promise.race([sending, stopped]));
	if (!outcome.ok || outcome.value === undefined) {
		release();
		throw failureOf(outcome.ok ? undefined : outcome.error);
	}
	const full = outcome.value;
	const { body } = full;
	const received = { status: full.statusCode, headers: full.headers ?? {}, chunks: chunksOf(body, release, failureOf) };
	if (typeof body !== 'object' || body === null || isStream(body) || Buffer.isBuffer(body)) return received;
	release();
	return { ...received, parsed: body };
}

/** The text of an answer. */
export interface ReceivedText {
	text: string;
	isWhole: boolean;
	/** Some bytes are no text in the encoding that the answer names, or in UTF-8: U+FFFD stands for them. */
	isGarbled: boolean;
}

/** Reads at most `mostBytes` of an answer as text, in the charset that it names, then ends the request. */
export async function readText({ chunks, headers }: Received, mostBytes: number): Promise<ReceivedText> {
	const parts: Buffer[] = [];
	let size = 0;
	for await (const chunk of chunks) {
		parts.push(chunk);
		size += chunk.length;
		if (size > mostBytes) break;
	}
	const bytes = Buffer.concat(parts).subarray(0, mostBytes);
	const decoder = decoderFor(headers['content-type']);
	const text = decoder.decode(bytes);
	return { text, isWhole: size <= mostBytes, isGarbled: text.includes('\uFFFD') && !isValid(bytes, decoder.encoding) };
}

/** Whether the bytes are text in this encoding. U+FFFD, which stands for what is none, may itself have come. */
function isValid(bytes: Buffer, encoding: string): boolean {
	try {
		new TextDecoder(encoding, { fatal: true }).decode(bytes);
		return true;
	} catch {
		return false;
	}
}

/** For the charset of a content type: UTF-8 where it names none, or one that nobody knows. */
function decoderFor(contentType: unknown) {
	const charset = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(String(contentType).slice(0, 1000))?.[1];
	try {
		return new TextDecoder(charset);
	} catch {
		return new TextDecoder();
	}
}

type Stream = AsyncIterable<Buffer> & { destroy(): void; on(event: 'error', listener: () => void): void };

/** What n8n's helpers return. */
interface FullAnswer {
	statusCode: number;
	headers?: Record<string, unknown>;
	body: unknown;
}

/** Ends the connection of an answer that nobody reads. */
function discard(body: unknown): void {
	if (isStream(body)) body.destroy();
}

function isStream(body: unknown): body is Stream {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body && 'destroy' in body;
}

async function* chunksOf(
	body: unknown,
	release: () => void,
	failureOf: (thrown: unknown) => Error,
): AsyncGenerator<Buffer, void> {
	try {
		if (isStream(body)) yield* body;
		else if (Buffer.isBuffer(body)) yield body;
		else if (typeof body === 'string') yield Buffer.from(body);
	} catch (thrown) {
		throw failureOf(thrown);
	} finally {
		release();
	}
}
