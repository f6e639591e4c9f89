import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

import { htmlPage, JSON_TYPE, Refusal, refusalAnswer, type Answer } from './errors.ts';
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
export function replacedAnswer({ kind, status, body, headers = {} }: Fault, behaviour: Behaviour): Answer | undefined {
	const isRaw = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
	const given = isRaw ? body : JSON.stringify(body);
	const replaced = { headers: { ...(isRaw ? {} : JSON_TYPE), ...headers } };
	switch (kind) {
		case 'status': {
			const refusal = new Refusal(status ?? 500, 'The request could not be handled.', { headers });
			const answer = refusalAnswer(refusal, behaviour.errorBody);
			return given === undefined ? answer : { ...answer, ...replaced, body: given };
		}
		case 'html': {
			const page = given ?? htmlPage(status ?? 502, 'The upstream server gave no valid answer.');
			return { status: status ?? 502, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body: page };
		}
		case 'reply':
			return { status: status ?? 200, ...replaced, body: given ?? '' };
		case 'drop':
			// Never sent: the connection ends first.
			return { status: 0, headers: {}, body: '' };
		default:
			return undefined;
	}
}

/** Sends an answer, altered by the fault. `gone` fires when the client disconnects, and stops what is under way. */
export async function deliver(
	reply: FastifyReply,
	answer: Answer,
	fault: Fault | undefined,
	gone: AbortSignal,
): Promise<void> {
	const bytes = Buffer.from(answer.body);
	const half = bytes.subarray(0, bytes.length >> 1);
	const { raw } = reply;
	const pause = async (ms: number) => await delay(ms, undefined, { signal: gone });
	const begin = () => {
		reply.hijack();
		raw.writeHead(answer.status, { ...answer.headers, 'content-length': bytes.length });
	};
	const send = (body: Buffer) => {
		// An empty body would still be labelled text/plain.
		const sent = body.length > 0 ? body : undefined;
		reply.code(answer.status).headers(answer.headers).send(sent);
	};

	switch (fault?.kind) {
		case 'drop':
			reply.hijack();
			raw.destroy();
			return;
		case 'dropMidBody':
			begin();
			raw.write(half, () => raw.destroy());
			return;
		case 'stall':
			if (fault.delayMs === undefined) {
				reply.hijack();
				return;
			}
			await pause(fault.delayMs);
			return send(bytes);
		case 'drip': {
			begin();
			const size = Math.ceil(bytes.length / 20);
			for (let start = 0; start < bytes.length; start += size) {
				raw.write(bytes.subarray(start, start + size));
				await pause(fault.delayMs ?? 50);
			}
			raw.end();
			return;
		}
		case 'truncate':
			return send(half);
		default:
			return send(bytes);
	}
}
