import type { ICredentialDataDecryptedObject, IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { safeText } from '../answers/answerText';
import { PlatformError } from '../answers/errors';
import { readCredential, readUserCredential } from './credential';
import type { CredentialSettings } from './credential';
import { storedToken } from './session';

/** A request of any of n8n's helpers: those of the HTTP Request node are written the older way. */
type AnyRequest = IHttpRequestOptions & { uri?: string | URL; followRedirect?: boolean; followAllRedirects?: boolean };

/**
 * Adds the API key to a request.
 *
 * @throws PlatformError of kind configuration if the request goes elsewhere than to the base URL's host
 */
export function authenticateKey(
	credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions,
): IHttpRequestOptions {
	const settings = readCredential('apiKey', credentials);
	return authenticated(request, settings, { 'API-KEY': settings.credential.apiKey });
}

/**
 * Adds the token to a request, unless it belongs to another account or address: n8n keeps it when the credential is
 * edited.
 *
 * @throws PlatformError of kind configuration if the request goes elsewhere than to the base URL's host
 */
export function authenticateUser(
	credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions,
): IHttpRequestOptions {
	const settings = readUserCredential(credentials);
	const token = storedToken(credentials, settings.ownerOf);
	return authenticated(request, settings, token === '' ? {} : { Authorization: `Bearer ${token}` });
}

function authenticated(request: AnyRequest, settings: CredentialSettings, headers: IDataObject): IHttpRequestOptions {
	const { origin } = new URL(settings.baseUrl);
	for (const address of [request.url, request.uri, request.baseURL]) {
		if (address === undefined) continue;
		const target = originOf(String(address), request.baseURL);
		if (target !== origin) throw elsewhere(origin, target, settings);
	}
	return {
		...request,
		headers: { ...request.headers, ...headers },
		// A redirect would take the headers to another host.
		disableFollowRedirect: true,
		...{ followRedirect: false, followAllRedirects: false },
	};
}

function originOf(address: string, base: string | undefined): string | undefined {
	return URL.canParse(address, base) ? new URL(address, base).origin : undefined;
}

function elsewhere(origin: string, target: string | undefined, { account, secrets }: CredentialSettings) {
	const what = account === 'apiKey' ? 'API key' : 'token';
	const where = target === undefined ? 'an address that is not a URL' : safeText(target, secrets);
	return new PlatformError('configuration', `This credential is for ${origin}, but the request goes to ${where}`, {
		description: `The ${what} is sent to the credential’s base URL only, so nothing was sent. Use a URL that begins with ${origin}, or another credential.`,
	});
}
