import type { Query } from '../../dsquery/types';
import { parseJson } from '../answers/json';
import { refusalError } from '../answers/refusals';
import { retryAfterMs } from '../answers/retryAfter';
import { damagedAnswerError, notJsonError, answerTooLargeError } from '../answers/answerErrors';
import type { ConnectionInfo, PlatformAnswer, Endpoint, JsonAnswer } from '../types';
import type { RawResponse } from './send';

const MEGABYTE = 1024 ** 2;

/** 204 says that there is nothing. Some frameworks answer every POST with 201, and proxies change 200 to 203. */
const ANSWERED: ReadonlySet<number> = new Set([200, 201, 203, 204]);
/** Statuses whose answers may say when to ask again. */
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

/** How many bytes of an answer are read at most. */
export function mostBytesOf({ kind }: Endpoint): number {
	return (kind === 'export' ? 32 : 8) * MEGABYTE;
}

export function createPlatformAnswer(
	{ endpoint, query }: RequestSpec,
	{ status, headers, bytes }: RawResponse,
	{ account, environment, baseUrl, secrets, hasAnswered }: ConnectionInfo,
): PlatformAnswer {
	return {
		account,
		environment,
		baseUrl,
		secrets,
		hasAnswered,
		endpoint,
		query,
		status,
		headers,
		body: bytes.toString(),
		retryAfterMs: WAITS.has(status) ? retryAfterMs(headers) : undefined,
	};
}

/** Reads a JSON answer. @throws PlatformError if it is a refusal, too long, or no JSON */
export function jsonAnswer(spec: RequestSpec, received: RawResponse, access: ConnectionInfo): JsonAnswer {
	const answer = createPlatformAnswer(spec, received, access);
	refuseUnusable(answer, received);
	const json = answer.body.trim() === '' ? null : parseJson(answer.body);
	if (json === undefined) throw notJsonError(answer);
	return { ...answer, json };
}

/** A file, whatever its content type: its reader checks what it is. @throws PlatformError if it is a refusal, or too long */
export function fileAnswer(spec: RequestSpec, received: RawResponse, access: ConnectionInfo): Buffer {
	const { status, bytes, isWhole } = received;
	if (!ANSWERED.has(status) || !isWhole) refuseUnusable(createPlatformAnswer(spec, received, access), received);
	return bytes;
}

function refuseUnusable(answer: PlatformAnswer, { status, isWhole }: RawResponse): void {
	if (!ANSWERED.has(status))
		throw status < 300 ? damagedAnswerError(answer, `it has status ${status}`) : refusalError(answer);
	if (!isWhole) throw answerTooLargeError(answer, mostBytesOf(answer.endpoint) / MEGABYTE);
}
