import type { IDataObject } from 'n8n-workflow';

import { isWebPage, parseJson, readAnswerText, safeText } from '../answers/answerText';
import type { UserSettings } from './credential';
import type { Endpoint } from '../http/endpoint';
import { PlatformError } from '../answers/errors';
import { describeRefusal, hostOf } from '../answers/refusals';
import { retryAfterMs } from '../answers/retryAfter';
import { findToken } from './token';

/** POST /token: e-mail address and password for a token (specification, Authentication, JWT). */
export const SIGN_IN: Endpoint = { kind: 'sign-in', path: '/token', plural: 'tokens' };

const FIELD = 'the field Token Field of the credential';

/** The body of a sign-in, as the specification writes it. */
export function signInBody({ email, password }: UserSettings): IDataObject {
	return { Email: email, Password: password };
}

/** An answer to a sign-in, whatever its status. */
export interface SignInAnswer {
	status: number;
	/** Lower-case names. */
	headers: Record<string, unknown>;
	/** Text, or what the host has already parsed. */
	body: unknown;
}

/**
 * Reads the token.
 *
 * @throws PlatformError that says why there is none. It holds neither the password nor any value of the answer.
 */
export function readSignIn({ status, headers, body }: SignInAnswer, settings: UserSettings): string {
	const { environment, baseUrl, secrets } = settings;
	const refusal = {
		status,
		headers,
		body: body ?? '',
		endpoint: SIGN_IN,
		baseUrl,
		environment,
		account: 'signedInUser' as const,
		secrets,
		retryAfterMs: status === 429 || status >= 500 ? retryAfterMs(headers) : undefined,
	};
	if (status === 202) throw twoFactor();
	if (status === 429) throw rateLimited(refusal.retryAfterMs);
	if (status === 400 || status === 401 || status === 403 || status === 422) {
		const { code, message, isWebPage: isPage } = readAnswerText(body);
		if (!isPage && !/licen[cs]e/i.test(`${code}`)) throw refused(settings, status, safeText(message ?? '', secrets));
	}
	if (status < 200 || status > 299) throw describeRefusal(refusal);
	if (typeof body === 'string' && isWebPage(body)) throw describeRefusal(refusal);

	const found = findToken(body, settings.answerField);
	if ('token' in found) return found.token;
	throw noToken(settings, status, body, found.fields);
}

function twoFactor(): PlatformError {
	return new PlatformError('unauthorized', 'This account asks for a second factor, so it cannot be used unattended', {
		description:
			'The platform wants somebody to enter a code, which a workflow cannot do. Use an API key, or a user without two-factor sign-in.',
		status: 202,
	});
}

function refused({ environment }: UserSettings, status: number, said: string): PlatformError {
	const quote = said === '' ? '' : ` The platform says: “${said}”`;
	return new PlatformError('unauthorized', 'The platform does not accept this e-mail address and password', {
		description: `Check both in the credential, and that the user belongs to the ${environment} environment. Signing in to the operator portal with them shows whether they are right; nothing is tried again, so that the account is not locked.${quote}`,
		status,
	});
}

function rateLimited(waitMs: number | undefined): PlatformError {
	return new PlatformError('rate-limited', 'The platform allows no more sign-ins at the moment', {
		description:
			waitMs === undefined
				? 'Try again a little later.'
				: `It asks to wait ${Math.ceil(waitMs / 1_000)} s before the next one.`,
		status: 429,
		retryAfterMs: waitMs,
	});
}

function noToken(settings: UserSettings, status: number, body: unknown, fields: readonly string[]): PlatformError {
	const { baseUrl, answerField, secrets } = settings;
	const text = typeof body === 'string' ? body.trim() : undefined;
	const kind = 'invalid-answer';
	if (text === '' || body === undefined || body === null) {
		return new PlatformError(kind, `${hostOf(baseUrl)} accepted the sign-in but its answer is empty`, {
			description: 'A token was expected. Check the base URL in the credential, and look at proxies on the way.',
			status,
		});
	}
	if (fields.length === 0) {
		const isJson = text === undefined || parseJson(text) !== undefined;
		return new PlatformError(kind, `The answer of ${hostOf(baseUrl)} to the sign-in holds no token`, {
			description: `${isJson ? 'It is JSON without a field that has a value.' : 'It is neither JSON nor a token.'} Check the base URL in the credential.`,
			status,
		});
	}
	const names = safeText(fields.map((field) => field.slice(0, 60)).join(', '), secrets);
	const message =
		answerField === ''
			? 'The platform’s answer to the sign-in has no field with a usual name for the token'
			: `The platform’s answer to the sign-in has no text in “${safeText(answerField, secrets)}”`;
	return new PlatformError(kind, message, {
		description: `These fields are there: ${names}. If one of them is the token, write its name into ${FIELD}${answerField === '' ? '' : ', or empty it so that the usual names are tried'}.`,
		status,
	});
}
