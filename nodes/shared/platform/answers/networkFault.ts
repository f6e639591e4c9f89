import { safeText } from './answerText';
import { PlatformError } from './errors';

/** What went wrong on the way, as told by codes and names anywhere in the chain of causes. */
interface Trace {
	codes: string[];
	names: string[];
	messages: string[];
}

const TLS_CODE =
	/^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|CRL_|HOSTNAME_MISMATCH)/;
const RESET_CODES = new Set(['ECONNRESET', 'EPIPE', 'ERR_BAD_RESPONSE', 'ERR_STREAM_PREMATURE_CLOSE', 'ECONNABORTED']);
const UNREACHABLE_CODES = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'EHOSTDOWN', 'ENETDOWN', 'EACCES']);

/** True when a thrown error means that n8n itself forbids the address (protection against server-side request forgery). */
function isBlocked({ names, messages }: Trace): boolean {
	return (
		names.some((name) => /^Ssrf/.test(name) || name === 'UnknownConnectionHostError') ||
		messages.some((message) => /restricted IP address|destination hostname is restricted/i.test(message))
	);
}

/**
 * The clean error for a request that got no answer. The thrown object holds the request and with it the key, so nothing
 * of it is kept but what kind of fault it was.
 *
 * @param host the platform's host, for the message
 */
export function networkFault(thrown: unknown, host: string, secrets: readonly string[]): PlatformError {
	const trace = traceOf(thrown);
	const has = (...codes: string[]) => trace.codes.some((code) => codes.includes(code));
	if (isBlocked(trace)) {
		return new PlatformError('configuration', `n8n does not allow requests to ${host}`, {
			description:
				'Its protection against requests into internal networks blocks this address. Check the base URL in the credential, or ask whoever runs n8n to allow the host (N8N_SSRF_ALLOWED_HOSTNAMES, N8N_SSRF_ALLOWED_IP_RANGES).',
		});
	}
	if (trace.messages.some((message) => /^Domain not allowed:|^No allowed domains specified/.test(message))) {
		return new PlatformError('configuration', `The credential is restricted to other hosts than ${host}`, {
			description:
				'Add the host of the base URL to Allowed HTTP Request Domains in the credential: the sign-in is bound by this list, too.',
		});
	}
	if (has('ERR_INVALID_CHAR')) {
		return new PlatformError('configuration', 'The API key contains a character that cannot be sent', {
			description: 'Copy the key again from where it was shown and paste it into the credential.',
		});
	}
	if (has('EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER')) {
		return fault(`${host} does not speak https on this port`, {
			description: 'Check the base URL in the credential: its scheme and its port must belong together.',
			transient: false,
		});
	}
	const tls = trace.codes.find((code) => TLS_CODE.test(code));
	if (tls !== undefined) {
		return fault(`The certificate of ${host} is not accepted (${tls})`, {
			description:
				'n8n cannot be sure that it talks to the platform. Check the base URL in the credential. Where a company proxy replaces certificates, its certificate must be known to n8n (NODE_EXTRA_CA_CERTS); ask whoever runs n8n.',
			transient: false,
		});
	}
	if (has('ENOTFOUND', 'EAI_AGAIN', 'ENODATA', 'ESERVFAIL')) {
		return fault(`The host ${host} was not found`, {
			description: 'Check the base URL in the credential for typing slips, and that n8n can resolve this name.',
		});
	}
	if (has('ECONNREFUSED')) {
		return fault(`${host} refused the connection`, {
			description:
				'Nothing answers at this address. Check host and port of the base URL in the credential, or try again later.',
		});
	}
	if (has('ETIMEDOUT', 'ESOCKETTIMEDOUT') || (has('ECONNABORTED') && trace.messages.some(saysTimeout))) {
		return timedOut(host);
	}
	if (trace.codes.some((code) => code.startsWith('HPE_'))) {
		return new PlatformError('not-the-platform', `What answers at ${host} does not speak http`, {
			description: 'Check host and port of the base URL in the credential.',
		});
	}
	if (trace.codes.some((code) => RESET_CODES.has(code))) {
		return fault(`The connection to ${host} broke off`, {
			description:
				'The answer did not arrive in full. Try again later; if this keeps happening, look at proxies and firewalls on the way.',
		});
	}
	if (trace.codes.some((code) => UNREACHABLE_CODES.has(code))) {
		return fault(`${host} cannot be reached from n8n`, {
			description:
				'There is no route to this address. Check the base URL in the credential, and the network that n8n runs in.',
		});
	}
	const detail = trace.codes[0] ?? trace.messages.at(-1) ?? 'no reason given';
	return fault(`The request to ${host} could not be completed (${safeText(detail, secrets)})`, {
		description: 'Check the base URL in the credential, and that n8n can reach the platform.',
	});
}

/** No complete answer within the time limit of one request. */
export function timedOut(host: string, timeoutMs?: number): PlatformError {
	const within = timeoutMs === undefined ? 'in time' : `within ${timeoutMs / 1_000} s`;
	return fault(`${host} did not answer completely ${within}`, {
		description:
			'Try again later, raise Request Timeout in Options, or lower Page Size so that each answer is smaller.',
	});
}

function fault(message: string, details: { description: string; transient?: boolean }): PlatformError {
	return new PlatformError('network-fault', message, details);
}

function saysTimeout(message: string): boolean {
	return /timeout|timed out/i.test(message);
}

/** Looks through causes, grouped faults (several addresses of one host) and n8n's wrappers. */
function traceOf(thrown: unknown): Trace {
	const trace: Trace = { codes: [], names: [], messages: [] };
	const seen = new Set<object>();
	const queue: unknown[] = [thrown];
	while (queue.length > 0 && seen.size < 20) {
		const next = queue.shift();
		if (typeof next !== 'object' || next === null || seen.has(next)) continue;
		seen.add(next);
		for (const key of ['code', 'httpCode'] as const) {
			const code: unknown = Reflect.get(next, key);
			if (typeof code === 'string' && /^[A-Z]/.test(code)) trace.codes.push(code);
		}
		const name: unknown = Reflect.get(next, 'name');
		if (typeof name === 'string') trace.names.push(name);
		const message: unknown = Reflect.get(next, 'message');
		if (typeof message === 'string') trace.messages.push(message);
		const errors: unknown = Reflect.get(next, 'errors');
		queue.push(
			Reflect.get(next, 'cause'),
			Reflect.get(next, 'errorResponse'),
			...(Array.isArray(errors) ? errors : []),
		);
	}
	return trace;
}
