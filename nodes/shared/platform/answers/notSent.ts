import { DateTime } from 'luxon';

import { lengthInWords } from '../../text';
import type { AccountKind, PlatformOptions } from '../types';
import { PlatformError } from './errors';

/** Why a request waits or is not sent. Times in milliseconds from now. */
interface Held {
	/** What the platform said. */
	refusal: PlatformError;
	/** Until the next request is possible. */
	untilMs: number;
	/** Until the time that the platform asked for. */
	askedMs: number;
}

/** Who wanted to send it. */
interface Sender {
	account: AccountKind;
	/** How long the request has waited already, in milliseconds. */
	waitedMs: number;
	caller: { isEditor: boolean; zone: string; options: PlatformOptions };
}

/** The same refusal for a further request. A copy, because callers set `rowsRead` on it. */
export function repeated(refusal: PlatformError): PlatformError {
	return new PlatformError(refusal.kind, refusal.message, refusal);
}

/** The error for a request that is not sent because the credential is held. */
export function notSent({ refusal, untilMs, askedMs }: Held, { account, waitedMs, caller }: Sender): PlatformError {
	const { isEditor, zone, options } = caller;
	const { kind, status, message } = refusal;
	const retryAt = Date.now() + untilMs;
	const until = DateTime.fromMillis(retryAt, { zone }).toFormat('yyyy-MM-dd HH:mm:ss (ZZZZ)');
	const details = { status, retryAfterMs: untilMs, askedMs, retryAt };
	if (kind === 'license-inactive') {
		return new PlatformError(kind, message, {
			...details,
			description: `The platform said so before, so nothing was sent this time. The next request is possible at ${until}. Ask your billing contact; the same key works again when the license is active and paid.`,
		});
	}
	if (isEditor) {
		return new PlatformError(kind, `${message}, try again in ${lengthInWords(untilMs)}`, {
			...details,
			description: 'The platform accepts no requests until then. Waiting workflows continue automatically.',
		});
	}
	const waited = waitedMs < 1_000 ? '' : `This request has waited ${lengthInWords(waitedMs)} in all. `;
	const raise = `Raise Max Rate Limit Wait in Options (now ${lengthInWords(options.maxRateLimitWaitMs)} for each request)`;
	const limit = account === 'apiKey' ? "the limit of the key's subscription" : 'the limit';
	const orElse =
		kind === 'rate-limited'
			? `, run the workflow later, or ask a company admin about ${limit}`
			: ', or run the workflow later';
	return new PlatformError(
		kind,
		`The platform asks to wait ${lengthInWords(askedMs)}, longer than this node may wait`,
		{
			...details,
			description: `${waited}${message}, so nothing is sent until ${until}. ${raise}${orElse}.`,
		},
	);
}
