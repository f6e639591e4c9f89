import { isWebPage, parseRefusalText } from '../answers/refusalText';
import { PlatformError } from '../answers/errors';
import { hostOf, isLicenseCode } from '../answers/refusalRules';
import { refusalError } from '../answers/refusals';
import { sanitizeText, formatFieldNames } from '../answers/safeText';
import { notJsonError } from '../answers/answerErrors';
import { createPlatformAnswer } from '../http/answer';
import { SIGN_IN } from '../http/endpoint';
import { MAX_REFUSAL_BYTES, sendRequest, type RawResponse, type WireRequest } from '../http/send';
import type { Caller } from '../types';
import type { UserSettings } from './credential';
import { findToken } from './findToken';

/** Statuses with which platforms refuse an email address and password. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 422]);

/**
 * Signs in with email address and password (specification, Authentication, JWT).
 *
 * @returns the token
 * @throws PlatformError that says why there is none. It holds neither the password nor any value of the answer.
 */
export async function signIn(settings: UserSettings, caller: Caller): Promise<string> {
	const { baseUrl, email, password, secrets } = settings;
	const wire: WireRequest = {
		url: baseUrl + SIGN_IN.path,
		method: 'POST',
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		body: { Email: email, Password: password },
	};
	return readToken(await sendRequest(caller, wire, MAX_REFUSAL_BYTES, secrets), settings);
}

/** Reads the answer to a sign-in. @throws PlatformError if it holds no token */
function readToken(received: RawResponse, settings: UserSettings): string {
	const { status } = received;
	const answer = createPlatformAnswer({ endpoint: SIGN_IN }, received, settings);
	const { body } = answer;
	if (status === 202) throw twoFactor();
	if (REFUSED.has(status)) {
		const { code, message = '', isWebPage: isPage } = parseRefusalText(body);
		if (!isPage && !isLicenseCode(code)) throw refused(settings, status, sanitizeText(message, settings.secrets));
	}
	if (status < 200 || status > 299) throw refusalError(answer);
	if (isWebPage(body)) throw notJsonError(answer);
	const found = findToken(body, settings.answerField);
	if ('token' in found) return found.token;
	throw noToken(settings, status, found.fields);
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
	return new PlatformError('unauthorized', 'The platform does not accept this email address and password', {
		description: `Check both in the credential, and that the user belongs to the ${environment} environment. Signing in to the operator portal with them shows whether they are right. So that the account is not locked, they are tried again in five minutes at the earliest, or when you run the workflow yourself.${quote}`,
		status,
	});
}

function noToken({ baseUrl, answerField, secrets }: UserSettings, status: number, fields: readonly string[]) {
	if (fields.length === 0) {
		return new PlatformError('invalid-answer', `The answer of ${hostOf(baseUrl)} to the sign-in holds no token`, {
			description: 'Check the base URL in the credential and your proxy settings.',
			status,
		});
	}
	const isNamed = answerField !== '';
	const lacks = isNamed ? `text in “${sanitizeText(answerField, secrets)}”` : 'field with a usual name for the token';
	const orElse = isNamed ? ', or clear that field to try the usual names' : '';
	return new PlatformError('invalid-answer', `The platform’s answer to the sign-in has no ${lacks}`, {
		description: `These fields are there: ${formatFieldNames(fields, secrets)}. If one of them is the token, enter its name in the field Token Field of the credential${orElse}.`,
		status,
	});
}
