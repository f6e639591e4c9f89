import { parseRefusalText } from './refusalText';
import { PlatformError } from './errors';
import { hostOf, interrupted, INTERRUPTED_ADVICE } from './refusalRules';
import { sanitizeText } from './safeText';
import type { PlatformAnswer } from '../types';

/**
 * The answer is one of the platform, but not what the endpoint promises.
 *
 * @param found what came, without secrets
 * @param transient the next answer may be whole
 */
export function damagedAnswerError(
	{ endpoint, status }: PlatformAnswer,
	found: string,
	transient?: true,
): PlatformError {
	return new PlatformError('invalid-answer', `The platform's answer cannot be used: ${found}`, {
		description: `The answer to the request for ${endpoint.plural} does not match the platform's specification. Try again; if this keeps happening, tell the platform's support or check your proxies.`,
		status,
		transient,
	});
}

/**
 * A gateway answered in place of the platform; the words are those of `interrupted`.
 *
 * @param check what may be wrong in the question
 */
export function interruptedError(
	what: string,
	of: string,
	{ status, check = '' }: { status?: number; check?: string } = {},
): PlatformError {
	return new PlatformError('invalid-answer', interrupted(what, of), {
		description: check + INTERRUPTED_ADVICE,
		status,
		transient: true,
	});
}

/** The answer is that of something else. */
export function notThePlatformError({ baseUrl, status }: PlatformAnswer, found: string): PlatformError {
	return new PlatformError('not-the-platform', `The server at ${hostOf(baseUrl)} is not the platform: ${found}`, {
		description: `Check the base URL in the credential (${baseUrl}). It may be that of the operator portal or another service, or a sign-in page or proxy may have answered instead.`,
		status,
	});
}

/** A 2xx answer whose text is no JSON. */
export function notJsonError(answer: PlatformAnswer): PlatformError {
	const { body, baseUrl, secrets } = answer;
	if (/^\s*[[{]/.test(body)) {
		return new PlatformError('invalid-answer', `The answer from ${hostOf(baseUrl)} was cut off or damaged`, {
			description:
				'Its JSON is incomplete or invalid. Try again later; if this keeps happening, check your proxies or lower Page Size in Options.',
			status: 200,
			transient: true,
		});
	}
	const { isWebPage, message = '' } = parseRefusalText(body);
	if (!isWebPage) return damagedAnswerError(answer, 'it is not JSON');
	const title = sanitizeText(message, secrets).slice(0, 80);
	return notThePlatformError(answer, title ? `got a web page, “${title}”` : 'got a web page');
}

/** An answer that was not read to its end. */
export function answerTooLargeError({ baseUrl, endpoint }: PlatformAnswer, megabytes: number): PlatformError {
	if (endpoint.kind === 'export') {
		return new PlatformError('too-large', `The platform sent more than ${megabytes} MB in one part of the export`, {
			description: 'Lower the option IDs per Request.',
		});
	}
	const smaller = endpoint.kind === 'list' ? ' Lower Page Size in Options, so that each answer is smaller.' : '';
	return new PlatformError('invalid-answer', `The answer of ${hostOf(baseUrl)} is larger than ${megabytes} MB`, {
		description: `It was not read to its end.${smaller}`,
		status: 200,
	});
}
