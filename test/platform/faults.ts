import { Readable } from 'node:stream';
import { setImmediate as afterSending, setTimeout as delay } from 'node:timers/promises';

import { htmlPage, JSON_TYPE, Refusal, refusalAnswer, type Answer } from './errors.ts';
import type { Fault, RequestRecord } from './types.ts';

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
	const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
	const given = isRaw ? body : JSON.stringify(body);
	const replaced = { headers: { ...(isRaw ? {} : JSON_TYPE), ...headers } };
	switch (kind) {
		case 'status': {
			const refusal = new Refusal(status ?? 500, 'The request could not be handled.', { headers });
			const answer = refusalAnswer(refusal);
			return given === undefined ? answer : { ...answer, ...replaced, body: given };
		}
		case 'html': {
			const page = given ?? htmlPage(status ?? 502, 'The upstream server gave no valid answer.');
			return { status: status ?? 502, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body: page };
		}
		case 'reply':
			return { status: status ?? 200, ...replaced, body: given ?? '' };
		default:
			return undefined;
	}
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
