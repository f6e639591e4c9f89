import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { PlatformError } from '../answers/errors';
import { readText, send } from '../http/send';
import { settle } from '../settle';
import { readUserCredential } from './credential';
import { conditionsOf, OWNER_FIELD, storedToken, TOKEN_FIELD } from './session';
import { readSignIn, SIGN_IN, signInBody } from './signIn';

/** Longest time a sign-in may take that other nodes (HTTP Request) start, in milliseconds. */
const TIMEOUT_MS = 60_000;
/** No answer to a sign-in is longer. */
const MAX_BYTES = 64 * 1024;

/**
 * Why a sign-in gave no token. n8n puts generic words in place of the message of anything with a status, so this has
 * none.
 */
class SignInError extends Error {
	readonly description: string;

	constructor({ message, description }: PlatformError) {
		super(message);
		this.name = 'SignInError';
		this.description = description;
	}
}

/**
 * The credential's pre-authentication: signs in and gives the hidden fields that n8n stores.
 *
 * @throws SignInError, which holds nothing of the request: an HTTP client's error would hold the password
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
			body: signInBody(settings),
		},
		{ timeoutMs, signal, secrets: settings.secrets },
	);
	const { text } = await readText(received, MAX_BYTES);
	const token = readSignIn({ ...received, body: received.parsed ?? text }, settings);
	return { [TOKEN_FIELD]: token, [OWNER_FIELD]: settings.ownerOf(token) };
}

/**
 * Puts the token into a request. One that was given to another account or at another address is left out: n8n keeps it
 * when somebody edits the credential.
 */
export function authenticateUser(
	credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions,
): IHttpRequestOptions {
	const token = storedToken(credentials, readUserCredential(credentials).ownerOf);
	if (token === '') return request;
	return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } };
}
