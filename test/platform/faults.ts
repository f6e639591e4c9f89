import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as afterSending, setTimeout as delay } from 'node:timers/promises';

import type { Fault, RequestRecord } from './types.ts';

/** An answer before it is sent. */
interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string | Buffer;
}

export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** Faults in the order they were added. Each request takes the first that is due for it. */
export class FaultQueue {
	private queue: Array<{ fault: Fault; nth: number; left: number }> = [];

	add(fault: Fault): void {
		const { nth = 1 } = typeof fault.match === 'object' ? fault.match : {};
		this.queue.push({ fault, nth, left: fault.times ?? 1 });
	}

	clear(): void {
		this.queue = [];
	}

	take(request: RequestRecord): Fault | undefined {
		const matching = this.queue.filter(({ fault, left }) => left > 0 && matches(fault, request));
		const taken = matching.find(({ nth }) => nth === 1);
		for (const entry of matching) {
			if (entry === taken) entry.left--;
			else if (entry.nth > 1) entry.nth--;
		}
		return taken?.fault;
	}
}

function matches({ match }: Fault, request: RequestRecord): boolean {
	if (match === undefined) return true;
	if (typeof match === 'function') return match(request);
	const { path = '', method = request.method } = match;
	return request.path.startsWith(path) && request.method === method;
}

/** The answer of a fault that replaces the platform's; undefined for faults that alter a real answer. */
export function replacedAnswer({ kind, status, body, headers = {} }: Fault): Answer | undefined {
	switch (kind) {
		case 'status':
			return answerOf(status ?? 500, body ?? { Message: 'The request could not be handled.' }, headers);
		case 'html': {
			const title = `${status ?? 502} ${STATUS_CODES[status ?? 502]}`;
			const page = `<!DOCTYPE html>\r\n<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<h1>${title}</h1>\r\n</body>\r\n</html>\r\n`;
			return answerOf(status ?? 502, body ?? page, { 'content-type': 'text/html; charset=utf-8', ...headers });
		}
		case 'reply':
			return answerOf(status ?? 200, body ?? '', headers);
		default:
			return undefined;
	}
}

/** Text and bytes are sent as they are, anything else as JSON. */
function answerOf(status: number, body: unknown, headers: Record<string, string>): Answer {
	if (typeof body === 'string' || Buffer.isBuffer(body)) return { status, headers, body };
	return { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) };
}

/** The body of a real answer that a fault spoils on its way. */
export function spoiled(body: Buffer, { kind, delayMs = 50 }: Fault): Buffer | Readable {
	const half = body.subarray(0, body.length >> 1);
	switch (kind) {
		case 'truncate':
			return half;
		case 'dropMidBody':
			return Readable.from(broken(half));
		case 'drip':
			return Readable.from(dripping(body, delayMs));
		default:
			return body;
	}
}

async function* broken(half: Buffer): AsyncGenerator<Buffer> {
	yield half;
	await afterSending();
	throw new Error('The connection ends here');
}

async function* dripping(body: Buffer, delayMs: number): AsyncGenerator<Buffer> {
	const size = Math.ceil(body.length / 20);
	for (let start = 0; start < body.length; start += size) {
		yield body.subarray(start, start + size);
		await delay(delayMs, undefined, { ref: false });
	}
}
