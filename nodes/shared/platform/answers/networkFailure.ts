import upperFirst from 'lodash/upperFirst';

import type { FailureKind, PlatformOptions } from '../types';
import { PlatformError } from './errors';
import { sanitizeText } from './safeText';

/** How it is recognised, what is said ({host} and {code} are filled in), and how it differs from a network failure. */
type NetworkFailureRule = readonly [
	known: RegExp,
	message: string,
	nextStep: string,
	differs?: { kind?: FailureKind; transient?: false },
];

const SMALLER = 'lower Page Size so that each answer is smaller.';

/** From certain to vague: the first match is used. Most match an error code, some n8n's words. */
const FAILURES: readonly NetworkFailureRule[] = [
	[
		/^Ssrf|restricted IP address|destination hostname is restricted/i,
		'n8n does not allow requests to {host}',
		'Its protection against requests into internal networks blocks this address. Check the base URL in the credential, or ask your n8n admin to allow the host (N8N_SSRF_ALLOWED_HOSTNAMES, N8N_SSRF_ALLOWED_IP_RANGES).',
		{ kind: 'configuration' },
	],
	[
		/^(?:EPROTO|ERR_SSL_WRONG_VERSION_NUMBER)$/,
		'{host} does not speak HTTPS on this port',
		'Check the base URL in the credential: its scheme and its port must belong together.',
		{ transient: false },
	],
	[
		/^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|HOSTNAME_MISMATCH)/,
		'The certificate of {host} is not accepted ({code})',
		'n8n cannot be sure that it talks to the platform. Check the base URL in the credential. Where a company proxy replaces certificates, its certificate must be known to n8n (NODE_EXTRA_CA_CERTS); ask your n8n admin.',
		{ transient: false },
	],
	[
		/^(?:ENOTFOUND|EAI_AGAIN|ENODATA|ESERVFAIL)$/,
		'The host {host} was not found',
		'Check the base URL in the credential for typos, and that n8n can resolve this name.',
	],
	[
		/^ECONNREFUSED$/,
		'{host} refused the connection',
		'Nothing answers at this address. Check host and port of the base URL in the credential, or try again later.',
	],
	[/^E(?:SOCKET)?TIMEDOUT$/, '{host} did not answer completely in time', `Try again later, or ${SMALLER}`],
	[
		/^(?:ECONNRESET|EPIPE|ERR_BAD_RESPONSE|ERR_STREAM_PREMATURE_CLOSE|ECONNABORTED)$/,
		'The connection to {host} broke off',
		'The answer did not arrive in full. Try again later; if this keeps happening, check your proxies and firewalls.',
	],
	[
		/^(?:EHOSTUNREACH|ENETUNREACH)$/,
		'{host} cannot be reached from n8n',
		'There is no route to this address. Check the base URL in the credential, and the network that n8n runs in.',
	],
];

const UNKNOWN: NetworkFailureRule = [
	/^/,
	'The request to {host} could not be completed ({code})',
	'Check the base URL in the credential, and that n8n can reach the platform.',
];

/**
 * The clean error for a request that got no answer. The thrown object holds the request and with it the key, so only
 * its error code or message is used, through `sanitizeText`.
 *
 * @param host the platform's host, for the message
 */
export function networkFailureError(thrown: unknown, host: string, secrets: readonly string[]): PlatformError {
	const { codes, texts } = traceOf(thrown);
	const failure = FAILURES.find(([known]) => [...codes, ...texts].some((text) => known.test(text))) ?? UNKNOWN;
	const [known, message, nextStep, differs] = failure;
	const code = codes.find((each) => known.test(each)) ?? texts.at(-1) ?? 'no reason given';
	return new PlatformError(
		differs?.kind ?? 'network-failure',
		message.replace('{host}', () => host).replace('{code}', () => sanitizeText(code, secrets)),
		{ description: nextStep, transient: differs?.transient },
	);
}

/** No complete answer within the time limit of one request. */
export function timeoutError(host: string, { timeoutMs, poll }: PlatformOptions): PlatformError {
	const message = `${host} did not answer completely within ${timeoutMs / 1_000} s`;
	const longest = poll && `a poll gives each request ${poll.timeoutMs / 1_000} s at most`;
	const isCapped = poll && timeoutMs >= poll.timeoutMs;
	const raise = `Try again later, raise Request Timeout in Options${longest ? ` (${longest})` : ''}, or ${SMALLER}`;
	const next = `${upperFirst(longest)}, whatever Request Timeout is. The next poll asks again. If this keeps happening, ${SMALLER}`;
	return new PlatformError('network-failure', message, { description: isCapped ? next : raise });
}

/** Error codes and words of what was thrown, of its causes, of grouped errors and of n8n's wrappers. */
function traceOf(thrown: unknown): { codes: string[]; texts: string[] } {
	const found = new Set<unknown>([thrown]);
	const [codes, texts]: [string[], string[]] = [[], []];
	for (const each of found) {
		if (typeof each !== 'object' || each === null) continue;
		const { code, httpCode, name, message, cause, errorResponse, errors } = each as Record<string, unknown>;
		for (const text of [code, httpCode]) {
			if (typeof text === 'string' && /^[A-Z]/.test(text)) codes.push(text.slice(0, 100));
		}
		for (const text of [name, message]) if (typeof text === 'string') texts.push(text.slice(0, 1_000));
		const grouped: unknown[] = Array.isArray(errors) ? errors : [];
		for (const inner of [cause, errorResponse, ...grouped.slice(0, 20)]) if (found.size < 20) found.add(inner);
	}
	return { codes, texts };
}
