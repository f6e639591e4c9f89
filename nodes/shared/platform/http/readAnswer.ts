import type { Query } from '../../dsquery/types';
import type { CredentialSettings } from '../account/credential';
import { parseLongJson } from '../answers/parseJson';
import { cutOff, describeRefusal, isAnswered, tooLarge, unexpectedAnswer } from '../answers/refusals';
import type { Answer, Refusal } from '../answers/refusals';
import { retryAfterMs } from '../answers/retryAfter';
import type { CsvStream } from '../types';
import type { Endpoint } from './endpoint';
import { readText, type Received, type WireRequest } from './send';

/** How much of a page, and of a refusal or a sign-in, is read. */
export const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
export const MAX_REFUSAL_BYTES = 64 * 1024;

/** One request, as the endpoints describe it. */
export interface RequestSpec {
	endpoint: Endpoint;
	query?: Query;
	body?: WireRequest['body'];
}

/** Reads the answer to a request. @throws PlatformError if it is not what was asked for */
export type ReadAnswer<Result> = (
	received: Received,
	spec: RequestSpec,
	settings: CredentialSettings,
) => Promise<Result>;

/** Reads a JSON answer. `read` checks that it has the right shape. */
export function readJson<Result>(read: (answer: Answer<unknown>) => Promise<Result>): ReadAnswer<Result> {
	return async (received, spec, settings) => {
		const { status, parsed } = received;
		const { baseUrl } = settings;
		const isOk = isAnswered(status) || status === 204;
		const { text, isWhole, isGarbled } = await readText(received, isOk ? MAX_ANSWER_BYTES : MAX_REFUSAL_BYTES);
		const refusal = refusalOf(spec, { ...received, body: parsed ?? text }, settings);
		if (isOk && parsed === undefined && text.trim() === '') return await read({ body: null, asRefusal: refusal });
		if (!isOk) throw describeRefusal(refusal);
		if (!isWhole) throw tooLarge(baseUrl, MAX_ANSWER_BYTES);
		const found = parsed ? { body: parsed } : await parseLongJson(text);
		if (found) return await read({ body: found.body, asRefusal: refusal, isGarbled });
		throw /^\s*[[{]/.test(text) ? cutOff(baseUrl) : describeRefusal(refusal);
	};
}

/** Reads a file as it arrives, whatever its content type: `read` checks what it is. */
export function readFile<Result>(read: (file: CsvStream) => Promise<Result>): ReadAnswer<Result> {
	return async (received, spec, settings) => {
		const { status, parsed, chunks } = received;
		// 204 says that there is no file.
		const isFile = isAnswered(status) || status === 204;
		if (isFile && parsed === undefined) return await read(chunks);
		const { text } = await readText(received, MAX_REFUSAL_BYTES);
		const refusal = refusalOf(spec, { ...received, body: parsed ?? text }, settings);
		if (!isFile) throw describeRefusal(refusal);
		throw unexpectedAnswer(refusal, 'invalid-answer', 'got JSON instead of a CSV file');
	};
}

/** An answer with what is needed to explain it. */
export function refusalOf(
	{ endpoint, query }: RequestSpec,
	{ status, headers, body }: Pick<Refusal, 'status' | 'headers' | 'body'>,
	{ baseUrl, environment, account, secrets }: CredentialSettings,
): Refusal {
	return {
		...{ status, headers, body, endpoint, query, baseUrl, environment, account, secrets },
		retryAfterMs: status === 429 || status === 403 || status >= 500 ? retryAfterMs(headers) : undefined,
	};
}
