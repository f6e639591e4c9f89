import type { ICredentialDataDecryptedObject, IDataObject, IHttpRequestOptions } from 'n8n-workflow';

import { safeText } from '../answers/answerText';
import { PlatformError } from '../answers/errors';
import { readCredential, readUserCredential, type CredentialSettings } from './credential';
import { storedToken } from './session';
import type { AccountKind } from '../types';

/** A request of any of n8n's helpers: those of the HTTP Request node are written the older way. */
type AnyRequest = Omit<IHttpRequestOptions, 'proxy'> & {
	uri?: string | URL;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
	rejectUnauthorized?: boolean;
	proxy?: unknown;
};

/**
 * Adds the API key to a request.
 *
 * @throws PlatformError of kind configuration if the request goes, or could go, elsewhere than to the base URL's host
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
 * @throws PlatformError of kind configuration if the request goes, or could go, elsewhere than to the base URL's host
 */
export function authenticateUser(
	credentials: ICredentialDataDecryptedObject,
	request: IHttpRequestOptions,
): IHttpRequestOptions {
	const settings = readUserCredential(credentials);
	const token = storedToken(credentials, settings.ownerOf);
	return authenticated(request, settings, token === '' ? {} : { Authorization: `Bearer ${token}` });
}

function authenticated(
	request: IHttpRequestOptions,
	settings: CredentialSettings,
	headers: IDataObject,
): IHttpRequestOptions {
	refuseElsewhere(request, settings);
	return {
		...request,
		headers: { ...request.headers, ...headers },
		// A redirect would take the headers to another host.
		disableFollowRedirect: true,
		...{ followRedirect: false, followAllRedirects: false },
	};
}

/** Whoever builds a workflow chooses the address, the proxy, and whether certificates are checked, but not the key. */
function refuseElsewhere(request: AnyRequest, settings: CredentialSettings): void {
	const { origin, host } = new URL(settings.baseUrl);
	for (const address of [request.url, request.uri, request.baseURL]) {
		if (address === undefined) continue;
		const target = originOf(String(address), request.baseURL);
		if (target !== origin) throw elsewhere(origin, target, settings);
	}
	// A gateway that serves many hosts goes by this header.
	for (const [name, value] of Object.entries(request.headers ?? {})) {
		if (name.toLowerCase() === 'host' && String(value) !== host) throw elsewhere(origin, String(value), settings);
	}
	if (request.proxy) throw unprotected('through a proxy of the request', 'Proxy', settings);
	const { skipSslCertificateValidation: isSkipped, rejectUnauthorized: isChecked, agentOptions } = request;
	if (isSkipped || isChecked === false || agentOptions?.rejectUnauthorized === false) {
		throw unprotected('without a check of certificates', 'Ignore SSL Issues', settings);
	}
}

function originOf(address: string, base: string | undefined): string | undefined {
	return URL.canParse(address, base) ? new URL(address, base).origin : undefined;
}

function unprotected(how: string, option: string, { account }: CredentialSettings) {
	return new PlatformError('configuration', `This credential is not used ${how}`, {
		description: `Others could read the ${nameOf(account)} on the way, so nothing was sent. Turn off ${option} in the options of the request. A proxy that all requests need is set by the n8n admin.`,
	});
}

const nameOf = (account: AccountKind) => (account === 'apiKey' ? 'API key' : 'token');

function elsewhere(origin: string, target: string | undefined, { account, secrets }: CredentialSettings) {
	const where = target === undefined ? 'an address that is not a URL' : safeText(target, secrets);
	return new PlatformError('configuration', `This credential is for ${origin}, but the request goes to ${where}`, {
		description: `The ${nameOf(account)} is sent to the credential’s base URL only, so nothing was sent. Use a URL that begins with ${origin}, or another credential.`,
	});
}
