import { DateTime } from 'luxon';

import { SECOND_MS } from '../../dsquery/values/durations';
import { formatDuration } from '../../text';
import type { Caller, PlatformOptions } from '../types';
import { PlatformError } from './errors';

/** A request that is not sent. */
interface BlockedRequest {
	/** What the platform said. */
	refusal: PlatformError;
	/** Whether that was about the account itself. */
	isOfAccount: boolean;
	/** Until the next request is possible, in milliseconds; 0 while another one is tried, which has no answer yet. */
	untilMs: number;
	/** How long its caller has waited for an answer already, in milliseconds. */
	waitedMs: number;
}

/** The error for a request that is not sent because its credential is held. */
export function notSentError(
	{ isEditor, zone, options }: Caller,
	{ refusal, isOfAccount, untilMs, waitedMs }: BlockedRequest,
): PlatformError {
	const { kind, status, message, advice } = refusal;
	const retryAt = Date.now() + untilMs;
	const until = DateTime.fromMillis(retryAt, { zone });
	const time = until.isValid ? until.toFormat('yyyy-MM-dd HH:mm:ss (ZZZZ)') : 'a date far ahead';
	const say = (what: string, description: string) =>
		new PlatformError(kind, what, { status, retryAfterMs: untilMs, retryAt, description, advice });
	if (isOfAccount) {
		return say(
			message,
			`The platform said so before, so nothing was sent this time. The next request is possible at ${time}. ${refusal.description}`,
		);
	}
	if (untilMs === 0) {
		return say(
			`${message}, and the platform has not answered since`,
			`It has waited ${formatDuration(waitedMs)} while another request with the same credential was tried, so nothing was sent. Run it again when the platform answers.`,
		);
	}
	if (isEditor) {
		return say(
			`${message}, try again in ${formatDuration(untilMs)}`,
			'The platform accepts no requests until then. Waiting workflows continue automatically.',
		);
	}
	const waited = waitedMs < SECOND_MS ? '' : `It has waited ${formatDuration(waitedMs)} already. `;
	return say(
		`The platform asks to wait ${formatDuration(untilMs)}, longer than this node may wait`,
		`${waited}${message}, so nothing is sent until ${time}. ${nextStep(options, kind === 'rate-limited')}`,
	);
}

/** What may be done about a wait that is too long. @param isLimit whether it is about the limit of the key */
function nextStep({ maxRateLimitWaitMs: longestMs, poll }: PlatformOptions, isLimit: boolean): string {
	const now = `now ${formatDuration(longestMs)}`;
	if (!poll) {
		const orElse = isLimit
			? ', run the workflow later, or ask a company admin about the limit'
			: ', or run the workflow later';
		return `Raise Max Rate Limit Wait in Options (${now})${orElse}.`;
	}
	const cap = formatDuration(poll.maxRateLimitWaitMs);
	const isCapped = longestMs >= poll.maxRateLimitWaitMs;
	const waits = isCapped
		? `A poll waits ${cap} at most, whatever Max Rate Limit Wait is, and the next poll goes on.`
		: `Raise Max Rate Limit Wait in Options (${now}; a poll waits ${cap} at most). The next poll goes on.`;
	return isLimit ? `${waits} Give the trigger a key of its own, or ask a company admin about the limit.` : waits;
}
