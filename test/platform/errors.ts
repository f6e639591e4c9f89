import { STATUS_CODES as TITLES } from 'node:http';

import type { ErrorBodyShape } from './types.ts';

/** An answer before it is sent. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string | Buffer;
}

export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

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

const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** An HTML page like those of gateways and load balancers. */
export function htmlPage(status: number, text: string): string {
	const title = `${status} ${TITLES[status] ?? 'Unknown'}`;
	return `<!DOCTYPE html>\r\n<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><p>${escapeHtml(text)}</p>\r\n</body>\r\n</html>\r\n`;
}

/** Writes a refusal in one of the shapes found on real gateways (specification: "Error body shape: not shown"). */
export function refusalAnswer({ status, code, message, headers }: Refusal, shape: ErrorBodyShape): Answer {
	const [type, body] = refusalBody(status, code, message, shape);
	return {
		status,
		headers: { 'content-type': `${type}; charset=utf-8`, ...headers },
		body: typeof body === 'string' ? body : JSON.stringify(body),
	};
}

function refusalBody(
	status: number,
	code: string | undefined,
	message: string,
	shape: ErrorBodyShape,
): [type: string, body: unknown] {
	const text = code === undefined ? message : `${code}: ${message}`;
	switch (shape) {
		case 'flat':
			return ['application/json', { Code: code, Message: message }];
		case 'nested':
			return ['application/json', { error: { code: code ?? String(status), message } }];
		case 'list':
			return ['application/json', { errors: [{ errorCode: code, errorMessage: message }] }];
		case 'problem': {
			const type = `https://platform.example/problems/${status}`;
			const title = TITLES[status];
			return ['application/problem+json', { type, title, status, detail: message, errorCode: code }];
		}
		case 'text':
			return ['text/plain', text];
		case 'html':
			return ['text/html', htmlPage(status, text)];
	}
}
