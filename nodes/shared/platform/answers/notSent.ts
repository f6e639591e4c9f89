import { DateTime } from 'luxon';

import { lengthInWords } from '../../dsquery/values/durations';
import type { AccountKind, PlatformOptions } from '../types';
import { PlatformError } from './errors';
import { ACCOUNT_NAMES } from './refusals';

/** Why a request waits or is not sent. Times in milliseconds from now. */
interface Held {
	reason: 'rate-limited' | 'license-inactive';
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
export function notSent({ reason, untilMs, askedMs }: Held, { account, waitedMs, caller }: Sender): PlatformError {
	const { isEditor, zone, options } = caller;
	const retryAt = Date.now() + untilMs;
	const until = DateTime.fromMillis(retryAt, { zone }).toFormat('yyyy-MM-dd HH:mm:ss (ZZZZ)');
	const details = { retryAfterMs: untilMs, askedMs, retryAt };
	const name = ACCOUNT_NAMES[account];
	if (reason === 'license-inactive') {
		return new PlatformError(reason, 'The API license of your organization is not active', {
			...details,
			description: `The platform said so before, so nothing was sent this time. The next request is possible at ${until}. Ask your billing contact; the same key works again when the license is active and paid.`,
			status: 403,
		});
	}
	if (isEditor) {
		return new PlatformError(
			reason,
			`The rate limit of the ${name} is used up, try again in ${lengthInWords(untilMs)}`,
			{
				...details,
				description: 'The platform accepts no requests until then. Waiting workflows continue automatically.',
				status: 429,
			},
		);
	}
	const waited = waitedMs < 1_000 ? '' : `This request has waited ${lengthInWords(waitedMs)} in all. `;
	const limit = account === 'apiKey' ? "the limit of the key's subscription" : 'the limit';
	return new PlatformError(
		reason,
		`The platform asks to wait ${lengthInWords(askedMs)}, longer than this node may wait`,
		{
			...details,
			description: `${waited}The rate limit of the ${name} is used up, so nothing is sent until ${until}. Raise Max Rate Limit Wait in Options (now ${lengthInWords(options.maxRateLimitWaitMs)} for each request), run the workflow later, or ask a company admin about ${limit}.`,
			status: 429,
		},
	);
}
