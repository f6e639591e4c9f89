import type { Query } from '../../dsquery/types';
import { parseJson } from '../answers/parseJson';
import { describeRefusal, type Refusal } from '../answers/refusals';
import { retryAfterMs } from '../answers/retryAfter';
import { damaged, notJson, tooLarge, type Answer } from '../answers/unusable';
import type { Endpoint } from '../types';
import type { Received } from './send';

/** What is read of a page, and of a part of a CSV file, in bytes. */
export const MAX_ANSWER_BYTES = 8 * 1024 ** 2;
export const MAX_FILE_BYTES = 32 * 1024 ** 2;

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
}

/** Of whom an answer is, to explain it. */
type Sender = Pick<Refusal, 'baseUrl' | 'environment' | 'account' | 'secrets'>;

/** An answer with what is needed to explain it. */
export function asRefusal(
	{ endpoint, query }: RequestSpec,
	{ status, headers, bytes }: Received,
	{ baseUrl, environment, account, secrets }: Sender,
): Refusal {
	return {
		...{ status, headers, endpoint, query, baseUrl, environment, account, secrets },
		body: bytes.toString(),
		retryAfterMs: WAITS.has(status) ? retryAfterMs(headers) : undefined,
	};
}

/** Reads a JSON answer. @throws PlatformError if it is a refusal, too long, or no JSON */
export function jsonAnswer(spec: RequestSpec, received: Received, sender: Sender): Answer {
	const refusal = asRefusal(spec, received, sender);
	refuseStatus(refusal);
	if (!received.isWhole) throw tooLarge(refusal, MAX_ANSWER_BYTES);
	const body = refusal.body.trim() === '' ? null : parseJson(refusal.body);
	if (body === undefined) throw notJson(refusal);
	return { body, asRefusal: refusal };
}

/** Reads a file, whatever its content type: its reader checks what it is. @throws PlatformError if it is a refusal */
export function fileAnswer(spec: RequestSpec, received: Received, sender: Sender): Buffer {
	if (!ANSWERED.has(received.status)) refuseStatus(asRefusal(spec, received, sender));
	return received.bytes;
}

function refuseStatus(refusal: Refusal): void {
	const { status } = refusal;
	if (ANSWERED.has(status)) return;
	throw status < 300 ? damaged(refusal, `it has status ${status}`) : describeRefusal(refusal);
}
