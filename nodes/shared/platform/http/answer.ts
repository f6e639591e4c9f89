import type { Query } from '../../dsquery/types';
import { parseJson } from '../answers/json';
import { describeRefusal } from '../answers/refusals';
import { retryAfterMs } from '../answers/retryAfter';
import { damaged, notJson, tooLarge } from '../answers/unusable';
import type { Access, Answer, Endpoint, JsonAnswer } from '../types';
import type { Received } from './send';

const MEGABYTE = 1024 ** 2;

/** 204 says that there is nothing. Some frameworks answer every POST with 201, and proxies change 200 to 203. */
const ANSWERED: ReadonlySet<number> = new Set([200, 201, 203, 204]);
/** What may say when to come back. */
const WAITS: ReadonlySet<number> = new Set([403, 429, 503]);

/** One request, as the endpoints describe it. */
export interface RequestSpec {
	endpoint: Endpoint;
	query?: Query;
	/** JSON of a POST. */
	body?: string;
	/** A failure that may pass is left as it is. */
	isAskedOnce?: true;
}

/** What is read of an answer. */
export function mostBytesOf({ kind }: Endpoint): number {
	return (kind === 'export' ? 32 : 8) * MEGABYTE;
}

export function answerOf(
	{ endpoint, query }: RequestSpec,
	{ status, headers, bytes }: Received,
	{ account, environment, baseUrl, secrets }: Access,
): Answer {
	return {
		account,
		environment,
		baseUrl,
		secrets,
		endpoint,
		query,
		status,
		headers,
		body: bytes.toString(),
		retryAfterMs: WAITS.has(status) ? retryAfterMs(headers) : undefined,
	};
}

/** Reads a JSON answer. @throws PlatformError if it is a refusal, too long, or no JSON */
export function jsonAnswer(spec: RequestSpec, received: Received, access: Access): JsonAnswer {
	const answer = answerOf(spec, received, access);
	refuseUnusable(answer, received);
	const json = answer.body.trim() === '' ? null : parseJson(answer.body);
	if (json === undefined) throw notJson(answer);
	return { ...answer, json };
}

/** A file, whatever its content type: its reader checks what it is. @throws PlatformError if it is a refusal, or too long */
export function fileAnswer(spec: RequestSpec, received: Received, access: Access): Buffer {
	const { status, bytes, isWhole } = received;
	if (!ANSWERED.has(status) || !isWhole) refuseUnusable(answerOf(spec, received, access), received);
	return bytes;
}

function refuseUnusable(answer: Answer, { status, isWhole }: Received): void {
	if (!ANSWERED.has(status)) throw status < 300 ? damaged(answer, `it has status ${status}`) : describeRefusal(answer);
	if (!isWhole) throw tooLarge(answer, mostBytesOf(answer.endpoint) / MEGABYTE);
}
