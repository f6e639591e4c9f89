import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { readUserCredential } from './credential';
import type { UserSettings } from './credential';
import { canceled, PlatformError } from '../answers/errors';
import { networkFault } from '../answers/networkFault';
import { hostOf } from '../answers/refusals';
import { OWNER_FIELD, conditionsOf, storedToken, TOKEN_FIELD } from './session';
import { readSignIn, SIGN_IN, signInBody } from './signIn';

/** Longest time a sign-in may take that other nodes (HTTP Request) start, in milliseconds. */
const TIMEOUT_MS = 60_000;

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
	helpers: IHttpRequestHelper['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const signedIn = await signIn(helpers, credentials).then(
		(fields) => ({ fields }),
		(thrown: unknown) => ({ thrown }),
	);
	if ('fields' in signedIn) return signedIn.fields;
	const { thrown } = signedIn;
	if (!(thrown instanceof PlatformError)) throw thrown;
	const limits = conditionsOf(credentials);
	if (limits) limits.failure = thrown;
	throw new SignInError(thrown);
}

async function signIn(
	helpers: IHttpRequestHelper['helpers'],
	credentials: ICredentialDataDecryptedObject,
): Promise<IDataObject> {
	const limits = conditionsOf(credentials);
	const settings = readUserCredential(credentials);
	const request: IHttpRequestOptions = {
		url: settings.baseUrl + SIGN_IN.path,
		method: 'POST',
		headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
		body: signInBody(settings),
		encoding: 'text',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		// A redirect would hand the password to another host.
		disableFollowRedirect: true,
		timeout: limits?.timeoutMs ?? TIMEOUT_MS,
		abortSignal: limits?.signal,
	};
	const { statusCode, headers, body } = await send(helpers, request, settings, limits?.signal);
	const token = readSignIn({ status: statusCode, headers: headers ?? {}, body }, settings);
	return { [TOKEN_FIELD]: token, [OWNER_FIELD]: settings.ownerOf(token) };
}

interface FullAnswer {
	statusCode: number;
	headers?: Record<string, unknown>;
	body: unknown;
}

async function send(
	helpers: IHttpRequestHelper['helpers'],
	request: IHttpRequestOptions,
	{ baseUrl, secrets }: UserSettings,
	signal: AbortSignal | undefined,
): Promise<FullAnswer> {
	return await (helpers.httpRequest(request) as Promise<FullAnswer>).catch((thrown: unknown) => {
		throw signal?.aborted ? canceled() : networkFault(thrown, hostOf(baseUrl), secrets);
	});
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
