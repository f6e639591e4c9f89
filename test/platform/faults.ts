import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

import { htmlPage, Refusal, refusalAnswer } from './errors.ts';
import type { Answer } from './errors.ts';
import type { Behaviour, Fault, RequestRecord } from './types.ts';

interface QueuedFault {
	fault: Fault;
	/** Requests that matched so far, for `nth`. */
	seen: number;
	left: number;
}

/** Faults in the order they were added. Each request takes the first that is due for it. */
export class FaultQueue {
	private queue: QueuedFault[] = [];

	add(fault: Fault): void {
		this.queue.push({ fault, seen: 0, left: fault.times ?? 1 });
	}

	clear(): void {
		this.queue = [];
	}

	take(request: RequestRecord): Fault | undefined {
		let taken: Fault | undefined;
		for (const entry of this.queue) {
			if (!matches(entry.fault, request)) continue;
			entry.seen++;
			const { match } = entry.fault;
			const nth = typeof match === 'object' ? (match.nth ?? 1) : 1;
			if (taken || entry.seen < nth) continue;
			taken = entry.fault;
			entry.left--;
		}
		this.queue = this.queue.filter(({ left }) => left > 0);
		return taken;
	}
}

function matches({ match }: Fault, request: RequestRecord): boolean {
	if (match === undefined) return true;
	if (typeof match === 'function') return match(request);
	return (
		(match.path === undefined || request.path.startsWith(match.path)) &&
		(match.method === undefined || request.method === match.method.toUpperCase())
	);
}

/** The answer of a fault that replaces the platform's; undefined for faults that alter a real answer. */
export function replacedAnswer(fault: Fault, behaviour: Behaviour, echoedKey: string | undefined): Answer | undefined {
	const { kind, headers = {}, body } = fault;
	const given = typeof body === 'string' ? body : JSON.stringify(body);
	const contentType: Record<string, string> =
		body === undefined || typeof body === 'string' ? {} : { 'content-type': 'application/json; charset=utf-8' };
	switch (kind) {
		case 'status': {
			const refusal = new Refusal(fault.status ?? 500, 'The request could not be handled.', { headers });
			const answer = refusalAnswer(refusal, behaviour.errorBody, echoedKey);
			return body === undefined ? answer : { ...answer, headers: { ...contentType, ...headers }, body: given };
		}
		case 'html': {
			const status = fault.status ?? 502;
			const page =
				body === undefined ? htmlPage(status, `The upstream server gave no valid answer. ${echoedKey ?? ''}`) : given;
			return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body: page };
		}
		case 'empty':
			return { status: fault.status ?? 200, headers, body: '' };
		case 'reply':
			return { status: fault.status ?? 200, headers: { ...contentType, ...headers }, body: given ?? '' };
		case 'drop':
			// Never sent: the connection ends first.
			return { status: 0, headers: {}, body: '' };
		case 'dropMidBody':
		case 'stall':
		case 'stallMidBody':
		case 'drip':
		case 'truncate':
			return undefined;
	}
}

function send(reply: FastifyReply, { status, headers, body, encoding }: Answer): void {
	const bytes = encoding === 'latin1' ? latin1(body) : Buffer.from(body);
	// An empty string would still be labelled text/plain.
	reply
		.code(status)
		.headers(headers)
		.send(body ? bytes : undefined);
}

const latin1 = (text: string) => Buffer.from(text.replace(/[^\t\r\n -\xff]/g, '?'), 'latin1');

function* slices(bytes: Buffer, size: number): Generator<Buffer> {
	for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

/** Sends an answer, altered by the fault. `gone` fires when the client disconnects, and stops what is under way. */
export async function deliver(
	reply: FastifyReply,
	answer: Answer,
	fault: Fault | undefined,
	gone: AbortSignal,
): Promise<void> {
	if (!fault) return send(reply, answer);
	const bytes = Buffer.from(answer.body);
	const half = bytes.length >> 1;
	const { raw } = reply;
	const begin = () => {
		reply.hijack();
		raw.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length });
	};
	const pause = (ms: number) => delay(ms, undefined, { signal: gone });

	switch (fault.kind) {
		case 'drop':
			reply.hijack();
			raw.destroy();
			return;
		case 'dropMidBody':
			begin();
			raw.write(bytes.subarray(0, half), () => raw.destroy());
			return;
		case 'stall':
			if (fault.delayMs === undefined) {
				reply.hijack();
				return;
			}
			await pause(fault.delayMs);
			return send(reply, answer);
		case 'stallMidBody':
			begin();
			raw.write(bytes.subarray(0, half));
			if (fault.delayMs === undefined) return;
			await pause(fault.delayMs);
			raw.end(bytes.subarray(half));
			return;
		case 'drip': {
			begin();
			for (const piece of slices(bytes, Math.max(1, Math.ceil(bytes.length / 20)))) {
				raw.write(piece);
				await pause(fault.delayMs ?? 50);
			}
			raw.end();
			return;
		}
		case 'truncate':
			return send(reply, { ...answer, body: bytes.subarray(0, half).toString() });
		case 'status':
		case 'html':
		case 'empty':
		case 'reply':
			return send(reply, answer);
	}
}
