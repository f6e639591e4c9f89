import { STATUS_CODES as TITLES } from 'node:http';

import lodash from 'lodash';

/** An answer before it is sent. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string | Buffer;
}

export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** A request that is refused. `code` only where the specification states one. Fastify knows the names of all three. */
export class Refusal extends Error {
	readonly statusCode: number;
	readonly code: string | undefined;
	readonly headers: Record<string, string>;

	constructor(statusCode: number, message: string, { code, headers = {} }: Partial<Refusal> = {}) {
		super(message);
		this.statusCode = statusCode;
		this.code = code;
		this.headers = headers;
	}
}

/** An HTML page like those of gateways and load balancers. */
export function htmlPage(status: number, text: string): string {
	const title = `${status} ${TITLES[status] ?? 'Unknown'}`;
	return `<!DOCTYPE html>\r\n<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n<hr><p>${lodash.escape(text)}</p>\r\n</body>\r\n</html>\r\n`;
}

/** How this platform writes a refusal (specification: "Error body shape: not shown"). */
export function refusalAnswer({ statusCode, code, message, headers }: Refusal): Answer {
	const body = JSON.stringify({ Code: code, Message: message });
	return { status: statusCode, headers: { ...JSON_TYPE, ...headers }, body };
}
