import { headerText } from '../answers/retryAfter';
import { readText, send, type Received, type SendLimits, type SendRequest, type WireRequest } from './send';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/**
 * Sends a request. A read that is redirected to the same address, but with or without the last slash, follows once: the
 * key goes nowhere else. Any other redirect is returned as it came.
 *
 * @throws PlatformError when no answer came
 */
export async function sendAndFollow(
	sendRequest: SendRequest,
	wire: WireRequest,
	limits: SendLimits,
): Promise<Received> {
	const received = await send(sendRequest, wire, limits);
	const url = otherSlashOf(wire, received);
	if (url === undefined) return received;
	await readText(received, 0);
	return await send(sendRequest, { ...wire, url }, limits);
}

/** Where the answer redirects to, if only the last slash of the path differs. */
function otherSlashOf({ method, url, qs }: WireRequest, { status, headers }: Received): string | undefined {
	const location = headerText(headers, 'location');
	if (method !== 'GET' || !REDIRECTS.has(status) || location === undefined || !URL.canParse(location, url)) {
		return undefined;
	}
	const [from, to] = [new URL(url), new URL(location, url)];
	const isSameHost = to.origin === from.origin && to.username === '' && to.password === '';
	const isOtherSlash = to.pathname === `${from.pathname}/` || from.pathname === `${to.pathname}/`;
	const asked = Object.entries(qs ?? {}).map(([name, value]) => `${name}=${String(value)}`);
	const isSameQuery = [...to.searchParams].map((pair) => pair.join('=')).join('&') === asked.join('&');
	return isSameHost && isOtherSlash && isSameQuery ? to.origin + to.pathname : undefined;
}
