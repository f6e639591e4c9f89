import type { ICredentialDataDecryptedObject, IDataObject, IHttpRequestHelper } from 'n8n-workflow';

import { MINUTE_MS } from '../../dsquery/values/durations';
import { isWebPage, readAnswerText, safeText, shownNames } from '../answers/answerText';
import { parseJson } from '../answers/parseJson';
import { PlatformError } from '../answers/errors';
import { describeRefusal, hostOf, isLicenseCode, type Refusal } from '../answers/refusals';
import type { Endpoint } from '../http/endpoint';
import { MAX_REFUSAL_BYTES, refusalOf } from '../http/readAnswer';
import { readText, send } from '../http/send';
import { settle } from '../settle';
import { readUserCredential, type UserSettings } from './credential';
import { conditionsOf, OWNER_FIELD, TOKEN_FIELD } from './session';
import { findToken } from './token';

/** POST /token: email address and password for a token (specification, Authentication, JWT). */
const SIGN_IN: Endpoint = { kind: 'sign-in', path: '/token', plural: 'tokens' };
/** Timeout of a sign-in that other nodes (HTTP Request) start, in milliseconds. */
const TIMEOUT_MS = MINUTE_MS;

const FIELD = 'the field Token Field of the credential';

/** Why a sign-in gave no token. Has no status, as n8n replaces the message of any error that has one. */
class SignInError extends Error {
	readonly description: string;

	constructor({ message, description }: PlatformError) {
		super(message);
		this.name = 'SignInError';
		this.description = description;
	}
}

/**
 * The credential's pre-authentication: signs in and returns the hidden fields that n8n stores.
 *
 * @throws SignInError, which contains no request: an HTTP client's error would contain the password
 */
export async function signInUser(
	{ httpRequest }: Pick<IHttpRequestHelper['helpers'], 'httpRequest'>,
	credentials: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const signedIn = await settle(signIn(httpRequest, credentials));
	if (signedIn.ok) return signedIn.value;
	const { error } = signedIn;
	if (!(error instanceof PlatformError)) throw error;
	const conditions = conditionsOf(credentials);
	if (conditions) conditions.failure = error;
	throw new SignInError(error);
}

async function signIn(
	httpRequest: IHttpRequestHelper['helpers']['httpRequest'],
	credentials: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const settings = readUserCredential(credentials);
	const { timeoutMs = TIMEOUT_MS, signal } = conditionsOf(credentials) ?? {};
	const received = await send(
		httpRequest,
		{
			url: settings.baseUrl + SIGN_IN.path,
			method: 'POST',
			headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
			body: { Email: settings.email, Password: settings.password },
		},
		{ timeoutMs, signal, secrets: settings.secrets },
	);
	const { text } = await readText(received, MAX_REFUSAL_BYTES);
	const token = readSignIn({ ...received, body: received.parsed ?? text }, settings);
	return { [TOKEN_FIELD]: token, [OWNER_FIELD]: settings.ownerOf(token) };
}

/**
 * Reads the token.
 *
 * @throws PlatformError that says why there is none. It holds neither the password nor any value of the answer.
 */
export function readSignIn(
	{ status, headers, body }: Pick<Refusal, 'status' | 'headers' | 'body'>,
	settings: UserSettings,
): string {
	const { secrets } = settings;
	const refusal = refusalOf({ endpoint: SIGN_IN }, { status, headers, body }, settings);
	if (status === 202) throw twoFactor();
	if (status === 400 || status === 401 || status === 403 || status === 422) {
		const { code, message, isWebPage: isPage } = readAnswerText(body);
		if (!isPage && !isLicenseCode(code)) throw refused(settings, status, safeText(message ?? '', secrets));
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
	return new PlatformError('unauthorized', 'The platform does not accept this email address and password', {
		description: `Check both in the credential, and that the user belongs to the ${environment} environment. Signing in to the operator portal with them shows whether they are right; nothing is tried again, so that the account is not locked.${quote}`,
		status,
	});
}

function noToken(settings: UserSettings, status: number, body: unknown, fields: readonly string[]): PlatformError {
	const { baseUrl, answerField, secrets } = settings;
	const text = typeof body === 'string' ? body.trim() : undefined;
	const kind = 'invalid-answer';
	if (text === '' || body === undefined || body === null) {
		return new PlatformError(kind, `${hostOf(baseUrl)} accepted the sign-in but its answer is empty`, {
			description: 'A token was expected. Check the base URL in the credential and your proxy settings.',
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
	const names = shownNames(fields, secrets);
	const message =
		answerField === ''
			? 'The platform’s answer to the sign-in has no field with a usual name for the token'
			: `The platform’s answer to the sign-in has no text in “${safeText(answerField, secrets)}”`;
	return new PlatformError(kind, message, {
		description: `These fields are there: ${names}. If one of them is the token, enter its name in ${FIELD}${answerField === '' ? '' : ', or clear that field to try the usual names'}.`,
		status,
	});
}
