import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { PlatformError } from '../answers/errors';
import { sanitizeText } from '../answers/safeText';
import { readCredential, type CredentialSettings } from './credential';

/** A request of any of n8n's helpers: those of the HTTP Request node are written the older way. */
type AnyRequest = Omit<IHttpRequestOptions, 'proxy'> & {
	uri?: string | URL;
	followRedirect?: boolean;
	followAllRedirects?: boolean;
	rejectUnauthorized?: boolean;
	proxy?: unknown;
};

/** A redirect would take the key to another host. */
const NO_REDIRECT = { disableFollowRedirect: true, followRedirect: false, followAllRedirects: false };

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
	refuseElsewhere(request, settings);
	return {
		...request,
		headers: { ...request.headers, 'API-KEY': settings.credential.apiKey },
		...NO_REDIRECT,
	};
}

/** Whoever builds a workflow chooses the address, the proxy, and whether certificates are checked, but not the key. */
function refuseElsewhere(request: AnyRequest, settings: CredentialSettings): void {
	const { origin, host } = new URL(settings.baseUrl);
	for (const address of [request.url, request.uri, request.baseURL]) {
		if (address === undefined) continue;
		const target = originOf(String(address), request.baseURL);
		if (target !== origin) throw wrongHostError(origin, target, settings);
	}
	// A gateway that serves many hosts goes by this header.
	for (const [name, value] of Object.entries(request.headers ?? {})) {
		if (name.toLowerCase() === 'host' && String(value) !== host) throw wrongHostError(origin, String(value), settings);
	}
	if (request.proxy) throw unprotected('through a proxy of the request', 'Proxy');
	const { skipSslCertificateValidation: isSkipped, rejectUnauthorized: isChecked, agentOptions } = request;
	if (isSkipped || isChecked === false || agentOptions?.rejectUnauthorized === false) {
		throw unprotected('without a check of certificates', 'Ignore SSL Issues');
	}
}

function originOf(address: string, base: string | undefined): string | undefined {
	return URL.canParse(address, base) ? new URL(address, base).origin : undefined;
}

function unprotected(how: string, option: string) {
	return new PlatformError('configuration', `This credential is not used ${how}`, {
		description: `Others could read the API key on the way, so nothing was sent. Turn off ${option} in the options of the request. A proxy that all requests need is set by the n8n admin.`,
	});
}

function wrongHostError(origin: string, target: string | undefined, { secrets }: CredentialSettings) {
	const where = target === undefined ? 'an address that is not a URL' : sanitizeText(target, secrets);
	return new PlatformError('configuration', `This credential is for ${origin}, but the request goes to ${where}`, {
		description: `The API key is sent to the credential’s base URL only, so nothing was sent. Use a URL that begins with ${origin}, or another credential.`,
	});
}
