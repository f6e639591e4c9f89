import type { ErrorBodyShape } from './types.ts';

/** An answer before it is sent. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string;
	encoding?: 'utf8' | 'latin1';
}

/** A request that the platform refuses. `code` only where the specification states one. */
export class Refusal extends Error {
	readonly status: number;
	readonly code: string | undefined;
	readonly headers: Record<string, string>;

	constructor(status: number, message: string, options: { code?: string; headers?: Record<string, string> } = {}) {
		super(message);
		this.name = 'Refusal';
		this.status = status;
		this.code = options.code;
		this.headers = options.headers ?? {};
	}
}

const TITLES: Record<number, string> = {
	400: 'Bad Request',
	401: 'Unauthorized',
	403: 'Forbidden',
	404: 'Not Found',
	405: 'Method Not Allowed',
	413: 'Content Too Large',
	414: 'URI Too Long',
	415: 'Unsupported Media Type',
	429: 'Too Many Requests',
	500: 'Internal Server Error',
	502: 'Bad Gateway',
	503: 'Service Unavailable',
	504: 'Gateway Timeout',
};

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** An HTML page like those of gateways and load balancers. */
export function htmlPage(status: number, text: string): string {
	const title = `${status} ${TITLES[status] ?? 'Unknown'}`;
	return `<!DOCTYPE html>\r\n<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><p>${escapeHtml(text)}</p>\r\n</body>\r\n</html>\r\n`;
}

/**
 * Writes a refusal in one of the shapes found on real gateways (specification, Errors: "Error body shape: not shown").
 * With `echoedKey` it repeats the caller's key, as careless gateways do.
 */
export function refusalAnswer(refusal: Refusal, shape: ErrorBodyShape, echoedKey: string | undefined): Answer {
	const { status, code } = refusal;
	const message = echoedKey ? `${refusal.message} (API-KEY: ${echoedKey})` : refusal.message;
	const title = TITLES[status] ?? 'Unknown';
	const echo = echoedKey ? { RequestHeaders: { 'API-KEY': echoedKey } } : {};
	const json = (body: unknown, contentType = 'application/json; charset=utf-8'): Answer => ({
		status,
		headers: { 'content-type': contentType, ...refusal.headers },
		body: JSON.stringify(body),
	});
	const text = (body: string, contentType: string): Answer => ({
		status,
		headers: { 'content-type': contentType, ...refusal.headers },
		body,
	});
	switch (shape) {
		case 'flat':
			return json({ Code: code, Message: message, ...echo });
		case 'nested':
			return json({ error: { code: code ?? String(status), message, ...echo } });
		case 'list':
			return json({ errors: [{ errorCode: code, errorMessage: message, ...echo }] });
		case 'problem':
			return json(
				{
					type: `https://platform.example/problems/${status}`,
					title,
					status,
					detail: message,
					errorCode: code,
					traceId: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
					...echo,
				},
				'application/problem+json; charset=utf-8',
			);
		case 'text':
			return text(code ? `${code}: ${message}` : message, 'text/plain; charset=utf-8');
		case 'html':
			return text(htmlPage(status, code ? `${code}: ${message}` : message), 'text/html; charset=utf-8');
		case 'empty':
			return { status, headers: { ...refusal.headers }, body: '' };
	}
}
